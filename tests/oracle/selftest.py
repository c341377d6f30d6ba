#!/usr/bin/env python3
"""Tests of the oracle itself: made-up logs, each with one thing wrong, must be caught.

A checker that finds nothing proves nothing, so every rule in names.py and compare.py has a log here that breaks it. The
tests of the second decoder are in second_selftest*.py, and run from here.
"""
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import compare  # noqa: E402
import names  # noqa: E402
from second_selftest import Decoder, Grammars, Shapes  # noqa: E402, F401
from second_selftest_requests import Completed, Posted  # noqa: E402, F401
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
