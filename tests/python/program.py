# SPDX-License-Identifier: BSD-3-Clause
"""Calls MPI from every kind of code in Python, and writes what sys._getframe says of each: a line {"call":N,"stack":[...]}.

    program.py LOG [released] [killed] [times N]
"""
import json
import os
import signal
import sys
import threading
import time

import MPI

log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
lock = threading.Lock()
count = 0


def note(frame):
    """Writes the stack from FRAME outwards. Returns the number of the call that is made next, on the same line."""
    global count
    stack = []
    while frame:
        code = frame.f_code
        stack.append([code.co_filename, frame.f_lineno or 0, getattr(code, "co_qualname", code.co_name)])
        frame = frame.f_back
    with lock:
        count += 1
        number = count
        os.write(log, (json.dumps({"call": number, "stack": stack}) + "\n").encode())
    return number


def call():
    MPI.call(note(sys._getframe()))


class Class:
    def method(self):
        MPI.call(note(sys._getframe()))

    @staticmethod
    def static():
        MPI.call_locked(note(sys._getframe()))

    @property
    def value(self):
        MPI.call(note(sys._getframe()))

    def __del__(self):
        MPI.call(note(sys._getframe()))


def generator(n):
    for i in range(n):
        MPI.call(note(sys._getframe()))
        yield i
        call()


def delegating(n):
    yield from generator(n)


async def coroutine(n):
    call()
    if n:
        await coroutine(n - 1)
    MPI.call(note(sys._getframe()))


def run(c):
    try:
        c.send(None)
    except StopIteration:
        pass


def recursive(n):
    if n:
        return recursive(n - 1)
    call()
    return MPI.call(note(sys._getframe()))


def raising(n):
    try:
        if n == 0:
            raise ValueError
        raising(n - 1)
    except ValueError:
        call()
        if n < 2:
            raise
    finally:
        MPI.call(note(sys._getframe()))


def decorated(f):
    def inner(*arguments):
        call()
        return f(*arguments)
    return inner


@decorated
def été(x):
    MPI.call(note(sys._getframe())); MPI.call(note(sys._getframe()))  # noqa: E702
    return x


def made(i):
    """A function that exists for one call. Others come to its place."""
    names = {"note": note, "MPI": MPI, "sys": sys}
    exec(compile("\n" * (i % 7) + "def f%d():\n    MPI.call(note(sys._getframe()))\n" % (i % 50), "made%d.py" % (i % 3), "exec"), names)
    names["f%d" % (i % 50)]()


def same_place(i):
    """Code that differs in its name alone."""
    exec("def %s(): MPI.call(note(sys._getframe()))\n%s()" % (("a", "b")[i % 2] * 3, ("a", "b")[i % 2] * 3))


def all_of_them(n):
    for i in range(n):
        call()
    o = Class()
    for i in range(n):
        o.method()
        Class.static()
        o.value
    del o
    for i in delegating(n):
        call()
    kept = generator(2)
    next(kept)
    [call() for _ in range(2)]
    {MPI.call(note(sys._getframe())) for _ in range(2)}
    list(MPI.call(note(sys._getframe())) for _ in range(2))
    sorted(range(3), key=lambda x: call() or x)
    list(map(lambda x: MPI.call(note(sys._getframe())), range(3)))
    run(coroutine(3))
    for depth in (0, 1, 5, 62, 63, 64, 100, 140):
        recursive(depth)
    raising(3)
    été(1)
    MPI.call_back(call)
    MPI.call_inside(call)
    MPI.call_back(lambda: MPI.call_back(lambda: MPI.call_locked(note(sys._getframe()))))
    for i in range(20 * n):
        made(i)
        same_place(i)
    next(kept)
    class Body:
        MPI.call_locked(note(sys._getframe()))
    eval("call()")


def main():
    arguments = sys.argv[2:]
    MPI.init_released() if "released" in arguments else MPI.init()
    if "times" in arguments:
        measure(int(arguments[-1]))
        return
    all_of_them(3)
    threads = [threading.Thread(target=all_of_them, args=(2,)) for _ in range(3)]
    for t in threads:
        t.start()
    all_of_them(2)
    for t in threads:
        t.join()
    if "killed" in arguments:
        os.kill(os.getpid(), signal.SIGKILL)
    MPI.finalize()


def measure(n):
    """Prints the ns that a call takes from five functions."""
    def inner(depth):
        if depth:
            return inner(depth - 1)
        best = 1e9
        for _ in range(20):
            begin = time.perf_counter()
            for _ in range(n):
                MPI.call_locked(1)
            best = min(best, time.perf_counter() - begin)
        return best / n * 1e9
    print("%.1f" % inner(2))
    MPI.finalize()


main()
