#!/usr/bin/env python3
"""Tests of the oracle itself: made-up traces and logs, each with one thing wrong, must be caught.

A checker that finds nothing proves nothing, so every rule in names.py and compare.py has a log here that breaks it, and the
second decoder reads traces written here from docs/FORMAT.md, whole, damaged at every byte and cut at every length.
It is long because it is a list: one small test for each rule.
"""
import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import compare  # noqa: E402
import names  # noqa: E402
import second_decoder as decoder  # noqa: E402


# ---- a writer of traces, from docs/FORMAT.md ---------------------------------------------------------------------

def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def svarint(v):
    return varint(((v << 1) ^ (v >> 63)) & ((1 << 64) - 1))


def counted(entries):
    return varint(len(entries)) + b"".join(entries)


def text(t):
    return varint(len(t)) + t


def runs(values):
    found = []
    for v in values:
        if found and found[-1][0] == v:
            found[-1][1] += 1
        else:
            found.append([v, 1])
    return counted([varint(v) + varint(n - 1) for v, n in found])


def rules(*grammar):
    """Each rule: a list of (is_rule, value, exponent)."""
    return varint(len(grammar)) + b"".join(
        counted([varint(value << 2 | (exponent > 1) << 1 | is_rule) + (varint(exponent - 2) if exponent > 1 else b"")
                 for is_rule, value, exponent in rule]) for rule in grammar)


def section(kind, content, stored=None):
    stored = content if stored is None else stored
    head = bytes([kind]) + varint(len(content)) + varint(len(stored))
    return head + struct.pack("<I", decoder.xxh32(head + stored)) + stored


def zstd(content, known):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createCCtx.restype = ctypes.c_void_p
    library.ZSTD_freeCCtx.argtypes = [ctypes.c_void_p]
    library.ZSTD_compress_usingDict.restype = ctypes.c_size_t
    library.ZSTD_compress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                                ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = ctypes.create_string_buffer(len(content) + 1000)
    context = library.ZSTD_createCCtx()
    size = library.ZSTD_compress_usingDict(context, room, len(room), content, len(content), known, len(known), 3)
    library.ZSTD_freeCCtx(context)
    return room.raw[:size]


STRINGS = [b"app", b"comm", b"A", b"B", b"key", b"value"]
S = {name: number for number, name in enumerate(STRINGS)}

ARRAY_1 = bytes([15, 1])
PROCESS_SHAPE = ARRAY_1 + b"\x03" + ARRAY_1 + b"\x03" + b"\x01"
SEND_SHAPE = b"\x0a\x03\x06\x03"  # heap, int, rank, int
ODD_SHAPE = (b"\x0f\x09"                                       # x in: array of 9
             + b"\x01" + b"\x02" + varint(S[b"A"]) + b"\x04" + b"\x05"
             + b"\x07\x06"                                     # view, then a rank
             + b"\x0e" + text(b'q"\\\n\xff\xc3\xa9')
             + b"\x10\x02\x02" + varint(S[b"B"]) + b"\x03"     # flags
             + b"\x11\x03" + b"\x06\x03\x03\x04\x03"           # status with error, ignored
             + b"\x12" + text(b"sum")
             + b"\x0f\x07" + b"\x08" + varint(S[b"comm"]) + b"\x09\x0b\x0c\x0d\x13\x03"  # x out
             + b"\x0f\x00"                                     # y: an empty array
             + b"\x03")


def constant(v):
    return varint(0) + svarint(v)


def plus_rank(v):
    return varint(1) + svarint(v)


def listed(*values):
    last, entries = 0, []
    for v in values:
        entries.append(svarint(v - last))
        last = v
    return varint(3) + counted(entries)


def arithmetic(*parts):
    """Each part: first, length, step."""
    last, entries = 0, []
    for first, length, step in parts:
        entries.append(svarint(first - last) + varint(length - 1) + (svarint(step) if length > 1 else b""))
        last = first + step * (length - 1)
    return varint(2) + counted(entries)


def definitions():
    functions = [b"pilgrim_process,views_rank,views_size:\0", b"MPI_Send,buf,count,dest\0", b"MPI_X&x>y:\0"]
    modules = [varint(S[b"app"]) + text(b"\xab\0\1\2"), varint(S[b"A"]) + text(b"")]
    callers = [varint(1) + svarint(0x20) + varint(0), varint(0) + svarint(-0x10) + varint(1)]
    classes = [varint(0) + varint(0), varint(2) + varint(1) + svarint(0x1a42),
               varint(5) + varint(4) + svarint(-2) + varint(1)]
    return (counted([t + b"\0" for t in STRINGS]) + counted([varint(S[b"key"]) + varint(S[b"value"])])
            + counted(functions) + counted(modules) + counted(callers) + counted(classes)
            + counted([text(t) for t in (PROCESS_SHAPE, SEND_SHAPE, ODD_SHAPE)]))


def structure():
    once = rules([(0, 0, 1)])
    sends = rules([(1, 1, 3), (0, 1, 1)], [(0, 0, 2)])  # S -> A^3 1; A -> 0^2
    alternating = rules([(1, 1, 3)], [(0, 0, 1), (0, 1, 1)])
    groups = [varint(0) + counted([varint(0)]), varint(1) + counted([varint(1), varint(2)])]
    # 3 ranks with one thread each; 3 process streams, 3 threads
    return varint(3) + runs([1, 1, 1]) + counted([once, sends, alternating]) + counted(groups) + runs([0] * 3 + [1] * 3)


REAL_BITS = struct.unpack("<q", struct.pack("<d", 0.1))[0]


def values():
    columns = [plus_rank(0), constant(3), constant(0), constant(64), arithmetic((2, 2, 2), (5, 1, 0)),
               constant(-1), constant(1), constant(1 << 60), constant(REAL_BITS), listed(7, -7), listed(9)]
    send = [2, 3, 4, 6, 2]       # heap:0+64, count 2 4 5, dest rank+1
    send_far = [2, 3, 4, 5, 2]   # dest rank-1
    odd = [6,                    # bool 1
           8, 2, 5,              # real, view 0, rank - 1
           3,                    # flags: 64
           2, 3, 2, 6, 6,        # status: source rank + 0, tag 64, bytes 0, cancelled 1, error 1
           6, 6, 2, 1, 2, 3, 6, 2, 3, 3, 7, 2]
    pieces = [varint(0) + varint(0) + varint(1)]  # process: view (rank, 3)
    pieces.append(varint(1) + b"".join(varint(c) for c in send))
    pieces.append(varint(1) + b"".join(varint(c) for c in send_far))
    pieces.append(varint(2) + b"".join(varint(c) for c in odd))
    partition = varint(3) + varint(2) + runs([0, 0, 1])
    group_0 = varint(0) + varint(0) + counted([varint(0)])
    # class MPI_Send: all in one part, two signatures; class MPI_X: ranks 0 and 1, rank 2 apart
    group_1 = (varint(0) + varint(2) + counted([varint(1), varint(2)])
               + varint(1) + varint(0) + counted([varint(3)]) + varint(0) + counted([varint(3)]))
    return counted(columns) + counted(pieces) + counted([partition]) + group_0 + group_1


def trace(definitions=definitions(), structure=structure(), values=values(), times=None, packed=False):
    parts = [decoder.MAGIC, struct.pack("<H", 1)]
    for kind, content in ((1, definitions), (2, structure), (3, values), (4, times)):
        if content is not None:
            parts.append(section(kind, content, zstd(content, decoder.dictionary() if kind == 1 else b"") if packed else None))
    return b"".join(parts) + section(0, b"")


def odd_line(rank):
    status = '{"source":%d,"tag":64,"bytes":0,"cancelled":true,"error":1,"ignored":true}' % rank
    inside = ('[null,"A",true,0.10000000000000001,%d,"q\\"\\\\\\u000a\\u00ff\u00e9","B|64",%s,"fn:sum"]'
              % ((rank - 1) % 3, status))
    out = '["comm:1","request:1.0","stack:3","static:0+64","device:1:0+64","fn:64","1152921504606846976"]'
    return ('{"rank":%d,"thread":0,"seq":6,"func":"MPI_X","lang":"fortran","args":{"x":{"in":%s,"out":%s},"y":[]},"ret":0,'
            '"site":"A+0x1a40","stack":["app+0x10","A+0x20"]}'
            % (rank, inside, out))


def expected():
    lines = []
    for rank in range(3):
        for seq in range(6):
            step = -1 if seq % 2 else 1
            lines.append('{"rank":%d,"thread":0,"seq":%d,"func":"MPI_Send","args":{"buf":"heap:0+64","count":%d,"dest":%d},'
                         '"ret":0,"site":"app+0x1a42"}' % (rank, seq, (2, 4, 5)[rank], (rank + step) % 3))
        lines.append(odd_line(rank))
    return "".join(line + "\n" for line in lines)


class Sink:
    def __init__(self):
        self.parts = []

    def write(self, data):
        self.parts.append(data)

    def text(self):
        return b"".join(self.parts).decode()


def decode(data):
    """(text, damage or None), in this process."""
    sink = Sink()
    try:
        found = decoder.Trace(data)
        decoder.trace_print(found, sink)
        return sink.text(), found.damage
    except decoder.Damage as damage:
        return sink.text(), damage


class Decoder(unittest.TestCase):
    maxDiff = None

    def test_xxh32(self):
        library = ctypes.CDLL("libxxhash.so.0")
        library.XXH32.restype = ctypes.c_uint32
        data = bytes((i * 131 + i // 7) & 255 for i in range(300))
        for length in range(300):
            self.assertEqual(decoder.xxh32(data[:length]), library.XXH32(data[:length], ctypes.c_size_t(length), 0))

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
                                     capture_output=True, timeout=60, check=False)
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
            changed[at] ^= 1 << at % 8
            self.assertIsNotNone(decode(bytes(changed))[1], at)

    def test_changed_behind_checksum(self):
        """Content that is wrong but has a right checksum is damage or another trace, never another exception."""
        for name, content in (("definitions", definitions()), ("structure", structure()), ("values", values())):
            for at in range(len(content)):
                for bit in range(8):
                    changed = bytearray(content)
                    changed[at] ^= 1 << bit
                    decode(trace(**{name: bytes(changed)}))

    def test_sections(self):
        head = trace()[:10]
        parts = [section(k, c) for k, c in ((1, definitions()), (2, structure()), (3, values()))]
        end = section(0, b"")
        good = head + b"".join(parts) + end
        self.assertEqual(decode(good), (expected(), None))
        self.assertEqual(decode(head + b"".join(parts) + section(64, b"hm") + end), (expected(), None))
        for bad in (good + b"\0", head + parts[0] + parts[2] + parts[1] + end, head + b"".join(parts[:2]) + end,
                    head + parts[0] + good[10:], head + b"".join(parts) + section(5, b"hm") + end,
                    good[:8] + b"\2\0" + good[10:]):
            self.assertIsNotNone(decode(bad)[1])

    def test_times(self):
        right = struct.pack("<9H", *range(9))
        self.assertEqual(decode(trace(times=right)), (expected(), None))
        for wrong in (right + b"\0", right[:-1], struct.pack("<9H", *[7424] * 9)):
            printed, damage = decode(trace(times=wrong))
            self.assertEqual(printed, expected())
            self.assertIn("times", str(damage))

    def test_grammars(self):
        right = decoder.Rules(decoder.Cursor(rules([(0, 7, 5), (1, 2, 2)], [(0, 1, 1), (0, 2, 3)], [(1, 1, 1), (0, 9, 1)])))
        self.assertEqual(list(right.terminals()), [7] * 5 + [1, 2, 2, 2, 9] * 2)
        for wrong in ([[(1, 1, 1)], [(1, 1, 1)]],                       # a cycle
                      [[(0, 1, 1)], [(0, 1, 1)]],                       # not reached
                      [[(1, 0, 1)]], [[(1, 2, 1)], [(0, 0, 1)]],        # no such rule
                      [[(1, 1, 1 << 62)], [(0, 0, 2)]]):                # 2^63 terminals
            with self.assertRaises(decoder.Damage):
                decoder.Rules(decoder.Cursor(rules(*wrong)))

    def test_long_sequence(self):
        """A rule too long to be kept is walked; 2^62 terminals cost nothing."""
        found = decoder.Rules(decoder.Cursor(rules([(1, 1, 2), (0, 3, 1)], [(1, 2, 9), (0, 1, 9999)], [(0, 2, 5000)])))
        walked = list(found.terminals())
        self.assertEqual(len(walked), 2 * (9 * 5000 + 9999) + 1)
        self.assertEqual(walked, ([2] * 45000 + [1] * 9999) * 2 + [3])
        endless = decoder.Rules(decoder.Cursor(rules([(0, 4, 1 << 62)])))
        self.assertEqual(next(iter(endless.terminals())), 4)

    def test_frames(self):
        """A chain of callers is bounded, and goes back only."""
        def made(modules, callers, classes):
            return (counted([b"app\0"]) + counted([]) + counted([b"MPI_X\0"]) + counted(modules) + counted(callers)
                    + counted(classes) + counted([]))

        def chain(length):
            return [varint(0) + svarint(1) + varint(i) for i in range(length)]

        app = [varint(0) + text(b"")]
        found = decoder.Trace.__new__(decoder.Trace)
        found.definitions_read(decoder.Cursor(made(app, chain(63), [varint(0) + varint(2) + svarint(9) + varint(62)])))
        self.assertEqual(found.classes[0][1], ["app+0x9"] + ["app+0x%x" % i for i in range(63, 0, -1)])
        for modules, callers, classes in ((app, chain(64), []),                                    # too long
                                          (app, [varint(0) + svarint(1) + varint(1)], []),         # its own caller
                                          (app, chain(1), [varint(0) + varint(2) + svarint(9) + varint(1)]),
                                          (app, [], [varint(0) + varint(3) + svarint(9)]),         # no such module
                                          ([varint(0) + text(b"x" * 33)], [], []),
                                          ([varint(1) + text(b"")], [], [])):
            with self.assertRaises(decoder.Damage):
                found.definitions_read(decoder.Cursor(made(modules, callers, classes)))

    def test_varints(self):
        for right in (0, 1, 127, 128, (1 << 64) - 1):
            self.assertEqual(decoder.Cursor(varint(right)).varint(), right)
        for right in (0, -1, 1, -(1 << 63), (1 << 63) - 1):
            self.assertEqual(decoder.Cursor(svarint(right)).svarint(), right)
        for wrong in (b"\x80\x00", b"\x80" * 10 + b"\x01", b"\xff" * 9 + b"\x02", b"\x80", b""):
            with self.assertRaises(decoder.Damage):
                decoder.Cursor(wrong).varint()

    def test_lengths(self):
        """More calls of a class in the structure than values, and the other way round."""
        for sends in (rules([(0, 0, 4), (0, 1, 1)]), rules([(0, 0, 9), (0, 1, 1)])):
            once, alternating = rules([(0, 0, 1)]), rules([(1, 1, 3)], [(0, 0, 1), (0, 1, 1)])
            groups = [varint(0) + counted([varint(0)]), varint(1) + counted([varint(1), varint(2)])]
            content = (varint(3) + runs([1] * 3) + counted([once, sends, alternating]) + counted(groups)
                       + runs([0] * 3 + [1] * 3))
            self.assertIn("values", str(decode(trace(structure=content))[1]))

    def test_strings(self):
        self.assertEqual(decoder.escape(b"a\x7f\x1f/\xe2\x82\xac"), "a\x7f\\u001f/\u20ac")
        self.assertEqual(decoder.escape(b"\xe2\x82A\xed\xa0\x80\xc0\x80"),
                         "\\u00e2\\u0082A\\u00ed\\u00a0\\u0080\\u00c0\\u0080")

    def test_numbers(self):
        printer = decoder.Printer([1 << 53, (1 << 53) + 1, -(1 << 53) - 1], [])
        shown = [printer.value((decoder.INT, None, i, [])) for i in range(3)]
        self.assertEqual(shown, ["9007199254740992", '"9007199254740993"', '"-9007199254740993"'])
        bits = [struct.unpack("<q", struct.pack("<d", v))[0] for v in (0.5, float("inf"), float("-inf"), float("nan"))]
        self.assertEqual([decoder.real(b) for b in bits], ["0.5", '"inf"', '"-inf"', '"nan"'])


# ---- made-up shadow logs -----------------------------------------------------------------------------------------

def line(thread, seq, args, raw, func="MPI_F"):
    call = {"rank": 0, "thread": thread, "seq": seq, "func": func, "args": args, "ret": 0, "site": "app+0x10"}
    call["raw"] = raw
    return json.dumps(call, separators=(",", ":"))


def released(name):
    return json.dumps({"released": name}, separators=(",", ":"))


class Logs(unittest.TestCase):
    """Writes logs to a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.seq = {}

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, lines, name="shadow.0.jsonl"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("".join(text + "\n" for text in lines))

    def call(self, args, raw, thread=0):
        seq = self.seq.get(thread, 0)
        self.seq[thread] = seq + 1
        return line(thread, seq, args, raw)

    def given(self, parameter, name, raw, thread=0):
        """A call that was passed NAME."""
        return self.call({parameter: name}, {parameter: raw}, thread)

    def returned(self, parameter, name, raw, thread=0):
        """A call that returned NAME through an out parameter."""
        return self.call({parameter: name}, {parameter + ">": raw}, thread)

    def changed(self, parameter, before, raw_before, after, raw_after, thread=0):
        return self.call({parameter: {"in": before, "out": after}}, {parameter: raw_before, parameter + ">": raw_after},
                         thread)


class Names(Logs):
    def good(self, *lines):
        self.write(lines)
        return names.names_check(self.path("shadow.0.jsonl"))

    def bad(self, message, *lines):
        self.write(lines)
        with self.assertRaises(compare.Difference) as caught:
            names.names_check(self.path("shadow.0.jsonl"))
        self.assertIn(message, str(caught.exception))

    # what is right

    def test_reuse_after_release(self):
        self.assertEqual(self.good(
            self.returned("newcomm", "comm:0", "0x84000001"), self.given("comm", "comm:0", "0x84000001"),
            released("comm:0"), self.changed("comm", "comm:0", "0x84000001", "MPI_COMM_NULL", "0x4000000"),
            self.returned("newcomm", "comm:0", "0x84000002")), 5)

    def test_reuse_after_null(self):
        self.good(self.returned("group", "group:0", "0x88000001"),
                  self.changed("group", "group:0", "0x88000001", "MPI_GROUP_NULL", "0x8000000"),
                  self.returned("group", "group:0", "0x88000002"))

    def test_requests_share_a_handle(self):
        self.good(self.returned("request", "request:1.0", "0xac000001"), self.returned("request", "request:1.1", "0xac000001"),
                  released("request:1.0"), released("request:1.1"),
                  self.changed("array", ["request:1.0", "request:1.1"], ["0xac000001"] * 2,
                               ["MPI_REQUEST_NULL"] * 2, ["0x2c000000"] * 2),
                  self.returned("request", "request:1.0", "0xac000007"))

    def test_persistent_request(self):
        self.good(self.returned("request", "request:1.0", "0x98000001"),
                  self.changed("request", "request:1.0", "0x98000001", "request:1.0", "0x98000001"),
                  self.changed("request", "request:1.0", "0x98000001", "request:1.0", "0x98000001"))

    def test_heap_offsets(self):
        self.good(self.given("buf", "heap:0+0", "0x55550000"), self.given("buf", "heap:0+64", "0x55550040"),
                  released("heap:0"), released("heap:7"), self.given("buf", "heap:0+8", "0x66660008"),
                  self.given("buf", "stack:0", "0x7fff0000"), self.given("buf", "static:0+4096", "0x401000"),
                  self.given("buf", "static:0+16", "0x400010"), self.given("buf", "MPI_BOTTOM", "0x0"),
                  self.given("buf", "NULL", "0x0"))

    def test_release_in_another_thread(self):
        """Thread 1 ends its wait after thread 0 has been given the name anew."""
        self.good(self.returned("request", "request:1.0", "0x98000001"), released("request:1.0"),
                  self.returned("request", "request:1.0", "0x98000002"),
                  self.changed("request", "request:1.0", "0x98000001", "MPI_REQUEST_NULL", "0x2c000000", thread=1))

    # what is wrong

    def test_name_with_two_values(self):
        self.bad("comm:0 is 0x84000001 and 0x84000002", self.given("comm", "comm:0", "0x84000001"),
                 self.given("comm", "comm:0", "0x84000002"))

    def test_name_with_two_values_out(self):
        self.bad("comm:0 is 0x84000001 and 0x84000002", self.returned("comm", "comm:0", "0x84000001"),
                 self.returned("comm", "comm:0", "0x84000002"))

    def test_value_with_two_names(self):
        self.bad("0x84000001 is comm:0 and comm:1", self.given("comm", "comm:0", "0x84000001"),
                 self.given("comm", "comm:1", "0x84000001"))

    def test_old_value_after_release(self):
        """The window for late lines is one call of the thread, not for ever."""
        self.bad("request:1.0 is used", self.returned("request", "request:1.0", "0x98000001"), released("request:1.0"),
                 self.changed("request", "request:1.0", "0x98000001", "MPI_REQUEST_NULL", "0x2c000000"),
                 self.given("request", "request:1.0", "0x98000001"))

    def test_old_binding_after_reuse(self):
        self.bad("comm:0 is 0x84000002 and 0x84000001", self.given("comm", "comm:0", "0x84000001"), released("comm:0"),
                 self.given("comm", "comm:0", "0x84000002"), self.given("comm", "comm:0", "0x84000001"))

    def test_request_given_twice(self):
        self.bad("second operation", self.returned("request", "request:1.0", "0xac000001"),
                 self.returned("request", "request:1.0", "0xac000001"))

    def test_request_never_created(self):
        self.bad("no call created", self.given("request", "request:1.0", "0xac000001"))

    def test_request_from_before(self):
        """Begun while tracing was off: class -1, new where it is first used, and then as any other."""
        used = self.given("request", "request:-1.0", "0x98000001")
        gone = self.changed("request", "request:-1.0", "0x98000001", "MPI_REQUEST_NULL", "0x2c000000")
        self.good(used, released("request:-1.0"), gone)
        self.bad("not released", used, gone)
        self.bad("request:-1.0 is 0x98000001 and 0x98000002", used, self.given("request", "request:-1.0", "0x98000002"))

    def test_request_not_released(self):
        self.bad("not released", self.returned("request", "request:1.0", "0x98000001"),
                 self.changed("requests", ["request:1.0"], ["0x98000001"], ["MPI_REQUEST_NULL"], ["0x2c000000"]))

    def test_persistent_request_changes(self):
        self.bad("request:1.0 is 0x98000001 and 0x98000002", self.returned("request", "request:1.0", "0x98000001"),
                 self.changed("request", "request:1.0", "0x98000001", "request:1.0", "0x98000002"))

    def test_heap_start_moves(self):
        self.bad("heap:0 is 0x55550000 and 0x55550008", self.given("buf", "heap:0+0", "0x55550000"),
                 self.given("buf", "heap:0+0", "0x55550008"))

    def test_heap_same_start(self):
        self.bad("0x55550000 is heap:0 and heap:1", self.given("buf", "heap:0+0", "0x55550000"),
                 self.given("buf", "heap:1+8", "0x55550008"))

    def test_device_start_moves(self):
        self.bad("device:0:1", self.given("buf", "device:0:1+0", "0x55550000"),
                 self.given("buf", "device:0:1+8", "0x55550000"))

    def test_stack_moves(self):
        self.bad("stack:0", self.given("buf", "stack:0", "0x7fff0000"), self.given("buf", "stack:0", "0x7fff0008"))

    def test_stack_two_names(self):
        self.bad("stack:0 and stack:1", self.given("buf", "stack:0", "0x7fff0000"),
                 self.given("buf", "stack:1", "0x7fff0000"))

    def test_static_base_moves(self):
        self.bad("static:0", self.given("buf", "static:0+16", "0x400010"), self.given("buf", "static:0+32", "0x400010"))

    def test_function_two_names(self):
        self.bad("fn:a and fn:b", self.given("fn", "fn:a", "0x400010"), self.given("fn", "fn:b", "0x400010"))

    def test_constant_with_two_values(self):
        self.bad("MPI_INT is", self.given("type", "MPI_INT", "0x4c000405"), self.given("type", "MPI_INT", "0x4c000406"))

    def test_constants_share_a_value(self):
        self.bad("MPI_INT and MPI_FLOAT", self.given("type", "MPI_INT", "0x4c000405"),
                 self.given("type", "MPI_FLOAT", "0x4c000405"))

    def test_constant_as_object(self):
        self.bad("of MPI_INT", self.given("type", "MPI_INT", "0x4c000405"), self.given("type", "datatype:0", "0x4c000405"))

    def test_object_as_constant(self):
        self.bad("datatype:0", self.given("type", "datatype:0", "0x4c000405"), self.given("type", "MPI_INT", "0x4c000405"))

    def test_in_arrays(self):
        self.bad("datatype:0 is", self.call({"types": ["datatype:0", "datatype:0"]}, {"types": ["0x8c000001", "0x8c000002"]}))

    def test_raw_missing(self):
        self.bad("no raw value", self.call({"comm": "comm:0"}, {}))
        self.bad("raw ones", self.call({"types": ["datatype:0", "MPI_INT"]}, {"types": ["0x8c000001"]}))

    def test_not_a_call(self):
        self.bad("not a call", '{"rank":0}')
        self.bad("not valid JSON", '{"rank":0')


class Compare(Logs):
    """Two ranks, the first with two threads; then one thing is changed."""

    def setUp(self):
        super().setUp()
        self.shadow = [[self.given("comm", "comm:0", "0x1", 0), self.given("comm", "comm:1", "0x2", 1), released("comm:1"),
                        self.given("comm", "comm:2", "0x3", 0)]]
        self.seq = {}
        self.shadow.append([self.given("comm", "comm:0", "0x1").replace('"rank":0', '"rank":1')])
        self.decoded = [self.cut(self.shadow[0][0]), self.cut(self.shadow[0][3]), self.cut(self.shadow[0][1]),
                        self.cut(self.shadow[1][0])]

    @staticmethod
    def cut(text):
        return text[:text.index(',"raw"')] + ',"start":10,"end":20}'

    def compare(self):
        self.write(self.shadow[0])
        self.write(self.shadow[1], "shadow.1.jsonl")
        self.write(self.decoded, "decoded")
        return compare.compare(self.folder.name, self.path("decoded"))

    def bad(self, message):
        with self.assertRaises(compare.Difference) as caught:
            self.compare()
        self.assertIn(message, str(caught.exception))

    def test_equal(self):
        self.assertEqual(self.compare(), 4)
        self.decoded = [text.replace(',"start":10,"end":20', "") for text in self.decoded]
        self.assertEqual(self.compare(), 4)

    def test_value(self):
        self.decoded[1] = self.decoded[1].replace("comm:2", "comm:3")
        self.bad("rank 0 thread 0 seq 1 differs")

    def test_space(self):
        self.decoded[1] = self.decoded[1].replace('"ret":0', '"ret": 0')
        self.bad("rank 0 thread 0 seq 1 differs")

    def test_key_order(self):
        self.shadow[1][0] = self.shadow[1][0].replace('"ret":0,"site":"app+0x10"', '"site":"app+0x10","ret":0')
        self.bad("rank 1 thread 0 seq 0 differs")

    def test_decoded_too_short(self):
        for at in (0, 1, 2, 3):
            kept = self.decoded.pop(at)
            with self.assertRaises(compare.Difference):
                self.compare()
            self.decoded.insert(at, kept)
        self.assertEqual(self.compare(), 4)

    def test_decoded_too_long(self):
        self.decoded.append(self.decoded[3].replace('"seq":0', '"seq":1'))
        self.bad("one more")
        self.decoded[4] = self.decoded[3].replace('"thread":0', '"thread":1')
        self.bad("one more")
        self.decoded[4] = self.decoded[3].replace('"rank":1', '"rank":2')
        self.bad("no shadow log")

    def test_twice(self):
        self.decoded.append(self.decoded[3])
        self.bad("out of order")

    def test_out_of_order(self):
        self.decoded[0], self.decoded[1] = self.decoded[1], self.decoded[0]
        self.bad("out of order")

    def test_shadow_seq(self):
        self.shadow[0][3] = self.shadow[0][3].replace('"seq":1', '"seq":2')
        self.bad("expected rank 0, seq 1")

    def test_no_raw(self):
        self.shadow[1][0] = self.shadow[1][0][:self.shadow[1][0].index(',"raw"')] + "}"
        self.bad("no raw values")

    def test_not_json(self):
        self.decoded[2] = self.decoded[2][:-1]
        self.bad("not valid JSON")

    def test_key_twice(self):
        self.decoded[2] = self.decoded[2].replace('"ret":0', '"ret":0,"ret":0')
        self.bad("a key twice")

    def test_times(self):
        self.decoded[2] = self.decoded[2].replace('"start":10', '"start":30')
        self.bad("start and end")

    def test_cut_off(self):
        self.compare()
        with open(self.path("decoded"), "r+", encoding="utf-8") as file:
            whole = file.read()
            file.seek(0)
            file.truncate()
            file.write(whole[:-1])
        with self.assertRaises(compare.Difference):
            compare.compare(self.folder.name, self.path("decoded"))

    def test_empty(self):
        self.shadow, self.decoded = [[], []], []
        self.bad("no calls")


class Lines(unittest.TextTestResult):
    """Prints PASS and FAIL lines, as tests/run-all counts them."""

    def addSuccess(self, test):
        super().addSuccess(test)
        print("PASS oracle-self/" + test.id().split(".", 1)[1], flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print("FAIL oracle-self/%s: %s" % (test.id().split(".", 1)[1], str(err[1]).split("\n", 1)[0]), flush=True)

    addError = addFailure


if __name__ == "__main__":
    unittest.main(testRunner=unittest.TextTestRunner(resultclass=Lines, verbosity=0))
