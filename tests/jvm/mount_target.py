#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a JVM in a mount namespace of its own is handed: one file, never a directory of the host's.

Through a directory's descriptor Java code could read and replace whatever lies below and beside it on the host.
"""
# once
import os
import time

import jvmtest as t

# A busy machine may keep the agent from answering for long. A stop that gives up leaves the recording running, and every
# check after it fails.
PATIENT = ("--attach-timeout", "60")


def host_directories(jvm, folder):
    """Descriptors of the JVM that lead to the folder."""
    want, out = os.stat(folder), []
    for n in os.listdir(f"/proc/{jvm.pid}/fd"):
        try:
            st = os.stat(f"/proc/{jvm.pid}/fd/{n}")
        except OSError:
            continue
        if (st.st_dev, st.st_ino) == (want.st_dev, want.st_ino):
            out.append(n)
    return out


def start_java(classes, prefix=()):
    j = t.Jvm(["-Xmx64m", "-cp", classes, "Waits"], prefix=prefix)
    if not j.wait_for("up"):
        t.check("the JVM is up", False, j.output())
        t.done()
    return j


def rotates(j, folder):
    """A recording with limits, started and stopped; the descriptors of its directory that the JVM held during it."""
    r = t.wick("start", *PATIENT, "--lib", t.AGENT, "-i", "1ms", "--max-size", "4m", "-f", folder + "/x.jfr", j.pid)
    held = host_directories(j, folder)
    return r, held


def main():
    classes = t.compile_java("Waits")
    own, foreign = t.path("own"), t.path("foreign")
    os.mkdir(own)
    os.mkdir(foreign)

    j = start_java(classes)
    r, _ = rotates(j, own)
    t.check("--max-size: a JVM of this user writes the files itself", r.status == 0, r)
    time.sleep(0.3)
    r = t.wick("stop", *PATIENT, j.pid)
    files = sorted(os.listdir(own))
    t.check("the files are there", r.status == 0 and files and all(f.startswith("x-0000") for f in files), (r, files))
    r = t.wick("start", *PATIENT, "--lib", t.AGENT, "-i", "1ms", "-f", t.path("seq-%n.jfr"), j.pid)
    s = t.wick("stop", *PATIENT, j.pid)
    made = [f for f in os.listdir(t.WORK) if f.startswith("seq-")]
    t.check("%n: so are those of a sequence", r.status == 0 and s.status == 0 and made, (r, s, made))
    r = t.wick("start", *PATIENT, "--lib", t.AGENT, "-i", "1ms", "-e", "cpu,wall", "-f", t.path("x.html"), j.pid)
    time.sleep(1)
    s = t.wick("stop", *PATIENT, j.pid)
    t.check("a picture named at start is drawn at stop", s.status == 0 and os.path.exists(t.path("x.html")), (r, s))
    j.kill()

    if os.geteuid() != 0 or t.run("unshare", "-m", "true").status:
        t.skip("a JVM in a mount namespace of its own", "needs root")
        t.done()
    j = start_java(classes, prefix=("unshare", "-m"))
    r, held = rotates(j, foreign)
    t.check("--max-size: no descriptor of the directory reaches a JVM with other mounts", not held, (r, held))
    t.check("the refusal says what to do", r.status != 0 and "-f NAME.jfr" in r.err, r)
    r = t.wick("record", *PATIENT, "--lib", t.AGENT, "-i", "1ms", "-d", "1", "--max-age", "1m", "-f", foreign + "/y.jfr", j.pid)
    t.check("nor with wick record", r.status != 0 and not os.listdir(foreign), (r, os.listdir(foreign)))
    r = t.wick("record", *PATIENT, "--lib", t.AGENT, "-e", "cpu,wall", "-d", "1", "-f", foreign + "/z.jfr", j.pid)
    t.check("one file is recorded as ever", r.status == 0 and os.listdir(foreign) == ["z.jfr"], (r, os.listdir(foreign)))
    j.kill()
    t.done()


main()
