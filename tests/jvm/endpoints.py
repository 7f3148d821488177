#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""What wick endpoints says of latency, CPU time and waits is what the program has measured itself.

A request's span lies between the two stretches that the program times, so the same holds for each percentile of all, and
for the time that its wall clock says: the sum is that of the spans, only the states are sampled. Of n
samples that weigh alike the sum has the standard deviation sqrt(n) samples. A sample of the wall clock weighs what its tick was
delayed by, as well, and is running or waiting for a CPU at random, so their weights are what the bound is made of; the first and the last
of each thread may be for what lies beyond the requests."""
import collections
import json
import math
import re

import jvmtest as t

SIGMAS = t.Sigmas(5)  # two-sided: one false alarm in 1,700,000
WALL_NS, CPU_NS, SERVERS = 5_000_000, 1_000_000, 3
STATES = {"sleep": "sleeping", "park": "parked", "lock": "monitor"}
PARTS = {"sleep": ["sleep_ns"], "park": ["park_ns", "timed-park_ns"], "lock": ["monitor_ns"]}  # of accounts of wick explain
JAR = t.os.path.join(t.BUILD, "java/wick.jar")


def recorded():
    """(recording, {endpoint: [(inner, outer, cpu)]}), all threads on one processor, so that some wait for it."""
    classes = t.compile_java("Latency", classpath=JAR)
    cpu = str(min(t.os.sched_getaffinity(0)))
    j = t.Jvm(["-Xmx128m", "-cp", f"{classes}:{JAR}", "Latency"], "latency", prefix=("taskset", "-c", cpu))
    t.check("the program runs", j.wait_for("up"), j.output())
    file = t.path("latency.jfr")
    t.check("a recording starts", t.start(j.pid, file, "-e", "cpu,wall", "-i", "1ms", "--wall", "5ms", "--filter", "context",
                                          "--nobatch").status == 0)
    j.say("serve")
    t.check("requests are served", j.wait_for("done", 400), j.output()[-500:])
    t.check("the recording ends", t.stop(j.pid).status == 0)
    truth = collections.defaultdict(list)
    for name, *figures in re.findall(r"^request (\w+) (\d+) (\d+) (\d+)$", j.output(), re.M):
        truth[name].append(tuple(int(x) for x in figures))
    j.kill()
    return file, truth


def percentile(values, percent):
    return sorted(values)[(len(values) * percent + 99) // 100 - 1]


def latest_tick(file):
    """The longest delay of a tick of the wall clock, in nanoseconds."""
    late = re.findall(r"maxLateness = ([\d.,]+) (\w+)", t.jfr(17, "print", "--events", "wick.WallSampler", file).out)
    units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    return max((float(v.replace(",", "")) * units.get(unit, 1) for v, unit in late), default=0)


def near(title, seen, truth, allowed):
    print(f"# {title}: {seen / 1e6:.0f} ms, by the program {truth / 1e6:.0f} ms; allowed {allowed / 1e6:.0f} ms")
    t.check(title, abs(seen - truth) <= allowed, (seen, truth, allowed))


def weights(file, endpoint, event="profiler.WallClockSample"):
    """Nanoseconds that each sample weighs in that endpoint."""
    out = json.loads(t.jfr(17, "print", "--json", "--events", event, file).out)["recording"]["events"]
    parts = (re.fullmatch(r"PT(?:(\d+)M)?([\d.]+)S", e["values"]["weight"]) for e in out
             if t.context(e["values"]["context"]).get("endpoint") == endpoint)
    return [(60 * int(m[1] or 0) + float(m[2])) * 1e9 for m in parts]


def at_random(weights, truth):
    """How far the sum of those samples is credible from `truth`, which each is with the chance that it has of their time."""
    share = min(1, truth / max(sum(weights), 1))
    return t.sum_within(share * (1 - share) * sum(w * w for w in weights), max(weights, default=0))


def most_of_ns(total, ticks):
    """The least of `total` ns of waits that is credible for a state that 95 % of them are in: a wait has another for the moment
    in which it begins, ends or is stopped by the JVM. ticks: how many one delayed tick may stand for."""
    return t.least_of(round(total / WALL_NS), 0.95, ticks) * WALL_NS


def check_most(title, seen, total, ticks):
    """Where ticks are so late that all waits may be those of one of them, nothing can be said."""
    least = most_of_ns(total, ticks)
    if least > 0:
        t.check(title, seen >= least, (seen, total, ticks))
    else:
        t.skip(title, f"ticks are up to {ticks} intervals late: {total / 1e6:.0f} ms of waits prove nothing")


def check_latency(name, row, truth):
    inner, outer = [x[0] for x in truth], [x[1] for x in truth]
    t.check(f"{name}: every request is counted", row["count"] == len(truth) > 0, row)
    wrong = [(p, row[key], percentile(inner, p), percentile(outer, p))
             for p, key in ((50, "p50_ns"), (90, "p90_ns"), (99, "p99_ns"), (100, "max_ns"))
             if not percentile(inner, p) <= row[key] <= percentile(outer, p)]
    t.check(f"{name}: percentiles lie between what is within and around the spans", not wrong, wrong)
    t.check(f"{name}: so does their sum", sum(inner) <= row["sum_ns"] <= sum(outer), (row, sum(inner), sum(outer)))
    t.check(f"{name}: the chart has all requests, and no greater latency", sum(s["count"] for s in row["seconds"])
            == row["count"] and max(s["p99_ns"] for s in row["seconds"]) <= row["max_ns"], row["seconds"])


def check_sum(name, row, truth):
    seen = row["running_ns"] + row["run_queue_ns"] + row["blocked_ns"]
    least, most = (sum(x[i] for x in truth) for i in (0, 1))
    rounding = row["spans_samples"]  # half a nanosecond each, at most
    raw = row["spans_sampled_ns"]
    print(f"# {name}: wall clock {seen / 1e6:.1f} ms, by the program {least / 1e6:.1f} to {most / 1e6:.1f}; "
          f"samples alone say {raw / 1e6:.1f} ({raw / seen - 1:+.1%})")
    t.check(f"{name}: the wall clock adds up to the latency", row["spans_samples"] > 0 and row["not_sampled_ns"] == 0
            and least - rounding <= seen <= most + rounding, row)


def check_account(name, account, truth, ticks):
    """What explain says of the endpoint: its parts add up to the latency as the program has measured it."""
    parts = account["parts"]
    least, most = (sum(x[i] for x in truth) for i in (0, 1))
    rounding = len(truth) + len(parts)
    print(f"# {name}: {account}")
    t.check(f"{name}: the parts of its account add up to its wall time",
            abs(sum(parts.values()) - account["wall_ns"]) <= rounding, account)
    t.check(f"{name}: which is what the program measured", least - rounding <= account["wall_ns"] <= most + rounding,
            (account, least, most))
    if name in PARTS:
        waits = sum(v for k, v in parts.items() if k not in ("cpu_ns", "cpu-wait_ns", "safepoint_ns"))
        check_most(f"{name}: most of its waiting has its name", sum(parts.get(part, 0) for part in PARTS[name]), waits, ticks)


file, measured = recorded()
said = json.loads(t.wick("endpoints", "--json", file).out)
rows = {r["endpoint"]: r for r in said["endpoints"]}
late = latest_tick(file)
together = 1 + math.ceil(late / WALL_NS)
for endpoint in ("sleep", "park", "lock", "compute"):
    if t.check(f"{endpoint}: is there", endpoint in rows and endpoint in measured, list(rows)):
        check_latency(endpoint, rows[endpoint], measured[endpoint])
if all(e in rows for e in measured):
    for endpoint, state in STATES.items():
        waits = {w["state"]: w["wall_ns"] for w in rows[endpoint]["waits"]}
        check_sum(endpoint, rows[endpoint], measured[endpoint])
        check_most(f"{endpoint}: most of what blocked it is {state}", waits.get(state, 0), sum(waits.values()), together)
    r, all_of = rows["compute"], measured["compute"]
    check_sum("compute", r, all_of)
    used, waited = sum(x[2] for x in all_of), sum(x[0] - x[2] for x in all_of)
    margin = sum(x[1] - x[0] for x in all_of)  # within the spans or not
    edges = 2 * SERVERS * late + margin
    lot = weights(file, "compute")
    # each may stand for several intervals: on a crowded machine the kernel holds samples back
    square = sum(w * w for w in weights(file, "compute", "jdk.ExecutionSample")) + CPU_NS ** 2
    near("compute: the CPU samples add up to the CPU time", r["cpu_ns"], used, SIGMAS * math.sqrt(square))
    near("compute: the rest of the latency is waiting for a CPU", r["run_queue_ns"], waited, at_random(lot, waited) + edges)
    explained = json.loads(t.wick("explain", "--json", file).out)["accounts"]
    accounts = {a["endpoint"]: a for a in explained if "endpoint" in a}
    if t.check("wick explain has an account of each", set(measured) <= set(accounts), explained):
        for endpoint in measured:
            check_account(endpoint, accounts[endpoint], measured[endpoint], together)
        parts = accounts["compute"]["parts"]
        near("compute: its account has the CPU time", parts.get("cpu_ns", 0), used, at_random(lot, used) + edges)
        near("compute: and the waiting for a CPU", parts.get("cpu-wait_ns", 0), waited, at_random(lot, waited) + edges)
    text = t.wick("endpoints", file).out
    t.check("the text has the same figures", all(re.search(rf"^ *{len(measured[e])} +[\d.]+ .* {e}$", text, re.M) for e in rows if e),
            text)
t.done()
