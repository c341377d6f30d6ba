#!/usr/bin/env python3
"""Tests of the oracle itself: made-up logs, each with one thing wrong, must be caught.

A checker that finds nothing proves nothing, so every rule in names.py and compare.py has a log here that breaks it. The
tests of the second decoder are in second_selftest*.py, and run from here.
"""
import json
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bins  # noqa: E402
import compare  # noqa: E402
import names  # noqa: E402
from second_selftest import Decoder, Grammars, Shapes  # noqa: E402, F401
from second_selftest_clocks import Clocks  # noqa: E402, F401
from second_selftest_requests import Completed, Live, Posted  # noqa: E402, F401
from second_selftest_aggregates import Figures, Shares, Traces  # noqa: E402, F401
from second_selftest_profile import Coder, Profiles  # noqa: E402, F401
from second_selftest_statistics import Statistics  # noqa: E402, F401
from second_selftest_times import Times  # noqa: E402, F401
from second_selftest_streams import Blocks, Loops, Registers, UnzippedSignatures  # noqa: E402, F401


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
        anew = self.given("request", "request:-1.0", "0x98000002", thread=1) # its line comes before that of the call that used it first
        between = self.given("comm", "comm:0", "0x84000001", thread=1)
        self.good(released("request:-1.0"), between, anew, gone)
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
        self.shadow = [[self.timed(text) for text in texts] for texts in self.shadow]
        self.decoded = [self.cut(self.shadow[0][0]), self.cut(self.shadow[0][3]), self.cut(self.shadow[0][1]),
                        self.cut(self.shadow[1][0])]

    @staticmethod
    def timed(text):
        """Call n of its thread lasts from 20 n + 10 to 20 n + 20."""
        if "released" in text:
            return text
        start = 10 + 20 * json.loads(text)["seq"]
        return text.replace(',"raw"', ',"start":%d,"end":%d,"raw"' % (start, start + 10))

    @staticmethod
    def cut(text):
        return text[:text.index(',"raw"')] + "}"

    def compare(self, times=False):
        self.write(self.shadow[0])
        self.write(self.shadow[1], "shadow.1.jsonl")
        self.write(self.decoded, "decoded")
        return compare.compare(self.folder.name, self.path("decoded"), times)

    def bad(self, message, times=False):
        with self.assertRaises(compare.Difference) as caught:
            self.compare(times)
        self.assertIn(message, str(caught.exception))

    def test_equal(self):
        self.assertEqual(self.compare(), 4)
        self.assertEqual(self.compare(times=True), 4)
        self.decoded = [compare.TIMES.sub("}", text) for text in self.decoded]
        self.assertEqual(self.compare(), 4)
        self.bad("no times", times=True)
        self.shadow = [[re.sub(r',"start":\d+,"end":\d+', "", text) for text in texts] for texts in self.shadow]
        self.assertEqual(self.compare(), 4)
        self.bad("no times", times=True)

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
        self.decoded.append(self.decoded[3].replace('"seq":0', '"seq":1').replace('"start":10,"end":20', '"start":30,"end":40'))
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
        self.decoded[1] = self.decoded[1].replace('"start":30', '"start":29')
        self.assertEqual(self.compare(), 4)
        self.bad("rank 0 thread 0 seq 1 differs", times=True)

    def test_negative_duration(self):
        for texts, at in ((self.decoded, 2), (self.shadow[0], 1)):
            good = texts[at]
            texts[at] = good.replace('"start":10', '"start":21')
            self.bad("start and end")
            texts[at] = good
        self.assertEqual(self.compare(), 4)

    def test_negative_gap(self):
        for texts, at in ((self.decoded, 1), (self.shadow[0], 3)):
            good = texts[at]
            texts[at] = good.replace('"start":30', '"start":19')
            self.bad("start and end")
            texts[at] = good
        self.assertEqual(self.compare(), 4)

    def test_one_time(self):
        self.decoded[0] = self.decoded[0].replace(',"end":20', "")
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


class Bins(Logs):
    """One thread: calls with their true times and those that are stored."""

    def check(self, bases, *calls):
        """CALLS: (function, true start, true end, stored start, stored end)."""
        shadow, decoded = [], []
        for seq, (func, *times) in enumerate(calls):
            text = line(0, seq, {}, {}, func)
            shadow.append(text.replace(',"raw"', ',"start":%d,"end":%d,"raw"' % tuple(times[:2])))
            decoded.append(text.replace(',"raw":{}', ',"start":%d,"end":%d' % tuple(times[2:])))
        self.write(shadow)
        self.write(decoded, "decoded")
        return bins.bins_check(bases, self.folder.name, self.path("decoded"), lambda *_: iter(self.signatures(calls)))

    @staticmethod
    def signatures(calls):
        """A function is a signature; one whose name begins with U is unzipped, and its class is U."""
        return [((func,), func[0], func[0] == "U") for func, *_ in calls]

    def bad(self, message, bases, *calls):
        with self.assertRaises(compare.Difference) as caught:
            self.check(bases, *calls)
        self.assertIn(message, str(caught.exception))

    def test_series(self):
        self.assertEqual(bins.series(200000)[:12], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12])
        self.assertEqual(bins.series(1000000)[:6], [0, 1, 2, 4, 8, 16])
        self.assertEqual(bins.series(3000000)[:5], [0, 1, 4, 16, 64])
        self.assertEqual(bins.series(1000000)[-1], 1 << 62)

    def test_bases(self):
        base = bins.bases_read("1.2,MPI_Wait*:2,MPI_Waitall:1.001")
        self.assertEqual([base("MPI_" + name) for name in ("Send", "Wait", "Waitall")], [200000, 1000000, 1000])

    def test_good(self):
        self.assertEqual(self.check("2", ("F", 10, 15, 5, 9), ("G", 16, 16, 13, 13), ("F", 105, 106, 55, 56))[0], 3)
        self.assertEqual(self.check("2", ("F", 10, 15, 5, 9))[1], 1)

    def test_exact_is_good(self):
        self.assertEqual(self.check("1.001", ("F", 10, 15, 10, 15), ("F", 15, 15, 15, 15)), (2, 0))

    def test_duration(self):
        self.bad("stored as 5", "2", ("F", 10, 15, 10, 15))
        self.bad("stored as 2", "2", ("F", 10, 15, 10, 12))
        self.assertEqual(self.check("2", ("F", 10, 15, 10, 14))[0], 1)

    def test_later(self):
        self.bad("stored as 11", "2", ("F", 10, 15, 11, 15))

    def test_overlap(self):
        self.bad("wrong", "2", ("F", 10, 14, 10, 14), ("G", 20, 20, 13, 13))

    def test_interval_since_end(self):
        self.assertEqual(self.check("2", ("F", 10, 14, 10, 14), ("G", 20, 20, 17, 17))[0], 2)
        self.bad("6 ns after", "2", ("F", 10, 14, 10, 14), ("G", 20, 20, 16, 16))

    def test_interval_since_the_same(self):
        self.assertEqual(self.check("2", ("F", 10, 14, 10, 14), ("F", 20, 20, 15, 15))[0], 2)
        self.bad("19 ns after", "2", ("F", 10, 14, 10, 14), ("F", 29, 29, 19, 19))

    def test_unzipped(self):
        """Measured from some call of its class before it, unless there was one like it."""
        first, other, late = ("U1", 10, 14, 10, 14), ("U2", 30, 30, 20, 20), ("U2", 30, 30, 19, 19)
        self.assertEqual(self.check("2", first, other)[0], 2)
        self.bad("20 ns after", "2", first, late)
        self.bad("4 ns after", "2", ("V1", 10, 14, 10, 14), ("U2", 18, 18, 15, 15))
        self.assertEqual(self.check("2", first, other, ("U2", 50, 50, 35, 35))[0], 3)
        self.bad("30 ns after", "2", first, other, ("U2", 50, 50, 34, 34))

    def test_errors_add_up(self):
        good = [("F", 100 * i, 100 * i, 100 * i, 100 * i) for i in range(1, 50)]
        self.assertEqual(self.check("1.2", *good)[0], 49)
        late = [("F", 100 * i, 100 * i, 95 * i, 95 * i) for i in range(1, 50)]
        self.bad("ns after", "1.2", *late)

    def test_own_base(self):
        calls = ("F", 10, 15, 5, 9), ("G", 30, 30, 26, 26)
        self.check("2", *calls)
        self.bad("base 1.2", "2,G:1.2", *calls)

    def test_no_times(self):
        text = line(0, 0, {}, {})
        self.write([text.replace(',"raw"', ',"start":1,"end":2,"raw"')])
        self.write([text.replace(',"raw":{}', "")], "decoded")
        with self.assertRaises(compare.Difference):
            bins.bins_check("2", self.folder.name, self.path("decoded"), lambda *_: iter([(("F",), "F", False)]))


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
