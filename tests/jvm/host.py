#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 25
# ci: 25
# alone
"""The whole machine without an agent: `wick host` beside a JVM, a native program, a storm of processes that live some
milliseconds, and one that maps garbage under the name libjvm.so. Weights are the CPU time that the kernel counts; nothing
stays in the kernel after kill -9."""
import collections
import math
import mmap
import os
import re
import signal
import subprocess
import threading
import time

import bpf_programs
import jvmtest as t

SPIN = os.path.join(t.BUILD, "tests/jvm/native_spin")
INTERVAL_NS = 7_300_000  # no multiple of the scheduler's tick
SIGMAS = t.Sigmas(5.4)  # two-sided error below 1e-7 for each check
recording = t.path("host.jfr")


def why_not():
    """Why it cannot be used here; None if it can."""
    r = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
    return None if r.status == 0 else r.err.strip() if r.status in (5, 6) else False


class Used:
    """CPU time of processes, by the kernel, read again and again: so that it is known between any two moments."""

    def __init__(self, pids):
        self.pids, self.over, self.rows = pids, False, collections.defaultdict(list)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    @staticmethod
    def now(pid):
        total = 0
        for tid in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{tid}/schedstat") as f:
                total += int(f.read().split()[0])
        return total

    def run(self):
        while not self.over:
            for pid in self.pids:
                before = time.time_ns()
                used = self.now(pid)
                self.rows[pid].append((before, time.time_ns(), used))
            time.sleep(0.02)

    def stop(self):
        self.over = True
        self.thread.join()

    def between(self, pid, start, end):
        """(at least, at most) of its CPU time between two moments."""
        rows = self.rows[pid]
        before_start = [u for _, b, u in rows if b <= start] or [rows[0][2]]
        after_start = [u for a, _, u in rows if a >= start]
        before_end = [u for _, b, u in rows if b <= end]
        after_end = [u for a, _, u in rows if a >= end] or [rows[-1][2]]
        return max(0, (before_end or [0])[-1] - (after_start or [1 << 62])[0]), after_end[0] - before_start[-1]


def storm(n, cpu_ns):
    """{pid: CPU time} of n processes, one after another, each called `storm` and of so much CPU time."""
    out = {}
    for _ in range(n):
        pid = os.fork()
        if pid == 0:
            fd = os.open("/proc/self/comm", os.O_WRONLY)
            os.write(fd, b"storm")
            while time.process_time_ns() < cpu_ns:
                pass
            os._exit(0)
        _, _, usage = os.wait4(pid, 0)
        out[pid] = int((usage.ru_utime + usage.ru_stime) * 1e9)
    return out


def garbage():
    """A process that maps a file called libjvm.so, which is none, where it could be executed, and computes."""
    os.makedirs(t.path("jdk/lib/server"), exist_ok=True)
    name = t.path("jdk/lib/server/libjvm.so")
    with open(name, "wb") as f:
        f.write(b"\x7fELF\x02\x01\x01" + os.urandom(1 << 20))
    pid = os.fork()
    if pid == 0:
        with open(name, "rb") as f:
            mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            end = time.monotonic() + 120
            while time.monotonic() < end:
                pause = time.monotonic() + 0.02
                while time.monotonic() < pause:
                    pass
                time.sleep(0.08)
        os._exit(0)
    return pid


def by_process(file):
    """{pid: [(name, frames root first, weight)]}"""
    out = collections.defaultdict(list)
    r = t.wick("convert", "--by", "process", "--annotate", "--to", "collapsed", file)
    for line in r.out.splitlines():
        frames, _, weight = line.rpartition(" ")
        frames = frames.split(";")
        m = re.fullmatch(r"\[(.*)-(\d+)\]_\[x\]", frames[0])
        if m:
            out[int(m[2])].append((m[1], frames[1:], int(weight)))
    return out


def check_bounds(title, weight, least, most, missing):
    """Whether a sum of samples is what the kernel counted, but for sampling error and what is known to be missing."""
    error = SIGMAS * math.sqrt(max(most, INTERVAL_NS) / INTERVAL_NS) * INTERVAL_NS + 2 * INTERVAL_NS
    t.check(title, least - error - missing <= weight <= most + error, f"{weight}: {least} to {most}, +- {error}, {missing}")


# --- nothing is left in the kernel ---


def check_kill():
    p = subprocess.Popen([t.WICK, "host", "-d", "3600", "-f", t.path("killed.jfr")], stderr=subprocess.DEVNULL)
    names = {"sample", "process_exit", "process_exec"}

    def mine():
        loaded = bpf_programs.loaded()
        return {i: loaded[i] for i in bpf_programs.of(p.pid) & set(loaded) if loaded[i] in names}  # there may be another `wick host`
    t.check("its programs can be seen while it runs", t.until(lambda: len(mine()) == 3), (mine(), bpf_programs.loaded()))
    those = set(mine())
    p.kill()
    p.wait()
    t.check("and are gone after kill -9", those and t.until(lambda: not those & set(bpf_programs.loaded())), (those, bpf_programs.loaded()))


def check_liar():
    """A JVM whose tables of its own layout lie: nothing that it does not run is shown as its."""
    j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", t.compile_java("HostileStructs"), "HostileStructs",
               os.path.join(t.BUILD, "tests/jvm/libwickhostilestructs.so")], "liar")
    if not t.check("a JVM that can lie runs", j.wait_for("(?m)^up"), j.output()):
        return
    # the last may look like a JVM that is still starting, which is read again later and not reported
    for n, (lie, refused) in enumerate((("fields CodeBlob 65528", True), ("size ConstMethod 0", True), ("fields CodeCache -8", False))):
        j.ask(lie, r"set (\d+)")
        rows, named = [], None
        for _ in range(40 if refused else 1):  # it is read once a sample is in its code, and it does little: of most recordings it has some
            r = t.wick("host", "-d", "1s", "-f", t.path(f"lie{n}.jfr"))  # what makes no sense is read once more before it is said
            rows += by_process(t.path(f"lie{n}.jfr"))[j.pid]
            named = re.search(rf"process {j.pid} has a libjvm.so whose tables make no sense|make no sense.*\b{j.pid}\b", r.err)
            if named or r.status:
                break
        t.check(f"{lie}: it records", r.status == 0, r)
        if refused:
            t.check(f"{lie}: the command names the process", named, (r.err, rows[:3]))
        wrong = {x for _, f, _ in rows for x in f if re.search(r"_\[[01ji]\]$", x)
                 and not re.match(r"(java|jdk|sun)\.|HostileStructs", x)}
        t.check(f"{lie}: nothing wrong is believed", not wrong, wrong)
        j.ask("honest", r"set (\d+)")
    j.kill()


why = why_not()
if why:
    t.skip("wick host", why)
    t.done()
if not t.check("wick host runs", why is None, t.wick("host", "-d", "100ms", "-f", t.path("again.jfr"))):
    t.done()

jvm = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", t.compile_java("Busy"), "Busy", "chain"], "busy")
spin = t.Jvm([], "spin", java=SPIN)
t.check("the programs run", jvm.wait_for("up") and spin.wait_for("up"), jvm.output() + spin.output())
liar = garbage()
used = Used([jvm.pid, spin.pid])
p = subprocess.Popen([t.WICK, "host", "-d", "3600", "-i", f"{INTERVAL_NS}ns", "-f", recording], stderr=subprocess.PIPE, text=True)
while not os.path.exists(recording) or not os.path.getsize(recording):  # of the first flush, which is before the storm
    time.sleep(0.02)
    if p.poll() is not None:
        break
children = storm(60, 5_000_000)
time.sleep(1)
p.send_signal(signal.SIGINT)
said = p.communicate()[1]
used.stop()
os.kill(liar, signal.SIGKILL)
os.waitpid(liar, 0)
t.check("it records", p.returncode == 0 and os.path.exists(recording), said)

totals = t.events(recording, "wick.SampleTotals")[-1]
fired, recorded, dropped = (int(totals[k]) for k in ("fired", "recorded", "dropped"))
printed = t.jfr(17, "print", "--events", "jdk.ExecutionSample", recording)
times = re.findall(r"startTime = (\d\d):(\d\d):(\d\d)\.(\d+)", printed.out)
t.check("fired = recorded + dropped", fired == recorded + dropped > 0, totals)
t.check("as many as recorded are in the recording", recorded == len(times), (recorded, len(times), printed.err))
skipped = re.search(r"skipped (\d+) ticks", said)
missing = (dropped + (int(skipped[1]) if skipped else 2 * os.cpu_count())) * INTERVAL_NS

processes = by_process(recording)
day = time.time_ns() // 86_400_000_000_000 * 86_400_000_000_000
zone = -time.localtime().tm_gmtoff * 1_000_000_000
noon = 43_200_000_000_000


def nearest(stamp):
    """Of the days that a time without a date may be of, the one nearest to now."""
    return stamp + round((time.time_ns() - stamp) / (2 * noon)) * 2 * noon


stamps = sorted(nearest(day + zone + (int(h) * 3600 + int(m) * 60 + int(s)) * 1_000_000_000 + int(f.ljust(9, "0")))
                for h, m, s, f in times)
for name, pid in (("the JVM", jvm.pid), ("the native program", spin.pid)):
    least, most = used.between(pid, stamps[0], stamps[-1])
    check_bounds(f"{name} has the CPU time that the kernel counts", sum(w for _, _, w in processes[pid]), least, most, missing)

java = processes[jvm.pid]
t.check("a process is called after its program", {n for n, _, _ in java} == {"java"} and
        {n for n, _, _ in processes[spin.pid]} == {"native_spin"}, (java[:2], processes[spin.pid][:2]))
chain = sum(w for _, f, w in java if any(x.startswith("Busy.chain") for x in f))
t.check("the JVM's method has a name", chain > 0, java[:10])
complete = [f for _, f, _ in java if all(any(x.startswith(m) for x in f) for m in ("java.lang.Thread.run", "Busy.chain"))]
t.check("and its callers", complete, java[:10])
stack = [f for _, f, _ in processes[spin.pid] if "main_[n]" in f and "spin_outer_[n]" in f and "spin_inner_[n]" in f]
t.check("the native program's stack is whole", stack, processes[spin.pid][:10])
mine = {pid: rows for pid, rows in processes.items() if pid in children}
total = sum(children.values())
check_bounds("the storm has the CPU time that the kernel counts", sum(w for rows in mine.values() for _, _, w in rows), total,
             total, missing)
names = collections.Counter(n for rows in mine.values() for n, _, _ in rows)
t.check("its processes have their name, or that which they had as they began",
        names["storm"] > 0 and set(names) <= {"storm", "python3", "host.py", "python"}, names)
frames = {x for _, f, _ in processes[liar] for x in f}
t.check("garbage called libjvm.so makes no Java frames", not [x for x in frames if re.search(r"_\[[01ji]\]$", x)], frames)
check_liar()
check_kill()
t.done()
