#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""labels.py - what scopes of wick.jar cost: nanoseconds of CPU time for opening and closing one

Each operation in a JVM of its own, with one thread: without the agent, with the agent but no recording, and while a recording
runs; then with two threads while it runs; then with contexts published for other readers (-Dwick.publish=otel), without and with
a recording. `clock` is a bare System.nanoTime(), of which a span needs two. The least of 15
rounds of 0.1 s is the figure, because other programs on the machine only make a round longer; the median is beside it.

Targets: open and close at most 25 ns while a recording runs and 2 ns without, a change of labels at most 10 ns.
"""

import sys

sys.dont_write_bytecode = True
import lab
import pairs

TARGETS = {"activate": 25, "span": 25, "restingspan": 25, "hexspan": 25, "label": 10}
WHAT = {
    "clock": "System.nanoTime()",
    "activate": "activate: context of a span, no event",
    "span": "span with its event, numeric ids",
    "restingspan": "the same, no more than the queue takes",
    "hexspan": "span with its event, hexadecimal ids",
    "label": "label put in force and taken back",
}


def ask(target, operation, threads=1):
    return tuple(float(x) for x in target.ask(f"{operation} {threads}").split())


PUBLISH = ["-Dwick.publish=otel"]


def without_recording(operation, agent, options=()):
    options = [*options, f"-agentpath:{lab.BUILD}/libwick.so"] if agent else []
    with lab.Target("wick.bench.Labels", jvm=options) as target:
        return ask(target, operation)


def while_recording(operation, threads, options=()):
    wick = lab.Wick()
    with lab.scratch("labels") as folder, lab.Target("wick.bench.Labels", jvm=options) as target:
        wick.start(target.pid, f"{folder}/a.jfr")
        result = ask(target, operation, threads)
        wick.stop(target.pid)
        return result


def line(operation):
    lab.say(operation)
    none, agent = without_recording(operation, False), without_recording(operation, True)
    one, two = while_recording(operation, 1), while_recording(operation, 2)
    published = without_recording(operation, True, PUBLISH), while_recording(operation, 1, PUBLISH)
    target = TARGETS.get(operation)
    met = "" if target is None else "yes" if one[0] <= target and max(none[0], agent[0]) <= 2 else "no"
    return [WHAT[operation], *(f"{least:.1f} ({median:.1f})" for least, median in (none, agent, one, two, *published)),
            f"{target} / 2" if target else "", met]


def measure():
    rows = [line(operation) for operation in WHAT]
    print(pairs.table(rows, ["operation, ns: least (median)", "no agent", "no recording", "recording", "recording, 2 threads",
                             "published, no recording", "published, recording", "target", "met"]))


lab.main(measure)
