#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# alone
"""Under a CPU quota the wall clock's sums by thread are the kernel's: running, waiting for a processor, asleep.

With all threads drawn at each tick there is no random error: the sampler balances what it says against schedstat, and what
is left at the end is less than a visit, of which the longest stands for the longest time that the sampler had no processor
itself (wick.WallSampler says how long). One of them and 3 % are allowed, beyond what the kernel counted between the
moments just inside and just outside of the recording. So nothing here fails by chance, and on a machine where ticks are
later the test allows more instead of failing. SECONDS and QUOTA in the environment (CPUs; none: no quota) make it a measurement
at other loads: the figures are those printed."""
import collections
import json
import os
import re
import time

import cgroup
import jvmtest as t

SECONDS, INTERVAL_NS = float(os.environ.get("SECONDS", "5")), 10_000_000
QUOTA = os.environ.get("QUOTA", "0.3")
THREADS = {"burn-0": "never asleep", "naps-0": "computes 2 ms and sleeps 20", "wink-0": "wakes up each millisecond"}
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}


def tasks(pid):
    """{thread name: tid}"""
    out = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm") as f:
            out[f.read().strip()] = tid
    return out


def kernel(pid, tids):
    """{thread name: (CPU time, run-queue delay)}, and when that was; ns"""
    out = {}
    for name in THREADS:
        with open(f"/proc/{pid}/task/{tids[name]}/schedstat") as f:
            out[name] = [int(v) for v in f.read().split()[:2]]
    return out, time.monotonic_ns()


def between(first, last):
    """The same of a stretch of time, and its length."""
    return {name: [b - a for a, b in zip(first[0][name], last[0][name])] for name in THREADS}, last[1] - first[1]


def ns(text):
    number, unit = text.split()
    return float(number.replace(",", "")) * UNITS[unit]


def span(text):
    """ISO 8601 of the jfr tool: PT1.5S, PT1M2.25S."""
    m = re.fullmatch(r"PT(?:(\d+)M)?(?:([\d.]+)S)?", text)
    return sum(float(v or 0) * f for v, f in zip(m.groups(), (60, 1))) * 1e9


def sums(file):
    """{thread: {what: ns}} of the wall clock's samples"""
    what = {"STATE_RUNNABLE": "running", "STATE_WAITING_FOR_CPU": "queued"}
    out = collections.defaultdict(collections.Counter)
    printed = t.jfr(17, "print", "--json", "--events", "profiler.WallClockSample", file).out
    for e in (e["values"] for e in json.loads(printed)["recording"]["events"]):
        state = e["state"]["name"] if isinstance(e["state"], dict) else e["state"]
        out[e["sampledThread"]["javaName"]][what.get(state, "asleep")] += span(e["weight"])
    return out


def recorded(group):
    """(recording, the least and the most that the kernel counted during it)"""
    classes = t.compile_java("Walls")
    j = t.Jvm(["-XX:+UseSerialGC", "-Xmx64m", "-XX:+EnableDynamicAgentLoading", "-cp", classes, "Walls", "burn=1", "naps=1",
               "wink=1"], "quota", prefix=group.prefix())
    t.check("the JVM runs", j.wait_for("up", 120), j.output())
    file, tids = t.path("quota.jfr"), tasks(j.pid)
    before = kernel(j.pid, tids)
    t.check("a recording starts", t.start(j.pid, file, "-e", "wall", "--wall-threads", "256").status == 0)
    first = kernel(j.pid, tids)
    group.limit_cpu(None if QUOTA == "none" else float(QUOTA))
    time.sleep(SECONDS)
    last = kernel(j.pid, tids)
    group.limit_cpu(None)
    t.check("the recording ends", t.stop(j.pid).status == 0)
    after = kernel(j.pid, tids)
    j.kill()
    return file, between(first, last), between(before, after)


def check(name, seen, least, most, longest):
    (low, low_time), (high, high_time) = least, most
    ranges = {
        "running": (low[name][0], high[name][0]),
        "queued": (low[name][1], high[name][1]),
        "asleep": (low_time - sum(high[name]), high_time - sum(low[name])),
    }
    slack = 0.03 * low_time + longest
    for what, (a, b) in ranges.items():
        off = max(a - seen[what], seen[what] - b, 0) / low_time
        said = f"{what} {seen[what] / 1e6:.0f} ms, by the kernel {a / 1e6:.0f} to {b / 1e6:.0f} ms, slack {slack / 1e6:.0f} ms, off {off:.1%}"
        print(f"# {name}: {said}")
        t.check(f"{name} ({THREADS[name]}): {what} for as long as the kernel says", a - slack <= seen[what] <= b + slack, said)


def quota(group):
    file, least, most = recorded(group)
    seen = sums(file)
    longest = max(ns(e["maxLateness"]) for e in t.events(file, "wick.WallSampler")) + INTERVAL_NS
    for name in THREADS:
        check(name, seen[name], least, most, longest)


try:
    quota(cgroup.Cgroup())
except cgroup.Unavailable as e:
    t.skip("sums under a CPU quota", e)
t.done()
