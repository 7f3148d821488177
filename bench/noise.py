#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""noise.py - how small a difference this machine can show

The same command on both sides: the CPU-bound program that the overhead benchmarks use (50-deep stacks, work per second of
CPU time), against itself. The true ratio is 1; how far the interval reaches from it is what a difference between two
different commands has to exceed before it means anything. Run it before the others.
"""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import pairs

JAR = Path(__file__).resolve().parents[1] / "build" / "java" / "wick-demo.jar"
SECONDS = "3"


def main():
    if not JAR.exists():
        print(f"noise: {JAR} is not built", file=sys.stderr)
        return 1
    command = ["java", "-Xmx256m", "-cp", str(JAR), "wick.demo.CpuBench", "--seconds", SECONDS, "--depth", "50"]
    count = int(os.environ.get("PAIRS", "7"))
    result = pairs.compare(command, command, count, lambda text: print(text, file=sys.stderr))
    print(pairs.table([result.row("rounds per CPU second, the same command twice")]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
