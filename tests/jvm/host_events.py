#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 25
# ci: 25
# alone
"""Counted events of the whole machine, and requests to disks: `wick host -e` with tracepoints, probes of functions, page faults, blockio. What a program did so and
so many times must be in the recording, to within a period on each CPU; nothing stays in the kernel after kill -9."""
import collections
import ctypes
import fcntl
import mmap
import os
import re
import resource
import signal
import struct
import subprocess
import time
import types

import bpf_programs
import jvmtest as t

SPIN = os.path.join(t.BUILD, "tests/jvm/native_spin")
CPUS = os.cpu_count()
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC_FILE = next(line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8") if re.search(r"/libc\.so\.6$", line.rstrip()))


class Recording:
    """`wick host` at work: when it is made, all is attached; end() stops it."""

    def __init__(self, name, *events, more=()):
        self.file = t.path(name + ".jfr")
        self.process = subprocess.Popen([t.WICK, "host", "-d", "3600", "-e", ",".join(events), "-f", self.file, *more],
                                        stderr=subprocess.PIPE, text=True)
        self.runs = t.until(lambda: self.process.poll() is not None or (os.path.exists(self.file) and os.path.getsize(self.file)),
                            pause=0.02) and self.process.poll() is None
        self.said = ""

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate()[1]
        t.check("it records", self.runs and self.process.returncode == 0, self.said)
        rows = [r for r in t.events(self.file, "wick.SampleTotals") if r["type"] == "perf"]
        self.fired, self.recorded, self.dropped, self.weight = (
            int(rows[-1][k]) if rows else 0 for k in ("fired", "recorded", "dropped", "weight"))
        self.missed = sum(map(int, re.findall(r"the kernel skipped (\d+) occurrences", self.said)))
        printed = sum(map(int, re.findall(r"lost: (\d+) samples of counted events", self.said)))
        t.check("fired = recorded + dropped, which it says", self.fired == self.recorded + self.dropped > 0 and
                printed == self.dropped, (rows[-1:], self.said))
        return self

    def rows(self, event, *options):
        """[(process, pid, frames root first, weight)]"""
        out = []
        for line in t.wick("convert", "-e", event, "--by", "process", *options, "--annotate", "--to", "collapsed", self.file).out.splitlines():
            frames, _, weight = line.rpartition(" ")
            frames = frames.split(";")
            m = re.fullmatch(r"\[(.*)-(\d+)\]_\[x\]", frames[0])
            if m:
                out.append((m[1], int(m[2]), frames[1:], int(weight)))
        return out

    def check_sum(self, title, event, pid, period, least, most):
        """Whether a process has the weight that it ought to have. A CPU may be within a period; what was lost is known."""
        weight = sum(w for _, p, _, w in self.rows(event) if p == pid)
        edge = period * CPUS
        t.check(title, least - edge - self.dropped * period - self.missed <= weight <= most + edge,
                f"{weight}: {least} to {most}, +- {edge}, lost {self.dropped} of {period}, {self.missed}\n{self.said}")


def switches():
    with open("/proc/stat", encoding="utf-8") as f:
        return int(re.search(r"(?m)^ctxt (\d+)", f.read())[1])


def check_counts():
    """Exact counts: system calls, executed programs, calls of functions and switches of threads."""
    me, calls, period = os.getpid(), 20_000, 7
    probe, back = f"uprobe:{LIBC_FILE}:labs", f"uretprobe:{LIBC_FILE}:labs"
    spun = f"uprobe:{SPIN}:spin_inner"
    spin = t.Jvm([], "spin", java=SPIN)
    t.check("the native program runs", spin.wait_for("up"), spin.output())
    outer = switches()
    r = Recording("counts", f"tracepoint:syscalls:sys_enter_getppid={period}", "sched:sched_process_exec", f"{probe}=3", f"{back}=3",
                  "sched:sched_switch=50", f"{spun}=100")
    inner = switches()
    for _ in range(calls):
        os.getppid()
    for _ in range(3000):
        LIBC.labs(-5)
    children = []
    for _ in range(40):
        p = subprocess.Popen(["/bin/true"])
        p.wait()
        children.append(p.pid)
    t.work_for(spin, 1)
    inner = switches() - inner
    r.end()
    outer = switches() - outer
    spin.kill()
    printed = t.events(r.file, "wick.PerfSample")
    t.check("as many as recorded are in the recording", len(printed) == r.recorded, (len(printed), r.recorded))
    t.check("and stand for what the totals say", sum(int(e["weight"]) for e in printed) == r.weight, r.weight)
    r.check_sum("a system call, every 7th", "syscalls:sys_enter_getppid", me, period, calls, calls)
    r.check_sum("a function's calls, every 3rd", probe, me, 3, 3000, 3000)
    r.check_sum("its returns, every 3rd", back, me, 3, 3000, 3000)
    execs = collections.Counter({pid: w for name, pid, _, w in r.rows("sched:sched_process_exec") if name == "true"})
    found = [execs[pid] for pid in children]
    t.check("each program that was executed, under its name, once", sum(found) >= 40 - r.dropped - r.missed and set(found) <= {0, 1},
            (children, execs, r.said))
    whole = sum(int(e["weight"]) for e in printed if e["event"] == "sched:sched_switch")
    t.check("switches of threads, as many as the kernel counts",
            inner - 50 * (CPUS + r.dropped) - r.missed <= whole <= outer + 50 * CPUS, (inner, whole, outer, r.said))
    kernel = {f[-1] for _, _, f, _ in r.rows("sched:sched_switch")}
    t.check("their stacks end in the scheduler", kernel and all(re.fullmatch(r"__schedule_\[k\]|__traceiter_sched_switch_\[k\]", f) for f in kernel), kernel)
    stacks = [f for _, pid, f, _ in r.rows(spun) if pid == spin.pid]
    wanted = ["main_[n]", "spin_outer_[n]", "spin_inner_[n]"]
    t.check("a function's start has the stack of its caller", any(f[-3:] == wanted for f in stacks), stacks[:10])
    modes = {(e["event"], e["kind"]) for e in printed}  # a burst of one may be lost as a whole, with nothing recorded
    t.check("tracepoints are of the kernel, and probes of the process", {("sched:sched_switch", "kernel"), (spun, "user")} <= modes and
            all((kind == "user") == event.startswith("u") for event, kind in modes), modes)


def check_faults():
    """Page faults, minor and major ones, beside CPU time."""
    pages, name = 4096, t.path("major")
    with open(name, "wb") as f:
        f.write(os.urandom(1 << 22))
        os.fsync(f.fileno())
    outer = resource.getrusage(resource.RUSAGE_SELF)
    r = Recording("faults", "cpu", "page-faults", "minor-faults=16")
    inner = resource.getrusage(resource.RUSAGE_SELF)
    memory = mmap.mmap(-1, pages * mmap.PAGESIZE)
    for i in range(pages):
        memory[i * mmap.PAGESIZE] = 1
    with open(name, "rb") as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file = mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
        file.madvise(mmap.MADV_RANDOM)
        for at in range(0, 1 << 22, mmap.PAGESIZE * 16):
            file[at]
    now = resource.getrusage(resource.RUSAGE_SELF)
    used = time.process_time()
    while time.process_time() < used + 0.5:  # fifty ticks of a clock, one of which at least is met
        pass
    r.end()
    later = resource.getrusage(resource.RUSAGE_SELF)
    for fault, field in (("minor", "ru_minflt"), ("major", "ru_majflt")):
        least, most = (getattr(b, field) - getattr(a, field) for a, b in ((inner, now), (outer, later)))
        found = t.wick("convert", "-e", "page-faults", "--where", f"fault={fault}", "--by", "process", "--annotate", "--to", "collapsed", r.file)
        weight = sum(int(n) for n in re.findall(rf"(?m)^\[[^;]*-{os.getpid()}\]_\[x\].* (\d+)$", found.out))
        t.check(f"{fault} faults, as the kernel counts them of this process", least - r.dropped - r.missed <= weight <= most and most > 0,
                f"{weight}: {least} to {most}, lost {r.dropped}, {r.missed}\n{r.said}\n{found.err}")
    least, most = now.ru_minflt - inner.ru_minflt, later.ru_minflt - outer.ru_minflt
    r.check_sum("minor faults, every 16th", "minor-faults", os.getpid(), 16, least, most)
    cpu = t.wick("top", "-n", "0", "-e", "cpu", "--by", "process", r.file)
    t.check("CPU time is in the same recording", cpu.status == 0 and f"-{os.getpid()}" in cpu.out, cpu)
    picture = t.wick("flame", "-e", "page-faults", "-o", t.path("faults.html"), r.file)
    t.check("a flame graph can be made of them", picture.status == 0 and os.path.getsize(t.path("faults.html")) > 1000, picture)


def check_java():
    """A tracepoint in a system call of a Java thread: kernel, native and Java frames in one stack."""
    jvm = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", t.compile_java("Busy"), "Busy", "kernel"], "busy")
    t.check("the JVM runs", jvm.wait_for("up"), jvm.output())
    r = Recording("java", "syscalls:sys_enter_read=20")
    t.work_for(jvm, 3)
    r.end()
    mine = [(f, w) for _, pid, f, w in r.rows("syscalls:sys_enter_read") if pid == jvm.pid]

    def whole(frames):
        rest = iter(frames)
        return all(any(re.match(w, f) for f in rest) for w in (r"java\.lang\.Thread\.run_", r"Busy\.kernel_", r"java\.io\.FileInputStream\.read",
                                                               r".*_\[[np]\]$", r".*_\[k\]$"))
    t.check("from the Java thread's start to the kernel", any(whole(f) for f, _ in mine), mine[:20])
    jvm.kill()


def disk_of(path):
    """The name of the whole disk that a file is on, as in /sys/block; None if it is on none."""
    device = os.stat(path).st_dev
    place = os.path.realpath(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    if not os.path.exists(place):
        return None
    return os.path.basename(os.path.dirname(place) if os.path.exists(place + "/partition") else place)


def disk_counts(disk):
    """The kernel's count: bytes that were read and written, requests that were merged, and those under way. Not how many were done: it
    takes an empty flush for a write."""
    with open(f"/sys/block/{disk}/stat", encoding="utf-8") as f:
        n = list(map(int, f.read().split()))
    with open(f"/sys/block/{disk}/queue/max_sectors_kb", encoding="utf-8") as f:
        largest = int(f.read()) << 10
    return types.SimpleNamespace(bytes=(n[2] + n[6]) * 512, merged=n[1] + n[5], under_way=n[8] * largest)


def extents(path):
    """How many pieces a file has on its disk (FS_IOC_FIEMAP)."""
    head = struct.pack("=QQIIII", 0, 1 << 62, 0, 0, 0, 0)
    with open(path, "rb") as f:
        return struct.unpack("=QQIIII", fcntl.ioctl(f, 0xC020660B, head))[3]


def check_io():
    """Writes of a known size to a disk: bytes, device, time and who made them."""
    name, size, n = t.path("disk"), 1 << 16, 64
    with open(name, "wb") as f:
        f.write(os.urandom(size * n))
        os.fsync(f.fileno())
    disk = disk_of(name)
    try:
        fd = os.open(name, os.O_WRONLY | os.O_DIRECT) if disk else -1
    except OSError:
        fd = -1
    if fd < 0:
        t.skip("block I/O", "the tests' folder is on no disk that can be written to directly")
        return
    outer = disk_counts(disk)
    p = subprocess.Popen([t.WICK, "host", "-d", "3600", "-e", "blockio", "-f", t.path("io.jfr")], stderr=subprocess.PIPE, text=True)
    t.check("it records requests", t.until(lambda: os.path.exists(t.path("io.jfr")) and os.path.getsize(t.path("io.jfr")), pause=0.02))
    inner = disk_counts(disk)
    memory, longest = mmap.mmap(-1, size), 0
    memory.write(os.urandom(size))
    for i in range(n):
        begin = time.monotonic_ns()
        os.pwrite(fd, memory, i * size)
        longest = max(longest, time.monotonic_ns() - begin)
    os.close(fd)
    least = disk_counts(disk).bytes - inner.bytes - inner.under_way
    p.send_signal(signal.SIGINT)
    said = p.communicate()[1]
    now = disk_counts(disk)
    events = t.json_values(t.path("io.jfr"), "wick.BlockIO")
    total = [r for r in t.events(t.path("io.jfr"), "wick.SampleTotals") if r["type"] == "blockio"][-1]
    fired, recorded, dropped = (int(total[k]) for k in ("fired", "recorded", "dropped"))
    t.check("requests: fired = recorded + dropped, and so many are there", fired == recorded + dropped > 0 and recorded == len(events),
            (total, len(events), said))
    mine = [e for e in events if f"-{os.getpid()},device={disk},operation=write" in e["context"]]
    total, edges = sum(e["bytes"] for e in mine), 2 * extents(name)  # there a write is split, or merged with one of another file
    t.check("the bytes that were written, to their disk", (n - edges - dropped) * size <= total and
            (total <= n * size or now.merged > outer.merged) and {e["device"] for e in mine} == {disk},
            (total, n * size, edges, outer, now, [e["bytes"] for e in mine], said))
    t.check("no request took longer than the calls that waited for it", n - edges - dropped <= len(mine) <= n + edges and
            max(t.json_seconds(e["duration"]) for e in mine) <= longest / 1e9,
            (len(mine), longest, edges, [(e["startTime"], e["duration"], e["bytes"]) for e in mine]))
    t.check("and none was longer in the queue than as a whole",
            all(0 <= t.json_seconds(e["queued"]) <= t.json_seconds(e["duration"]) for e in events), events[:3])
    here = [e for e in events if e["device"] == disk and e["operation"] in ("read", "write")]
    known = sum(e["bytes"] for e in here)
    t.check("as many bytes read and written as the kernel counts", known <= now.bytes - outer.bytes and (known >= least or dropped),
            (known, least, outer, inner, now, said))
    frames = [f["method"]["name"] for e in mine for f in (e["stackTrace"] or {"frames": []})["frames"]]
    t.check("with the stack of the call", any(re.match(r"ksys_pwrite|.*sys_pwrite64", f) for f in frames), frames[:60])
    r = t.wick("flame", "-e", "blockio", "--by", "device", "-o", t.path("io.html"), t.path("io.jfr"))
    t.check("a flame graph can be made of them", r.status == 0, r)
    r = t.wick("host", "-d", "1s", "-e", "blockio=4", "-f", t.path("fourth.jfr"))
    events = t.json_values(t.path("fourth.jfr"), "wick.BlockIO")
    t.check("one of four stands for four", r.status == 0 and all(
        abs(t.json_seconds(e["weight"]) - 4 * t.json_seconds(e["duration"])) < 1e-6 for e in events), (r, events[:3]))


def check_refused():
    """What does not exist, with what to do."""
    text = t.path("text")
    with open(text, "w", encoding="utf-8") as f:
        f.write("no library\n")
    stripped = t.path("stripped")
    subprocess.run(["strip", "-o", stripped, SPIN], check=True)
    for event, status, said in (("sched:sched_swich", 2, r"no tracepoint sched:sched_swich; similar: sched:sched_switch"),
                                ("nosuch:nosuch", 2, r"no tracepoint nosuch:nosuch"),
                                ("../x:y", 2, r"not the name of a tracepoint"),
                                (f"uprobe:{text}.not:f", 4, r"there is no such file"),
                                (f"uprobe:{text}:f", 3, r"no library or program"),
                                (f"uprobe:{LIBC_FILE}:maloc", 2, r"no function maloc; similar: .*malloc"),
                                (f"uprobe:{LIBC_FILE}:memcpy", 2, r"chosen when the program starts"),
                                (f"uprobe:{stripped}:spin_inner", 2, r"no function spin_inner.*stripped"),
                                ("uprobe:libc.so:f", 2, r"uprobe:/PATH/OF/LIBRARY:FUNCTION"),
                                ("page-fault", 2, r"did you mean 'page-faults'"),
                                ("kprobe:vfs_read", 2, r"no probes of functions of the kernel.*uprobe:/PATH"),
                                ("cpu-clock", 2, r"NAME=N"),
                                ("sched:sched_switch=0", 2, r"NAME=N")):
        r = t.wick("host", "-d", "100ms", "-e", event, "-f", t.path("refused.jfr"))
        t.check(f"{event.replace(t.path(''), '')} is refused with a reason", r.status == status and re.search(said, r.err), r)
    t.check("and no file is made", not os.path.exists(t.path("refused.jfr")))
    r = t.run("setpriv", "--reuid", "65534", "--clear-groups", t.WICK, "host", "-d", "100ms", "-e", "sched:sched_switch", "-f", t.path("refused.jfr"))
    mounted = os.path.exists("/sys/kernel/tracing/events")
    t.check("without rights it says what to do about tracefs", r.status in (5, 6) and re.search("mount -t tracefs|not readable", r.err) or mounted, r)
    r = t.run("unshare", "-m", "sh", "-c", "mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing; "
              f"exec '{t.WICK}' host -d 300ms -e sched:sched_switch -f '{t.path('mounted.jfr')}'")
    t.check("it also works where tracefs is mounted", r.status == 0, r)


def check_left_out():
    """A static probe of a name that two programs have, one of them where the kernel refuses it: the other one is recorded."""
    programs = {}
    for name, flags in (("probed", []), ("refusing", ["-DREFUSED"])):
        made = t.run("cc", "-O1", *flags, "-o", t.path(name), os.path.join(t.HERE, "static_probe.c"))
        programs[name] = t.Jvm([], name, java=t.path(name)) if made.status == 0 else None
        if not t.check(f"a program with a static probe runs: {name}", programs[name] and programs[name].wait_for("up"), made):
            return
    r = Recording("leftout", "usdt:wicktest:point")
    t.until(lambda: r.process.poll() is not None or programs["probed"].proc.poll() is not None or os.path.getsize(r.file) > 0)
    time.sleep(1)
    r.end()
    seen = {pid for _, pid, _, _ in r.rows("usdt:wicktest:point")}
    t.check("where it can be probed it is recorded", programs["probed"].pid in seen and programs["refusing"].pid not in seen, (seen, r.said))
    t.check("and the file where it cannot is named", re.search(rf"warning: usdt:wicktest:point of {re.escape(t.path('refusing'))} is not recorded", r.said), r.said)
    programs["probed"].kill()
    r = t.wick("host", "-d", "100ms", "-e", "usdt:wicktest:point", "-f", t.path("leftout2.jfr"))
    t.check("if it can be probed nowhere that is an error", r.status == 6 and "usdt:wicktest:point cannot be recorded" in r.err, r)
    programs["refusing"].kill()


def check_kill():
    p = subprocess.Popen([t.WICK, "host", "-d", "3600", "-e", f"sched:sched_switch=1000,uprobe:{LIBC_FILE}:labs,page-faults=1000,blockio",
                          "-f", t.path("killed.jfr")], stderr=subprocess.DEVNULL)
    names = {"counted_tracepo", "counted_probe", "counted_perf", "io_insert", "io_issue", "io_requeue", "io_merge", "io_complete"}  # the kernel keeps 15 letters

    def mine():
        loaded = bpf_programs.loaded()
        return {i: loaded[i] for i in bpf_programs.of(p.pid) & set(loaded) if loaded[i] in names}
    t.check("its programs can be seen while it runs", t.until(lambda: len(mine()) == len(names)), (mine(), bpf_programs.loaded()))
    those = set(mine())
    p.kill()
    p.wait()
    t.check("and are gone after kill -9", those and t.until(lambda: not those & set(bpf_programs.loaded())), (those, bpf_programs.loaded()))
    begin = time.perf_counter_ns()
    for _ in range(10000):
        LIBC.labs(-5)
    print(f"# {(time.perf_counter_ns() - begin) / 10000:.0f} ns for each call of a function that was probed")


tried = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
if tried.status in (5, 6):
    t.skip("wick host", tried.err.strip())
    t.done()
check_counts()
check_faults()
check_java()
check_io()
check_refused()
check_left_out()
check_kill()
t.done()
