#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 25
"""wick beside others that sample: JFR, an application that owns SIGPROF, another build of wick; and without perf."""
import os
import shutil
import subprocess
import time

import jvmtest as t

BURST = 5  # broken walks that may have one cause, at 1 ms: a place that cannot be walked from, for 5 ms at most (stress.py)
MORE_SIGNALS = 50  # of the application's timer: one that is disarmed, or whose handler is replaced, gives none
classes = t.compile_java("Busy")


def busy(*options, name="busy", prefix=()):
    j = t.Jvm([*options, "-Xmx256m", f"-Dnative={t.NATIVE}", "-cp", classes, "Busy", "spin=2", "zip"], name, prefix=prefix)
    if not j.wait_for(r"(?m)^up"):
        t.check(f"{name}: the JVM runs", False, j.output())
    return j


def beside_jfr():
    if t.JDK < 11:
        t.skip("beside JFR", "Debian's JDK 8 needs other options for it")
        return
    file, own = t.path("own.jfr"), t.path("wick.jfr")
    settings = ["settings=profile"] + (["jdk.CPUTimeSample#enabled=true", "jdk.CPUTimeSample#throttle=5ms"]
                                       if t.JDK >= 25 else [])
    j = busy(f"-XX:StartFlightRecording={','.join(settings)},filename={file}", name="jfr")
    r = t.start(j.pid, own, "-i", "1ms")
    t.work_for(j, 4)
    t.stop(j.pid)
    s = t.status(j.pid)
    time.sleep(0.5)
    t.check("beside JFR: wick records", r.status == 0 and s["samples"] > 500 and not t.jfr_complaints(own), (r, s))
    t.check("beside JFR: walks do not break", s["broken"] <= t.most_of(s["samples"], 0.005, BURST), s)
    j.say("exit")
    t.check("beside JFR: the JVM ends well", j.wait() == 0, j.output())
    theirs = t.jfr(21, "summary", file).out
    counts = {l.split()[0]: int(l.split()[1]) for l in theirs.splitlines() if l.strip().startswith("jdk.")}
    t.check("JFR records as well", counts.get("jdk.ExecutionSample", 0) > 20, theirs[:300])
    if t.JDK >= 25:
        t.check("its sampler by CPU time as well", counts.get("jdk.CPUTimeSample", 0) > 100, counts)


def beside_sigprof():
    j = busy(name="sigprof")
    t.check("the application takes SIGPROF", j.ask("prof 10", r"prof (\d+)") == "0", j.output())

    def keep_coming():
        """Whether many more come. Not how fast: the kernel checks its timers at its ticks and merges signals that are pending."""
        def count():
            return int(j.ask("profs", r"profs (\d+)") or 0)
        first = count()
        return t.until(lambda: count() >= first + MORE_SIGNALS, 240)
    t.check("its signals come", keep_coming())
    t.start(j.pid, t.path("prof.jfr"), "-i", "1ms")
    t.check("its signals keep coming while wick records", keep_coming())
    t.until(lambda: t.status(j.pid).get("samples", 0) > 300, 240)
    t.stop(j.pid)
    t.check("and after it has recorded", keep_coming())
    t.check("and wick records", t.status(j.pid)["samples"] > 300, t.status(j.pid))
    r = t.start(j.pid, t.path("itimer.jfr"), "-e", "itimer")
    t.check("itimer, which needs SIGPROF, is refused with the reason", r.status != 0 and "SIGPROF" in r.err, r)
    t.check("and takes nothing away", keep_coming())
    j.kill()


def two_builds():
    """The same agent with another build id is another build: the old one retires, the new one records."""
    other = t.path("other")
    os.mkdir(other)
    copy = shutil.copy(t.AGENT, other + "/libwick.so")
    note = subprocess.run(["readelf", "-n", copy], capture_output=True, text=True).stdout.split("Build ID: ")[1][:40]
    with open(copy, "r+b") as f:
        data = f.read()
        at = data.find(bytes.fromhex(note))
        f.seek(at)
        f.write(bytes([data[at] ^ 0xff]))
    j = busy(name="builds")
    for i, agent in enumerate((t.AGENT, copy, t.AGENT)):
        file = t.path(f"build{i}.jfr")
        r = t.wick("start", "-q", "--lib", agent, "-i", "1ms", "-f", file, j.pid)
        t.work_for(j, 0.3)
        q = t.stop(j.pid)
        t.check(f"build {i}: records after another", r.status == 0 and q.status == 0
                and t.weight_of(t.stacks(file)) > 5e7, (r, q))
    r = t.wick("start", "-q", "--lib", copy, "-f", t.path("a.jfr"), j.pid)
    q = t.wick("start", "-q", "--lib", t.AGENT, "-f", t.path("b.jfr"), j.pid)
    t.check("but not while that one records", r.status == 0 and q.status != 0 and "stop" in q.err, (r, q))
    t.stop(j.pid)
    j.kill()


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def without_perf():
    """A JVM of another user, for whom kernel frames are not permitted: the privileged command opens the events, so that
    the time in the kernel is counted, but hands out no kernel addresses."""
    if os.geteuid() or not os.path.isdir("/proc/self/ns"):
        t.skip("the perf broker", "needs root")
        return
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        if int(f.read()) < 2:
            t.skip("the perf broker", "everybody may use perf here")
            return
    os.chmod(t.WORK, 0o755)
    j = t.Jvm(["-Xmx256m", "-cp", t.path("c"), "Busy", "spin=1", "kernel"], "broker",
              prefix=["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
                      "--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"])  # the JDK may be root's own
    if not j.wait_for(r"(?m)^up"):
        if "could not find libjava.so" in j.output():  # JDK 8 requires the path to be the user's, whatever its capabilities
            t.skip("the perf broker", "another user cannot run a JDK 8 below a directory that is closed to all")
        else:
            t.check("the other user's JVM runs", False, j.output())
        return
    for seconds in (2, 20, 100):  # until the thread that reads has had a processor
        file = t.path(f"broker{seconds}.jfr")
        before = cpu_seconds(j.pid)
        r = t.wick("record", "--lib", t.AGENT, "-i", "1ms", "-d", seconds, "-f", file, j.pid)
        used = cpu_seconds(j.pid) - before
        stacks = t.stacks(file) if r.status == 0 else []
        kernel = [x for x in stacks if any(f.endswith("_[k]") for f in x[0])]
        system = [x for x in stacks if any("Busy.kernel" in f for f in x[0])]
        if r.status or system:
            break
    t.check("another user's JVM gets no kernel addresses through the broker", r.status == 0 and stacks and not kernel,
            (r, kernel[:1]))
    t.check("which a note says", "no kernel frames: the JVM's user may not see kernel addresses" in r.err, r)
    # what the kernel's account in ticks and a started interval of each thread leave open is less than a tenth of a second
    t.check("and its time in the kernel is counted", system and t.weight_of(stacks) < 1.02e9 * used + 1e8,
            (r, t.weight_of(system), t.weight_of(stacks), used))
    j.kill()


beside_jfr()
beside_sigprof()
two_builds()
shutil.copytree(classes, t.path("c"))
without_perf()
t.done()
