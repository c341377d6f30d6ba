#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Says what the bytes of a trace's coded calls are spent on.

usage: bench/fields.py TRACE

Prints the stored bytes of each section. Then, of coded calls, the bytes of each field (docs/FORMAT.md, section 4): the
sum of the information of its bits, by the probabilities that they are coded with. Then the bytes of the columns, by the
argument that uses the column first. The trace is decoded with tests/second, so this takes seconds.
"""
import collections
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "second"))

import second_coded  # noqa: E402
import second_decoder  # noqa: E402
import second_definitions  # noqa: E402, F401  now, so that its numbers are not counted
import second_parts  # noqa: E402
from second_values import SLOTS  # noqa: E402

MEMBERS = "members, partitions, threads"


class Spent:
    """Counts information while a trace is decoded. fields: [numbers, bits] by field; columns: (column, bits)."""

    def __init__(self):
        self.bits, self.fields, self.columns, self.coded_columns = 0, collections.defaultdict(lambda: [0, 0]), [], []

    def measured_mixer(self):
        spent = self

        class Measured(second_coded.Mixer):
            def __init__(self, bit, sets):
                super().__init__(lambda b, guess: spent.bit(bit, b, guess), sets)

            def number(self, value, field, *about):
                before = spent.bits
                value = super().number(value, field, *about)
                entry = spent.fields[second_coded.FIELDS[field]]
                entry[0] += 1
                entry[1] += spent.bits - before
                return value
        return Measured

    def bit(self, bit, b, guess):
        p = guess.p / 65536 if guess else 0.5
        b = bit(b, guess)
        self.bits -= math.log2(p if b else 1 - p)
        return b

    def install(self):
        coded, made = second_coded.Walk.column, second_decoder.Column.__init__

        def column(walk, number):
            before = self.bits
            coded(walk, number)
            self.coded_columns.append(self.bits - before)

        def make(of, *about):
            made(of, *about)
            self.columns.append(of)
        second_coded.Mixer, second_coded.Walk.column, second_decoder.Column.__init__ = self.measured_mixer(), column, make


def slot_names(values, name, names):
    for tag, _, first, inside in values:
        for slot in range(first, first + SLOTS.get(tag, 0)):
            names[slot] = "%s, slot %d of token %d" % (name, slot - first, tag)
        slot_names(inside, name, names)


def users(trace):
    """By the identity of a column, what uses it first."""
    found = {}
    for shard in (shard for segment in trace.segments for shard in segment):
        for group_class in (group_class for group in shard.groups for group_class in group.group_classes):
            (function, parameters), _, _ = group_class.call_class
            arguments = [name for name, d in parameters if d & 1] + [name + " (out)" for name, d in parameters if d & 2] + ["return value"]
            for signature in (signature for value_group in group_class.value_groups for signature in value_group.list):
                names = {}
                for value, argument in zip(signature.shape.values, arguments):
                    slot_names([value], "%s %s" % (function, argument), names)
                for slot, columns in enumerate(signature.columns):
                    for column in filter(None, columns):
                        found.setdefault(id(column), names.get(slot, function))
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    for section in (section for shard in second_parts.shards_read(data)[0] for section in second_parts.sections_of(shard)):
        print("%9d  section %s" % (len(section.stored), section.name))
    spent = Spent()
    spent.install()
    trace = second_decoder.Trace(data)
    if trace.damage:
        sys.exit("damage: %s" % trace.damage)
    for name, (count, bits) in sorted(spent.fields.items(), key=lambda item: -item[1][1]):
        print("%9.1f  field %s: %d numbers" % (bits / 8, name, count))
    if len(spent.columns) != len(spent.coded_columns):
        return  # some calls sections are not coded
    names, sums = users(trace), collections.defaultdict(lambda: [0, 0])
    for column, bits in zip(spent.columns, spent.coded_columns):
        entry = sums[names.get(id(column), MEMBERS)]
        entry[0] += 1
        entry[1] += bits
    for name, (count, bits) in sorted(sums.items(), key=lambda item: -item[1][1]):
        print("%9.1f  %d columns: %s" % (bits / 8, count, name))


if __name__ == "__main__":
    main()
