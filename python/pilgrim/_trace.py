# SPDX-License-Identifier: BSD-3-Clause
"""An open trace."""
import html
import json
import os
import warnings

import numpy as np

from . import _pilgrim
from ._calls import COLUMNS, Calls, selection_of
from ._errors import DamagedWarning, InvalidError
from ._table import MISSING, Table, Texts, _Column, table_html

_KEYS = {"site": 1, "func": 2, "function": 2, "rank": 4, "phase": 8, "comm": 16, "communicator": 16, "datatype": 32,
         "size": 64, "peer": 128}
_ACTIVITIES = ("computing", "point_to_point", "collective", "one_sided", "file", "other_calls")


def _lines(data):
    return [json.loads(line) for line in data.decode("utf-8", "surrogateescape").splitlines() if line]


class Tables(dict):
    """Tables by name, each also as an attribute."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError("no table is called %r; there are: %s" % (name, ", ".join(self))) from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __repr__(self):
        return "\n\n".join("%s:\n%r" % item for item in self.items()) or "<pilgrim.Tables: none>"

    def _repr_html_(self):
        return "".join("<h4>%s</h4>%s" % (html.escape(name), table._repr_html_()) for name, table in self.items())


class Node:
    """A part of a program, with the parts in it (`children`): `kind` is "program", "function", "loop" or "call".

    name     of the function or MPI function; of a loop "loop 3", the number that calls(loop=3) takes
    at       where it is called from, "FILE:LINE"; None: unknown
    times    how often it was reached; calls: how often they were made, on all threads together
    total, min, max
             loops: iterations over all times, and of one time
    time     ns: of all MPI calls in it, on all threads together; None: not known
    gap      ns before its calls: from the end of the call before
    threads  how many threads have it
    data     all that is known, as pilgrim-decode --loops --format=json has it
    """

    __slots__ = ("kind", "name", "at", "times", "total", "min", "max", "time", "gap", "threads", "children", "data")

    def __init__(self, data):
        self.data = {key: value for key, value in data.items() if key not in ("in", "program")}
        self.kind = ("program" if "program" in data else "loop" if data.get("loop") else "call" if "func" in data
                     else "function")
        if self.kind == "loop":
            first, last = data.get("number"), data.get("number_max", data.get("number"))
            self.name = "loop %s" % first if first == last else "loop %s..%s" % (first, last)
        else:
            self.name = data.get("func") or data.get("function") or data.get("threads")
        self.at = data.get("at")
        self.times = data.get("total") if self.kind == "call" else data.get("times", data.get("count"))
        self.total, self.min, self.max = data.get("total"), data.get("min"), data.get("max")
        self.time, self.gap = data.get("time"), data.get("gap")
        self.threads = data.get("count") if self.kind == "program" else data.get("threads")
        self.children = [Node(child) for child in data.get("in", data.get("program", ()))]

    def __iter__(self):
        return iter(self.children)

    def __len__(self):
        return len(self.children)

    def __bool__(self):
        return True

    def __getitem__(self, i):
        return self.children[i]

    def walk(self):
        """This node and all in it, from the outside, in the order of the program."""
        yield self
        for child in self.children:
            yield from child.walk()

    def loops(self):
        """All loops in it."""
        return [node for node in self.walk() if node.kind == "loop"]

    def _line(self):
        text = self.name if self.kind != "function" else self.name + "()"
        if self.kind == "program":
            return "program of %s" % self.name
        if self.kind == "loop":
            text += ": %s" % ("%dx" % self.min if self.min == self.max else "%d..%dx" % (self.min, self.max))
        elif self.kind == "call" and self.times is not None:
            text += " %dx" % self.times
        if self.time:
            text += ", %s in MPI" % duration(self.time)
        return text + (" at %s" % self.at if self.at else "")

    def _text(self, depth=0):
        return "\n".join(["  " * depth + self._line()] + [child._text(depth + 1) for child in self.children])

    def __repr__(self):
        return self._text()

    def _repr_html_(self):
        if not self.children:
            return "<div>%s</div>" % html.escape(self._line())
        return ('<details open style="margin-left:1em"><summary>%s</summary><div style="margin-left:1em">%s</div></details>'
                % (html.escape(self._line()), "".join(child._repr_html_() for child in self.children)))


class Programs(list):
    """The programs of threads: one for all threads that do the same."""

    def __repr__(self):
        return "\n".join(map(repr, self))

    def _repr_html_(self):
        return "".join(node._repr_html_() for node in self)


class System:
    """The machine. `hosts`: a Table of hosts. `ranks`: a Table of where each rank ran."""

    def __init__(self, hosts, ranks):
        self.hosts = hosts
        self.ranks = ranks

    def __repr__(self):
        return "%r\n\n%r" % (self.hosts, self.ranks)

    def _repr_html_(self):
        return self.hosts._repr_html_() + self.ranks._repr_html_()


class Diff:
    """How two traces differ.

    equal    True: they do not
    structure, counts, values, times
             Tables of what differs: which calls are made in which order, how often, with which values, how long they
             take
    data     all of it, as pilgrim-diff --format=json has it
    """

    def __init__(self, data):
        self.data = data
        self.equal = data["equal"]
        for name in ("structure", "counts", "values", "times"):
            setattr(self, name, Table.from_rows(data.get(name) or ()))

    def __repr__(self):
        a, b = self.data["a"], self.data["b"]
        head = "%s: %s (%d calls) and %s (%d calls)" % ("equal" if self.equal else "different", a["trace"], a["calls"],
                                                       b["trace"], b["calls"])
        parts = ["%s:\n%r" % (name, getattr(self, name)) for name in ("structure", "counts", "values", "times")
                 if len(getattr(self, name))]
        return "\n\n".join([head] + parts)

    def _repr_html_(self):
        text = "<p>%s</p>" % html.escape(repr(self).split("\n", 1)[0])
        for name in ("structure", "counts", "values", "times"):
            if len(getattr(self, name)):
                text += "<h4>%s</h4>%s" % (name, getattr(self, name)._repr_html_())
        return text


def duration(ns):
    """A time for people: "1.21 us"."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return "%.3g %s" % (ns / size, unit) if ns < 1000 * size else "%.0f %s" % (ns / size, unit)
    return "%d ns" % ns


class Trace:
    """An open trace: made by pilgrim.open(). Times are nanoseconds, sizes bytes, ranks those of MPI_COMM_WORLD.

    It is a context manager. Objects that were made from it stay valid when it is closed, but for calls that are not yet
    read. Any number of threads may use it; reading releases the GIL.
    """

    def __init__(self, path, memory=1 << 30):
        path = os.fspath(path)
        self._trace = _pilgrim.open(path, memory)
        self._sites = None
        if self._trace.damage is not None:
            warnings.warn(str(self._trace.damage), DamagedWarning, stacklevel=3)

    # ---- the trace ----

    def close(self):
        """Closes the trace. What is being read is read to its end."""
        self._trace.close()

    @property
    def closed(self):
        return self._trace.closed

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def path(self):
        """The path that was opened."""
        return self._trace.path

    @property
    def damage(self):
        """A DamagedError that says what is missing in the file, or None."""
        return self._trace.damage

    @property
    def properties(self):
        """What the trace says of the whole run: "program", "library", "timing", ..., as a dictionary."""
        found = {}
        for key, value in self._trace.properties():
            found.setdefault(key, value)
        return found

    @property
    def rank_count(self):
        """How many ranks there are."""
        return len(self._trace.calls())

    @property
    def call_count(self):
        """How many calls all ranks made."""
        return sum(sum(threads) for threads in self._trace.calls())

    def __repr__(self):
        if self.closed:
            return "<pilgrim.Trace %s, closed>" % self.path
        known = self.properties
        return "<pilgrim.Trace %s: %s, %d ranks, %d calls, timing %s%s>" % (
            self.path, known.get("program", "unknown program"), self.rank_count, self.call_count,
            known.get("timing", "unknown"), ", DAMAGED" if self.damage else ", partial" if "endings" in known else "")

    def _repr_html_(self):
        if self.closed:
            return "<p>%s</p>" % html.escape(repr(self))
        rows = [["file", self.path], ["ranks", str(self.rank_count)], ["calls", str(self.call_count)]]
        rows += [[key, value] for key, value in self.properties.items()]
        rows += [["damage", self.damage.message]] if self.damage else []
        return table_html(["trace", ""], rows, [False, False])

    # ---- calls ----

    def calls(self, *, columns=None, by_time=False, batch=65536, damaged="raise", **selection):
        """Calls as columns; see Calls for what can be done with them.

        columns   names. Without it: rank, thread, seq (number among the calls of its thread), func, start and end (ns,
                  on the axis that all ranks have in common), site ("FILE:LINE"), comm, peer (rank in comm), tag, count,
                  datatype, bytes (that the call sends and receives), request, ret (0: MPI_SUCCESS).
                  Any other name is that of an argument as the MPI standard has it: "root", "buf", "newcomm". Arguments
                  that are numbers in the standard are int64, others text. NAME:int and NAME:text choose, NAME:out is
                  what comes out of an argument that goes in as well.
        by_time   in the order of the times at which they began, not rank by rank. Needs PILGRIM_TIMING=bins or exact
        batch     rows of a batch
        damaged   where calls are damaged: "raise" a DamagedError behind those before; or "warn", and end

        Which calls, all of these together (numbers: 3, [0, 3], range(8, 16) or "0,3,8-15"):

        rank, thread, call    numbers; call: number among those of the thread
        func                  globs: "MPI_I*,-MPI_Iprobe", or a list
        site                  FILE:LINE, FILE, a function, or MODULE+0xOFFSET
        comm                  "MPI_COMM_WORLD", "comm:3"
        peer, tag             ranks of MPI_COMM_WORLD; tags
        bytes                 that the call moves at least: 4096, "64K"
        failed                True: calls that returned an error
        phase                 the text of a marker
        loop, iteration       numbers of loops, as in loops(); of their iterations, from 1
        since, until          ns, or "10.5s", "250ms": calls that end at `since` or later and begin before `until`
        """
        return Calls(self._trace, COLUMNS if columns is None else columns, selection_of(selection), by_time, batch,
                     damaged)

    def messages(self):
        """Messages, point to point, a row each: a Table.

        from, to                 ranks of MPI_COMM_WORLD
        comm, tag, bytes         as the sender names the communicator
        send_seq, receive_seq    the calls that began both sides, with _thread, _func, _site
        send_done, receive_done  the calls that ended them
        send_start, send_end, receive_start, receive_end
                                 ns, on the axis that all ranks have in common
        unmatched                why a side has no partner: then the other's columns are missing
        """
        columns, texts = self._trace.messages()
        shared = Texts(texts)
        return Table({name: _Column("u", np.frombuffer(data, dtype=np.int64).astype(np.int32), shared) if text
                      else _Column("l", np.frombuffer(data, dtype=np.int64)) for name, text, data in columns})

    def matrix(self, what="bytes", layout="dense", rma=False, **selection):
        """Messages from rank to rank, point to point.

        what    "bytes" or "messages"
        layout  "dense": an int64 array; [from, to]. "triplets": (values, (from, to)), which scipy.sparse.coo_matrix
                takes. "scipy": that coo_matrix
        rma     True: operations on windows (put, get, accumulate) instead of messages
        Which calls count: as calls() has it.
        """
        if what not in ("bytes", "messages") or layout not in ("dense", "triplets", "scipy"):
            raise ValueError("what is 'bytes' or 'messages', layout 'dense', 'triplets' or 'scipy'")
        text = self._trace.view("matrix", selection_of(selection), int(rma)).decode()
        _, _, rows = text.partition("\n")
        numbers = np.array(rows.replace("\n", ",").split(",")[:-1], dtype=np.int64).reshape(-1, 4)
        values = numbers[:, 3 if what == "bytes" else 2].copy()
        places = (numbers[:, 0].copy(), numbers[:, 1].copy())
        size = self.rank_count
        if layout == "triplets":
            return values, places
        if layout == "scipy":
            import scipy.sparse
            return scipy.sparse.coo_matrix((values, places), shape=(size, size))
        dense = np.zeros((size, size), dtype=np.int64)
        dense[places] = values
        return dense

    # ---- views ----

    def _view(self, name, selection=None, option=0):
        return _lines(self._trace.view(name, selection_of(selection or {}), option))

    def loops(self, rank=None, thread=None):
        """The programs that threads have, as trees of functions, loops and calls: a list of Node, one for all threads
        that do the same."""
        return Programs(Node(program) for program in self._view("loops", {"rank": rank, "thread": thread})
                        if "program" in program)

    def stats(self, by="site", **selection):
        """What calls did together, a row for each site, function ("func"), rank, phase, communicator ("comm"),
        datatype, size (of messages, by powers of two) or peer; or for several of these at once: by=["rank", "func"].

        calls                                how many
        time                                 ns, of all of them together; share: of the time of the run
        time_min, time_mean, time_max        ns, of the ranks that have them; time_max_rank; imbalance: max / mean - 1
        ranks, failed                        how many ranks have such calls; how many returned an error
        messages, message_bytes              point to point, as they are sent; unsized: of these, of unknown size
        collective_bytes, window_bytes, file_bytes

        Which calls: as calls() has it.
        """
        names = by.split(",") if isinstance(by, str) else list(by)
        keys = 0
        for name in names:
            if name not in _KEYS:
                raise ValueError("stats are by site, func, rank, phase, comm, datatype, size and peer, not %r" % (name,))
            keys |= _KEYS[name]
        return Table.from_rows(self._trace.table(selection_of(selection), keys))

    def ranks(self):
        """Ranks, a row each: threads, calls, and what the rank did with its time, ns: computing (between calls),
        point_to_point, collective, one_sided, file, other_calls. Times are missing where the trace has none."""
        times = {}
        for row in self._view("ranks"):
            for rank in range(row["rank"], row["rank"] + row["ranks"]):
                times[rank] = row
        rows = []
        for rank, threads in enumerate(self._trace.calls()):
            known = times.get(rank, {})
            rows.append({"rank": rank, "threads": len(threads), "calls": sum(threads),
                         **{name: known.get(name) for name in _ACTIVITIES}})
        return Table.from_rows(rows, ["rank", "threads", "calls", *_ACTIVITIES])

    def _with_places(self, rows):
        if self._sites is None:
            self._sites = self._trace.sites()
        for row in rows:
            for name in ("site", "by_site"):
                if name in row:
                    row[name] = self._sites.get(row[name], row[name])
        return rows

    def waits(self, by=None, **selection):
        """Who waited for whom, and why: Tables by name. Needs times of single calls for all but `bounds` and `mistake`. A
        selection chooses the calls that waited: t.waits(rank=7); then there is neither `path` nor `mistake`.

        pattern   waits by pattern, call site and rank: count, total_ns, max_ns, error_ns
        caused    of these, which calls of which rank they waited for
        due       what that is due to in the end: which rank did what, and for how long
        delay     the same for all waits together
        path      the critical path: which rank did what on it, and for how long
        mistake   what looks wrong: messages that nobody received, requests that were not completed, ...
        run       one row of the whole run: efficiencies, how much is not resolved
        bounds    of a trace with a profile (PILGRIM_TIMING=aggregate): how long calls may have waited at most

        by        "loop": instead, waits by loop; "each": each wait
        """
        options = {None: 0, "loop": 1, "each": 2}
        if by not in options:
            raise ValueError("waits are by None, 'loop' or 'each', not %r" % (by,))
        kinds = {"delay_ns": "delay", "path_ns": "path", "run_ns": "run", "at_most_ns": "bounds", "finding": "mistake"}
        found = {}
        for row in self._with_places(self._view("waits", selection, options[by])):
            kind = next(iter(row))
            found.setdefault(kinds.get(kind, kind), []).append(row)
        return Tables((kind, Table.from_rows(rows)) for kind, rows in found.items())

    def diff(self, other, ignore=(), structure=False):
        """Compares this trace with another one, as programs: a Diff. Both files are read again.

        other      a Trace, or a path
        ignore     what is left out: "times", "sizes", "tags", "peers", "hosts", "polls", "buffers", "objects", "texts",
                   "results", "sites"; one, or several
        structure  True: only which calls are made, in which order
        """
        names = ignore.split(",") if isinstance(ignore, str) else list(ignore)
        opened = other if isinstance(other, Trace) else Trace(other)
        try:
            return Diff(json.loads(self._trace.diff(opened._trace, names + ["structure"] * bool(structure))))
        finally:
            if opened is not other:
                opened.close()

    def system(self):
        """The machine: a System, with Tables of hosts and of ranks. clock_offset: ns that a rank's clock was behind the
        common axis when MPI was initialised, with an error of clock_error."""
        hosts, ranks = self._trace.machine()
        host_rows = [{"host": number, "name": name, "processes": processes, "in": "/".join(level for _, level in levels[:-1])}
                     for number, (name, levels, processes) in enumerate(hosts)]
        rank_rows = []
        for rank, (host, process, threads, pid, is_known, offset, error) in enumerate(ranks):
            rank_rows.append({"rank": rank, "host": hosts[host][0] if host < len(hosts) else None, "process": process,
                              "threads": threads, "pid": pid if pid >= 0 else None,
                              "clock_offset": offset if is_known else None, "clock_error": error if is_known else None})
        return System(Table.from_rows(host_rows, ["host", "name", "processes", "in"]),
                      Table.from_rows(rank_rows, ["rank", "host", "process", "threads", "pid", "clock_offset", "clock_error"]))

    def communicators(self, rank=None):
        """The communicators that ranks created, a row each."""
        return Table.from_rows(self._view("communicators", {"rank": rank}))

    def endings(self):
        """How ranks ended that did not reach the end of MPI_Finalize: a Table of endings ("signal 11") and ranks
        ("0-2"); "missing": nothing is left of them; "cut": only the first calls are. Empty: all ended well."""
        return Table.from_rows(self._view("endings"), ["ending", "ranks"])

    def crashes(self):
        """Where signals such as SIGSEGV ended ranks: a Table of rank, thread (missing if it had made no call), signal, address (that
        it used; missing if it is not known) and stack ("kernel.c:12 < solver.c:31")."""
        rows = [dict(crash, signal=int(row["ending"].split()[1])) for row in self._view("endings") for crash in row.get("crashes", ())]
        return Table.from_rows(rows, ["rank", "thread", "signal", "address", "stack"])

    def in_flight(self):
        """The calls that threads were in when their process ended: a Table of rank, thread, seq, func, site, since (seconds
        since 1970, UTC) and seconds (how long it was in it). Only of runs of which not all ranks ended well."""
        rows = []
        counts = self._trace.calls()
        for item in self.properties.get("in_flight", "").split("; "):
            words = item.split()
            if not words:
                continue
            rank, thread = map(int, words[0].split("."))
            call = self.calls(rank=rank, thread=thread, call=counts[rank][thread] - 1, columns=["seq", "func", "site"]).read()
            rows.append({"rank": rank, "thread": thread, **call.row(0), "since": float(words[1]) if len(words) > 1 else None,
                         "seconds": float(words[2]) if len(words) > 2 else None})
        return Table.from_rows(rows, ["rank", "thread", "seq", "func", "site", "since", "seconds"])

    def summary(self):
        """The run on one page, as a dictionary: that of pilgrim-decode --summary --format=json."""
        found = self._view("summary")
        return found[0] if len(found) == 1 else found

    # ---- other tools ----

    def to_pipit(self, messages=True, **selection):
        """A pandas.DataFrame as Pipit (https://github.com/hpcgroup/pipit) has its events: use it by
        pipit.trace.Trace(None, t.to_pipit()). Needs PILGRIM_TIMING=bins or exact.

        Columns: "Timestamp (ns)"; "Event Type": Enter and Leave of calls, Instant; "Name": of the function; of an Instant
        "MpiSend" and "MpiRecv" ("MpiIsend", "MpiIrecv" where the call does not block); "Thread"; "Process": the rank;
        "Attributes": of an Instant the other rank ("receiver" or "sender"), "msg_length" (bytes), "msg_tag",
        "communicator".

        messages   False: without Instants
        Which calls: as calls() has it; messages are those that these calls begin.
        """
        import pandas
        calls = self.calls(columns=["rank", "thread", "seq", "func", "start", "end"], **selection).read()
        if len(calls) and calls.missing("start").all():
            timing = self.properties.get("timing", "unknown")
            raise InvalidError("it has no times of single calls (timing %s)%s" % (timing, "" if timing == "exact" else
                               "; run the program again with PILGRIM_TIMING=exact"), self.path)
        count = len(calls)
        order = np.arange(count)
        parts = {"time": [calls["start"], calls["end"]], "type": [np.zeros(count, np.int8), np.ones(count, np.int8)],
                 "name": [calls["func"]] * 2, "thread": [calls["thread"]] * 2, "process": [calls["rank"]] * 2,
                 "order": [3 * order, 3 * order + 2], "attributes": [np.full(count, None, dtype=object)] * 2}
        if messages:
            self._pipit_messages(calls, parts)
        joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
        known = joined["time"] != MISSING
        joined = {name: array[known] for name, array in joined.items()}
        rows = np.lexsort((joined["order"], joined["time"]))
        return pandas.DataFrame({
            "Timestamp (ns)": joined["time"][rows],
            "Event Type": pandas.Categorical.from_codes(joined["type"][rows], ["Enter", "Leave", "Instant"]),
            "Name": pandas.Categorical(joined["name"][rows]),
            "Thread": joined["thread"][rows],
            "Process": joined["process"][rows],
            "Attributes": joined["attributes"][rows]})

    def _pipit_messages(self, calls, parts):
        """Adds an Instant for each side of a message that one of the calls began: behind that call's Enter."""
        places = {key: i for i, key in enumerate(zip(calls["rank"].tolist(), calls["thread"].tolist(), calls["seq"].tolist()))}
        times, names, threads, processes, orders, attributes = [], [], [], [], [], []
        for row in self.messages().rows():
            for side, rank, other, key, verb in (("send", row["from"], row["to"], "receiver", "Send"),
                                                 ("receive", row["to"], row["from"], "sender", "Recv")):
                place = places.get((rank, row[side + "_thread"], row[side + "_seq"]))
                if place is None or other is None:
                    continue
                waits = row[side + "_done"] == row[side + "_seq"]
                times.append(row[side + "_start"])
                names.append("Mpi" + (verb if waits else "I" + verb.lower()))
                threads.append(row[side + "_thread"])
                processes.append(rank)
                orders.append(3 * place + 1)
                attributes.append({key: other, "msg_length": row["bytes"], "msg_tag": row["tag"], "communicator": row["comm"]})
        if not times:
            return
        parts["time"].append(np.array([MISSING if time is None else time for time in times], dtype=np.int64))
        parts["type"].append(np.full(len(times), 2, np.int8))
        parts["name"].append(np.array(names, dtype=object))
        parts["thread"].append(np.array(threads, dtype=np.int32))
        parts["process"].append(np.array(processes, dtype=np.int32))
        parts["order"].append(np.array(orders, dtype=np.int64))
        held = np.empty(len(times), dtype=object)
        held[:] = attributes
        parts["attributes"].append(held)


def open(path, memory=1 << 30):
    """Opens a trace: returns a Trace.

    path     a path
    memory   bytes that the trace takes at most (1 GiB); what needs more raises LimitError

    A trace that is damaged or cut off behind the calls of its first ranks is opened, too, with a DamagedWarning that
    says what is missing (Trace.damage has it, too). Raises FileError, FormatError, DamagedError or LimitError.
    """
    return Trace(path, memory)
