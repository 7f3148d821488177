#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# alone
"""The whole machine in one picture: `wick record --perf -a` over the demo service and a native program. From the service
there are stacks down to the kernel, each process has a root of its own, other events of perf's work alike, and perf.data
read directly is what `perf script` says of it."""
import collections
import json
import math
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.request

import jvmtest as t

DEMO = os.path.join(t.BUILD, "java/wick-demo.jar")
SPIN = os.path.join(t.BUILD, "tests/jvm/native_spin")
SIGMAS = t.Sigmas(5.4)  # two-sided error below 1e-7 for each check
TICK_NS = 1_000_000_000 // t.HZ
data = t.path("all.data")


def why_not():
    """Why perf cannot be used here; None if it can."""
    if not shutil.which("perf"):
        return "there is no perf (Debian's package linux-perf; tools/setup test installs it)"
    r = t.run("perf", "record", "-a", "-g", "-e", "cpu-clock", "-o", data, "--", "sleep", "0.1")
    return None if r.status == 0 else "perf may not record: " + r.err.strip().splitlines()[-1]


class Load:
    """Requests, one after another, until it is stopped: some compute, some write to a file."""

    def __init__(self, port):
        self.port, self.over, self.answered = port, False, 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.over:
            for path in ("cpu?ms=100", "io"):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=60) as answer:
                        self.answered += answer.status == 200
                except OSError:
                    pass

    def stop(self):
        self.over = True
        self.thread.join()


def folded(text):
    """[(frames, number)] of collapsed stacks."""
    return [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in text.splitlines()]


def convert(*args):
    r = t.wick("convert", "--to", "collapsed", *args)
    if r.status:
        t.check("wick convert " + " ".join(str(a) for a in args), False, r)
    return folded(r.out)


def cpu_ns(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // t.HZ


def show(stacks, n=12):
    return "\n".join(";".join(s)[:300] + f" {w}" for s, w in sorted(stacks, key=lambda x: -x[1])[:n])


def sleeper_of(pid):
    """The `sleep` that perf runs for as long as it records: a process below `pid`, None if there is none."""
    for child in t.run("pgrep", "-P", pid).out.split():
        try:
            with open(f"/proc/{child}/stat") as f:
                name, state = re.search(r"\((.*)\) (.)", f.read()).groups()
            found = child if name == "sleep" and state != "Z" else sleeper_of(child)
        except OSError:
            found = None
        if found:
            return found
    return None


def used_within(recording, pids):
    """CPU time that the processes used in a second that lies within the recording; None where the machine was too slow for one."""
    t.until(lambda: sleeper_of(recording.pid) or recording.poll() is not None, 60, 0.02)
    sleeper = sleeper_of(recording.pid)
    before = {p: cpu_ns(p) for p in pids}
    time.sleep(1)
    used = {p: cpu_ns(p) - before[p] for p in pids}
    return used if sleeper and sleeper == sleeper_of(recording.pid) else None


def is_mixed(stack):
    """Whether the kernel is above Java, which is above the JVM's C++."""
    return any(f.endswith("_[p]") for f in stack) and any(f.endswith("_[j]") for f in stack) and stack[-1].endswith("_[k]")


def check_cpu(jvm, spin):
    """One command records; its file is kept, so that all else can be asked of the same samples."""
    pids = (jvm.pid, spin.pid)
    for seconds in ("4", "20", "100"):  # until the service has had a processor for what is to be seen
        before = {p: cpu_ns(p) for p in pids}
        recording = subprocess.Popen([t.WICK, "record", "--perf", "-a", "-e", "cpu-clock", "-d", seconds, "--force", "-f", data],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        within = used_within(recording, pids)
        said, _ = recording.communicate(timeout=600)
        used = {p: cpu_ns(p) - before[p] for p in pids}
        if not t.check("record --perf -a", recording.returncode == 0 and os.path.exists(data), said):
            return
        stacks = convert("--annotate", "--by", "process", data)
        if any(s[0] == f"[java-{jvm.pid}]_[x]" and is_mixed(s) for s, _ in stacks):
            break
    top = json.loads(t.wick("top", "--json", "-n", "1", data).out)
    interval = top["weight"] / max(top["samples"], 1)
    roots = collections.Counter()
    for s, w in stacks:
        roots[s[0]] += w
    java, native = f"[java-{jvm.pid}]_[x]", f"[native_spin-{spin.pid}]_[x]"
    t.check("each process has a root of its own", java in roots and native in roots, roots.most_common(20))
    for name, root, pid in (("the JVM", java, jvm.pid), ("the native program", native, spin.pid)):
        # Samples of a clock that keeps step with the kernel's ticks are not quite independent of who runs: a tenth.
        slack = SIGMAS * math.sqrt(max(used[pid], interval) * interval) + 4 * TICK_NS
        t.check(f"{name} has no more than the CPU time that it used", roots[root] <= used[pid] * 1.1 + slack,
                f"{roots[root]} of {used[pid]} ns, {slack:.0f}")
        if within is None:
            t.skip(f"{name} has the CPU time that it used during the recording", "the machine was too slow to read the clocks during the recording")
            continue
        slack = SIGMAS * math.sqrt(max(within[pid], interval) * interval) + 4 * TICK_NS
        t.check(f"{name} has the CPU time that it used during the recording", roots[root] >= within[pid] * 0.9 - slack and roots[root],
                f"{roots[root]} of {within[pid]} ns, {slack:.0f}")
    mine = [(s, w) for s, w in stacks if s[0] == java]
    t.check("compiled Java methods are named",
            any(re.match(r"wick\.demo\.\w+", f) and f.endswith("_[j]") for s, _ in mine for f in s), show(mine))
    whole = [s for s, _ in mine if any(f.endswith("_[p]") for f in s) and any(f.endswith("_[j]") for f in s)]
    t.check("below them is the JVM's C++", whole, show(mine))
    mixed = [s for s, _ in mine if any(f.endswith("_[j]") for f in s) and s[-1].endswith("_[k]")]
    t.check("and above them the kernel", mixed, show(mine))
    chain = [s for s, _ in stacks if s[0] == native and "main_[n]" in s and "spin_outer_[n]" in s and "spin_inner_[n]" in s]
    t.check("the native program's stack is whole", chain, show([x for x in stacks if x[0][0] == native]))
    only = convert("--annotate", "--process", f"-{spin.pid}$", data)
    t.check("--process takes one", sum(w for _, w in only) == roots[native], show(only))


def skeleton(stacks):
    """What perf and wick must agree on: threads, depths, Java, C++ and kernel; of native functions, which may have
    several names, those of the test's own program. A frame without a name is only that."""
    out = collections.Counter()
    for s, w in stacks:
        frames = [f if re.search(r"_\[[xjispk]\]$", f) or f.startswith("spin_") else "native" for f in s]
        frames = ["kernel" if f.endswith("_[k]") else "native" if f == "[unknown]_[k]" else f for f in frames]
        out[";".join(frames)] += w
    return out


def check_script(jvm, spin):
    """The same samples through `perf script`."""
    text = t.path("all.txt")
    with open(text, "w") as f:
        subprocess.run(["perf", "script", "--no-inline", "-F", "comm,pid,tid,cpu,time,period,event,ip,sym,dso", "-i", data],
                       stdout=f, stderr=subprocess.DEVNULL)
    own, script = (convert("--annotate", "--by", "process", source) for source in (data, text))
    total = sum(w for _, w in own)
    t.check("perf.data and perf script have the same total", total == sum(w for _, w in script) > 0,
            f"{total}, {sum(w for _, w in script)}")
    # Other processes may be built without frame pointers; perf script attributes some of the garbage in their callchains
    # to the kernel.
    roots = (f"[java-{jvm.pid}]_[x]", f"[native_spin-{spin.pid}]_[x]")
    a, b = (skeleton((s, w) for s, w in stacks if s[0] in roots) for stacks in (own, script))
    differ, total = sum((a - b).values()), sum(a.values())
    t.check("and the same stacks", differ <= total * 0.01 and total > 0,
            f"{differ} of {total}\n" + "\n".join(str(x) for x in list((a - b).items())[:8] + list((b - a).items())[:8]))
    groups = ["convert", "--to", "collapsed", "--by", "process", "--depth", "1"]
    sums = []
    for source in (data, text):
        roots = collections.Counter()
        for s, w in folded(t.wick(*groups, source).out):
            roots[s[0]] += w
        sums.append({k: v for k, v in roots.items() if k in (f"[java-{jvm.pid}]", f"[native_spin-{spin.pid}]")})
    t.check("and the same processes", sums[0] == sums[1] and len(sums[0]) == 2, sums)


def check_picture():
    page = t.path("all.html")
    r = t.wick("record", "--perf", "-a", "-d", "1", "-f", page)
    t.check("without a name in .data it is drawn", r.status == 0 and os.path.getsize(page) > 10000, r)
    t.check("and nothing is left behind", not [n for n in os.listdir(t.WORK) if "wick-perf-" in n], os.listdir(t.WORK))


def check_faults():
    """Of a process that touches fresh memory all the time."""
    out = t.path("event.txt")
    touch = subprocess.Popen(["sh", "-c", "while :; do dd if=/dev/zero of=/dev/null bs=8M count=1; done"],
                             stderr=subprocess.DEVNULL, start_new_session=True)
    for seconds in ("2", "20"):  # until it has had a processor
        r = t.wick("record", "--perf", "-a", "-d", seconds, "-e", "page-faults", "-o", "collapsed", "--force", "-f", out)
        roots = set()
        if r.status == 0:
            with open(out) as f:
                roots = {s[0].split("-")[0] for s, _ in folded(f.read())}
        if r.status or "[dd" in roots:
            break
    touch.kill()
    touch.wait()
    if not t.check("record --perf -a -e page-faults", r.status == 0, r):
        return
    t.check("the process that touches fresh memory is in it", "[dd" in roots, "\n".join(sorted(roots)[:40]))


os.environ["TMPDIR"] = t.WORK
reason = why_not()
if reason:
    t.skip("the whole machine by perf", reason)
    t.done()
jvm = t.Jvm(["-XX:+PreserveFramePointer", "-Xmx256m", "-jar", DEMO, "--seconds", "3000", "--idle", "5"], "demo")
t.check("the service listens", jvm.wait_for(r"listening on .*:\d+ pid", 240), jvm.output())
load = Load(int(re.search(r"listening on 127.0.0.1:(\d+)", jvm.output())[1]))
spin = subprocess.Popen([SPIN], stdout=subprocess.DEVNULL)
try:
    t.work_for(jvm, 3)
    check_cpu(jvm, spin)
    check_script(jvm, spin)
    check_picture()
    check_faults()
    tracing = "/sys/kernel/tracing/events/block"
    mounted = not os.path.isdir(tracing) and os.geteuid() == 0
    if mounted:
        t.run("mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing")
    if os.path.isdir(tracing):
        r = t.wick("record", "--perf", "-a", "-d", "2", "-e", "context-switches,block:block_rq_issue,sched:sched_switch", "-f", data)
        t.check("tracepoints", r.status == 0, r)
        for event in ("context-switches", "sched:sched_switch"):
            r = t.wick("convert", "-e", event, "--by", "process", "--to", "collapsed", data)
            t.check(f"{event}: the JVM is among the processes", f"[java-{jvm.pid}]" in r.out, r.out[:2000])
    else:
        t.skip("tracepoints", "tracefs is not mounted")
    if mounted:
        t.run("umount", "/sys/kernel/tracing")
finally:
    load.stop()
    spin.kill()
    spin.wait()
t.check("requests were answered during the recording", load.answered > 0)
map_file = f"/tmp/perf-{jvm.pid}.map"
t.check("the map that perf's file needs was kept", os.path.exists(map_file))
jvm.kill()
if os.path.exists(map_file):
    os.unlink(map_file)
t.done()
