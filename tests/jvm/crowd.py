#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""wick explain says what other processes and limits do to a JVM, by name, and nothing of those that do nothing.

The limits are those of real cgroups, the neighbours real processes. What the kernel itself counted meanwhile is the oracle:
on a crowded machine others disturb, too, and then the rules have to say so."""
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


class Looked:
    """A recording of a JVM, what explain says, and what the kernel says of the same time."""

    def __init__(self, j, name, event="cpu,wall", pids=()):
        self.file = t.path(name + ".jfr")
        started = t.start(j.pid, self.file, "-e", event)
        t.check(f"{name}: a recording starts", started.status == 0, started)
        busy, own, time0 = machine_busy(), own_cpu(j.pid), time.monotonic()
        before = {p: own_cpu(p) for p in pids}
        time.sleep(SECONDS)
        self.used = {p: own_cpu(p) - before[p] for p in pids}
        self.seconds = time.monotonic() - time0
        self.got = own_cpu(j.pid) - own
        self.others = (machine_busy() - busy - self.got) / self.seconds
        stopped = t.stop(j.pid)
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
    limited = Looked(j, "limit")
    periods, throttled, stopped = (now - then for now, then in zip(group.throttled(), before))
    print(f"# limit: throttled in {throttled} of {periods} periods for {stopped / 1e9:.2f} s")
    f = limited.finding("cpu-limit")
    if throttled < 0.2 * periods:
        t.skip("limit: the CPU limit is named", "the machine is too crowded for the JVM to come to its limit")
    elif t.check("limit: the CPU limit is named", f, limited):
        t.check("limit: with its size", abs(f["figures"]["limit"] - LIMIT) < 0.01, f)
        t.check("limit: with the time that the kernel counts", 0.5 * stopped < f["figures"]["time_ns"] <= stopped,
                (stopped, f))
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
        busy = Looked(j, "crowd", pids=pids)
        t.check("crowd: starvation is told", busy.finding("cpu-starvation"), busy)
        f = busy.finding("neighbours")
        if t.check("crowd: neighbours are told", f, busy):
            t.check("crowd: with what they use", f["figures"]["others"] > 0.25 * cpus, busy)
            t.check("crowd: those that use most are named", "hungry (several, " in f["figures"]["who"], f)
        told = t.events(busy.file, "wick.Neighbour")
        mine = [e for e in told if int(e["pid"]) in pids]
        t.check("crowd: each is recorded by its name", mine and all(e["name"] == "hungry" for e in mine), told[:5])
        # of each the five that use most are told, from the second look on
        most = max(busy.used.values())
        for_one = max(sum(seconds(e["cpuTime"]) for e in mine if int(e["pid"]) == p) for p in pids)
        t.check("crowd: with the CPU time that the kernel counts", 0 < for_one <= most + 1, (for_one, busy.used))
    finally:
        for p in crowd:
            p.kill()
            p.wait()
    quiet = Looked(j, "quiet")
    if quiet.others < 0.2 * cpus:
        check_silent(quiet, "quiet", "neighbours")
    else:
        t.skip("quiet: neighbours are silent", f"others use {quiet.others:.2f} CPUs of this machine")
    j.kill()


def seconds(text):
    """A time as the jfr tool prints it."""
    value, unit = text.split()
    return float(value.replace(",", "")) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def memory_limit(group):
    j = busy_jvm("memory", 1, "-Xms200m", "-Xmx200m", "-XX:+AlwaysPreTouch", prefix=group.prefix())
    group.limit_memory(4 << 30)
    check_silent(Looked(j, "roomy"), "roomy", "memory-limit", "memory-pressure", "disk-wait")
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
    t.check("thrash: the JVM runs", j.wait_for(r"(?m)^up", 60), j.output())
    group.limit_memory(100 << 20)
    time.sleep(2)
    some, full = group.pressure_ns("io", "some"), group.pressure_ns("memory", "full")
    looked = Looked(j, "thrash")
    some, full = group.pressure_ns("io", "some") - some, group.pressure_ns("memory", "full") - full
    print(f"# thrash: the group waited for a disk {some / 1e9:.2f} s, all of it for memory {full / 1e9:.2f} s")
    waited, length = looked.finding("disk-wait"), SECONDS * 1e9
    if some > 0.3 * length:
        t.check("thrash: waiting for a disk is told, and where", waited and "Tardy.touchPages" in str(waited), looked)
    else:
        t.skip("thrash: waiting for a disk is told", f"the group waited for a disk only {some / 1e9:.2f} s")
    if not group.has_pressure():
        t.skip("thrash: pressure is told", "cgroup version 2, which counts it, is not mounted")
    elif full > 0.10 * length:
        t.check("thrash: pressure for memory is told", looked.finding("memory-pressure"), looked)
    elif full < 0.02 * length:
        check_silent(looked, "thrash", "memory-pressure")
    else:
        t.skip("thrash: pressure for memory is told", f"all waited only {full / 1e9:.2f} s")
    j.kill()


def stat_text(stolen):
    """/proc/stat of a machine with two processors; always as long, so that no reader sees a part of one."""
    line = "{:>12} 0 {:>12} {:>12} 0 0 0 {:>12} 0 0\n"
    ticks = int(time.monotonic() * t.HZ)
    out = "cpu  " + line.format(ticks, ticks // 4, ticks // 2, stolen)
    for cpu in range(2):
        out += f"cpu{cpu} " + line.format(ticks // 2, ticks // 8, ticks // 4, stolen // 2)
    return out + "procs_running 1\nprocs_blocked 0\n"


class Hypervisor:
    """Writes a /proc/stat in which some of the time is stolen."""

    def __init__(self, share):
        self.share, self.stolen = share, 0.0
        self.fd = os.open(t.path("stat"), os.O_RDWR | os.O_CREAT)
        self.last, self.ends = time.monotonic(), threading.Event()
        self.write()
        self.thread = threading.Thread(target=self.live)
        self.thread.start()

    def write(self):
        now = time.monotonic()
        self.stolen += (now - self.last) * t.HZ * self.share
        self.last = now
        os.pwrite(self.fd, stat_text(int(self.stolen)).encode(), 0)

    def live(self):
        while not self.ends.wait(0.05):
            self.write()

    def end(self):
        self.ends.set()
        self.thread.join()


def steal():
    """No test can make a hypervisor take its time, so in a mount namespace of its own the JVM sees another /proc/stat."""
    if t.run("unshare", "-m", "true").status:
        t.skip("steal is told", "no mount namespace can be made here")
        return
    hypervisor = Hypervisor(0)
    hide = ["unshare", "-m", "/bin/sh", "-c", f'mount --bind {t.path("stat")} /proc/stat && exec "$@"', "sh"]
    j = busy_jvm("steal", 1, prefix=hide)
    try:
        check_silent(Looked(j, "not-stolen"), "not-stolen", "steal")
        hypervisor.share = 0.5
        stolen = Looked(j, "stolen")
        f = stolen.finding("steal")
        # what is stolen comes on top of what else passes: 0.5 to 1.75
        t.check("stolen: the hypervisor's share is told", f and 0.1 < f["figures"]["share"] < 0.35, stolen)
    finally:
        hypervisor.end()
        j.kill()


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
steal()
t.done()
