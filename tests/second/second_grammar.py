# SPDX-License-Identifier: BSD-3-Clause
"""Rules, blocks and columns of a Pilgrim trace, from docs/FORMAT.md alone: sequences that stay grammars."""
import bisect
import collections
import itertools
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_parts import Damage, wrap  # noqa: E402

EXPANSION_MAX = 1 << 63
MEMO_MAX = 4096  # sequences with at most this many terminals are expanded once and kept
KEPT_MAX = 1 << 20  # terminals that are kept, together
TERMINAL_MAX = 1 << 62
BLOCK_MAX = 65536
WIDTH_MAX = 62
PIECE = 1024  # a multiple of 8, so that a piece of a block begins with a byte


TERMINAL, RULE, RAMP, BLOCK = range(4)


def difference(terminal):
    return (terminal >> 1) ^ -(terminal & 1)


def code_of(d):
    """The terminal that is the difference D."""
    return 2 * d if d >= 0 else -2 * d - 1


class Block:
    """The numbers of a block, still packed."""

    def __init__(self, c):
        self.n, form = c.varint(), c.u8()
        if not 2 <= self.n <= BLOCK_MAX:
            raise Damage("a block of %d terminals" % self.n)
        self.width, self.planes, self.sums = form >> 2, form & 2, form & 1
        if not 1 <= self.width <= WIDTH_MAX or self.planes and self.width % 8:
            raise Damage("a block with numbers of %d bits" % self.width)
        self.base = c.svarint()
        self.data = c.bytes((self.n * self.width + 7) // 8)
        spare = -self.n * self.width % 8
        if self.data[-1] >> (8 - spare):
            raise Damage("a block with bits that are left over")

    def numbers(self, first, end):
        """Those from FIRST, a multiple of 8, to END."""
        width, base = self.width, self.base
        if self.planes:
            wide = bytearray(8 * (end - first))
            for plane in range(width // 8):
                wide[plane::8] = self.data[plane * self.n + first:plane * self.n + end]
            return [base + u for u, in struct.iter_unpack("<Q", wide)]
        found, mask, shifts = [], (1 << width) - 1, range(0, 8 * width, width)
        for at in range(first // 8 * width, (end + 7) // 8 * width, width):
            eight = int.from_bytes(self.data[at:at + width], "little")
            found += [base + (eight >> shift & mask) for shift in shifts]
        return found[:end - first]

    def terminals(self, first, end):
        found = self.numbers(first, end)
        if not self.sums:
            return found
        before = self.numbers(first - 8, first)[-1] if first else 0
        return [code_of(s - last) for last, s in zip([before] + found, found)]


class Piece:
    """Some terminals of a block: how many, the largest, and the sum and the least of their differences."""

    def __init__(self, block, first):
        self.block, self.first, self.length = block, first, min(PIECE, block.n - first)
        terminals = self.terminals()
        self.largest = max(terminals)
        if min(terminals) < 0 or self.largest >= TERMINAL_MAX:
            raise Damage("a block with a terminal that is negative, or 2^62 or more")
        differences = list(map(difference, terminals))
        self.sum, self.least = sum(differences), min(differences)

    def terminals(self):
        return self.block.terminals(self.first, self.first + self.length)


class Rules:
    """The table of run-length grammars. Lists, by the number that a sequence has here (0: the empty one; n + 1: rule n; those
    behind them have one terminal): its symbols, each (kind, value, exponent), a block's in pieces; how many terminals it has and
    the largest; whether there are ramps, which no sequence of differences has, and blocks with sums, which no other has; of its
    differences the sum and the least. Sums are not wrapped."""

    def __init__(self, cursor):
        self.symbols, self.lengths, self.largest, self.ramps, self.sum_blocks = [()], [0], [-1], [False], [False]
        self.sums, self.least = [0], [0]
        self.tables, self.kept, self.kept_size = {}, {}, 0
        self.count, self.singles = cursor.count(), {}
        for _ in range(self.count):
            self.rule_read(cursor)

    def block_read(self, c):
        block = Block(c)
        pieces = [Piece(block, first) for first in range(0, block.n, PIECE)]
        self.add([(BLOCK, piece, 1) for piece in pieces], block.n, max(piece.largest for piece in pieces), False,
                 bool(block.sums), sum(piece.sum for piece in pieces), min(piece.least for piece in pieces))

    def rule_read(self, c):
        symbols, length, largest, ramps, sum_blocks, total, least = [], 0, -1, False, False, 0, EXPANSION_MAX
        count = c.count()
        if not count:
            self.block_read(c)
            return
        for _ in range(count):
            word = c.varint()
            kind, value, exponent = word & 1, word >> 2, 1
            if word & 2:
                more = c.varint()
                exponent = (more >> 1) + 2
                if more & 1 and kind == RULE:
                    raise Damage("a ramp of a rule")
                kind = RAMP if more & 1 else kind
            if kind == RULE:
                value += 1
                if value >= len(self.symbols):
                    raise Damage("rule %d has a symbol for rule %d" % (len(self.symbols) - 1, value - 1))
                length += self.lengths[value] * exponent
                largest = max(largest, self.largest[value])
                ramps = ramps or self.ramps[value]
                sum_blocks = sum_blocks or self.sum_blocks[value]
                total += self.sums[value] * exponent
                least = min(least, self.least[value])
            else:
                length += exponent
                largest = max(largest, value + (exponent - 1 if kind == RAMP else 0))
                ramps = ramps or kind == RAMP
                total += difference(value) * exponent
                least = min(least, difference(value))
            symbols.append((kind, value, exponent))
        if length >= EXPANSION_MAX:
            raise Damage("rule %d expands to 2^63 terminals or more" % (len(self.symbols) - 1))
        self.add(symbols, length, largest, ramps, sum_blocks, total, least)

    def add(self, *new):
        for all_of_them, one in zip((self.symbols, self.lengths, self.largest, self.ramps, self.sum_blocks, self.sums, self.least),
                                    new):
            all_of_them.append(one)

    def number(self, code):
        """The number of the sequence that stands in the file as CODE."""
        if code & 1:
            terminal = code >> 1
            if terminal not in self.singles:
                self.singles[terminal] = len(self.symbols)
                self.add(((TERMINAL, terminal, 1),), 1, terminal, False, False, difference(terminal), difference(terminal))
            return self.singles[terminal]
        if code >> 1 > self.count:
            raise Damage("a sequence that is rule %d of %d" % ((code >> 1) - 1, self.count))
        return code >> 1

    def plain(self, code):
        """The number of the sequence that CODE stands for, which is not one of differences."""
        s = self.number(code)
        if self.sum_blocks[s]:
            raise Damage("a block with sums in a sequence that is not one of differences")
        return s

    def differences(self, code, length):
        """The number of the sequence of LENGTH differences that CODE, a column's value, stands for; 0: all are 0."""
        s = self.number(code) if code > 0 else 0
        if code and (not s or self.ramps[s] or self.lengths[s] != length):
            raise Damage("sequence %d is not one of %d differences" % (code, length))
        return s

    def any_differences(self, code):
        """The number of the sequence of differences that CODE, a column's value, stands for; 0: all are 0, and there is no end."""
        s = self.number(code) if code > 0 else 0
        if code and (not s or self.ramps[s]):
            raise Damage("sequence %d is not one of differences" % code)
        return s

    def differences_sum(self, code, length, i):
        """The sum of the first I of them."""
        if length == 1 and code > 0 and code & 1:  # not worth an entry in the table
            return i * difference(code >> 1)
        s = self.differences(code, length)
        return self.sum(s, i) if s else 0

    def differences_all(self, code, size):
        """SIZE sums, from 0 on."""
        s = self.differences(code, size - 1)
        return list(itertools.accumulate(map(difference, self.terminals(s)), initial=0)) if s else [0] * size

    # All terminals.

    def chunks(self, s):
        """Iterables that together are the sequence; depth costs memory, length does not."""
        stack = [iter(self.symbols[s])]
        while stack:
            for kind, value, exponent in stack[-1]:
                if kind == TERMINAL:
                    yield itertools.repeat(value, exponent)
                elif kind == RAMP:
                    yield range(value, value + exponent)
                elif kind == BLOCK:
                    yield value.terminals()
                elif self.lengths[value] <= MEMO_MAX:
                    yield itertools.chain.from_iterable(itertools.repeat(self.expansion(value), exponent))
                else:
                    stack.append(itertools.chain.from_iterable(itertools.repeat(self.symbols[value], exponent)))
                    break
            else:
                stack.pop()

    def terminals(self, s):
        return itertools.chain.from_iterable(self.chunks(s))

    def repeated(self, s, times):
        """The terminals of the sequence, TIMES times."""
        if self.lengths[s] <= MEMO_MAX:
            return itertools.chain.from_iterable(itertools.repeat(self.expansion(s), times))
        return (terminal for _ in range(times) for terminal in self.terminals(s))

    def keep(self, key, length, make):
        """What MAKE returns as a tuple, which the next one who asks for KEY gets, too."""
        known = self.kept.get(key)
        if known is None:
            if self.kept_size + length > KEPT_MAX:
                self.kept, self.kept_size = {}, 0
            known = self.kept[key] = tuple(make())
            self.kept_size += length
        return known

    def expansion(self, s):
        return self.keep((s, 0), self.lengths[s], lambda: self.terminals(s))

    def times(self, s):
        """Yields each symbol that is not a rule and stands somewhere in the sequence, and how often that stands there."""
        reached, left = {s}, [s]
        while left:
            for kind, value, _ in self.symbols[left.pop()]:
                if kind == RULE and value not in reached:
                    reached.add(value)
                    left.append(value)
        times = dict.fromkeys(reached, 0)
        times[s] = 1
        for rule in sorted(reached, reverse=True):
            for symbol in self.symbols[rule]:
                if symbol[0] == RULE:
                    times[symbol[1]] += times[rule] * symbol[2]
                else:
                    yield symbol, times[rule]

    def runs(self, s):
        """(first, end, how often each): all terminals, as numbers one after another."""
        for (kind, value, exponent), times in self.times(s):
            if kind == TERMINAL:
                yield value, value + 1, times * exponent
            elif kind == RAMP:
                yield value, value + exponent, times
            else:
                for terminal, each in collections.Counter(value.terminals()).items():
                    yield terminal, terminal + 1, times * each

    def counts(self, s, size):
        """How often each terminal below SIZE, and there are no others, stands in the sequence."""
        changes = [0] * (size + 1)
        for first, end, times in self.runs(s):
            changes[first] += times
            changes[end] -= times
        return list(itertools.accumulate(changes[:-1]))

    def count_of(self, s, terminal):
        """How often TERMINAL stands in the sequence."""
        return sum(times for first, end, times in self.runs(s) if first <= terminal < end)

    # One terminal: by descent, for which each rule that is visited gets a table of what its symbols end at.

    def table(self, s):
        """(terminals, sum of differences) up to the end of each symbol, after a 0."""
        known = self.tables.get(s)
        if known is None:
            ends, sums = [0], [0]
            for kind, value, exponent in self.symbols[s]:
                if kind == BLOCK:
                    length, total = value.length, value.sum
                elif kind == RULE:
                    length, total = self.lengths[value], self.sums[value]
                else:
                    length, total = 1, difference(value)
                ends.append(ends[-1] + exponent * length)
                sums.append(sums[-1] + exponent * total)
            known = self.tables[s] = ends, sums
        return known

    def piece_sums(self, piece):
        """Those of its first differences, from none on."""
        return self.keep((piece, 1), piece.length,
                         lambda: itertools.accumulate(map(difference, piece.terminals()), initial=0))

    def find(self, s, i):
        """Terminal I, and the sum of the differences before it."""
        before = 0
        while True:
            ends, sums = self.table(s)
            k = bisect.bisect_right(ends, i) - 1
            kind, value, _ = self.symbols[s][k]
            i -= ends[k]
            before += sums[k]
            if kind == TERMINAL:
                return value, before + i * difference(value)
            if kind == RAMP:
                return value + i, None
            if kind == BLOCK:
                return self.keep((value, 0), value.length, value.terminals)[i], before + self.piece_sums(value)[i]
            repeats, i = divmod(i, self.lengths[value])
            before += repeats * self.sums[value]
            s = value

    def sum(self, s, i):
        """The sum of the first I differences."""
        if i == self.lengths[s]:
            return self.sums[s]
        if self.lengths[s] > MEMO_MAX:
            return self.find(s, i)[1]
        return self.keep((s, 1), self.lengths[s],
                         lambda: itertools.accumulate(map(difference, self.terminals(s)), initial=0))[i]

    def search(self, s, target):
        """How many differences, all of them positive, add up to TARGET; None if no number does."""
        place = 0
        while 0 < target <= self.sums[s]:
            ends, sums = self.table(s)
            k = bisect.bisect_left(sums, target) - 1
            kind, value, _ = self.symbols[s][k]
            place += ends[k]
            target -= sums[k]
            if kind == TERMINAL:
                more, left = divmod(target, difference(value))
                return None if left else place + more
            if kind == BLOCK:
                known = self.piece_sums(value)
                i = bisect.bisect_left(known, target)
                return place + i if known[i] == target else None
            repeats = (target - 1) // self.sums[value]
            place += repeats * self.lengths[value]
            target -= repeats * self.sums[value]
            s = value
        return None if target else place


CONSTANT, PLUS, MINUS, MINUS_TWICE, XOR_LESS, XOR, MODULO, SUMS, LIST = range(9)


class Column:
    """An expression: a value for each member. length: how many members it is for; None: any number."""

    def __init__(self, c, rules):
        self.kind = c.index(9, "expression")
        self.rules, self.length = rules, None
        if self.kind == LIST:
            self.list = [c.svarint() for _ in range(c.count())]
            self.length = len(self.list)
            return
        self.constant = c.svarint()
        if self.kind == MODULO:
            self.modulus = c.varint()
            if not 1 <= self.modulus < EXPANSION_MAX:
                raise Damage("a column modulo %d" % self.modulus)
        elif self.kind == SUMS:
            self.differences = rules.number(c.varint())
            self.length = rules.lengths[self.differences] + 1
            if rules.ramps[self.differences]:
                raise Damage("a column of differences with a ramp")

    def value(self, position, x=0):
        """The value of the member at POSITION; x: what the document calls so."""
        kind = self.kind
        if kind == CONSTANT:
            return self.constant
        if kind == SUMS:
            return wrap(self.constant + self.rules.sum(self.differences, position))
        if kind == LIST:
            return self.list[position]
        if kind == PLUS:
            return wrap(x + self.constant)
        if kind == MINUS:
            return wrap(self.constant - x)
        if kind == MINUS_TWICE:
            return wrap(self.constant - 2 * x)
        if kind == XOR_LESS:
            return wrap((x ^ self.constant) - x)
        if kind == XOR:
            return x ^ self.constant
        return wrap(x + self.constant) % self.modulus

    def steps_check(self, least, end, what):
        """That the values are 0 to END - 1, and each is by LEAST larger, or more, than the one before it."""
        if self.kind == LIST:
            right = all(b - a >= least for a, b in zip(self.list, self.list[1:]))
            first, last = (self.list[0], self.list[-1]) if self.list else (0, -1)
        elif self.kind == SUMS:
            right = self.length == 1 or self.rules.least[self.differences] >= least
            first, last = self.constant, self.constant + self.rules.sums[self.differences]
        else:
            right = self.kind == CONSTANT
            first = last = self.constant
        if not right or first < 0 or last >= min(end, EXPANSION_MAX):
            raise Damage("a column of %s that does not increase, or leaves 0 to %d" % (what, end - 1))

    def size(self):
        """How many values an increasing column has."""
        return 1 if self.length is None else self.length

    def find(self, value):
        """The position of VALUE in an increasing column, or None."""
        if self.kind == SUMS:
            return self.rules.search(self.differences, value - self.constant)
        if self.kind == LIST:
            i = bisect.bisect_left(self.list, value)
            return i if i < len(self.list) and self.list[i] == value else None
        return 0 if value == self.constant else None


class Split:
    """The numbers below SIZE, each in one of several increasing columns: (name, column)."""

    def __init__(self, columns, size, what):
        self.what = what
        self.last = None, None
        self.single, self.others = {}, []
        for name, column in columns:
            column.steps_check(1, size, what)
            if column.size() == 1:
                if column.value(0) in self.single:
                    raise Damage("%s %d twice" % (what, column.value(0)))
                self.single[column.value(0)] = name
            elif column.size():
                self.others.append((column.value(0), column.value(column.size() - 1), name, column))
        if sum(column.size() for _, column in columns) != size:
            raise Damage("columns that do not hold each of %d %ss once" % (size, what))

    def find(self, number):
        """(name, position) of the column that holds NUMBER."""
        if self.last[0] == number:
            return self.last[1]
        found = [(self.single[number], 0)] if number in self.single else []
        for first, last, name, column in self.others:
            if first <= number <= last:
                position = column.find(number)
                if position is not None:
                    found.append((name, position))
        if len(found) != 1:
            raise Damage("%s %d stands in %d columns" % (self.what, number, len(found)))
        self.last = number, found[0]
        return found[0]
