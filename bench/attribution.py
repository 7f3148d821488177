#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attribution.py - does each method get the share of CPU time that it uses?

bench/java/wick/bench/Shares.java spends 10, 20, 30 and 40 % of a thread's time in four methods by construction: in the
interpreter, compiled by C1, by C2 without and with inlining, in native code below JNI, and in the kernel. A recording at
1 ms of each variant gives four measured shares. A share is right if it lies within the 99 % binomial interval around its
truth for as many independent samples as there are; of 24 such intervals one misses it with a probability of 21 %.
The truth holds only if a step takes equally long in all four methods; the program times that and the spread is printed: a
spread of a few percent (a loop that lies badly in the cache line) moves the truth by as much and the line says so.

Environment: SECONDS (default 20) a recording.
"""

import math
import sys
import time

sys.dont_write_bytecode = True
import jfr
import lab
import pairs

Z_99 = 2.5758
TRUTH = (0.1, 0.2, 0.3, 0.4)
STEADY = 0.03
DEBUG = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"]
METHODS = "wick.bench.Shares::{}"


def compile_command(verb, methods):
    return [f"-XX:CompileCommand={verb},{METHODS.format(name)}" for name in methods]


CHAIN, NATIVE = "abcd", ("nativeA", "nativeB", "nativeC", "nativeD")
# name: (mode, options of the JVM, kinds that the frame of a method may have)
VARIANTS = {
    "interpreted": ("chain", ["-Xint"], {"Interpreted"}),
    "C1": ("chain", ["-XX:TieredStopAtLevel=1", *compile_command("dontinline", CHAIN)], {"C1 compiled"}),
    "C2": ("chain", ["-XX:-TieredCompilation", *compile_command("dontinline", CHAIN)], {"JIT compiled"}),
    "C2 inlined": ("chain", ["-XX:-TieredCompilation", *compile_command("inline", CHAIN)], {"Inlined"}),
    "JNI (zip)": ("zip", compile_command("dontinline", NATIVE), {"JIT compiled", "C1 compiled", "Inlined"}),
    "kernel (read)": ("read", compile_command("dontinline", NATIVE), {"JIT compiled", "C1 compiled", "Inlined"}),
}


def shares(recording, methods):
    """Weight of each method, of stacks of the thread below none of them, sum of squared weights, and weight by kind."""
    found, outside, squares, kinds = [0] * 4, 0, 0, {}
    for stack, weight, fields in recording.samples():
        if recording.text(recording.get(fields["sampledThread"])["javaName"]) != "shares":
            continue
        squares += weight * weight
        frame = next((f for f in stack if f[1] in methods and f[0].endswith("Shares")), None)
        if frame is None:
            outside += weight
            continue
        found[methods.index(frame[1])] += weight
        kinds[frame[2]] = kinds.get(frame[2], 0) + weight
    return found, outside, squares, kinds


def one(name, length):
    mode, options, wanted = VARIANTS[name]
    methods = list(CHAIN) if mode == "chain" else list(NATIVE)
    wick = lab.Wick()
    with lab.scratch("attribution") as folder, lab.Target("wick.bench.Shares", mode, jvm=["-Xmx128m", *DEBUG, *options]) as target:
        steps = [float(text) for text in target.greeting.split()[1:]]
        file = f"{folder}/shares.jfr"
        wick.start(target.pid, file, "cpu", "1ms")
        time.sleep(length)
        wick.stop(target.pid)
        found, outside, squares, kinds = shares(jfr.Recording(file), methods)
    total = sum(found)
    if not total:
        raise lab.Failed(f"{name}: no sample in the methods")
    # Samples weigh about the same; if some weigh more, as many independent ones are lost.
    n = (total + outside) ** 2 / squares
    cells, right = [], 0
    for method, truth in enumerate(TRUTH):
        measured = found[method] / total
        half = Z_99 * math.sqrt(truth * (1 - truth) / n)
        inside = abs(measured - truth) <= half
        right += inside
        cells.append(f"{100 * measured:.2f}{'' if inside else ' (!)'}")
    unsteady = max(steps) / min(steps) - 1
    kind = sum(weight for k, weight in kinds.items() if k in wanted) / total
    lab.say(f"{name}: {cells} n={n:.0f} steps={steps} kinds={kinds}")
    return [
        name,
        f"{n:.0f}",
        *cells,
        f"{100 * outside / (total + outside):.2f}",
        f"{right} of 4",
        f"{100 * kind:.2f}",
        f"{min(steps):.2f} .. {max(steps):.2f}{'' if unsteady <= STEADY else ' (not equal)'}",
    ]


def measure():
    rows = [one(name, lab.seconds(20)) for name in VARIANTS]
    headings = ["variant", "samples", "a: 10 %", "b: 20 %", "c: 30 %", "d: 40 %", "in none, %", "within 99 %", "right kind, %", "ns a step"]
    print(pairs.table(rows, headings))
    print("\nNative work is charged to the Java method that called it; `(!)` lies outside the interval.")


if __name__ == "__main__":
    lab.main(measure)
