#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares shadow logs with decoded JSON, byte for byte.

    compare.py [--times|--values] SHADOW_DIR DECODED.jsonl

SHADOW_DIR/shadow.RANK.jsonl holds the calls of one process as the wrappers saw them: those of different threads
interleaved, each with a "raw" object at its end, and lines {"released":NAME} in between. DECODED.jsonl is what a decoder
printed. "raw" is cut off the shadow's lines, and "start" and "end" off those of both, unless --times says that the trace has
them exactly; as text: nothing is parsed and printed again. All that is left must be equal, for every thread of every rank, and
nothing may be left over on either side. Every line must be valid JSON as well, with no key twice, and no call may begin before
the one before has ended, on either side. The decoded "path" must repeat the call site and the stack; the names of functions that it has
are not compared.

Readings of clocks (MPI_Wtime, timestamps of MPI_T) are equal with --times, and with --values (PILGRIM_VALUES=wtime). Else they are null,
but for those of MPI_Wtime of calls with times: numbers, which bins.py looks at.

Prints the number of calls compared and exits 0, or prints the first difference and exits 1.
"""
import collections
import glob
import json
import os
import re
import sys

CONTEXT = 3  # calls shown before a difference
PATH = re.compile(r',"path":\[\{(?:[^"\]]|"(?:[^"\\]|\\.)*")*\]')
TIMES = re.compile(r',"start":(\d+),"end":(\d+)}$')
NAMES = re.compile(r',"names":\{(?:"[\w:]+":"(?:[^"\\]|\\.)*",?)+\}(?=}$|,"start":\d+,"end":\d+}$)')
HEAD = re.compile(r'{"rank":(\d+),"thread":(\d+),"seq":(\d+),"func":"(\w+)",')
PLACE = re.compile(r'(?:,"site":"[^"]*")?(?:,"stack":\[[^]]*\])?,"path":\[\{(?:[^"\]]|"(?:[^"\\]|\\.)*")*\]')
RELEASED = '{"released":'
READINGS = {function: re.compile(r'(?<="%s":)[^,}]*' % name)
            for function, name in (("MPI_Wtime", "ret"), ("MPI_T_source_get_timestamp", "timestamp"),
                                   ("MPI_T_event_get_timestamp", "event_timestamp"))}


STACK = re.compile(r',"stack":\[[^]]*\]')


class Difference(Exception):
    """What does not agree; the text is for people."""


def pairs_unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice in " + str([key for key, _ in pairs]))
    return found


DECODER = json.JSONDecoder(object_pairs_hook=pairs_unique)


def parse(line, where):
    try:
        found = DECODER.decode(line)
    except ValueError as error:
        raise Difference("%s: not valid JSON: %s\n    %s" % (where, error, line))
    if not isinstance(found, dict):
        raise Difference("%s: not an object\n    %s" % (where, line))
    return found


def lines_of(path):
    """The lines of a file, without newlines; the last one must have one."""
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith("\n"):
                raise Difference("%s:%d: the last line is cut off" % (path, number))
            yield number, line[:-1]


class Clock:
    """The times of one thread's calls, as they come."""

    def __init__(self):
        self.last = 0

    def cut(self, line, call, where):
        """LINE without its times, which are checked, if it has any."""
        if "start" not in call and "end" not in call:
            return line
        text = TIMES.sub("}", line)
        if text == line or not self.last <= call["start"] <= call["end"]:
            raise Difference("%s: start and end are wrong\n    %s" % (where, line))
        self.last = call["end"]
        return text


def raw_cut(line, where):
    """A shadow line as (text without "raw", all of it parsed)."""
    at = line.rfind(',"raw":{')
    if at < 0:
        raise Difference("%s: no raw values\n    %s" % (where, line))
    text = line[:at] + "}"
    call = parse(text, where)
    if "raw" in call or line[-1] != "}":
        raise Difference("%s: raw is not the last member\n    %s" % (where, line))
    call["raw"] = parse(line[at + len(',"raw":'):-1], where)
    return text, call


def shadow_files(folder):
    """[(rank, path)] in order of ranks."""
    found = []
    for path in glob.glob(os.path.join(glob.escape(folder), "shadow.*.jsonl")):
        found.append((int(os.path.basename(path).split(".")[1]), path))
    if not found:
        raise Difference("%s: no shadow logs" % folder)
    if len({rank for rank, _ in found}) != len(found):
        raise Difference("%s: two shadow logs of one rank" % folder)
    return sorted(found)


def shadow_calls(path, rank, names=None):
    """Yields the calls of one process, as (thread, text, times cut off the text, all of it parsed). NAMES, of names.py, sees each line."""
    counts, clocks = {}, {}
    for number, line in lines_of(path):
        where = "%s:%d" % (path, number)
        if line.startswith(RELEASED):
            event = parse(line, where)
            if list(event) != ["released"]:
                raise Difference("%s: not an event\n    %s" % (where, line))
            if names:
                names.line(event, where, line)
            continue
        text, call = raw_cut(line, where)
        if names:
            names.line(call, where, line)
        thread = call.get("thread")
        seq = counts.get(thread, 0)
        if call.get("rank") != rank or call.get("seq") != seq:
            raise Difference("%s: expected rank %d, seq %d\n    %s" % (where, rank, seq, line))
        counts[thread] = seq + 1
        yield thread, text, clocks.setdefault(thread, Clock()).cut(text, call, where), call


def shadow_read(path, rank, times, names=None):
    """The calls of one process: {thread: [text of each call]}, with their TIMES or without. names: as in shadow_calls."""
    threads = {}
    for thread, text, timeless, _ in shadow_calls(path, rank, names):
        threads.setdefault(thread, []).append(text if times else timeless)
    return threads


def difference_show(rank, thread, seq, before, shadow, decoded):
    """The text of a first difference, with what came before it and a mark where the lines part."""
    lines = ["rank %d thread %d seq %d differs:" % (rank, thread, seq)]
    lines += ["    both    " + text for text in before[-CONTEXT:]]
    lines.append("    shadow  " + shadow)
    lines.append("    decoded " + decoded)
    lines.append("            " + " " * len(os.path.commonprefix([shadow, decoded])) + "^")
    return "\n".join(lines)


def readings_as_kept(shadow, decoded, function, has_times):
    """The text SHADOW with what DECODED, text of a call of FUNCTION, may have in place of a reading."""
    reading = READINGS.get(function)
    if not reading:
        return shadow
    kept = reading.search(decoded).group()
    if function == "MPI_Wtime":
        right = (kept != "null") == has_times
    else:
        right = kept == "null"
    return reading.sub(kept, shadow) if right else shadow


def path_cut(line, call, where):
    """LINE without the functions of its frames, which the shadow does not know, if it has them."""
    if "path" not in call:
        return line
    frames = ["%s:%d:%s" % (frame["module"], frame["line"], frame["function"]) if "line" in frame
              else "%s+0x%x" % (frame["module"], frame["offset"]) for frame in call["path"]]
    if "site" in call and frames != [call["site"], *call.get("stack", ())]:
        raise Difference("%s: path has other frames than site and stack\n    %s" % (where, line))
    return PATH.sub("", line)


def names_cut(line):
    """LINE without what the program named the objects in it, which the shadow has only in the calls that name them."""
    return NAMES.sub("", line) if '"names":{' in line else line


class Decoded:
    """A decoder's lines: in order of rank, thread and seq, one after another."""

    def __init__(self, path):
        self.path = path
        self.last = (-1, -1, -1)
        self.clock = None
        self.places = set()     # the sites, stacks and paths that were found to agree

    def calls(self):
        """Yields (rank, thread, seq), the line's text, the text without times, and the line parsed."""
        for number, line in lines_of(self.path):
            where = "%s:%d" % (self.path, number)
            call = parse(line, where)
            key = (call.get("rank"), call.get("thread"), call.get("seq"))
            self.next(key, where, line)
            line = names_cut(path_cut(line, call, where))
            yield key, line, self.clock.cut(line, call, where), call

    def next(self, key, where, line):
        if not all(isinstance(part, int) for part in key) or key <= self.last:
            raise Difference("%s: out of order after %r\n    %s" % (where, self.last, line))
        if key[:2] != self.last[:2]:
            self.clock = Clock()
        self.last = key

    def texts(self):
        """As calls(), for who compares the text without times with that of a line that was parsed: yields the key, the text, the text
        without times, and the function's name. A line is parsed only where its path is new: all else of it is that other text."""
        for number, line in lines_of(self.path):
            where = "%s:%d" % (self.path, number)
            head, place = HEAD.match(line), PLACE.search(line)
            if not head or place and place.group() not in self.places:
                call = parse(line, where)
                path_cut(line, call, where)
                if not head:
                    raise Difference("%s: no rank, thread, seq and function\n    %s" % (where, line))
                self.places.add(place and place.group())
            key = tuple(map(int, head.group(1, 2, 3)))
            self.next(key, where, line)
            if place:
                line = PATH.sub("", line)
            line = names_cut(line)
            times = TIMES.search(line)
            call = {"start": int(times.group(1)), "end": int(times.group(2))} if times else {}
            yield key, line, self.clock.cut(line, call, where), head.group(4)


def compare(folder, path, times=False, values=False, shorter=False, names=lambda: None):
    """The number of calls compared, with their TIMES or without; VALUES: readings are values as others are; SHORTER: a call may be
    without its callers; NAMES: makes what sees the lines of one process's log. Raises Difference."""
    shadows = dict(shadow_files(folder))
    compared, counts, current, threads = 0, {}, None, {}
    for (rank, thread, seq), whole, timeless, function in Decoded(path).texts():
        text = whole if times else timeless
        if times and whole == timeless:
            raise Difference("%s: no times\n    %s" % (path, whole))
        if rank != current:
            current = rank
            if rank not in shadows:
                raise Difference("rank %d is in %s but has no shadow log" % (rank, path))
            threads = shadow_read(shadows[rank], rank, times, names())
            counts.update({(rank, t): len(calls) for t, calls in threads.items()})
        calls = threads.get(thread, [])
        if seq >= len(calls):
            raise Difference("rank %d thread %d: the shadow has %d calls, decoded is one more:\n    %s"
                             % (rank, thread, len(calls), text))
        wanted = calls[seq] if times or values else readings_as_kept(calls[seq], text, function, whole != timeless)
        if shorter and not STACK.search(text):
            wanted = STACK.sub("", wanted)
        if text != wanted:
            collections.deque(Decoded(path).calls(), 0)  # says what no call can be, if that is why
            raise Difference(difference_show(rank, thread, seq, calls[:seq], wanted, text))
        counts[rank, thread] -= 1
        compared += 1
    for (rank, thread), left in sorted(counts.items()):
        if left:
            raise Difference("rank %d thread %d: %d calls of the shadow are missing in %s" % (rank, thread, left, path))
    for rank in sorted(set(shadows) - {rank for rank, _ in counts}):
        if shadow_read(shadows[rank], rank, times, names()):
            raise Difference("rank %d has a shadow log but is not in %s" % (rank, path))
    if not compared:
        raise Difference("%s: no calls" % path)
    return compared


def main():
    words = sys.argv[1:]
    times, values = words[:1] == ["--times"], words[:1] == ["--values"]
    if len(words) != 2 + times + values:
        print("usage: compare.py [--times|--values] SHADOW_DIR DECODED.jsonl", file=sys.stderr)
        return 2
    try:
        print("%d calls compared" % compare(*words[-2:], times, values))
    except (Difference, OSError, UnicodeDecodeError) as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
