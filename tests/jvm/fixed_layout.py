#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""A recording of all engines, read by tests/jfr/naive_reader.py: a reader that knows only async-profiler's fields, frame types
and clock finds every event, and its counts and durations are those of wick and of the JDK. Nothing here is left to chance."""
import json
import os
import re
import signal
import subprocess
import sys

import jvmtest as t

sys.path.insert(0, os.path.join(t.ROOT, "tests/jfr"))
import naive_reader  # noqa: E402

CPU_NS, WALL_NS = 2_000_000, 5_000_000
classes = t.compile_java("NativeLocks")


def count(file, event):
    """Samples as wick counts them."""
    out = t.path("counts.collapsed")
    r = t.wick("convert", "--samples", "-e", event, file, "-o", out)
    if r.status:
        return r.err
    with open(out, encoding="utf-8") as f:
        return sum(int(line.rsplit(" ", 1)[1]) for line in f)


def weight(file, event):
    """Nanoseconds, as wick adds them."""
    r = t.wick("convert", "-e", event, "--to", "collapsed", "-o", "-", file)
    return sum(int(line.rsplit(" ", 1)[1]) for line in r.out.splitlines())


def seconds(text):
    m = re.fullmatch(r"PT(?:(\d+)M)?(?:([\d.]+)S)?", text)
    return int(m[1] or 0) * 60 + float(m[2] or 0)


library = os.path.join(t.BUILD, "tests/jvm/libwicknativelocks_lazy.so")
# loops without polls: safepoints are slow
j = t.Jvm(["-Xmx128m", "-XX:-UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=0", "-cp", classes, "NativeLocks", library])
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
file = t.path("all.jfr")
r = t.start(j.pid, file, "-e", "cpu,wall,lock=/1ms,nativelock=/1ms,ttsp,nativemem=2k", "-i", "2ms", "--wall-threads", "2",
            "--wall", "5ms")
t.check("it is recorded", r.status == 0, r.err)
j.ask("run 1500 9", r"truth (.*)")
j.ask("java 500", r"truth (.*)")
j.ask("locks 1500", r"truth (.*)")
t.check("collections wait for a loop", j.ask("slow 5", "(collected)"), j.output())
t.stop(j.pid)

# The same while recording: one thread of the many is drawn at each tick, so without --compat a sample weighs several intervals.
direct = t.path("direct.jfr")
t.check("it allocates", j.ask("allocate", "(allocating)"), j.output())
record = subprocess.Popen([t.WICK, "record", "--compat", *t.PATIENT, "-d", "3600", "-e", "cpu,wall,nativelock,alloc,live,nativemem=2k",
                           "-i", "2ms", "--wall", "5ms", "--wall-threads", "1", "-f", direct, str(j.pid)], stderr=subprocess.PIPE, text=True)
t.check("record --compat: it runs", t.until(lambda: t.status(j.pid).get("running") == 1 or record.poll() is not None))
j.ask("run 1500 9", r"truth (.*)")
RECORDED = {"wall_weight": 0, "recorded_alloc": 20, "native_lock_waits": 0}
t.until(lambda: all(t.status(j.pid).get(key, 0) > least for key, least in RECORDED.items()))
record.send_signal(signal.SIGINT)
said = record.communicate(timeout=t.HANGS)[1]
t.check("record --compat: it is written", record.returncode == 0, (record.returncode, said))
found = naive_reader.sums(direct)
got, want = found["profiler.WallClockSample"]["samples"] * WALL_NS, weight(direct, "wall")
t.check("record --compat: count times interval is the weight", got == want > 0, (got, want))
waits, want = found["profiler.NativeLock"], weight(direct, "nativelock")
t.check("record --compat: durations of waits are their weight, but for its rounding",
        want > 0 and abs(waits["duration"] - want) <= 1000 * waits["events"], (waits, want))
for event, kind in (("jdk.ObjectAllocationSample", "alloc"), ("profiler.LiveObject", "live"), ("profiler.Malloc", "nativemem")):
    got, want = found[event]["size"], weight(direct, kind)
    t.check(f"record --compat: {event}: sizes are the weight", got == want > 0, (got, want))
t.check("record --compat: the JDK reads it", not (said := t.jfr_complaints(direct, versions=(21,))), said)
for name, options in (("a picture", ("-f", t.path("no.html"))), ("a sequence", ("-f", t.path("no-%n.jfr")))):
    r = t.wick("record", "--compat", *options, str(j.pid))
    t.check(f"record --compat: {name} is refused", r.status == 2 and "--compat" in r.err, r)


def is_even(path):
    found = naive_reader.sums(path)["profiler.WallClockSample"]["samples"] * WALL_NS
    return found == weight(path, "wall") > 0


# A recording that goes on by itself: --compat where it is started, where it ends, and of a dump.
for name, at_start, at_stop in (("start", ["--compat"], []), ("stop", [], ["--compat"])):
    out, dump = t.path(f"{name}.jfr"), t.path(f"{name}-dump.jfr")
    r = t.wick("start", *t.PATIENT, "--lib", t.AGENT, "-e", "wall", "--wall", "5ms", "--wall-threads", "1", *at_start, "-f", out, j.pid)
    j.ask("java 500", r"truth (.*)")
    t.until(lambda: t.status(j.pid).get("wall_weight", 0) > 0)
    d = t.wick("dump", *t.PATIENT, "--compat", "-f", dump, j.pid)
    s = t.wick("stop", *t.PATIENT, *at_stop, j.pid)
    t.check(f"{name} --compat: it is written, where it was to go", r.status == s.status == 0 and is_even(out), (r, s))
    t.check(f"{name}: dump --compat", d.status == 0 and is_even(dump), d)
r = t.wick("start", "--lib", t.AGENT, "--compat", "-f", t.path("no.html"), j.pid)
t.check("start --compat: a picture is refused", r.status == 2 and "--compat" in r.err, r)
j.kill()

sums = {}
try:
    sums = naive_reader.sums(file)
    t.check("a reader of fixed layouts gets through", True)
except (AssertionError, LookupError) as e:
    t.check("a reader of fixed layouts gets through", False, repr(e))
for event in ("jdk.ExecutionSample", "profiler.WallClockSample", "jdk.JavaMonitorEnter", "jdk.ThreadPark", "profiler.NativeLock",
              "profiler.Malloc", "profiler.Free"):
    t.check(f"it finds {event}", sums.get(event, {}).get("events", 0) > 0, sums)
for event, figures in sums.items():
    if event == "profiler.Free":  # no sample
        continue
    got = figures["samples"] or figures["events"]
    t.check(f"{event}: as many samples as wick counts", got == (want := count(file, event)), (got, want))

# Such a reader counts what wick weighs: it finds wick's totals where each sample stands for one interval.
even = t.path("even.jfr")
r = t.wick("convert", "--compat", file, "-o", even)
t.check("--compat: it is written", r.status == 0, r)
for event, kind, period in (("jdk.ExecutionSample", "cpu", CPU_NS), ("profiler.WallClockSample", "wall", WALL_NS)):
    figures = naive_reader.sums(even)[event]
    got = (figures["samples"] or figures["events"]) * period
    t.check(f"--compat: {event}: count times interval is the weight", got == (want := weight(even, kind)), (got, want))
    t.check(f"--compat: {event}: which is the recording's, but for half an interval", abs(got - weight(file, kind)) <= period,
            (got, weight(file, kind)))
for event, kind in (("jdk.JavaMonitorEnter", "lock"), ("profiler.NativeLock", "nativelock")):
    found, want = naive_reader.sums(even)[event], weight(file, kind)
    t.check(f"--compat: {event}: as many waits, and durations are their weight, but for its rounding",
            found["events"] == sums.get(event, {}).get("events", 0) and abs(found["duration"] - want) <= 1000 * found["events"],
            (event, found, want))
t.check("--compat: the JDK reads it", not (said := t.jfr_complaints(even, versions=(21,))), said)

# What async-profiler does not have, such a reader has to get past: all of these events.
UNKNOWN = ("wick.SafepointLatency", "wick.NativeLive", "wick.NativeMemory")
r = t.jfr(21, "print", "--json", "--stack-depth", "1", "--events", ",".join([*naive_reader.LAYOUTS, *UNKNOWN]), file)
totals, sizes = {}, {}
for e in json.loads(r.out, strict=False)["recording"]["events"]:
    n, s = totals.get(e["type"], (0, 0.0))
    totals[e["type"]] = n + 1, s + seconds(e["values"].get("duration") or "PT0S")
    sizes[e["type"]] = sizes.get(e["type"], 0) + e["values"].get("size", 0)
skipped = naive_reader.skipped(file)
for event in UNKNOWN:
    t.check(f"{event}: it skips as many events as the JDK reads", skipped[event] == totals.get(event, (0,))[0], (skipped, totals))
    t.check(f"{event}: there are some", skipped[event] > 0, skipped)
t.check("profiler.Malloc: sizes are those that the JDK reads",
        sizes.get("profiler.Malloc") == sums.get("profiler.Malloc", {}).get("size"), (sizes, sums))
for event, figures in sums.items():
    n, s = totals.get(event, (0, 0.0))
    t.check(f"{event}: the JDK reads as many events, of the same duration",
            n == figures["events"] and abs(s - figures["duration"] / 1e9) < 1e-6 * max(n, 1), (n, s, figures))
t.done()
