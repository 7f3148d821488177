#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pairs.py - compares two commands on a machine that is not quiet

    bench/pairs.py [-n PAIRS] [--label TEXT] --a COMMAND --b COMMAND

Both commands must print a line `RESULT name value=NUMBER ...`. They run in turns, A B B A A B B A..., so that a machine
that grows slower favours neither. What is compared is the value of B divided by that of A within each pair, whose two runs
are neighbours in time; the figure is the median of these ratios. Its interval is that of the sign test: between the k-th
smallest and the k-th largest ratio lies the true median with at least 95 % confidence, whatever the distribution. Six
pairs are the fewest that have such an interval; with fewer, none is given.

Also a module for benchmarks in Python: compare(), Comparison, table().
"""

import argparse
import math
import re
import shlex
import statistics
import subprocess
import sys

FIGURE = re.compile(r"^RESULT \S+ value=([-+0-9.eE]+)", re.MULTILINE)
CONFIDENCE = 0.95


class NoFigure(Exception):
    """A command did not print a RESULT line, or failed."""


def figure(output):
    """The value of the last RESULT line."""
    found = FIGURE.findall(output)
    if not found:
        raise NoFigure("no RESULT line in: " + output.strip()[-500:])
    return float(found[-1])


def schedule(count):
    """(side, pair) in the order of running: the pairs take turns in who goes first."""
    for pair in range(count):
        for side in "AB" if pair % 2 == 0 else "BA":
            yield side, pair


def _rank_of_interval(count):
    """How many ratios to leave out at each end, so that what is left covers the median; None if no rank does."""
    rank, outside = None, 0.0
    for k in range(count // 2):
        outside += 2 * math.comb(count, k) / 2**count
        if outside > 1 - CONFIDENCE:
            break
        rank = k
    return rank


class Comparison:
    """Figures of both sides, pair by pair; ratio is B / A, low and high its interval (None if there are too few)."""

    def __init__(self, a, b):
        self.a, self.b = list(a), list(b)
        ratios = sorted(y / x for x, y in zip(self.a, self.b))
        self.ratio = statistics.median(ratios)
        rank = _rank_of_interval(len(ratios))
        self.low = None if rank is None else ratios[rank]
        self.high = None if rank is None else ratios[-1 - rank]

    def lost(self):
        """What B lacks of A in percent, and the interval of that, as text."""
        interval = "-" if self.low is None else f"{100 * (1 - self.high):.2f} .. {100 * (1 - self.low):.2f} %"
        return [f"{100 * (1 - self.ratio):.2f} %", interval]

    def row(self, label):
        interval = "-" if self.low is None else f"{self.low:.4f} .. {self.high:.4f}"
        return [label, f"{statistics.median(self.a):.6g}", f"{statistics.median(self.b):.6g}", f"{self.ratio:.4f}", interval, str(len(self.a))]


HEADINGS = ["what", "A (median)", "B (median)", "B / A", "95 % interval", "pairs"]


def table(rows, headings=None):
    """A Markdown table with aligned columns."""
    rows = [headings or HEADINGS, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def run(command):
    """Runs a command (a list) and returns its figure."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoFigure(f"{shlex.join(command)} ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
    return figure(done.stdout)


def compare(a, b, count, progress=None):
    """Runs both commands (lists, or functions that return a figure) in turns."""
    figures = {"A": [0.0] * count, "B": [0.0] * count}
    for side, pair in schedule(count):
        command = a if side == "A" else b
        figures[side][pair] = command() if callable(command) else run(command)
        if progress:
            progress(f"pair {pair + 1} of {count}, {side}: {figures[side][pair]:.6g}")
    return Comparison(figures["A"], figures["B"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=7)
    parser.add_argument("--label", default="B against A")
    parser.add_argument("--a", required=True)
    parser.add_argument("--b", required=True)
    args = parser.parse_args()
    try:
        result = compare(shlex.split(args.a), shlex.split(args.b), args.n, lambda text: print(text, file=sys.stderr))
    except NoFigure as error:
        print(f"pairs: {error}", file=sys.stderr)
        return 1
    print(table([result.row(args.label)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
