# SPDX-License-Identifier: BSD-3-Clause
"""Values of calls, drawn at random, and the ways to write them down: for random_trace.py."""
import itertools
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from trace_writer import RAMP, R, T, block, code, constant, expression, listed, rule, text, varint  # noqa: E402

NONE, NAME, INT, BOOL, REAL, RANK, RANK_BASE, OBJECT, REQUEST, HEAP = range(1, 11)
STACK, STATIC, DEVICE, STRING, ARRAY, FLAGS, STATUS, SYMBOL, FUNCTION, SERIES, REGISTER, EDITED, COMPLETED, POSTED, BEGUN, LIVE, TIME, TEXT, OWN, LIVE_OF, LIVE_BACK = range(11, 32)
SIMPLE = {INT: 1, REAL: 1, REQUEST: 2, HEAP: 2, STACK: 1, STATIC: 2, DEVICE: 3, FUNCTION: 1}
FORMATS = {REQUEST: "request:%d.%d", HEAP: "heap:%d+%d", STACK: "stack:%d", STATIC: "static:%d+%d", DEVICE: "device:%d:%d+%d",
           FUNCTION: "fn:%d"}
PLAIN, SIGNATURE_SERIES, UNZIPPED = range(3)
KEPT = 3            # registers 0 to 2 hold arrays of these many items from the first call on; 3 holds anything
KEPT_ITEMS = (2, 4, 7)
REQUESTS = 3        # that a thread's first calls after that begin
TEXTS = [b"A", b"MPI_INT", b"", b'q"\\\n', b"\xc3\xa9\x7f", b"\xff", b"\xc2\x9b1m\xe2\x80\xae"]


def wrap(v):
    return (v + (1 << 63)) % (1 << 64) - (1 << 63)


def quote(t):
    out = ""
    for c in t.decode("utf-8", "surrogateescape"):
        n = ord(c)
        out += ("\\" + c if c in '"\\' else "\\u%04x" % n if n < 0x20 or 0x7f <= n < 0xa0 or n == 0x202e else "\\u%04x" % (n - 0xdc00) if 0xdc80 <= n <= 0xdcff else c)
    return '"' + out + '"'


class Sequences:
    """Ways to write sequences and columns of one shard."""

    def __init__(self, dice, builder):
        self.dice, self.b = dice, builder

    def number(self):
        """Of any size, mostly small."""
        d = self.dice
        return d.choice((d.randint(0, 3), d.randint(-9, 99), d.randint(-9, 99), d.randint(-1 << 20, 1 << 33),
                         d.randint(-1 << 59, 1 << 59)))

    def block(self, terminals, differences):
        numbers, sums = terminals, False
        if differences and self.dice.random() < 0.6:
            numbers, sums = list(itertools.accumulate((t >> 1) ^ -(t & 1) for t in terminals)), True
        bits = (max(numbers) - min(numbers)).bit_length()
        if bits > 62:
            return None
        planes = self.dice.random() < 0.4 and bits <= 56
        width = max(1, bits, self.dice.choice((0, 0, 0, bits + 1, 60, 56 if planes else 62)) if self.dice.random() < 0.3 else 0)
        return block(numbers, sums, planes, min(width, 56 if planes else 62))

    def rule(self, terminals, differences, depth=0):
        """A rule for them, of one kind or another; its code."""
        d, symbols, i = self.dice, [], 0
        if len(terminals) > 1 and d.random() < 0.3:
            content = self.block(terminals, differences)
            if content:
                return self.b.rule(content)
        while i < len(terminals):
            ways = [(T, 1, 1)]
            for period in (1, 2, 3):
                once, k = terminals[i:i + period], 1
                while len(once) == period and terminals[i + k * period:i + (k + 1) * period] == once:
                    k += 1
                if k > 1:
                    ways.append((T if period == 1 else R, period, d.randint(2, k)))
            k = 1
            while i + k < len(terminals) and terminals[i + k] == terminals[i] + k and not differences:
                k += 1
            if k > 1:
                ways.append((RAMP, k, 1))
            if depth < 3 and len(terminals) - i > 2:
                ways.append((R, d.randint(1, len(terminals) - i - 1), 1))
            kind, period, times = d.choice(ways)
            if kind == R:
                symbols.append((R, self.rule(terminals[i:i + period], differences, depth + 1) // 2 - 1, times))
            else:
                symbols.append((kind, terminals[i], period if kind == RAMP else times))
            i += period * times
        return self.b.rule(rule(*symbols))

    def sequence(self, terminals):
        return self.coded(list(terminals), False)

    def differences(self, differences):
        return self.coded([code(d) for d in differences], True)

    def coded(self, terminals, differences):
        if not terminals:
            return 0
        if len(terminals) == 1 and self.dice.random() < 0.7:
            return 2 * terminals[0] + 1
        return self.rule(terminals, differences)

    def column(self, values):
        """One that has these values."""
        steps = [b - a for a, b in zip(values, values[1:])]
        ways = [lambda: listed(*values)]
        if len(set(values)) <= 1:
            ways.append(lambda: constant(values[0]))
        if all(-(1 << 61) <= step < 1 << 61 for step in steps):
            ways += [lambda: expression(7, values[0], self.differences(steps))] * 2
        return self.dice.choice(ways)()

    def any_column(self, xs, few=False):
        """Some column and its values where x is XS. few: of the kinds that fit any members."""
        d = self.dice
        kind, c, n = d.choice((0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7)[:9 if few else 11]), self.number(), d.randint(1, 5)
        if kind == 7:
            values = [self.number() for _ in xs] if d.random() < 0.5 else [c + i // 2 for i, _ in enumerate(xs)]
            return self.column(values), values
        values = [wrap((c, x + c, c - x, c - 2 * x, (x ^ c) - x, x ^ c, (x + c) % n)[kind]) for x in xs]
        return (expression(6, c, n) if kind == 6 else expression(kind, c)), values

    def slot(self, kind, xs, times, legal=None):
        """(columns, values) of a slot: values[m][i]; times: of each member how many. legal: what these are is asked from it."""
        if legal:
            values = [[legal(m, i) for i in range(k)] for m, k in enumerate(times)]
            return self.columns_of(kind, values), values
        first, firsts = self.any_column(xs)
        if kind == PLAIN:
            return [first], [[v] for v in firsts]
        few, values, codes = [self.dice.randint(-3, 3) for _ in range(4)], [], {}
        same = self.dice.random() < 0.6
        for m, k in enumerate(times):
            more = self.dice.randint(0, 3) if kind == UNZIPPED else 0
            length = max(0, k - 1) + more
            if (length, same) not in codes:
                steps = [self.dice.choice(few) if self.dice.random() < 0.9 else self.number() for _ in range(length)]
                if self.dice.random() < 0.2:
                    codes[length, same] = 0, [0] * length
                else:
                    codes[length, same] = self.differences(steps), steps
            values.append(codes[length, same])
            if not same:
                codes.clear()
        if kind == SIGNATURE_SERIES:
            sums = [[0, *itertools.accumulate(steps)][:k] for (_, steps), k in zip(values, times)]
            return [first, self.column([c for c, _ in values])], [[wrap(f + s) for s in those] for f, those in zip(firsts, sums)]
        factor, factors = self.any_column(xs)
        found = [[wrap(f + factor * s) for s in [0, *itertools.accumulate(steps)][:k]]
                 for f, factor, (_, steps), k in zip(firsts, factors, values, times)]
        return [first, self.column([c for c, _ in values]), factor], found

    def columns_of(self, kind, values):
        first = self.column([those[0] if those else 0 for those in values])
        if kind == PLAIN:
            return [first]
        sign = self.dice.choice((1, 1, -1)) if kind == UNZIPPED else 1
        steps = [[sign * (b - a) for a, b in zip(those, those[1:])] for those in values]
        codes = [0 if not any(those) and (kind == UNZIPPED or self.dice.random() < 0.5) else self.differences(those)
                 for those in steps]
        found = [first, self.column(codes)]
        return found if kind == SIGNATURE_SERIES else found + [self.column([sign] * len(values))]


class Node:
    """A value in a shape. slots: of each the values[m][i]; order: of a series, the shapes of its items for each member."""

    def __init__(self, tag, operand=None, slots=(), inner=(), order=None):
        self.tag, self.operand, self.slots, self.inner, self.order = tag, operand, list(slots), list(inner), order


class Shape:
    """Draws the values of a signature: of KIND, for MEMBERS (each (rank, rank_bases, request class)), TIMES each. own: those classes are
    that of class index 1, and the call has the class index AT. Then holds content, the shape's bytes; columns, of its slots; values, Nodes."""

    def __init__(self, sequences, kind, members, times, parameters, own, at):
        self.s, self.dice, self.kind, self.members = sequences, sequences.dice, kind, members
        self.times, self.columns, self.content = [times] * len(members), [], b""
        self.rank_base, self.ranks = [0] * len(members), [r for r, _, _ in members]
        self.values, self.arrays = [], {}
        self.inside = False     # of a series
        self.with_series = kind == PLAIN and self.dice.random() < 0.4
        self.with_registers = not self.with_series and self.dice.random() < 0.6
        self.parameters, self.own, self.at = parameters, own, at
        self.begun = []         # places of requests in the first in-value that can be asked for
        self.is_out = False

    def draw(self):
        d = self.dice
        ins = [i for i, mark in enumerate(self.parameters) if mark in ",&"]
        outs = [i for i, mark in enumerate(self.parameters) if mark in ">&"]
        begun = d.random() < 0.5
        self.values = [self.requests() if begun and i == ins[0] else self.parameter(None) for i in ins]
        base, self.is_out = dict(zip(ins, map(self.items, self.values))), True
        completed, places = {}, {}
        for i in outs:
            others = [p for p in outs if p != i and p not in completed]
            if base.get(i) and i not in places and others and d.random() < 0.6:
                completed[i] = d.choice(others)
                places[completed[i]] = min(places.get(completed[i], 99), base[i])
        for i in outs:
            if i in completed:
                self.values.append(self.completed(completed[i], base[i]))
            else:
                self.values.append(self.places(places[i]) if i in places else self.parameter(base.get(i)))
        self.is_out = False
        self.values.append(self.any(1, (INT, INT, NONE, NAME)))
        return self

    def begin(self):
        """Of a call that begins an operation: the first ones of a thread have the first requests, in this order."""
        self.with_series = self.with_registers = False
        self.values = [self.any(1, (INT, INT, RANK, NAME)), self.any(1, (INT, INT, NAME)), self.any(1, (INT,))]
        if self.own and self.dice.random() < 0.7:
            self.content += varint(OWN)
            self.values.append(Node(OWN))
        elif self.dice.random() < 0.5:
            self.content += varint(BEGUN)
            self.values.append(Node(BEGUN, slots=[self.slot(self.request_class)]))
        else:
            self.content += varint(REQUEST)
            self.values.append(Node(REQUEST, slots=[self.slot(self.request_class), self.slot(
                lambda j, i: i if i < REQUESTS else self.dice.randrange(REQUESTS))]))
        self.values.append(self.any(1, (INT,)))
        return self

    def request_class(self, j, _):
        return self.members[j][2]

    def requests(self):
        """An array with requests that are begun, and others, in the first of the values."""
        d = self.dice
        if d.random() < 0.3:
            self.content += varint(REGISTER) + varint(KEPT)
            self.with_series = False
            return Node(REGISTER, KEPT, inner=[self.requests_array(2)])
        return self.in_rank_base(1, self.requests_array) if d.random() < 0.2 else self.requests_array(1)

    def requests_array(self, depth):
        size = self.dice.randint(1, 4)
        self.begun = sorted(self.dice.sample(range(size), self.dice.randint(1, size)))
        self.content += varint(ARRAY) + varint(size)
        items = []
        for i in range(size):
            if i in self.begun:
                items.append(self.request(self.dice.choice((REQUEST, LIVE, LIVE_OF, LIVE_BACK))))
            else:
                items.append(self.any(depth + 1, (NAME, NONE, INT)))
        return Node(ARRAY, size, inner=items)

    def request(self, tag):
        """One that a thread's first calls began; or one that might begin."""
        if tag in (LIVE_OF, LIVE_BACK) and not self.own:
            tag = LIVE
        self.content += varint(tag)
        if tag == OWN:
            return Node(tag)
        if tag in (LIVE_OF, LIVE_BACK):
            class_slot = 1 if tag == LIVE_OF else self.at - 1
            return Node(tag, slots=[self.slot(lambda j, i: class_slot), self.slot(lambda j, i: self.dice.randrange(REQUESTS))])
        if tag == BEGUN:
            return Node(tag, slots=[self.slot(lambda j, i: self.dice.choice((self.members[j][2], self.members[j][2], 7 << 20, -1)))])
        return Node(tag, slots=[self.slot(self.request_class), self.slot(lambda j, i: self.dice.randrange(REQUESTS))])

    def completed(self, parameter, size):
        if not self.with_series and self.dice.random() < 0.4:
            register = self.dice.choice([KEPT] + [r for r, items in enumerate(KEPT_ITEMS) if items == size])
            self.content += varint(REGISTER) + varint(register)
            return Node(REGISTER, register, inner=[self.completed_array(parameter)])
        return self.completed_array(parameter)

    def completed_array(self, parameter):
        self.content += varint(COMPLETED) + varint(parameter)
        return Node(COMPLETED, parameter, inner=[self.any(3, (NAME, NAME, NONE, INT, RANK, RANK_BASE, ARRAY))])

    def places(self, size, depth=1):
        """What names places below SIZE."""
        d = self.dice
        if depth == 1 and d.random() < 0.2:
            return self.in_rank_base(1, lambda depth: self.places(size, depth))
        if depth == 1 and not self.with_series and d.random() < 0.2:
            self.content += varint(REGISTER) + varint(KEPT)
            return Node(REGISTER, KEPT, inner=[self.places(size, 2)])
        if d.random() < 0.5:
            return self.place(size)
        count = d.randint(0, 4)
        self.content += varint(ARRAY) + varint(count)
        return Node(ARRAY, count, inner=[self.place(size) for _ in range(count)])

    def place(self, size):
        if self.dice.random() < 0.2:
            return self.any(9, (NAME,))
        self.content += varint(INT)
        return Node(INT, slots=[self.slot(lambda j, i: self.dice.randrange(size))])

    def first(self):
        """Of the first call of a thread: fills the registers."""
        self.with_series, self.with_registers = False, True
        for register, size in enumerate(KEPT_ITEMS):
            self.content += varint(REGISTER) + varint(register)
            self.values.append(Node(REGISTER, register, inner=[self.array(size, 2)]))
        self.values.append(self.any(1, (INT,)))
        return self

    def items(self, node):
        """How many items an array has that this value is printed as; None: it is none."""
        if node.tag in (REGISTER, RANK_BASE):
            return self.items(node.inner[0])
        if node.tag == EDITED:
            return self.arrays[id(node)]
        return len(node.inner) if node.tag == ARRAY else node.operand if node.tag == SERIES and not self.with_registers else None

    def slot(self, legal=None, xs=None):
        kind = SIGNATURE_SERIES if self.inside else self.kind
        columns, values = self.s.slot(kind, xs or self.ranks, self.times, legal)
        self.columns += columns
        return values

    def parameter(self, base):
        """base: how many items the in-value has."""
        d = self.dice
        if not self.with_registers or d.random() < 0.3:
            return self.any(1)
        if d.random() < 0.5:
            return self.edited(base)
        register = d.randint(0, KEPT)
        self.content += varint(REGISTER) + varint(register)
        if register == KEPT:
            return Node(REGISTER, register, inner=[self.any(2) if d.random() < 0.6 else self.edited(base)])
        if d.random() < 0.7:
            return Node(REGISTER, register, inner=[self.edited(base, KEPT_ITEMS[register])])
        if d.random() < 0.3:
            return Node(REGISTER, register, inner=[self.in_rank_base(2, lambda depth: self.array(KEPT_ITEMS[register], depth))])
        return Node(REGISTER, register, inner=[self.array(KEPT_ITEMS[register], 2)])

    def edited(self, base, items=None):
        """items: how many it must have."""
        d = self.dice
        bases = [(r + 1, size) for r, size in enumerate(KEPT_ITEMS)] + ([(0, base)] * 3 if base is not None else [])
        number, size = d.choice([(number, size) for number, size in bases if items in (None, size)])
        m = d.randint(0, min(size, 3))
        self.content += varint(EDITED) + varint(number) + varint(m)
        places = {(j, i): sorted(d.sample(range(size), m)) for j, times in enumerate(self.times) for i in range(times)}
        if d.random() < 0.5:
            places = dict.fromkeys(places, sorted(d.sample(range(size), m)))
        node = Node(EDITED, number)
        self.arrays[id(node)] = size
        for change in range(m):
            self.content += varint(INT)
            node.inner.append(Node(INT, slots=[self.slot(lambda j, i, n=change: places[j, i][n])]))
            node.inner.append(self.any(3, (INT, INT, REQUEST, NONE, NAME, RANK, ARRAY)))
        return node

    def array(self, size, depth):
        self.content += varint(ARRAY) + varint(size)
        return Node(ARRAY, size, inner=[self.any(depth + 1, (INT, INT, REQUEST, NONE, NAME, RANK)) for _ in range(size)])

    def in_rank_base(self, depth, make):
        self.content += varint(RANK_BASE)
        numbers = self.slot(lambda j, i: self.dice.randrange(len(self.members[j][1])))
        if self.kind == PLAIN:
            self.rank_base = None if self.inside else [those[0] for those in numbers]
        return Node(RANK_BASE, slots=[numbers], inner=[make(depth + 1)])

    def any(self, depth, tags=None):
        d = self.dice
        tag = d.choice(tags or (NONE, NAME, INT, INT, INT, BOOL, REAL, RANK, RANK, RANK_BASE, RANK_BASE, OBJECT, REQUEST, HEAP, STACK, STATIC,
                                DEVICE, STRING, TEXT, ARRAY, ARRAY, FLAGS, STATUS, SYMBOL, FUNCTION, SERIES, SERIES, LIVE, BEGUN, OWN, LIVE_OF, LIVE_BACK))
        if tag == SERIES and (self.inside or not self.with_series) or depth > 4 and tag in (ARRAY, STATUS, RANK_BASE, SERIES):
            tag = INT
        if self.begun and self.is_out and not self.inside and not tags and d.random() < 0.3:
            self.content += varint(POSTED)
            tag = d.randint(0, 1)
            self.content += bytes([tag])
            return Node(POSTED, tag, slots=[self.slot(lambda j, i: d.choice(self.begun)), self.slot()])
        if tag == RANK_BASE:
            return self.in_rank_base(depth, self.any)
        if tag in (LIVE, BEGUN, OWN, LIVE_OF, LIVE_BACK):
            return self.request(tag)
        self.content += varint(tag)
        if tag == NONE:
            return Node(tag)
        if tag in SIMPLE:
            return Node(tag, slots=[self.slot() for _ in range(SIMPLE[tag])])
        if tag == RANK:
            plain = self.kind == PLAIN and not self.inside
            if plain and self.rank_base is None:     # of a series: what is kept in mind of it is not which rank base was the last one
                return Node(tag, slots=[self.slot(lambda j, i: j)])
            xs = [rank_bases[rank_base][0] for (_, rank_bases, _), rank_base in zip(self.members, self.rank_base)] if plain else self.ranks
            return Node(tag, slots=[self.slot(xs=xs)])
        if tag == BOOL:
            return Node(tag, slots=[self.slot(lambda j, i: d.randint(0, 1))])
        if tag in (NAME, OBJECT):
            name = d.choice(TEXTS)
            self.content += varint(self.s.b.string(name))
            return Node(tag, name, [self.slot()] if tag == OBJECT else [])
        if tag == TEXT:
            numbers = [self.s.b.string(name) for name in TEXTS]
            strings = self.s.b.table("strings")[:max(numbers) + 1]
            bases, places = max(1, len(strings) // 2), len(strings) - len(strings) // 2
            return Node(tag, strings, [self.slot(lambda j, i: d.randrange(bases)), self.slot(lambda j, i: d.randrange(places))])
        if tag in (STRING, SYMBOL):
            name = d.choice(TEXTS)
            self.content += text(name)
            return Node(tag, name)
        return self.many(tag, depth)

    def many(self, tag, depth):
        d = self.dice
        if tag == SERIES:
            return self.series(depth)
        size, operand = d.randint(0, 3), None
        if tag == STATUS:
            operand = d.randint(0, 3)
            size = 5 if operand & 2 else 4
            self.content += bytes([operand])
        else:
            self.content += varint(size)
        return Node(tag, operand, inner=[self.any(depth + 1, {FLAGS: (NAME, INT), STATUS: (INT, INT, NONE, RANK)}.get(tag))
                                         for _ in range(size)])

    def series(self, depth):
        """Each member has the shapes in an order of its own, as often as it likes."""
        d = self.dice
        n = d.randint(2, 7)
        m, order = d.randint(1, min(n, 3)), []
        for _ in self.members:
            shapes = list(range(m)) + [d.randrange(m) for _ in range(n - m)]
            d.shuffle(shapes)
            renamed = {}
            order.append([renamed.setdefault(shape, len(renamed)) for shape in shapes])
        if d.random() < 0.5:
            order = order[:1] * len(order)
        self.content += varint(n) + varint(m)
        if m > 1:
            self.columns.append(self.s.column([self.s.differences([b - a for a, b in zip(those, those[1:])]) for those in order]))
        times, self.inside, inner = self.times, True, []
        for shape in range(m):
            self.times = [those.count(shape) for those in order]
            inner.append(self.any(depth + 1))
        self.times, self.inside = times, False
        return Node(SERIES, n, inner=inner, order=order)


class Printer:
    """What a call of member M prints, the I-th with its signature. registers, begun, live: the thread's; live: places, the oldest first.
    own_class: of the call; request_class: of all requests that begin."""

    def __init__(self, m, i, member, registers, begun, live, own_class):
        _, rank_bases, self.request_class = member
        self.own_class = own_class
        self.m, self.i, self.rank_bases, self.registers, self.begun, self.live = m, i, rank_bases, registers, begun, live
        self.completed, self.requests = [], None
        self.rank_base, self.kept = 0, {}

    def unwrapped(self, node):
        while node.tag in (REGISTER, RANK_BASE):
            node = node.inner[0]
        return node

    def places_of(self, node):
        """The places that a value names."""
        node = self.unwrapped(node)
        return [self.slots(item)[0] for item in (node.inner if node.tag == ARRAY else [node]) if item.tag == INT]

    def requests_of(self, node):
        """The requests of an array, by their place in it."""
        node = self.unwrapped(node)
        items = enumerate(node.inner if node.tag == ARRAY else ())
        return {i: self.pair(item) for i, item in items if item.tag in (REQUEST, LIVE, BEGUN, OWN, LIVE_OF, LIVE_BACK)}

    def pair(self, node):
        """Class and place of a request. Those of one class alone begin."""
        slots = self.slots(node)
        if node.tag in (BEGUN, OWN):
            number = slots[0] if slots else self.own_class
            return number, next(i for i in itertools.count() if number != self.request_class or i not in self.live)
        if node.tag in (LIVE, LIVE_OF, LIVE_BACK):
            return self.request_class, self.live[slots[1]]
        return tuple(slots)

    def slots(self, node):
        return [values[self.m][self.i] for values in node.slots]

    def items(self, node, before):
        """The texts of the items if this is printed as an array, else None. before: those of the in-value."""
        if node.tag == REGISTER:
            self.kept[node.operand] = found = self.items(node.inner[0], before)
            return found
        if node.tag == RANK_BASE and node.inner[0].tag in (ARRAY, RANK_BASE, SERIES):
            self.rank_base = self.slots(node)[0]
            return self.items(node.inner[0], before)
        if node.tag == EDITED:
            found = list(self.registers[node.operand - 1] if node.operand else before)
            for place, value in zip(node.inner[::2], node.inner[1::2]):
                found[self.slots(place)[0]] = self.text(value)
            return found
        if node.tag == COMPLETED:
            found = list(before)
            self.completed.append((found, node.operand, self.text(node.inner[0])))
            return found
        if node.tag == ARRAY:
            return [self.text(item) for item in node.inner]
        if node.tag == SERIES:
            found, i, done = [], self.i, [0] * len(node.inner)
            for shape in node.order[self.m]:
                self.i = done[shape]
                done[shape] += 1
                found.append(self.text(node.inner[shape]))
            self.i = i
            return found
        return None

    def parameter(self, node, before):
        inner = node
        while inner.tag in (REGISTER, RANK_BASE):
            inner = inner.inner[0]
        if inner.tag in (ARRAY, SERIES, EDITED, COMPLETED):
            return None, self.items(node, before)
        if node.tag == REGISTER:
            self.kept[node.operand] = None
            return self.text(node.inner[0]), None
        return self.text(node), None

    def text(self, node):
        tag, slots = node.tag, self.slots(node)
        if tag == NONE:
            return "null"
        if tag in (NAME, STRING):
            return quote(node.operand)
        if tag == SYMBOL:
            return quote(b"fn:" + node.operand)
        if tag == TEXT:
            return quote(node.operand[sum(slots)])
        if tag == INT:
            return str(slots[0]) if abs(slots[0]) <= 1 << 53 else '"%d"' % slots[0]
        if tag == POSTED:
            source, kind, count = self.begun[self.requests[slots[0]]]
            size = wrap(count * slots[1])
            return ('{"source":%s,"tag":%s,"bytes":%s,"cancelled":false,"ignored":%s}'
                    % (source, kind, size if abs(size) <= 1 << 53 else '"%d"' % size, ("false", "true")[node.operand]))
        if tag == BOOL:
            return ("false", "true")[slots[0]]
        if tag == REAL:
            found = "%.17g" % struct.unpack("<d", struct.pack("<q", slots[0]))
            return '"' + found + '"' if found in ("nan", "inf", "-inf") else found
        if tag == RANK:
            rank, size = self.rank_bases[self.rank_base]
            return str((slots[0] + rank) % size)
        if tag == RANK_BASE:
            self.rank_base = slots[0]
            return self.text(node.inner[0])
        if tag == OBJECT:
            return quote(node.operand + b":%d" % slots[0])
        if tag in (LIVE, BEGUN, OWN, LIVE_OF, LIVE_BACK):
            return '"request:%d.%d"' % self.pair(node)
        if tag in FORMATS:
            return '"' + FORMATS[tag] % tuple(slots) + '"'
        if tag == FLAGS:
            return '"' + "|".join(quote(n.operand)[1:-1] if n.tag == NAME else str(self.slots(n)[0]) for n in node.inner) + '"'
        if tag == STATUS:
            keys = ["source", "tag", "bytes", "cancelled", "error"][:len(node.inner)]
            pairs = ['"%s":%s' % (key, self.text(n)) for key, n in zip(keys, node.inner)]
            return "{%s}" % ",".join(pairs + ['"ignored":' + ("true" if node.operand & 1 else "false")])
        return "[" + ",".join(self.items(node, None)) + "]"
