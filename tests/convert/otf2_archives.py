# SPDX-License-Identifier: BSD-3-Clause
"""OTF2 archives as otf2-print shows them, against what pilgrim-decode prints of the calls one by one."""
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "checker"), os.path.join(HERE, "..", "messages")]

from harness import check, execute, need  # noqa: E402

EVENT = re.compile(r"([A-Z_0-9]+) +(\d+) +(\d+) +(.*)")
NUMBER = re.compile(r"(\w+): (\d+)")
OPERATIONS = {name.replace("_", "").lower(): name for name in (
    "BARRIER BCAST GATHER GATHERV SCATTER SCATTERV ALLGATHER ALLGATHERV ALLTOALL ALLTOALLV ALLTOALLW ALLREDUCE REDUCE REDUCE_SCATTER SCAN EXSCAN "
    "REDUCE_SCATTER_BLOCK").split()}

# Records that stand where their call begins; the others stand where it ends.
BEGUN = ("MPI_SEND", "MPI_ISEND", "MPI_IRECV_REQUEST", "NON_BLOCKING_COLLECTIVE_REQUEST", "MPI_COLLECTIVE_BEGIN", "RMA_PUT", "RMA_GET", "RMA_ATOMIC",
         "RMA_COLLECTIVE_BEGIN", "RMA_REQUEST_LOCK", "IO_OPERATION_BEGIN")


def printed(folder, *options):
    need("otf2-print")
    result = execute(["otf2-print", *options, os.path.join(folder, "traces.otf2")], os.path.dirname(folder))
    check(result.code == 0, "otf2-print %s: %d\n%s" % (" ".join(options), result.code, result.err[:1000]))
    return result.out


class Event:
    def __init__(self, kind, location, ns, text):
        self.kind, self.location, self.ns, self.text = kind, location, int(ns), text
        self.numbers = {name: int(value) for name, value in NUMBER.findall(text)}

    def named(self, what):
        """The number between < and > behind WHAT."""
        found = re.search(what + r': [^<]*<(\d+)>', self.text)
        return int(found.group(1)) if found else None


class Archive:
    """definitions: kind -> lines; locations: (rank, thread) -> [Event]"""

    def __init__(self, folder):
        printed(folder, "--silent", "-Werror")
        places, self.definitions = {}, collections.defaultdict(list)
        for line in printed(folder, "-G").splitlines():
            kind = line.split(" ", 1)[0]
            if re.fullmatch("[A-Z_]+", kind):
                self.definitions[kind].append(line)
            found = re.match(r'LOCATION +(\d+) +Name: "rank (\d+)(?: thread (\d+))?"', line)
            if found:
                places[found.group(1)] = int(found.group(2)), int(found.group(3) or 0)
        self.locations, self.markers = {place: [] for place in places.values()}, []
        self.number = {place: int(number) for number, place in places.items()}
        for line in printed(folder).splitlines():
            found = EVENT.match(line)
            if found and found.group(1) != "PROGRAM":
                event = Event(found.group(1), places[found.group(2)], found.group(3), found.group(4))
                self.locations[event.location].append(event)
        for kind in ("GROUP", "COMM", "REGION", "STRING", "LOCATION", "RMA_WIN", "IO_REGULAR_FILE", "IO_HANDLE"):
            ids = [int(line.split()[1]) for line in self.definitions[kind]]
            check(ids == sorted(set(ids)), "ids of %s do not ascend" % kind)

    def calls(self):
        """(rank, thread) -> [(function, enter, leave, [events within])], which do not overlap."""
        found = {}
        for place, events in self.locations.items():
            calls, inside, last = [], None, 0
            for event in events:
                check(event.ns >= last, "times of %r go back" % (place,))
                last = event.ns
                name = re.match(r'Region: "([^"]*)" <(\d+)>', event.text)
                if event.kind == "ENTER":
                    check(inside is None, "a call within a call")
                    inside = [name.group(1), event.ns, None, [], name.group(2)]
                elif event.kind == "LEAVE":
                    check(inside and inside[4] == name.group(2), "%r leaves what it is not in" % (place,))
                    inside[2] = event.ns
                    calls.append(tuple(inside[:4]))
                    inside = None
                else:
                    check(inside, "%s outside of a call" % event.kind)
                    inside[3].append(event)
            check(inside is None, "a call that does not end")
            found[place] = calls
        return found


def same_calls(archive, wanted):
    """WANTED: (rank, thread, seq) -> call, as pilgrim-decode prints it. Returns (rank, thread, seq) -> events within."""
    within = {}
    mine = collections.defaultdict(list)
    for key in sorted(wanted):
        if wanted[key]["func"] != "pilgrim_marker":
            mine[key[:2]].append(key)
    for place, calls in archive.calls().items():
        check(len(calls) == len(mine[place]), "%r: %d calls, not %d" % (place, len(calls), len(mine[place])))
        for key, (name, enter, leave, events) in zip(mine[place], calls):
            call = wanted[key]
            check((name, enter, leave) == (call["func"], call["start"], call["end"]), "%r: %r, not %r" % (key, (name, enter, leave), call))
            for event in events:
                if not event.kind.startswith("PARAMETER"):
                    check(event.ns == (enter if event.kind in BEGUN else leave), "%r: %s at %d, not at an end of %d to %d" % (key, event.kind, event.ns, enter, leave))
            within[key] = events
    return within


def ends(within):
    """(communicator, from, to, tag) -> [bytes] of sends, and of receives, both in the order of their calls; ranks are those of the world."""
    sent, got = collections.defaultdict(list), collections.defaultdict(list)
    posted = {(key[0], event.numbers["Request"]): key for key, events in within.items() for event in events if event.kind == "MPI_IRECV_REQUEST"}
    for key in sorted(within):
        for event in within[key]:
            request = (key[0], event.numbers.get("Request"))
            if event.kind in ("MPI_SEND", "MPI_ISEND"):
                to = re.search(r'"rank (\d+)', event.text).group(1)
                sent[event.named("Communicator"), key[0], int(to), event.numbers["Tag"]].append((key, event.numbers["Length"]))
            if event.kind in ("MPI_RECV", "MPI_IRECV"):
                source = re.search(r'"rank (\d+)', event.text).group(1)
                begun = posted[request] if event.kind == "MPI_IRECV" else key
                got[event.named("Communicator"), int(source), key[0], event.numbers["Tag"]].append(
                    (begun, event.numbers.get("Request", 0), event.numbers["Length"]))
    return sent, {channel: [(begun, length) for begun, _, length in sorted(list_)] for channel, list_ in got.items()}


def same_messages(within, messages, whole):
    """MESSAGES: as pilgrim-decode --messages prints them. WHOLE: all calls of the trace are in the archive."""
    sent, got = ends(within)
    if whole:
        expected, found = collections.Counter(), collections.Counter()
        for m in messages:
            if m.get("send") and m["comm"] and m["from"] is not None and m["to"] is not None:
                expected[m["from"], m["to"], m["tag"]] += 1
        for (_, source, to, tag), list_ in sent.items():
            found[source, to, tag] += len(list_)
        check(found == expected, "sends differ: %r" % list((found - expected) + (expected - found))[:4])
    cut = {(m["from"], m["to"], m["tag"]) for m in messages if m.get("receive") and m["receive"].get("failed")}
    paired = {channel: list_ for channel, list_ in sent.items() if len(list_) == len(got.get(channel, ()))}
    for channel, list_ in paired.items():
        sizes = [length for _, length in list_], [length for _, length in got[channel]]
        check(channel[1:] in cut or sizes[0] == sizes[1], "%r: the receives have other bytes: %r" % (channel, sizes))
    lost = sum(1 for m in messages if not m.get("receive") or not m.get("send"))
    check(lost or len(paired) == len(sent) == len(got), "messages of %r have one end" % sorted(set(sent) ^ set(got))[:3])
    return sum(map(len, sent.values()))


def requests_end(within):
    """What a request ends began on its rank before, and ends once."""
    begun, ended, tests = {}, {}, 0
    kinds = {"MPI_ISEND": "MPI_ISEND_COMPLETE", "MPI_IRECV_REQUEST": "MPI_IRECV", "NON_BLOCKING_COLLECTIVE_REQUEST": "NON_BLOCKING_COLLECTIVE_COMPLETE"}
    for key, events in within.items():
        for event in events:
            request = (key[0], event.numbers.get("Request"))
            if event.kind in kinds:
                check(request not in begun, "request %r begins twice" % (request,))
                begun[request] = event
            elif event.kind in kinds.values() or event.kind == "MPI_REQUEST_CANCELLED":
                check(request not in ended, "request %r ends twice" % (request,))
                ended[request] = event
    for request, event in ended.items():
        first = begun.get(request)
        check(first and first.ns <= event.ns, "request %r ends, and does not begin before" % (request,))
        check(event.kind in (kinds[first.kind], "MPI_REQUEST_CANCELLED"), "request %r begins as %s and ends as %s" % (request, first.kind, event.kind))
    for key, events in within.items():
        for event in events:
            if event.kind == "MPI_REQUEST_TEST":
                request = (key[0], event.numbers["Request"])
                tests += 1
                check(request in begun and begun[request].ns <= event.ns, "a test of %r, which does not begin before" % (request,))
                check(request not in ended or event.ns <= ended[request].ns, "a test of %r, which has ended" % (request,))
    return tests


def same_collectives(within, wanted, unknown):
    """UNKNOWN: communicators whose identity the trace may lack. Each collective call on a communicator has its operation, root and communicator; WANTED as in same_calls."""
    count = 0
    for key, events in within.items():
        call = wanted[key]
        name = call["func"][4:].removesuffix("_c").lower().replace("_", "")
        operation, nonblocking = OPERATIONS.get(name), False
        if not operation and name[0] == "i":
            operation, nonblocking = OPERATIONS.get(name[1:]), True
        kinds = [event.kind for event in events]
        if not kinds and call["args"].get("comm") in unknown:
            continue
        if not operation or call["ret"] != 0:
            check(operation is None or "MPI_COLLECTIVE_END" not in kinds, "%r failed, and has a collective record" % (key,))
            continue
        count += 1
        if nonblocking:
            check("NON_BLOCKING_COLLECTIVE_REQUEST" in kinds, "%r has no request" % (key,))
            continue
        check(kinds == ["MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"], "%r (%s) has %r" % (key, call["func"], kinds))
        end = events[-1]
        check(end.text.startswith("Operation: %s," % operation), "%r: %s" % (key, end.text))
        if call["args"]["comm"] in ("MPI_COMM_WORLD", "MPI_COMM_SELF"):
            check(end.named("Communicator") == (call["args"]["comm"] == "MPI_COMM_SELF"), "%r: %s" % (key, end.text))
            check(call["args"].get("root") is None or end.numbers["Root"] == call["args"]["root"], "%r: %s" % (key, end.text))
            check("root" in call["args"] or "Root: NONE" in end.text, "%r: %s" % (key, end.text))
    return count
