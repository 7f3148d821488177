#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# ci: 21
# alone
"""Time off the CPU of the whole machine: `wick host -e sched` beside two programs that compete for one CPU and one that
sleeps, two that compete for all CPUs, and one that waits for another one's byte. Run-queue time is what the kernel counts in
schedstat, sleep what was slept, who ran instead what a trace of the scheduler shows, and who woke it the one that wrote."""
import collections
import math
import os
import re
import signal
import subprocess
import threading
import time

import jvmtest as t
import scheduler_trace

THRESHOLD_NS = 10_000
SIGMAS = t.Sigmas(5.4)  # two-sided error below 1e-7 for each check
COMPETE_NS = 700_000_000
SLEEP_NS = 500_000_000
SLEEPERS = 200
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


def receive():
    begin = time.monotonic_ns()
    os.read(mail[0], 1)
    return str(time.monotonic_ns() - begin).encode()


def send():
    time.sleep(SLEEP_NS / 1e9)
    os.write(mail[1], b".")
    return b"."


def sleep_often():
    """Threads that were there before the recording: what they waited for by then does not count."""
    def nap():
        while True:
            time.sleep(0.2)
    for _ in range(SLEEPERS):
        threading.Thread(target=nap, daemon=True).start()
    return b"."


def hop():
    """From one CPU to the other, which the kernel's own threads do for it."""
    for cpu in hops * 10:
        os.sched_setaffinity(0, {cpu})
    return b"."


def delay_of_threads(pid):
    sums = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as f:
            sums += int(f.read().split()[1])
    return sums


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
crowd = child(sleep_often)
os.read(crowd[1], 64)
crowd_before = delay_of_threads(crowd[0])
p = subprocess.Popen([t.WICK, "host", "-e", f"sched={THRESHOLD_NS}ns", "-d", "300", "-f", recording],
                     stderr=subprocess.PIPE, text=True)
while p.poll() is None and not (os.path.exists(recording) and os.path.getsize(recording)):
    time.sleep(0.02)
mail = os.pipe()
hops = sorted(os.sched_getaffinity(0))[:2]
trace = scheduler_trace.Trace()
children = [child(compete), child(compete), child(sleep), child(compute), child(compute), child(receive), child(send), child(hop)]
said = [os.read(r, 64) for _, r in children]
counted = [delay(pid) for pid, _ in children]
traced, lost = trace.end()
p.send_signal(signal.SIGINT)
err = p.communicate()[1]
crowd_waited = delay_of_threads(crowd[0]) - crowd_before
for pid, _ in [*children, crowd]:
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
got = states[crowd[0], "STATE_WAITING_FOR_CPU"]
t.check("threads that were asleep before wait no longer than the kernel counts", 0 < got <= crowd_waited + error_of(crowd_waited),
        (got, crowd_waited))
pid, slept = children[2][0], int(said[2])
got = states[pid, "STATE_SLEEPING"]
# before it sleeps it may have waited for a CPU, when the time to wake up was known already
t.check("sleep is what was slept", (dropped or SLEEP_NS * 0.999 <= got + counted[2]) and got <= slept, (got, counted[2], slept, states))
sleeping = stacks[pid, "STATE_SLEEPING"]
lost_sleep = dropped and not got  # then it has no stack either
t.check("with the stack of the call, kernel and user", lost_sleep or any("nanosleep" in f for f in sleeping) and
        any("time_sleep" in f or "clock_nanosleep" == f for f in sleeping), sleeping)

competitors = [children[i][0] for i in (0, 1, 3, 4)]
ran, unsure_of = scheduler_trace.ran_instead(traced, set(competitors)), {}
t.check("the trace is whole", not lost and traced, lost)
for pid in competitors:
    unknown, waited = instead[pid, "[no ran-instead]"], states[pid, "STATE_WAITING_FOR_CPU"]
    untraced, beyond = ran[pid].pop(scheduler_trace.UNTRACED), ran[pid].pop(scheduler_trace.BEYOND)
    unsure_of[pid] = untraced
    print(f"# {pid} waited {waited / 1e6:.0f} ms, {unknown / 1e6:.0f} of them for nobody known, {beyond / 1e6:.0f} may be so")
    t.check("it is mostly known who ran instead", unknown <= 0.2 * waited + beyond, (unknown, beyond, waited, instead))
    for rival in [other for other in competitors if other != pid] + ["another"]:
        ns = ran[pid][rival] if rival != "another" else sum(n for thread, n in ran[pid].items() if thread not in known)
        got, error = instead[pid, rival], error_of(ns)
        t.check("and it is who the scheduler's trace shows",
                (dropped or ns - error - unknown <= got) and got <= ns + error + untraced,
                (pid, rival, got, ns, error, unknown, untraced, dropped, ran, instead))

# On which CPU that was.
on, by = collections.Counter(), [word for label in ("process", "state", "ran-instead-cpu") for word in ("--by", label)]
for line in t.wick("convert", "-e", "wall", *by, "--to", "collapsed", recording).out.splitlines():
    m = re.match(r"\[.*-(\d+)\];\[STATE_WAITING_FOR_CPU\];\[(\d+)\].* (\d+)$", line)
    if m:
        on[int(m[1]), int(m[2])] += int(m[3])
queued = scheduler_trace.waited_on(traced, set(competitors))
for pid in competitors:
    unknown, unsure = instead[pid, "[no ran-instead]"], unsure_of[pid]
    wrong = {cpu: (on[pid, cpu], queued[pid][cpu]) for cpu in {cpu for one, cpu in on if one == pid} | set(queued[pid])
             if not (dropped or queued[pid][cpu] - error_of(queued[pid][cpu]) - unknown <= on[pid, cpu])
             or on[pid, cpu] > queued[pid][cpu] + error_of(queued[pid][cpu]) + unsure}
    t.check("and on the CPU on whose queue it was", not wrong and sum(n for (one, _), n in on.items() if one == pid), (pid, wrong, unknown, unsure, on))

# Who woke it, of all time that was not spent on the run queue.
woken, processes = collections.Counter(), set()
by = [word for label in ("process", "woken-by") for word in ("--by", label)]
for line in t.wick("convert", "-e", "wall", *by, "--to", "collapsed", recording).out.splitlines():
    frames, _, weight = line.rpartition(" ")
    process, waker = frames.split(";")[:2]
    processes.add(process)
    m = re.search(r"-(\d+)\]", process)
    if m:
        woken[int(m[1]), waker] += int(weight)
receiver, sender, sleeper = children[5][0], children[6][0], children[2][0]
waited, at_most = sum(n for (pid, waker), n in woken.items() if pid == receiver and waker.endswith(f"-{sender}]")), int(said[5])
least = 0.98 * at_most - counted[5]  # it runs a little, and waits for a CPU
t.check("the reader of a pipe was woken by its writer", (dropped or waited >= least) and waited <= at_most, (waited, least, at_most, woken))
# Where the system does not trace a thread, it is not known that this one was interrupted to wake others.
got, by_nobody = woken[sleeper, "[interrupt]"], woken[sleeper, "[no woken-by]"]
t.check("and who slept by an interrupt, or nobody who is traced",
        (dropped or got + by_nobody >= SLEEP_NS * 0.999 - counted[2]) and got <= slept, (got, by_nobody, slept, woken))
got = woken[crowd[0], "[interrupt]"]
t.check("as those that sleep often are", got > SLEEPERS * 0.1e9, (got, woken))

# Threads of the kernel that it makes when it starts are all of one moment, and processes of their own.
moved = {m[1] for process in processes if (m := re.match(r"\[migration/(\d+)-\d+\]", process))}
t.check("the kernel's threads are apart", moved >= set(map(str, hops)), processes)
t.done()
