#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 21
"""The wall clock on a real JVM: threads known to sleep, park, wait, read ... are in that state with that stack for all of
the time, no waiting thread is woken or has a system call interrupted, run-queue delay is the kernel's, and the counts balance.

With as many threads drawn as there are (--wall-threads) each tick weighs each thread alike, so most checks are exact; what
remains random is checked at 5 standard deviations (one false alarm in 1,700,000)."""
import collections
import json
import math
import os
import re
import time

import jvmtest as t

SIGMAS = t.Sigmas(5)

# thread, state, what its stack holds
KNOWN = [
    ("holding", "STATE_SLEEPING", "Thread.sleep"),
    ("parking", "STATE_PARKED", "LockSupport.park"),
    ("waiting", "STATE_IN_OBJECT_WAIT", "Object.wait"),
    ("reading", "STATE_IO_WAIT", "Walls.reading"),
    ("accepting", "STATE_IO_WAIT", "Walls.accepting"),
]


def tasks(pid):
    """{thread name: tid}"""
    out = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/comm") as f:
                out[f.read().strip()] = tid
        except OSError:
            pass
    return out


def switches(pid, tid):
    """How often a thread got a processor, ever."""
    with open(f"/proc/{pid}/task/{tid}/status") as f:
        return sum(int(n) for n in re.findall(r"ctxt_switches:\s+(\d+)", f.read()))


def schedstat(pid, tid):
    """CPU time and run-queue delay, ns. The kernel adds a wait when it is over."""
    with open(f"/proc/{pid}/task/{tid}/schedstat") as f:
        cpu, delay, _ = map(int, f.read().split())
    return cpu, delay


def ns(text):
    number, unit = text.split()
    return float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}[unit]


def json_events(file, kind):
    r = t.jfr(17, "print", "--json", "--events", kind, file)
    return [e["values"] for e in json.loads(r.out)["recording"]["events"]]


def span(text):
    """ISO 8601 of the jfr tool: PT1.5S, PT1M2.25S."""
    m = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text)
    return sum(float(v or 0) * f for v, f in zip(m.groups(), (3600, 60, 1))) * 1e9


def by_thread_and_state(file):
    """{(java name, state): [weight ns, samples]}"""
    out = collections.defaultdict(lambda: [0, 0])
    for e in json_events(file, "profiler.WallClockSample"):
        key = (e["sampledThread"]["javaName"], e["state"]["name"] if isinstance(e["state"], dict) else e["state"])
        out[key][0] += span(e["weight"])
        out[key][1] += e["samples"]
    return out


def settle(j, threads):
    """Waits until the threads do what they are named after: how they get there is their own business."""
    def state(n):
        with open(f"/proc/{j.pid}/task/{n}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0], switches(j.pid, n)

    def is_quiet():
        names = tasks(j.pid)
        if not set(threads) <= set(names):
            return False
        before = [state(names[n]) for n in threads]
        time.sleep(1)
        return all(s[0] == "S" for s in before) and before == [state(names[n]) for n in threads]
    t.check("the threads wait", t.until(is_quiet, 120))


def known_waits(j, names):
    settle(j, [n for n, _, _ in KNOWN])
    file = t.path("known.jfr")
    before = {n: switches(j.pid, names[n]) for n, _, _ in KNOWN}
    outer, entering = schedstat(j.pid, names["burn-0"]), schedstat(j.pid, names["entering"])
    r = t.start(j.pid, file, "-e", "cpu,wall", "--wall", "5ms", "--wall-threads", "512")
    if not t.check("-e cpu,wall starts", r.status == 0, r):
        return
    begun, inner = time.monotonic_ns(), schedstat(j.pid, names["burn-0"])
    time.sleep(4)
    inner_end, elapsed = schedstat(j.pid, names["burn-0"]), time.monotonic_ns() - begun
    t.stop(j.pid)
    outer_end = schedstat(j.pid, names["burn-0"])
    after = {n: switches(j.pid, names[n]) for n, _, _ in KNOWN}
    s = t.status(j.pid)
    seen = by_thread_and_state(file)
    of_thread = collections.Counter()
    for (name, _), (weight, _) in seen.items():
        of_thread[name] += weight
    t.check("threads that wait got no processor while they were sampled", before == after, f"{before} {after}")
    whole = of_thread["parking"]
    late = max(ns(e["maxLateness"]) for e in t.events(file, "wick.WallSampler"))  # before the first tick and after the last one
    t.check("there are samples for most of the time", whole > elapsed - 2 * late - 1e8, (dict(of_thread), elapsed, late))
    rows = t.wick("convert", file, "-e", "wall", "--to", "collapsed", "-t", "-o", "-").out.splitlines()
    for name, state, frame in KNOWN:
        # rounding to ticks of a microsecond carries over from one event to the next
        t.check(f"{name}: all of the time {state}", abs(seen[(name, state)][0] - whole) < 5000 and
                abs(of_thread[name] - whole) < 5000, {k: v for k, v in seen.items() if k[0] == name})
        mine = [l for l in rows if l.startswith(f"[{name} ")]
        t.check(f"{name}: with its stack", mine and all(frame in l for l in mine), mine[:3])
    # waits of the JVM itself, whose frames depend on a register that is not available from outside
    mine = [l for l in rows if l.startswith("[Attach Listener ")]
    t.check("the attach listener: its stack is whole", mine and not any("[broken" in l for l in mine), mine[:3])
    lost = [l for l in rows if "[broken: frame pointer not known]" in l or "[broken: stack pointer out of range]" in l]
    t.check("no walk from outside ends because a register is missing", not lost, lost[:3])
    # HotSpot wakes it now and then to try again: then it has a processor or waits for one, as long as the kernel says.
    awake = sum(b - a for a, b in zip(entering, schedstat(j.pid, names["entering"]))) / whole
    other = {k: v for k, v in seen.items() if k[0] == "entering" and k[1] != "STATE_BLOCKED_ON_MONITOR_ENTER"}
    looks = seen[("entering", "STATE_BLOCKED_ON_MONITOR_ENTER")][1] + sum(n for _, n in other.values())
    t.check("entering: waits for its monitor whenever it is not awake", sum(n for _, n in other.values()) <=
            t.most_of(looks, min(0.01 + awake, 0.99)) < looks, f"awake {awake:.3f} of the time, {looks} samples; {other}")
    burning(file, seen, outer, inner, inner_end, outer_end)
    t.check("fired = recorded + drops", s["fired"] == s["samples"] + s["dropped"], s)
    total = sum(w for w, _ in seen.values())
    t.check("the file holds the weights", abs(total - s["wall_weight"]) < 20000, f"{total} {s}")
    t.check("CPU samples are in the same file", bool(json_events(file, "jdk.ExecutionSample")), s)
    t.check("the jfr tools read it", not t.jfr_complaints(file), t.jfr_complaints(file))


def burning(file, seen, outer, inner, inner_end, outer_end):
    """What wick.ThreadCpu adds up to lies between the kernel's figures just inside and just outside of the recording; and
    the states of a thread that is always ready to run are in that proportion."""
    cpu = delay = 0
    for e in json_events(file, "wick.ThreadCpu"):
        if e["eventThread"]["javaName"] == "burn-0":
            cpu += span(e["cpuTime"])
            delay += span(e["runQueueDelay"])
    slack = 20000  # rounding to ticks
    t.check("CPU time of a thread is the kernel's", inner_end[0] - inner[0] - slack <= cpu <= outer_end[0] - outer[0] + slack,
            f"{inner} {inner_end} {outer} {outer_end}: {cpu}")
    t.check("run-queue delay of a thread is the kernel's",
            inner_end[1] - inner[1] - slack <= delay <= outer_end[1] - outer[1] + slack,
            f"{inner} {inner_end} {outer} {outer_end}: {delay}")
    states = {s: v for (n, s), v in seen.items() if n == "burn-0"}
    runs, waits = states.get("STATE_RUNNABLE", [0, 0]), states.get("STATE_WAITING_FOR_CPU", [0, 0])
    # the JVM's own, now and then; where its library is stripped, as Debian's JDK 8, that is just a wait (docs/wall.md)
    stopped = states.pop("STATE_SAFEPOINT", None) or (states.pop("STATE_NATIVE_WAIT", [0, 0]) if t.JDK == 8 else [0, 0])
    t.check("a busy thread runs or waits for a processor, nothing else, unless the JVM stops it", set(states) <=
            {"STATE_RUNNABLE", "STATE_WAITING_FOR_CPU"} and runs[0] + waits[0] > 4 * stopped[0], f"{states} {stopped}")
    n, p = runs[1] + waits[1], cpu / (cpu + delay)
    # one sample may have no figures behind it, the first; a delayed one weighs for several
    slack = SIGMAS * math.sqrt(n * max(p * (1 - p), 0.01)) * 2 + 0.03 * n
    t.check("in the proportion of the kernel's figures", abs(runs[1] - n * p) < slack,
            f"{runs[1]} of {n} samples, {p:.3f} of the time, slack {slack:.0f}")
    print(f"# burn-0: {cpu / 1e9:.2f} s on a CPU, {delay / 1e9:.2f} s waiting; {runs[1]} and {waits[1]} samples")


def unbroken_calls(j):
    """Native code in poll(), nanosleep(), epoll_wait(), select() and sem_timedwait(), sampled all the while: each gets its
    time-out. They are in their calls before the recording starts, and until after it ends."""
    file = t.path("calls.jfr")
    said = time.monotonic()
    j.say("native 30000")
    j.wait_for("done native")
    settle(j, [f"native-{i}" for i in range(5)])
    t.start(j.pid, file, "-e", "wall", "-i", "1ms", "--wall-threads", "512", "--filter", "names:^native-")
    t.until(lambda: t.status(j.pid)["fired"] > 2500 or time.monotonic() > said + 18, 60)  # 500 ticks, before the calls end
    early = re.findall(r"call \d ended", j.output()) if time.monotonic() - said < 30 else []
    t.stop(j.pid)
    for call in range(5):
        j.wait_for(f"call {call} ended", 60)
    ends = re.findall(r"call (\d) ended with (\d+)", j.output())
    t.check("native waits last their time and are not broken off", not early and sorted(ends) ==
            [(str(c), "0") for c in range(5)], j.output()[-500:])
    seen = by_thread_and_state(file)
    t.check("they were sampled, and nobody else was", {n for n, _ in seen} == {f"native-{i}" for i in range(5)}, dict(seen))
    expected = {"native-0": "IO_WAIT", "native-1": "SLEEPING", "native-2": "IO_WAIT", "native-3": "IO_WAIT",
                "native-4": "NATIVE_WAIT"}
    t.check("the system call gives the state", {n: s for n, s in seen} == {n: "STATE_" + s for n, s in expected.items()},
            dict(seen))
    sampler = t.events(file, "wick.WallSampler")[-1]
    t.check("without a single signal", sampler["signals"] == "0" and int(sampler["chosen"]) >= 100, sampler)


def dumps_and_batches(j):
    """A dump holds what idle threads have gathered so far; without batching there are more events, not more time."""
    file, dump, plain = t.path("batch.jfr"), t.path("dump.jfr"), t.path("plain.jfr")
    only = ("-e", "wall", "-i", "5ms", "--filter", "names:^parking$")
    t.start(j.pid, file, *only)
    so_far = t.until(lambda: t.status(j.pid)["wall_weight"] > 1.2e9) and t.status(j.pid)["wall_weight"]
    r = t.wick("dump", "-q", "-f", dump, j.pid)
    t.until(lambda: t.status(j.pid)["wall_weight"] > so_far + 0.3e9)
    t.stop(j.pid)
    t.start(j.pid, plain, *only, "--nobatch")
    t.until(lambda: t.status(j.pid)["fired"] > 50)
    t.stop(j.pid)
    events = {f: json_events(f, "profiler.WallClockSample") for f in (file, dump, plain)}
    weight = {f: sum(span(e["weight"]) for e in v) for f, v in events.items()}
    t.check("a dump holds the samples of idle threads", r.status == 0 and len(events[dump]) == 1 and weight[dump] > 1e9,
            events[dump])
    t.check("a batch for each part", len(events[file]) == 2 and weight[file] > weight[dump], events[file])
    t.check("nobatch: an event for each sample", len(events[plain]) >= 50 and
            all(e["samples"] == 1 for e in events[plain]), events[plain][:2])


def agent_string():
    """event=cpu,wall in the agent's string, where the comma stands between options."""
    file = t.path("agent.jfr")
    j = t.Jvm([f"-agentpath:{t.AGENT}=start,event=cpu,wall,file={file}", "-cp", classes, "Walls", "burn=1"], "agent")
    j.wait_for("up")
    t.until(lambda: all(t.status(j.pid).get("recorded_" + e, 0) > 20 for e in ("cpu", "wall")), 240)
    s = t.status(j.pid)
    t.check("event=cpu,wall runs both", s.get("engine", "").endswith("+wall"), s)
    j.proc.stdin.close()
    j.wait()
    t.check("and both are in the file", bool(json_events(file, "profiler.WallClockSample")) and
            bool(json_events(file, "jdk.ExecutionSample")), j.output())


classes = t.compile_java("Walls")
jvm = t.Jvm([f"-Dnative={t.NATIVE}", "-Xmx64m", "-cp", classes, "Walls", "burn=1"], "walls")
t.check("the program is up", jvm.wait_for("up"), jvm.output())
known_waits(jvm, tasks(jvm.pid))
unbroken_calls(jvm)
dumps_and_batches(jvm)
s = t.status(jvm.pid)


def left_behind():  # a thread that has been joined may be seen for a moment
    return [n for n in jvm.threads() if n in ("wick-wall", "wick-drain")], jvm.caught(16)


t.check("nothing is left behind", s["running"] == 0 and t.until(lambda: left_behind() == ([], False)), (s, left_behind()))
jvm.kill()
agent_string()
t.done()
