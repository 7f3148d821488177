#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 21 25
"""The wall clock samples the threads that have a context now: all threads until there is one, then nobody without.

Who is sampled is exact, because the sampler reads the contexts at each tick. How often is compared with a thread that
always has one, in samples: a delayed tick is one sample, whatever it weighs."""
import collections
import json
import time

import jvmtest as t

JAR = t.os.path.join(t.BUILD, "java/wick.jar")
TOGETHER = 4  # ticks of 10 ms that meet one scope of 30 ms, or one time between two scopes
classes = t.compile_java("Contexts", classpath=JAR)


def samples(file):
    """[(thread, first, last, number of samples, endpoint)] of a recording; times in seconds"""
    out = []
    for e in json.loads(t.jfr(17, "print", "--json", "--events", "profiler.WallClockSample", file).out)["recording"]["events"]:
        v = e["values"]
        day = v["startTime"].split("T")[1][:18]
        h, m, s = day.rstrip("Z").split(":")[:3]
        first = int(h) * 3600 + int(m) * 60 + float(s.split("+")[0].rstrip("Z"))
        out.append((v["sampledThread"]["javaName"] or v["sampledThread"]["osName"], first, first + span(v["timeSpan"]),
                    int(v["samples"]), t.context(v["context"]).get("endpoint")))
    return out


def span(text):
    """Seconds of ISO 8601 as the jfr tool writes it: PT1.5S, PT1M2.25S."""
    minutes, _, seconds = text[2:].rstrip("S").rpartition("M")
    return 60 * int(minutes or 0) + float(seconds or 0)


def numbers(rows):
    """{thread: samples}"""
    out = collections.Counter()
    for thread, _, _, n, _ in rows:
        out[thread] += n
    return out


def program(name):
    j = t.Jvm(["-Xmx64m", "-cp", f"{classes}:{JAR}", "Contexts"], name)
    t.check(f"{name}: the program is up", j.wait_for("up"), j.output())
    return j


def recorded_for(j, seconds):
    """Waits until the recording has enough ticks for shares to be measured."""
    at_least = t.status(j.pid)["fired"] + 100 * seconds
    time.sleep(seconds)
    t.until(lambda: t.status(j.pid)["fired"] >= at_least)


def cpu_seconds(j, thread):
    """What threads of that name have used."""
    used = 0
    for tid in t.os.listdir(f"/proc/{j.pid}/task"):
        try:
            with open(f"/proc/{j.pid}/task/{tid}/comm") as comm, open(f"/proc/{j.pid}/task/{tid}/schedstat") as account:
                used += int(account.read().split()[0]) / 1e9 if comm.read().strip() == thread else 0
        except OSError:
            pass  # it has ended
    return used


def check_accounts(title, s):
    t.check(f"{title}: fired = recorded + drops", s["fired"] == s["samples"] + s["dropped"], s)


def by_default():
    """Without --filter: everybody until a tick finds a context; then those that have one at the tick."""
    j = program("default")
    file = t.path("default.jfr")
    t.start(j.pid, file, "-e", "wall", "--wall-threads", "512")
    recorded_for(j, 1)
    said = time.monotonic()
    j.say("go")
    t.check("three threads have opened scopes", j.wait_for("done go"), j.output())
    opening = time.monotonic() - said  # `once` has closed its scope by then
    recorded_for(j, 6 + 2 * opening)
    t.stop(j.pid)
    rows = samples(file)
    seen = numbers(rows)
    t.check("all threads are sampled before there is a context", seen["never"] > 0 and seen["main"] > 0, seen)
    begin = min((first for thread, first, _, _, endpoint in rows if thread == "always" and endpoint), default=0)
    # sums of seconds; the first tick that finds a context is not before "go", and `once` has one for `opening` at most
    late = [r for r in rows if r[0] not in ("always", "half") and r[2] > begin + opening * (r[0] == "once") + 1e-6]
    # a thread that could run takes its sample itself, when it gets a processor: that may be after the tick
    owed = collections.Counter(r[0] for r in late if r[1] == r[2])
    late = [r for r in late if r[1] != r[2] or owed[r[0]] > len(("running", "waiting"))]
    t.check("from the first context on only those that have one", begin > 0 and not [r for r in late if r[0] != "once"],
            f"{begin} {late[:5]} {seen}")
    # A context that stays after its scope gives all of them, one that is not found none.
    n = seen["always"]
    t.check("a thread has one only between open and close", 0 < t.least_of(n, 0.4, TOGETHER) <= seen["half"]
            <= t.most_of(n, 0.55, TOGETHER) < n, seen)
    t.check("a thread that had one once is sampled no more", not [r for r in late if r[0] == "once"], f"{begin} {opening} {late[:5]}")
    sampler = t.events(file, "wick.WallSampler")[-1]
    t.check("the sampler reports how few the candidates are", int(sampler["candidates"]) <= 2, sampler)
    check_accounts("default", t.status(j.pid))
    return j


def by_filter(j):
    """--filter context; the threads of before have scopes that were opened in the recording before."""
    file, whole = t.path("context.jfr"), t.path("all.jfr")
    t.start(j.pid, file, "-e", "wall", "--filter", "context", "--wall-threads", "512")
    recorded_for(j, 2)
    t.stop(j.pid)
    rows = samples(file)
    t.check("--filter context: nobody but those that have one", {r[0] for r in rows} == {"always", "half"}, numbers(rows))
    bare = numbers([r for r in rows if r[4] != f"GET /{r[0]}"])
    # of `half` one in ten, at most, ends its scope between the tick and the walk
    t.check("and their samples say which", not bare["always"] and
            bare["half"] <= t.most_of(n := numbers(rows)["half"], 0.1) < n, f"{bare} {numbers(rows)}")
    check_accounts("context", t.status(j.pid))
    t.start(j.pid, whole, "-e", "wall", "--filter", "all", "--wall-threads", "512")
    recorded_for(j, 1)
    t.stop(j.pid)
    seen = numbers(samples(whole))
    t.check("--filter all: everybody", all(seen[n] > 0 for n in ("always", "half", "once", "never", "main")), seen)


def opened_before():
    """The agent is there, but no recording; scopes opened now are in force in the samples of one that begins later."""
    for kept, options in ((False, []), (True, ["-Dwick.scopes=always"])):
        title = "scopes of before the recording, " + ("with wick.scopes=always" if kept else "by default")
        file = t.path(f"early-{kept}.jfr")
        j = t.Jvm([f"-agentpath:{t.AGENT}", *options, "-Xmx64m", "-cp", f"{classes}:{JAR}", "Contexts"], "early")
        t.check(f"{title}: the program is up", j.wait_for("up") and j.ask("early", "(done early)"), j.output())
        t.start(j.pid, file, "-e", "cpu,wall", "--filter", "all", "--wall-threads", "512")
        goal = cpu_seconds(j, "early") + 0.3  # some 30 samples
        recorded_for(j, 1)
        t.until(lambda: cpu_seconds(j, "early") >= goal, 240)
        t.stop(j.pid)
        events = json.loads(t.jfr(17, "print", "--json", "--events", "profiler.WallClockSample,jdk.ExecutionSample,wick.Span",
                                  file).out)["recording"]["events"]
        kinds = collections.Counter()
        for e in events:
            if e["type"] != "wick.Span" and e["values"]["sampledThread"]["javaName"] == "early":
                top = e["values"]["stackTrace"]["frames"][0]["method"]["name"]
                if "not sampled" in top:
                    continue  # what the thread used since its last sample, when the recording ended: nobody saw where
                context = t.context(e["values"]["context"])
                kinds[e["type"], context.get("endpoint"), context.get("customer")] += 1
        expected = ("GET /early", "early") if kept else (None, None)
        t.check(f"{title}: samples of CPU time and of elapsed time say so", len(kinds) == 2 and
                all(k[1:] == expected for k in kinds), kinds)
        t.check(f"{title}: no event of a span whose begin nobody saw", not [e for e in events if e["type"] == "wick.Span"])
        j.kill()


def virtual(j):
    """A virtual thread's context makes its carrier a candidate while it is mounted. The first four virtual threads of a JVM
    before 24 may be needed to find where it keeps the id of the mounted one."""
    file = t.path("virtual.jfr")
    t.start(j.pid, file, "-e", "wall", "--filter", "context", "--wall-threads", "512")
    t.check("virtual threads have worked", j.ask("virtual", "(done virtual)"), j.output())
    time.sleep(1)
    t.stop(j.pid)
    rows = [r for r in samples(file) if r[0] not in ("always", "half")]
    seen, inside = numbers(rows), sum(n for _, _, _, n, endpoint in rows if endpoint == "GET /virtual")
    t.check("carriers are sampled for the virtual threads on them", rows and all("ForkJoinPool" in n for n in seen), seen)
    t.check("and only while these have a context", inside >= t.least_of(sum(seen.values()), 0.9) > 0, f"{inside} of {seen}")


jvm = by_default()
by_filter(jvm)
if t.JDK >= 21:
    virtual(jvm)
jvm.kill()
opened_before()
t.done()
