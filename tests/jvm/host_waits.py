#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# ci: 21
# alone
"""Time off the CPU of the whole machine: `wick host -e sched` beside two programs that compete for one CPU and one that
sleeps. Run-queue time is what the kernel counts in schedstat, sleep what was slept."""
import collections
import math
import os
import re
import signal
import subprocess
import time

import jvmtest as t

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
children = [child(compete), child(compete), child(sleep)]
said = [os.read(r, 64) for _, r in children]
counted = [delay(pid) for pid, _ in children]
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
t.check("and the recording has them", recorded - os.cpu_count() <= events <= 2 * recorded, (recorded, events))

states = collections.Counter()
stacks = collections.defaultdict(set)
for line in t.wick("convert", "-e", "wall", "--by", "process", "--by", "state", "--to", "collapsed", recording).out.splitlines():
    frames, _, weight = line.rpartition(" ")
    frames = frames.split(";")
    m = re.search(r"-(\d+)\]", frames[0])
    if m and len(frames) > 1:
        states[int(m[1]), frames[1].strip("[]")] += int(weight)
        stacks[int(m[1]), frames[1].strip("[]")].update(frames[2:])
for (pid, _), ns in zip(children[:2], counted[:2]):
    got = states[pid, "STATE_WAITING_FOR_CPU"]
    # of each wait below the threshold the variance is at most its length x threshold
    error = 0.02 * ns + SIGMAS * math.sqrt(THRESHOLD_NS * ns)
    t.check("run-queue time is what the kernel counts", (dropped or ns - error <= got) and got <= ns + error,
            (got, ns, error, dropped, err, states))
pid, slept = children[2][0], int(said[2])
got = states[pid, "STATE_SLEEPING"]
# before it sleeps it may have waited for a CPU, when the time to wake up was known already
t.check("sleep is what was slept", (dropped or SLEEP_NS * 0.999 <= got + counted[2]) and got <= slept, (got, counted[2], slept, states))
sleeping = stacks[pid, "STATE_SLEEPING"]
t.check("with the stack of the call, kernel and user", any("nanosleep" in f for f in sleeping) and
        any("time_sleep" in f or "clock_nanosleep" == f for f in sleeping), sleeping)
t.done()
