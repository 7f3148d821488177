# SPDX-License-Identifier: Apache-2.0
"""What the tests with real JVMs leave to chance is counted: each prints how likely it is to fail without a defect."""

import re

from tree import Finding

HELPERS = "tests/jvm/jvmtest.py"  # where the counting is done
DEVIATION = r"(?:(?:math\.)?sqrt|\w*deviation\w*|sigma|sd)\b"
BOUND = re.compile(rf"(?<![\w.])\d+(?:\.\d+)?\s*\*\s*{DEVIATION}|\b{DEVIATION}(?:\([^)]*\))?\s*\*\s*\d|\bstdev\b")
OWN_NUMBER = re.compile(r"^\s*(?:\w+, *)*\w*SIGMAS?\w*(?:, *\w+)* *=(?!=)")


def check_chance_counted(tree):
    """bounds of standard deviations are made of t.Sigmas, which counts them (tests/jvm)"""
    for path in tree.paths(".py", under=("tests/jvm/",)):
        if path == HELPERS:
            continue
        for number, line in enumerate(tree.lines(path), 1):
            code = line.split("#", 1)[0]
            if OWN_NUMBER.match(code) and "Sigmas(" not in code:
                yield Finding(path, number, "a number of standard deviations is a t.Sigmas, which counts its bounds")
            elif BOUND.search(code) and "SIGMAS" not in code:
                yield Finding(path, number, "a bound of standard deviations that is not counted: multiply by a t.Sigmas")
