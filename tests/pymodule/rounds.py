# SPDX-License-Identifier: BSD-3-Clause
"""Reads a trace in all ways, in many rounds, and says if the process grows.

    rounds.py TRACE ROUNDS"""
import gc
import os
import sys

import pilgrim

import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arrow_consumer  # noqa: E402

warnings.simplefilter("ignore")


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def one_round(path):
    t = pilgrim.open(path)
    for batch in t.calls(batch=100):
        batch["func"]
        break
    t.calls(columns=["seq", "request", "buf"]).read()
    arrow_consumer.read(t.calls(columns=["seq", "func", "peer"]))
    arrow_consumer.read(t.calls(columns=["seq", "func", "peer"], batch=100), batches=2)
    arrow_consumer.drop(t.calls())
    for wrong in ({"columns": ["no"]}, {"rank": 99}, {"func": ""}):
        try:
            t.calls(**wrong).read()
        except pilgrim.Error:
            pass
    t.messages()
    t.stats(by=["func", "rank"])
    t.matrix()
    t.loops()
    t.ranks()
    t.waits()
    t.system()
    t.endings()
    t.diff(path)
    t.summary()
    t.communicators()
    iterator = iter(t.calls(batch=10))
    next(iterator)
    t.close()
    next(iterator)


def main():
    path, rounds = sys.argv[1], int(sys.argv[2])
    for _ in range(1 + rounds // 4):
        one_round(path)
    gc.collect()
    before = resident()
    for _ in range(rounds):
        one_round(path)
    gc.collect()
    grown = (resident() - before) / rounds
    print("%d bytes a round" % grown)
    return 1 if rounds > 1 and grown > 20000 else 0


if __name__ == "__main__":
    sys.exit(main())
