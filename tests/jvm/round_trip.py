#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25
# ci: 11 25
"""One program recorded by the JDK's own recorder and by wick at the same time. Of both recordings, every format has the total of the
recording to the last digit, what is written and read back is the same, and stacks, lines, kinds, threads and counts are those
that the JDK's `jfr print` prints."""
import base64
import csv
import glob
import json
import re
import subprocess

import jvmtest as t

EVENTS = {"jdk": ["jdk.ExecutionSample", "jdk.ThreadPark", "jdk.JavaMonitorEnter"], "wick": ["jdk.ExecutionSample"]}


def convert(source, name, *options):
    out = t.path(name)
    r = t.wick("convert", *options, source, out)
    if r.status:
        raise AssertionError(f"wick convert {' '.join(options)} {source} {name}: {r.err}")
    return out


def read(path, binary=False):
    with open(path, "rb" if binary else "r", **({} if binary else {"encoding": "utf-8"})) as f:
        return f.read()


class Packed:
    """The call tree inside a page, format WFG2 (src/flame/pack.c)."""

    def __init__(self, page):
        self.data, self.at = base64.b64decode(re.search(r"V0ZHM[A-Za-z0-9+/]+={0,2}", page).group()), 4

    def int(self):
        value = 0
        for shift in range(0, 63, 7):
            byte = self.data[self.at]
            self.at += 1
            if shift == 56:
                return value | byte << 56
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value

    def text(self):
        n = self.int()
        self.at += n

    def split(self):
        mask = self.data[self.at]
        self.at += 1
        for _ in range(bin(mask).count("1") - 1):
            self.int()

    def lines(self):
        n = self.int()
        for _ in range(3 * n or 1):
            self.int()

    def total(self):
        for _ in range(3):
            self.text()
        self.int()
        scale, names, nodes, _, total = (self.int() for _ in range(5))
        for _ in range(names):
            self.int()
            self.text()
        for _ in range(2 * self.int()):
            self.int()
        for _ in range(nodes):
            flags = self.data[self.at]
            self.at += 1
            self.int()
            self.int()
            if flags & 0x10:
                total += self.int()
            for bit in (0x20, 0x80):
                if flags & bit:
                    self.split()
            if flags & 0x40:
                self.lines()
        assert self.at == len(self.data), "the tree has an end"
        return total * scale


def collapsed_total(path):
    return sum(int(line.rsplit(" ", 1)[1]) for line in read(path).splitlines())


def csv_total(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    return sum(int(row[4]) for row in rows[1:])


def totals(source, event):
    """{format: total weight of the event}"""
    e = ["-e", event]
    speedscope = json.loads(read(convert(source, "x.speedscope.json", *e)))
    pprof = convert(source, "x.pb.gz", *e)
    return {
        "json": json.loads(read(convert(source, "x.json", *e)))["weight"],
        "collapsed": collapsed_total(convert(source, "x.collapsed", *e)),
        "collapsed by thread": collapsed_total(convert(source, "y.collapsed", *e, "-t", "--lines")),
        "csv": csv_total(convert(source, "x.csv", *e)),
        "html": Packed(read(convert(source, "x.html", *e))).total(),
        "html by thread": Packed(read(convert(source, "y.html", *e, "-t"))).total(),
        "speedscope": sum(sum(p["weights"]) for p in speedscope["profiles"]),
        "pprof": json.loads(read(convert(pprof, "again.json")))["weight"],
        "pprof, then collapsed": collapsed_total(convert(pprof, "again.collapsed")),
        "pprof, then html": Packed(read(convert(pprof, "again.html"))).total(),
        "collapsed, then html": Packed(read(convert(t.path("x.collapsed"), "z.html"))).total(),
    }


def round_trips(name, source, event):
    e = ["-e", event]
    pprof = convert(source, "x.pb.gz", *e)
    # pprof does not distinguish C++ from other native code (docs/formats/pprof.md); the JDK's recordings hold neither.
    kinds = ["--annotate"] if name == "jdk" else []
    for options in ([*kinds, "--lines", "-t", "--signatures"], ["--samples"], ["--simple"]):
        direct, again = convert(source, "d.collapsed", *e, *options), convert(pprof, "a.collapsed", *options)
        t.check(f"{name} {event}: pprof and back is the same, {' '.join(options)}", read(direct, True) == read(again, True))
    text = convert(source, "d.collapsed", *e, "--annotate", "--lines")
    t.check(f"{name} {event}: collapsed and back is the same",
            read(text, True) == read(convert(text, "a.collapsed", "--annotate", "--lines"), True))


def jfr_tool():
    homes = [t.JAVA_HOME] + [t.jdk_home(v) for v in (21, 17)]
    return next(h + "/bin/jfr" for h in homes if glob.glob(h + "/bin/jfr"))


def main():
    files = {"jdk": t.path("jdk.jfr"), "wick": t.path("wick.jfr")}
    j = t.Jvm(["-Xmx256m", f"-XX:StartFlightRecording=settings=profile,filename={files['jdk']}",
               f"-agentpath:{t.AGENT}=start,event=cpu,interval=5ms,file={files['wick']}", "-cp", t.compile_java("Events"), "Events", "4"],
              "events")
    t.check("the program ends by itself", j.wait(600) == 0, j.output())
    for name, file in files.items():
        for event in EVENTS[name]:
            got = totals(file, event)
            t.check(f"{name} {event}: one total in {len(got)} ways", len(set(got.values())) == 1 and got["json"] > 0, got)
        round_trips(name, file, EVENTS[name][0])
    r = subprocess.run([t.ROOT + "/tests/jfr/check_reader.sh", jfr_tool(), t.WICK, *files.values()], capture_output=True, text=True)
    t.check("stacks, lines, kinds, threads and counts are those of `jfr print`", r.returncode == 0, r.stdout + r.stderr)
    t.done()


main()
