#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""versions.py - what a change of wick costs: this build and an earlier one, in pairs

Attach (milliseconds of `wick start` to a small idle JVM), growth (MiB that a small JVM has grown by once samples of libjvm.so
have been written, which made wick read its symbols), the handler (us of CPU time a
sample, 50 calls deep at 1 ms) and conversions (CPU seconds), each with the earlier build and this one in turn, so that both
meet the same machine. A fresh JVM for each measurement: what was loaded once stays loaded.

Environment: BEFORE  the build folder of the earlier version (git worktree add ../before REV && make -C ../before build)
             PAIRS   default 7
             FIGURES which of "attach growth handler conversions", default all
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import lab
import pairs

COUNT = int(os.environ.get("PAIRS", "7"))
FIGURES = os.environ.get("FIGURES", "attach growth handler conversions").split()
SYNTH = lab.BUILD / "tests" / "jfr" / "jfr_synth"
SETTLE_SECONDS, WARM_UP_SECONDS, SYMBOLS_SECONDS = 2, 8, 6
SMALL_JVM = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
RECORDINGS = {"2,000 stacks, 3 M samples": (2000, 3_000_000), "200,000 stacks, 400,000 samples": (200_000, 400_000)}


def attach(wick, folder):
    """(ms,)"""
    with lab.Target("wick.bench.Idle", 0, jvm=SMALL_JVM) as target:
        time.sleep(SETTLE_SECONDS)
        began = time.monotonic()
        wick.start(target.pid, f"{folder}/attach.jfr")
        took = (time.monotonic() - began) * 1000
        wick.stop(target.pid)
    return (took,)


def growth(wick, folder):
    """(MiB,): the interpreter calls libjvm.so for the clock and allocates nothing, so only wick's memory differs"""
    with lab.Target("wick.bench.Idle", 0, "spin", jvm=[*SMALL_JVM, "-Xint"]) as target:
        time.sleep(SETTLE_SECONDS)
        before = lab.resident_kib(target.pid)
        wick.start(target.pid, f"{folder}/growth.jfr")
        time.sleep(SYMBOLS_SECONDS)
        grown = (lab.resident_kib(target.pid) - before) / 1024
        wick.stop(target.pid)
    return (grown,)


def handler(wick, folder):
    """(us,)"""
    with lab.Target("wick.demo.Steady", 2, 50, WARM_UP_SECONDS, jvm=["-Xmx256m"]) as target:
        wick.start(target.pid, f"{folder}/handler.jfr", "cpu", "1ms")
        time.sleep(SETTLE_SECONDS)
        before = wick.status(target.pid)
        time.sleep(lab.seconds(5))
        after = wick.status(target.pid)
        wick.stop(target.pid)
    return ((after["handler_ns"] - before["handler_ns"]) / (after["samples"] - before["samples"]) / 1000,)


JVM_FIGURES = {"attach, ms": attach, "growth, MiB": growth, "handler, us a sample": handler}


def conversion(wick, source, target):
    """(CPU seconds,)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([wick.command, "convert", "--force", source, "-o", target], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,)


def compare(titles, measure, versions):
    """A row for each figure that measure(wick) gives."""
    found = [[], []]
    for turn in range(COUNT):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            found[which].append(measure(versions[which]))
    rows = []
    for i, title in enumerate(titles):
        before, now = ([one[i] for one in runs] for runs in found)
        ratio = sorted(now)[COUNT // 2] / sorted(before)[COUNT // 2]
        rows.append([title, lab.spread(before), lab.spread(now), f"{ratio:.3f}"])
        lab.say(" ".join(rows[-1]))
    return rows


def measure():
    before = os.environ.get("BEFORE")
    if not before or not os.access(f"{before}/wick", os.X_OK):
        raise lab.Failed("BEFORE: the build folder of an earlier version, with wick and libwick.so, is missing")
    versions = [lab.Wick(Path(before).resolve() / "wick"), lab.Wick()]
    with lab.scratch("versions") as folder:
        rows = []
        for title, of_one in JVM_FIGURES.items():
            if title.split(",")[0] in FIGURES:
                rows += compare([title], lambda wick: of_one(wick, folder), versions)
        for title, (stacks, samples) in RECORDINGS.items() if "conversions" in FIGURES else ():
            source = f"{folder}/source.jfr"
            lab.run(SYNTH, "load", source, stacks, samples)
            for form in ("collapsed", "html", "pb.gz"):
                target = f"{folder}/out.{form}"
                rows += compare([f"{title} to {form}, CPU s"], lambda wick: conversion(wick, source, target), versions)
    print(pairs.table(rows, ["what", "before: median (range)", "now: median (range)", "ratio of medians"]))


if __name__ == "__main__":
    lab.main(measure)
