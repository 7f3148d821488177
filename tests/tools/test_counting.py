#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The counting of tests/run and of what tests leave to chance, and the arithmetic of bench/pairs.py. Prints TAP."""

import contextlib
import importlib.machinery
import importlib.util
import io
import math
import os
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load(name, path):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
runner = load("runner", "tests/run")
pairs = load("pairs", "bench/pairs.py")
os.environ.setdefault("JAVA_HOME", "/nowhere")  # jvmtest.py fetches one otherwise
jvmtest = load("jvmtest", "tests/jvm/jvmtest.py")


class Counting(unittest.TestCase):
    def tally(self, text):
        tally = runner.Tally()
        for case in runner.tap_results(text.splitlines()):
            tally.add(*case)
        return tally.passed, len(tally.failures), len(tally.skips)

    def test_each_case_counts_once(self):
        self.assertEqual(self.tally("1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no such thing\n"), (1, 1, 1))

    def test_a_case_with_subtests_is_not_counted_itself(self):
        self.assertEqual(self.tally("    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - both\nok 2 - c\n"), (2, 1, 0))

    def test_prose_is_not_counted(self):
        self.assertEqual(self.tally("okay then\n# ok 1 - in a comment\nBail out!\nnothing is ok 2\n"), (0, 0, 0))

    def add(self, **test):
        tally = runner.Tally()
        with contextlib.redirect_stdout(io.StringIO()):
            runner.add_meson_test(tally, {"name": "t", "duration": 0.0, **test})
        return tally.passed, len(tally.failures)

    def test_a_program_that_crashes_after_its_cases_is_a_failure(self):
        self.assertEqual(self.add(stdout="ok 1 - a\n", result="FAIL", returncode=-11), (1, 1))

    def test_a_program_that_says_nothing_is_one_case(self):
        self.assertEqual(self.add(result="OK", returncode=0), (1, 0))
        self.assertEqual(self.add(result="FAIL", returncode=1), (0, 1))

    def test_a_program_that_skips_everything_is_skipped_with_its_reason(self):
        tally = runner.Tally()
        test = {"name": "t", "duration": 0.0, "result": "SKIP", "returncode": 0, "stdout": "1..0 # SKIP no clang\n"}
        with contextlib.redirect_stdout(io.StringIO()):
            runner.add_meson_test(tally, test)
        self.assertEqual((tally.passed, tally.failures, tally.skips), (0, [], ["t # SKIP no clang"]))


class Pairs(unittest.TestCase):
    def test_order_alternates(self):
        order = "".join(side for side, _ in pairs.schedule(4))
        self.assertEqual(order, "ABBAABBA")

    def test_the_ratio_is_the_median_of_the_pairs(self):
        # A machine that slows down by half after the second pair: medians of the sides would see it, pairs do not.
        result = pairs.Comparison([100, 100, 50, 50], [90, 90, 45, 45])
        self.assertAlmostEqual(result.ratio, 0.9)

    def test_the_interval_covers_the_truth_as_often_as_it_says(self):
        import random

        source = random.Random(1)
        hits, runs = 0, 400
        for _ in range(runs):
            noise = [source.lognormvariate(0, 0.05) for _ in range(18)]
            result = pairs.Comparison([100.0] * 9, [100 * n for n in noise[:9]])
            hits += result.low <= 1.0 <= result.high
        # 96.1 % by construction for nine pairs; binomial standard deviation 1 %, allowed 4 of them.
        self.assertGreater(hits / runs, 0.92)

    def test_too_few_pairs_have_no_interval(self):
        result = pairs.Comparison([1, 1, 1], [2, 2, 2])
        self.assertIsNone(result.low)
        self.assertEqual(result.ratio, 2)

    def test_the_figure_is_found_in_the_output(self):
        self.assertEqual(pairs.figure("x\nRESULT cpu_bench value=12.5 unit=rounds/cpu-s\n"), 12.5)

    def test_a_command_without_a_figure_is_an_error(self):
        with self.assertRaises(pairs.NoFigure):
            pairs.figure("nothing measured\n")


class Chance(unittest.TestCase):
    def counted(self, act):
        """What act() returns, the checks that it counted and their risk."""
        before = jvmtest._chances, jvmtest._risk
        result = act()
        return result, jvmtest._chances - before[0], jvmtest._risk - before[1]

    def test_a_bound_is_counted_from_either_side(self):
        sigmas = jvmtest.Sigmas(5)
        for bound in (lambda: sigmas * 2.5, lambda: 2.5 * sigmas):
            result, checks, risk = self.counted(bound)
            self.assertEqual((result, checks), (12.5, 1))
            self.assertAlmostEqual(risk, math.erfc(5 / math.sqrt(2)), delta=1e-12)

    def test_no_bound_is_made_without_being_counted(self):
        sigmas = jvmtest.Sigmas(5)
        for bound in (lambda: sigmas + 1, lambda: sigmas / 2, lambda: sigmas**2, lambda: 1 < sigmas, lambda: float(sigmas)):
            self.assertRaises(TypeError, bound)

    def test_a_sum_of_unequal_parts_is_counted(self):
        result, checks, risk = self.counted(lambda: jvmtest.sum_within(100.0, 0))
        self.assertEqual(checks, 1)
        self.assertAlmostEqual(risk, jvmtest.FALSE_ALARM, delta=1e-12)
        self.assertAlmostEqual(result, 10 * math.sqrt(2 * math.log(2e7)))
        self.assertGreater(jvmtest.sum_within(100.0, 50), result + 50)

    def test_a_share_of_samples_is_counted(self):
        result, checks, risk = self.counted(lambda: jvmtest.most_of(1000, 0.01))
        self.assertEqual((result, checks), (30, 1))
        self.assertAlmostEqual(risk, jvmtest.FALSE_ALARM, delta=1e-12)


class Tap(unittest.TextTestResult):
    """Prints one TAP line a test instead of unittest's dots."""

    def addSuccess(self, test):
        print(f"ok - {test.id().split('.', 1)[1]}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print(f"not ok - {test.id().split('.', 1)[1]}")

    addError = addFailure


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}", flush=True)
    outcome = unittest.TextTestRunner(stream=sys.stderr, verbosity=0, resultclass=Tap).run(suite)
    sys.exit(0 if outcome.wasSuccessful() else 1)
