#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""Recordings of native locks begin and end fifty times while threads fight for locks and libraries come and go."""
import os
import shutil

import got
import jvmtest as t

TURNS = 50


def waited(status):
    return status.get("native_lock_waits", 0) + status.get("native_wait_waits", 0)


LIBS = os.path.join(t.BUILD, "tests/jvm")
classes = t.compile_java("NativeLocks")
copy = t.path("libwicknativelocks-copy.so")
shutil.copy(f"{LIBS}/libwicknativelocks_lazy.so", copy)

j = t.Jvm(["-Xmx128m", "-Xcheck:jni", "-cp", classes, "NativeLocks", f"{LIBS}/libwicknativelocks_now.so"], "stress")
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
t.start(j.pid, t.path("stress.jfr"), "-e", "cpu")
libraries = t.status(j.pid).get("libraries", 0)
t.stop(j.pid)
before = got.words(j.pid)
t.check("libraries come and go", j.ask(f"churn {copy}", r"churning (true)"), j.output())
failed, waits = [], 0
for turn in range(TURNS):
    j.say("run 60 6")
    r = t.start(j.pid, t.path("stress.jfr"), "-e", "cpu,lock,nativelock=/100us" if turn % 2 else "nativelock=/1ms")
    if turn % 10 == 0:
        waits += waited(t.status(j.pid))
    q = t.stop(j.pid)
    if r.status or q.status:
        failed.append((turn, r, q))
        break
t.check(f"{TURNS} recordings begin and end", not failed and j.proc.poll() is None, f"{failed} {j.output()[-2000:]}")
t.start(j.pid, t.path("stress.jfr"), "-e", "cpu,nativelock=/1ms")
truth = j.ask("run 300 6", r"truth (.*)")  # of this run, or of one that was queued: both are recorded
waits += waited(t.status(j.pid))
t.check("libraries come and go to the end", j.ask("rest", r"(rested)"), j.output()[-500:])
# at each flush, when no handler is at work, those that were unloaded are forgotten; the JVM may have loaded some of its own
known = 0


def are_forgotten():
    global known
    known = t.status(j.pid).get("libraries", 0)
    return known <= libraries + 5


t.until(are_forgotten)
t.stop(j.pid)
t.check("the recordings saw threads wait", truth and waits > 0, (truth, waits))
t.check("nothing is kept of libraries that have gone", 0 < libraries and known <= libraries + 5, f"{libraries} -> {known}")
t.check("the program goes on", j.ask("run 100 6", r"truth (.*)"), j.output()[-500:])
left = got.differences(before, got.words(j.pid), got.NATIVE_LOCKS)
t.check("each word and each page's protection is as before", not left, "\n".join(left))
t.check("and none leads into the agent", not got.into(got.words(j.pid), j.pid, t.AGENT))
j.kill()
t.done()
