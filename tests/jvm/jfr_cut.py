#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 25
"""Recordings cut out of recordings (wick convert --to jfr), judged by the JDK's own `jfr`: every event that stays has the
fields it had, those that should stay do, and wick reads the same weights to the last digit."""
import datetime
import json
import os
import re

import jvmtest as t

TOOL = 21  # reads what all JDKs write
FACTS = re.compile(r"jdk\.(Active(Setting|Recording)|(JVM|OS|CPU|Virtualization)Information|ContainerConfiguration|CPUTimeStampCounter|Initial\w+"
                   r"|NativeLibrary|\w+Flag|(GC|GCHeap|GCSurvivor|GCTLAB|YoungGeneration|Compiler|CodeCache)Configuration)$")
FEW = ",".join(["jdk.PromoteObjectInNewPLAB", "jdk.PromoteObjectOutsidePLAB", "jdk.GCPhaseParallel", "jdk.ModuleExport",
                "jdk.ModuleRequire", "jdk.TenuringDistribution"])


def record():
    """By the JDK: everything of the profile settings but what is too much for `jfr print`."""
    file = t.path("jdk.jfr")
    off = "".join(f",{name}#enabled=false" for name in FEW.split(","))
    more = ",jdk.CPUTimeSample#enabled=true" if t.JDK >= 25 else ""
    j = t.Jvm(["-Xmx256m", f"-XX:StartFlightRecording=settings=profile,filename={file}{off}{more}", "-cp",
               t.compile_java("Events"), "Events", "4"], "events")
    t.check("the JDK records", j.wait() == 0, j.output()[-2000:])
    return file


def record_by_wick():
    file = t.path("wick.jfr")
    j = t.Jvm(["-cp", t.compile_java("Events"), "Events", "300"], "events")
    t.work_for(j, 0.5)
    r = t.start(j.pid, file, "-e", "cpu,wall", "-i", "1ms")
    t.check("wick records", r.status == 0, r.err)
    t.work_for(j, 2)
    t.stop(j.pid)
    j.kill()
    return file


def nanoseconds(text):
    day, _, rest = text.partition(".")
    fraction = re.match(r"\d*", rest).group(0)
    zone = rest[len(fraction):] if rest else ""
    at = datetime.datetime.fromisoformat(day + zone.replace("Z", "+00:00")) if rest else \
        datetime.datetime.fromisoformat(day.replace("Z", "+00:00"))
    return int(at.timestamp()) * 10**9 + int(fraction.ljust(9, "0") or 0)


def span(text):
    m = re.fullmatch(r"PT(?:(\d+)M)?(?:(-?\d+)(?:\.(\d+))?S)?", text or "")
    return int(m[1] or 0) * 60 * 10**9 + int(m[2] or 0) * 10**9 + int((m[3] or "").ljust(9, "0") or 0) if m else 0


def printed(file):
    """[(type, start, end, all fields as text)] of all events as the JDK reads them."""
    r = t.jfr(TOOL, "print", "--json", "--stack-depth", "64", file)
    out = []
    for e in json.loads(r.out)["recording"]["events"]:
        start = nanoseconds(e["values"]["startTime"])
        length = e["values"].get("duration")
        out.append((e["type"], start, start + (span(length) if isinstance(length, str) else 0),
                    json.dumps(e["values"], sort_keys=True)))
    return sorted(out)


def cut(name, *args):
    out = t.path(name)
    r = t.wick("convert", *args, "--to", "jfr", "-o", out)
    t.check(f"cut {name}", r.status == 0 and not r.err, f"{args}\n{r.err}")
    return out


def weights(file, *options):
    """{event type: (samples, weight, rows)} of all sample types."""
    found = {}
    for event in ("cpu", "wall", "alloc", "lock", "exception", "jdk.ThreadPark", "jdk.JavaMonitorWait"):
        r = t.wick("top", "--json", "-n", "0", "-e", event, *options, file)
        if r.status == 0:
            got = json.loads(r.out)
            found[event] = (got["samples"], got["weight"], sorted(map(str, got["rows"])))
    return found


def same(title, a, b):
    t.check(title, a == b and a, f"{ {k: v[:2] for k, v in a.items()} }\n{ {k: v[:2] for k, v in b.items()} }")


def by_time(file):
    events = printed(file)
    begin, end = min(e[1] for e in events), max(e[1] for e in events)
    lo, hi = begin + (end - begin) // 3, begin + 2 * (end - begin) // 3
    at = lambda ns: f"@{ns // 10**9}.{ns % 10**9:09d}"
    part = cut("part.jfr", file, "--from", at(lo), "--to", at(hi))
    kept = printed(part)
    samples = re.compile(r"jdk\.(ExecutionSample|NativeMethodSample|CPUTimeSample|Object\w+|OldObjectSample|JavaMonitor(Enter|Wait)"
                         r"|Thread(Park|Sleep)|VirtualThreadPinned|(File|Socket)(Read|Write)|MethodTrace|Java(Exception|Error)Throw)$")

    def stays(e):
        if FACTS.match(e[0]):
            return True
        return lo <= e[1] < hi if samples.match(e[0]) else e[1] < hi and e[2] >= lo

    want = [e for e in events if stays(e)]
    t.check("every event of the range stays, with all its fields, and no other", kept == want,
            f"{len(events)} events, {len(want)} wanted, {len(kept)} kept\n" +
            "\n".join(str(e)[:300] for e in sorted(set(want) ^ set(kept))[:6]))
    same("the part weighs what its range weighs", weights(part), weights(file, "--from", at(lo), "--to", at(hi)))
    t.check("the part is smaller", os.path.getsize(part) < os.path.getsize(file), os.path.getsize(part))
    complaints = t.jfr_complaints(part)
    t.check("the JDK's tools read it", not complaints, complaints)
    first = cut("first.jfr", file, "--to", at(lo))
    last = cut("last.jfr", file, "--from", at(hi))
    merged = cut("merged.jfr", last, first, part)
    same("three parts put together weigh what the whole does", weights(merged), weights(file))
    order = re.findall(r"startTime = .*", t.jfr(TOOL, "print", "--events", "jdk.ExecutionSample", merged).out)
    t.check("parts come in the order of time, however they are named", order == sorted(order) and order, order[:3])


def by_condition(file):
    for name, options in (("thread", ("--thread", "^worker-1$")), ("frame", ("--include", "Events.burn")),
                          ("other", ("--exclude", "Events.burn")), ("event", ("-e", "jdk.ThreadPark"))):
        out = cut(f"{name}.jfr", file, *options)
        park = "jdk.ThreadPark"
        chosen = weights(file, *options) if name != "event" else {park: weights(file)[park]}
        same(f"chosen by {name}: the weights are those of the same choice", weights(out), chosen)
        t.check(f"chosen by {name}: the JDK's tool reads it", t.jfr(TOOL, "summary", out).status == 0)
    none = t.wick("convert", file, "--to", "jfr", "--include", "no.Such.Method", "-o", t.path("none.jfr"))
    t.check("nothing to keep is an error and leaves no file", none.status == 4 and not os.path.exists(t.path("none.jfr")),
            none.err)


def damaged(file):
    whole = open(file, "rb").read()
    with open(t.path("damaged.jfr"), "wb") as f:
        f.write(whole[:len(whole) * 3 // 4])
    r = t.wick("convert", t.path("damaged.jfr"), "--to", "jfr", "-o", t.path("repaired.jfr"))
    t.check("a recording that breaks off becomes a whole one", r.status == 0 and "damaged" in r.err, r.err)
    complaints = t.jfr_complaints(t.path("repaired.jfr"))
    t.check("which the JDK's tools read", not complaints, complaints)
    broken = json.loads(t.wick("top", "--json", "-e", "cpu", t.path("damaged.jfr")).out)
    repaired = json.loads(t.wick("top", "--json", "-e", "cpu", t.path("repaired.jfr")).out)
    t.check("with the samples that could be read", broken["samples"] == repaired["samples"] > 0, f"{broken} {repaired}")


def main():
    file = record()
    whole = cut("whole.jfr", file)
    t.check("an uncut copy has every event with every field", printed(whole) == printed(file))
    same("and the same weights", weights(whole), weights(file))
    by_time(file)
    by_condition(file)
    own = record_by_wick()
    half = cut("half.jfr", own, "--from", "50%")
    same("a recording of wick's: the second half weighs the same", weights(half), weights(own, "--from", "50%"))
    complaints = t.jfr_complaints(half)
    t.check("and the JDK's tools read it", not complaints, complaints)
    both = cut("both.jfr", own, file)
    t.check("recordings of both recorders in one file", not t.jfr_complaints(both, events=False), both)
    damaged(own)
    t.done()


main()
