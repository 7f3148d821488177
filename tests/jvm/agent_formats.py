#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
"""The file of the agent's own option string holds what its name says, or the recording is beside it."""
import glob
import os
import shutil
import sys
from xml.etree import ElementTree

import jvmtest as t

classes = t.compile_java("Busy")


def record(agent, file, *more, end="exit"):
    """A JVM that exits after 300 ms of work; what it wrote on its output."""
    options = ",".join(["start,event=cpu,interval=1ms", "file=" + file, *more])
    j = t.Jvm(["-Xmx128m", f"-agentpath:{agent}={options}", "-cp", classes, "Busy"], "formats")
    j.wait_for(r"(?m)^up")
    j.ask("short 3 100", r"short (\d+)")
    j.say(end)
    t.check(f"{os.path.basename(file)}: the JVM ends well", j.wait() == 0, j.output())
    return j.output()


def content(file):
    try:
        with open(file, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return b""


def is_svg(b):
    try:
        return ElementTree.fromstring(b).tag == "{http://www.w3.org/2000/svg}svg"
    except ElementTree.ParseError:
        return False


def formats():
    for name, good in (("o.html", lambda b: b.startswith(b"<!DOCTYPE html>") and b.rstrip().endswith(b"</html>")),
                       ("o.svg", lambda b: is_svg(b) and b"Busy" in b),
                       ("o.collapsed", lambda b: b"Busy" in b and all(l.rpartition(b" ")[2].isdigit()
                                                                      for l in b.splitlines())),
                       ("o.pb.gz", lambda b: b.startswith(b"\x1f\x8b")),
                       ("o.jfr", lambda b: b.startswith(b"FLR\0"))):
        out = record(t.AGENT, t.path(name))
        t.check(f"{name}: holds what its name says", good(content(t.path(name))), content(t.path(name))[:200])
        t.check(f"{name}: no recording is left beside it and nothing is said",
                not glob.glob(t.path(name) + ".*") and "wick:" not in out, (glob.glob(t.path(name) + ".*"), out))


def compat():
    """The layout for readers that count, from the agent's own options: count times interval is the weight."""
    sys.path.insert(0, os.path.join(t.ROOT, "tests/jfr"))
    import naive_reader  # noqa: E402
    file = t.path("compat.jfr")
    out = record(t.AGENT, file, "wall=5ms", "wall-threads=1", "compat")
    t.check("compat: no recording is left beside it and nothing is said",
            not glob.glob(file + ".*") and "wick:" not in out, (glob.glob(file + ".*"), out))
    r = t.wick("convert", "-e", "wall", "--to", "collapsed", "-o", "-", file)
    want = sum(int(line.rsplit(" ", 1)[1]) for line in r.out.splitlines())
    got = naive_reader.sums(file)["profiler.WallClockSample"]["samples"] * 5_000_000
    t.check("compat: count times interval is the weight", got == want > 0, (got, want))
    j = t.Jvm([f"-agentpath:{t.AGENT}=start,event=cpu,compat,max-size=10m,file={t.path('no.jfr')}", "-cp", classes, "Busy"],
              "compat")
    t.check("compat: a recording that is split is refused", j.wait_for("compat cannot be combined with max-size"), j.output())
    j.kill()
    html = t.path("compat.html")
    record(t.AGENT, html, "compat")
    t.check("compat: a picture has no use for it, and is made", content(html).startswith(b"<!DOCTYPE html>"))


def an_old_recording_stays():
    with open(t.path("old.collapsed.jfr"), "w") as f:
        f.write("what a killed JVM left")
    record(t.AGENT, t.path("old.collapsed"))
    with open(t.path("old.collapsed.jfr")) as f:
        t.check("a recording that was there is not touched", f.read() == "what a killed JVM left")
    t.check("and the file is made", b"Busy" in content(t.path("old.collapsed")))


def sequence():
    record(t.AGENT, t.path("n%n{3}-%p.collapsed"))
    made = [os.path.basename(f) for f in glob.glob(t.path("n*.collapsed"))]
    t.check("%n{3} and %p are expanded", len(made) == 1 and made[0].startswith("n0-") and "%" not in made[0], made)


def failure():
    os.mkdir(t.path("taken.html"))  # a directory: the command fails
    out = record(t.AGENT, t.path("taken.html"))
    t.check("a file that cannot be made: the recording stays and is named",
            t.wick("top", t.path("taken.html.jfr")).status == 0 and "taken.html.jfr: run" in out, out)


def no_command():
    os.mkdir(t.path("alone"))
    copy = shutil.copy(t.AGENT, t.path("alone"))
    out = record(copy, t.path("x.html"))
    t.check("without the command: a warning at the start, one at the end", out.count("not beside libwick.so") == 2, out)
    t.check("no file of that name, but a recording beside it",
            not os.path.exists(t.path("x.html")) and "Busy" in t.wick("top", t.path("x.html.jfr")).out)
    shutil.copy(t.WICK, t.path("alone/wick"))
    os.chmod(t.path("alone/wick"), 0o777)
    record(copy, t.path("y.html"))
    t.check("a command that anybody may write is not run", not os.path.exists(t.path("y.html")) and
            os.path.exists(t.path("y.html.jfr")))


formats()
compat()
an_old_recording_stays()
sequence()
failure()
no_command()
t.done()
