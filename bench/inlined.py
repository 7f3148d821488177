#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inlined.py - does time in code compiled before the attach go to the methods that use it?

Such code has debug information at safepoints only, so which of the methods that are inlined there a pc belongs to is an
estimate (src/hotspot/scope_flow.c). With -XX:+DebugNonSafepoints it is known. Each program of bench/causes that computes runs
three times: with that option, which is the truth; once more with it, which says how far two runs of a program agree; and
without. All three are recorded after a warm-up, so that next to nothing is compiled afterwards, and made into trees of Java
methods. Given are

    wrong   the share of time that a tree has at methods (by their whole stack) beyond what these have in the first one
    depth   the part of the first tree's frames, by time, that is found

Environment: SECONDS (default 4) a recording; NAMES: other programs of bench/causes than the default ones.
"""

import collections
import os
import re
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import causes
import jfr
import lab
import pairs

WARM_UP_SECONDS = 6
TRUE = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
# of different JDKs and kinds of work, each with most of its CPU time in compiled Java code
NAMES = "BasketPricing CollidingKeys DrainFromFront FareSettlement HotInnerLoop LaneRating LinkedListIndex LoanBookValuer MapPerLookup OrderedEmit"
JAVA_KINDS = {"Inlined", "JIT compiled", "C1 compiled", "Interpreted"}


def name_of(frame):
    """Classes of lambdas have numbers of their own in each run."""
    return re.sub(r"\$\$Lambda.*", "$$Lambda", frame[0]) + "." + re.sub(r"\$\d+$", "", frame[1])


def tree(file):
    """{stack from the root on: share of the time that it has with all above it}"""
    found, total = collections.Counter(), 0
    for stack, weight, _ in jfr.Recording(file).samples():
        methods = tuple(name_of(f) for f in reversed(stack) if f[2] in JAVA_KINDS)
        total += weight if methods else 0
        for depth in range(1, len(methods) + 1):
            found[methods[:depth]] += weight
    if not total:
        raise lab.Failed("no sample of Java code")
    return {methods: weight / total for methods, weight in found.items()}


def wrong(truth, other):
    """What a tree has in excess of the truth, each part of it once: where it leaves what is true."""
    above = collections.defaultdict(list)
    for methods in other:
        above[methods[:-1]].append(methods)

    def excess(methods):
        return max(other[methods] - truth.get(methods, 0), sum(map(excess, above[methods])))

    return sum(map(excess, above[()]))


def depth(truth, other):
    return sum(min(share, other.get(methods, 0)) for methods, share in truth.items()) / sum(truth.values())


def recorded(program, options, file):
    folder = program.compile()
    command = [str(program.home / "bin" / "java"), "-Xmx64m", *program.says.get("jvm", "").split(), *options, "-cp", f"{folder}:{lab.API_JAR}", program.name]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(WARM_UP_SECONDS)
        lab.run(lab.WICK, "record", "-q", "--force", "-e", "cpu", "-i", "1ms", "-d", f"{lab.seconds(4):g}s", "-f", file, process.pid)
    finally:
        process.kill()
        process.wait()
    return tree(file)


def measure():
    names, rows = os.environ.get("NAMES", NAMES).split(), []
    found = collections.defaultdict(list)
    with lab.scratch("inlined") as folder:
        for name in names:
            program = causes.Program(lab.ROOT / "bench" / "causes" / f"{name}.java")
            truth, again, attached = (recorded(program, options, f"{folder}/one.jfr") for options in (TRUE, TRUE, ()))
            cells = [f(truth, other) for other in (again, attached) for f in (wrong, depth)]
            for i, share in enumerate(cells):
                found[i].append(share)
            lab.say(f"{name}: wrong {cells[0]:.2f} of another run, {cells[2]:.2f} attached; depth {cells[1]:.2f}, {cells[3]:.2f}")
            rows.append([name, program.says["jdk"], *(f"{100 * share:.0f}" for share in cells)])
    rows.append(["mean", "", *(f"{100 * statistics.mean(shares):.0f}" for shares in found.values())])
    print(pairs.table(rows, ["program", "JDK", "another run: wrong, %", "depth, %", "compiled before the attach: wrong, %", "depth, %"]))


if __name__ == "__main__":
    lab.main(measure)
