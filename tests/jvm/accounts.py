#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 21
# ci: 21
"""The parts of each thread's time that wick explain adds up are its life, as the thread has measured it, within 3 %.

The recording has what `wick explain PID` takes. A thread's life is known by its first and last sample, which are as far from its start and
end as chance has it that a thread is not drawn, on average a gap between two samples, and as the sampler had no processor itself
(wick.WallSampler says for how long at most). The parts are sampled: each has the standard deviation of its samples' weights. A thread
that wakes up may wait for a CPU within what it measures, so that part of its own measure is cpu-wait, or a safepoint. Requests are in
endpoints.py."""
import collections
import json
import re

import jvmtest as t

MOST_OFF, INTERVAL_NS = 0.03, 10_000_000
LIFE_MS = 20_000  # 3 % of it are more than chance may leave out
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}
NAMES = {"SLEEP": "sleep_ns", "PARK": "timed-park_ns", "MONITOR": "monitor_ns", "CPU": "cpu_ns"}
HELD_UP = ("cpu-wait_ns", "safepoint_ns", "allocation_ns", "other_ns", "cpu_ns")


def recorded():
    """(recording, {thread: (inner, outer)}, {thread: {kind: ns}})"""
    classes = t.compile_java("Parts")
    j = t.Jvm(["-Xmx64m", "-cp", classes, "Parts"], "parts")
    t.check("the program runs", j.wait_for("up"), j.output())
    file = t.path("parts.jfr")
    events = "cpu,wall,alloc,lock,ttsp" if t.JDK >= 11 else "cpu,wall,lock,ttsp"
    r = t.start(j.pid, file, "-e", events, "--filter", "all")
    t.check("a recording starts", r.status == 0, r)
    j.say(str(LIFE_MS))
    t.check("its threads live and end", j.wait_for("(?m)^done", t.HANGS), j.output()[-500:])
    t.check("the recording ends", t.stop(j.pid).status == 0)
    text = j.output()
    j.kill()
    lives = {name: (int(inner), int(outer)) for name, inner, outer in re.findall(r"(?m)^life (\w+) (\d+) (\d+)$", text)}
    parts = collections.defaultdict(dict)
    for name, kind, ns in re.findall(r"(?m)^part (\w+) (\w+) (\d+)$", text):
        parts[name][kind] = int(ns)
    return file, lives, parts


def longest_ns(file):
    """The longest time between two visits to a thread that the sampler itself is to blame for."""
    late = re.findall(r"maxLateness = ([\d.,]+) (\w+)", t.jfr(17, "print", "--events", "wick.WallSampler", file).out)
    return INTERVAL_NS + max((float(v.replace(",", "")) * UNITS[unit] for v, unit in late), default=0)


def weights(file):
    """{thread: [(ns, samples) of each event]}"""
    out = collections.defaultdict(list)
    for v in t.json_values(file, "profiler.WallClockSample"):
        out[v["sampledThread"]["javaName"]].append((t.json_seconds(v["weight"]) * 1e9, v["samples"]))
    return out


def check_life(name, account, life, rows, slack):
    inner, outer = life
    gap = sum(ns for ns, _ in rows) / sum(n for _, n in rows)
    most = max(MOST_OFF * inner, t.unseen_within(gap)) + slack
    parts = account["parts"]
    off = max(inner - account["wall_ns"], account["wall_ns"] - outer, 0) / inner
    print(f"# {name}: {account['wall_ns'] / 1e6:.1f} ms, by itself {inner / 1e6:.1f} to {outer / 1e6:.1f} ms; off {off:.2%}; "
          f"allowed {most / 1e6:.0f} ms")
    t.check(f"{name}: the parts of its account add up to its wall time", abs(sum(parts.values()) - account["wall_ns"]) <= 1 + len(parts), account)
    t.check(f"{name}: which is its life within 3 %", inner - most <= account["wall_ns"] <= outer + most, (account, life, slack))


def check_part(name, account, kind, spent, rows, slack):
    """Of what the thread measured, some may have been waiting for a CPU, or the JVM's."""
    parts, share = account["parts"], min(1, spent / account["wall_ns"])
    seen = parts.get(NAMES[kind], 0)
    held = sum(parts.get(k, 0) for k in HELD_UP if k != NAMES[kind])
    square, most = sum(ns * ns / n for ns, n in rows), max(ns / n for ns, n in rows)
    off = t.sum_within(max(share * (1 - share), 0.01) * square, most) + MOST_OFF * account["wall_ns"] + slack
    print(f"# {name}: {kind} {seen / 1e6:.0f} ms, by itself {spent / 1e6:.0f} ms; held up {held / 1e6:.0f} ms; allowed {off / 1e6:.0f} ms")
    t.check(f"{name}: {kind} is no more than it measured", seen <= spent + off, (account, spent, off))
    t.check(f"{name}: and no less, but for what held it up", seen + held >= spent - off, (account, spent, off))


file, lives, measured = recorded()
slack, rows = longest_ns(file), weights(file)
said = json.loads(t.wick("explain", "--json", file).out)["accounts"]
accounts = {a["thread"]: a for a in said if "thread" in a}
if t.check("wick explain has an account of each", lives and set(lives) <= set(accounts), list(accounts)):
    for thread, span in lives.items():
        check_life(thread, accounts[thread], span, rows[thread], slack)
        for kind, ns in measured[thread].items():
            check_part(thread, accounts[thread], kind, ns, rows[thread], slack)
t.done()
