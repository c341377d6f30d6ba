# SPDX-License-Identifier: BSD-3-Clause
"""Messages of a trace by brute force: from what pilgrim-decode --format=json prints of calls and communicators, all in memory. It shares no
code with src/analysis, and knows no streams: all receives are known with their statuses before anything is paired.

A side of a message is (rank, thread, number of the call that began it, 0 or 1 for a second one of the same call)."""
import collections
import heapq
import json
import re
import subprocess

SENDS = {"Send", "Bsend", "Ssend", "Rsend"}
MADE = ("newcomm", "comm_cart", "comm_graph", "comm_dist_graph", "newintercomm", "newintracomm")


class Side:
    """A posted send or receive."""

    def __init__(self, call, send, comm, peer, tag, part=0):
        self.call, self.send, self.comm, self.peer, self.tag, self.part = call, send, comm, peer, tag, part
        self.ended = self.bytes = self.ready = None
        self.cancel_asked = self.cancelled = self.over = False
        self.world = None  # the peer's rank in MPI_COMM_WORLD

    def name(self):
        return (self.call["rank"], self.call["thread"], self.call["seq"])


class Comm:
    def __init__(self, identity, side, rank):
        self.identity, self.side, self.rank = identity, side, rank


def plain(name):
    name = name[4:] if name.startswith("MPI_") else name
    return name[:-2] if name.endswith("_c") else name


def came(value):
    return value["in"] if isinstance(value, dict) and "in" in value else value


def went(value):
    return value["out"] if isinstance(value, dict) and "out" in value else value


def lines(decode, *arguments):
    out = subprocess.run([decode, "--format=json", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in out.decode("utf-8", "surrogateescape").splitlines()]


class Process:
    """Walks the calls of a rank in the order of their starts; one that makes what has the name of what is still there, from its end."""

    def __init__(self, rank, calls, created):
        self.rank, self.created = rank, created
        self.comms, self.requests, self.messages = {}, {}, {}
        self.sides = []
        self.pairs = collections.Counter()
        self.position = collections.Counter()
        for made in created:
            if made["thread"] is None and made["comm"] != "MPI_COMM_NULL":
                self.bind(made)
        order = sorted(calls, key=lambda c: (c.get("start", 0), c["thread"], c["seq"]))
        if len({c["thread"] for c in calls}) == 1:
            order = sorted(calls, key=lambda c: c["seq"])
            for call in order:
                self.step(call)
            return
        queue = [(c.get("start", 0), c["thread"], c["seq"], False, k) for k, c in enumerate(order)]
        while queue:
            _, thread, seq, late, k = heapq.heappop(queue)
            if not late and "end" in order[k] and self.takes_name(order[k]):
                heapq.heappush(queue, (order[k]["end"], thread, seq, True, k))
            else:
                self.step(order[k])

    def takes_name(self, call):
        """True if what the call makes has the name of a request or communicator that another thread has still to end."""
        made = [went(call["args"][key]) for key in MADE if key in call["args"]]
        if re.match("I[a-z]|.*_init$", plain(call["func"])):
            made.append(went(call["args"].get("request")))
        return any(isinstance(name, str) and (name in self.requests or name in self.comms) for name in made)

    def bind(self, made, parent=None):
        side = 0
        if made["inter"]:
            parent = self.comms.get(made["parent"]) if made["parent"] else parent
            if made["parent"] == "MPI_COMM_WORLD":
                parent = Comm("world", 0, self.rank)
            side = "?%d" % made["size"] if not parent else parent.side or parent.identity
        # What a thread made itself is what it means by a name; else it means what the process made last.
        self.comms[made["comm"]] = self.comms[made["thread"], made["comm"]] = Comm(made["identity"], side, made["comm_rank"])

    def comm(self, name, thread):
        if name == "MPI_COMM_WORLD":
            return Comm("world", 0, self.rank)
        if name == "MPI_COMM_SELF":
            return Comm(("self", self.rank), 0, 0)
        return self.comms.get((thread, name)) or self.comms.get(name)

    def makes(self, call):
        """The communicator that a call made."""
        thread = call["thread"]
        value = next((went(call["args"][key]) for key in MADE if key in call["args"]), None)
        if not isinstance(value, str) or call["ret"] != 0:
            return
        mine = [made for made in self.created if made["thread"] == thread]
        at = self.position[thread]
        if at < len(mine) and (mine[at]["comm"] == value or (mine[at]["comm"] == "MPI_COMM_NULL" and not value.startswith("comm:"))):
            self.position[thread] += 1
            if value.startswith("comm:"):
                self.bind(mine[at], self.comm(call["args"].get("local_comm", call["args"].get("comm")), thread))

    def side(self, call, send, prefix=""):
        args = call["args"]
        peer = args["dest" if send else "source"]
        tag = args[prefix + "tag"] if prefix + "tag" in args else args["tag"]
        if not (isinstance(peer, int) and peer >= 0) and peer != "MPI_ANY_SOURCE":
            return None
        return Side(call, send, self.comm(args["comm"], call["thread"]), peer, tag)

    def post(self, side):
        if side:
            self.sides.append(side)

    def end(self, side, call, status):
        side.ended, side.over = call, True
        if side.send or not status:
            return
        side.cancelled = status.get("cancelled") is True and call is not None  # a probe's status says nothing of that
        if side.cancelled:
            return
        side.bytes = status.get("bytes")
        if side.peer == "MPI_ANY_SOURCE" and isinstance(status["source"], int):
            side.peer = status["source"]
        if side.tag == "MPI_ANY_TAG" and isinstance(status["tag"], int):
            side.tag = status["tag"]

    def finish(self, request, call, status):
        held = self.requests.get(request)
        if not held:
            return
        for side in held["sides"]:
            self.end(side, call, status)
        held["sides"] = []
        if not held["again"]:
            del self.requests[request]

    def step(self, call):
        args, name = call["args"], plain(call["func"])
        good, returned = call["ret"] == 0, call["ret"] is not None
        base = name[1:].capitalize() if name[:1] == "I" and name[1:2].islower() else name
        request = went(args.get("request")) if isinstance(args.get("request"), (str, dict)) else None
        sides, again = [], False
        self.makes(call)
        if returned and not good and not (base == "Recv" and name == "Recv") and not name.startswith(("Wait", "Test", "Sendrecv", "Mrecv")):
            return
        if base in SENDS:
            sides = [self.side(call, True)]
        elif base == "Recv":
            sides = [self.side(call, False)]
        elif name in ("Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"):
            sides = [self.side(call, True, "send"), self.side(call, False, "recv")]
        elif name in ("Send_init", "Bsend_init", "Ssend_init", "Rsend_init", "Recv_init", "Psend_init", "Precv_init"):
            if returned:
                self.prepare(call, name, request)
            return
        elif name in ("Start", "Startall"):
            for one in came(args["array_of_requests"]) if name == "Startall" else [came(args["request"])]:
                self.start(one, call)
            return
        elif name.startswith(("Wait", "Test")) and name != "Test_cancelled":
            if returned:
                self.wait(call, name, good)
            return
        elif name == "Cancel":
            for side in self.requests.get(came(args["request"]), {"sides": []})["sides"]:
                side.cancel_asked = True
            return
        elif name.startswith("Pready"):
            for side in self.requests.get(came(args["request"]), {"sides": []})["sides"]:
                side.ready = call
            return
        elif name == "Request_free":
            self.forget(came(args["request"]))
            return
        elif name in ("Mprobe", "Improbe"):
            if returned and str(args["message"]).startswith("message:"):
                side = self.side(call, False)
                self.end(side, None, args["status"])
                side.over = False
                self.messages[args["message"]] = side
                self.post(side)
            return
        elif name in ("Mrecv", "Imrecv"):
            side = self.messages.pop(came(args["message"]), None)
            if name == "Mrecv" and side and returned:
                self.end(side, call, args["status"])
            elif side and request:
                self.requests[request] = {"sides": [side], "again": None}
            return
        else:
            return
        sides = [side for side in sides if side]
        if "request" in args:
            if isinstance(request, str) and request.startswith("request:"):
                self.forget(request)
                self.requests[request] = {"sides": list(sides), "again": again}
            for side in sides:
                self.post(side)
        else:
            for side in sides:
                if returned:
                    self.end(side, call, went(args.get("status")))
                self.post(side)

    def prepare(self, call, name, request):
        side = self.side(call, "end" in name.split("_")[0])
        if side and name.startswith("P"):
            key = (side.send, side.comm and side.comm.identity, side.peer, side.tag)
            self.pairs[key] += 1
            side.part = self.pairs[key]
        self.forget(request)
        self.requests[request] = {"sides": [], "again": side or True}

    def start(self, request, call):
        held = self.requests.get(request)
        if not held or not isinstance(held["again"], Side):
            return
        model = held["again"]
        side = Side(call, model.send, model.comm, model.peer, model.tag, model.part)
        held["sides"] = [side]
        self.post(side)

    def wait(self, call, name, good):
        args = call["args"]
        if "flag" in args and args["flag"] is not True:
            return
        if "array_of_requests" not in args:
            before, after = came(args["request"]), went(args["request"])
            if good or not str(after).startswith("request:"):
                self.finish(before, call, args["status"])
            return
        before, after = came(args["array_of_requests"]), went(args["array_of_requests"])
        if "array_of_indices" in args:
            for k, i in enumerate(args["array_of_indices"] or []):
                self.finish(before[i], call, args["array_of_statuses"][k] if args["array_of_statuses"] else None)
        elif "index" in args:
            if isinstance(args["index"], int):
                self.finish(before[args["index"]], call, args["status"])
        else:
            for i, one in enumerate(before or []):
                if good or not str(after[i]).startswith("request:"):
                    self.finish(one, call, args["array_of_statuses"][i] if args["array_of_statuses"] else None)

    def forget(self, request):
        self.requests.pop(request, None)


def read(decode, trace, *arguments):
    """(messages, alone): {(send's name, receive's name, channel)}, and those without a partner, as lists."""
    calls, created = collections.defaultdict(list), collections.defaultdict(list)
    for call in lines(decode, *arguments, "--depth=1", trace):
        calls[call["rank"]].append(call)
    for made in lines(decode, "--communicators", trace):
        created[made["rank"]].append(made)
    processes = {rank: Process(rank, calls[rank], created[rank]) for rank in calls}
    members = collections.defaultdict(set)  # (identity, side, rank) -> ranks of the world
    sides = collections.defaultdict(set)
    for rank, process in processes.items():
        members["world", 0, rank].add(rank)
        members[("self", rank), 0, 0].add(rank)
    for rank, made in ((rank, made) for rank in created for made in created[rank]):
        if not made["inter"] and made["comm"] != "MPI_COMM_NULL":
            members[made["identity"], 0, made["comm_rank"]].add(rank)
    for rank, process in processes.items():
        for side in process.sides:
            if side.comm and side.comm.side:
                members[side.comm.identity, side.comm.side, side.comm.rank].add(rank)
                sides[side.comm.identity].add(side.comm.side)

    def world(comm, peer):
        if not comm or not isinstance(peer, int):
            return None
        where = [0] if not comm.side else [s for s in sides[comm.identity] if s != comm.side]
        found = set().union(*(members[comm.identity, s, peer] for s in where)) if where else set()
        return found.pop() if len(found) == 1 else None

    queues, alone = collections.defaultdict(lambda: ([], [])), []
    for rank, process in processes.items():
        for side in process.sides:
            other = world(side.comm, side.peer)
            side.world = other
            if side.cancelled or other is None or side.tag == "MPI_ANY_TAG" or (side.cancel_asked and not side.over):
                alone.append(side)
                continue
            pair = (rank, other) if side.send else (other, rank)
            queues[side.comm.identity, pair, side.tag, side.part][side.send].append(side)
    messages = []
    for received, sent in queues.values():
        messages += list(zip(sent, received))
        alone += sent[len(received):] + received[len(sent):]
    return messages, alone, processes
