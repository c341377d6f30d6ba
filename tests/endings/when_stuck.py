# SPDX-License-Identifier: BSD-3-Clause
"""when_stuck.py TOP SIGNAL RANKS COMMAND...: runs an MPI launcher and sends it a signal once none of the ranks goes on, as pilgrim-top, TOP, sees it.
Its exit status is 124 then, as that of timeout."""
import json
import os
import signal
import subprocess
import sys
import time

STUCK_S = 2  # so long has each rank been in its call


def stuck(top, ranks):
    """Whether each of RANKS ranks has been in one call for a while."""
    settings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([top, "--once", "--format=json", "t.pilgrim.fragments"], capture_output=True, check=False, env=settings)
    if done.returncode:
        return False
    groups = json.loads(done.stdout)["groups"]
    return sum(len(group["ranks"]) for group in groups) == ranks and all(group["state"] == "in MPI" and group["seconds"][0] >= STUCK_S for group in groups)


def main():
    top, name, ranks, *command = sys.argv[1:]
    with subprocess.Popen(command) as launcher:
        while launcher.poll() is None and not stuck(top, int(ranks)):
            time.sleep(0.1)
        ended = launcher.poll()
        launcher.send_signal(getattr(signal, "SIG" + name))
    sys.exit(124 if ended is None else ended)


if __name__ == "__main__":
    main()
