#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# ci: 21
# alone
"""Time off the CPU of the whole machine: `wick host -e sched` beside two programs that compete for one CPU and one that
sleeps, and two that compete for all CPUs. Run-queue time is what the kernel counts in schedstat, sleep what was slept, and
who ran instead what a trace of the scheduler shows."""
import collections
import math
import os
import re
import signal
import subprocess
import time

import jvmtest as t
import scheduler_trace

THRESHOLD_NS = 10_000
SIGMAS = 5.4  # two-sided error below 1e-7 for each check
COMPETE_NS = 700_000_000
SLEEP_NS = 500_000_000
recording = t.path("waits.jfr")


def child(work):
    """A process that does `work`, which returns a text, and then waits for its end. (pid, text)"""
    r, w = os.pipe()
    pid = os.fork()
    if pid:
        os.close(w)
        return pid, r
    os.write(w, work())
    while True:
        signal.pause()


def compete():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return compute()


def compute():
    while time.process_time_ns() < COMPETE_NS:
        pass
    return b"."


def sleep():
    begin = time.monotonic_ns()
    time.sleep(SLEEP_NS / 1e9)
    return str(time.monotonic_ns() - begin).encode()


def delay(pid):
    """Its run-queue time by the kernel, once it waits for its end and nothing changes any more."""
    while True:
        with open(f"/proc/{pid}/stat") as f:
            asleep = f.read().rpartition(")")[2].split()[0] == "S"
        with open(f"/proc/{pid}/schedstat") as f:
            before = f.read()
        time.sleep(0.05)
        with open(f"/proc/{pid}/schedstat") as f:
            if asleep and before == f.read():
                return int(before.split()[1])


probe = t.wick("host", "-e", "sched", "-d", "100ms", "-f", t.path("try.jfr"))
if probe.status in (5, 6):
    t.skip("wick host -e sched", probe.err.strip())
    t.done()
for wrong in ("sched=0", "sched=4001ms", "sched=x", "wall", "", "cpu,"):
    t.check(f"-e '{wrong}' is refused", t.wick("host", "-e", wrong, "-d", "100ms", "-f", t.path("no.jfr")).status == 2)
p = subprocess.Popen([t.WICK, "host", "-e", f"sched={THRESHOLD_NS}ns", "-d", "300", "-f", recording],
                     stderr=subprocess.PIPE, text=True)
while p.poll() is None and not (os.path.exists(recording) and os.path.getsize(recording)):
    time.sleep(0.02)
trace = scheduler_trace.Trace()
children = [child(compete), child(compete), child(sleep), child(compute), child(compute)]
said = [os.read(r, 64) for _, r in children]
counted = [delay(pid) for pid, _ in children]
traced, lost = trace.end()
p.send_signal(signal.SIGINT)
err = p.communicate()[1]
for pid, _ in children:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
t.check("it records", p.returncode == 0, err)
totals = t.events(recording, "wick.SampleTotals")[-1]
fired, recorded, dropped = (int(totals[k]) for k in ("fired", "recorded", "dropped"))
t.check("fired = recorded + dropped", fired == recorded + dropped > 0, totals)
# Each wait is one event or two. The first wait of a thread is counted before it is written: one a CPU may be missing at the end.
events = int(re.search(r"profiler\.WallClockSample +(\d+)", t.jfr(21, "summary", recording).out)[1])
t.check("and the recording has them", recorded - os.cpu_count() <= events, (recorded, events))

states = collections.Counter()
stacks = collections.defaultdict(set)
instead = collections.Counter()
known = {pid for pid, _ in children}
by = [word for label in ("process", "state", "ran-instead") for word in ("--by", label)]
for line in t.wick("convert", "-e", "wall", *by, "--to", "collapsed", recording).out.splitlines():
    frames, _, weight = line.rpartition(" ")
    process, state, rival, *frames = frames.split(";")
    m = re.search(r"-(\d+)\]", process)
    if m:
        pid, state = int(m[1]), state.strip("[]")
        states[pid, state] += int(weight)
        stacks[pid, state].update(frames)
        m = re.search(r"-(\d+)\]", rival)
        if state == "STATE_WAITING_FOR_CPU":
            instead[pid, int(m[1]) if m and int(m[1]) in known else rival if rival == "[no ran-instead]" else "another"] += int(weight)


def error_of(ns):
    """2 %, and of each wait below the threshold the variance is at most its length x threshold."""
    return 0.02 * ns + SIGMAS * math.sqrt(THRESHOLD_NS * ns)


for (pid, _), ns in zip(children[:2], counted[:2]):
    got = states[pid, "STATE_WAITING_FOR_CPU"]
    error = error_of(ns)
    t.check("run-queue time is what the kernel counts", (dropped or ns - error <= got) and got <= ns + error,
            (got, ns, error, dropped, err, states))
pid, slept = children[2][0], int(said[2])
got = states[pid, "STATE_SLEEPING"]
# before it sleeps it may have waited for a CPU, when the time to wake up was known already
t.check("sleep is what was slept", (dropped or SLEEP_NS * 0.999 <= got + counted[2]) and got <= slept, (got, counted[2], slept, states))
sleeping = stacks[pid, "STATE_SLEEPING"]
t.check("with the stack of the call, kernel and user", any("nanosleep" in f for f in sleeping) and
        any("time_sleep" in f or "clock_nanosleep" == f for f in sleeping), sleeping)

competitors = [children[i][0] for i in (0, 1, 3, 4)]
ran = scheduler_trace.ran_instead(traced, set(competitors))
t.check("the trace is whole", not lost and traced, lost)
for pid in competitors:
    unknown = instead[pid, "[no ran-instead]"]
    t.check("it is known who ran instead", unknown <= error_of(states[pid, "STATE_WAITING_FOR_CPU"]), instead)
    for rival in [other for other in competitors if other != pid] + ["another"]:
        ns = ran[pid][rival] if rival != "another" else sum(n for thread, n in ran[pid].items() if thread not in known)
        got = instead[pid, rival]
        error = error_of(ns)
        t.check("and it is who the scheduler's trace shows", (dropped or ns - error - unknown <= got) and got <= ns + error,
                (pid, rival, got, ns, error, dropped, ran, instead))
t.done()
