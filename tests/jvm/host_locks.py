#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 17 21 25
# ci: 21
"""Who has the lock that a Java thread waits for, in a recording of the whole machine: `wick host -e sched` beside threads that wait for a
monitor and for a ReentrantLock whose owners are known. Who gives a lock up wakes the one that waits; of waits that a timer ends nobody is named."""
import collections
import re

import jvmtest as t
from host_recording import Recording

HELD_MS = 700
PAIRS = {"waiter-sync": "owner-sync", "waiter-busy": "owner-busy", "waiter-lock": "owner-lock"}
classes = t.compile_java("Locks")
# By name: Debian's JDK 8 has no symbols, so it is not seen that a thread waits for a monitor.
MONITORS = ("waiter-sync", "waiter-busy") if int(t.JDK) > 8 else ()


def owners_in(recording, pid):
    """{waiter: {owner or "": seconds}} of the time asleep, and {waiter: {(owner, who woke it)}}, of waits whose stack is whole: only these
    say for which lock a thread waits."""
    asleep, wakers = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for e in t.json_values(recording.file, "profiler.WallClockSample"):
        labels = dict(pair.split("=", 1) for pair in e["context"].split(",") if "=" in pair)
        name = e["sampledThread"]["osName"]
        if not labels.get("process", "").endswith(f"-{pid}") or name not in PAIRS or e["state"] not in ("STATE_PARKED", "STATE_BLOCKED_ON_MONITOR_ENTER"):
            continue
        if "broken: " in str(e["stackTrace"]):
            continue
        owner = labels.get("lock-owner", "")
        asleep[name][re.sub(r"-\d+$", "", owner)] += t.json_seconds(e["weight"])
        wakers[name].add((owner, labels.get("woken-by", "")))
    return asleep, wakers


tried = t.wick("host", "-d", "100ms", "-e", "sched", "-f", t.path("try.jfr"))
if tried.status in (5, 6):
    t.skip("wick host -e sched", tried.err.strip())
    t.done()
j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", classes, "Locks"], "locks")
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
dropped, attempts = 1, 0
while dropped and attempts < 10:  # a crowded machine may lose the very waits that matter
    recording = Recording(f"locks{attempts}", "sched")
    j.ask("hold 1", r"held (\d+)")  # the JVM is known then, and the stacks of its waits
    j.ask(f"hold {HELD_MS}", r"held (\d+)")
    recording.end()
    seen, by = owners_in(recording, j.pid)
    dropped = int([e for e in t.events(recording.file, "wick.SampleTotals") if e["type"] == "wall"][-1]["dropped"])
    attempts += 1
    print(f"# {dropped} lost, {({k: dict(v) for k, v in seen.items()})}")
for waiter in ("waiter-lock", *MONITORS):
    owner, rows = PAIRS[waiter], seen[waiter]
    t.check(f"{waiter}: {owner} had the lock, and nobody else", (dropped or rows[owner] > 0) and set(rows) <= {owner, ""}, rows)
    unknown = [w for o, w in by[waiter] if not o and w != "interrupt"]
    t.check(f"{waiter}: the owner is known of all that a thread ended", not unknown, by[waiter])
t.check("waiter-lock: the owner is known of the whole wait", dropped or seen["waiter-lock"]["owner-lock"] >= HELD_MS / 1000, seen["waiter-lock"])
j.kill()
t.done()
