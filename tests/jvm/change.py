#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
"""A recording whose events and intervals change while it runs, and moments that are marked in it."""
import json
import re

import jvmtest as t

classes = t.compile_java("Busy")
WORK_MS = 300
JDK8 = t.JDK < 11


def work(j):
    """CPU time of two threads named short-*, WORK_MS each; what it is in ms."""
    return int(j.ask(f"short 2 {WORK_MS}", r"short (\d+)")) / 1e6


def weights(file, event):
    """Weight of the threads that worked, of one event."""
    r = t.wick("top", "--json", "-e", event, "--by", "thread", "-n", "0", file)
    return sum(row["total"] for row in json.loads(r.out)["rows"] if "short-" in row["name"]) if r.status == 0 else 0


def summary(file):
    r = t.jfr(17, "summary", file)
    return dict((name, int(n)) for name, n in re.findall(r"(?m)^ ([\w.]+) +(\d+) +\d+$", r.out))


def change(j, *options):
    return t.wick("change", *options, j.pid)


def marks(file):
    return [m["text"] for m in t.events(file, "wick.Mark")]


def changes():
    j = t.Jvm(["-Xmx256m", "-cp", classes, "Busy", "alloc=1"], "change")
    j.wait_for(r"(?m)^up")
    file = t.path("change.jfr")
    r = t.start(j.pid, file, "-e", "cpu", "-i", "1ms")
    t.check("a recording of CPU time starts", r.status == 0, r)
    first = work(j)
    t.check("a moment is marked", t.wick("mark", j.pid, "first, of=two;", "\\parts").status == 0)
    before = t.status(j.pid)
    r = change(j, "-e", "wall", "-i", "5ms", *([] if JDK8 else ["--alloc", "64k"]))
    t.check("it goes on with other events", r.status == 0 and "continues" in r.err, r)
    now = t.status(j.pid)
    t.check("its totals go on", now.get("running") == 1 and now["samples"] >= before["samples"] > 100
            and now["weight"] >= before["weight"], (before, now))
    t.wick("mark", j.pid, "second")
    work(j)  # by elapsed time only
    until = t.until(lambda: t.status(j.pid).get("wall_weight", 0) > 0)
    t.check("samples of the new event come", until)
    if not JDK8:
        t.check("also of allocations", t.until(lambda: t.status(j.pid).get("recorded_alloc", 0) > 20), t.status(j.pid))
    before = t.status(j.pid)
    r = change(j, "-e", "no-such-event")
    t.check("an event that does not exist is refused", r.status not in (0, 1) and "no-such-event" in r.err, r)
    t.check("and the recording goes on as it was", t.until(lambda: t.status(j.pid)["wall_weight"] > before["wall_weight"]))
    r = change(j, "-i", "20ms")
    now = t.status(j.pid)
    t.check("the interval changes alone", r.status == 0 and now.get("event") == "wall" and now.get("interval_ns") == 20_000_000, (r, now))
    r = change(j, "-e", "cpu", "-i", "1ms")
    t.check("CPU time is recorded again", r.status == 0, r)
    third = work(j)
    r = t.stop(j.pid)
    t.check("the recording ends", r.status == 0, r)
    t.check("what was marked is in it, in order", marks(file) == ["first, of=two; \\parts", "second"], marks(file))
    found = weights(file, "cpu") / 1e6
    # Exact up to an interval a thread, two of them in each part.
    t.check("CPU time is that of the parts that sampled it", abs(found - first - third) <= 8, (found, first, third))
    found = weights(file, "wall") / 1e6
    t.check("elapsed time is that of the other one", found > 0, found)
    found = summary(file)
    t.check("the JDK's tool reads it", not t.jfr_complaints(file), t.jfr_complaints(file))
    t.check("events of all parts are in one file", found.get("jdk.ExecutionSample", 0) > 200
            and found.get("profiler.WallClockSample", 0) > 0
            and (JDK8 or found.get("jdk.ObjectAllocationSample", 0) > 20), found)
    r = t.wick("explain", "--json", file)
    t.check("wick explain reads it", r.status == 0 and json.loads(r.out)["duration_ns"] > 0, r)
    j.kill()


def from_outside():
    """Somebody else changes the recording that `wick record` makes, and it still ends when it is over."""
    j = t.Jvm(["-Xmx256m", "-cp", classes, "Busy", "alloc=1"], "outside")
    j.wait_for(r"(?m)^up")
    file = t.path("outside.jfr")
    record = t.subprocess.Popen([t.WICK, "record", "--lib", t.AGENT, "-e", "cpu", "-d", "600", "-f", file, str(j.pid)],
                                stderr=t.subprocess.PIPE, text=True)
    t.check("wick record runs", t.until(lambda: t.status(j.pid).get("samples", 0) > 0))
    r = change(j, "-e", "cpu,wall", "-i", "2ms")
    t.check("its recording changes", r.status == 0, r)
    t.check("and goes on", t.until(lambda: t.status(j.pid).get("wall_weight", 0) > 0))
    record.send_signal(t.signal.SIGINT)
    said = record.communicate(timeout=240)[1]
    t.check("the command ends as always", record.returncode == 0 and re.search(r"samples: [\d,]+", said), said)
    found = summary(file)
    t.check("with both events in its file", found.get("profiler.WallClockSample", 0) > 0 and
            found.get("jdk.ExecutionSample", 0) > 0, found)
    t.check("nothing is recorded any more", t.status(j.pid).get("running") == 0)
    j.kill()


def refusals():
    j = t.Jvm(["-Xmx256m", "-cp", classes, "Busy", "alloc=1"], "refusals")
    j.wait_for(r"(?m)^up")
    r = change(j, "-e", "wall")
    t.check("no agent, no change", r.status not in (0, 1) and "not being recorded" in r.err, r)
    r = t.start(j.pid, t.path("part-%n.jfr"), "-e", "cpu", "--max-size", "1m")
    if r.status == 0:
        r = change(j, "-e", "wall")
        t.check("a recording in several files is refused", r.status not in (0, 1) and "several files" in r.err, r)
        t.check("and goes on", t.status(j.pid).get("running") == 1)
        t.stop(j.pid)
    else:
        t.check("several files need wick record here", "wick record" in r.err, r)
    r = change(j, "-e", "wall")
    t.check("nothing recorded, nothing changed", r.status not in (0, 1) and "no recording is running" in r.err, r)
    r = t.wick("mark", j.pid, "late")
    t.check("nor marked", r.status not in (0, 1) and "no recording is running" in r.err, r)
    for args, text in ((("change",), "which JVM"), (("change", j.pid), "nothing to change"), (("mark", j.pid), "what happened"),
                       (("mark", j.pid, "x" * 256), "255"), (("change", "--file", "x", j.pid), "--file"), (("change", j.pid, "2"), "one PID")):
        r = t.wick(*args)
        t.check(f"wick {args[0]} {str(args[-1])[:20]}: says what is wrong", r.status == 2 and text in r.err, r)
    j.kill()


def others(j):
    """Descriptors but for perf events, of which each thread has one, and what is opened when its names are first needed."""
    return sum(n for what, n in j.fds().items()
               if "perf_event" not in what and not re.search(r"\.(so|jar|class)\b|/modules$", what))


def storm():
    """Changes one after another under load: the JVM lives, and no thread, descriptor or sample is lost."""
    j = t.Jvm(["-Xmx256m", "-cp", classes, "Busy", "spin=2", "alloc=1"], "storm")
    j.wait_for(r"(?m)^up")
    file = t.path("storm.jfr")
    t.start(j.pid, file, "-e", "cpu", "-i", "1ms")
    everything = ("-e", "cpu,wall,lock,nativemem", "--ttsp", "-i", "1ms")
    kinds = ["cpu", "wall", "cpu,wall", "lock", "nativemem", "cpu,ttsp", "nativelock,wall"] + ([] if JDK8 else ["alloc", "live"])
    fds = []
    for _ in range(2):
        results = [change(j, "-e", kind) for kind in kinds]
        results.append(change(j, *everything))
        t.check("each of many changes is made", not [r for r in results if r.status], results)
        fds.append(others(j))
    # One for each change would be eight or ten more; a file of /proc or two may be open just now.
    t.check("no descriptor is left open", t.until(lambda: others(j) <= fds[0] + 3), (fds, j.fds()))
    t.stop(j.pid)
    t.check("the file is whole", not t.jfr_complaints(file, events=False), t.jfr_complaints(file, events=False))
    t.check("and the JVM works on", j.ask("short 1 20", r"short (\d+)") is not None)
    j.kill()


changes()
from_outside()
refusals()
storm()
t.done()
