# SPDX-License-Identifier: BSD-3-Clause
"""One program with and without Pilgrim, however it is started: nothing changes, there is one trace, and in it are the
calls that the wrappers saw."""
import os
import re
import signal
import sys
import tempfile
import traceback

import compare
import names
from harness import DECODE, LIBRARY, SECOND_DECODER, SPAWN_LIMIT_S, Failure, Scratch, check, execute, files_under, launch, need_sound_launcher, patiently
from limits import LIMIT_S

sys.path.insert(1, os.path.dirname(SECOND_DECODER))

import second_decoder  # noqa: E402


def observed(result, _folder):
    """What must be the same: all of it but UCX's times and process numbers. The order of lines of different ranks is nobody's."""
    def sorted_lines(lines):
        return sorted(re.sub(r"^\[\d+\.\d+\] \[(\S+):\d+ *:", r"[\1:", line) for line in lines)

    return result.code, sorted_lines(result.out.splitlines()), sorted_lines(result.others())


def decoded_to(trace, path, folder):
    """Prints TRACE to the file PATH: it may be long."""
    done = execute(["sh", "-c", 'exec "$0" --format=json "$1" >"$2"', DECODE, trace, path], folder)
    check(done.code == 0 and not done.err, "pilgrim-decode: exit code %d\n%s" % (done.code, done.err))
    return path


def second_decoded_to(trace, path):
    """The same with the second decoder, in a fork of this process: it is loaded here, and to start Python takes longer than most traces."""
    with open(path, "wb") as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            code = 1
            try:
                signal.alarm(LIMIT_S)
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                sys.stdout, sys.stderr = open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")
                code = second_decoder.main([trace])
                sys.stdout.flush()
            except BaseException:  # nothing of the child may go on here
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        err.seek(0)
        said = err.read().decode("utf-8", "replace")
    check(status == 0 and not said, "second decoder: exit status %d\n%s" % (status, said))
    return path


def sites_removed(path):
    with open(path, encoding="utf-8") as file:
        text, found = re.subn(r',"site":"[^"]*"(?:,"stack":\[[^]]*\])?(?:,"path":\[.*?\}\])?', "", file.read())
    check(found > 0, "no call sites")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def agreement(shadow, decoded, ranks, values=False, named=True):
    """The number of calls in the shadow logs of RANKS ranks and in what the decoder printed. VALUES: readings of clocks are values. NAMED:
    some call has an object."""
    try:
        calls, found = names.compared(shadow, decoded, values=values)
        logs = compare.shadow_files(shadow)
    except compare.Difference as difference:
        raise Failure("shadow: %s" % difference)
    check(len(logs) == ranks and (found > 0 or not named), "%d shadow logs of %d ranks, %d names" % (len(logs), ranks, found))
    return calls


def worlds_test(command, ranks, worlds):
    """Processes that start others: WORLDS are the sizes of all MPI_COMM_WORLDs, the first the launcher's. Each leaves a trace,
    and each trace is that of one world; which one is found out by trying."""
    with Scratch() as scratch:
        reference = patiently(lambda _: launch(ranks, command, scratch.folder("without"), limit_s=SPAWN_LIMIT_S, abandons=True))
        need_sound_launcher(reference)
        check(reference.code == 0, "exit code %d without Pilgrim\n%s" % (reference.code, reference.err))

        def traced(number):
            folders = [scratch.folder("%s-%d" % (name, number)) for name in ("shadow", "traces")]
            settings = {"ORACLE_SHADOW": folders[0], "PILGRIM_TRACE": os.path.join(folders[1], "world.pilgrim")}
            return launch(ranks, command, scratch.folder("with"), [LIBRARY], settings, limit_s=SPAWN_LIMIT_S), *folders

        result, shadow, traces = patiently(traced)
        check(observed(result, None) == observed(reference, None), "not as without Pilgrim\nwithout: %r\nwith:    %r"
              % (observed(reference, None), observed(result, None)))
        check(len(result.ours()) == len(worlds), "%d lines of Pilgrim's for %d worlds" % (len(result.ours()), len(worlds)))
        wanted = {"world%s.pilgrim" % (".%d" % number if number else "") for number in range(len(worlds))}
        check(set(os.listdir(traces)) == wanted, "traces: %s" % sorted(os.listdir(traces)))
        folders = [shadow] + sorted(os.path.join(shadow, name) for name in os.listdir(shadow) if name.startswith("world-"))
        sizes = sorted(len(compare.shadow_files(folder)) for folder in folders)
        check(sizes == sorted(worlds), "worlds of %s ranks" % sizes)
        calls = 0
        for name in sorted(wanted):
            decoded = decoded_to(os.path.join(traces, name), os.path.join(scratch.path, name), scratch.path)
            calls += agreement_of_one(folders, decoded)
        return "%d calls compared in %d traces" % (calls, len(wanted))


def agreement_of_one(folders, decoded):
    """Takes the folder out of FOLDERS that agrees with DECODED."""
    problem = None
    for folder in folders:
        try:
            calls = agreement(folder, decoded, len(compare.shadow_files(folder)))
            folders.remove(folder)
            return calls
        except Failure as failure:
            problem = failure
    raise Failure("no world agrees with %s: %s" % (os.path.basename(decoded), problem))


def traced_test(command, ranks, settings=None, preload=(LIBRARY,), before=(), inside=(), size=None, view=observed, code=0,
                prepare=None, traced=None, sites=True):
    """COMMAND with and without Pilgrim.
    before, inside: words before and after the MPI launcher's. size: all ranks, where a colon in COMMAND adds some.
    view: of (result, folder), what must be the same. code: the exit code that is right. prepare: called with each folder
    that the program is to run in. traced: in place of COMMAND with Pilgrim: one that is linked with it. sites: whether the
    wrappers can tell where they are called from without what the decoder relies on."""
    with Scratch() as scratch:
        for name in ("without", "with"):
            if prepare:
                prepare(scratch.folder(name))
        without, folder = scratch.folder("without"), scratch.folder("with")
        reference = launch(ranks, command, without, settings=settings)
        need_sound_launcher(reference)
        check(reference.code == code, "exit code %d without Pilgrim\n%s%s" % (reference.code, reference.out, reference.err))
        shadow, traces = scratch.folder("shadow"), scratch.folder("traces")
        mine = dict(settings or {}, ORACLE_SHADOW=shadow, PILGRIM_TRACE=traces + "/")
        result = launch(ranks, list(inside) + (traced or command), folder, preload, mine, before=before)
        one, other = view(reference, without), view(result, folder)
        check(one == other, "not as without Pilgrim\nwithout: %r\nwith:    %r" % difference(one, other))
        check(len(result.ours()) == 1, "%d lines of Pilgrim's on stderr\n%s" % (len(result.ours()), "\n".join(result.ours())))
        made = os.listdir(traces)
        check(len(made) == 1, "traces: %s" % sorted(made))
        check(files_under(folder) == files_under(without), "other files: %s" % (files_under(folder) ^ files_under(without)))
        trace = os.path.join(traces, made[0])
        decoded = decoded_to(trace, os.path.join(scratch.path, "decoded"), scratch.path)
        if not sites:
            sites_removed(decoded)
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
