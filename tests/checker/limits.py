# SPDX-License-Identifier: BSD-3-Clause
"""How long tests wait for what may never end. These numbers end what hangs, and nothing else depends on them: what a test expects has no
deadline of its own, and no two durations of the wall clock are compared, except the ones of one run.

The slowest step of all takes less than a minute on an idle machine. Where every processor has other work it may take ten times as long."""

import os

LIMIT_S = int(os.environ.get("LIMIT_S", 1000))  # for a process, or for something to be seen; the environment may have another one
COMMAND_S = 7 * LIMIT_S  # for a whole test command, by tests/run-all
EXECUTED_S = COMMAND_S - LIMIT_S // 10  # for all runs of a command: tests/run-all could not end the launchers' processes
UNIT_FACTOR = LIMIT_S // 50  # unit tests say seconds of an idle machine
