#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 25
# alone
"""Threads that are slow to reach safepoints are found with the right reason, and no others are.

The JVM's own log of safepoints is the oracle: what it calls slow must be found, and what is found must be in it."""
import json
import os
import re
import shutil
import subprocess
import time

import cgroup
import jvmtest as t

classes = t.compile_java("Tardy")
THRESHOLD_MS = 10
STRIPS = [] if t.JDK == 8 else ["-XX:-UseCountedLoopSafepoints"]
# The lines of the text log: the form of each, and which may follow it. docs/ttsp.md says what the fields mean.
UPTIME = r"\d+\.\d{3}"
LINES = {
    "issue": (rf"Detected TTSP issue: start: {UPTIME} wait: {UPTIME} (operation: \S+|held up: GC, by JNI critical sections) "
              r"threads: \d+ late: \d+", ("thread", "over", "end")),
    "over": (r"\(over before its threads could be examined\)", ("end",)),
    "thread": (r"Dumping stack for thread 0x[0-9a-f]{16}", ("rules",)),
    "rules": (r'".*" id: \d+ prio: \d+ os_prio: -?\d+ sched: SCHED_\w+ allowed_cpus: [0-9a-f,]+', ("release",)),
    "release": (rf"lock_release: {UPTIME}", ("use", "signal", "thread", "end")),
    "signal": (rf"signal_sent: {UPTIME} signal_responded: ({UPTIME}|never)", ("state",)),
    "state": (r"state: [RSDTtXZI?] wchan: \S+", ("use",)),
    "use": (r"last_cpu: -?\d+ cpu_time: \d+ run_delay: \d+ major_faults: \d+", ("frame", "none")),
    "frame": (r"\d+ (0x[0-9a-f]{16}| {17}-) \S.*", ("frame", "signal", "thread", "end")),
    "none": (r"\(no stack\)", ("signal", "thread", "end")),
    "end": (r"", ("issue",)),
}


def log_options(file):
    if t.JDK == 8:
        return ["-XX:+PrintGCApplicationStoppedTime", "-Xloggc:" + file]
    return [f"-Xlog:safepoint*:file={file}"]


def reached(file):
    """Times to safepoint in the JVM's log, ms."""
    with open(file) as f:
        said = f.read()
    return [int(ns) / 1e6 for ns in re.findall(r"Reaching safepoint: +(\d+) ns", said)] + \
           [float(s.replace(",", ".")) * 1e3 for s in re.findall(r"Stopping threads took: ([\d.,]+) seconds", said)]


# On a crowded machine the slow thread may lack a processor most of the time, which then is the reason ("starved"); where
# it was is the same.


def log_errors(text):
    """Lines of the text log that are not as they must be, or not where."""
    wrong, allowed = [], ("issue",)
    for line in text.splitlines():
        kind = next((k for k in allowed if re.fullmatch(LINES[k][0], line)), None)
        if kind is None:
            wrong.append(f"{line!r} where one of {allowed} was expected")
            kind = next((k for k in LINES if re.fullmatch(LINES[k][0], line)), "end")
        allowed = LINES[kind][1]
    return wrong


class Run:
    """A JVM with the profiler from its start, stopped a number of times."""

    def __init__(self, name, *modes, gcs=10, options=(), event="ttsp", prepare=None, thresholds="10:20:50:100:200",
                 prefix=(), java=None, enough=lambda run: True):
        """enough: whether there is what the test is about; the JVM is stopped until there is. What is slow may become so when it is
        compiled, which a busy machine does some time."""
        self.file, self.text, self.sp = t.path(name + ".jfr"), t.path(name + ".txt"), t.path(name + ".log")
        agent = f"-agentpath:{t.AGENT}=start,event={event},ttsp-threshold-ms={thresholds},ttsp-log={self.text}," \
                f"file={self.file}"
        self.jvm = t.Jvm([agent, "-XX:+UseParallelGC", *log_options(self.sp), *options, "-cp", classes, "Tardy", *modes],
                         name, prefix=prefix, java=java)
        ok = t.check(f"{name}: the JVM runs", self.jvm.wait_for(r"(?m)^up"), self.jvm.output())
        self.tidy = prepare(self.jvm) if ok and prepare else None
        time.sleep(1)
        ok = ok and t.check(f"{name}: it stops {gcs} times",
                            self.jvm.ask(f"gc {gcs}", "(gc done)") is not None, self.jvm.output())
        if ok:
            t.until(lambda: enough(self) or self.jvm.ask("gc 5", "(gc done)") is None)
        self.status = t.status(self.jvm.pid)
        logged = len(reached(self.sp))  # the JVM stops its threads once more when it ends, and is not watched then
        if self.tidy:
            self.tidy()
        stopped = t.stop(self.jvm.pid)
        t.check(f"{name}: the recording ends", stopped.status == 0, stopped)
        self.jvm.say("exit")
        t.check(f"{name}: the JVM ends well", self.jvm.wait() == 0, self.jvm.output())
        r = t.wick("ttsp", "--json", "-n", "0", self.file)
        t.check(f"{name}: wick ttsp reads it", r.status == 0, r)
        self.found = json.loads(r.out)
        with open(self.text) as f:
            self.said = f.read()
        t.check(f"{name}: the log has every field in its place", not log_errors(self.said),
                "\n".join(log_errors(self.said)))
        r = t.wick("explain", "--json", self.file)
        t.check(f"{name}: wick explain reads it", r.status == 0, r)
        explained = json.loads(r.out)
        slow = [f["sentence"] for f in explained["findings"] if f["rule"] in ("late-safepoints", "starved-safepoints")]
        self.explained = "; ".join(slow)
        self.late_ns = sum(i["reach_ns"] for i in self.found["worst"])
        self.late_share = self.late_ns / explained["duration_ns"]
        self.slow = [ms for ms in reached(self.sp)[:logged] if ms > 4 * THRESHOLD_MS]

    def slow_so_far(self):
        return sum(ms > 4 * THRESHOLD_MS for ms in reached(self.sp))

    def seen_so_far(self, thread):
        """How often the text log has a thread."""
        with open(self.text) as f:
            return f.read().count(f'"{thread}" id: ')

    def blamed(self, thread):
        """Reasons and frames of a thread's delayed arrivals."""
        return [(c["why"], c["frame"], c["caller"]) for i in self.found["worst"] for c in i["threads"]
                if c["thread"] == thread]


def same(mine, theirs):
    """Before JDK 14 the JVM reports sums, which may hold another safepoint; then the watcher's own time has to do."""
    close = abs(mine - theirs) < 0.01 + 0.01 * theirs
    return close or (t.JDK < 14 and theirs <= mine < theirs + 20)


def most(part, whole, share=0.9):
    """Whether as many incidents are blamed right as is credible where that share is (t.FALSE_ALARM); at least one, and a third of those
    that are too few for that."""
    return len(part) >= max(1, len(whole) // 3, t.least_of(len(whole), share))


def names_it(name, run, *words):
    """What explain says of the worst incident. On a crowded machine that may be lack of a processor."""
    print(f"# {name}: late {run.late_share:.3f} of the time: {run.explained}", flush=True)
    # from 1 % on, of code and of a lack of processors each
    if run.late_share < 0.011 or (run.late_share < 0.022 and not run.explained):
        t.skip(f"{name}: wick explain names it", f"too little: {run.late_share:.3f} of the time")
        return
    t.check(f"{name}: wick explain names it", any(w in run.explained for w in (*words, "no CPU to get there")),
            (run.explained, run.found["blame"]))


def agree(name, run, threshold_ms=THRESHOLD_MS):
    """The recording and the JVM's log report the same safepoints."""
    mine = [i["reach_ns"] / 1e6 for i in run.found["worst"] if i["kind"] == "safepoint"]
    theirs = reached(run.sp)
    # the log of JDK 8 and 11 has seven digits of a second
    strange = [ms for ms in mine if not any(same(ms, x) for x in theirs)]
    t.check(f"{name}: each incident is in the JVM's log", not strange, (strange, sorted(theirs)[-20:]))
    t.check(f"{name}: none is below the threshold", all(ms >= 0.9 * threshold_ms for ms in mine), mine)
    # of several that fall between two polls of a watcher without a processor only the sum is known
    found = run.status.get("ttsp_unclear", 0) + sum(any(same(ms, x) for ms in mine) for x in run.slow)
    t.check(f"{name}: what the JVM calls slow is found", found >= len(run.slow),
            (found, run.slow, mine, run.status))


def counted_loop():
    run = Run("loop", "loop", "prompt", options=["-Xmx128m", *STRIPS],
              enough=lambda run: run.slow_so_far() >= 5 and run.seen_so_far("loop") >= 5)
    t.check("loop: the JVM was slow at all", len(run.slow) >= 3, run.slow)
    agree("loop", run)
    got = run.blamed("loop")
    good = [g for g in got if g[0] in ("loop", "starved") and g[1].startswith("Tardy.countedLoop:")]
    t.check("loop: the counted loop is blamed, by method and line", most(good, got), got)
    names_it("loop", run, "without a safepoint poll, at Tardy.countedLoop")
    kinds = [k for k in LINES if k not in ("over", "none") and not re.search("(?m)^" + LINES[k][0] + "$", run.said)]
    t.check("loop: the log has lines of all kinds", not kinds, kinds)
    answers = re.findall(r"signal_responded: (\S+)", run.said)
    t.check("loop: signals are answered", most([a for a in answers if a != "never"], answers), answers)
    if t.JDK >= 11:
        t.check("loop: where it gave way is shown", "SafepointSynchronize::block" in run.said, run.said[:3000])
        t.check("loop: the operation is named", any("GC" in i["operation"] for i in run.found["worst"]),
                run.found["worst"][:1])
    else:
        t.check("loop: counters do where there are no symbols", run.status.get("ttsp_source") == "counters", run.status)
    for v in (17, 21):
        r = t.jfr(v, "print", "--events", "wick.Safepoint*,jdk.Safepoint*", run.file)
        t.check(f"loop: jfr of JDK {v} reads the events", r.status == 0 and not r.err.strip() and
                all(e in r.out for e in ("wick.SafepointLatency", "wick.SafepointLaggard", "wick.SafepointArrival",
                                         "jdk.SafepointBegin", "jdk.SafepointStateSynchronization")), r)


def huge_copy():
    # the arrays are filled at first, which is slow as well, and no copy
    run = Run("copy", "copy", options=["-Xmx1200m"], thresholds="2:5:10:20:40", prepare=lambda jvm: jvm.wait_for("arrays") and None,
              enough=lambda run: run.seen_so_far("copy") >= 3)
    got = run.blamed("copy")
    # the function that copies has no name in a stripped libjvm.so
    place = "copy|mem" if t.JDK >= 11 else "libjvm.so"
    good = [g for g in got if g[0] in ("copy", "starved", "vm") and re.search(place, g[1].lower()) and
            "Tardy.copyHuge" in g[2]]
    t.check("copy: the copy is blamed, with the method that called it", most(good, got), got)
    # pages of the arrays that the kernel takes its time for count by their own reason, once or twice on a crowded machine
    ns = {why: sum(b["total_ns"] for b in run.found["blame"] if b["why"] == why) for why in ("copy", "fault")}
    names_it("copy", run, "one copy or fill of much memory" if t.JDK >= 11 else "Tardy.copy",
             *(["made to wait by the kernel"] if 2 * ns["fault"] > ns["copy"] else []))


def faults():
    """A loop without a poll reads a mapped file for which its cgroup has no room: each page waits for the disk."""
    try:
        group = cgroup.Cgroup()
    except cgroup.Unavailable as e:
        t.skip("fault", e)
        return
    file = t.path("big")
    cgroup.cold_file(file, 256 << 20)

    def tighten(jvm):
        group.limit_memory(150 << 20)

    run = Run("fault", "fault", options=["-Xmx32m", *STRIPS, "-Dfile=" + file], prepare=tighten, gcs=6,
              thresholds="2:5:10:20:40", prefix=group.prefix(), enough=lambda run: run.seen_so_far("fault") >= 3)
    agree("fault", run, 2)
    got = run.blamed("fault")
    good = [g for g in got if g[0] in ("fault", "starved") and "Tardy.touchPages" in g[1] + g[2]]
    t.check("fault: page faults are the reason", most(good, got) and "fault" in [g[0] for g in got],
            (got, run.said[-3000:]))
    # what waits for the page is the JVM itself now and then
    names_it("fault", run, "made to wait by the kernel: page fault, swap or disk", "Tardy.touchPages")
    group.remove()
    t.check("fault: the cgroup is gone", not any(map(os.path.exists, group.dirs)))


def critical():
    """A collection waits for native code: no safepoint is slow, and the holder is still found."""
    run = Run("critical", "critical", options=["-Xmx64m", f"-Dnative={t.NATIVE}"], gcs=5,
              enough=lambda run: run.seen_so_far("critical") >= 3)
    got = run.blamed("critical")
    good = [g for g in got if g[0] == "critical" and g[1].startswith("Tardy.hold")]
    t.check("critical: the native method that holds an array is blamed", most(good, got),
            (got, run.found["blame"]))
    names_it("critical", run, "native code held an array (JNI critical section)")


def keep_busy(cpu):
    return subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"],
                            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))


def starve(jvm):
    """The thread `prompt` may only run when a busy processor has nothing else to do."""
    cpu = min(os.sched_getaffinity(0))
    others = [keep_busy(cpu) for _ in range(2)]
    t.until(lambda: jvm.threads()["prompt"])  # it names itself as it begins
    for n in os.listdir(f"/proc/{jvm.pid}/task"):
        try:
            with open(f"/proc/{jvm.pid}/task/{n}/comm") as f:
                name = f.read().strip()
        except OSError:  # it has ended
            continue
        if name == "prompt":
            os.sched_setscheduler(int(n), os.SCHED_IDLE, os.sched_param(0))
            os.sched_setaffinity(int(n), {cpu})

    def tidy():
        for o in others:
            o.kill()
            o.wait()
    return tidy


def starved():
    run = Run("starved", "prompt", options=["-Xmx64m"], prepare=starve, gcs=12)
    agree("starved", run)
    got = run.blamed("prompt")
    if not got:
        t.skip("starved: no processor", "the kernel gave it one in time")
        return
    t.check("starved: lack of a processor is the reason", most([g for g in got if g[0] == "starved"], got, 0.75), got)
    starved_ns = sum(b["total_ns"] for b in run.found["blame"] if b["why"] == "starved")
    if starved_ns > 0.5 * run.late_ns:
        names_it("starved", run)
    else:
        t.skip("starved: wick explain names it", f"the JVM itself had no CPU to stop its threads: {starved_ns} of {run.late_ns} ns")
    t.check("starved: scheduler and processors are reported", "sched: SCHED_IDLE allowed_cpus: " in run.said,
            run.said[:2000])


def fast_ones():
    """Beside CPU samples; all safepoints are fast, as far as this machine lets them be."""
    run = Run("fast", "prompt", options=["-Xmx64m"], gcs=25, event="cpu\\,ttsp", thresholds="100",
              enough=lambda run: t.status(run.jvm.pid).get("samples", 0) > 20)
    late = [ms for ms in reached(run.sp) if ms > 90]
    found = [i for i in run.found["worst"] if i["kind"] == "safepoint"]
    t.check("fast: nothing is found that the JVM does not know", len(found) <= len(late), (found, late))
    t.check("fast: CPU samples are taken as well", run.status.get("samples", 0) > 20, run.status)
    complaints = t.jfr_complaints(run.file)
    t.check("fast: jfr of JDK 17 and 21 accept the recording", not complaints, complaints)


def without_symbols():
    """A copy of the JDK whose libjvm.so is stripped."""
    home = t.path("jdk")
    if t.run("cp", "-al", t.JAVA_HOME + "/.", home).status:
        shutil.rmtree(home, ignore_errors=True)
        t.run("cp", "-a", t.JAVA_HOME + "/.", home)
    library = home + "/lib/server/libjvm.so"
    stripped = t.run("strip", "--strip-all", "-o", library + ".new", library)
    os.replace(library + ".new", library)  # the other name of the file keeps its symbols
    t.check("stripped: libjvm.so has no symbols", stripped.status == 0 and
            "no symbols" in t.run("nm", library).err, stripped)
    return home + "/bin/java"


def counters():
    """Without symbols jvmstat's counters have to do; without those as well, a message says that nothing can be observed."""
    java = without_symbols()
    run = Run("stripped", "loop", "prompt", options=["-Xmx128m", *STRIPS], java=java, enough=lambda run: run.seen_so_far("loop") >= 5)
    t.check("stripped: counters do", run.status.get("ttsp_source") == "counters", run.status)
    agree("stripped", run)
    got = run.blamed("loop")
    good = [g for g in got if g[0] in ("loop", "starved") and g[1].startswith("Tardy.countedLoop:")]
    t.check("stripped: the counted loop is blamed, by method and line", most(good, got), got)
    agent = f"-agentpath:{t.AGENT}=start,event=ttsp,file={t.path('blind.jfr')}"
    j = t.Jvm([agent, "-XX:-UsePerfData", "-Xmx64m", "-cp", classes, "Tardy", "prompt"], "blind", java=java)
    t.check("blind: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    t.check("blind: it stops", j.ask("gc 3", "(gc done)") is not None, j.output())
    status = t.status(j.pid)
    t.check("blind: status says that nothing can be seen", status.get("ttsp_source") == "none", status)
    t.check("blind: the recording ends", t.stop(j.pid).status == 0)
    r = t.wick("ttsp", t.path("blind.jfr"))
    without = t.path("without.jfr")
    t.wick("record", "-e", "cpu", "-d", "1", "--lib", t.AGENT, "-f", without, j.pid)
    for command in ("ttsp", "locks"):
        said, as_json = t.wick(command, without), t.wick(command, "--json", without)
        t.check(f"blind: wick {command} does not print what was not recorded as none", said.status == 4 and
                "not recorded" in said.err and not said.out and as_json.status == 4 and '{"recorded":false,' in as_json.out,
                f"{said} {as_json}")
    t.check("blind: wick ttsp does not call it fast", "does not count its safepoints" in r.out, r)
    j.kill()


def live():
    dynamic = ["-XX:+EnableDynamicAgentLoading"] if t.JDK >= 21 else []
    j = t.Jvm(["-XX:+UseParallelGC", "-Xmx128m", *STRIPS, *dynamic, "-cp", classes, "Tardy", "loop"], "live")
    j.wait_for(r"(?m)^up")
    t.load_agent(j)
    j.say("gc 1000000")
    r = t.wick("ttsp", "-d", "4", "--lib", t.AGENT, j.pid)
    end = time.monotonic() + t.HANGS
    while r.status == 0 and "Tardy.countedLoop" not in r.out and time.monotonic() < end:  # it is slow once it is compiled
        r = t.wick("ttsp", "-d", "4", "--lib", t.AGENT, j.pid)
    t.check("live: wick ttsp PID shows the loop", r.status == 0 and "Tardy.countedLoop" in r.out, r)
    r = t.wick("ttsp", "-d", "2", "--threshold-ms", "30000", "--lib", t.AGENT, j.pid)
    t.check("live: where nothing was slow it says so", r.status == 0 and r.out.startswith("No thread was slow: ") and
            "-e ttsp" not in r.err, r)
    # the interrupt signal of the class libraries and ours must not be the same
    t.check("live: no signal handler stays", not any(j.caught(s) for s in range(39, 60)))
    j.kill()


counted_loop()
live()
huge_copy()
faults()
starved()
fast_ones()
if t.JDK >= 11:
    critical()
if t.JDK >= 11 and os.path.exists(t.JAVA_HOME + "/lib/server/libjvm.so"):
    counters()
t.done()
