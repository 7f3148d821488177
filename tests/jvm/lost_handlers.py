#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
"""Threads that are cancelled, or whose signal handlers leave by siglongjmp, while wick samples them: its handlers come
back first, so that the recording ends and the JVM exits."""
import jvmtest as t

LIBRARY = t.os.path.join(t.BUILD, "tests/jvm/libwicklosthandlers.so")
classes = t.compile_java("LostHandlers")


def check(what, answer, options, by_exit):
    name = f"{what} {' '.join(options)}"
    j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", classes, "LostHandlers", LIBRARY], what)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    r = t.start(j.pid, t.path(f"{what}{len(options)}{by_exit}.jfr"), *options)
    t.check(f"{name}: a recording starts", r.status == 0, r)
    n = j.ask(what, answer + r" (\d+)")
    t.check(f"{name}: it happened many times", int(n or 0) >= 20, (n, j.output()))
    # of at least 80 threads x 2 ms, or 2,000 jumps
    t.check(f"{name}: and was sampled", t.until(lambda: t.status(j.pid)["samples"] >= 10), t.status(j.pid))
    if not by_exit:
        r = t.stop(j.pid)
        t.check(f"{name}: the recording ends", r.status == 0, r)
        s = t.status(j.pid)
        t.check(f"{name}: no handler was lost", not s.get("lost_handlers"), s)
    j.say("exit")
    t.check(f"{name}: the JVM exits on its own", j.wait() == 0, j.output())


check("cancel", "cancelled", ["-i", "200us"], False)
check("jump", "jumped", ["-i", "200us"], False)
check("jump", "jumped", ["-e", "ctimer", "-i", "200us"], True)
t.done()
