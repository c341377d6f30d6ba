# SPDX-License-Identifier: BSD-3-Clause
"""What pilgrim-convert writes for simulators: GOAL schedules and time-independent traces, read by a parser written from their formats."""
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "checker")]

from harness import check, execute, need  # noqa: E402

OPERATION = re.compile(r"l(\d+): (?:(calc) (\d+)|(send) (\d+)b to (\d+) tag (\d+)|(recv) (\d+)b from (\d+) tag (\d+))(?: cpu (\d+))?$")
NEED = re.compile(r"l(\d+) (i?)requires l(\d+)$")
# Functions whose time is waiting, or the beginning and end of the program.
WAITS = re.compile(r"MPI_(Init|Finalize$|[BSR]?send|I[bsr]?send|P(send|recv)|I?m?recv|Recv|Mrecv|Sendrecv|Isendrecv|I?m?probe|Probe|Mprobe|Wait|Test|Start|I?barrier|"
                   r"Barrier|I?bcast|I?gather|I?scatter|I?all(gather|reduce|toall)|I?reduce(?!_local)|I?scan|I?exscan|I?neighbor|Comm_(create|dup|idup|split|free|disconnect)|Cart_(create|sub)|"
                   r"Graph_create|Dist_graph_create|Intercomm)(?!_local)", re.I)


class Goal:
    """A schedule. ranks: [{label: (kind, number, peer, tag, cpu)}]; needs: [(label, begun is enough, label)] of each rank."""

    def __init__(self, path):
        self.ranks, self.needs, current = [], [], None
        with open(path, encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file]
        head = re.fullmatch(r"num_ranks (\d+)", lines[0])
        for line in lines[1:]:
            found, need = OPERATION.match(line), NEED.match(line)
            if re.fullmatch(r"rank %d {" % len(self.ranks), line):
                check(current is None, "a rank within a rank")
                current = {}
                self.ranks.append(current)
                self.needs.append([])
            elif line == "}":
                current = None
            elif found:
                g = found.groups()
                check(current is not None and int(g[0]) not in current, "label %s twice" % g[0])
                cpu = int(g[11] or 0)
                current[int(g[0])] = ("calc", int(g[2]), None, None, cpu) if g[1] else (g[3] or g[7], int(g[4] or g[8]), int(g[5] or g[9]), int(g[6] or g[10]), cpu)
            elif need:
                a, begun, b = int(need.group(1)), need.group(2) == "i", int(need.group(3))
                check(a in current and b in current and b < a, "%r: it needs what is not before it" % line)
                self.needs[-1].append((a, begun, b))
            else:
                check(not line, "not GOAL: %r" % line)
        check(head and len(self.ranks) == int(head.group(1)) and current is None, "ranks")

    def messages(self):
        """[(from, to, bytes)]; each send has its receive, of as many bytes."""
        ends = {"send": {}, "recv": {}}
        for rank, operations in enumerate(self.ranks):
            for label, (kind, number, peer, tag, _) in operations.items():
                if kind == "calc":
                    continue
                channel = (rank, peer, tag) if kind == "send" else (peer, rank, tag)
                check(channel not in ends[kind], "two messages %r" % (channel,))
                check(rank != peer and peer < len(self.ranks), "rank %d: its peer is %d" % (rank, peer))
                ends[kind][channel] = (rank, label, number)
        check(set(ends["send"]) == set(ends["recv"]), "messages with one end: %r" % list(set(ends["send"]) ^ set(ends["recv"]))[:3])
        self.pairs = [(ends["send"][channel][:2], ends["recv"][channel][:2]) for channel in ends["send"]]
        for channel, (_, _, number) in ends["send"].items():
            check(number == ends["recv"][channel][2], "%r: %d bytes are sent, %d received" % (channel, number, ends["recv"][channel][2]))
        return [(a, b, number) for (a, b, _), (_, _, number) in ends["send"].items()]

    def runs(self):
        """Every operation can run: what it needs, and of a receive its send, can run before. (The end of an operation comes after its beginning.)"""
        after, waits = collections.defaultdict(list), collections.Counter()

        def edge(a, b):
            after[a].append(b)
            waits[b] += 1

        for rank, operations in enumerate(self.ranks):
            for label in operations:
                edge((rank, label, "begin"), (rank, label, "end"))
            for label, begun, earlier in self.needs[rank]:
                edge((rank, earlier, "begin" if begun else "end"), (rank, label, "begin"))
        for sent, got in self.pairs:
            edge(sent + ("begin",), got + ("end",))
        total = 2 * sum(map(len, self.ranks))
        ready = [(rank, label, "begin") for rank, operations in enumerate(self.ranks) for label in operations if not waits[rank, label, "begin"]]
        done = 0
        while ready:
            node = ready.pop()
            done += 1
            for later in after[node]:
                waits[later] -= 1
                if not waits[later]:
                    ready.append(later)
        check(done == total, "%d of %d operations can never run" % (total - done, total))

    def computes(self):
        return [sum(number for kind, number, *_ in operations.values() if kind == "calc") for operations in self.ranks]


def computed(calls):
    """[ns] of each rank: between calls, and in calls that wait for nobody. CALLS: as pilgrim-decode prints them; one thread a rank."""
    found, last = collections.Counter(), {}
    for key in sorted(calls):
        call = calls[key]
        if key[:2] in last:
            found[key[0]] += max(0, call["start"] - last[key[:2]])
        if not WAITS.match(call["func"]):
            found[key[0]] += call["end"] - call["start"]
        last[key[:2]] = max(call["end"], last.get(key[:2], 0))
    return [found[rank] for rank in range(max(key[0] for key in calls) + 1)]


class TimeIndependent:
    """A folder of actions: ranks: [[[word, ...], ...]]"""

    def __init__(self, folder):
        with open(os.path.join(folder, "list.txt"), encoding="utf-8") as file:
            names = file.read().split()
        check(names == ["rank%d.txt" % i for i in range(len(names))], "%r" % names)
        check(sorted(os.listdir(folder)) == sorted(names + ["list.txt"]), "other files: %r" % os.listdir(folder))
        self.folder, self.ranks = folder, []
        for rank, name in enumerate(names):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                actions = [line.split() for line in file]
            check(all(int(words[0]) == rank for words in actions), "actions of other ranks")
            check(actions[0][1:] == ["init"] and actions[-1][1:] == ["finalize"], "rank %d: its begin or end" % rank)
            self.ranks.append([words[1:] for words in actions])

    def messages(self):
        """[(from, to, bytes)]; each send has its receive, each wait its request, and no request two waits."""
        sent, got = {}, {}
        for rank, actions in enumerate(self.ranks):
            begun = set()
            for name, *words in actions:
                if name in ("send", "isend", "recv", "irecv"):
                    peer, tag, size = map(int, words)
                    channel = (rank, peer, tag) if "send" in name else (peer, rank, tag)
                    ends = sent if "send" in name else got
                    check(channel not in ends and peer != rank, "two messages %r" % (channel,))
                    ends[channel] = size
                    if name[0] == "i":
                        begun.add(channel)
                elif name == "wait":
                    channel = tuple(map(int, words))
                    check(channel in begun, "rank %d waits for %r, which it has not begun, or twice" % (rank, channel))
                    begun.remove(channel)
        check(sent == got, "messages differ at their ends: %r" % list(set(sent.items()) ^ set(got.items()))[:3])
        return [(a, b, size) for (a, b, _), size in sent.items()]

    def computes(self):
        return [sum(int(words[0]) for name, *words in actions if name == "compute") for actions in self.ranks]

    def collectives(self):
        """Names of the collective operations of each rank, in order; all ranks have the same."""
        found = [[words[0] for words in actions if words[0] not in ("init", "finalize", "compute", "send", "isend", "recv", "irecv", "wait")] for actions in self.ranks]
        check(all(names == found[0] for names in found), "ranks have other collective operations")
        return found[0]


PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node" suffix="" radical="0-%d" speed="1Gf" bw="10GBps" lat="1us"/>
</platform>
"""


def replay(folder):
    """Seconds that SimGrid's replay of a time-independent trace takes on a simulated cluster."""
    need("smpirun")
    ranks = len(os.listdir(folder)) - 1
    above = os.path.dirname(folder)
    with open(os.path.join(above, "platform.xml"), "w", encoding="utf-8") as file:
        file.write(PLATFORM % ranks)
    with open(os.path.join(above, "hosts.txt"), "w", encoding="utf-8") as file:
        file.write("".join("node%d\n" % i for i in range(ranks)))
    done = execute(["smpirun", "-np", str(ranks), "-platform", "../platform.xml", "-hostfile", "../hosts.txt", "-replay", "list.txt"], folder)
    found = re.search(r"Simulation time ([0-9.]+)", done.out + done.err)
    check(done.code == 0 and found, "smpirun: %d\n%s" % (done.code, (done.out + done.err)[-1500:]))
    return float(found.group(1))
