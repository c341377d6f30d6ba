"""One program with and without Pilgrim, however it is started: nothing changes, there is one trace, and in it are the
calls that the wrappers saw."""
import os

import compare
import names
from harness import DECODE, LIBRARY, Failure, Scratch, check, execute, files_under, launch


def observed(result, _folder):
    """What must be the same: all of it. The order of lines of different ranks is nobody's."""
    return result.code, sorted(result.out.splitlines()), sorted(result.others())


def decoded_to(trace, path, folder):
    """Prints TRACE to the file PATH: it may be long."""
    done = execute(["sh", "-c", 'exec "$0" --format=json "$1" >"$2"', DECODE, trace, path], folder)
    check(done.code == 0 and not done.err, "pilgrim-decode: exit code %d\n%s" % (done.code, done.err))
    return path


def agreement(shadow, decoded, ranks):
    """The number of calls in the shadow logs of RANKS ranks and in what the decoder printed."""
    try:
        calls = compare.compare(shadow, decoded)
        logs = compare.shadow_files(shadow)
        named = sum(names.names_check(log) for _, log in logs)
    except compare.Difference as difference:
        raise Failure("shadow: %s" % difference)
    check(len(logs) == ranks and named > 0, "%d shadow logs of %d ranks, %d names" % (len(logs), ranks, named))
    return calls


def traced_test(command, ranks, settings=None, preload=(LIBRARY,), before=(), inside=(), size=None, view=observed, code=0,
                prepare=None, traced=None):
    """COMMAND with and without Pilgrim.
    before, inside: words before and after the MPI launcher's. size: all ranks, where a colon in COMMAND adds some.
    view: of (result, folder), what must be the same. code: the exit code that is right. prepare: called with each folder
    that the program is to run in. traced: in place of COMMAND with Pilgrim: one that is linked with it."""
    with Scratch() as scratch:
        for name in ("without", "with"):
            if prepare:
                prepare(scratch.folder(name))
        without, folder = scratch.folder("without"), scratch.folder("with")
        reference = launch(ranks, command, without, settings=settings)
        check(reference.code == code, "exit code %d without Pilgrim\n%s%s" % (reference.code, reference.out, reference.err))
        shadow, traces = scratch.folder("shadow"), scratch.folder("traces")
        mine = dict(settings or {}, PILGRIM_SHADOW=shadow, PILGRIM_TRACE=traces + "/")
        result = launch(ranks, list(inside) + (traced or command), folder, preload, mine, before=before)
        one, other = view(reference, without), view(result, folder)
        check(one == other, "not as without Pilgrim\nwithout: %r\nwith:    %r" % difference(one, other))
        check(len(result.ours()) == 1, "%d lines of Pilgrim's on stderr\n%s" % (len(result.ours()), "\n".join(result.ours())))
        made = os.listdir(traces)
        check(len(made) == 1, "traces: %s" % sorted(made))
        check(files_under(folder) == files_under(without), "other files: %s" % (files_under(folder) ^ files_under(without)))
        trace = os.path.join(traces, made[0])
        decoded = decoded_to(trace, os.path.join(scratch.path, "decoded"), scratch.path)
        calls = agreement(shadow, decoded, size or ranks)
        return "%d calls compared, a trace of %d bytes" % (calls, os.path.getsize(trace))


def difference(one, other):
    """Of two observations, what differs first."""
    for first, second in zip(one, other):
        if isinstance(first, list) and first != second:
            lines = [(a, b) for a, b in zip(first, second) if a != b]
            return lines[0] if lines else (len(first), len(second))
        if first != second:
            return first, second
    return one, other
