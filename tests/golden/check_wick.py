#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_wick.py WICK [--write]: what the views show of a recording that an earlier wick made.

jfr/wick.jfr.gz comes from the agent of commit 810dd83 (`wick record -e cpu,wall,lock --wall 50ms --ttsp
--ttsp-threshold-ms 1,5,20 -d 3`) in a JDK 21 with two threads that serve GET /a and GET /b and hold one lock in turn, one
that loops over ints, and a collection every 100 ms. That wick's own views had the figures of jfr/wick.views. Recordings
are kept for years: a difference here is one that their owners see. --write writes jfr/wick.views anew."""

import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent / "jfr"
EVENTS = ("cpu", "wall", "lock")


def collapsed(run, event):
    """Of the stacks as text: how many, and what they weigh."""
    lines = run("convert", "-t", "-e", event).splitlines()
    yield f"collapsed {event}: stacks {len(lines)}, weight {sum(int(line.rsplit(' ', 1)[1]) for line in lines)}"


def top(run, event):
    view = json.loads(run("top", "--json", "-n", "0", "-e", event))
    yield f"top {event}: {view['event']}, weight {view['weight']}, samples {view['samples']}, rows {len(view['rows'])}"
    for row in view["rows"][:3]:
        yield f"  {row['name']}: self {row['self']} in {row['self_samples']}, total {row['total']} in {row['total_samples']}"


def endpoints(run):
    yield "endpoints:"
    for row in json.loads(run("endpoints", "--json"))["endpoints"]:
        figures = ("count", "p50_ns", "max_ns", "sum_ns", "cpu_ns", "running_ns", "run_queue_ns", "blocked_ns")
        yield f"  {row['endpoint']}: " + ", ".join(f"{name} {row[name]}" for name in figures)
        for wait in row["waits"]:
            yield f"    {wait['state']}: {wait['wall_ns']}"


def locks(run):
    view = json.loads(run("locks", "--json", "-n", "0"))
    yield f"locks: {view['total_ns']} ns"
    for lock in view["locks"]:
        yield f"  {lock['kind']} {lock['class']}: {lock['total_ns']} ns, longest {lock['longest_ns']}, samples {lock['samples']}"
        for waiter in lock["waiters"]:
            yield f"    waits {waiter['weight_ns']} ns at {waiter['frame']}"
        for owner in lock["owners"]:
            yield f"    held {owner['weight_ns']} ns by {owner['thread']} at {owner['frame']}"


def ttsp(run):
    view = json.loads(run("ttsp", "--json", "-n", "0"))
    yield f"ttsp: {view['incidents']} slow of {view['safepoints']} safepoints, {view['sync_ns']} ns"
    for row in view["blame"]:
        yield f"  {row['why']}: {row['late']} times, {row['total_ns']} ns, at {row['frame']} from {row['caller']}"
    yield f"  incidents listed: {len(view['worst'])}"


def views(wick, recording):
    def run(command, *arguments):
        line = [wick, command, *arguments, recording, *(["-o", "-"] if command == "convert" else [])]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    for event in EVENTS:
        yield from collapsed(run, event)
    for event in EVENTS:
        yield from top(run, event)
    for view in (endpoints, locks, ttsp):
        yield from view(run)


def main():
    expected = HERE / "wick.views"
    with tempfile.NamedTemporaryFile(suffix=".jfr") as recording:
        packed = HERE / "wick.jfr.gz"
        subprocess.run(["gzip", "-dc", packed], check=True, stdout=recording)
        shown = [line + "\n" for line in views(sys.argv[1], recording.name)]
    if sys.argv[2:] == ["--write"]:
        expected.write_text("".join(shown), encoding="utf-8")
        return 0
    wanted = expected.read_text(encoding="utf-8").splitlines(keepends=True)
    sys.stdout.writelines(difflib.unified_diff(wanted, shown, "expected", "shown"))
    return shown != wanted


if __name__ == "__main__":
    sys.exit(main())
