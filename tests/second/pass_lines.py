# SPDX-License-Identifier: BSD-3-Clause
"""Runs unit tests and prints PASS and FAIL lines, as tests/run-all counts them. No test."""
import unittest


def main(prefix):
    """Runs the tests of the main module. PREFIX: stands before each name."""
    class Lines(unittest.TextTestResult):
        def addSuccess(self, test):
            super().addSuccess(test)
            print("PASS %s/%s" % (prefix, test.id().split(".", 1)[1]), flush=True)

        def addFailure(self, test, err):
            super().addFailure(test, err)
            print("FAIL %s/%s: %s" % (prefix, test.id().split(".", 1)[1], str(err[1]).split("\n", 1)[0]), flush=True)

        addError = addFailure

    unittest.main(module="__main__", testRunner=unittest.TextTestRunner(resultclass=Lines, verbosity=0))
