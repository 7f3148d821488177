#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
# timeout: 18000
"""`wick host` on Debian's kernels: each is booted in an emulator (qemu without KVM, two CPUs) with an image of the C library, busybox,
wick, a JDK and a few programs. On 6.1 and 6.12 CPU time and waits of a JVM, a native program and short-lived ones are recorded
and the recordings come out through a serial port; on 5.10 the command must say what it lacks. Nothing here depends on how fast that
is: a recording ends when the programs have had their CPU time."""
import collections
import glob
import os
import re
import tarfile

import jvmtest as t
import kernel_image

KERNELS = {"5.10": False, "6.1": True, "6.12": True}  # whether wick host works there
VM_SECONDS = 3600  # after which it is taken to hang; a quiet machine needs less than 100
THRESHOLD_NS = 1_000_000  # of waits, by default
BRIEF_RUNS = 10    # of a program that lives for 60 ms of CPU time: some 60 samples,
BRIEF_LEAST = 8    # of which so many are always there (1e-15)
SPUN = "uprobe:/bin/native_spin:spin_inner"
COUNTED = f"alloc=64k,blockio,memstall,network,syscalls,sched:sched_process_exec,page-faults=8,{SPUN}=50,syscalls:sys_enter_read=100"
CPU_TICKS = 300    # of 10 ms, that the JVM and the native program have each while a recording is made

INIT = r"""#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
chmod 666 /dev/null
mount -t tmpfs tmp /tmp
ip link set lo up

said() { # FILE COMMAND...: what it says on stderr and its status, which comes last
    file=$1
    shift
    "$@" 2>/out/$file
    echo "status $?" >>/out/$file
}
used() { # ticks of CPU time of a process
    set -- $(sed 's/.*) //' /proc/$1/stat)
    echo $((${12} + ${13}))
}
grows() { # waits until a recording does, once more
    size=$(wc -c <$1)
    while [ "$(wc -c <$1)" = $size ]; do sleep 0.2; done
}
record() { # NAME OPTION...: until the programs have had their time
    name=$1
    shift
    cat /proc/$spin/schedstat >/out/$name.schedstat
    said $name.said wick host -d 1h -f /out/$name.jfr "$@" &
    said=$!
    while [ ! -s /out/$name.jfr ]; do
        sleep 0.2
        grep -q ^status /out/$name.said && return
    done
    grows /out/$name.jfr
    cat /proc/$spin/schedstat >>/out/$name.schedstat
    java_goal=$(($(used $java) + TICKS)) spin_goal=$(($(used $spin) + TICKS))
    runs=0
    while [ $(used $java) -lt $java_goal ] || [ $(used $spin) -lt $spin_goal ] || [ $runs -lt BRIEF_RUNS ]; do
        runs=$((runs + 1))
        brief >/dev/null &
        brief=$!
        until [ $(used $brief) -ge 6 ]; do usleep 10000; done
        kill $brief
    done
    cat /proc/$spin/schedstat >>/out/$name.schedstat
    kill -INT $(pidof wick)
    wait $said
    cat /proc/$spin/schedstat >>/out/$name.schedstat
}

uname -r >/out/kernel
said none.said su -s /bin/sh nobody -c 'wick host -d 100ms -f /tmp/none.jfr'
wick host doctor >/out/doctor.out 2>&1
said nobody.said su -s /bin/sh nobody -c 'wick host doctor' >/out/nobody.out
if [ -n "$works" ]; then
    native_spin >/dev/null &
    spin=$!
    JAVA -Xmx64m -XX:+UseSerialGC -XX:CompileCommand=quiet -XX:CompileCommand=exclude,Busy.interp* \
        -XX:CompileCommand=dontinline,Busy.* -cp /classes \
        Busy chain interp kernel alloc </dev/console >/out/java.out 2>&1 &
    java=$!
    until grep -q ^up /out/java.out; do sleep 0.5; done
    echo "java $java native_spin $spin" >/out/pids
    record cpu
    record sched -e cpu,sched
    record counted -e COUNTED
else
    said counted.said wick host -d 100ms -e COUNTED -f /out/counted.jfr
    said cpu.said wick host -d 100ms -f /out/cpu.jfr
    said sched.said wick host -d 100ms -e sched -f /out/sched.jfr
fi
stty raw -F /dev/ttyS1
tar -C /out -cf /dev/ttyS1 .
reboot -f
"""


def make_image():
    image = kernel_image.Image()
    for name in ("wick", "tests/jvm/native_spin"):
        image.program(os.path.join(t.BUILD, name), "/bin/" + os.path.basename(name))
    image.program(os.path.join(t.BUILD, "tests/jvm/native_spin"), "/bin/brief")
    image.program(kernel_image.busybox(), "/bin/busybox")
    for library in ("libbpf.so.1", "libelf.so.1"):  # which wick loads when it needs them
        image.library(library)
    home = os.path.realpath(t.JAVA_HOME)
    image.program(home + "/bin/java")
    for part in glob.glob(home + "/lib") + glob.glob(home + "/conf") + glob.glob(home + "/jre"):
        image.tree(part, r"ct\.sym|src\.zip|.*\.(jar|debuginfo)|libawt.*|classes_nocoops\.jsa")
    for vm in glob.glob(home + "/**/libjvm.so", recursive=True):
        image.libraries(vm)
    image.tree(t.compile_java("Busy"), at="/classes")
    image.text("/init", INIT.replace("JAVA", home + "/bin/java").replace("TICKS", str(CPU_TICKS)).replace("BRIEF_RUNS", str(BRIEF_RUNS)).replace("COUNTED", COUNTED), 0o755)
    image.text("/etc/passwd", "root::0:0::/:/bin/sh\nnobody::65534:65534::/:/bin/sh\n")
    image.directories("dev", "proc", "sys", "tmp", "out")
    image.write(t.path("image.cpio"))


def boot(version, kernel):
    """The folder of what the guest left, or None. The CPUs take turns in one thread: where they run at the same time, one of them may go on
    with what the emulator made of code that the other one has just changed, a tracepoint that is switched on for example, and the
    kernel dies of a breakpoint that is no longer there."""
    console, tar, out = (t.path(f"{version}.{kind}") for kind in ("console", "tar", "out"))
    done = t.run("qemu-system-x86_64", "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2", "-m", "1536", "-nodefaults",
                 "-no-user-config", "-display", "none", "-no-reboot", "-kernel", kernel, "-initrd", t.path("image.cpio"),
                 "-append", f"console=ttyS0 panic=-1 quiet mitigations=off {'works=1' if KERNELS[version] else ''}",
                 "-serial", "file:" + console, "-serial", "file:" + tar, seconds=VM_SECONDS)
    os.makedirs(out)
    try:
        with tarfile.open(tar) as archive:
            archive.extractall(out)
    except (OSError, tarfile.TarError) as e:
        with open(console, errors="replace") as f:
            t.check("it boots and ends", False, f"{done.err}\n{e}\n" + "".join(f.readlines()[-30:]))
        return None
    return t.check("it boots and ends", done.status == 0, done) and out


class Said:
    """What `wick host` said and its status."""

    def __init__(self, out, name):
        self.text = read(out, name + ".said")
        m = re.search(r"^status (\d+)$", self.text, re.M)
        self.status = int(m[1]) if m else None

    def __str__(self):
        return self.text

    def lost(self, what):
        return sum(int(n) for n in re.findall(rf"lost: (\d+) {what}:", self.text))


def read(out, name):
    path = os.path.join(out, name)
    if not os.path.exists(path):
        return ""
    with open(path, errors="replace") as f:
        return f.read()


def stacks(file, *options):
    """[(process, its pid, frames root first, weight)]; the number of samples instead of the weight with --samples"""
    out = []
    for line in t.wick("convert", *options, "--annotate", "--to", "collapsed", file).out.splitlines():
        frames, _, weight = line.rpartition(" ")
        frames = frames.split(";")
        m = re.fullmatch(r"\[(.*)-(\d+)\]_\[x\]", frames[0])
        if m:
            out.append((m[1], int(m[2]), frames[1:], int(weight)))
    return out


def has(frames, *wanted):
    """Whether the wanted frames, regular expressions, are in this order among the frames."""
    rest = iter(frames)
    return all(any(re.fullmatch(w, f) for f in rest) for w in wanted)


THREAD = (r"java\.lang\.Thread\.run_\[.\]", r"Busy.*\.run_\[.\]")
# What must be seen of a program: title, frames, and the share of its samples that has them at least: half of what was measured. So many
# must have them as are credible for that share, at an error rate of 1e-7 each (t.least_of).
SEEN = (
    ("java", "compiled Java methods with their callers", (*THREAD, r"Busy\.chain_\[.\]", r"Busy\.alpha_\[.\]", r"Busy\.beta_\[.\]"), 0.1),
    ("java", "interpreted ones", (*THREAD, r"Busy\.interp_\[0\]", r"Busy\.interpMiddle_\[0\]", r"Busy\.interpLeaf_\[0\]"), 0.1),
    ("java", "Java, native code and the kernel in one stack",
     (*THREAD, r"Busy\.kernel_\[.\]", r"java\.io\.FileInputStream\.read.*", r".*_\[[np]\]", r".*vfs_read_\[k\]"), 0.02),
    ("java", "the JVM's own functions", (r"thread_native_entry.*", r"Thread::call_run.*", r"JavaThread::thread_main_inner.*"), 0.45),
    ("native_spin", "a native program's whole stack", (r"_start_\[n\]", r".*", r"main_\[n\]", r"spin_outer_\[n\]", r"spin_inner_\[n\]"), 0.4),
)




def check_totals(file, kind, said, what):
    rows = [r for r in t.events(file, "wick.SampleTotals") if r["type"] == kind]
    fired, recorded, dropped = (int(rows[-1][k]) for k in ("fired", "recorded", "dropped")) if rows else (0, 0, 0)
    t.check(f"{what}: none is lost that is not counted and named", fired == recorded + dropped > 0 and dropped == said.lost(what),
            f"{rows}\n{said}")


def check_frames(rows):
    for program, title, wanted, share in SEEN:
        mine = [(f, n) for name, _, f, n in rows if name == program]
        total, seen = t.weight_of(mine), sum(n for f, n in mine if has(f, *wanted))
        print(f"# {seen} of {total} samples of {program}: {title}")
        t.check(title, total and seen >= t.least_of(total, share), "\n".join(f"{n} {';'.join(f)}" for f, n in mine[:40]))
    java = {f for _, _, frames, _ in rows for f in frames if re.search(r"_\[[01ji]\]$", f)}
    wrong = {f for f in java if not re.match(r"(java|jdk|sun|Busy)\b", f)}
    t.check("no Java method that there is not", java and not wrong, wrong)


def check_processes(rows, pids):
    by = collections.defaultdict(set)
    for name, pid, _, _ in rows:
        by[pid].add(name)
    t.check("a process is called after its program", all(by[pid] == {name} for name, pid in pids.items()), (dict(by), pids))
    total, seen = sum(n for _, _, _, n in rows), sum(n for name, _, _, n in rows if name == "brief")
    print(f"# {seen} of {total} samples are of processes that live for moments")
    t.check("those that live for moments as well", seen >= BRIEF_LEAST, dict(by))


def check_cpu(out, pids):
    file, said = os.path.join(out, "cpu.jfr"), Said(out, "cpu")
    if not t.check("it records CPU time", said.status == 0, said):
        return
    rows = stacks(file, "--by", "process", "--samples")
    check_totals(file, "cpu", said, "samples")
    check_processes(rows, pids)
    check_frames(rows)


UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}


def queue_waits(file, pid):
    """The lengths of a process's waits on the run queue, which are divided among those that ran instead."""
    waits = collections.Counter()
    for e in t.events(file, "profiler.WallClockSample"):
        if e.get("state") == "STATE_WAITING_FOR_CPU" and t.context(e.get("context")).get("process") == f"native_spin-{pid}":
            number, unit = e["weight"].split()
            waits[e["startTime"]] += float(number) * UNITS[unit]
    return list(waits.values())


def check_queue(out, file, pid, lost):
    """The native program's time on the run queue, which the kernel counts: before the recording, as it had begun, just before
    its end, and after it. wick and the kernel each read a clock where a wait begins and ends. Between the two readings the emulator may
    be put off, by no more than the wait, in one of a hundred waits at most; and of a wait below the threshold the variance is at
    most its length x threshold. A sum of these is credible within t.sum_within (error rate 1e-7); 2 % are the readings' distance."""
    before, begun, end, after = (int(line.split()[1]) for line in read(out, "sched.schedstat").splitlines())
    waits = queue_waits(file, pid)
    mine = sum(waits)
    error = 0.02 * (after - before) + t.sum_within(0.01 * sum(w * w for w in waits) + mine * THRESHOLD_NS,
                                                   max(THRESHOLD_NS, *waits, 0))
    least = 0 if lost else end - begun - error
    print(f"# {len(waits)} waits on the run queue, {mine / 1e6:.0f} ms; {least / 1e6:.0f} to {(after - before + error) / 1e6:.0f} are credible")
    t.check("the native program's time on the run queue is what the kernel counts", waits and least <= mine <= after - before + error,
            (before, begun, end, after, mine, error))


def check_waits(out, pids):
    file, said = os.path.join(out, "sched.jfr"), Said(out, "sched")
    if not t.check("it records waits and CPU time", said.status == 0, said):
        return
    check_totals(file, "cpu", said, "samples")
    check_totals(file, "wall", said, "waits")
    check_queue(out, file, pids["native_spin"], said.lost("waits"))
    rows = stacks(file, "-e", "wall", "--by", "process")
    wanted = (*THREAD, r"Busy\.alloc_\[.\]", r"java\.lang\.Thread\.sleep.*", r".*futex_wait.*_\[k\]", r"schedule_\[k\]", r"__schedule_\[k\]")
    java = [f for name, _, f, _ in rows if name == "java"]
    t.check("a thread that sleeps, from its start to the scheduler", any(has(f, *wanted) for f in java),
            "\n".join(";".join(f) for f in java[:40]))
    last = collections.Counter(f[-1] for _, _, f, _ in rows if f[-1].endswith("_[k]"))
    ends = {"__schedule_[k]", "schedule_[k]", "schedule_tail_[k]"}  # the last one: a new thread's start
    t.check("the kernel's stacks end in the scheduler", last and not set(last) - ends, last)
    spin = t.wick("top", "-e", "wall", "--where", f"process=native_spin-{pids['native_spin']}", "--by", "ran-instead", file).out
    t.check("who ran instead of the native program", f"java-{pids['java']}" in spin, spin)
    woken = t.wick("top", "-e", "wall", "--where", f"process=java-{pids['java']}", "--by", "woken-by", file).out
    t.check("who woke the JVM's threads", "interrupt" in woken, woken)


def check_counted(out, pids):
    file, said = os.path.join(out, "counted.jfr"), Said(out, "counted")
    if not t.check("it records counted events", said.status == 0, said):
        return
    check_totals(file, "perf", said, "samples of counted events")
    check_totals(file, "alloc", said, "samples of allocations")
    objects = [f for name, pid, f, _ in stacks(file, "-e", "alloc", "--by", "process") if pid == pids["java"]]
    t.check("an object that is allocated has its stack and its class", any(has(f, *THREAD, r"Busy\.alloc_\[.\]", r"byte\[\].*") for f in objects),
            "\n".join(";".join(f) for f in objects[:40]))
    java = [f for name, _, f, _ in stacks(file, "-e", "syscalls:sys_enter_read", "--by", "process") if name == "java"]
    t.check("a system call has Java and native code in one stack",  # and on newer kernels frames of the kernel
            any(has(f, *THREAD, r"Busy\.kernel_\[.\]", r"java\.io\.FileInputStream\.read.*", r".*_\[[np]\]") for f in java),
            "\n".join(";".join(f) for f in java[:40]))
    spun = [f for _, pid, f, _ in stacks(file, "-e", SPUN, "--by", "process") if pid == pids["native_spin"]]
    t.check("a function's start has the stack of its callers", any(has(f, r"main_\[n\]", r"spin_outer_\[n\]", r"spin_inner_\[n\]") for f in spun), spun)
    executed = [(name, pid) for name, pid, _, _ in stacks(file, "-e", "sched:sched_process_exec", "--by", "process")]
    t.check("programs that were executed have their names", len({pid for name, pid in executed if name == "brief"}) >= BRIEF_RUNS -
            said.lost("samples of counted events"), executed)
    faults = t.wick("top", "-e", "page-faults", "--by", "fault", file).out
    t.check("page faults are minor and major ones", re.search(r"\bminor$", faults, re.M), faults)


def check_refused(out):
    """A kernel that is too old: it says so, and what works."""
    for name in ("cpu", "sched", "counted"):
        said = Said(out, name)
        t.check(f"{name}: it says which kernel it needs, and what works on this one",
                said.status == 6 and re.search(r"needs Linux 5\.17 or newer .* this is 5\.10", str(said)) and
                "wick record --perf -a" in str(said), said)
        t.check(f"{name}: and makes no file", not os.path.exists(os.path.join(out, name + ".jfr")), os.listdir(out))


def check_rights(out):
    said = Said(out, "none")
    t.check("without rights it says which it needs", said.status == 5 and "CAP_BPF, CAP_PERFMON" in str(said), said)


def check_doctor(out, works):
    """`wick host doctor` as root says what works as it does, and without rights which are missing."""
    levels = {m[2]: m[1] for m in re.finditer(r"^(OK|WARN|FAIL) +(\S+(?: \S+)?)  ", read(out, "doctor.out"), re.M)}
    wanted = {"kernel": "OK", "rights": "OK", "-e cpu": "OK", "short-lived": "OK", "-e sched": "OK", "-e alloc": "OK", "tracepoints": "OK", "functions": "OK"} if works else {"kernel": "FAIL", "rights": "OK", "-e cpu": "FAIL"}
    t.check("doctor says what works", {k: levels.get(k) for k in wanted} == wanted, read(out, "doctor.out"))
    said = read(out, "nobody.out")
    t.check("and which rights are missing", Said(out, "nobody").status == 6 and re.search(r"FAIL +rights +without CAP_BPF", said), said)


UNAVAILABLE = 3  # tools/get-kernel: the mirror cannot be reached, or has lost the package
why = kernel_image.why_not()
kernels = {}
for n in KERNELS if not why else ():
    r = t.run(t.ROOT + "/tools/get-kernel", n, seconds=VM_SECONDS)
    kernels[n] = r.out.strip()
    if r.status == UNAVAILABLE:
        why = f"Debian's kernel {n} cannot be fetched: {r.err.strip().splitlines()[-1]}"
        break
    if not t.check(f"Debian's kernel {n} is had", r.status == 0 and os.path.exists(kernels[n]), r):
        t.done()
if not why and "without the host mode" in t.wick("host", "-d", "1ms", "-f", t.path("try.jfr")).err:
    why = "this build is without wick host"
if why:
    t.skip("wick host on Debian's kernels", why)
    t.done()
make_image()
for n, file in kernels.items():
    with t.titled("Linux " + n):
        place = boot(n, file)
        if not place:
            continue
        t.check("it is that kernel", read(place, "kernel").startswith(n + "."), read(place, "kernel"))
        check_doctor(place, KERNELS[n])
        if not KERNELS[n]:
            check_refused(place)
            continue
        check_rights(place)
        words = read(place, "pids").split()
        numbers = {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}
        if t.check("the programs run", len(numbers) == 2, read(place, "java.out")):
            check_cpu(place, numbers)
            check_waits(place, numbers)
            check_counted(place, numbers)
t.done()
