# SPDX-License-Identifier: BSD-3-Clause
"""What the oracle's scripts share: running a program under a time limit, and seeing that nothing of it is left behind.

Every process of a run carries a mark in its environment, so that those that outlive it are found in /proc, whatever
process group the MPI launcher put them in.
"""
import fnmatch
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import needs
from limits import EXECUTED_S, LIMIT_S

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec.mpich")
YIELD = os.path.abspath(os.environ.get("YIELD", os.path.join(BUILD, "programs", "naps.so")))

def configured(name):
    """What configure wrote to the build folder's config.mk."""
    with open(os.path.join(BUILD, "config.mk"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:2] == [name, "="]:
                return " ".join(words[2:])
    raise SystemExit("%s: no %s" % (os.path.join(BUILD, "config.mk"), name))


FAMILY = configured("MPI_FAMILY")
LIBRARY = os.path.join(BUILD, "libpilgrim.so")
DECODE = os.path.join(BUILD, "pilgrim-decode")
RUN = os.path.join(BUILD, "pilgrim-run")
# The same with the shadow (src/shadow), which writes its log into the folder that is the value of SHADOW in the environment.
SHADOW = "ORACLE_SHADOW"
SHADOWED = os.path.join(BUILD, "programs", "shadow", "libpilgrim.so")
SHADOWED_RUN = os.path.join(BUILD, "programs", "shadow", "pilgrim-run")
LOGICAL = os.path.join(BUILD, "programs", "logical_clock.so")
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECOND_DECODER = os.path.join(TESTS, "second", "second_decoder.py")

LONG = bool(os.environ.get("LONG"))
START = time.monotonic()
GRACE_S = 100  # for the launcher's helpers to end after it
ABANDONED_S = 2  # for processes that a launcher may abandon, which come to no other end
SPAWN_TRIES, SPAWN_LIMIT_S = 5, 60  # of runs that spawn processes: see patiently
MARK = "ORACLE_RUN"
NETPIPE = "NPmpich2"


# More ranks than processors, as any user.
OPENMPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # Open MPI 5, whose launcher is PRRTE
           "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_osc": "^ucx", "OMPI_MCA_btl_tcp_if_include": "lo"}


# Without LONG=1, MPICH takes each process to be on a machine of its own. A launch then costs half as much: with several ranks to a machine,
# each spins in MPI_Init until the others have come. TOGETHER undoes it, for runs that are about what is on one machine.
APART = {"MPIR_CVAR_NOLOCAL": "1"} if FAMILY == "mpich" and not LONG else {}
TOGETHER = {"MPIR_CVAR_NOLOCAL": "0"} if APART else {}


# The child of a fork that calls MPI_Init waits for ever for a lock of its own in one of five to ten runs with UCX 1.18.1 (Debian 13), without
# Pilgrim, too; not without events of memory.
FORKED = {"UCX_MEM_EVENTS": "n"}


class Failure(Exception):
    """A check that did not hold; the first line is the reason."""


class Skipped(Exception):
    """What a test needs is missing: the reason. No Failure, so that tests which expect one do not take it for theirs."""


class Result:
    def __init__(self, code, out, err, abandoned=False):
        self.code = code
        self.abandoned = abandoned  # the launcher left processes behind, which were killed
        self.out = out.decode("utf-8", "backslashreplace")
        self.err = err.decode("utf-8", "backslashreplace")

    def ours(self):
        """The lines on stderr that the library wrote."""
        return [line for line in self.err.splitlines() if line.startswith("pilgrim: ")]

    def others(self):
        return [line for line in self.err.splitlines() if not line.startswith("pilgrim: ")]


def check(condition, reason):
    if not condition:
        raise Failure(reason)


def has(name):
    return not needs.missing(name, BUILD)


def need(*names):
    """Skips the test that asks if one of NAMES (needs.py) is missing."""
    for name in names:
        reason = needs.missing(name, BUILD)
        if reason:
            raise Skipped(reason)


def program(name):
    return os.path.join(BUILD, "programs", name)


def other_build():
    """The build folder for the MPI of the other family; None where there is none."""
    for folder in (os.path.join(BUILD, "other"), os.path.dirname(BUILD)):
        if os.path.exists(os.path.join(folder, "libpilgrim.so")):
            return folder
    return None


def is_fortran(name):
    """Whether the program NAME of tests/mpi/programs is in Fortran."""
    return any(os.path.exists(os.path.join(TESTS, "fortran", name + end)) for end in (".f", ".f90"))


def need_program(path):
    """Skips the test that asks if the program of tests/mpi/programs, or NetPIPE, could not be made or found here."""
    name = os.path.basename(path)
    need(*["mpifort"] * is_fortran(name), *[NETPIPE] * (name == NETPIPE))


def need_other_build():
    """The same, or the test that asks is skipped."""
    if not other_build():
        need("the other MPI")
        raise Skipped("the other MPI has no build folder; make other makes it")
    return other_build()


def environment(settings):
    """This process's, without preloads and settings of Pilgrim's, with SETTINGS."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PILGRIM_") and k not in ("LD_PRELOAD", MARK, SHADOW)}
    kept.update(OPENMPI if FAMILY == "openmpi" else APART)
    kept.setdefault("UCX_LOG_LEVEL", "error")  # its warnings have times in them
    kept.update(settings or {})
    return kept


def logical_clock(folder, ranks):
    """Settings for a run of RANKS ranks with the preload LOGICAL: its clock, in FOLDER, knows no load."""
    return {"PILGRIM_CLOCK": "monotonic", "LOGICAL_CLOCK": os.path.join(folder, "clock"), "LOGICAL_PROCESSES": str(ranks)}


def begun_since(first):
    """The processes with numbers from FIRST on, which a process gave to those that it began; all, if the numbers have begun anew."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    with open("/proc/loadavg", encoding="ascii") as file:
        newest = int(file.read().split()[-1])
    return [pid for pid in pids if pid >= first or newest < first]


def marked(mark, first=1):
    """The processes of a run that live. FIRST: the number of its first process."""
    found = []
    for pid in begun_since(first):
        try:
            with open("/proc/%d/environ" % pid, "rb") as file:
                if mark not in file.read().split(b"\0"):
                    continue
            with open("/proc/%d/stat" % pid, "rb") as file:
                state = file.read().rsplit(b")", 1)[1].split()[0]
            if state != b"Z":
                found.append(pid)
        except OSError:
            continue
    return found


def end(mark, first=1):
    for pid in marked(mark, first):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def execute(command, folder, settings=None, **limits):
    """Runs COMMAND in FOLDER. Raises Failure if it does not end in time or leaves processes behind.
    limit_s: seconds; file_bytes: no file may grow beyond them; abandons: processes may be left behind, and are killed."""
    if FAMILY != "openmpi":
        return execute_in(command, folder, settings or {}, **limits)
    with tempfile.TemporaryDirectory(prefix="ompi-", dir="/tmp") as session: # launchers that share one disturb each other
        return execute_in(command, folder, {"OMPI_MCA_orte_tmpdir_base": session, "PRTE_MCA_prte_tmpdir_base": session, **(settings or {})}, **limits)


def execute_in(command, folder, settings, limit_s=LIMIT_S, file_bytes=None, abandons=False):
    left_s = START + EXECUTED_S - time.monotonic()
    check(left_s > 0, "not run: %d s are over" % EXECUTED_S)
    limit_s = min(limit_s, left_s)
    mark = uuid.uuid4().hex
    env = environment(settings)
    env[MARK] = mark
    mark = ("%s=%s" % (MARK, mark)).encode()

    def limit():
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    with subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True, preexec_fn=limit) as process:
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            end(mark, process.pid)
            process.kill()
            out, err = process.communicate()
            raise Failure("not done after %d s: %s\n%s" % (limit_s, " ".join(command), err.decode("utf-8", "replace")))
    deadline = time.monotonic() + (ABANDONED_S if abandons else GRACE_S)
    abandoned = False
    while marked(mark, process.pid):
        if time.monotonic() > deadline:
            left = marked(mark, process.pid)
            end(mark, process.pid)
            if not abandons:
                raise Failure("processes left behind: %s" % left)
            abandoned = True
        time.sleep(0.02)
    return Result(process.returncode, out, err, abandoned)


def launch(ranks, command, folder, preload=(), settings=None, before=(), **options):
    """Runs COMMAND on RANKS ranks, with PRELOAD libraries in its processes, not in the launcher. A ":" in COMMAND begins
    another program, as the launchers have it. BEFORE: words before the launcher's; the preloads are its, too, then.
    Where SETTINGS have a shadow the library is the one that has it."""
    if program("supervised") in command:
        settings = {**FORKED, **(settings or {})}
    several = ranks > 1 or ":" in command
    if SHADOW in (settings or {}):
        instead = {LIBRARY: SHADOWED, RUN: SHADOWED_RUN}
        preload, command, before = ([instead.get(word, word) for word in words] for words in (preload, command, before))
    preload = ":".join(list(preload) + ([YIELD] if several and FAMILY == "mpich" else []))
    words = []
    if preload and before:
        settings = dict(settings or {}, LD_PRELOAD=preload)
    elif preload:
        words = ["-genv", "LD_PRELOAD", preload] if FAMILY == "mpich" else ["-x", "LD_PRELOAD=" + preload]
    words = [MPIEXEC, "-n", str(ranks)] + words
    for word in command:
        words.append(word)
        if word == ":" and preload and not before and FAMILY != "mpich":
            words += ["-x", "LD_PRELOAD=" + preload]
    return execute(list(before) + words, folder, settings, **options)


def on_ranks(ranks, setting, command):
    """The words of COMMAND for a launcher, with SETTING, NAME=VALUE, in the environment of RANKS only."""
    which = "|".join(str(rank) for rank in ranks)
    script = 'case "${PMI_RANK-}${OMPI_COMM_WORLD_RANK-}" in %s) export "$0";; esac; exec "$@"' % which
    return ["sh", "-c", script, setting] + command


def need_sound_launcher(reference):
    """Skips the test that asks if the launcher itself crashed in a run without Pilgrim. That of Debian 13's Open MPI 5.0.7 does, in
    PMIx_Setenv, once a job has a second program."""
    if FAMILY == "openmpi" and reference.code == -signal.SIGSEGV:
        raise Skipped("the launcher crashes, without Pilgrim too")


def patiently(run):
    """What RUN returns, called with the number of the attempt: again if the program did not end within SPAWN_LIMIT_S, which RUN gives as
    the limit. Debian's Open MPI hangs in one of 20 to 60 runs that spawn processes, without Pilgrim, too: a child waits in PMIx_Init for
    an answer that the launcher never sends. After two minutes Open MPI ends the others with an error, so the limit is less."""
    for number in range(SPAWN_TRIES):
        try:
            return run(number)
        except Failure as failure:
            if number + 1 == SPAWN_TRIES or not str(failure).startswith("not done"):
                raise
    return None


def decode(arguments, folder):
    return execute([DECODE] + arguments, folder)


def times_removed(text):
    return re.sub(r',"start":\d+,"end":\d+}$', "}", text, flags=re.MULTILINE)


def files_under(folder):
    found = set()
    for where, _, names in os.walk(folder):
        found.update(os.path.relpath(os.path.join(where, name), folder) for name in names)
    return found


class Scratch:
    """A folder for one check, removed at its end unless ORACLE_KEEP is set. PLACE: the folder to make it in."""

    def __init__(self, place=None):
        self.place = place

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="pilgrim-oracle-", dir=self.place)
        return self

    def __exit__(self, *what):
        if not os.environ.get("ORACLE_KEEP"):
            shutil.rmtree(self.path, ignore_errors=True)

    def folder(self, name):
        path = os.path.join(self.path, name)
        os.makedirs(path, exist_ok=True)
        return path


def verdict(name, test, *arguments):
    """The line(s) to print for a test, and whether it passed or was skipped."""
    began = time.monotonic()
    try:
        note = test(*arguments)
        return "PASS %s:%s %.1f s" % (name, " %s," % note if note else "", time.monotonic() - began), True
    except Skipped as reason:
        return "SKIP %s: %s" % (name, reason), True
    except Failure as failure:
        lines = str(failure).strip().splitlines() or ["?"]
        return "\n".join(["FAIL %s: %s" % (name, lines[0])] + ["    " + line[:400] for line in lines[1:40]]), False


def all_known(prefix, tests, only_long=""):
    """True if TESTS, a list of names, has every name of the command line, and one for each pattern of ONLY_LONG. A line for each that it lacks."""
    unknown = ["no test is called %s" % name for name in sys.argv[1:] if name not in tests]
    unknown += ["no test fits the pattern %s of ONLY_LONG" % pattern for pattern in only_long.split() if not fnmatch.filter(tests, pattern)]
    for reason in unknown:
        print("FAIL %s: %s" % (prefix, reason), flush=True)
    return not unknown


def run_tests(prefix, tests, only_long=""):
    """Runs TESTS, (name, test, arguments...) each, and prints their lines: those that the command line names; else all with LONG=1, and without
    those that no pattern of ONLY_LONG fits. Returns the exit status."""
    tests, patterns = list(tests), only_long.split()
    passed = all_known(prefix, [test[0] for test in tests], only_long)
    for name, test, *arguments in tests:
        if name not in sys.argv[1:] if sys.argv[1:] else not LONG and any(fnmatch.fnmatchcase(name, p) for p in patterns):
            continue
        text, good = verdict(prefix + "-" + name, test, *arguments)
        print(text, flush=True)
        passed = passed and good
    return 0 if passed and tests else 1
