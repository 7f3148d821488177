#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 17 25
"""Recordings that the JDK's own recorder made: every type of sample has the count and the weight that `jfr print` says.

Weights of time are compared to a nanosecond an event, since `jfr print` cuts what is below."""
import glob
import json
import re
import subprocess

import jvmtest as t

# event: (field of the weight, the name wick shows it under); None = every event weighs 1
EVENTS = {
    "jdk.ObjectAllocationSample": ("weight", None),
    "jdk.ObjectAllocationInNewTLAB": ("tlabSize", "jdk.ObjectAllocation"),
    "jdk.ObjectAllocationOutsideTLAB": ("allocationSize", "jdk.ObjectAllocation"),
    "jdk.JavaMonitorEnter": ("duration", None),
    "jdk.ThreadPark": ("duration", None),
    "jdk.JavaMonitorWait": ("duration", None),
    "jdk.ThreadSleep": ("duration", None),
    "jdk.JavaErrorThrow": (None, None),
    "jdk.CPUTimeSample": ("samplingPeriod", None),
}


def jfr_tool():
    """The JDK's own, or the youngest there is: a runtime environment brings none."""
    homes = [t.JAVA_HOME] + [t.jdk_home(v) for v in (21, 17)]
    return next(h + "/bin/jfr" for h in homes if glob.glob(h + "/bin/jfr"))


def nanoseconds(text):
    """An ISO 8601 duration of seconds and minutes."""
    m = re.fullmatch(r"PT(?:(\d+)M)?(?:(-?[\d.]+)S)?", text)
    return int(m[1] or 0) * 60_000_000_000 + round(float(m[2] or 0) * 1e9)


def truth(file):
    """{name shown: [count, weight]} by the JDK's tool."""
    out = subprocess.run([jfr_tool(), "print", "--json", "--stack-depth", "1", "--events", ",".join(EVENTS), file],
                         capture_output=True, text=True, check=True).stdout
    found = {}
    for e in json.loads(out)["recording"]["events"]:
        field, shown = EVENTS[e["type"]]
        value = 1 if field is None else e["values"][field]
        sums = found.setdefault(shown or e["type"], [0, 0])
        sums[0] += 1
        sums[1] += nanoseconds(value) if isinstance(value, str) else value
    return found


def top(file, event, *options):
    r = subprocess.run([t.WICK, "top", "--json", "-n", "0", "-e", event, *options, file], capture_output=True, text=True)
    return json.loads(r.stdout) if r.returncode == 0 else r.stderr


def weight(file, *options):
    got = top(file, "cpu", *options)
    return got["weight"] if isinstance(got, dict) else 0 if "none of the samples" in got else got


def choosing(file):
    """Options that split a recording: the parts add up to the whole."""
    whole = weight(file)
    t.check("the two halves of the time add up", weight(file, "--to", "50%") + weight(file, "--from", "50%") == whole)
    chosen, rest = weight(file, "--thread", "^worker-0$"), weight(file, "--where", "thread~^([^w]|worker-[^0])")
    t.check("one thread and the others add up", 0 < chosen < whole and chosen + rest == whole, f"{chosen} {rest} {whole}")
    # a method that is in some of the stacks only; which, is the recorder's affair: JDK 8 leaves out some that are inlined
    name = next((r["name"] for r in top(file, "cpu")["rows"] if 0 < r["total"] < whole and r["name"].startswith("Events.")), None)
    with_it, others = (weight(file, way, f"^{re.escape(name)}$") for way in ("--include", "--exclude")) if name else (0, 0)
    t.check("stacks with a frame and those without add up", 0 < with_it < whole and with_it + others == whole,
            f"{name}: {with_it} {others} {whole}")
    rows = {row["name"]: row["self"] for row in top(file, "cpu", "--by", "thread")["rows"]}
    worker = sum(v for k, v in rows.items() if k.startswith("[worker-0 tid="))
    t.check("a table by thread has the same weights", worker == chosen and sum(rows.values()) == whole, rows)


def run(*args):
    return subprocess.run([t.WICK, *args], capture_output=True, text=True)


def comparing(file):
    same = run("diff", file, file, "--fail-above", "1%", "--json", "-n", "0")
    rows = json.loads(same.stdout)["rows"]
    t.check("a recording is like itself", same.returncode == 0 and rows
            and not any(r["self"]["real"] or r["total"]["real"] for r in rows), same.stderr)
    cut = t.path("burn.txt")
    other = run("diff", "--thread", "^worker-0$", file, file, "-o", cut, "--absolute")
    t.check("a table goes to a file", other.returncode == 0 and "Events" in open(cut).read(), other.stderr)
    none = run("diff", "-e", "exception", "--include", "NoSuchMethodAnywhere", file, file)
    t.check("nothing to compare is an error", none.returncode == 4, none.stderr)


def main():
    file = t.path("jdk.jfr")
    more = ",jdk.CPUTimeSample#enabled=true" if t.JDK >= 25 else ""
    j = t.Jvm(["-Xmx256m", f"-XX:StartFlightRecording=settings=profile,filename={file}{more}", "-cp",
               t.compile_java("Events"), "Events", "4"], "events")
    t.check("the program ends by itself", j.wait(600) == 0, j.output())
    expected = truth(file)
    t.check("the JDK recorded allocations, locks and parking", len(expected) >= 3, j.output())
    for event, (count, weight) in sorted(expected.items()):
        got = top(file, event)
        good = isinstance(got, dict) and got["samples"] == count and abs(got["weight"] - weight) <= count
        t.check(f"{event}: {count} samples, weight {weight}", good, str(got)[:300])
    got = top(file, "no.SuchEvent")
    t.check("an event that is not there is answered by those that are",
            isinstance(got, str) and "jdk.ThreadPark" in got and "jdk.JavaMonitorEnter" in got, got)
    got = top(file, "alloc")
    names = [row["name"] for row in got["rows"]]
    t.check("the allocating method is in the table of allocations", "Events.allocate" in names, names)
    choosing(file)
    comparing(file)
    t.done()


main()
