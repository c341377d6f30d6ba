# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the second decoder: arrays of requests that are completed, statuses that were predicted."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import second_parts as parts  # noqa: E402
import second_values as values_of  # noqa: E402
from second_selftest_streams import INT, NONE, ONE_TO_THREE, RANK, THREE, OneByOne, array, edited, keep  # noqa: E402
from trace_writer import Builder, T, constant, expression, listed, rule, varint  # noqa: E402

NAME, REQUEST, RANK_BASE, REAL, BOOL = b"\2\0", b"\x09", b"\7", b"\5", b"\4"
SERIES = b"\x14\3\1\3"       # of three ints


def completed(parameter, value):
    return b"\x17" + varint(parameter) + value


def posted(bits=0):
    return b"\x18" + bytes([bits])


class Requests(OneByOne):
    def made(self, *calls, threads=1, rank_bases=((0, 1),)):
        """NAME is NULL."""
        b = super().made(*calls, threads=threads, rank_bases=rank_bases)
        b.tables["strings"] = {b"NULL": 0, **{t: i + 1 for i, t in enumerate(b.table("strings"))}}
        b.tables["modules"] = {varint(1) + content[1:]: i for i, content in enumerate(b.table("modules"))}
        return b


class Completed(Requests):
    def test_right(self):
        """Of each: the declaration, the shape, the numbers, what is printed."""
        for declaration, shape, numbers, printed in (
                (b"X&a>b", THREE + completed(1, NAME) + INT, [*ONE_TO_THREE, 1], '"a":{"in":[1,2,3],"out":[1,"NULL",3]},"b":1'),
                (b"X>b&a", THREE + INT + completed(0, NAME), [*ONE_TO_THREE, 2], '"b":2,"a":{"in":[1,2,3],"out":[1,2,"NULL"]}'),
                (b"X&a>b", THREE + completed(1, INT) + array(INT, INT, INT), [*ONE_TO_THREE, 7, 2, 0, 2],
                 '"a":{"in":[1,2,3],"out":[7,2,7]},"b":[2,0,2]'),
                (b"X&a>b", THREE + completed(1, array(INT)) + array(NAME, INT), [*ONE_TO_THREE, 7, 0],
                 '"a":{"in":[1,2,3],"out":[[7],2,3]},"b":["NULL",0]'),
                (b"X&a>b", THREE + completed(1, NONE) + NAME, ONE_TO_THREE, '"a":{"in":[1,2,3],"out":[1,2,3]},"b":"NULL"'),
                (b"X&a>b", THREE + completed(1, NONE) + array(), ONE_TO_THREE, '"a":{"in":[1,2,3],"out":[1,2,3]},"b":[]'),
                (b"X&a>b", THREE + completed(1, NONE) + keep(1, RANK_BASE + INT), [*ONE_TO_THREE, 0, 0],
                 '"a":{"in":[1,2,3],"out":[null,2,3]},"b":0'),
                (b"X&a>b", keep(2, RANK_BASE + THREE) + keep(1, completed(1, NONE)) + RANK_BASE + array(INT), [0, *ONE_TO_THREE, 0, 0],
                 '"a":{"in":[1,2,3],"out":[null,2,3]},"b":[0]'),
                (b"X&a&b", THREE + THREE + completed(1, NONE) + edited(0, INT, INT, INT),
                 [*ONE_TO_THREE, 0, 5, 1, 0, 2, 1, 0, 2, 2],
                 '"a":{"in":[1,2,3],"out":[null,2,null]},"b":{"in":[0,5,1],"out":[2,0,2]}'),
                (b"X&a>b", SERIES + completed(1, NONE) + SERIES, [1, 0, 0, 0], '"a":{"in":[1,1,1],"out":[null,1,1]},"b":[0,0,0]')):
            with self.subTest(shape):
                self.args(self.made((declaration, shape, numbers)), ("X", printed))

    def test_kept(self):
        """What is kept of it is the whole; what was kept before stays."""
        self.args(self.made((b"X,a", keep(0, THREE), ONE_TO_THREE),
                            (b"X&a>b", edited(1) + keep(0, completed(1, NAME)) + INT, [1]),
                            (b"X&a>b", edited(1) + keep(1, completed(1, NONE)) + INT, [0]),
                            (b"X,a,b", edited(1) + edited(2), [])),
                  ("X", '"a":[1,2,3]'), ("X", '"a":{"in":[1,2,3],"out":[1,"NULL",3]},"b":1'),
                  ("X", '"a":{"in":[1,"NULL",3],"out":[null,"NULL",3]},"b":0'), ("X", '"a":[1,"NULL",3],"b":[null,"NULL",3]'))

    def test_rank_bases(self):
        """What stands in the array has the rank base of where its token stands, not of where the indices do."""
        self.args(self.made((b"X&a>b>c", THREE + completed(1, RANK) + RANK_BASE + INT + RANK, [*ONE_TO_THREE, 1, 1, 2, 0]),
                            rank_bases=((3, 5), (2, 4))),
                  ("X", '"a":{"in":[1,2,3],"out":[1,2,4]},"b":2,"c":2'))

    def test_damage(self):
        for message, shape, numbers, declaration in (
                ("a completed array that is not there", INT + completed(1, NONE) + INT, [1, 0], b"X&a>b"),
                ("a completed array that is not there", completed(1, NONE) + INT, [0], b"X>a>b"),
                ("a completed array that is not there", completed(1, NONE) + INT, [0], b"X,a>b"),
                ("index 3 in a completed array of 3", THREE + completed(1, NONE) + INT, [*ONE_TO_THREE, 3], b"X&a>b"),
                ("index -1 in a completed array of 3", THREE + completed(1, NONE) + INT, [*ONE_TO_THREE, -1], b"X&a>b"),
                ("index 3 in a completed array of 3", THREE + completed(1, NONE) + array(INT, INT), [*ONE_TO_THREE, 0, 3],
                 b"X&a>b"),
                ("index null in a completed", THREE + completed(1, NONE) + NONE, ONE_TO_THREE, b"X&a>b"),
                ("index true in a completed", THREE + completed(1, NONE) + BOOL, [*ONE_TO_THREE, 1], b"X&a>b"),
                ("index 0 in a completed", THREE + completed(1, NONE) + RANK, [*ONE_TO_THREE, 0], b"X&a>b"),
                ("index 0 in a completed", THREE + completed(1, NONE) + array(REAL), [*ONE_TO_THREE, 0], b"X&a>b"),
                ("index [0] in a completed", THREE + completed(1, NONE) + array(array(INT)), [*ONE_TO_THREE, 0], b"X&a>b"),
                ("index None in a completed", THREE + completed(2, NONE) + INT, [*ONE_TO_THREE, 0], b"X&a>b"),
                ("index None in a completed", THREE + INT + completed(1, NONE) + INT, [*ONE_TO_THREE, 0, 0], b"X&a,b>c"),
                ("which is itself completed", THREE + completed(0, NONE) + INT, [*ONE_TO_THREE, 0], b"X&a>b"),
                ("which is itself completed", THREE + THREE + completed(1, NONE) + completed(2, INT) + INT,
                 [*ONE_TO_THREE, *ONE_TO_THREE, 0, 0], b"X&a&b>c")):
            with self.subTest(message):
                self.wrong(message, self.made((declaration, shape, numbers)), 0)

    def test_shapes(self):
        values_of.Shape(SERIES + completed(1, NONE) + INT, [])
        values_of.Shape(keep(0, completed(1, NONE)) + INT, [])
        for content in (INT + completed(1, NONE), array(completed(1, NONE)) + INT, RANK_BASE + completed(1, NONE) + INT,
                        completed(1, keep(1, NONE)) + INT, completed(1, completed(1, NONE)) + INT,
                        edited(1, completed(1, NONE)) + INT,
                        b"\x14\2\1" + completed(1, NONE) + INT, b"\x17\1", keep(0, completed(1, NONE)) + SERIES + INT):
            with self.assertRaises(parts.Damage, msg=content):
                values_of.Shape(content, [b"A"])


BEGIN = b"Irecv,source,tag,count>request"
BEGUN = (BEGIN, INT * 3 + REQUEST, [3, 4, 5, 0, 1])     # from 3 with tag 4, 5 of them; request 0.1
BEGUN_LINE = "Irecv", '"source":3,"tag":4,"count":5,"request":"request:0.1"'
WAIT = b"Wait,a>s"


def status(source, tag, count, ignored="false"):
    return '{"source":%s,"tag":%s,"bytes":%s,"cancelled":false,"ignored":%s}' % (source, tag, count, ignored)


class Posted(Requests):
    def test_right(self):
        for shape, numbers, printed in (
                (array(REQUEST) + posted(), [0, 1, 0, 8], '"a":["request:0.1"],"s":' + status(3, 4, 40)),
                (REQUEST + posted(), [0, 1, 0, 8], '"a":"request:0.1","s":' + status(3, 4, 40)),
                (array(NAME, REQUEST) + posted(1), [0, 1, 1, 8], '"a":["NULL","request:0.1"],"s":' + status(3, 4, 40, "true")),
                (array(REQUEST, REQUEST) + array(NONE, posted()), [7, 7, 0, 1, 1, -1],
                 '"a":["request:7.7","request:0.1"],"s":[null,%s]' % status(3, 4, -5)),
                (keep(0, RANK_BASE + array(REQUEST)) + RANK_BASE + posted(), [0, 0, 1, 0, 0, 1 << 62],
                 '"a":["request:0.1"],"s":' + status(3, 4, '"4611686018427387904"')),
                (keep(0, array(REQUEST)) + keep(1, posted()), [0, 1, 0, 8], '"a":["request:0.1"],"s":' + status(3, 4, 40))):
            with self.subTest(shape):
                self.args(self.made(BEGUN, (WAIT, shape, numbers)), BEGUN_LINE, ("Wait", printed))

    def test_which(self):
        """The last one that began it; the first in-value that is an array with one. A test that gives it out begins nothing."""
        again = (BEGIN, RANK + NAME + INT + REQUEST, [1, 6, 0, 1])
        test = (b"Test&request>s", REQUEST + REQUEST + NONE, [0, 1, 0, 1])
        wait = (b"Waitall,n,m,a,b>s", INT + array(INT) + array(REQUEST) + array(REQUEST) + posted(), [9, 9, 0, 1, 8, 8, 0, 2])
        self.args(self.made(BEGUN, again, test, wait, rank_bases=((1, 4),)),
                  BEGUN_LINE, ("Irecv", '"source":2,"tag":"NULL","count":6,"request":"request:0.1"'),
                  ("Test", '"request":{"in":"request:0.1","out":"request:0.1"},"s":null'),
                  ("Waitall", '"n":9,"m":[9],"a":["request:0.1"],"b":["request:8.8"],"s":' + status(2, '"NULL"', 12)))

    def test_edited(self):
        """The requests may be what was kept; the status may stand in what is edited."""
        self.args(self.made(BEGUN, (b"X,a,b", keep(0, array(NONE, REQUEST)) + keep(1, array(INT, INT)), [0, 1, 2, 2]),
                            (b"Wait,a>s", edited(1, REQUEST) + edited(2, posted()), [0, 5, 5, 1, 1, 8])),
                  BEGUN_LINE, ("X", '"a":[null,"request:0.1"],"b":[2,2]'),
                  ("Wait", '"a":["request:5.5","request:0.1"],"s":[2,%s]' % status(3, 4, 40)))

    def test_long(self):
        """Each time as the call before it began it, whatever the signatures: a loop of a beginning and its end."""
        b = Builder(ranks=2)
        up = [constant(0), constant(b.rule(rule((T, 2, 4)))), constant(1)]
        zero = [constant(0)] * 3
        begin = b.group_class(b.call_class(BEGIN), (b.sequence(0, 1, 0, 0), [
            b.signature(b.shape(INT * 3 + REQUEST + INT), [expression(1, 1), *zero[1:], *up, *up, *zero * 3], 0),
            b.signature(b.shape(INT * 3 + REQUEST + INT), list(map(constant, (7, 8, 9, 0, 0, 0))))]))
        wait = b.group_class(b.call_class(WAIT), (b.sequence(0, 0, 0, 0), [
            b.signature(b.shape(array(REQUEST) + posted() + INT), list(map(constant, (0, 0, 0, 2, 0))))]))
        loop = b.group_class(b.call_class(b"pilgrim_loop:"), (1, [b.signature(b.shape(INT), [constant(4)])]))
        b.process()
        b.group(b.sequence(2), [(begin, None), (wait, None), (loop, b.sequence(0, 1))], listed(0, 1))
        lines = []
        for rank in range(2):
            lines.append([])
            for source, tag, count in ((rank + 1, 0, 0), (7, 8, 9), (rank + 1, 1, 1), (rank + 1, 2, 2)):
                lines[-1] += ['"Irecv","args":{"source":%d,"tag":%d,"count":%d,"request":"request:0.0"},"ret":0}'
                              % (source, tag, count),
                              '"Wait","args":{"a":["request:0.0"],"s":%s},"ret":0}' % status(source, tag, 2 * count)]
        self.right(b, *lines)

    def test_damage(self):
        wait = (WAIT, array(REQUEST) + posted(), [0, 1, 0, 8])
        for message, printed, calls in (
                ("which no call has begun", 0, (wait,)),
                ("which no call has begun", 1, (BEGUN, (WAIT, array(REQUEST) + posted(), [0, 2, 0, 8]))),
                ("which no call has begun", 1, (BEGUN, (WAIT, array(REQUEST) + posted(), [0, 1, 1, 8]))),
                ("which no call has begun", 1, (BEGUN, (WAIT, array(REQUEST) + posted(), [0, 1, -1, 8]))),
                ("which no call has begun", 1, (BEGUN, (WAIT, array(REQUEST, INT) + posted(), [0, 1, 0, 1, 8]))),
                ("which no call has begun", 1, (BEGUN, (WAIT, array(b"\x0e\x0brequest:0.1", REQUEST) + posted(), [0, 1, 0, 8]))),
                ("which no call has begun", 2, (BEGUN, (b"Isend,tag,count>request", INT * 2 + REQUEST, [4, 5, 0, 1]), wait)),
                ("which no call has begun", 1, ((b"I,source,tag>count>request", INT * 3 + REQUEST, [4, 5, 6, 0, 1]), wait)),
                ("which no call has begun", 1, ((BEGIN, INT + INT + REAL + REQUEST, [4, 5, 6, 0, 1]), wait)),
                ("which no call has begun", 1, ((b"I,source,tag,count,request", INT * 3 + REQUEST, [4, 5, 6, 0, 1]), wait)),
                ("which no call has begun", 1, ((b"I,source,tag,count&request", INT * 3 + REQUEST * 2,
                                                 [4, 5, 6, 0, 1, 0, 1]), wait)),
                ("which no call has begun", 1, (BEGUN, (WAIT, REQUEST + posted(), [0, 1, 1, 8]))),
                ("a posted status without requests", 1, (BEGUN, (WAIT, array(NAME) + posted(), [0, 8]))),
                ("a posted status without requests", 1, (BEGUN, (b"Wait>a>s", array(REQUEST) + posted(), [0, 1, 0, 8]))),
                ("a posted status without requests", 1, (BEGUN, (b"Wait,a,s", array(REQUEST) + posted(), [0, 1, 0, 8])))):
            with self.subTest(message):
                self.wrong(message, self.made(*calls), printed)
        for content in (posted(2) + INT, b"\x14\2\1" + posted() + INT, b"\x14\2\1" + array(posted()) + INT, b"\x18"):
            with self.assertRaises(parts.Damage, msg=content):
                values_of.Shape(content, [])

    def test_threads(self):
        """What another thread began is not known."""
        b = Builder(ranks=2)
        one = b.signature(b.shape(INT * 3 + REQUEST + INT), list(map(constant, (3, 4, 5, 0, 1, 0))))
        other = b.signature(b.shape(array(REQUEST) + posted() + INT), list(map(constant, (0, 1, 0, 8, 0))))
        begin, wait = b.group_class(b.call_class(BEGIN), (1, [one])), b.group_class(b.call_class(WAIT), (1, [other]))
        b.process()
        b.group(1, [(begin, None)], constant(0))
        b.group(1, [(wait, None)], constant(1))
        self.wrong("which no call has begun", b, 1)


if __name__ == "__main__":
    unittest.main()


NEW, LIVE = b"\x19", b"\x1a"


def new(number):
    return (b"Isend>request", NEW, [number])


class Live(Requests):
    """Requests that are named by which are live."""

    def test_right(self):
        wait = b"Waitall&array_of_requests>s"
        self.args(self.made(new(0), new(0), new(5), new(0), (b"Look,a", array(LIVE, LIVE, NEW, NEW), [0, 1, 5, 0, 5, 1]),
                            (wait, array(LIVE, LIVE, NAME) + array(NAME, LIVE, NAME) + NONE, [0, 1, 0, 2, 0, 2]),
                            (b"Look,a", array(LIVE, LIVE), [0, 0, 0, 1]), new(0),
                            (b"Test&request>s", LIVE + LIVE + NONE, [0, 2, 0, 2]),
                            (b"Wait&request", LIVE + NAME, [0, 0]), (b"Look,a", array(LIVE, NEW), [0, 1, 0])),
                  ("Isend", '"request":"request:0.0"'), ("Isend", '"request":"request:0.1"'),
                  ("Isend", '"request":"request:5.0"'), ("Isend", '"request":"request:0.2"'),
                  ("Look", '"a":["request:0.1","request:5.0","request:5.1","request:1.0"]'),
                  ("Waitall", '"array_of_requests":{"in":["request:0.1","request:0.2","NULL"],"out":["NULL","request:0.2","NULL"]},"s":null'),
                  ("Look", '"a":["request:0.0","request:0.2"]'), ("Isend", '"request":"request:0.1"'),
                  ("Test", '"request":{"in":"request:0.1","out":"request:0.1"},"s":null'),
                  ("Wait", '"request":{"in":"request:0.0","out":"NULL"}'), ("Look", '"a":["request:0.1","request:0.0"]'))

    def test_written_out(self):
        """What is written out counts as well; a request that begins anew is the youngest, one with a large index is none."""
        self.args(self.made((b"Isend>request", REQUEST, [0, 3]), new(0), (b"Isend>request", REQUEST, [0, 3]),
                            (b"Isend>request", REQUEST, [0, 1024]), (b"Look,a", array(LIVE, LIVE), [0, 0, 0, 1]),
                            (b"Wait&request", REQUEST + NAME, [0, 0]), (b"Look,a", array(LIVE, NEW), [0, 0, 0])),
                  ("Isend", '"request":"request:0.3"'), ("Isend", '"request":"request:0.0"'),
                  ("Isend", '"request":"request:0.3"'), ("Isend", '"request":"request:0.1024"'),
                  ("Look", '"a":["request:0.0","request:0.3"]'), ("Wait", '"request":{"in":"request:0.0","out":"NULL"}'),
                  ("Look", '"a":["request:0.3","request:0.0"]'))

    def test_damage(self):
        for printed, calls in ((0, ((b"Look,a", LIVE, [0, 0]),)), (1, (new(0), (b"Look,a", LIVE, [0, 1]))),
                               (1, (new(0), (b"Look,a", LIVE, [0, -1]))), (1, (new(0), (b"Look,a", LIVE, [1, 0]))),
                               (1, ((b"Isend,request", NEW, [0]), (b"Look,a", LIVE, [0, 0]))),
                               (2, (new(0), (b"Wait&request", LIVE + NAME, [0, 0]), (b"Look,a", LIVE, [0, 0])))):
            with self.subTest(printed):
                self.wrong("are live", self.made(*calls), printed)
