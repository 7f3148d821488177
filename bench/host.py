#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""host.py - what recording the whole machine costs, and how much of it is right

    bench/host.py [PART...]      cost calls memory start java native offcpu; without names, all

- cost: of a sample of 60 frames, half of them Java, in the kernel (the run time that the kernel counts of each BPF program) and in user
  space (CPU time of `wick host`); and of 99 samples a second on all CPUs, which are busy.
- calls: what -e syscalls and -e network cost each system call of a program, one that is not recorded: CPU time of reads and writes of one byte.
- memory: resident set of `wick host` beside 10 JVMs and 300 processes that all run a little.
- start: from the start of the command until its first sample.
- java, native: walks that lead to the start of the thread: of JVMs of each JDK with five collectors, and of programs without frame
  pointers. A walk that does not ends in a frame that says why; stacks of more than 512 frames are cut on
  purpose, and count as complete. The first second of each program is in it, and is given apart.
- offcpu: the time that two programs on one CPU, and two on all, waited for one: against what the kernel counts (schedstat), and who ran
  instead against a trace of the scheduler.

Other processes of the machine are sampled as well, but only those that the benchmark started count. CPU times are good at any load.

Environment: SECONDS (default 10) a recording, WICK_BENCH_JDKS (default "8 11 17 21 25").
"""

import collections
import contextlib
import ctypes
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "tests" / "jvm"))
import bpf_programs
import jfr
import lab
import pairs
import scheduler_trace
import servers

CPUS = os.cpu_count()
STATS_RUN_TIME = (32, 0)  # BPF_ENABLE_STATS, BPF_STATS_RUN_TIME
BROKEN = re.compile(r"\[(broken|not named)")
FIRST_NS = 1_000_000_000
COLLECTORS = {"Serial": (8, 11, 17, 21, 25), "Parallel": (8, 11, 17, 21, 25), "G1": (8, 11, 17, 21, 25),
              "Z": (17, 21, 25), "Shenandoah": (17, 21, 25), "ConcMarkSweep": (8, 11)}
COMPETE_NS = 700_000_000
THRESHOLD_NS = 10_000
END_S = 3  # for a program to end by itself

ROWS = []


def row(what, measured, goal, met):
    ROWS.append([what, measured, goal, {True: "yes", False: "no", None: "-"}[met]])
    lab.say(f"{what}: {measured} (goal {goal})")


# --- wick host ---


class Host:
    """A recording that runs: until stop()."""

    def __init__(self, file, *options):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)  # of the run before: wait_until_it_records() would take it for its own
        self.file, self.began_ns = file, time.time_ns()
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([str(lab.WICK), "host", "-d", "3600", "-f", str(file), *options], stderr=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def wait_until_it_records(self):
        while self.process.poll() is None and not (os.path.exists(self.file) and os.path.getsize(self.file)):
            time.sleep(0.02)
        if self.process.poll() is not None:
            raise lab.Failed(f"wick host: {self.process.stderr.read().strip()}")
        return self

    def used(self):
        """(ns of its programs in the kernel, of its own threads, clock)"""
        ns = 0
        for n in os.listdir(f"/proc/{self.pid}/fdinfo"):
            with contextlib.suppress(OSError):
                found = re.search(r"^run_time_ns:\t(\d+)", Path(f"/proc/{self.pid}/fdinfo/{n}").read_text(encoding="utf-8"), re.MULTILINE)
                ns += int(found[1]) if found else 0
        return ns, lab.process_cpu_ns(self.pid), time.monotonic_ns()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate()[1]
        if self.process.returncode:
            raise lab.Failed(f"wick host: {self.said.strip()}")
        return self


@contextlib.contextmanager
def kernel_counts_run_time():
    libc = ctypes.CDLL(None, use_errno=True)
    attr = (ctypes.c_uint32 * 32)(STATS_RUN_TIME[1])
    fd = libc.syscall(321, STATS_RUN_TIME[0], attr, 128)
    if fd < 0:
        raise lab.Failed(f"the run time of BPF programs cannot be counted: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def children(*started):
    """Processes; ended with the block."""
    try:
        yield started
    finally:
        for end in (signal.SIGTERM, signal.SIGKILL):
            for p in started:
                with contextlib.suppress(OSError):
                    os.killpg(p.pid, end)
            for p in started:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    p.wait(END_S)


def start(*command, **options):
    return subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True, **options)


def processes_of(leader):
    """Numbers of the processes of its group, and of those that these started in sessions of their own, as PostgreSQL does."""
    parents, out = {}, set()
    for n in os.listdir("/proc"):
        if n.isdigit():
            with contextlib.suppress(OSError):
                _, parent, group = Path(f"/proc/{n}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:3]
                parents[int(n)] = int(parent)
                if int(group) == leader:
                    out.add(int(n))
    while more := {n for n, parent in parents.items() if parent in out} - out:
        out |= more
    return out


# --- what a sample costs ---


def deep(folder, java=30, native=30):
    library = f"{folder}/libdeepmixed.so"
    home = Path(lab.run(lab.java(), "-XshowSettings:properties", "-version").split("java.home = ")[1].split("\n")[0].strip())
    include = next(p for p in (home / "include", home.parent / "include", Path("/usr/lib/jvm/default-java/include")) if p.exists())
    lab.run("cc", "-O2", "-fomit-frame-pointer", "-shared", "-fPIC", f"-I{include}", f"-I{include}/linux", "-o", library,
            lab.ROOT / "bench" / "native" / "deepmixed.c")
    return lab.Target("wick.bench.DeepMixed", library, java, native, jvm=["-Xmx64m", "-XX:+UseSerialGC"])


def cost(folder, length):
    with contextlib.ExitStack() as stack:
        stack.enter_context(kernel_counts_run_time())
        targets = [stack.enter_context(deep(folder)) for _ in range(CPUS)]
        pids = {t.pid for t in targets}
        for interval, title in (("1ms", "1000 Hz"), ("10101us", "99 Hz")):
            host = Host(f"{folder}/cost.jfr", "-i", interval).wait_until_it_records()
            time.sleep(1)
            begin = host.used()
            time.sleep(length)
            end = host.used()
            host.stop()
            kernel_ns, user_ns, wall_ns = (b - a for a, b in zip(begin, end))
            recording = jfr.Recording(host.file)
            samples = list(recording.samples())
            first = min(fields["startTime"] for *_, fields in samples)
            within = sum(first + FIRST_NS <= fields["startTime"] for *_, fields in samples)
            last = max(fields["startTime"] for *_, fields in samples)
            count = within * wall_ns / (last - first - FIRST_NS)
            depth = [len(s) for s, _, fields in samples if any(m == "descend" for _, m, _ in s)]
            frames = sum(depth) / len(depth) if depth else 0
            if interval == "1ms":
                row(f"us a sample of {frames:.0f} frames, kernel side ({title})", f"{kernel_ns / count / 1e3:.1f}", "10", kernel_ns / count <= 10_000)
                row(f"us a sample, user space ({title})", f"{user_ns / count / 1e3:.1f}", "-", None)
                continue
            share = 100 * (kernel_ns + user_ns) / wall_ns
            row(f"% of one CPU at 99 Hz on {CPUS} busy CPUs, kernel side", f"{100 * kernel_ns / wall_ns:.2f}", "-", None)
            row(f"% of one CPU at 99 Hz on {CPUS} busy CPUs, with user space", f"{share:.2f}", "0.5", share <= 0.5)
        return pids


# --- what it takes ---


def little():
    """A process that runs a little, again and again."""
    while True:
        end = time.thread_time_ns() + 1_000_000
        while time.thread_time_ns() < end:
            pass
        time.sleep(1)


def fork(work):
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            work()
        finally:
            os._exit(1)
    return pid


def memory(folder, length):
    classes = lab.classpath()
    command = (lab.java(), "-Xmx64m", "-XX:+UseSerialGC", "-cp", classes, "wick.bench.Idle", "20", "spin")
    jvms = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            for _ in range(10)]
    pids = [fork(little) for _ in range(300)]
    try:
        with children(*jvms):
            for events in ("cpu", "cpu,sched"):
                host = Host(f"{folder}/memory.jfr", "-e", events).wait_until_it_records()
                series = []
                end = time.monotonic() + length
                while time.monotonic() < end:
                    time.sleep(length / 8)
                    series.append(lab.resident_kib(host.pid) / 1024)
                host.stop()
                row(f"MiB resident beside 10 JVMs and 300 processes, -e {events}", f"{max(series):.0f} (from {series[0]:.0f} on)", "60", max(series) <= 60)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


CALLS = 1_000_000


def call_ns():
    """CPU time of a system call of dd, which reads a byte and writes it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={CALLS // 2}"], stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / CALLS * 1e9


def calls(folder):
    for events in ("syscalls", "network", "syscalls,network"):
        more = []
        for _ in range(7):
            without = call_ns()
            host = Host(f"{folder}/calls.jfr", "-e", events).wait_until_it_records()
            more.append(call_ns() - without)
            host.stop()
        row(f"ns more a system call, -e {events}", lab.spread(more, "{:.0f}"), "-", None)


def start_time(folder):
    times = []
    with children(*(start(sys.executable, "-c", "while True: pass") for _ in range(CPUS))):
        for _ in range(7):
            host = Host(f"{folder}/start.jfr", "-i", "1ms").wait_until_it_records()
            time.sleep(0.3)
            host.stop()
            first = min(fields["startTime"] for *_, fields in jfr.Recording(host.file).samples())
            times.append((first - host.began_ns) / 1e6)
    row(f"ms from the start to the first sample, {CPUS} CPUs busy", lab.spread(times, "{:.0f}"), "300", sorted(times)[len(times) // 2] <= 300)


# --- walks ---


def process_of(recording, fields):
    context = recording.get(fields["context"])
    found = re.search(r"(?:^|,)process=(?:[^,\\]|\\.)*-(\d+)(?:,|$)", context["text"] if context else "")
    return int(found[1]) if found else 0


class Walks:
    """Samples of a program, and how many of them lead to the start of their thread."""

    def __init__(self):
        self.all = self.whole = self.first = self.first_whole = 0
        self.why = collections.Counter()

    def add(self, stack, time_ns, began_ns):
        root = f"{stack[-1][0]}{stack[-1][1]}" if stack else "[broken: empty]"
        good = not BROKEN.search(root)
        early = time_ns < began_ns + FIRST_NS
        self.all += 1
        self.whole += good
        self.first += early
        self.first_whole += early and good
        if not good:
            self.why[root.strip("[]"), "first" if early else "later"] += 1

    def __iadd__(self, other):
        for name in ("all", "whole", "first", "first_whole"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.why += other.why
        return self


def walk(host_file, by_pid):
    """{name: Walks}, of the processes in {pid: name}."""
    recording, out, began = jfr.Recording(host_file), collections.defaultdict(Walks), {}
    for stack, _, fields in recording.samples():
        pid = process_of(recording, fields)
        if pid in by_pid:
            began.setdefault(pid, fields["startTime"])
            out[by_pid[pid]].add(stack, fields["startTime"], began[pid])
    return out


def table_of(title, walks, goal):
    rows, total = [], Walks()
    for name, w in sorted(walks.items()):
        total += w
        why = "; ".join(f"{text} ({when}) {n}" for (text, when), n in w.why.most_common(3))
        rows.append([name, str(w.all), f"{100 * w.whole / w.all:.2f}", f"{w.first_whole} of {w.first}", why])
    print(f"\n{title}\n\n" + pairs.table(rows, ["program", "samples", "% complete", "in its first second", "why not"]))
    if total.all:
        share, later = 100 * total.whole / total.all, total.all - total.first
        row(f"% of walks complete, {title}", f"{share:.2f} of {total.all}", str(goal), share >= goal)
        row(f"% of these in the first second of a process, {title}", f"{100 * total.first_whole / max(1, total.first):.2f} of {total.first}", "-", None)
        row(f"% of these later, {title}", f"{100 * (total.whole - total.first_whole) / max(1, later):.2f} of {later}", str(goal),
            total.whole - total.first_whole >= goal / 100 * later)


def jdk_home(version):
    found = subprocess.run([str(lab.ROOT / "tools" / "get-jdk"), "--or-system", str(version)], capture_output=True, text=True, check=False)
    return found.stdout.strip()


def record(folder, name, programs, length):
    """Records while programs (name -> command) run, which begin within it. {name: Walks}"""
    host = Host(f"{folder}/{name}.jfr", "-i", "2ms").wait_until_it_records()
    started = {title: start(*command, **options) for title, (command, options) in programs.items()}
    by_pid = {}
    end = time.monotonic() + length
    with children(*started.values()):
        while time.monotonic() < end:
            time.sleep(0.1)
            for title, p in started.items():
                by_pid.update({pid: title for pid in processes_of(p.pid)})
        host.stop()
    return walk(host.file, by_pid)


def java_walks(folder, length):
    sources = lab.ROOT / "tests" / "jvm" / "Stress.java"
    walks = {}
    for version in map(int, os.environ.get("WICK_BENCH_JDKS", "8 11 17 21 25").split()):
        home = jdk_home(version)
        classes = f"{folder}/classes{version}"
        os.makedirs(classes)
        lab.run(f"{jdk_home(17)}/bin/javac", "-nowarn", "--release", "8", "-d", classes, sources)
        for collector, versions in COLLECTORS.items():
            if version in versions:
                title = f"JDK {version}, {collector}"
                command = (f"{home}/bin/java", "-Xmx256m", f"-XX:+Use{collector}GC", "-cp", classes, "Stress", "3600")
                walks.update(record(folder, "java", {title: (command, {})}, length))
                lab.say(f"{title}: {walks[title].whole} of {walks[title].all}" if title in walks else f"{title}: no sample")
    table_of("Java", walks, 99.5)


RUST = """
fn down(n: u64) -> u64 {
    if n == 0 { (0..2000u64).fold(1, |a, b| a.wrapping_mul(b | 1) ^ b) } else { std::hint::black_box(down(std::hint::black_box(n - 1))).wrapping_add(1) }
}
fn main() {
    loop {
        let mut v: Vec<String> = (0..500).map(|i| format!("{}", down(i % 40))).collect();
        v.sort();
        std::hint::black_box(v);
    }
}
"""
GO = """
package main
import ("compress/gzip"; "encoding/json"; "io"; "sort"; "strings")
type order struct { Id int; Name string; Lines []string }
func down(n int) int { if n == 0 { return 1 }; return down(n-1) + n%3 }
func work(in <-chan int, out chan<- int) {
    for n := range in {
        o := order{n, strings.Repeat("x", n%100), nil}
        for i := 0; i < 50; i++ { o.Lines = append(o.Lines, strings.Repeat(string(rune(97+(i*n)%26)), i)) }
        sort.Strings(o.Lines)
        text, _ := json.Marshal(o)
        z := gzip.NewWriter(io.Discard)
        z.Write(text)
        z.Close()
        out <- len(text) + down(n%60)
    }
}
func main() {
    in, out := make(chan int), make(chan int)
    for i := 0; i < 8; i++ { go work(in, out) }
    go func() { for n := 0; ; n++ { in <- n } }()
    kept := map[int]int{}
    for n := range out { kept[n%1000]++ }
}
"""


def native_programs(folder):
    """{name: (command, options)}: each runs by itself until it is ended."""
    big = f"{folder}/big.c"
    Path(big).write_text("#include <stdio.h>\n" + "".join(
        f"int f{i}(int a, int b) {{ int s = 0; for (int k = a; k < b; k++) s += k % {i + 3} ? k * a : b ^ {i}; return s; }}\n" for i in range(3000)), encoding="utf-8")
    python = shutil.which("python3", path="/usr/bin") or sys.executable
    found = {
        "gcc": ("sh", "-c", f"while :; do gcc -O2 -c {big} -o {folder}/big.o; done"),
        "python3": (python, "-c", "import json\nwhile True: sorted(json.dumps([json.loads('[1,{\"a\":2}]')] * 50) for _ in range(50))"),
        "git": ("sh", "-c", f"while :; do git -C {lab.ROOT} log -p --stat -20 >{folder}/log; git -C {lab.ROOT} grep -c static >{folder}/log; done"),
        "perl": ("perl", "-e", "while (1) { my %h; $h{$_ % 997} .= chr(65 + $_ % 26) for 1 .. 20000; my @a = sort { $h{$a} cmp $h{$b} } keys %h; }"),
        "node": ("node", "-e", "const z = require('zlib'); function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } for (;;) { f(22); z.gzipSync(Buffer.alloc(100000, 'abc')) }"),
        "sqlite3": ("sh", "-c", "while :; do sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<200000) select count(*), sum(x%7) from c;'; done"),
        "sort and gzip": ("sh", "-c", f"while :; do seq 200000 | sort -R --random-source=/dev/zero | gzip >{folder}/z; done"),
        "g++": ("sh", "-c", "while :; do echo '#include <regex>\nint main() { std::regex r(\"a*\"); return std::regex_match(\"a\", r); }' | g++ -O1 -x c++ -c - -o /dev/null; done"),
        "gdb": ("gdb", "-nx", "-batch", "-ex", "python\nwhile True: gdb.execute('print 1 + 2', to_string=True)"),
    }
    found = {name: (command, {}) for name, command in found.items() if shutil.which(name.split()[0])}
    return {**found, **compiled_programs(folder, "Rust", RUST, "main.rs", "rustc --edition 2021 -O -o"),
            **compiled_programs(folder, "Go", GO, "main.go", f"GOCACHE={folder}/cache GO111MODULE=off go build -a -o"), **server_programs(folder)}


def compiled_programs(folder, language, text, source, compiler):
    """The compiler of a language, and what it makes."""
    Path(f"{folder}/{source}").write_text(text, encoding="utf-8")
    command = f"{compiler} {folder}/{language} {folder}/{source}"
    if subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode:
        return {}
    again = command.replace(f"-o {folder}/{language} ", f"-o {folder}/again ")
    return {f"the compiler of {language}": (("sh", "-c", f"while :; do {again}; done"), {}), f"a {language} program": ((f"{folder}/{language}",), {})}


def server_programs(folder):
    """nginx, which compresses, and PostgreSQL, from the start of its server on; each with its client."""
    if not servers.there_are():
        return {}
    port, database = servers.free_port(), servers.Postgres(f"{folder}/postgres")
    lab.run(*database.make)
    serve, ready, fill, ask = (shlex.join(c) for c in (database.run, database.is_ready, database.fill, database.ask))
    web = servers.nginx(f"{folder}/nginx", port)
    fetch = f"import http.client as h\nwhile True:\n  c = h.HTTPConnection('127.0.0.1', {port}); c.request('GET', '/text', headers={{'Accept-Encoding': 'gzip'}}); c.getresponse().read()"
    found = {"nginx": f"(sleep 0.2; while :; do {shlex.join((sys.executable, '-c', fetch))}; done) & exec {shlex.join(web)}",
             "PostgreSQL": f"(until {ready}; do sleep 0.1; done; {fill}; {ask}) & exec {serve}"}
    return {name: (("sh", "-c", command), {}) for name, command in found.items()}


def native_walks(folder, length):
    walks = {}
    programs = list(native_programs(folder).items())
    for i in range(0, len(programs), 2):
        walks.update(record(folder, "native", dict(programs[i:i + 2]), length))
        lab.say(", ".join(f"{name}: {walks[name].whole} of {walks[name].all}" for name, _ in programs[i:i + 2] if name in walks))
    table_of("native", walks, 99)


# --- time off the CPU ---


def compete(one_cpu):
    if one_cpu:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    while time.process_time_ns() < COMPETE_NS:
        pass
    while True:
        signal.pause()


def waited_by_kernel(pid):
    """Its run-queue time, once it waits for its end."""
    while True:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        before = Path(f"/proc/{pid}/schedstat").read_text(encoding="utf-8")
        time.sleep(0.05)
        if state == "S" and before == Path(f"/proc/{pid}/schedstat").read_text(encoding="utf-8"):
            return int(before.split()[1])


def off_cpu(folder):
    host = Host(f"{folder}/waits.jfr", "-e", f"sched={THRESHOLD_NS}ns").wait_until_it_records()
    trace = scheduler_trace.Trace()
    pids = [fork(lambda on=on: compete(on)) for on in (True, True, False, False)]
    counted = {pid: waited_by_kernel(pid) for pid in pids}
    traced, lost = trace.end()
    host.stop()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    got, instead = collections.Counter(), collections.Counter()
    by = [word for label in ("process", "state", "ran-instead") for word in ("--by", label)]
    for line in lab.run(lab.WICK, "convert", "-e", "wall", *by, "--to", "collapsed", host.file).splitlines():
        frames, _, weight = line.rpartition(" ")
        found = re.match(r"\[[^;]*-(\d+)\];\[STATE_WAITING_FOR_CPU\];\[(?:[^;]*-(\d+))?", frames)
        if found and int(found[1]) in counted:
            got[int(found[1])] += int(weight)
            instead[int(found[1]), int(found[2] or -1)] += int(weight)
    worst = max(abs(got[pid] - ns) / ns for pid, ns in counted.items())
    row(f"% between run-queue time and schedstat, the worst of {len(pids)} programs", f"{100 * worst:.2f} of {sum(counted.values()) / 1e9:.1f} s", "2", worst <= 0.02)
    ran = scheduler_trace.ran_instead(traced, set(pids))
    differ = sum(abs(instead[pid, other] - ran[pid][other]) for pid in pids for other in pids if other != pid)
    total = sum(ran[pid][other] for pid in pids for other in pids if other != pid)
    row("% between who ran instead and the trace of sched_switch, all pairs", f"{100 * differ / total:.2f} of {total / 1e9:.1f} s{', trace not whole' if lost else ''}",
        "2", differ <= 0.02 * total)


PARTS = ("cost", "calls", "memory", "start", "java", "native", "offcpu")


def measure():
    parts, length = sys.argv[1:] or os.environ.get("PARTS", "").split() or PARTS, lab.seconds(10)
    unknown = set(parts) - set(PARTS)
    if unknown:
        raise lab.Failed(f"no part {unknown.pop()}; there are: {' '.join(PARTS)}")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with lab.scratch("host") as folder:
        for part in parts:
            {"cost": lambda: cost(folder, length), "calls": lambda: calls(folder), "memory": lambda: memory(folder, length), "start": lambda: start_time(folder),
             "java": lambda: java_walks(folder, length), "native": lambda: native_walks(folder, length), "offcpu": lambda: off_cpu(folder)}[part]()
    print("\n" + pairs.table(ROWS, ["what", "measured", "goal", "met"]))
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    lab.main(measure)
