#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 25
# ci: 25
# timeout: 3600
"""The sum of the weights is the CPU time that the process used, and the accounts balance: fired = recorded + drops.

Tolerances: 2 %, the figure that wick promises, plus 5 standard deviations of what the random phases leave open. A thread
leaves at most one interval open, evenly distributed, so n threads leave interval * sqrt(n / 12)."""
import math
import os
import re
import time

import jvmtest as t

SIGMAS = t.Sigmas(5)  # one false alarm in 1.7 million
CPUCLOCK_SCHED = 2
MS = 1_000_000


def cpu_ns(pid):
    """The CPU clock of a process (its id is made of the process's; include/linux/posix-timers_types.h)."""
    return time.clock_gettime_ns((~pid << 3) | CPUCLOCK_SCHED)


def live_ns(pid):
    """The CPU time of the threads that a process has now."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/schedstat") as f:
                total += int(f.read().split()[0])
        except OSError:
            pass
    return total


def used(s):
    return s["weight"] + s["dropped_weight"]


def busy_program(engine, interval_ms):
    """A recording of a program with busy threads of all kinds against the process's CPU clock."""
    title = f"-e {engine} at {interval_ms} ms: "
    j = t.Jvm(["-Xmx256m", "-cp", classes, "Busy", "spin=3", "zip", "alloc", "kernel"], "busy")
    j.wait_for("up")
    file = t.path(f"{engine}{interval_ms}.jfr")
    before = cpu_ns(j.pid)
    r = t.start(j.pid, file, "-e", engine, "-i", f"{interval_ms}ms")
    begin = cpu_ns(j.pid)
    if not t.check(title + "starts", r.status == 0, r):
        return j.kill()
    time.sleep(4)
    end = cpu_ns(j.pid)
    t.stop(j.pid)
    after = cpu_ns(j.pid)
    s, threads = t.status(j.pid), sum(j.threads().values())
    # Sampling begins and ends somewhere within the two commands, which may take long on a crowded machine.
    truth, most = end - begin, after - before
    slack = SIGMAS * interval_ms * MS * math.sqrt(threads / 12)
    t.check(title + "weights sum up to the process's CPU time", 0.98 * truth - slack < used(s) < 1.02 * most + slack,
            f"weights {used(s) / 1e9:.3f} s, CPU {truth / 1e9:.3f} to {most / 1e9:.3f} s, slack {slack / 1e9:.3f}")
    print(f"# {title}{used(s) / truth - 1:+.2%} of {truth / 1e9:.2f} s, {s['fired']} samples, {threads} threads")
    t.check(title + "fired = recorded + drops", s["fired"] == s["samples"] + s["dropped"], s)
    totals = {e["type"]: e for e in t.events(file, "wick.SampleTotals")}  # the last of each
    t.check(title + "its type of sample has totals of its own", list(totals) == ["cpu"] and all(
        int(totals["cpu"][field]) == s[key + "_cpu"] for field, key in (("fired", "fired"), ("recorded", "recorded"),
                                                                  ("dropped", "dropped"), ("weight", "weight"))),
            f"{totals} {s}")
    # each weight is rounded to a microsecond with the rest carried on
    written = t.weight_of(t.stacks(file))
    t.check(title + "the file holds these weights", abs(written - s["weight"]) < 2000, f"{written} {s['weight']}")
    j.kill()


def short_threads():
    """Threads that live for a fifth of an interval are seen in proportion: their number is binomial.

    A thread reads its clock before it ends; what its end costs is also its time. On JDK 21 that was 6 to 10 % of 2 ms,
    without any recording. So the upper bound is what the process's clock says of all threads that have ended: that
    clock less the clocks of those that live. It holds what arming each thread cost, which wick leaves out."""
    j = t.Jvm(["-Xmx256m", "-XX:-UseDynamicNumberOfCompilerThreads", f"-Dnative={t.NATIVE}", "-cp", classes, "Busy"], "short")
    j.wait_for("up")
    for engine, interval_ms, count in (("cpu", 10, 1500), ("cpu", 1, 600), ("ctimer", 10, 1500), ("ctimer", 1, 600)):
        file = t.path(f"short.{engine}{interval_ms}.jfr")
        t.start(j.pid, file, "-e", engine, "-i", f"{interval_ms}ms")
        before = cpu_ns(j.pid)
        before_live = live_ns(j.pid)
        truth = int(j.ask(f"short {count} 2", r"short (\d+)"))
        while any(name.startswith("short-") for name in j.threads()):
            time.sleep(0.05)
        after_live = live_ns(j.pid)
        most = cpu_ns(j.pid) - before - (after_live - before_live)
        t.stop(j.pid)
        seen = t.weight_of([r for r in t.stacks(file) if r[0][0].startswith("[short-")])
        # a thread of t < interval is seen with probability t / interval: variance t * (interval - t) of its weight;
        # a longer one leaves a part of an interval open, at most interval / 2 in standard deviation
        each, i = truth / count, interval_ms * MS
        variance = each * (i - each) if each < i else i * i / 4
        slack = 0.02 * truth + SIGMAS * math.sqrt(count * variance)
        t.check(f"-e {engine}: {count} threads of 2 ms at {interval_ms} ms are seen in proportion",
                truth - slack < seen < most + slack,
                f"weights {seen / 1e9:.3f} s, CPU {truth / 1e9:.3f} to {most / 1e9:.3f} s, slack {slack / 1e9:.3f}")
        print(f"# -e {engine}: short threads at {interval_ms} ms: {seen / truth - 1:+.2%} of the {truth / 1e9:.2f} s that "
              f"they measured, {seen / most - 1:+.2%} of the {most / 1e9:.2f} s that they used")
    # The kernel does not report these; they are found by polling twenty times a second.
    file = t.path("native.jfr")
    t.start(j.pid, file, "-i", "1ms")
    done = int(j.ask("native 8 1000", r"native (\d+)"))
    t.stop(j.pid)
    rows = [r for r in t.stacks(file, annotate=False) if r[0][0].startswith("[unattached")]
    truth, seen = done * 1000 * MS, t.weight_of(rows)
    t.check("threads that never attach are seen", done == 8 and abs(seen - truth) < 0.02 * truth + SIGMAS * 8 * MS,
            f"{seen / 1e9:.3f} s of {truth / 1e9:.3f} s")
    burns = [r for r in rows if "wick_test_burn" in r[0]]
    t.check("and walked: each of them", len({r[0][0] for r in burns}) == 8, sorted({r[0][0] for r in rows}))
    # What a thread used before it was found has no stack, and says so. How long that takes is up to the machine.
    late = t.weight_of([r for r in rows if "[not sampled: thread not yet known]" in r[0]])
    burning = t.weight_of(burns)
    t.check("what they burn is named, but for what came before they were known", burning > 0.98 * (seen - late) and burning > late,
            f"{burning / 1e9:.3f} s of {seen / 1e9:.3f} s, {late / 1e9:.3f} s late")
    j.kill()


def few_frames():
    """-j limits a stack with its kernel frames: the frames nearest the leaf are kept."""
    j = t.Jvm(["-Xmx256m", "-cp", classes, "Busy", "kernel"], "few")
    j.wait_for("up")
    for most in (3, 5):
        file = t.path(f"few{most}.jfr")
        t.start(j.pid, file, "-i", "1ms", "-j", str(most))
        t.work_for(j, 1)
        t.stop(j.pid)
        # markers are in brackets: what a stack lacks is no frame of it
        stacks = [[f for f in row[0] if not f.startswith("[")] for row in t.stacks(file)]
        t.check(f"-j {most}: no stack has more frames", stacks and max(map(len, stacks)) == most,
                max(stacks, key=len, default=None))
        t.check(f"-j {most}: kernel frames are among them, and the leaf's",
                any(len(s) == most and s[-1].endswith("_[k]") for s in stacks), stacks[:5])
    j.kill()


def tiny_ring():
    """A ring of 8 events at 100 us overflows; every loss is counted, at every moment."""
    j = t.Jvm(["-Xmx256m", "-cp", classes, "Busy", "spin=3", "zip"], "ring")
    j.wait_for("up")
    file = t.path("ring.jfr")
    r = t.start(j.pid, file, "-i", "100us", "--ring", "8")
    t.check("a ring of 8 is accepted", r.status == 0, r)
    seen = []
    for _ in range(30):
        s = t.status(j.pid)
        seen.append(s["fired"] - s["samples"] - s["dropped"])
        time.sleep(0.05)
    # At most one sample for each scratch area, and what came while the counters of the processors were added up: hundreds if the
    # thread that adds them up lost its processor just then. It does not so each time; a sample that is lost is missing from then on.
    t.check("fired = recorded + drops + those in flight, to the end", all(n >= 0 for n in seen) and min(seen[15:]) <= 32,
            f"{seen} in flight")
    t.stop(j.pid)
    truth = cpu_ns(j.pid)  # of all its life
    s = t.status(j.pid)
    t.check("after the stop: fired = recorded + drops", s["fired"] == s["samples"] + s["dropped"], s)
    t.check("the ring did overflow", s.get("drop_ring_full", 0) > 100, s)
    t.check("the named drops sum up to all", sum(v for k, v in s.items() if k.startswith("drop_")) == s["dropped"], s)
    t.check("samples were recorded all the same", 0 < s["samples"], s)
    count = t.wick("convert", file, "--to", "collapsed", "--samples").out
    t.check("the file holds as many samples as were recorded",
            sum(int(l.rsplit(" ", 1)[1]) for l in count.splitlines()) == s["samples"], s)
    last = {e["name"]: e["count"] for e in t.events(file, "wick.Drops")}
    t.check("the recording says so itself", last.get("ring_full") == str(s["drop_ring_full"]), last)
    t.check("dropped weight is weight", used(s) < truth * 1.02, f"{used(s)} of {truth}")
    j.kill()
    own_work(file)


def own_work(file):
    """What wick itself cost is left out of the views, which say so in one line: what is in the file and not in the picture."""
    picture = t.path("own.collapsed")
    r = t.wick("flame", file, "-o", picture)
    with open(picture, encoding="utf-8") as f:
        own = t.weight_of(t.stacks(file)) - sum(int(line.rsplit(" ", 1)[1]) for line in f)
    said = re.findall(r"(?m)^wick's own work, ([\d.]+) ms \(([\d.]+) %\), is left out; --own shows it$", t.wick("top", file).out)
    t.check("wick's own work is left out of a picture", r.status == 0 and own > 0, (r, own))
    t.check("wick top says how much it is, in one line", len(said) == 1 and abs(float(said[0][0]) * 1e6 - own) <= 5e4 + 1,
            f"{own} ns: {said}")
    t.wick("flame", "--threads", file, "-o", picture)
    with open(picture, encoding="utf-8") as f:
        threads = [line for line in f if line.startswith("[wick-")]
    t.check("so is the time without samples of wick's threads", r.status == 0 and not threads, threads)
    t.check("with --own nothing is left out", "wick's own work" not in t.wick("top", "--own", file).out)


classes = t.compile_java("Busy")
for what in [("cpu", 10), ("cpu", 1), ("ctimer", 10), ("ctimer", 1), ("itimer", 10), ("itimer", 1)]:
    busy_program(*what)
short_threads()
few_frames()
tiny_ring()
t.done()
