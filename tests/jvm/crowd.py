#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# alone
"""wick explain says what other processes and limits do to a JVM, by name, and nothing of those that do nothing.

The limits are those of real cgroups, the neighbours real processes. What the kernel itself counted at the same time is the oracle:
on a crowded machine other processes also interfere, and then the rules have to say so."""
import json
import os
import subprocess
import threading
import time

import cgroup
import jvmtest as t

SECONDS = 3
LIMIT = 0.15
TICK = 1 / t.HZ
classes = t.compile_java("Tardy")


def busy_jvm(name, threads, *options, prefix=()):
    j = t.Jvm(["-XX:+UseSerialGC", "-Xmx64m", "-XX:+EnableDynamicAgentLoading", *options, "-cp", classes, "Tardy",
               *["prompt"] * threads], name, prefix=prefix)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    t.work_for(j, 0.5)
    return j


def machine_busy():
    """CPU seconds that all processes of the machine used."""
    with open("/proc/stat") as f:
        v = list(map(int, f.readline().split()[1:]))
    return (v[0] + v[1] + v[2] + v[5] + v[6]) * TICK


def own_cpu(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def all_cpu():
    """{pid: CPU seconds} of all processes."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found[int(pid)] = own_cpu(pid)
        except OSError:  # it has ended
            pass
    return found


class Looked:
    """A recording of a JVM, what explain says, and what the kernel says of the same time."""

    def __init__(self, j, name, event="cpu,wall", pids=(), group=None):
        self.file = t.path(name + ".jfr")
        first = {p: own_cpu(p) for p in pids}
        started = t.start(j.pid, self.file, "-e", event)
        t.check(f"{name}: a recording starts", started.status == 0, started)
        lines = [("io", "some"), ("memory", "some"), ("memory", "full")] if group else []
        pressed = {line: group.pressure_ns(*line) for line in lines}
        busy, own, time0 = machine_busy(), own_cpu(j.pid), time.monotonic()
        before, throttled = {p: own_cpu(p) for p in pids}, group.throttled() if group else ()
        time.sleep(SECONDS)
        self.throttled = [now - then for now, then in zip(group.throttled(), throttled)] if group else []
        self.used = {p: own_cpu(p) - before[p] for p in pids}
        self.pressed = {line: (group.pressure_ns(*line) - ns) / 1e9 for line, ns in pressed.items()}
        self.seconds = time.monotonic() - time0
        self.got = own_cpu(j.pid) - own
        self.others = (machine_busy() - busy - self.got) / self.seconds
        stopped = t.stop(j.pid)
        # The recording begins and ends within the two commands, which a crowded machine holds up for seconds.
        self.most = {p: own_cpu(p) - first[p] for p in pids}
        self.lost = t.status(j.pid).get("lost_handlers", 0)
        print(f"# {name}: {time.monotonic() - time0:.1f} s until it was stopped, {self.lost} handlers lost", flush=True)
        t.check(f"{name}: the recording ends", stopped.status == 0, stopped)
        self.explain(name)

    def explain(self, name):
        r = t.wick("explain", "--json", self.file)
        t.check(f"{name}: explain reads it", r.status == 0, r)
        self.findings = json.loads(r.out)["findings"] if r.status == 0 else []
        for f in self.findings:
            print(f"# {name}: {f['rule']}: {f['sentence']}", flush=True)

    def finding(self, rule):
        return next((f for f in self.findings if f["rule"] == rule), None)

    def __str__(self):
        return f"got {self.got:.2f} s of CPU in {self.seconds:.2f} s, others used {self.others:.2f} CPUs\n" + \
               json.dumps(self.findings, indent=1)


def check_silent(looked, name, *rules):
    spoke = [r for r in rules if looked.finding(r)]
    t.check(f"{name}: nothing of {', '.join(rules)}", not spoke, f"{spoke}\n{looked}")


def cpu_limit(group):
    j = busy_jvm("limit", 2, prefix=group.prefix())
    group.limit_cpu(LIMIT)
    before = group.throttled()
    limited = Looked(j, "limit", group=group)
    periods, throttled, stopped = (now - then for now, then in zip(group.throttled(), before))
    print(f"# limit: throttled in {throttled} of {periods} periods for {stopped / 1e9:.2f} s")
    f = limited.finding("cpu-limit")
    if throttled < 0.2 * periods:
        t.skip("limit: the CPU limit is named", "the machine is too crowded for the JVM to come to its limit")
    elif t.check("limit: the CPU limit is named", f, limited):
        t.check("limit: with its size", abs(f["figures"]["limit"] - LIMIT) < 0.01, f)
        # The agent reads the same counter within the two commands, so its growth lies between that inside and that outside.
        inside = limited.throttled[2]
        t.check("limit: with the time that the kernel counts", inside <= f["figures"]["time_ns"] <= stopped and 0 < stopped,
                (inside, stopped, f))
        if f["figures"]["share"] > 0.85:
            check_silent(limited, "limit", "neighbours")
        else:
            t.skip("limit: neighbours are not blamed", f"they may have a part in it: {limited}")
    group.limit_cpu(None)
    check_silent(Looked(j, "no-limit"), "no-limit", "cpu-limit", "memory-limit", "memory-pressure")
    j.kill()


def burner(name):
    """A process of that name that is never idle."""
    program = t.path(name)
    if not os.path.exists(program):
        os.symlink("/bin/sh", program)
    # a session of its own: the kernel shares processors out among sessions
    return subprocess.Popen([program, "-c", "while :; do :; done"], start_new_session=True)


def neighbours():
    cpus = len(os.sched_getaffinity(0))
    j = busy_jvm("crowd", cpus)
    crowd = [burner("hungry") for _ in range(2 * cpus)]
    pids = {p.pid for p in crowd}
    try:
        used = all_cpu()
        busy = Looked(j, "crowd", pids=pids)
        used = {p: cpu - used.get(p, 0) for p, cpu in all_cpu().items()}
        # Of the five that use most, whichever these are, the recording has the names: others may be as hungry as these.
        rivals = [p for p, cpu in used.items() if p not in pids | {j.pid} and cpu >= max(used[p] for p in pids) / 2]
        print(f"# crowd: {len(rivals)} other processes use half as much as one of these, or more", flush=True)
        t.check("crowd: starvation is reported", busy.finding("cpu-starvation"), busy)
        f = busy.finding("neighbours")
        if t.check("crowd: neighbours are reported", f, busy):
            # Twice as many of them as processors, and as many threads: they have two thirds, and other processes add to that.
            t.check("crowd: with what they use", f["figures"]["others"] > 0.25 * cpus, busy)
            if len(rivals) < 4:
                t.check("crowd: those that use most are named", "hungry (several, " in f["figures"]["who"], f)
        reported = t.events(busy.file, "wick.Neighbour")
        mine = [e for e in reported if int(e["pid"]) in pids]
        t.check("crowd: each is recorded by its name", (mine or len(rivals) >= 5) and all(e["name"] == "hungry" for e in mine), reported[:5])
        # of each the five that use most are reported, from the second scan on
        most = max(busy.most.values())
        for_one = max(sum(seconds(e["cpuTime"]) for e in mine if int(e["pid"]) == p) for p in pids)
        t.check("crowd: with the CPU time that the kernel counts", (0 < for_one or not mine) and for_one <= most + 1, (for_one, busy.most))
    finally:
        for p in crowd:
            p.kill()
            p.wait()
    j.kill()


def seconds(text):
    """A time as the jfr tool prints it."""
    value, unit = text.split()
    return float(value.replace(",", "")) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def memory_limit(group):
    j = busy_jvm("memory", 1, "-Xms200m", "-Xmx200m", "-XX:+AlwaysPreTouch", prefix=group.prefix())
    group.limit_memory(4 << 30)
    roomy = Looked(j, "roomy", group=group)
    # where the whole machine lacks memory or waits for its disk the JVM may do so too
    own = {"io": "disk-wait", "memory": "memory-pressure"}
    check_silent(roomy, "roomy", "memory-limit", *(rule for r, rule in own.items() if roomy.pressed[r, "some"] < 0.02 * SECONDS))
    group.limit_memory(int(j.rss_kib() * 1024 * 1.03))
    tight = Looked(j, "tight")
    f = tight.finding("memory-limit")
    if t.check("tight: the memory limit is named", f, tight):
        t.check("tight: with the share that is used", 0.9 <= f["figures"]["share"] <= 1.1, f)
    j.kill()
    group.limit_memory(None)


def thrash(group):
    """A file that is mapped, and read all over, in a group with room for a part of it."""
    file = t.path("big")
    cgroup.cold_file(file, 256 << 20)
    group.limit_memory(200 << 20)
    j = t.Jvm(["-XX:+UseSerialGC", "-Xmx32m", "-XX:+EnableDynamicAgentLoading", "-Dfile=" + file, "-cp", classes, "Tardy",
               "fault"], "thrash", prefix=group.prefix())
    t.check("thrash: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    group.limit_memory(100 << 20)
    time.sleep(2)
    looked = Looked(j, "thrash", group=group)
    some, full = looked.pressed["io", "some"], looked.pressed["memory", "full"]
    print(f"# thrash: the group waited for a disk {some:.2f} s, all of it for memory {full:.2f} s")
    waited, length = looked.finding("disk-wait"), looked.seconds
    if some > 0.3 * length:
        t.check("thrash: waiting for a disk is reported, and where", waited and "Tardy.touchPages" in str(waited), looked)
    else:
        t.skip("thrash: waiting for a disk is reported", f"the group waited for a disk only {some:.2f} s")
    if not group.has_pressure():
        t.skip("thrash: pressure is reported", "cgroup version 2, which counts it, is not mounted")
    elif full > 0.10 * length:
        t.check("thrash: pressure for memory is reported", looked.finding("memory-pressure"), looked)
    elif full < 0.02 * length:
        check_silent(looked, "thrash", "memory-pressure")
    else:
        t.skip("thrash: pressure for memory is reported", f"all waited only {full:.2f} s")
    j.kill()


CPUS = 2


def stat_text(user, system, idle, stolen):
    """/proc/stat of a machine with two processors; always as long, so that no reader sees a part of one."""
    line = "{:>12} 0 {:>12} {:>12} 0 0 0 {:>12} 0 0\n"
    ticks = [int(seconds * t.HZ) for seconds in (user, system, idle, stolen)]
    out = "cpu  " + line.format(*ticks)
    for cpu in range(CPUS):
        out += f"cpu{cpu} " + line.format(*(v // CPUS for v in ticks))
    return out + "procs_running 1\nprocs_blocked 0\n"


class Machine:
    """Writes a /proc/stat, with the figures in seconds that the parameter gives; .oldest is how old they were when they were
    replaced, at most."""

    def __init__(self, figures):
        self.figures = figures
        self.fd = os.open(t.path("stat"), os.O_RDWR | os.O_CREAT)
        self.ends = threading.Event()
        self.since, self.oldest = time.monotonic(), 0.0
        self.write()
        self.thread = threading.Thread(target=self.live)
        self.thread.start()

    def write(self):
        now = time.monotonic()
        os.pwrite(self.fd, stat_text(*self.figures()).encode(), 0)
        self.oldest = max(self.oldest, time.monotonic() - self.since)
        self.since = now

    def live(self):
        while not self.ends.wait(0.05):
            self.write()

    def end(self):
        self.ends.set()
        self.thread.join()

    def jvm(self, name, threads):
        """In a mount namespace of its own a JVM sees that machine."""
        stat = t.path("stat")
        hide = ["unshare", "-m", "/bin/sh", "-c", f'mount --bind {stat} /proc/stat && exec "$@"', "sh"]
        return busy_jvm(name, threads, "-XX:ActiveProcessorCount=2", prefix=["taskset", "-c", "0,1", *hide])


def shares_of_others(looked, machine):
    """(their mean, by how much it may be off), %"""
    shares = [float(e["others"].rstrip("%")) for e in t.events(looked.file, "wick.MachineTime")][:-1]
    t.check("the machine's time is in the recording", shares, looked)
    share, off = sum(shares) / max(len(shares), 1), 100 * 2 * (machine.oldest + TICK)
    print(f"# others used {share:.1f} %, off by {off:.1f} at most: {shares}")
    return share, off


def quiet():
    """However crowded this machine is, the JVM sees one where nobody but itself uses the processors, and then one where
    somebody else uses most of them.

    The agent reads its own CPU time now and the machine's as old as the file is, at both ends of a second at least, so the share of
    others is off by at most twice that age, and by the ticks of 10 ms in which the file counts: that is allowed, so nothing here
    fails by chance. The last event, whose time may be short, is left out. Others have at least half where one thread is busy."""
    used, begin, others = [0.0, 0.0], time.monotonic(), [0.0]
    pid = []

    def figures():
        now = time.monotonic() - begin
        used[0] = own_cpu(pid[0]) if pid else 0.0
        busy = min(used[0] + others[0] * (now - used[1]), CPUS * now)
        return 1000 + busy, 0, 1000 + CPUS * now - busy, 0

    machine = Machine(figures)
    j = machine.jvm("alone", 1)
    pid.append(j.pid)
    try:
        time.sleep(0.2)
        alone = Looked(j, "alone")
        share, off = shares_of_others(alone, machine)
        t.check("alone: nobody else uses the processors", share <= off, (share, off))
        check_silent(alone, "alone", "neighbours")
        used[1], others[0] = time.monotonic() - begin, 0.8 * CPUS
        shared = Looked(j, "shared")
        share, off = shares_of_others(shared, machine)
        t.check("shared: what others use is seen", share >= 50 - off, (share, off))
        starved, blamed = shared.finding("cpu-starvation"), shared.finding("neighbours")
        t.check("shared: they are blamed where threads starve, and nowhere else",
                bool(blamed) == bool(starved) or (starved and shared.finding("cpu-limit")), shared)
    finally:
        machine.end()
        j.kill()


def steal():
    """No test can make a hypervisor take its time, so another /proc/stat reports it."""
    share, stolen, last = [0.0], [0.0], [time.monotonic()]

    def figures():
        now = time.monotonic()
        stolen[0] += (now - last[0]) * share[0]
        last[0] = now
        return now, now / 4, now / 2, stolen[0]

    machine = Machine(figures)
    j = machine.jvm("steal", 1)
    try:
        check_silent(Looked(j, "not-stolen"), "not-stolen", "steal")
        share[0] = 0.5
        looked = Looked(j, "stolen")
        f = looked.finding("steal")
        # what is stolen comes on top of what else passes: 0.5 to 1.75; all figures are made from one reading of the clock,
        # so a delay changes none of the shares
        t.check("stolen: the hypervisor's share is reported", f and 0.1 < f["figures"]["share"] < 0.35, looked)
    finally:
        machine.end()
        j.kill()


def with_namespace(test):
    if t.run("unshare", "-m", "true").status or len({0, 1} & os.sched_getaffinity(0)) < CPUS:
        t.skip(test.__name__, "no mount namespace can be made here, or there is one processor only")
        return
    test()


def with_group(test):
    try:
        group = cgroup.Cgroup()
    except cgroup.Unavailable as e:
        t.skip(test.__name__, e)
        return
    test(group)
    group.remove()
    t.check(f"{test.__name__}: the cgroup is gone", not any(map(os.path.exists, group.dirs)))


with_group(cpu_limit)
neighbours()
with_group(memory_limit)
with_group(thrash)
with_namespace(quiet)
with_namespace(steal)
t.done()
