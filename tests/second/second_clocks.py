# SPDX-License-Identifier: BSD-3-Clause
"""Clocks and the axis that they have in common: docs/FORMAT.md, section 6, "One axis"; part of the second decoder."""

MAGNITUDE = 1 << 62


def is_location(ints):
    """Whether these say where a clock stands."""
    if len(ints) not in (3, 6) or any(abs(v) >= MAGNITUDE for v in ints):
        return False
    if any(ints[i] < 0 for i in range(len(ints)) if i % 3 != 1):
        return False
    span = ints[3] - ints[0] if len(ints) == 6 else None
    return span is None or (span > 0 and -span <= ints[4] - ints[1] <= span)


class Clock:
    def __init__(self, ints):
        """ints: the value of `clock`; None: it is not there."""
        self.ints = ints if ints and is_location(ints) else None

    def common(self, time):
        """On the axis; the clock's place is known."""
        first, offset = self.ints[:2]
        result = time + offset
        if len(self.ints) == 6:
            result += (self.ints[4] - offset) * (time - first) // (self.ints[3] - first)
        return min(max(result, 0), (1 << 63) - 1)
