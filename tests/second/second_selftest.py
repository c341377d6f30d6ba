# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the second decoder: it reads traces written from docs/FORMAT.md, whole, damaged at every byte and cut at every
length, and with each thing wrong that the document calls damage.

One file, as all of it is built by the same few makers of sections and sent through the same decoder.
"""
import ctypes
import itertools
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import second_decoder as decoder  # noqa: E402
import second_grammar as grammar  # noqa: E402
import second_parts as parts  # noqa: E402
import second_values as values_of  # noqa: E402
from trace_writer import (RAMP, R, T, constant, counted, expression, listed, once, rule, section,  # noqa: E402
                          steps, svarint, text, varint, zstd)


LIMIT_S = int(os.environ.get("LIMIT_S", 1000))  # ends what hangs
STRINGS = [b"app", b"comm", b"A", b"B", b"key", b"value"]
S = {name: number for number, name in enumerate(STRINGS)}

PROCESS_SHAPE = b"\x0f\x02\x03\x03" + b"\x14\x02\x01\x03" + b"\x01"  # an array of two ints, a series of two; null
SEND_SHAPE = b"\x0a\x03\x06\x03"  # heap, int, rank, int
ODD_SHAPE = (b"\x0f\x09"                                       # x in: array of 9
             + b"\x01" + b"\x02" + varint(S[b"A"]) + b"\x04" + b"\x05"
             + b"\x07\x06"                                     # rank base, then a rank
             + b"\x0e" + text(b'q"\\\n\xff\xc3\xa9')
             + b"\x10\x02\x02" + varint(S[b"B"]) + b"\x03"     # flags
             + b"\x11\x03" + b"\x06\x03\x03\x04\x03"           # status with error, ignored
             + b"\x12" + text(b"sum")
             + b"\x0f\x07" + b"\x08" + varint(S[b"comm"]) + b"\x09\x0b\x0c\x0d\x13\x03"  # x out
             + b"\x14\x06\x03\x01" + b"\x0f\x02\x06\x01" + b"\x03"  # y: a series of null, arrays of a rank and a null, ints
             + b"\x03")
SHAPES = [PROCESS_SHAPE, SEND_SHAPE, ODD_SHAPE]


def definitions(shapes=SHAPES):
    functions = [b"pilgrim_process,views_rank,views_size:\0", b"MPI_Send,buf,count,dest\0", b"MPI_X&x>y:\0"]
    modules = [varint(S[b"app"]) + text(b"\xab\0\1\2"), varint(S[b"A"]) + text(b"")]
    symbols = varint(1) + varint(1) + svarint(0x1a00) + b"f\0"
    # No path; app+0x1a42; A+0x20, app+0x10, A+0x1a40 in f: the elder of A+0x20 is app+0x1a42, but is in another module.
    classes = varint(3) + bytes((0, 2, 5)) + bytes((0, 0, 0, 1, 1, 3)) + bytes(4)
    kinds = bytes((0, 0, 0, 1, 0, 0, 2))
    offsets = svarint(0x1a42) + svarint(0x20 - 0x1a42) + svarint(-0x10) + varint(0x40)
    return (counted([t + b"\0" for t in STRINGS]) + counted([varint(S[b"key"]) + varint(S[b"value"])])
            + counted(functions) + counted(modules) + symbols + classes + kinds + offsets
            + counted([text(t) for t in shapes]))


REAL_BITS = struct.unpack("<q", struct.pack("<d", 0.1))[0]
RULES = {"two": once(0, 0), "calls": rule((R, 0, 3), (T, 1, 1)),  # class 0 six times, then class 1
         "sends": once(0, 1, 0, 2, 0, 1),                   # their signatures
         "up 2": rule((T, 2, 2)), "up 3": rule((R, 3, 1), (T, 2, 1)), "zigzag": steps(-2, 5), "ramp": rule((RAMP, 0, 2)),
         "order": steps(1, 1, -1, 1, -1)}


def of_rule(name):
    """The code of a sequence."""
    return 2 * list(RULES).index(name) + 2


def of_one(terminal):
    return 2 * terminal + 1


COLUMNS = {"0": constant(0), "1": constant(1), "2": constant(2), "3": constant(3), "-1": constant(-1), "64": constant(64),
           "huge": constant(1 << 60), "real": constant(REAL_BITS), "9": constant(9), "zigzag": constant(of_rule("zigzag")),
           "order": constant(of_rule("order")),
           "rank": expression(1, 0), "back": expression(2, 2), "ring": expression(6, 1, 3),
           "all": expression(7, 0, of_rule("up 2")), "threads": expression(7, 0, of_rule("up 3")), "even": listed(0, 2), "labels": listed(0, 1, 0),
           "odd": constant(1), "counts": listed(2, 4, 5), "more": listed(of_one(2), of_one(20), 0), "pair": listed(7, -7)}
NEXT = varint(0)


def to(index):
    """A reference."""
    return varint(index + 1)


def columns_of(names):
    return b"".join(to(list(COLUMNS).index(name)) for name in names.split())


def signature(shape, names, length=1):
    return varint((shape + 1) << 1 | (length > 1)) + (varint(length) if length > 1 else b"") + columns_of(names)


# Views of rank r: (r, 3) and (2 - r, 3).
PROCESS = "rank back 3 0"
SEND = "0 64 counts 1 0"                                    # heap:0+64, to rank + 1
SEND_TWO = "0 0 64 0 counts more -1 0 0 0"                  # the second call of the two has another count; to rank - 1
ODD = ("1 real 1 rank 64 0 64 0 1 1"                        # in: bool, real, rank base 1, rank 2 - r, flag, status from 0 with error
       " 1 1 0 3 0 64 1 0 64 64 huge"                       # out
       " order rank zigzag %s 9 0")                           # y: ranks r, r - 2, r + 3; ints, 2 apart; it returns 0


def value_group(sequence, *signatures):
    return varint(sequence) + counted(signatures)


def group_class(call_class, *value_groups, partition=None):
    return call_class + varint(0 if partition is None else 1 + partition) + b"".join(value_groups)


def group(sequence, process, group_classes, members):
    return varint(sequence << 1 | process) + counted(group_classes) + columns_of(members)


SIGNATURES = [signature(0, PROCESS), signature(1, SEND), signature(1, SEND_TWO, 2), signature(2, ODD % "pair"),
              signature(2, ODD % "9")]
PARTITION = varint(2) + columns_of("even odd")
RANK_BASES = group_class(NEXT, value_group(of_one(0), NEXT))
SENDS = group_class(NEXT, value_group(of_rule("sends"), NEXT, NEXT))
ODDS = group_class(NEXT, value_group(of_one(0), NEXT), value_group(of_one(0), NEXT), partition=0)
PROCESSES = group(of_one(0), True, [NEXT], "all")
THREADS = group(of_rule("calls"), False, [to(1), NEXT], "all")


NO_STATISTICS = bytes(2 + 1 + 1 + 2 * 6)   # of a value group with two signatures, two with one; of three distributions each


def calls(rules=RULES.values(), columns=None, signatures=SIGNATURES, partitions=(PARTITION,), ranks=3, threads="threads",
          group_classes=(RANK_BASES, SENDS, ODDS), groups=(PROCESSES, THREADS), begins_segment=False):
    """3 ranks with a thread each. columns: by name, those that are others than above."""
    return (counted(list(rules)) + counted({**COLUMNS, **(columns or {})}.values()) + counted(signatures) + counted(partitions)
            + varint(ranks << 1 | begins_segment) + columns_of(threads) + counted(group_classes) + counted(groups))


def trace(definitions=definitions(), calls=calls(), statistics=None, packed=False, times=()):
    found = [parts.MAGIC, struct.pack("<H", parts.VERSION)]
    for kind, content in ((parts.DEFINITIONS, definitions), (2, calls), (3, statistics), *((4, those) for those in times)):
        if content is not None:
            found.append(section(kind, content, zstd(content, parts.dictionary() if kind == parts.DEFINITIONS else b"") if packed else None))
    return b"".join(found) + section(0, b"")


def odd_line(rank):
    status = '{"source":%d,"tag":64,"bytes":0,"cancelled":true,"error":1,"ignored":true}' % ((2 - rank) % 3)
    inside = ('[null,"A",true,0.10000000000000001,%d,"q\\"\\\\\\u000a\\u00ff\u00e9","B|64",%s,"fn:sum"]'
              % ((4 - 2 * rank) % 3, status))
    out = '["comm:1","request:1.0","stack:3","static:0+64","device:1:0+64","fn:64","1152921504606846976"]'
    return ('{"rank":%d,"thread":0,"seq":6,"func":"MPI_X","lang":"fortran","args":{"x":{"in":%s,"out":%s},'
            '"y":[null,[2,null],%d,[0,null],%d,[2,null]]},"ret":0,"site":"A+0x1a40","stack":["app+0x10","A+0x20"],'
            '"path":[{"module":"A","offset":6720,"function":"f"},{"module":"app","offset":16},{"module":"A","offset":32}]}'
            % (rank, inside, out, (7, 9, -7)[rank % 3], (9, 11, -5)[rank % 3]))


def expected(ranks=range(3), segments=1):
    lines = []
    for rank in ranks:
        for number in range(segments):
            lines += [line.replace('"seq":', '"seq":%d+' % (7 * number)) for line in expected_once(rank)]
    return "".join(re.sub(r"(?<=\"seq\":)\d+\+\d+", lambda sum_: str(sum(map(int, sum_[0].split("+")))), line) + "\n"
                   for line in lines)


def expected_once(rank):
    lines = []
    for seq, element in enumerate((None, 0, None, 1, None, 0)):
        step, more = (1, 0) if element is None else (-1, element * (1, 10, 0)[rank % 3])
        lines.append('{"rank":%d,"thread":0,"seq":%d,"func":"MPI_Send","args":{"buf":"heap:0+64","count":%d,"dest":%d},'
                     '"ret":0,"site":"app+0x1a42"}' % (rank, seq, (2, 4, 5)[rank % 3] + more, (rank + step) % 3))
    return lines + [odd_line(rank)]


class Sink:
    """Ends what a damaged trace may print without end."""

    def __init__(self):
        self.text, self.size = [], 0

    def write(self, data):
        self.text.append(data.decode())
        self.size += len(data)
        if self.size > 1 << 20:
            raise parts.Damage("too much")


def decode(data, rank=None):
    """(text, damage or None), in this process."""
    sink = Sink()
    try:
        decoder.trace_print(decoder.Trace(data), rank, sink)
        return "".join(sink.text), None
    except parts.Damage as damage:
        return "".join(sink.text), damage


class Decoder(unittest.TestCase):
    maxDiff = None

    def test_xxh32(self):
        library = ctypes.CDLL("libxxhash.so.0")
        library.XXH32.restype = ctypes.c_uint32
        data = bytes((i * 131 + i // 7) & 255 for i in range(300))
        for length in range(300):
            self.assertEqual(parts.xxh32(data[:length]), library.XXH32(data[:length], ctypes.c_size_t(length), 0))

    def test_whole(self):
        for packed in (False, True):
            self.assertEqual(decode(trace(packed=packed)), (expected(), None))

    def test_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.pilgrim")
            for data, code, output in ((trace(), 0, expected()), (trace()[:-1], 1, expected()), (b"text", 1, "")):
                with open(path, "wb") as file:
                    file.write(data)
                run = subprocess.run([sys.executable, os.path.join(HERE, "second_decoder.py"), path],
                                     capture_output=True, timeout=LIMIT_S, check=False)
                self.assertEqual((run.returncode, run.stdout.decode()), (code, output))
                self.assertEqual(bool(run.stderr), code == 1)

    def test_cut(self):
        whole = trace()
        for length in range(len(whole)):
            printed, damage = decode(whole[:length])
            self.assertIsNotNone(damage, length)
            self.assertTrue(expected().startswith(printed), length)

    def test_changed(self):
        whole = trace()
        for at in range(len(whole)):
            changed = bytearray(whole)
            changed[at] ^= 1 << at % 8 if at != 8 else 8    # versions 5 to 9 are read
            self.assertIsNotNone(decode(bytes(changed))[1], at)

    def test_changed_behind_checksum(self):
        """Content that is wrong but has a right checksum is damage or another trace, never another exception."""
        for name, content in (("definitions", definitions()), ("calls", calls())):
            for at in range(len(content)):
                for bit in range(8) if os.environ.get("LONG") else (at % 8,):
                    changed = bytearray(content)
                    changed[at] ^= 1 << bit
                    decode(trace(**{name: bytes(changed)}))

    def test_sections(self):
        head = trace()[:10]
        one, two = section(parts.DEFINITIONS, definitions()), section(2, calls())
        end = section(0, b"")
        good = head + one + two + end
        self.assertEqual(decode(good), (expected(), None))
        self.assertEqual(decode(head + one + two + section(64, b"hm") + end), (expected(), None))
        for bad in (good + b"\0", head + two + one + end, head + one + end, head + one + one + two + end, head + one + good[10:],
                    head + one + two + section(6, b"hm") + end, good[:8] + b"\1\0" + good[10:],
                    head + one + two + section(0, b"x"), head + one + section(2, calls() + b"\0") + end):
            self.assertIsNotNone(decode(bad)[1])

    def test_shards(self):
        head, end = trace()[:10], section(0, b"")
        one, two, three = section(parts.DEFINITIONS, definitions()), section(2, calls()), section(3, NO_STATISTICS)
        all_six = head + one + two + three + one + section(77, b"") + two + end
        self.assertEqual(decode(all_six), (expected(range(6)), None))
        self.assertEqual(decode(all_six, 4), (expected([4]), None))
        self.assertEqual(decode(all_six, 6), ("", None))
        wrong = section(2, calls(ranks=0))
        for bad, ranks in ((head + one + two + one + wrong + end, 3), (head + one + two + one + end, 3), (all_six[:-1], 6),
                           (head + one + two + three + three + end, 3), (head + one + two + section(3, b"") + one + two + end, 3),
                           (head + one + wrong + one + two + end, 0)):
            printed, damage = decode(bad)
            self.assertIsNotNone(damage)
            self.assertEqual(printed, expected(range(ranks)))

    def test_segments(self):
        head, end = trace()[:10], section(0, b"")
        one, two, again = section(parts.DEFINITIONS, definitions()), section(2, calls()), section(2, calls(begins_segment=True))
        silent = section(2, calls(groups=(group(0, True, [], "all"), THREADS), begins_segment=True))
        for data, ranks, segments in ((one + two + one + again + one + again, 3, 3), (one + two + one + silent, 3, 2),
                                    (one + two + one + two + one + again + one + two, 6, 2)):
            self.assertEqual(decode(head + data + end), (expected(range(ranks), segments), None))
            self.assertEqual(decode(head + data + end, 1), (expected([1], segments), None))
            printed, damage = decode(head + data)
            self.assertEqual(printed, expected(range(ranks), segments))
            self.assertIn("truncated", str(damage))
        for data, printed, message in (
                (one + again, "", "begins another segment"),
                (one + two + one + again + one + two, expected(range(3), 2), "a segment of 6 ranks behind one of 3"),
                (one + two + one + two + one + again, expected(range(3), 2) + expected(range(3, 6)), "has 3 of 6 ranks"),
                (one + two + one + two + one + again + one + again, expected(range(3), 2) + expected(range(3, 6)),
                 "begins behind 3 of 6 ranks")):
            found, damage = decode(head + data + end)
            self.assertIn(message, str(damage))
            self.assertEqual(found, printed)

    def test_statistics(self):
        # Sends: a gap behind no call, 5 behind sends, so 6 durations. Of the others nothing is known.
        right = {"sends": b"\0" + counted([svarint(0), svarint(-1)]), "odds": bytes(2), "first": (3, 10, 0, 0, 9, 0, 0),
                 "buckets": (1, 2, 0, 0, 3, 0, 0), "counts": (1, 2, 3, 1, 0), "mean": (1, 2), "deviation": (0, 11),
                 "least": (3, 255, 255), "most": (255, 255), "means": (0, 7), "deviations": (9, 0), "lows": (2, 1, 0), "highs": (2, 1)}

        def made(**changes):
            return b"".join(map(bytes, {**right, **changes}.values()))

        for good in (NO_STATISTICS, made(), made(
                sends=b"\1" + counted([svarint(0)]) + counted([svarint(-1)]), first=(3, 10, 0, 0, 3, 10, 0, 0),
                buckets=(1, 2, 0, 0, 1, 2, 0, 0), counts=(1, 2, 3, 2), mean=(1, 1), deviation=(0, 0), least=(3, 255, 3, 255),
                deviations=(0, 0), lows=(2, 1, 2, 1))):
            self.assertEqual(decode(trace(statistics=good)), (expected(), None))
        wrong = [made() + b"\0", made()[:-1], NO_STATISTICS[:-1], NO_STATISTICS + b"\0"]
        wrong += [made(**{name: value}) for name, value in (
            ("sends", b"\2" + right["sends"][1:]), ("sends", b"\0" + counted([svarint(-1), svarint(0)])),
            ("sends", b"\0" + counted([svarint(1), svarint(-1)])), ("sends", b"\0" + counted([svarint(0), svarint(-3)])),
            ("odds", counted([svarint(-2)]) + b"\0"), ("first", (3, 63, 0, 0, 9, 0, 0)), ("first", (3, 10, 1, 0, 9, 0, 0)),
            ("buckets", (1, 2, 0, 0, 0, 0, 0)), ("buckets", (1, 2, 0, 0, 3, 1, 0)), ("counts", (0, 2, 3, 1, 0)),
            ("counts", (1, 2, 0, 1, 0)),
            ("counts", (1, 2, 3, 0, 1)), ("counts", (1, 2, 3, 5, 1)), ("counts", b"\1\2" + varint((1 << 64) - 2) + b"\1\0"),
            ("mean", (2, 2)), ("mean", (1, 3)), ("deviation", (0, 12)), ("least", (4, 255, 255)), ("deviations", (9, 1)),
            ("lows", (3, 1, 0)), ("highs", (2, 3)))]
        for number, those in enumerate(wrong):
            printed, damage = decode(trace(statistics=those))
            self.assertEqual(printed, expected())
            self.assertIn("statistics", str(damage), number)

    def test_paths(self):
        """Paths are bounded; addresses come before they are referred to; elders and symbols are there."""
        def made(classes, modules=(b"app",), symbols=varint(0)):
            return (counted([t + b"\0" for t in modules]) + counted([]) + counted([b"MPI_X\0"])
                    + counted([varint(i) + text(b"") for i in range(len(modules))]) + symbols + classes + counted([]))

        def paths(content):
            found = decoder.Shard.__new__(decoder.Shard)
            found.definitions_read(parts.Cursor(content))
            return [" ".join(frames) for _, frames, _ in found.classes]

        def chain(length):
            return varint(1) + b"\0" + bytes((0, length)) + bytes(length) + bytes(2 * length) + svarint(1) * length

        f = varint(1) + varint(0) + svarint(5) + b"f\0"
        self.assertEqual(paths(made(chain(64))), [" ".join("app+0x%x" % i for i in range(64, 0, -1))])
        # Path 0; then the innermost frame is another one, the elder's, 4 lower; then path 0 without it, and once more.
        self.assertEqual(paths(made(b"\4\0\0\0\0" + b"\0\2\1\1\1\0\1\2" + b"\0\0\0\1\3" + b"\2\0\0\1" + b"\3" + svarint(9) + svarint(-4), symbols=f)),
                         ["app+0x11 app+0x8", "app+0xd app+0x8", "app+0x8", "app+0xd app+0x8"])
        for wrong in (made(chain(65)), made(b"\1\0\1\0"), made(b"\1\0\0\2\0\2\0\0\0\0"), made(b"\1\0\0\1\0\1\0"),
                      made(b"\1\0\0\1\0\0\1\0"), made(b"\1\0\0\1\0\2\0"), made(b"\0", symbols=b"\1\1\0f\0"), made(b"\0", symbols=b"\1\0\0\0"),
                      made(b"\2\0\0\0\1\1\1\0\0\2\1\0" + svarint(-1), symbols=f),
                      made(b"\1\0\0\1\0\2" + varint((1 << 64) - 5), symbols=f), made(b"\2\0\0\0\1\0\0")):
            with self.assertRaises(parts.Damage):
                paths(wrong)
        self.assertEqual(paths(made(b"\1\0\0\1\0\2" + varint((1 << 64) - 6), symbols=f)), ["app+0xffffffffffffffff"])

    def test_callers(self):
        """In old definitions, a chain of callers is bounded, and goes back only."""
        def made(modules, callers, classes):
            return (counted([b"app\0"]) + counted([]) + counted([b"MPI_X\0"]) + counted(modules) + counted(callers)
                    + counted(classes) + counted([]))

        def chain(length):
            return [varint(0) + svarint(1) + varint(i) for i in range(length)]

        app = [varint(0) + text(b"")]
        found = decoder.Shard.__new__(decoder.Shard)
        found.old_definitions_read(parts.Cursor(made(app, chain(63), [varint(0) + varint(2) + svarint(9) + varint(62)])))
        self.assertEqual(found.classes[0][1], ["app+0x9"] + ["app+0x%x" % i for i in range(63, 0, -1)])
        for modules, callers, classes in ((app, chain(64), []),                                    # too long
                                          (app, [varint(0) + svarint(1) + varint(1)], []),         # its own caller
                                          (app, chain(1), [varint(0) + varint(2) + svarint(9) + varint(1)]),
                                          (app, [], [varint(0) + varint(3) + svarint(9)]),         # no such module
                                          ([varint(0) + text(b"x" * 33)], [], []),
                                          ([varint(1) + text(b"")], [], [])):
            with self.assertRaises(parts.Damage):
                found.old_definitions_read(parts.Cursor(made(modules, callers, classes)))

    def test_varints(self):
        for right in (0, 1, 127, 128, (1 << 64) - 1):
            self.assertEqual(parts.Cursor(varint(right)).varint(), right)
        for right in (0, -1, 1, -(1 << 63), (1 << 63) - 1):
            self.assertEqual(parts.Cursor(svarint(right)).svarint(), right)
        for wrong in (b"\x80\x00", b"\x80" * 10 + b"\x01", b"\xff" * 9 + b"\x02", b"\x80", b""):
            with self.assertRaises(parts.Damage):
                parts.Cursor(wrong).varint()

    def test_strings(self):
        self.assertEqual(values_of.escape(b"a\x7f\x1f/\xe2\x82\xac"), "a\\u007f\\u001f/\u20ac")
        self.assertEqual(values_of.escape("\x80\x9f\xa0\u061c\u200d\u200e\u2028\u202e\u202f\u2066\u206a".encode()),
                         "\\u0080\\u009f\xa0\\u061c\u200d\\u200e\\u2028\\u202e\u202f\\u2066\u206a")
        self.assertEqual(values_of.escape(b"\xe2\x82A\xed\xa0\x80\xc0\x80"),
                         "\\u00e2\\u0082A\\u00ed\\u00a0\\u0080\\u00c0\\u0080")

    def test_numbers(self):
        self.assertEqual([values_of.integer(v) for v in (1 << 53, (1 << 53) + 1, -(1 << 53) - 1)],
                         ["9007199254740992", '"9007199254740993"', '"-9007199254740993"'])
        bits = [struct.unpack("<q", struct.pack("<d", v))[0] for v in (0.5, float("inf"), float("-inf"), float("nan"))]
        self.assertEqual([values_of.real(b) for b in bits], ["0.5", '"inf"', '"-inf"', '"nan"'])

    def test_damage(self):
        """One thing wrong each."""
        def seen(*groups, **others):
            return trace(calls=calls(groups=groups or (PROCESSES, THREADS), **others))

        def idle(first, second):
            """Threads as two groups without calls."""
            return PROCESSES, group(0, False, [], first), group(0, False, [], second)

        def sends(*new):
            return seen(group_classes=(RANK_BASES, group_class(*new), ODDS))

        def odds(*new, partition=None):
            return seen(group_classes=(RANK_BASES, SENDS, group_class(NEXT, *new, partition=partition)))

        def odd_shape(content):
            return trace(definitions(SHAPES[:2] + [content]))

        def signatures(at, *new):
            return seen(signatures=SIGNATURES[:at] + list(new) + SIGNATURES[at + len(new):])

        def rules(*new):
            return seen(rules=[*RULES.values(), *new])

        six = value_group(of_rule("sends"), to(1), to(2))
        one, two, none = value_group(of_one(0), to(3)), value_group(of_one(0), to(4)), len(RULES) * 2 + 2
        longest = rule((T, 0, (1 << 62) - 1))
        for right in (rules(longest, rule((R, len(RULES), 2), (T, 0, 1))),  # 2^63 - 1 terminals
                      sends(to(1), six), odds(one, two, partition=1),
                      seen(partitions=[varint(0) + varint(2) + columns_of("labels")]),
                      seen(group_classes=(RANK_BASES, SENDS, ODDS, group_class(to(0), value_group(of_one(0), to(0))))),
                      seen(columns={"even": expression(7, 0, of_one(4)), "odd": expression(7, 1, 0)}),
                      seen(group(of_one(0), True, [to(0)], "0"), group(of_one(0), True, [to(0)], "odd"),
                           group(of_one(0), True, [to(0)], "2"), THREADS)):
            self.assertEqual(decode(right), (expected(), None))
        self.assertEqual(decode(seen(*idle("even", "odd"))), ("", None))
        for message, data in (
                ("a block with numbers of 0 bits", rules(varint(0) + varint(2) + b"\0" + svarint(0))),
                ("rule 8 has a symbol for rule 8", rules(rule((R, len(RULES), 1)))),
                ("rule 9 expands to 2^63 terminals or more", rules(longest, rule((R, len(RULES), 2), (T, 0, 2)))),
                ("a ramp of a rule", rules(counted([varint(0 << 2 | 3) + varint(1)]))),
                ("expression 9 of 9", seen(columns={"64": expression(9, 0)})),
                ("a column modulo 0", seen(columns={"ring": expression(6, 0, 0)})),
                ("a column modulo 9223372036854775808", seen(columns={"ring": expression(6, 0, 1 << 63)})),
                ("a column of differences with a ramp", seen(columns={"counts": expression(7, 2, of_rule("ramp"))})),
                ("a sequence that is rule 8 of 8", seen(columns={"counts": expression(7, 2, none)})),
                ("shape 3 of 3", signatures(1, signature(3, SEND))),
                ("shape 3 of 3", signatures(3, SIGNATURES[3], varint(0))),
                ("a long signature of 1, or of series", signatures(2, varint(5) + varint(1) + columns_of(SEND_TWO))),
                ("a long signature of 2, or of series", signatures(0, signature(0, "0 0 0 0 0 0 0 0 0 0", 2))),
                ("column 99 of 22", signatures(1, varint(4) + to(99) * 5)),
                ("a partition with 1 value groups", seen(partitions=[varint(1) + columns_of("all")])),
                ("a partition with 999 value groups", seen(partitions=[varint(999) + columns_of("all")])),
                ("a partition with 1 labels", seen(partitions=[varint(0) + varint(1) + columns_of("labels")])),
                ("a partition with 2 labels", seen(partitions=[varint(0) + varint(2) + columns_of("3")])),
                ("a partition with 2 labels", seen(partitions=[varint(0) + varint(2) + columns_of("rank")])),
                ("label -1 of 2", seen(partitions=[varint(0) + varint(2) + columns_of("labels")], columns={"labels": listed(0, -1, 0)})),
                ("label 2 of 2", seen(partitions=[varint(0) + varint(2) + columns_of("labels")], columns={"labels": listed(0, 1, 2)})),
                ("a label that no member has", seen(partitions=[varint(0) + varint(2) + columns_of("labels")], columns={"labels": listed(0, 0, 0)})),
                ("a label that no member has", seen(partitions=[varint(0) + varint(1 << 60) + columns_of("labels")])),
                ("a partition of 4 for a group of 3", seen(partitions=[varint(0) + varint(2) + columns_of("labels")], columns={"labels": listed(0, 1, 0, 1)})),
                ("member 1 stands in 0 columns", seen(columns={"odd": constant(2)})),
                ("a column of member that does not increase", seen(partitions=[varint(2) + columns_of("even 3")])),
                ("a column of member that does not increase", seen(partitions=[varint(2) + columns_of("even rank")])),
                ("a column of member that does not increase", seen(columns={"even": listed(2, 0)})),
                ("a column of member that does not increase", seen(columns={"even": listed(0, 0)})),
                ("no ranks", seen(ranks=0)),
                ("a column of thread that does not increase", seen(threads="rank")),
                ("a column of threads that is not for 4 ranks", seen(ranks=4)),
                ("a column of threads that does not begin with 0", seen(columns={"threads": listed(1, 1, 2, 4)})),
                ("a column of thread that does not increase", seen(columns={"threads": listed(0, 2, 1, 3)})),
                ("columns that do not hold each of 4 threads once", seen(columns={"threads": listed(0, 1, 2, 4)})),
                ("columns that do not hold each of 3 ranks once", seen(PROCESSES, group(of_one(0), True, [to(0)], "all"), THREADS)),
                ("columns that do not hold each of 3 ranks once", seen(THREADS)),
                ("leaves 0 to 2", seen(columns={"all": listed(0, 1, 3)})),
                ("columns that do not hold each of 3 threads once", seen(*idle("even", "even"))),
                ("columns that do not hold each of 3 threads once", seen(*idle("0", "2"))),
                ("thread 1 stands in 0 columns", seen(*idle("even", "odd"), columns={"odd": constant(2)})),
                ("a sequence that is rule 8 of 8", seen(PROCESSES, group(none, False, [to(1), to(2)], "all"))),
                ("a sequence with class index 1 of 1", seen(PROCESSES, group(of_rule("calls"), False, [to(1)], "all"))),
                ("group class 3 of 3", seen(PROCESSES, group(of_rule("calls"), False, [to(1), to(3)], "all"))),
                ("group class 3 of 3", seen(PROCESSES, group(of_rule("calls"), False, [to(2), NEXT], "all"))),
                ("class 3 of 3", sends(to(3), six)),
                ("partition 1 of 1", odds(one, two, partition=2)),
                ("partition 1 of 1", seen(group_classes=(RANK_BASES, SENDS, ODDS, group_class(to(2), one, two, partition=0)))),
                ("a partition of 4 for a group of 3", seen(columns={"odd": listed(1, 3)})),
                ("values of 1 calls for 6", sends(NEXT, value_group(of_one(0), to(1), to(2)))),
                ("values of 2 calls for 1", odds(value_group(of_rule("two"), to(3)), two, partition=0)),
                ("signature 5 of 5", odds(one, value_group(of_one(0), to(5)), partition=0)),
                ("a sequence with signature 2 of 2", sends(NEXT, value_group(of_rule("sends"), to(2)))),
                ("a sequence with signature 0 of 0", odds(one, value_group(of_one(0)), partition=0)),
                ("a shape of 3 values for MPI_X, which has 4", odds(one, value_group(of_one(0), to(0)), partition=0)),
                ("a column that is not as long as its value group, 3", seen(columns={"counts": listed(2, 4)})),
                ("a column that is not as long as its value group, 3", seen(columns={"more": listed(of_one(2), of_one(20))})),
                ("sequence 8 is not one of 1 differences", seen(columns={"more": listed(of_one(2), of_rule("up 2"), 0)})),
                ("sequence 5 is not one of 2 differences", seen(columns={"zigzag": constant(of_one(2))})),
                ("sequence 14 is not one of 2 differences", seen(columns={"zigzag": constant(of_rule("ramp"))})),
                ("a sequence that is rule 8 of 8", seen(columns={"more": listed(of_one(2), none, 0)})),
                ("sequence -1 is not one of 1 differences", seen(columns={"more": listed(of_one(2), -1, 0)})),
                ("a logical of 3", signatures(3, signature(2, "3" + ODD[1:] % "pair"))),
                ("a rank in a rank base of size 0", seen(columns={"3": constant(0)})),
                ("rank base 2 of 2", signatures(3, signature(2, ODD.replace("real 1", "real 2") % "pair"))),
                ("the process streams of rank 0 have no call", seen(group(0, True, [], "all"), THREADS)),
                ("rank 0 ends with a call of MPI_Send", seen(
                    group(of_one(0), True, [to(3)], "all"), group(of_rule("calls"), False, [to(1), to(2)], "all"),
                    group_classes=(RANK_BASES, SENDS, ODDS, group_class(to(1), value_group(of_one(0), to(1)))))),
                ("a token with tag 32", odd_shape(b"\x20" + ODD_SHAPE)),
                ("a shape of 5 values for MPI_X, which has 4", odd_shape(ODD_SHAPE + b"\x01")),
                ("sequence 14 is not one of 5 differences", seen(columns={"order": constant(of_rule("ramp"))})),
                ("sequence 5 is not one of 5 differences", seen(columns={"order": constant(of_one(2))})),
                ("shape 3 of a series of 3", seen(rules=[*RULES.values(), steps(1, 1, 1, -1, -1)], columns={
                    "order": constant(none)})),
                ("shape -1 of a series of 3", seen(rules=[*RULES.values(), steps(-1, 2, 1, -1, -1)], columns={
                    "order": constant(none)})),
                ("sequence 12 is not one of 3 differences", seen(rules=[*RULES.values(), steps(1, 1, -1, 0, 0)], columns={
                    "order": constant(none)})),
                ("2^28 values or more", odd_shape(b"\x14" + varint(1 << 28) + b"\x01\x01" + ODD_SHAPE)),
        ):
            with self.subTest(message):
                printed, damage = decode(data)
                self.assertIn(message, str(damage))
                self.assertTrue(expected().startswith(printed), printed)


class Shapes(unittest.TestCase):
    def good(self, content):
        return values_of.Shape(content, [])

    def bad(self, content):
        with self.assertRaises(parts.Damage):
            values_of.Shape(content, [])

    def test_series(self):
        shape = self.good(b"\x0f\x02\x03\x14\x03\x02\x09\x03")
        self.assertEqual((shape.slots, shape.has_series), ([False, False, True, True, True], True))
        self.assertEqual(self.good(b"\x14\x02\x01\x09").slots, [True, True])
        self.bad(b"\x14\x01\x01\x03")                   # of 1
        self.bad(b"\x14\x02\x00")                       # of no shapes
        self.bad(b"\x14\x02\x03\x03\x01\x04")           # of more shapes than values
        self.bad(b"\x14\x02\x01\x14\x02\x01\x03")       # of series
        self.bad(b"\x14\x02\x01\x0f\x01\x14\x02\x01\x03")
        self.bad(b"\x10\x02\x14\x02\x01\x03")           # among flags
        self.bad(b"\x14\x02\x02\x03")                   # cut off

    def test_bounds(self):
        self.good(b"\x14" + varint((1 << 27) - 1) + b"\x02\x07\x03\x03")
        self.bad(b"\x14" + varint(1 << 27) + b"\x02\x03\x0f\x01\x03")
        self.good(b"\x0f\x01" * 31 + b"\x03")
        self.bad(b"\x0f\x01" * 32 + b"\x03")


def expanded(table):
    """The expansion of each rule."""
    found = []
    for symbols in table:
        found.append([])
        for kind, value, exponent in symbols:
            found[-1] += {T: [value] * exponent, RAMP: range(value, value + exponent)}.get(kind) or found[value] * exponent
    return found


def made(ramps, seed):
    """A random grammar of up to some 10000 terminals a rule, and its expansions."""
    dice, table, sizes = random.Random(seed), [], []
    while len(table) < 25:
        symbols = []
        for _ in range(dice.randint(1, 6)):
            kind = dice.choice((T, R) + (RAMP,) * ramps) if table else T
            value = dice.randrange(max(0, len(table) - 4), len(table)) if kind == R else dice.randint(1, 9)
            symbols.append((kind, value, dice.randint(2, 4) if kind == RAMP else dice.choice((1, 1, 2, 3))))
        size = sum((sizes[value] if kind == R else 1) * exponent for kind, value, exponent in symbols)
        if size < 10000:
            table.append(symbols)
            sizes.append(size)
    return grammar.Rules(parts.Cursor(counted([rule(*symbols) for symbols in table]))), expanded(table)


class Grammars(unittest.TestCase):
    def test_expansion(self):
        for seed in range(20):
            found, expansions = made(True, seed)
            for s, terminals in enumerate(expansions, 1):
                self.assertEqual(list(found.terminals(s)), terminals)
                self.assertEqual((found.lengths[s], found.largest[s]), (len(terminals), max(terminals)))
                self.assertEqual(found.counts(s, 13), [terminals.count(t) for t in range(13)])
                for i in random.Random(s).sample(range(len(terminals)), min(9, len(terminals))):
                    self.assertEqual(found.find(s, i)[0], terminals[i])

    def test_sums(self):
        for seed in range(20):
            found, expansions = made(False, seed)
            for s, terminals in enumerate(expansions, 1):
                values = list(itertools.accumulate(map(grammar.difference, terminals), initial=5))
                column = grammar.Column(parts.Cursor(expression(7, 5, 2 * s)), found)
                self.assertEqual(column.length, len(values))
                self.assertEqual(column.value(len(values) - 1), values[-1])
                for i in random.Random(s).sample(range(len(values)), min(9, len(values))):
                    self.assertEqual(column.value(i), values[i])
                    self.assertEqual(found.find(s, min(i, len(terminals) - 1))[1] + 5, values[min(i, len(terminals) - 1)])

    def test_increasing(self):
        """Each number is found in that column of several which holds it."""
        for seed in range(50):
            dice = random.Random(seed)
            size, number = dice.randint(2, 400), dice.randint(1, 5)
            owner = [dice.randrange(number) if seed % 2 else i % number for i in range(size)]
            lists = [[i for i in range(size) if owner[i] == part] for part in range(number)]
            lists = [values for values in lists if values]
            rules, columns = [], []
            for values in lists:
                if dice.random() < 0.5:
                    columns.append(listed(*values))
                    continue
                differences = [b - a for a, b in zip(values, values[1:])]
                runs = [(T, d << 1, len(list(equal))) for d, equal in itertools.groupby(differences)]
                half = len(runs) // 2
                if half:
                    rules.append(rule(*runs[:half]))
                    runs = [(R, len(rules) - 1, 1)] + runs[half:]
                rules += [rule(*runs)] if runs else []
                columns.append(expression(7, values[0], 2 * len(rules) if runs else 0))
            found = grammar.Rules(parts.Cursor(counted(rules)))
            split = grammar.Split([(k, grammar.Column(parts.Cursor(c), found)) for k, c in enumerate(columns)], size, "place")
            for k, values in enumerate(lists):
                for position, i in enumerate(values):
                    self.assertEqual(split.find(i), (k, position))

    def test_expressions(self):
        table = grammar.Rules(parts.Cursor(counted([])))
        least = -(1 << 63)
        for kind, more, x, c, value in ((0, (), 7, -9, -9), (1, (), 7, -9, -2), (2, (), 7, 1, -6), (3, (), 7, 1, -13),
                                        (4, (), 6, 3, -1), (5, (), 6, 3, 5), (6, (5,), 7, -9, 3), (6, (5,), 7, 0, 2),
                                        (1, (), 1, -least - 1, least), (2, (), 1, least, -least - 1),
                                        (6, (10,), 1, -least - 1, least % 10)):
            column = grammar.Column(parts.Cursor(expression(kind, c, *more)), table)
            self.assertEqual((column.value(3, x), column.length), (value, None))
        self.assertEqual(grammar.Column(parts.Cursor(listed(4, -1)), table).value(1, 9), -1)

    def test_long_sequence(self):
        """A rule too long to be kept is walked; 2^62 terminals cost nothing."""
        found = grammar.Rules(parts.Cursor(counted([rule((T, 2, 5000)), rule((R, 0, 9), (T, 1, 9999)), rule((R, 1, 2), (T, 3, 1)),
                                                  rule((RAMP, 4, 1 << 62))])))
        self.assertEqual(list(found.terminals(3)), ([2] * 45000 + [1] * 9999) * 2 + [3])
        self.assertEqual(list(itertools.islice(found.terminals(4), 3)), [4, 5, 6])
        self.assertEqual(found.find(4, 1 << 61)[0], 4 + (1 << 61))

    def test_many_ranks(self):
        """A ring of 2^40 ranks, of which those with an even number are another structure group than the odd ones. The threads
        of the first half of them only have calls."""
        half, size = 1 << 39, 1 << 40
        rules = [rule((T, 2, half)), rule((R, 0, 1), (T, 0, half)),  # 2; 4: the threads
                 rule((T, 4, half - 1)), rule((T, 2, size - 1)), rule((T, 4, half // 2 - 1))]
        columns = {"3": constant(size), "all": expression(7, 0, 8), "threads": expression(7, 0, 4), "even": expression(7, 0, 10),
                   "odd": expression(7, 1, 10), "back": expression(2, size - 1), "counts": expression(1, 1)}
        settings = {"signatures": SIGNATURES[:2], "partitions": [], "ranks": size,
                    "group_classes": [RANK_BASES, group_class(NEXT, value_group(of_one(0), NEXT))]}
        halves = [group(of_one(0), False, [to(1)], name) for name in ("even", "odd")]
        content = calls(rules, columns, groups=[PROCESSES] + halves, **settings)
        line = ('{"rank":%d,"thread":0,"seq":0,"func":"MPI_Send","args":{"buf":"heap:0+64","count":%d,"dest":%d},"ret":0,'
                '"site":"app+0x1a42"}\n')
        for rank in (0, 1, 12345678901, half - 1):
            self.assertEqual(decode(trace(calls=content), rank), (line % (rank, rank + 1, (rank + 1) % size), None))
        self.assertEqual(decode(trace(calls=content), half), ("", None))
        self.assertTrue(decode(trace(calls=content))[0].startswith("".join(line % (r, r + 1, r + 1) for r in range(9))))
        # The last rank is the only one with a thread.
        rules[0], columns["threads"] = rule((T, 0, size - 1), (T, 2, 1)), expression(7, 0, 2)
        last = calls(rules, columns, groups=[PROCESSES, group(of_one(0), False, [to(1)], "0")], **settings)
        self.assertEqual(decode(trace(calls=last)), (line % (size - 1, size, 0), None))
