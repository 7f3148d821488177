#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# ci: 21
# alone
"""CPU limits of cgroups in recordings of the whole machine: that of a JVM, which is reached all the time, that of a cgroup
above the one that a native program is in, likewise, and one that is never reached. What `wick host` records is what cpu.stat
counts, and `wick host explain` names the first two, who used their CPU time, and not the third, as `wick explain` does of the
recording that it keeps.

Nothing is decided by chance: cpu.stat is read before the recording, at its end and after it. A cgroup that uses its limit is
sampled for 0.4 s of CPU time at least."""
import json
import os
import re
import signal
import subprocess

import cgroup
import jvmtest as t

SPIN = os.path.join(t.BUILD, "tests/jvm/native_spin")
LIMIT = 0.2
THROTTLED = 20  # periods to wait for: more than the rule needs
NAMES = ("periods", "throttled periods", "time stopped")
recording = t.path("throttled.jfr")


def span_ns(text):
    """ISO 8601 of the jfr tool: PT1.5S, PT1M2.25S."""
    m = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text)
    return round(sum(float(v or 0) * f for v, f in zip(m.groups(), (3600, 60, 1))) * 1e9)


def readings(file):
    """{cgroup: [(periods, throttled, ns, limit, ns of a period)]} in the order of time"""
    out = {}
    events = json.loads(t.jfr(21, "print", "--json", "--events", "wick.CgroupCpu", file).out)["recording"]["events"]
    for e in sorted((e["values"] for e in events), key=lambda e: e["startTime"]):
        out.setdefault(e["cgroup"], []).append(
            (e["periods"], e["throttledPeriods"], span_ns(e["throttledTime"]), e["limit"], span_ns(e["period"])))
    return out


def record(groups, limited):
    """Records until those were stopped often enough. (What it said; cpu.stat of each before, at the last moment of the recording,
    and after)"""
    before = [g.throttled() for g in groups]
    p = subprocess.Popen([t.WICK, "host", "explain", "--json", "-d", "3600", "-f", recording], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    t.until(lambda: p.poll() is not None or (os.path.exists(recording) and os.path.getsize(recording)))
    begun = [g.throttled()[1] for g in limited]
    t.check("the limits are reached", t.until(lambda: all(g.throttled()[1] >= b + THROTTLED for g, b in zip(limited, begun))))
    last = [g.throttled() for g in groups]
    p.send_signal(signal.SIGINT)
    out, err = p.communicate()
    t.check("it records", p.returncode == 0 and f"recording: {recording}" in err, err)
    return out, before, last, [g.throttled() for g in groups]


def check_counts(title, rows, before, last, after):
    t.check(f"{title}: counters only grow", all(a[i] <= b[i] for a, b in zip(rows, rows[1:]) for i in range(3)), rows)
    for i, name in enumerate(NAMES):
        said = f"{title}: {name} from {rows[0][i]} to {rows[-1][i]}, by cpu.stat {before[i]}, {last[i]} and {after[i]}"
        print(f"# {said}")
        t.check(f"{title}: {name} as cpu.stat counts them", before[i] <= rows[0][i] and last[i] <= rows[-1][i] <= after[i], said)
    t.check(f"{title}: the limit and its period", all(abs(r[3] - LIMIT) < 1e-6 and r[4] == 1000 * cgroup.PERIOD_US for r in rows), rows)


def findings(text):
    """{cgroup: figures}"""
    return {f["figures"]["cgroup"]: f["figures"] for f in json.loads(text)["findings"] if f["rule"] == "throttled"}


def run():
    tight, pod, loose = cgroup.Cgroup(), cgroup.Cgroup(), cgroup.Cgroup()
    inner = cgroup.Cgroup(pod)  # whose processes are stopped by the limit above
    for group in (tight, pod):
        group.limit_cpu(LIMIT)
    loose.limit_cpu(64)
    spins = [subprocess.Popen(g.prefix() + [SPIN], stdout=subprocess.DEVNULL) for g in (inner, loose)]
    jvm = t.Jvm(["-XX:+UseSerialGC", "-Xmx64m", "-cp", t.compile_java("Walls"), "Walls", "burn=1"], "tight", prefix=tight.prefix())
    t.check("the JVM runs", jvm.wait_for("up", 600), jvm.output())
    said, before, last, after = record([tight, pod, loose], [tight, pod])
    rows, found = readings(recording), findings(said)
    t.check("wick explain says the same of the recording", t.wick("explain", "--json", recording).out == said, said)
    summary = t.jfr(21, "summary", recording).out
    for event in ("jdk.ExecutionSample", "profiler.WallClockSample", "wick.Pressure"):
        m = re.search(rf"{event} +(\d+)", summary)
        t.check(f"it has {event}", m and int(m[1]) > 0 or event == "wick.Pressure" and not os.path.exists("/proc/pressure/cpu"), summary)
    users = (f"java-{jvm.pid}", f"native_spin-{spins[0].pid}")
    for i, (group, who) in enumerate(zip((tight, pod), users)):
        if t.check(f"{who}: its cgroup is in the recording", group.path in rows, list(rows)):
            check_counts(who, rows[group.path], before[i], last[i], after[i])
        t.check(f"{who} is named as what uses that cgroup's CPU time", who in found.get(group.path, {}).get("who", ""), found)
    t.check("the limit that is never reached is no finding", set(found) == {tight.path, pod.path}, list(found))
    grown = [rows[tight.path][-1][i] - rows[tight.path][0][i] for i in range(3)]
    figures = found.get(tight.path, {})
    t.check("the figures are the difference", (figures.get("periods"), figures.get("throttled"), figures.get("time_ns")) == tuple(grown),
            (figures, grown))
    collapsed = t.wick("convert", "--by", "cgroup", "--by", "process", "--to", "collapsed", recording).out
    t.check("samples have the label cgroup", f"[{inner.path}];[{users[1]}];" in collapsed, collapsed[:400])
    instead = t.wick("convert", "-e", "wall", "--by", "ran-instead", "--by", "ran-instead-cgroup", "--to", "collapsed", recording).out
    of_whom = {line.split(";")[1] for line in instead.splitlines() if line.startswith(f"[native_spin-{spins[1].pid}];")}
    t.check("and what ran instead has its own", of_whom <= {f"[{loose.path}]", "[no ran-instead-cgroup]"} and
            (not of_whom or f"[{loose.path}]" in of_whom), (of_whom, loose.path))
    print(f"# ran instead: {of_whom}")
    for s in spins:
        s.kill()
        s.wait()
    jvm.kill()


probe = t.wick("host", "-e", "cpu,sched", "-d", "100ms", "-f", t.path("try.jfr"))
if probe.status in (5, 6):
    t.skip("wick host", probe.err.strip())
    t.done()
for words, why in ((("explain", "-f", t.path("no.html")), "recording"), (("explain", "more"), "records all processes"),
                   (("--json",), "wick host explain")):
    r = t.wick("host", "-d", "100ms", *words)
    t.check(f"{words[:2]} is refused", r.status == 2 and why in r.err, r)
t.check("and no file is made", not os.path.exists(t.path("no.html")))
try:
    run()
except cgroup.Unavailable as e:
    t.skip("CPU limits of cgroups", e)
t.done()
