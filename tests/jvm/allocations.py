#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25 26 27
# ci: 11 21 25
"""Allocations on a real JVM: estimates by site are what the program allocated, independent of the size of the objects, and
across changes of the interval; one agent samples at a time.

An estimate of n objects of s bytes at the interval R has the standard deviation s sqrt(n (1 - p) / p), p = 1 - exp(-s / R).
Checks are at 5.5 of them (one false alarm in 26 million); a recording has about 30 checks. Beside that 1 % is allowed.

Before JDK 25 an allocation outside the thread's buffer counts what the buffer holds since the last sample, and so does the
next one (JDK-8356372, docs/memory.md). Whether objects of 32 KiB lie outside is up to the buffer's rest: 1 run in 25 had 15 %
too many at 128 KiB, and 25 % when buffers of 512 KiB are always filled up. Up to 40 % too many are let pass there; too few
are not, and mixed sizes are not checked."""
import json
import math
import re
import time

import jvmtest as t

SIGMAS = t.Sigmas(5.5)
SIZES = {"b16": 16, "b128": 128, "k1": 1 << 10, "k32": 32 << 10, "k512": 512 << 10, "m4": 4 << 20}
MIB = 1 << 20
classes = t.compile_java("Allocations")
version = int(t.JDK)


def allocations(*options, name="allocations"):
    j = t.Jvm(["-Xmx256m", *options, "-cp", classes, "Allocations", t.BUILD + "/tests/jvm/libwickotheragent.so"], name)
    if not j.wait_for(r"(?m)^up"):
        t.check("the JVM runs", False, j.output())
    return j


def ask(j, line):
    """The numbers of the answer."""
    answer = j.ask(line, r"truth(.*)")
    return [float(x) for x in answer.split()[0:]] if answer else []


def estimates(file):
    """{method: bytes} of the recording's samples, by the frame nearest the leaf that is the program's."""
    out = {}
    for frames, weight in t.stacks(file, threads=False, annotate=False):
        own = [f for f in frames if f.startswith("Allocations.")]
        site = own[-1].split(".")[1] if own else ""
        out[site] = out.get(site, 0) + weight
    return out


def deviation(size, total, interval):
    p = -math.expm1(-size / interval)
    return size * math.sqrt(total / size * (1 - p) / p)


def too_many(size, total):
    """What the JVM may count beside what there is."""
    return 0.4 * total if version < 25 and size == 32 << 10 else 0


def check_sites(title, file, truth, interval):
    found = estimates(file)
    for (site, size), total in zip(SIZES.items(), truth):
        off, slack = found.get(site, 0) - total, SIGMAS * deviation(size, total, interval) + 0.01 * total
        t.check(f"{title}: {site}: the estimate is what was allocated", total > 0 and -slack <= off <= slack + too_many(size, total),
                f"true {total:.0f}, estimated {found.get(site, 0)}, off {off / max(total, 1):+.3%}, allowed {slack / max(total, 1):.3%}")


def record(j, file, command, *options):
    """The truth, and the state at the end of the recording."""
    r = t.start(j.pid, file, *options)
    if not t.check("a recording of allocations starts", r.status == 0, r):
        return [], {}
    truth = ask(j, command)
    state = t.status(j.pid)
    q = t.stop(j.pid)
    t.check("and stops", q.status == 0, q)
    return truth, state


def sites(j):
    file = t.path("each.jfr")
    truth, state = record(j, file, "each 96 2", "-e", "alloc=128k", "--alloc-rate", "0", "--ring", "16384")
    check_sites("one site after the other", file, truth, 128 << 10)
    t.check("the counts add up", state["fired_alloc"] == state["recorded_alloc"] + state["dropped_alloc"] and
            state["dropped_alloc"] == 0, state)
    t.check("an interval that is not limited stays", state["alloc_interval"] == 128 << 10 == state["alloc_jvm_interval"] and
            state["alloc_interval_changes"] == 0, state)
    return file


def mixed(j):
    if version < 25:
        return
    file = t.path("mixed.jfr")
    truth, _ = record(j, file, "mixed 96 2", "-e", "alloc=128k", "--alloc-rate", "0", "--ring", "16384")
    check_sites("sites in turn", file, truth, 128 << 10)


def limited(j):
    """The interval grows with the rate; the weights of each moment are those of its interval."""
    file = t.path("limited.jfr")
    truth, state = record(j, file, "each 768 2", "-e", "alloc=16k", "--alloc-rate", "200")
    # at the end it may be short again: a program that gets no CPU allocates little
    t.check("too many samples make the interval longer", state["alloc_interval_changes"] > 0 and
            state["alloc_jvm_interval"] == state["alloc_interval"] >= 16 << 10, state)
    t.check("far fewer are taken than without a limit", state["fired_alloc"] < 0.2 * sum(truth) / (16 << 10), state)
    events = json.loads(t.jfr(17, "print", "--json", "--events", "jdk.ObjectAllocationSample", file).out)["recording"]["events"]
    found = estimates(file)
    variance = {}
    for e in (e["values"] for e in events):
        own = [f["method"]["name"] for f in e["stackTrace"]["frames"] if f["method"]["type"]["name"] == "Allocations"]
        p = min(1, e["allocationSize"] / e["weight"])
        if own:
            variance[own[0]] = variance.get(own[0], 0) + e["weight"] ** 2 * (1 - p)
    for (site, size), total in zip(SIZES.items(), truth):
        if size >= 512 << 10 and version < 25:
            continue
        off, slack = found.get(site, 0) - total, SIGMAS * math.sqrt(variance.get(site, 0)) + 0.02 * total
        t.check(f"limited: {site}: the estimate is what was allocated", -slack <= off <= slack + too_many(size, total),
                f"true {total:.0f}, estimated {found.get(site, 0)}, allowed {slack:.0f}")


def the_event(file):
    complaints = []
    for v in (17, 21):
        r = t.jfr(v, "summary", file)
        complaints += [r.err] if r.status or r.err.strip() or not re.search(r"jdk.ObjectAllocationSample +[1-9]", r.out) else []
    t.check("the JDK's tool reads the recording", not complaints, complaints)
    r = t.jfr(17, "print", "--json", "--stack-depth", "3", "--events", "jdk.ObjectAllocationSample", file)
    values = [e["values"] for e in json.loads(r.out)["recording"]["events"]]
    own = [v for v in values if v["stackTrace"]["frames"][0]["method"]["type"]["name"] == "Allocations"]
    wrong = [v for v in own if v["objectClass"]["name"] != "[B" or
             v["allocationSize"] != SIZES[v["stackTrace"]["frames"][0]["method"]["name"]]]
    # One run in 60, of some 5,000 each, had a single one that is not understood; the log shows it. So each has a chance of
    # 1 in 300,000, and 1 in 100,000 is allowed for: four of 5,000. Sizes or leaves that are mixed up are far more.
    print("# class, size or leaf is another:", [(v["objectClass"], v["allocationSize"], v["weight"], v["stackTrace"]["frames"]) for v in wrong[:3]])
    t.check("class, size and leaf are those of the allocation", own and len(wrong) <= t.most_of(len(own), 1e-5), f"{len(wrong)} of {len(own)}")
    # jdk.ActiveRecording comes right before the settings of engines; no event that was not recorded has any.
    of = {}
    for e in t.events(file, "jdk.ActiveSetting"):
        of.setdefault(e["id"], set()).add(e["name"])
    t.check("settings of the recording as a whole are not those of an event", sum("wick.version" in names for names in of.values()) == 1 and
            not [names for names in of.values() if "wick.version" in names and names & {"enabled", "interval", "period"}] and len(of) == 3, of)
    r = t.wick("top", "--by", "object", file)
    t.check("wick top shows the classes", r.status == 0 and re.search(r" byte\[\]$", r.out, re.M), r)


def virtual(j):
    if version < 21:
        return
    file = t.path("virtual.jfr")
    truth, _ = record(j, file, "each 96 4 virtual", "-e", "alloc=128k", "--alloc-rate", "0", "--ring", "16384")
    check_sites("virtual threads", file, truth, 128 << 10)


def seen_by_other(j, title, truth, interval):
    off, slack = ask(j, "sampled")[0] - truth, SIGMAS * deviation(32, truth, interval) + 0.01 * truth
    t.check(title, abs(off) <= slack, f"true {truth:.0f}, off {off:.0f}, allowed {slack:.0f}")


def one_agent_at_a_time(j):
    """The JVM lets one agent sample. Another's interval is in force again when wick has recorded."""
    t.check("the other agent may sample", ask(j, "sample 32768") == [1])
    r = t.start(j.pid, t.path("second.jfr"), "-e", "cpu,alloc")
    t.check("beside it wick is refused, with the reason", r.status == 7 and "another agent" in r.err, r)
    truth = ask(j, "mine 4000000")[0]
    seen_by_other(j, "its estimate is right", truth, 32768)
    ask(j, "unsample")
    r = t.start(j.pid, t.path("alone.jfr"), "-e", "alloc=1m", "--alloc-rate", "0", "--ring", "16384")
    t.check("when it has ended wick may", r.status == 0, r)
    t.check("and the other one may not", ask(j, "sample -1") == [0])
    ask(j, "mine 100000")
    t.stop(j.pid)
    t.check("until wick has ended", ask(j, "sample -1") == [1])
    ask(j, "mine 1000000")  # uses up a gap that was drawn in between, 32 times its mean
    ask(j, "unsample")
    t.check("it may again", ask(j, "sample -1") == [1])
    truth = ask(j, "mine 4000000")[0]
    seen_by_other(j, "the interval of before the recording is in force", truth, 32768)
    ask(j, "unsample")


jvm = allocations()
the_event(sites(jvm))
mixed(jvm)
limited(jvm)
virtual(jvm)
jvm.kill()
jvm = allocations(name="other")
one_agent_at_a_time(jvm)
jvm.kill()
t.done()
