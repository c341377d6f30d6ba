# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the second decoder's coded calls and definitions."""
import random
import unittest

import second_parts as parts
from coded_writer import coded, coded_definitions
from second_coded import LIBRARY, Coder, Mixer, coded_content, unzigzag, zigzag
from second_definitions import definitions_content
from second_parts import Damage
from trace_writer import Builder, block, constant, counted, expression, listed, once, rule, svarint, varint, R, RAMP, T

CLASSES = [(1, False), (0, True), (1, False)]
SHAPES = [(0, []), (2, [5 << 52, 9 << 52]), (3, [9 << 52])]
MOST = (1 << 64) - 1


def contents(wrong=None):
    """A calls section in which each field occurs. wrong: the name of the number that cannot be."""
    def pick(name, right, other):
        return other if name == wrong else right

    rules = [once(1, 2, MOST >> 2), rule((T, 5, 9), (RAMP, 7, 3), (R, 0, 2), (RAMP, 1, 2)), block([5, 9, 1 << 40, 6]),
             varint(0) + varint(pick("block", 3, 65537)) + bytes([8 << 2]) + svarint(-9) + b"\1\2\3"]
    columns = [constant(-1 << 63), expression(6, 7, MOST >> 1), expression(7, 9, 4), listed(1, (1 << 63) - 1, -5), constant(3),
               varint(pick("kind", 5, 9)) + svarint(3)]
    signatures = [varint(2 << 1) + varint(3) + varint(0), varint(2 << 1) + varint(3) + varint(pick("column", (1 << 32) - 1, 1 << 32)),
                  varint(pick("shape", 3, 4) << 1 | 1) + varint(5) + b"\1" * 6, varint(1 << 1), varint(3 << 1 | 1) + varint(0) + b"\2" * 9]
    group_classes = [varint(0) + varint(2) + (varint(3) + counted([varint(0)] * 2)) * 2, varint(0) + varint(0) + varint(6) + counted([]),
                     varint(pick("class", 3, 4)) + varint(pick("partition", 3, 4)) + (varint(1) + counted([varint(pick("index", 2, 1 << 32))])) * 3]
    groups = [varint(9) + counted([varint(2) + varint(4), varint(0)]) + varint(2), varint(2) + counted([varint(pick("group class", 1, 4))]) + varint(0)]
    partitions = [counted([varint(0), varint(1)]), counted([varint(5), varint(1), varint(0)]), varint(0) + varint(2) + varint(3)]
    return (counted(rules) + counted(columns) + counted(signatures) + counted(partitions) + varint(77) + varint(3) + counted(group_classes) + counted(groups))


class Coded(unittest.TestCase):
    def test_squash(self):
        self.assertEqual([LIBRARY.mixer_squash(d) for d in (-9999, -2047, 0, 1, 128, 2047, 9999)], [22, 22, 32768, 32830, 40793, 65513, 65513])
        stretched = [LIBRARY.mixer_stretch(p) for p in range(65536)]
        self.assertEqual((stretched[0], stretched[32768], stretched[65535]), (-2047, 0, 2047))
        self.assertTrue(all(a <= b for a, b in zip(stretched, stretched[1:])))

    def test_numbers(self):
        dice = random.Random(1)
        values = [0, 1, 2, 3, 4095, 4096, 1 << 12, 1 << 13, 1 << 62, 1 << 63, MOST] + [dice.randrange(1 << dice.randint(0, 64)) for _ in range(300)]
        about = [(dice.randrange(25), dice.randrange(3), *(dice.choice((0, 1, MOST)) for _ in range(3))) for _ in values]
        writer = Coder()
        mixer = Mixer(writer)
        for value, those in zip(values, about):
            self.assertEqual(mixer.number(value, *those), value)
        reader = Coder(writer.bytes())
        mixer = Mixer(reader)
        self.assertEqual([mixer.number(0, *those) for those in about], values)

    def test_likely(self):
        """What the neighbours say takes next to nothing."""
        writer = Coder()
        mixer = Mixer(writer)
        for i in range(3000):
            mixer.number(i % 7, 3, 0, (i + 6) % 7, i % 2, 9)
        self.assertLess(len(writer.bytes()), 60)

    def test_zigzag(self):
        for d in (0, 1, -1, 5, (1 << 63) - 1, -1 << 63):
            self.assertEqual(unzigzag(zigzag(d)), d & MOST)
        self.assertEqual([zigzag(d) for d in (0, -1, 1, -2)], [0, 1, 2, 3])

    def test_content(self):
        content = contents()
        stored = coded(content, SHAPES, CLASSES)
        self.assertEqual(coded_content(stored, len(content), SHAPES, CLASSES), content)

    def test_damage(self):
        content = contents()
        stored = coded(content, SHAPES, CLASSES)
        for wrong in ((stored, len(content) - 1), (stored, len(content) + 1), (stored + bytes(5), len(content)), (stored, (1 << 18) + 1), (b"", 9)):
            with self.assertRaises(Damage):
                coded_content(*wrong, SHAPES, CLASSES)

    def test_wrong(self):
        """What the walk needs is checked, by the writer too."""
        for wrong in ("block", "kind", "shape", "class", "partition", "index", "group class", "column"):
            with self.assertRaises(Damage, msg=wrong):
                coded(contents(wrong), SHAPES, CLASSES)

    def test_wrong_bits(self):
        """Any bytes are a content or damage."""
        dice, good = random.Random(2), 0
        for _ in range(60):
            content = contents()
            stored = bytearray(coded(content, SHAPES, CLASSES))
            stored[dice.randrange(len(stored))] ^= 1 << dice.randrange(8)
            try:
                good += len(coded_content(bytes(stored), len(content), SHAPES, CLASSES)) != len(content)
            except Damage:
                pass
        self.assertEqual(good, 0)

    def test_old_content(self):
        content = contents()
        for kind in (parts.CODED_CALLS_7, parts.CODED_CALLS_11):
            stored = coded(content, SHAPES, CLASSES, kind)
            self.assertEqual(coded_content(stored, len(content), SHAPES, CLASSES, kind), content)

    def test_definitions(self):
        """They are read back, and any bytes are a content or damage."""
        dice, good, content = random.Random(3), 0, parts.format_file("example.hex")
        content = bytes.fromhex(content.decode())
        stored = coded_definitions(content)
        self.assertLess(len(stored), len(content) // 6)
        self.assertEqual(definitions_content(stored, len(content)), content)
        for wrong in ((stored, len(content) - 1), (stored, len(content) + 1), (stored + bytes(5), len(content)), (stored, (1 << 18) + 1), (b"", 9)):
            with self.assertRaises(Damage):
                definitions_content(*wrong)
        for _ in range(20):
            wrong = bytearray(stored)
            wrong[dice.randrange(len(wrong))] ^= 1 << dice.randrange(8)
            try:
                good += len(definitions_content(bytes(wrong), len(content))) != len(content)
            except Damage:
                pass
        self.assertEqual(good, 0)
        old = coded_definitions(content, parts.CODED_DEFINITIONS_10)
        self.assertEqual(definitions_content(old, len(content), parts.CODED_DEFINITIONS_10), content)

    def test_trace(self):
        """A coded section with the ratio and the place that it may have."""
        b = Builder()
        b.coded = True
        b.process()
        self.assertEqual(b.sections()[1][0], parts.CODED_CALLS)
