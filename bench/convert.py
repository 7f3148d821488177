#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""convert.py - what it costs to turn a recording into a flame graph or collapsed stacks

Recordings are written by tests/jfr/jfr_synth: `few` holds 2,000 different stacks in 85 MB, `many` a million in 140 MB, each
of 10 to 30 frames that branch out as calls do. Measured is the CPU time of the whole process, its largest resident memory, and
megabytes of recording for each second of CPU: the tool uses one core. The comparison is `jfr print` of JDK 21 with its output
thrown away, and, where PEER_JFRCONV names it, async-profiler's jfrconv with its heap unlimited. `jfr print` gets a recording a
tenth as large (it would take minutes), so ratios are of CPU time for each megabyte.

Environment: PAIRS  pairs of runs (default 7)        PEER_JFRCONV  path of jfrconv (optional)
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pairs

ROOT = Path(__file__).resolve().parent.parent
WICK = ROOT / "build" / "wick"
SYNTH = ROOT / "build" / "tests" / "jfr" / "jfr_synth"
COUNT = int(os.environ.get("PAIRS", "7"))


def say(text):
    print(text, file=sys.stderr, flush=True)


def spent(command, size):
    """(seconds of CPU for each MB, MB of memory) of a command that reads `size` bytes; a failure ends the benchmark."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        process = subprocess.Popen([str(c) for c in command], stdout=nowhere, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise pairs.NoFigure(f"{command[0]} ended with status {process.returncode} {errors or ''}")
    return (usage.ru_utime + usage.ru_stime) / (size / 1e6), usage.ru_maxrss * 1024 / 1e6


class Tool:
    """A command; remembers the most memory that a run took."""

    def __init__(self, command, size):
        self.command, self.size, self.memory = command, size, 0.0

    def __call__(self):
        cost, memory = spent(self.command, self.size)
        self.memory = max(self.memory, memory)
        return cost


def write(folder, name, stacks, samples):
    path = folder / f"{name}.jfr"
    subprocess.run([SYNTH, "load", path, str(stacks), str(samples)], check=True, stdout=subprocess.DEVNULL)
    return path, path.stat().st_size


def jfr_tool():
    home = subprocess.run([ROOT / "tools" / "get-jdk", "21"], capture_output=True, text=True, check=True).stdout.strip()
    return Path(home) / "bin" / "jfr"


def peers(folder, name, path, size, small):
    """(label, tool) of what wick is held against."""
    small_path, small_size = small
    yield "jfr print (JDK 21)", Tool([jfr_tool(), "print", "--stack-depth", "64", small_path], small_size)
    converter = os.environ.get("PEER_JFRCONV")
    if converter:
        for out in ("collapsed", "html"):
            yield f"jfrconv, {out}", Tool([converter, "--total", path, folder / f"{name}-peer.{out}"], size)


def main():
    rows, ratios = [], []
    with tempfile.TemporaryDirectory(prefix="wick-bench-", dir=os.environ.get("TMPDIR")) as temporary:
        folder = Path(temporary)
        for name, stacks, samples in (("few", 2000, 5_500_000), ("many", 1_000_000, 1_000_000)):
            path, size = write(folder, name, stacks, samples)
            small = write(folder, f"{name}-small", stacks if name == "few" else stacks // 10, samples // 10)
            mine = {out: Tool([WICK, "convert", path, folder / f"{name}.{out}"], size) for out in ("collapsed", "html")}
            for out, tool in mine.items():
                costs = [tool() for _ in range(COUNT)]
                best = sorted(costs)[len(costs) // 2]
                rows.append([f"{name}, {size / 1e6:.0f} MB, {out}", f"{best * size / 1e6:.2f} s", f"{1 / best:.0f}", f"{tool.memory:.0f} MB"])
                say(" ".join(rows[-1]))
            for label, peer in peers(folder, name, path, size, small):
                tool = mine["html" if "html" in label else "collapsed"]
                result = pairs.compare(peer, tool, COUNT)
                ratios.append(result.row(f"{name}: wick / {label}"))
                rows.append([f"{name}, {label}", "-", f"{1 / sorted(result.a)[COUNT // 2]:.2f}", f"{peer.memory:.0f} MB"])
                say(" ".join(ratios[-1]))
    print(pairs.table(rows, ["recording, output", "CPU time (median)", "MB a second of CPU", "memory (most)"]))
    print("\nSeconds of CPU for each MB of recording, in pairs:\n")
    print(pairs.table(ratios))


if __name__ == "__main__":
    sys.exit(main())
