#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""A limit of open files with more threads than that: wick leaves the program what it needs. And a limit so low that there
is no room for a single perf event."""
import jvmtest as t

HEADROOM = 256  # and at least a quarter of the limit
OWN = 24        # what wick may have open besides its events: its sockets, output and eventfds
classes = t.compile_java("Descriptors")


def descriptors(jvm, what):
    return sum(n for name, n in jvm.fds().items() if what in name)


def check(limit, threads, files):
    title = f"ulimit -n {limit}, {threads} threads: "
    prefix = ["bash", "-c", f'ulimit -n {limit} && exec "$@"', "bash"]
    j = t.Jvm(["-Xmx256m", "-XX:+UseSerialGC", "-cp", classes, "Descriptors", str(threads)], f"descriptors{limit}", prefix=prefix)
    if not t.check(title + "the program runs", j.wait_for("(?m)^up", 120), j.output()):
        return
    t.check(title + "it opens files", j.ask(f"open {files}", r"failed (\d+)") == "0", j.output())
    before = sum(j.fds().values())
    r = t.start(j.pid, t.path(f"descriptors{limit}.jfr"), "-e", "cpu", "-i", "1ms")
    t.check(title + "a recording starts", r.status == 0, r)
    s, events, now = t.status(j.pid), descriptors(j, "perf_event"), sum(j.fds().values())
    least = max(HEADROOM, limit // 4)
    t.check(title + "and leaves the program its share", now <= max(limit - least, before) + OWN, f"{before} before, {now} now")
    if limit > least:
        t.check(title + "threads have events as far as the limit allows, and timers beyond",
                0 < s["threads_perf"] <= events and s["threads_timer"] >= threads - (limit - least), s)
    else:
        t.check(title + "threads have timers", not events and j.timers() >= threads, (events, j.timers()))
        t.check(title + "and status says why", "limit of open files" in str(s), s)
    t.check(title + "all threads are sampled", s.get("threads_unsampled", 0) == 0, s)
    t.check(title + "no file fails to open", j.ask(f"open {files}", r"failed (\d+)") == "0", j.output())
    t.check(title + "a thread works", j.ask("burn 300", "(burnt)"), j.output())
    t.check(title + "no file fails to open after that", j.ask(f"open {files}", r"failed (\d+)") == "0", j.output())
    r = t.stop(j.pid)
    t.check(title + "the recording ends", r.status == 0, r)
    t.check(title + "and nothing stays open", descriptors(j, "perf_event") == 0, j.fds())
    seen = t.weight_of([r for r in t.stacks(t.path(f"descriptors{limit}.jfr")) if r[0][0].startswith("[crowd-0 ")])
    # its own CPU time to 2 % and the millisecond that was not over; it is sampled by a timer or an event, as it comes
    t.check(title + "the busy thread was sampled", seen >= 0.98 * 300e6 - 1e6, seen)
    j.say("exit")
    t.check(title + "the program exits on its own", j.wait() == 0, j.output())


check(1024, 1300, 180)
check(64, 40, 20)
t.done()
