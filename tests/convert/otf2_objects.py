# SPDX-License-Identifier: BSD-3-Clause
"""What OTF2 archives say of windows and files, against what the calls say that pilgrim-decode prints."""
import collections
import re

from harness import check

SIZES = {"MPI_CHAR": 1, "MPI_BYTE": 1, "MPI_INT": 4, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG": 8}
REMOTE = {"Put": "RMA_PUT", "Get": "RMA_GET", "Accumulate": "RMA_ATOMIC", "Get_accumulate": "RMA_ATOMIC", "Fetch_and_op": "RMA_ATOMIC", "Compare_and_swap": "RMA_ATOMIC"}
GROUP_CALLS = ("Win_start", "Win_post", "Win_complete", "Win_wait", "Win_test")
KINDS = re.compile("RMA_|IO_")


def into(arguments, name):
    value = arguments.get(name)
    return value["in"] if isinstance(value, dict) and set(value) == {"in", "out"} else value


def ended(arguments):
    """The requests that a call has ended."""
    for name in ("request", "array_of_requests"):
        value = arguments.get(name)
        if isinstance(value, dict):
            pairs = zip(value["in"], value["out"]) if isinstance(value["in"], list) else [(value["in"], value["out"])]
            yield from ((i, request) for i, (request, after) in enumerate(pairs) if after == "MPI_REQUEST_NULL" != request)


def size(arguments, count, datatype):
    one = SIZES.get(arguments.get(datatype))
    return one and one * arguments[count]


class Operation:
    def __init__(self, key, container, target, size_):
        self.key, self.container, self.target, self.size, self.here, self.there = key, container, target, size_, False, False


class Expected:
    """(rank, thread, seq) -> kinds of records, and numbers that they have"""

    def __init__(self, wanted):
        self.kinds, self.numbers, self.operations = collections.defaultdict(collections.Counter), {}, []
        self.ends = collections.defaultdict(list) # key -> [(kind, operation)]
        self.pending, self.requests = collections.defaultdict(list), {}
        for key in sorted(wanted, key=lambda k: (k[0], wanted[k]["start"], k[1:])):
            if wanted[key]["ret"] == 0:
                self.take(key, wanted[key]["func"].removeprefix("MPI_").removesuffix("_c"), wanted[key]["args"])

    def end(self, key, operation, there):
        if not operation.here:
            self.ends[key].append(("RMA_OP_COMPLETE_NON_BLOCKING", operation))
        if there:
            self.ends[key].append(("RMA_OP_COMPLETE_REMOTE", operation))
        operation.here, operation.there = True, there

    def complete(self, key, window, target, there):
        for operation in list(self.pending[key[0], window]):
            if target is None or operation.target == target:
                self.end(key, operation, there)
                if there:
                    self.pending[key[0], window].remove(operation)

    def take(self, key, name, args):
        window, base = into(args, "win"), name[1:].capitalize() if name[0] == "R" and name[1:].capitalize() in REMOTE else name
        if base in REMOTE:
            self.remote(key, base, window, args)
        elif name.startswith("Win_"):
            self.window(key, name, window, args)
        elif name.startswith("File_"):
            self.file(key, name[5:], args)
        elif args.get("flag") is False:
            for request in [into(args, "request")] + (into(args, "array_of_requests") or []):
                operation = self.requests.get((key[0], request)) if request else None
                if operation and operation.target is None:
                    self.kinds[key]["IO_OPERATION_TEST"] += 1
        else:
            for i, request in ended(args):
                self.request(key, i, request, args)

    def remote(self, key, base, window, args):
        if not isinstance(args["target_rank"], int):
            return
        operation = Operation(key, window, args["target_rank"], size(args, "origin_count", "origin_datatype") if "origin_count" in args else None)
        self.operations.append(operation)
        self.kinds[key][REMOTE[base]] += 1
        self.numbers[key, REMOTE[base]] = {"Remote": operation.target}
        if base in ("Put", "Get"):
            self.numbers[key, REMOTE[base]]["Bytes"] = operation.size
        self.pending[key[0], window].append(operation)
        if args.get("request"):
            self.requests[key[0], args["request"]] = operation

    def window(self, key, name, window, args):
        if "comm" in args or name == "Win_free":
            self.kinds[key].update(["RMA_COLLECTIVE_BEGIN", "RMA_COLLECTIVE_END", "RMA_WIN_DESTROY" if name == "Win_free" else "RMA_WIN_CREATE"])
        elif name == "Win_fence":
            self.kinds[key].update(["RMA_COLLECTIVE_BEGIN", "RMA_COLLECTIVE_END"])
            self.complete(key, window, None, True)
        elif name in ("Win_lock", "Win_lock_all"):
            self.kinds[key]["RMA_REQUEST_LOCK"] += 1
        elif name in ("Win_unlock", "Win_unlock_all"):
            self.kinds[key]["RMA_RELEASE_LOCK"] += 1
            self.complete(key, window, args.get("rank"), True)
        elif name.startswith("Win_flush"):
            self.complete(key, window, args.get("rank"), "local" not in name)
        elif name in GROUP_CALLS:
            if name == "Win_complete":
                self.complete(key, window, None, True)
            self.kinds[key]["RMA_GROUP_SYNC"] += args.get("flag") is not False
        elif name == "Win_sync":
            self.kinds[key]["RMA_SYNC"] += 1

    def file(self, key, name, args):
        simple = {"open": "IO_CREATE_HANDLE", "close": "IO_DESTROY_HANDLE", "delete": "IO_DELETE_FILE", "seek": "IO_SEEK", "seek_shared": "IO_SEEK"}
        found = re.fullmatch("(i?)(read|write|sync)(_[a-z_]+)?", name)
        if name in simple:
            self.kinds[key][simple[name]] += 1
        elif found and (found.group(3) or "").endswith("_end"):
            self.request(key, 0, args["fh"], args)
        elif found:
            bytes_ = 0 if name == "sync" else size(args, "count", "datatype")
            operation = Operation(key, args["fh"], None, bytes_)
            self.operations.append(operation)
            self.kinds[key]["IO_OPERATION_BEGIN"] += 1
            self.numbers[key, "IO_OPERATION_BEGIN"] = {"Bytes Request": bytes_}
            splits = (found.group(3) or "").endswith("_begin")
            if found.group(1) or splits:
                self.kinds[key]["IO_OPERATION_ISSUED"] += 1
                self.requests[key[0], args["fh"] if splits else args["request"]] = operation
            else:
                self.done(key, operation, args.get("status"))

    def done(self, key, operation, status):
        self.ends[key].append(("IO_OPERATION_COMPLETE", operation))
        says = isinstance(status, dict) and status.get("bytes") is not None
        self.numbers[key, "IO_OPERATION_COMPLETE", operation] = status["bytes"] if says else operation.size
        operation.there = True

    def request(self, key, i, request, args):
        operation = self.requests.pop((key[0], request), None)
        if operation and operation.target is None:
            statuses = args.get("array_of_statuses")
            self.done(key, operation, statuses[i] if statuses and i < len(statuses) else args.get("status"))
        elif operation:
            self.end(key, operation, False)


def number(event, name):
    found = re.search(name + r": (\d+)", event.text)
    return int(found.group(1)) if found else None


def same_objects(within, wanted, whole):
    """WHOLE: all calls of the trace are in the archive; else operations that have not ended are not. Returns how many records of each kind there are."""
    expected, count = Expected(wanted), collections.Counter()
    gone = set() if whole else {operation for operation in expected.operations if not operation.there}
    gone_keys = {operation.key for operation in gone}
    matching = {}
    for key in sorted(within):
        found = [event for event in within[key] if KINDS.match(event.kind)]
        count.update(event.kind for event in found)
        ends = [(kind, operation) for kind, operation in expected.ends[key] if operation not in gone]
        kinds = collections.Counter() if key in gone_keys else +expected.kinds[key]
        kinds.update(kind for kind, _ in ends)
        check(collections.Counter(event.kind for event in found) == kinds, "%r (%s) has %r, not %r" % (key, wanted[key]["func"], [e.kind for e in found], kinds))
        for event in found:
            for name, value in expected.numbers.get((key, event.kind), {}).items():
                check(value is None or number(event, name) == value, "%r: %s, not %r" % (key, event.text, value))
            if event.kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC", "IO_OPERATION_BEGIN"):
                matching[key] = number(event, "Matching Id" if "Id" in event.text else "Matching")
    check(len(set(matching.values())) == len(matching), "operations with one number")
    for key, ends in expected.ends.items():
        mine = [(event.kind, number(event, "Matching Id" if "Id" in event.text else "Matching"), event) for event in within[key]]
        for kind, operation in ends:
            if operation in gone:
                continue
            event = next((e for k, n, e in mine if k == kind and n == matching[operation.key]), None)
            check(event, "%r does not end %r with %s" % (key, operation.key, kind))
            value = expected.numbers.get((key, kind, operation))
            check(value is None or number(event, "Bytes Result") == value, "%r: %s, not %r" % (key, event.text, value))
    return count
