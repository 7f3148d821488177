#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 17 21 25
# ci: 21
"""What Java threads wait for, in a recording of the whole machine: `wick host -e sched` beside threads that wait for a monitor and for a
ReentrantLock. A wait for a monitor is known by functions of the JVM, which are C++."""
import collections

import jvmtest as t
from host_recording import Recording

HELD_MS = 700
WAITERS = {"waiter-sync": "STATE_BLOCKED_ON_MONITOR_ENTER", "waiter-busy": "STATE_BLOCKED_ON_MONITOR_ENTER", "waiter-lock": "STATE_PARKED"}
SYMBOLS = int(t.JDK) > 8  # Debian's JDK 8 has none
classes = t.compile_java("Locks")


tried = t.wick("host", "-d", "100ms", "-e", "sched", "-f", t.path("try.jfr"))
if tried.status in (5, 6):
    t.skip("wick host -e sched", tried.err.strip())
    t.done()
j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", classes, "Locks"], "locks")
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
recording = Recording("locks", "sched")
j.ask("hold 1", r"held (\d+)")  # the JVM is known then, and the stacks of its waits
j.ask(f"hold {HELD_MS}", r"held (\d+)")
recording.end()
dropped = int([e for e in t.events(recording.file, "wick.SampleTotals") if e["type"] == "wall"][-1]["dropped"])
asleep = collections.defaultdict(collections.Counter)
for e in t.json_values(recording.file, "profiler.WallClockSample"):
    name = e["sampledThread"]["osName"]
    if name in WAITERS and f"-{j.pid}," in e["context"] + ",":
        asleep[name][e["state"]] += t.json_seconds(e["weight"])
for name, state in WAITERS.items():
    if SYMBOLS or state == "STATE_PARKED":
        t.check(f"{name} waits in {state}", dropped or asleep[name][state] > 0, asleep[name])
j.kill()
t.done()
