#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks from the raw handles and addresses in shadow logs that names are one to one while objects live.

    names.py SHADOW_DIR

Each process has names of its own; its log is read in order, with the lines {"released":NAME} in between. What must hold:

* a live name stands for one raw value, and a live raw value has one name. For heap memory the raw value is the start
  of the allocation (address - offset), for static data the base of the module. Requests are different: MPICH gives one
  built-in handle to many operations, so one raw value may have several names.
* a name goes to another raw value only after it was released, or after a call left a null handle in its place.
* a request's name is given to a new operation only after its release, no call uses a request that no call created,
  and a request that became null is released.
  An exception is request:-1.N, of an operation that was begun while tracing was off: it is new where it is first used.
* predefined handles are printed as one constant, and nothing else has their raw value.

A call's line is written when the call ends, after the releases that it caused, so what a call was passed may also agree
with a name released since the line before of the same thread.

Prints the number of names checked and exits 0, or prints the first violation and exits 1.
"""
import collections
import re
import sys

from compare import Difference, RELEASED, compare, lines_of, parse, shadow_files

OBJECT = re.compile(r"(comm|datatype|group|op|win|file|info|errhandler|message|session|keyval|cvar|pvar|pvar_session|"
                    r"enum|event|event_instance):(\d+)$")
UNSEEN = "request:-1."
REQUEST = re.compile(r"request:(-?\d+)\.(\d+)$")
BLOCK = re.compile(r"((heap|static):\d+|(device):\d+:\d+)\+(\d+)$")
STACK = re.compile(r"stack:\d+$")
FUNCTION = re.compile(r"fn:(.*)$")
CONSTANT = re.compile(r"(MPI|MPIX)_[A-Z0-9_]+$")
ADDRESS_MIN = 4096  # smaller (or as negative) raw values are sentinels: NULL, MPI_IN_PLACE, MPI_STATUS_IGNORE
RELEASES_KEPT = 64
MEMORY = ("heap", "stack", "static", "device", "fn")


class Violation(Exception):
    pass


def sentinel(raw):
    return raw < ADDRESS_MIN or raw >= (1 << 64) - ADDRESS_MIN


def raw_number(text):
    """A raw value as an integer, or None if it is none."""
    try:
        return int(text, 16)
    except (TypeError, ValueError):
        return None


class Names:
    """The names of one process."""

    def __init__(self):
        self.live = {}       # name: raw
        self.owner = {}      # (kind, raw): name
        self.loose = set()   # names whose handle became null: may be bound anew
        self.constants = {}  # name: raw
        self.constant_of = {}  # raw: name
        self.released = {}   # name: the last (time, raw)
        self.time = 0
        self.window = {}     # thread: time of its line before
        self.checked = 0

    # ---- bindings ----

    def release(self, name):
        raw = self.live.pop(name, None)
        self.loose.discard(name)
        log = self.released.setdefault(name, collections.deque(maxlen=RELEASES_KEPT))
        log.append((self.time, raw))
        kind = name.split(":")[0]
        if raw is not None and self.owner.get((kind, raw)) == name:
            del self.owner[kind, raw]

    def released_lately(self, name, thread, raw=None):
        """NAME was released since THREAD's line before; with RAW: and had that value."""
        since = self.window.get(thread, -1)
        return any(time > since and (raw is None or was == raw) for time, was in self.released.get(name, ()))

    def released_unbound(self, name, thread):
        """NAME was released since THREAD's line before, and not known then."""
        since = self.window.get(thread, -1)
        return any(time > since and was is None for time, was in self.released.get(name, ()))

    def bind(self, name, kind, raw):
        """NAME is new for RAW: nothing else that lives may have it."""
        if kind not in MEMORY and not sentinel(raw) and raw in self.constant_of:
            raise Violation("%s has the value 0x%x of %s" % (name, raw, self.constant_of[raw]))
        if kind != "request":
            other = self.owner.get((kind, raw), name)
            if other != name and other not in self.loose:
                raise Violation("0x%x is %s and %s at the same time" % (raw, other, name))
            if name in self.live:
                self.owner.pop((kind, self.live[name]), None)
            self.owner[kind, raw] = name
        self.live[name] = raw
        self.loose.discard(name)

    def passed(self, name, kind, raw, thread):
        """A call was given RAW and printed it as NAME."""
        if self.live.get(name) == raw or self.released_lately(name, thread, raw):
            return
        if name.startswith(UNSEEN) and self.released_unbound(name, thread):
            return # by the call that uses it first
        if kind == "request" and name not in self.live and not name.startswith(UNSEEN):
            raise Violation("%s is used but no call created it" % name)
        self.given(name, kind, raw)

    def given(self, name, kind, raw):
        """NAME is RAW now: as before, or new."""
        was = self.live.get(name)
        if was == raw:
            return
        if was is not None and name not in self.loose:
            raise Violation("%s is 0x%x and 0x%x at the same time" % (name, was, raw))
        self.bind(name, kind, raw)

    def created(self, name, raw):
        """A call created a request."""
        if name in self.live:
            raise Violation("%s is given to a second operation before its release" % name)
        self.bind(name, "request", raw)

    def constant(self, name, raw):
        known = name in self.constants
        was = self.constants.setdefault(name, raw)
        if was != raw:
            raise Violation("%s is 0x%x and 0x%x" % (name, was, raw))
        if known or sentinel(raw) or name.endswith("_NULL"):  # MPI_MESSAGE_NULL and MPI_REQUEST_NULL are one value
            return
        other = self.constant_of.setdefault(raw, name)
        if other != name:
            raise Violation("0x%x is %s and %s" % (raw, other, name))
        for (kind, value), owner in self.owner.items():
            if value == raw and kind not in MEMORY:
                raise Violation("%s has the value 0x%x of %s" % (owner, raw, name))

    # ---- calls ----

    def value(self, text, raw_text, thread, side):
        """One printed value and its raw one. SIDE: "in", "out" of an inout parameter, or "new" of an out one."""
        if isinstance(text, list):
            raws = raw_text if isinstance(raw_text, list) else [None] * len(text)
            if len(raws) != len(text):
                raise Violation("%d values but %d raw ones" % (len(text), len(raws)))
            for item, raw in zip(text, raws):
                self.value(item, raw, thread, side)
            return
        if not isinstance(text, str):
            return
        raw = raw_number(raw_text)
        name, kind = self.name_of(text, raw)
        if kind is None:
            return
        if raw is None:
            raise Violation("no raw value for %s" % text)
        self.checked += 1
        if kind == "constant":
            self.constant(name, raw)
        elif kind in ("heap", "static", "device"):
            raw -= int(BLOCK.match(text).group(4))
        if kind == "fn":
            other = self.owner.setdefault((kind, raw), name)
            if other != name:
                raise Violation("0x%x is %s and %s" % (raw, other, name))
        elif kind == "request" and side == "new":
            self.created(name, raw)
        elif kind != "constant" and side == "in":
            self.passed(name, kind, raw, thread)
        elif kind != "constant":
            self.given(name, kind, raw)

    @staticmethod
    def name_of(text, raw):
        """(name without offset, kind) of a printed value; kind None: it names nothing."""
        match = OBJECT.match(text)
        if match:
            return text, match.group(1)
        match = BLOCK.match(text)
        if match:
            return match.group(1), match.group(2) or match.group(3)
        if REQUEST.match(text):
            return text, "request"
        if STACK.match(text):
            return text, "stack"
        if FUNCTION.match(text):
            return text, "fn"
        if raw is not None and CONSTANT.match(text):
            return text, "constant"
        return text, None

    def became_null(self, before, after, thread):
        """An inout value was BEFORE and is AFTER."""
        if isinstance(before, list) and isinstance(after, list):
            for one, other in zip(before, after):
                self.became_null(one, other, thread)
            return
        if not isinstance(before, str) or not isinstance(after, str) or not after.endswith("_NULL"):
            return
        if OBJECT.match(before):
            if before in self.live:
                self.loose.add(before)
        elif REQUEST.match(before) and before in self.live and not self.released_lately(before, thread):
            raise Violation("%s became null but was not released" % before)

    def call(self, call):
        thread = call["thread"]
        raws = call["raw"]
        for parameter, value in call["args"].items():
            inout = isinstance(value, dict) and set(value) == {"in", "out"}
            if inout:
                self.value(value["in"], raws.get(parameter), thread, "in")
            elif parameter + ">" not in raws:
                self.value(value, raws.get(parameter), thread, "in")
        for parameter, value in call["args"].items():
            inout = isinstance(value, dict) and set(value) == {"in", "out"}
            if inout:
                self.value(value["out"], raws.get(parameter + ">"), thread, "out")
                self.became_null(value["in"], value["out"], thread)
            elif parameter + ">" in raws:
                self.value(value, raws[parameter + ">"], thread, "new")
        self.window[thread] = self.time


    def line(self, found, where, line):
        """A LINE of the log, and what it was parsed to. Raises Difference."""
        self.time += 1
        try:
            if line.startswith(RELEASED):
                self.release(found["released"])
            else:
                self.call(found)
        except Violation as violation:
            raise Difference("%s: %s\n    %s" % (where, violation, line))
        except (KeyError, TypeError, AttributeError) as error:
            raise Difference("%s: not a call (%r)\n    %s" % (where, error, line))


def names_check(path):
    """The number of names checked in one process's log. Raises Difference."""
    names = Names()
    for number, line in lines_of(path):
        where = "%s:%d" % (path, number)
        names.line(parse(line, where), where, line)
    return names.checked


def compared(folder, path, **options):
    """(calls, names checked) of compare.compare(FOLDER, PATH, OPTIONS), which reads the logs once for both. Raises Difference."""
    made = []

    def make():
        made.append(Names())
        return made[-1]
    return compare(folder, path, names=make, **options), sum(names.checked for names in made)


def main():
    if len(sys.argv) != 2:
        print("usage: names.py SHADOW_DIR", file=sys.stderr)
        return 2
    try:
        checked = sum(names_check(path) for _, path in shadow_files(sys.argv[1]))
        if not checked:
            raise Difference("%s: no names" % sys.argv[1])
        print("%d names checked" % checked)
    except (Difference, OSError, UnicodeDecodeError) as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
