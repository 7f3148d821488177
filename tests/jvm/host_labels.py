#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
# ci: 21
"""Labels that processes publish about themselves and their threads (OTEP 4719, OTEP 4947) are in recordings of the whole machine: those of
wick.jar in a JVM, and those of a native program that has nothing to do with wick. What a sample is in says which labels it must have."""
import json
import os
import re
import signal
import subprocess

import jvmtest as t

JAR = os.path.join(t.BUILD, "java/wick.jar")
PAINT = [os.path.join(t.BUILD, "tests/jvm", name) for name in ("native_labels", "native_labels_thread.so")]
SLACK = 0.02  # of the program's own clock, and of what it takes to put a label in force
CPU_SECONDS = 3
COLOURS = (("red", "red_work"), ("blue", "blue_work"))
classes = t.compile_java("Labels", classpath=JAR)


class Recording:
    """`wick host` at work: when it is made, all is attached; end() stops it."""

    def __init__(self, name, *words):
        self.file = t.path(name + ".jfr")
        self.process = subprocess.Popen([t.WICK, "host", *words, "-d", "3600", "-f", self.file], stderr=subprocess.PIPE, text=True)
        self.runs = t.until(lambda: self.process.poll() is not None or (os.path.exists(self.file) and os.path.getsize(self.file)),
                            pause=0.02) and self.process.poll() is None

    def end(self, title):
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate()[1]
        t.check(f"{title}: it records", self.runs and self.process.returncode == 0, said)
        return self.file


def by(file, label, event, *where):
    """{value: samples} of wick top --by"""
    r = t.wick("top", "--json", "-n", "0", "-e", event, "--by", label, *[w for x in where for w in ("--where", x)], file)
    return {row["name"]: row["self_samples"] for row in json.loads(r.out)["rows"]} if r.status == 0 else {}


def credible(title, n, of, share):
    low, high = t.least_of(of, max(share - SLACK, 0)), t.most_of(of, min(share + SLACK, 1))
    t.check(title, of > 50 and low <= n <= high, f"{n} of {of}, {share:.3f} by the program: {low} to {high}")


def java(*options):
    j = t.Jvm([*options, f"-agentpath:{t.AGENT}", "-Dwick.publish=otel", "-Xmx256m", "-cp", f"{classes}:{JAR}", "Labels"], "labels",
              env={"OTEL_SERVICE_NAME": "till"})
    t.check("the program runs", j.wait_for("up"), j.output())
    j.ask("shares 200", r"answer \w+ ?(.*)\n", 900)  # publication begins with the first scope
    recording = Recording("java", "-i", "4ms")
    used = [int(n) for n in j.ask(f"shares {CPU_SECONDS * 1000}", r"answer \w+ ?(.*)\n", 900).split()]
    j.ask("torn 1200", r"answer \w+ ?(.*)\n", 900)
    file = recording.end("java")
    me = f"process=java-{j.pid}"
    seen = by(file, "customer", "cpu", me, "endpoint=GET /shares")
    n = sum(seen.values())
    for name, ns in zip(("big", "small", "[none]"), used):
        credible(f"the share of {name} in an endpoint's CPU time", seen.get(name, 0), n, ns / sum(used))
    services = by(file, "service", "cpu", me)
    t.check("samples of the process have its service", set(services) <= {"till", "[none]"} and services.get("[none]", 0) <= 5 < services.get("till", 0), services)
    contexts = [t.context(x) for x in re.findall(r'context = "([^"]+)"\n', t.jfr(21, "print", "--events", "jdk.ExecutionSample", file).out)]
    torn = [c for c in contexts if c.get("process") == f"java-{j.pid}" and re.fullmatch(r"op-\d+", c.get("endpoint") or "")]
    bad = []
    for c in torn:
        i = int(c["endpoint"][3:])
        if (c.get("traceId") != f"{1000 + i:016x}{2000 + i:016x}" or int(c.get("spanId") or "0", 16) not in (3000 + i, 5000 + i)
                or c.get("v") not in (None, f"v-{i}")):
            bad.append(c)
    t.check("no sample shows parts of two contexts", len(torn) > 20 and not bad, f"{len(torn)}: {bad[:3]}; {contexts[:3]}")
    j.kill()


def paint():
    """A sample is in one of its functions only with that function's colour: what publishes is called before and after."""
    p = subprocess.Popen(PAINT, stdout=subprocess.PIPE, text=True)
    t.check("a native program publishes", p.stdout.readline() == "up\n", p.poll())
    recording = Recording("paint", "-e", "cpu,sched,page-faults")

    def used():
        with open(f"/proc/{p.pid}/stat", encoding="utf-8") as f:
            return sum(map(int, f.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    begin = used()
    t.check("it works", t.until(lambda: used() > begin + CPU_SECONDS))
    file = recording.end("native")
    p.kill()
    p.wait()
    me = f"process=native_labels-{p.pid}"
    for event in ("wall", "page-faults"):
        services = by(file, "service", event, me)
        t.check(f"{event}: the service is there, from when it could be read", set(services) <= {"paint", "[none]"} and services.get("paint", 0) > 10, services)
        for colour, work in COLOURS:
            rows = collapsed(file, me, f"colour={colour}", event=event)
            mine = sum(n for frames, n in rows if work in frames)
            others = [frames for frames, _ in rows if any(x in frames for x in {"red_work", "blue_work", "plain_work"} - {work})]
            t.check(f"{event}: {colour} is what {work} does", mine >= 5 and not others, (mine, others[:2]))
    for colour, work in COLOURS:
        rows = collapsed(file, me, f"colour={colour}")
        mine = sum(n for frames, n in rows if work in frames)
        others = [frames for frames, _ in rows if any(x in frames for x in {"red_work", "blue_work", "plain_work"} - {work})]
        t.check(f"{colour} is what {work} does", mine >= 10 and not others, (mine, others[:2]))
    rows = collapsed(file, me)
    named = by(file, "colour", "cpu", me)
    of = {w: sum(n for frames, n in rows if w in frames) for w in ("red_work", "blue_work")}
    t.check("nearly all of its samples have it", all(named.get(c, 0) >= 0.9 * of[w] - 5 for c, w in (("red", "red_work"), ("blue", "blue_work"))), (named, of))
    t.check("no other process's name is believed", set(by(file, "process", "cpu", "colour=red")) == {f"native_labels-{p.pid}"}, by(file, "process", "cpu", "colour=red"))
    t.check("the ids are there", set(by(file, "spanId", "cpu", me)) == {"0909090909090909", "[none]"}, by(file, "spanId", "cpu", me))
    services = by(file, "service", "cpu", me)
    t.check("and the service, from when it could be read", set(services) <= {"paint", "[none]"} and services.get("[none]", 0) <= 5 < services.get("paint", 0), services)


def collapsed(file, *where, event="cpu"):
    """[(functions root first, samples)]"""
    r = t.wick("convert", "-e", event, "--to", "collapsed", "--samples", *[w for x in where for w in ("--where", x)], file, "-o", "-")
    return [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in r.out.splitlines()]


java()
paint()
t.done()
