#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 17 21 25
# ci: 11 25
# timeout: 3600
"""wick heap --copy: the dump that a copy of the JVM's process writes has the objects, their contents and who holds them as the dump
that the JVM writes of the same moment. The program goes on, with its descriptors, children, counters and logs as they were; and where
there can be no copy the answer says why."""
import glob
import os
import re
import signal

import cgroup
import hprof
import jvmtest as t
from heapcheck import counts_agree, dominators_agree, holders_are_found, jcmd, sizes_agree, wick_json

G1, SERIAL = ["-XX:+UseG1GC"], ["-XX:+UseSerialGC"]
COLLECTORS = {"g1": G1, "serial": SERIAL, "parallel": ["-XX:+UseParallelGC"], "uncompressed": [*G1, "-XX:-UseCompressedOops"],
              "wide": [*SERIAL, "-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"],
              "aligned": [*G1, "-XX:ObjectAlignmentInBytes=16"], "aligned32": [*SERIAL, "-XX:ObjectAlignmentInBytes=32"]}
MORE = {8: {"cms": ["-XX:+UseConcMarkSweepGC"]}, 11: {}, 17: {"shenandoah": ["-XX:+UseShenandoahGC"]},
        21: {"shenandoah": ["-XX:+UseShenandoahGC"]},
        25: {"compact": [*G1, "-XX:+UseCompactObjectHeaders"],
             "shenandoah": ["-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"]}}
IN_CI = {11: ("g1", "wide"), 21: ("serial", "shenandoah", "aligned32"), 25: ("parallel", "compact", "aligned")}
ZGC = {8: None, 11: ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"]}.get(t.JDK, ["-XX:+UseZGC"])
STOPPED = re.compile(r"wick: the JVM was stopped for [\d.]+ ms at most")
MIB = 1 << 20

classes = t.compile_java("Heap", "Stress")


def copy(j, file):
    return t.wick("heap", "--copy", "--force", "-o", file, j.pid)


def children(j):
    """Processes whose parent it is."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as f:
                pid, rest = f.read().split(" (", 1)
        except OSError:
            continue
        if int(rest.rsplit(") ", 1)[1].split()[1]) == j.pid:
            found.append(int(pid))
    return found


def same_objects(ours, own):
    """Of what both have under one address: nearly all, since nothing but the JVM's answering has moved or changed it."""
    reachable = own.reachable()
    plain = [o for o in reachable if own.nodes[o].kind != "class" and own.name(own.nodes[o].cls) != "java/lang/Class"]
    there = [o for o in plain if o in ours.nodes]
    t.check("what can be reached is in the copy", len(plain) > 4000 and len(there) >= 0.98 * len(plain), (len(there), len(plain)))
    program = [o for o in plain if own.nodes[o].kind == "instance" and own.name(own.nodes[o].cls).startswith("Heap$")]
    t.check("of the program's all", len(program) > 3000 and all(o in ours.nodes for o in program), len(program))

    def content(dump, o):
        n = dump.nodes[o]
        data = n.data
        if n.kind == "instance":  # the JVM's order of fields differs by JDK
            data = sorted((dump.name(cls), name or "", value) for cls, name, kind, value in dump.fields_of(n) if kind != 2)
        return n.kind, n.count, data, sorted(r for r in n.refs if r in reachable)

    off = [o for o in there if content(ours, o) != content(own, o)]
    t.check("with the same contents", len(off) <= 0.005 * len(there), [(hex(o), own.name(own.nodes[o].cls)) for o in off[:5]] + [len(off)])
    t.check("the program's exactly", not set(off) & set(program))
    beyond = [o for o in ours.reachable() if o not in own.nodes]
    t.check("and little more can be reached", len(beyond) <= 0.01 * len(there), len(beyond))


def both(j, file, own_file):
    """A dump of each kind, between which no collection has moved objects; None if that cannot be had."""
    for _ in range(8):
        if os.path.exists(own_file):
            os.unlink(own_file)
        said = jcmd(j, "GC.heap_dump", "-all", own_file)
        r = copy(j, file)
        if "created" not in said.out or r.status:
            t.check("both dumps are written", False, (said, r))
            return None
        ours, own = hprof.Dump(file), hprof.Dump(own_file)
        entries = [o for o in own.nodes if own.nodes[o].kind == "instance" and own.name(own.nodes[o].cls) == "Heap$Entry"]
        if sum(o in ours.nodes for o in entries) == len(entries):
            return ours, own
    t.check("no collection comes between both dumps", False)
    return None


def check(name, options):
    j = t.Jvm(["-Xmx128m", *options, "-cp", classes, "Heap"], name)
    if not t.check("the program is up", j.wait_for(r"(?m)^up"), j.output()):
        return
    first = t.wick("heap", "--copy", "--histogram", j.pid)
    t.check("a histogram needs no copy", first.status == 2 and "leave out --copy" in first.err, first)
    file, own_file = t.path(f"{name}.hprof"), t.path(f"{name}.own.hprof")
    warm = copy(j, file)  # loads the agent, so that what comes next finds nothing to do
    t.check("a copy writes a dump", warm.status == 0 and STOPPED.match(warm.err), warm)
    t.check("for its owner alone", os.path.exists(file) and os.stat(file).st_mode & 0o777 == 0o600)
    fds = j.fds()
    r = both(j, file, own_file)
    if r:
        ours, own = r
        same_objects(ours, own)
        document = wick_json(file)
        wanted = next((int(o.split("=")[1]) for o in options if "ObjectAlignment" in o), 8)
        t.check("objects are known to be at multiples of the option", document["layout"]["alignment"] == wanted, document["layout"])
        own_layout = wick_json(own_file)["layout"]
        t.check("as by the ids in the JVM's own dump", own_layout["alignment"] == wanted, own_layout)
        counts_agree(document, ours)
        sizes_agree(j, document)
        dominators_agree(document, ours)
        holders_are_found(file, document)
        os.unlink(file)
    os.unlink(own_file)
    t.check("no child is left", t.until(lambda: not children(j)), children(j))
    t.check("no descriptor", t.until(lambda: not j.fds() - fds), j.fds() - fds)
    t.check("the program is alive", j.proc.poll() is None)
    j.kill()


def goes_on():
    """A JVM that logs and counts, of which copies are made while all engines record."""
    log = t.path("vm.log")
    logs = [f"-Xloggc:{log}"] if t.JDK == 8 else [f"-Xlog:safepoint*,gc*=info:file={log}:uptime,level"]
    j = t.Jvm(["-Xmx200m", *G1, *logs, "-cp", classes, "Stress", "100000"], "stress")
    t.check("the program is at work", j.wait_for(r"(?m)^progress"), j.output())
    file, events = t.path("stress.jfr"), "cpu,wall,lock,nativemem,ttsp" + ("" if t.JDK == 8 else ",alloc,live")
    started = t.start(j.pid, file, "-e", events)
    t.check("all engines record", started.status == 0, started)
    dump = t.path("stress.hprof")
    for i in range(6):
        r = copy(j, dump)
        t.check(f"copy {i + 1} of a program at work", r.status == 0 and STOPPED.match(r.err), r)
    plain = hprof.Dump(dump)
    t.check("has its objects", len(plain.reachable()) > 3000, len(plain.nodes))
    t.check("no child is left", t.until(lambda: not copies(j)), copies(j))
    before = j.output().count("progress")
    t.check("the program goes on", t.until(lambda: j.output().count("progress") > before + 1), j.output()[-300:])
    stopped = t.stop(j.pid)
    t.check("so does the recording", stopped.status == 0 and os.path.getsize(file) > 10000, stopped)
    with open(log, errors="replace") as f:
        lines = [x for x in f.read().splitlines() if re.search(r"Total: +\d+ ns|[Pp]ause", x)]
    again = {x for x in lines if lines.count(x) > 1 and re.search(r"Total: +\d{4,} ns", x)}
    t.check("no line is logged twice", len(lines) > 3 and not again, sorted(again)[:3])
    j.kill()


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm") as f:
            return f.read().strip()
    except OSError:
        return ""


def copies(j):
    return [c for c in children(j) if comm(c) == "wick-heap-copy"]


def sleeps(pid):
    """As a copy does while the pipe to its reader is full; whether it does: None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(") ", 1)[1][0] == "S"
    except OSError:
        return None


def start_stopped(j):
    """A copy whose reader has stopped reading before the end of the heap: (wick, [the copy's pid]). On a crowded machine it may
    have ended before that, so there are more attempts."""
    for _ in range(50):
        reader = t.subprocess.Popen([t.WICK, "heap", "--copy", "--force", "-o", t.path("never.hprof"), str(j.pid)],
                                    stdout=t.subprocess.DEVNULL, stderr=t.subprocess.PIPE, text=True)
        t.until(lambda: copies(j) or reader.poll() is not None, pause=0.001)
        reader.send_signal(signal.SIGSTOP)
        made = copies(j)
        if made and t.until(lambda: sleeps(made[0]) is not False) and sleeps(made[0]):
            break
        reader.kill()
        reader.communicate()
        t.until(lambda: not children(j))
    return reader, made


def killed():
    """The process that asked for it is killed: so ends the copy."""
    j = t.Jvm(["-Xmx400m", *SERIAL, "-cp", classes, "Heap", "200"], "killed")
    t.check("the program is up", j.wait_for(r"(?m)^up"), j.output())
    reader, made = start_stopped(j)
    t.check("a copy is there", sleeps(made[0]) if made else False, reader.poll())
    busy = t.wick("heap", "--copy", j.pid)
    t.check("there is one at a time", busy.status == 7 and "is being written" in busy.err, busy)
    os.kill(made[0], signal.SIGSEGV)
    reader.send_signal(signal.SIGCONT)
    err = reader.communicate()[1]
    t.check("a copy whose code fails is made again", reader.returncode == 0 and STOPPED.search(err), (reader.returncode, err))
    t.check("and ends", t.until(lambda: not children(j)), children(j))
    reader, made = start_stopped(j)
    t.check("there is another", sleeps(made[0]) if made else False, reader.poll())
    reader.kill()
    reader.wait()
    t.check("it ends with its reader", t.until(lambda: not children(j)), children(j))
    reader, made = start_stopped(j)
    t.check("there is a third", sleeps(made[0]) if made else False, reader.poll())
    j.kill()
    t.check("it ends with the JVM", t.until(lambda: not any(comm(c) == "wick-heap-copy" for c in made)), made)
    reader.send_signal(signal.SIGCONT)
    err = reader.communicate()[1]
    said = (reader.returncode == 1 and "ended before its heap was written" in err) or "ended or closed the control connection" in err
    t.check("which is said, also if the JVM had not answered", reader.returncode and said, (reader.returncode, err))


def without_room():
    """A cgroup with less room than the process takes."""
    try:
        group = cgroup.Cgroup()
    except cgroup.Unavailable as e:
        t.skip("a cgroup without room", str(e))
        return
    group.limit_memory(420 * MIB)
    j = t.Jvm(["-Xmx300m", "-Xms300m", "-XX:+AlwaysPreTouch", *SERIAL, "-cp", classes, "Heap"], "room", prefix=group.prefix())
    t.check("the program is up", j.wait_for(r"(?m)^up"), j.output())
    r = t.wick("heap", "--copy", j.pid)
    t.check("without room for a copy there is none", r.status == 10 and re.search(r"may take \d+ MiB, and there is room for \d+ MiB", r.err), r)
    group.limit_memory(1200 * MIB)
    reader, made = start_stopped(j)
    group.limit_memory(420 * MIB)
    t.check("one that takes the last of it is ended", t.until(lambda: not any(comm(c) == "wick-heap-copy" for c in made)), made)
    reader.send_signal(signal.SIGCONT)
    err = reader.communicate()[1]
    t.check("which is said as well", "it is ended when memory runs short" in err, (reader.returncode, err))
    j.kill()
    group.remove()


def refused():
    if ZGC:
        j = t.Jvm(["-Xmx128m", *ZGC, "-cp", classes, "Heap"], "zgc")
        t.check("the program is up with ZGC", j.wait_for(r"(?m)^up"), j.output())
        r = t.wick("heap", "--copy", j.pid)
        t.check("ZGC's heap is not copied", r.status == 6 and "ZGC keeps the heap in memory that a child process shares" in r.err, r)
        j.kill()
    if t.JDK == 11:
        j = t.Jvm(["-Xmx128m", "-XX:+UseShenandoahGC", "-cp", classes, "Heap"], "shenandoah")
        t.check("the program is up with Shenandoah", j.wait_for(r"(?m)^up"), j.output())
        r = t.wick("heap", "--copy", j.pid)
        t.check("its heap is not copied", r.status == 6 and "reports old copies of objects" in r.err, r)
        j.kill()
    r = t.wick("heap", "--copy", "--live", str(os.getpid()))
    t.check("--live is of the JVM's own dumps", r.status == 2 and "leave out --live" in r.err, r)
    r = t.wick("heap", "--copy", "-o", t.path("no/folder.hprof"), str(os.getpid()))
    t.check("where no file can be made none is asked for", r.status == 4 and "cannot create" in r.err, r)
    r = t.wick("heap", "-o", t.path("dump.txt"), str(os.getpid()))
    t.check("the output's ending says what it is", r.status == 2 and "in .hprof for the dump itself" in r.err, r)
    r = t.wick("heap", "--copy", t.path("none.hprof"))
    t.check("a file is not copied", r.status == 2 and "--copy is for a JVM" in r.err, r)


for name, options in {**COLLECTORS, **MORE[t.JDK]}.items():
    if not os.environ.get("CI") or name in IN_CI.get(t.JDK, ()):
        with t.titled(name):
            check(name, options)
with t.titled("at work"):
    goes_on()
killed()
without_room()
refused()
t.done()
