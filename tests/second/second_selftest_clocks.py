# SPDX-License-Identifier: BSD-3-Clause
"""What the second decoder makes of clocks."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_clocks import Clock, MAGNITUDE  # noqa: E402


class Clocks(unittest.TestCase):
    def test_common(self):
        for ints, times in (((1000, -400, 5), {1000: 600, 300: 0, 401: 1}),
                            ((1000, 100, 5, 2000, 300, 15), {1000: 1100, 2000: 2300, 1504: 1704, 0: 0, 99: 18, 3000: 3500}),
                            ((0, 0, 0, 3, -1, 0), {0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 7: 4}),
                            ((0, MAGNITUDE - 1, 0, 1, MAGNITUDE, 0)[:3], {2 * MAGNITUDE - 1: 2 * MAGNITUDE - 1})):
            for time, common in times.items():
                self.assertEqual(Clock(ints).common(time), common, "%r at %d" % (ints, time))

    def test_wrong(self):
        for ints in (None, (), (5, 6), (5, 6, 7, 8), (1,) * 9, (-1, 6, 7), (5, 6, -1), (MAGNITUDE, 6, 7), (5, -MAGNITUDE, 7),
                     (5, 6, MAGNITUDE), (5, 6, 7, 5, 6, 7), (5, 6, 7, 4, 6, 7), (5, 6, 7, 105, 107, 7), (5, 6, 7, 105, -95, 7)):
            self.assertIsNone(Clock(ints).ints, repr(ints))
        for ints in ((5, 6, 7, 105, 106, 7), (5, 6, 7, 105, -94, 7), (0, 1 - MAGNITUDE, 0)):
            self.assertIsNotNone(Clock(ints).ints, repr(ints))
