# SPDX-License-Identifier: BSD-3-Clause
"""Random traces, right ones, and the calls that they stand for: of the values of all calls and the shape of all sequences, which
are drawn first, a file is made with docs/FORMAT.md in hand, in one of the many ways that there are. Nothing is read back.

    random_trace.py SEED FILE       writes the trace to FILE and its calls to standard output
"""
import itertools
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from random_profile import random_profile  # noqa: E402
from random_times import common_section, statistics, thread_times  # noqa: E402
from random_values import INT, KEPT_ITEMS, PLAIN, REQUESTS, UNZIPPED, SIGNATURE_SERIES, Printer, Sequences, Shape  # noqa: E402
from second_parts import CODED_CALLS, CODED_CALLS_7, CODED_CALLS_11, CODED_DEFINITIONS, CODED_DEFINITIONS_10  # noqa: E402
from trace_writer import Builder, T, constant, expression, file_of, rule, varint  # noqa: E402

CALLS_MAX = 60      # of a thread, more or less
MACHINE_MODULES = 2     # of each shard, the first ones; the others are functions in Python


class Class:
    """A call class: its number, how its calls print."""

    def __init__(self, shard, number, parameters=None, names="abc"):
        d, b = shard.dice, shard.b
        self.name = "MPI_%s" % chr(65 + number)
        self.parameters = [d.choice(",,>&&") for _ in range(d.randint(0, 3))] if parameters is None else parameters
        self.names = names
        declaration = self.name + "".join("%s%s" % (mark, names[i]) for i, mark in enumerate(self.parameters))
        self.fortran, path = d.random() < 0.2, ()
        if d.random() < 0.8:
            path = (*(d.choice(shard.paths) if d.random() < 0.5 else ()), shard.address())
        self.frames = [shard.addresses[number] for number in reversed(path)]
        self.number = b.call_class((declaration + (":" if d.random() < 0.3 else "")).encode(), *path, fortran=self.fortran)

    def line(self, printer, values):
        ins = [i for i, mark in enumerate(self.parameters) if mark in ",&"]
        outs = [i for i, mark in enumerate(self.parameters) if mark in ">&"]
        nodes = dict(zip(outs, values[len(ins):]))
        before = {}
        for i, value in zip(ins, values):
            before[i] = printer.parameter(value, None)
            if i == ins[0]:
                printer.requests = printer.requests_of(value)
        after = {i: printer.parameter(node, before.get(i, (None, None))[1]) for i, node in nodes.items()}
        for items, parameter, text in printer.completed:
            for place in printer.places_of(nodes[parameter]):
                items[place] = text
        texts = {}
        for i in range(len(self.parameters)):
            shown = ["[" + ",".join(items) + "]" if items is not None else text
                     for text, items in (those[i] for those in (before, after) if i in those)]
            texts[i] = shown[0] if len(shown) == 1 else '{"in":%s,"out":%s}' % tuple(shown)
        result = printer.text(values[-1])
        arguments = ",".join('"%s":%s' % (self.names[i], texts[i]) for i in range(len(self.parameters)))
        frames = ["m%d+0x%x" % frame[:2] if frame[0] < MACHINE_MODULES else "m%d:%d:f%s" % (frame[:2] + frame[:1]) for frame in self.frames]
        return ('"func":"%s"%s,"args":{%s},"ret":%s' % (self.name, ',"lang":"fortran"' if self.fortran else "", arguments, result)
                + (',"site":"%s"' % frames[0] if frames else "")
                + (',"stack":[%s]' % ",".join('"%s"' % frame for frame in frames[1:]) if frames[1:] else "") + self.path() + "}")

    def path(self):
        if not any(name for _, _, name in self.frames):
            return ""
        return ',"path":[%s]' % ",".join('{"module":"m%d","%s":%d%s}' % (
            module, "offset" if module < MACHINE_MODULES else "line", offset, ',"function":"%s"' % name if name else "")
            for module, offset, name in self.frames)


class Shard:
    """threads: how many each of its ranks has; speaks: whether its process stream has calls; first: the number of the first one; world:
    how many ranks there are in all. rank_bases: what the process streams say. lines: of its calls, without what is in front of the function's
    name, {(rank, thread): [...]}; places: of their classes, likewise. profile: what a reader should find, or None."""

    def __init__(self, dice, first, threads, speaks, world):
        ranks = len(threads)
        self.first, self.threads, self.profile = first, threads, None
        self.dice, self.b = dice, Builder(ranks=ranks, threads=0)
        self.b.plain_references, self.b.coded, self.b.short_profile = dice.random() < 0.2, dice.random() < 0.5, dice.random() < 0.7
        self.b.calls_type = dice.choice((CODED_CALLS_7, CODED_CALLS_11, CODED_CALLS, CODED_CALLS))
        self.b.definitions_type = dice.choice((None, CODED_DEFINITIONS_10, CODED_DEFINITIONS))
        self.b.shared_profile = self.b.short_profile and dice.random() < 0.7
        self.b.tables.clear()
        self.s, self.lines, self.places = Sequences(dice, self.b), {}, {}
        for _ in range(dice.randint(0, 3)):
            self.b.rule(rule((T, dice.randint(0, 9), dice.randint(1, 3))))     # not used
        self.b.old, self.b.plain_addresses, self.b.repeats = (dice.random() < 0.2 for _ in range(3))
        self.modules = [self.b.module(b"m%d" % i, b"f%d" % i if i >= MACHINE_MODULES else None)
                        for i in range(MACHINE_MODULES + (0 if self.b.old else 2))]
        self.symbols = [self.b.symbol(dice.choice(self.modules[:MACHINE_MODULES]), dice.randint(0, 1 << 40), b"s%d" % i) for i in range(dice.randint(0, 3))]
        self.addresses = {}
        self.paths = [()]
        for _ in range(dice.randint(0, 4)):
            self.paths.append(dice.choice(self.paths) + (self.address(),))
        self.b.threads = self.b.column(self.s.column([0, *itertools.accumulate(self.threads)]))
        self.rank_bases = self.processes(first, speaks, world)

    def address(self):
        """The number of an address: a new one, or one that was there."""
        dice = self.dice
        if self.addresses and dice.random() < 0.3:
            return dice.choice(list(self.addresses))
        symbol = dice.choice(self.symbols) if self.symbols and dice.random() < 0.7 else None
        module, start, _ = self.b.table("symbols")[symbol] if symbol is not None else (dice.choice(self.modules), 0, None)
        offset = start + dice.randint(0, 1 << dice.choice((6, 40)))
        number = self.b.address(module, offset, symbol)
        name = None if symbol is None or self.b.old else "s%d" % symbol
        which = self.modules.index(module)
        self.addresses[number] = which, offset, name if which < MACHINE_MODULES else "f%d" % which
        return number

    def calls(self, rank_bases):
        """Makes the threads' calls. rank_bases: of all ranks."""
        dice, first = self.dice, self.first
        owners = [(rank, thread) for rank, count in enumerate(self.threads) for thread in range(count)]
        groups = {}
        for number in range(len(owners)):
            groups.setdefault(dice.randint(0, 2), []).append(number)
        self.loop = self.b.call_class(b"pilgrim_loop:") if dice.random() < 0.9 else None
        self.classes = [Class(self, 0, [","] * len(KEPT_ITEMS)), Class(self, 1, ",,,>", ("source", "tag", "count", "request"))]
        self.classes += [Class(self, i) for i in range(2, dice.randint(4, 6))]
        for numbers in groups.values():
            own = dice.random() < 0.5   # requests that begin are of the class that begins them, else of class 0
            members = [(first + owners[n][0], rank_bases[first + owners[n][0]], (owners[n][1] << 16) + 1 if own else 0) for n in numbers]
            group = Group(self, members, [owners[n][1] for n in numbers], own)
            self.b.group(group.sequence, group.group_classes, self.s.column(numbers))
            for n, lines, places in zip(numbers, group.lines, group.places):
                owner = first + owners[n][0], owners[n][1]
                self.lines[owner], self.places[owner] = lines, places
        kind = dice.choice(("none", "statistics", "profile", "profile"))
        if kind == "statistics":
            self.b.statistics = statistics(dice, self.b)
        elif kind == "profile":
            self.profile, self.b.profile = random_profile(dice, self.b)

    def processes(self, first, speaks, world):
        """The process streams; the rank bases of each rank."""
        dice, b, ranks = self.dice, self.b, len(speaks)
        count = dice.randint(1, 4)
        xs = [first + i for i in range(ranks)]
        columns, rank_bases = [expression(1, 0)], [[(x, world)] for x in xs]
        sizes = [constant(world)]
        for _ in range(count - 1):
            column, places = self.s.any_column(xs, True)
            size = dice.randint(1, 99)
            columns.append(column)
            sizes.append(constant(size))
            for i, place in enumerate(places):
                rank_bases[i].append((place, size))
        ints = b"\x0f" + varint(count) + b"\3" * count
        group_class = b.group_class(b.call_class(b"pilgrim_process,views_rank,views_size:"),
                    (1, [b.signature(b.shape(ints + ints + b"\1"), columns + sizes)]))
        groups = {}
        for i in range(ranks):
            groups.setdefault(dice.randint(0, 1) if speaks[i] else "none", []).append(i)
        for kind, numbers in groups.items():
            if kind == "none":
                b.group(0, [], self.s.column(numbers), True)
            else:
                b.group(1, [(group_class, None)], self.s.column(numbers), True)
        return rank_bases


class Group:
    """A structure group of MEMBERS, which are these THREADS of their ranks: group_classes, sequence; lines, places: of each member's calls.
    own: requests that begin are of the call's own class, the second one that each member has."""

    def __init__(self, shard, members, threads, own):
        self.own = own
        self.shard, self.members, self.dice, self.s, self.b = shard, members, shard.dice, shard.s, shard.b
        d = self.dice
        calls = shard.classes[:2] + d.sample(shard.classes[2:], d.randint(1, len(shard.classes) - 2))
        if d.random() < 0.3:
            calls.append(calls[-1])     # a class that stands there twice
        rest = list(range(2, len(calls))) + ["loop"] * (d.choice((0, 1, 2, 3, 4)) if shard.loop is not None else 0)
        d.shuffle(rest)
        self.kinds = [0, 1] + rest         # of each place: the number in calls, or "loop"
        self.bodies, places = {}, [p for p, kind in enumerate(self.kinds) if p and kind != "loop"]
        self.call_places = places
        for place, kind in enumerate(self.kinds):
            if kind == "loop":
                self.bodies[place] = self.list_of(places + 2 * list(self.bodies), 4)
        whole = [0] + [1] * REQUESTS + self.list_of(places + 3 * list(self.bodies), 9)
        self.sequence = self.s.sequence(whole)
        met = [self.walk(whole, m) for m in range(len(members))]
        self.group_classes, found = [], []
        for place, kind in enumerate(self.kinds):
            trips = [those for _, those in met]
            counts = [len(trips[m][place]) if kind == "loop" else met[m][0].count(place) for m in range(len(members))]
            group_class, printed = self.group_class(None if kind == "loop" else calls[kind], counts, [those.get(place) for those in trips], place)
            found.append(printed)
            self.group_classes.append((group_class, self.s.sequence(self.bodies[place]) if kind == "loop" else None))
        self.lines, self.places = [], [those for those, _ in met]
        for m, (those, _) in enumerate(met):
            begun, live, registers, nexts, lines = {}, [], {}, [iter(printed[m] or ()) for printed in found], []
            called = [kind != "loop" and place in those for place, kind in enumerate(self.kinds)]
            own_classes = list(itertools.accumulate(called, initial=threads[m] << 16))
            for place in those:
                values, position, i = next(nexts[place])
                printer = Printer(position, i, members[m], registers, begun, live, own_classes[place])
                lines.append(calls[self.kinds[place]].line(printer, values))
                registers.update(printer.kept)
                if self.kinds[place] == 1:
                    printer.rank_base = 0
                    pair = printer.pair(values[3])
                    begun[pair] = (*map(printer.text, values[:2]), printer.slots(values[2])[0])
                    live[:] = [place for place in live if place != pair[1]] + [pair[1]]
            self.lines.append(lines)

    def list_of(self, places, most):
        d = self.dice
        found = [d.choice(places) for _ in range(d.randint(1, most))]
        return found * d.choice((1, 1, 1, 2, 3)) if len(found) < 4 else found

    def walk(self, whole, m):
        """(places of the calls, {place: trips}) of member M."""
        d, calls, trips, idle = self.dice, [], {place: [] for place in self.bodies}, 0
        stack = [iter(whole)]
        while stack:
            place = next(stack[-1], None)
            if place is None:
                stack.pop()
            elif place not in self.bodies:
                calls.append(place)
                idle = 0
            else:
                n = d.choice((0, 1, 2, 2, 3)) if len(calls) < CALLS_MAX else 0
                n = 1 if idle == len(self.kinds) else n
                trips[place].append(n)
                idle += not n
                stack.append(itertools.chain.from_iterable([self.bodies[place]] * n))
        return calls, trips

    def group_class(self, call_class, counts, trips, place):
        """(group_class, for each member (values, position, i) of each call). trips: of each member, if it is a loop."""
        d, value_groups = self.dice, {}
        more = d.randint(1, 2)
        for m, count in enumerate(counts):
            value_groups.setdefault((count, d.randrange(more)), []).append(m)
        value_groups = list(value_groups.values())
        d.shuffle(value_groups)
        sequences, printed = [], [None] * len(counts)
        for places in value_groups:
            count = counts[places[0]]
            if call_class is None:
                sequences.append(self.trips([trips[m] for m in places], count, [self.members[m] for m in places]))
                continue
            sequence, calls = self.value_group(call_class, count, [self.members[m] for m in places], place)
            sequences.append(sequence)
            for position, m in enumerate(places):
                printed[m] = [(values, position, i) for values, i in calls]
        partition = None
        if len(value_groups) > 1 and d.random() < 0.5:
            of_member = {m: number for number, places in enumerate(value_groups) for m in places}
            partition = self.b.labels(len(value_groups), self.s.column([of_member[m] for m in range(len(counts))]))
        elif len(value_groups) > 1:
            partition = self.b.partition(*map(self.s.column, value_groups))
        number = self.shard.loop if call_class is None else call_class.number
        return self.b.group_class(number, *sequences, partition=partition), printed

    def trips(self, values, count, members):
        """A value group of a loop: VALUES[m][i]. Unzipped, as a signature series, or in other ways, if there are calls."""
        shape, xs = self.b.shape(varint(INT)), [r for r, _, _ in members]
        kind = self.dice.choice((PLAIN, SIGNATURE_SERIES, UNZIPPED) if count > 1 else (PLAIN, UNZIPPED))
        if not count:
            return 0, []
        if kind != PLAIN:
            columns, _ = self.s.slot(kind, xs, [count] * len(members), lambda m, i: values[m][i])
            terminals = range(count) if kind == SIGNATURE_SERIES else [0] * count
            return self.s.sequence(terminals), [self.b.signature(shape, columns, count if kind == SIGNATURE_SERIES else 0)]
        known, terminals = {}, []
        for those in zip(*values):
            if those not in known:
                known[those] = len(known), self.b.signature(shape, self.s.slot(PLAIN, xs, [1] * len(xs), lambda m, _: those[m])[0])
            terminals.append(known[those][0])
        return self.s.sequence(terminals), [number for _, number in known.values()]

    def value_group(self, call_class, count, members, place):
        """((sequence, signatures), of each call (values, i))."""
        d = self.dice
        if not count:
            return (0, []), []
        first, begins = (call_class is those for those in self.shard.classes[:2])
        kinds = d.choices((PLAIN, SIGNATURE_SERIES, UNZIPPED), k=d.randint(1, 3))
        if first or begins:
            kinds = [UNZIPPED] if begins else [d.choice((PLAIN, UNZIPPED))]
        sizes = [d.randint(2, 4) if kind == SIGNATURE_SERIES else 1 for kind in kinds]
        again = len(kinds) if not first and not begins and d.random() < 0.3 else None  # place of the first one, once more
        if again:
            kinds.append(kinds[0])
            sizes.append(sizes[0])
        starts = [0, *itertools.accumulate(sizes)]
        few = [d.randrange(starts[-1]) for _ in range(d.randint(1, 5))]
        terminals = [few[i % len(few)] if d.random() < 0.8 else d.randrange(starts[-1]) for i in range(count)]
        numbers, shapes = [], []
        for kind, size, start in zip(kinds, sizes, starts):
            if again and len(shapes) == again:
                numbers.append(numbers[0])
                shapes.append(shapes[0])
                continue
            times = terminals.count(start) if kind == UNZIPPED else size
            if again and not shapes and kind == UNZIPPED:
                times = max(times, terminals.count(starts[again]))
            shape = Shape(self.s, kind, members, times, call_class.parameters, self.own, place)
            shape = shape.first() if first else shape.begin() if begins else shape.draw()
            numbers.append(self.b.signature(self.b.shape(shape.content), shape.columns,
                                            {PLAIN: 1, SIGNATURE_SERIES: size, UNZIPPED: 0}[kind]))
            shapes.append(shape)
        met, calls = [0] * len(kinds), []
        for terminal in terminals:
            n = max(n for n, start in enumerate(starts[:-1]) if start <= terminal)
            calls.append((shapes[n].values, met[n] if kinds[n] == UNZIPPED else terminal - starts[n]))
            met[n] += 1
        return (self.s.sequence(terminals), numbers), calls


def parted(dice, ranks):
    """RANKS as the numbers of ranks of shards."""
    found = []
    while ranks:
        found.append(dice.randint(1, min(ranks, 5)))
        ranks -= found[-1]
    return found


def speaking(dice, threads):
    """In which segments the process stream of a rank has calls, which has so many THREADS in each."""
    if not any(threads) and dice.random() < 0.5:
        return [False for _ in threads]
    last = dice.randrange(len(threads))
    return [number == last or number < last and dice.random() < 0.5 for number in range(len(threads))]


def common_add(dice, shards, segments, places):
    """Adds sections of several threads. Returns {(rank, thread): (the shard that it is behind, [(start, end)])}."""
    found = {}
    firsts = {owner: next(((which, those) for which, those in enumerate(parts) if those), (0, [])) for owner, parts in places.items()}
    for owner, (_, those) in firsts.items():
        if owner in found or not those or dice.random() < 0.5:
            continue
        order = those[:dice.randint(1, 9)]
        alike = [other for other in firsts if other[0] == owner[0] and other not in found and firsts[other][1][:len(order)] == order]
        dice.shuffle(alike)
        content, times = common_section(dice, owner[0], [thread for _, thread in alike], order)
        at = dice.randint(segments[max(firsts[other][0] for other in alike)], len(shards) - 1)
        shards[at].b.times.append(content)
        found.update((other, (at, times[other[1]])) for other in alike)
    return found


def times_add(dice, shards, segments, lines):
    """Adds times to the lines of threads, and sections with them to the shards. segments: the number of each one's first shard."""
    places = {owner: [[] for _ in segments] for owner in lines}
    for number, shard in enumerate(shards):
        for owner, those in shard.places.items():
            places[owner][sum(first <= number for first in segments) - 1] += those
    common = common_add(dice, shards, segments, places)
    for (rank, thread), those in lines.items():
        at, times = common.get((rank, thread), (0, ()))
        sections, known = thread_times(dice, rank, thread, places[rank, thread], times)
        for which, content in sections:
            at = dice.randint(max(at, segments[which]), len(shards) - 1)
            shards[at].b.times.append(content)
        for number, times in known.items():
            those[number] = those[number][:-1] + ',"start":%d,"end":%d}' % times


def random_trace(seed):
    """(bytes, lines): the file, and what a decoder prints, as text."""
    shards, lines = random_shards(seed)
    return file_of(*[shard.b.sections() for shard in shards]), lines


def random_shards(seed):
    """(Shards, lines)"""
    dice = random.Random(seed)
    counts = [dice.randint(1, 5) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    world, segments = sum(counts), dice.choice((1, 1, 2, 3))
    threads = [[dice.choice((0, 1, 1, 1, 2, 3)) for _ in range(world)] for _ in range(segments)]
    speaks = list(zip(*[speaking(dice, those) for those in zip(*threads)]))
    shards, rank_bases, lines, firsts = [], {}, {}, []
    for number in range(segments):
        first = 0
        firsts.append(len(shards))
        for ranks in parted(dice, world) if number else counts:
            those = slice(first, first + ranks)
            shard = Shard(dice, first, threads[number][those], speaks[number][those], world)
            shard.b.begins_segment = number > 0 and first == 0
            rank_bases.update((first + i, shown) for i, shown in enumerate(shard.rank_bases) if speaks[number][first + i])
            shards.append(shard)
            first += ranks
    for shard in shards:
        shard.calls(rank_bases)
        for owner, those in shard.lines.items():
            lines.setdefault(owner, []).extend(those)
    if dice.random() < 0.7:
        times_add(dice, shards, firsts, lines)
    printed = ['{"rank":%d,"thread":%d,"seq":%d,%s\n' % (*owner, seq, line)
               for owner, those in sorted(lines.items()) for seq, line in enumerate(those)]
    return shards, "".join(printed)


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdecimal():
        print("usage: random_trace.py SEED FILE", file=sys.stderr)
        return 2
    data, lines = random_trace(int(sys.argv[1]))
    with open(sys.argv[2], "wb") as file:
        file.write(data)
    sys.stdout.buffer.write(lines.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
