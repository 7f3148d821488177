#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""convert.py - what it costs to turn a recording into a flame graph or collapsed stacks

Recordings are written by tests/jfr/jfr_synth in the form that async-profiler also writes: `few` holds 2,000 different stacks in
5.5 million samples, 66 MB, `many` a million in a million, 139 MB, each of 10 to 30 frames that branch out as calls do.
Measured is the CPU time of the whole process, its largest resident memory, and megabytes of input for each second of CPU:
wick uses one core. The comparison is `jfr print` of JDK 21 with its output thrown away, and, where PEER_JFRCONV names it,
async-profiler's jfrconv with its heap unlimited. `jfr print` gets a recording a tenth as large (it would take minutes), as
wick writes it, so its ratios are of CPU time for each megabyte.

Where PEER_FLAMEGRAPH names a folder with stackcollapse-perf.pl and flamegraph.pl, the text of `perf script` (100,000 samples of
5,000 stacks) to collapsed stacks, and collapsed stacks to SVG, are compared with them.

Environment: PAIRS  pairs of runs (default 7)        PEER_JFRCONV  path of jfrconv (optional)
             PEER_FLAMEGRAPH  folder of FlameGraph's programs (optional)
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


def write(folder, name, stacks, samples, form="plain"):
    path = folder / f"{name}.jfr"
    subprocess.run([SYNTH, form, path, str(stacks), str(samples)], check=True, stdout=subprocess.DEVNULL)
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


def perf_text(folder):
    """100,000 samples as `perf script` prints them, of 5,000 stacks of 20 frames."""
    path = folder / "perf.txt"
    stacks = []
    for stack in range(5000):
        frames = [(stack * 31 + level * 7) % 900 if level < 4 else (stack % 64 + level) % 200 for level in range(20)]
        lines = (f"\t{0x7f0000000000 + 4096 * m:16x} com.example.service{m % 20}.Handler{m}.handle{m}+0x{level:x} (/tmp/perf-4711.map)"
                 for level, m in enumerate(frames))
        stacks.append("\n".join(lines) + "\n\n")
    with open(path, "w", encoding="utf-8") as out:
        for i in range(100_000):
            out.write(f"java  4711/{4720 + i % 8} [001] {1000 + i / 100:.6f}:   10101010 cpu-clock:pppH: \n{stacks[i * 7919 % 5000]}")
    return path


def redirected(command, out):
    """FlameGraph's programs print their result, and their complaints."""
    return ["sh", "-c", '"$@" > "$0" 2> "$0.log"', out, *command]


def flamegraph_peers(folder, rows, ratios):
    peer = os.environ.get("PEER_FLAMEGRAPH")
    text = perf_text(folder)
    stacks = write(folder, "svg", 20_000, 200_000)[0]
    collapsed = folder / "svg.collapsed"
    subprocess.run([WICK, "convert", stacks, collapsed], check=True)
    for label, source, out, program in (("perf script to collapsed", text, "perf.collapsed", "stackcollapse-perf.pl"),
                                        ("collapsed to SVG", collapsed, "drawn.svg", "flamegraph.pl")):
        size = source.stat().st_size
        mine = Tool([WICK, "convert", source, folder / out], size)
        if peer:
            other = Tool(redirected(["perl", f"{peer}/{program}", source], folder / f"peer-{out}"), size)
            result = pairs.compare(other, mine, COUNT)
            ratios.append(result.row(f"{label}: wick / {program}"))
            rows.append([f"{label}, {program}", "-", f"{1 / sorted(result.a)[COUNT // 2]:.2f}", f"{other.memory:.0f} MB"])
            costs = result.b
        else:
            costs = [mine() for _ in range(COUNT)]
        cost = sorted(costs)[COUNT // 2]
        rows.append([f"{label}, {size / 1e6:.0f} MB", f"{cost * size / 1e6:.2f} s", f"{1 / cost:.0f}", f"{mine.memory:.0f} MB"])
        say(" ".join(rows[-1]))


def main():
    rows, ratios = [], []
    with tempfile.TemporaryDirectory(prefix="wick-bench-", dir=os.environ.get("TMPDIR")) as temporary:
        folder = Path(temporary)
        for name, stacks, samples in (("few", 2000, 5_500_000), ("many", 1_000_000, 1_000_000)):
            path, size = write(folder, name, stacks, samples)
            small = write(folder, f"{name}-small", stacks if name == "few" else stacks // 10, samples // 10, "load")
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
        flamegraph_peers(folder, rows, ratios)
    print(pairs.table(rows, ["recording, output", "CPU time (median)", "MB a second of CPU", "memory (most)"]))
    print("\nSeconds of CPU for each MB of recording, in pairs:\n")
    print(pairs.table(ratios))


if __name__ == "__main__":
    sys.exit(main())
