#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25 26 27
# ci: 11 21 25
"""Allocations of threads that live for one request only, and of threads that were there before the recording: estimates are what
was allocated.

The JVM draws the gap to a thread's first sample from a generator that it sets to the thread's address, and addresses come again. So
4,000 threads one after the other draw a few gaps, and whether these are longer than what each allocates decides by how much the sum is off,
another way in each JVM. JDK 25 counts what a thread has allocated since its last sample, or its birth, also while nobody samples; so
each thread that is there when a recording begins would have a sample at once.

An estimate has the standard deviation of allocations.py; a check is at 5.5 of them, one false alarm in 26 million. Beside that 1 %
is allowed, and of threads that were there what fits into their buffers, which are 16 KiB here: up to JDK 24 what a thread allocates
until the first one is full is not counted."""
import math

import jvmtest as t

SIGMAS = t.Sigmas(5.5)
SIZES = (16, 128, 1 << 10, 32 << 10, 512 << 10, 4 << 20)
NAMES = ("b16", "b128", "k1", "k32", "k512", "m4")
KIB, MIB = 1 << 10, 1 << 20
classes = t.compile_java("Allocations")
COLLECTORS = {"G1": ["-XX:+UseG1GC"], "Z": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"]}


def program(name, *options):
    j = t.Jvm(["-Xmx512m", *options, "-cp", classes, "Allocations"], name)
    t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    return j


def ask(j, line):
    answer = j.ask(line, r"truth(.*)", 600)
    return [int(x) for x in answer.split()] if answer else []


def estimate(file, site):
    total = 0
    for frames, weight in t.stacks(file, threads=False, annotate=False):
        own = [f for f in frames if f.startswith("Allocations.")]
        total += weight if own and own[-1] == "Allocations." + NAMES[site] else 0
    return total


def check(title, file, truth, dropped, site, interval, lost=0, header=0):
    """dropped: what samples stood for that found no room, as they do where hundreds of threads have one at once on a busy machine; they are
    the site's. lost: bytes at most that are not counted. header: how much longer an array's is than 16 bytes."""
    size = SIZES[site] + header
    total = truth[site] // SIZES[site] * size if truth else 0
    p = -math.expm1(-size / interval)
    deviation = size * math.sqrt(total / size * (1 - p) / p)
    off, slack = estimate(file, site) + dropped - total, SIGMAS * deviation + 0.01 * total
    print(f"# {title}: {off / max(total, 1):+.2%} of {total / MIB:.0f} MiB, one deviation is {deviation / max(total, 1):.2%}")
    t.check(f"{title}: the estimate is what was allocated", total > 0 and -slack - lost <= off <= slack,
            f"true {total}, off {off}, allowed {slack:.0f}, {lost} more too few")


def record(j, name, command, *options):
    file = t.path(name + ".jfr")
    r = t.start(j.pid, file, "--alloc-rate", "0", "--ring", "16384", *options)
    t.check("a recording starts", r.status == 0, r)
    truth = ask(j, command)
    state = t.status(j.pid)
    t.check("the gaps are wick's", state.get("alloc_gaps", 0) >= state.get("alloc_reports", 0) > 0, state)
    r = t.stop(j.pid)
    t.check("and stops", r.status == 0, r)
    return file, truth, state.get("dropped_weight_alloc", 0)


def requests(j, header):
    for kib, each, site, lanes in ((512, 200, 1, 1), (512, 200, 2, 2), (2048, 300, 2, 1), (128, 40, 1, 3)):
        n = 6000 if each > 100 else 12000
        file, truth, dropped = record(j, "requests", f"requests {n} {each * KIB} {site} {lanes}", "-e", f"alloc={kib}k")
        check(f"{n} threads, {lanes} at a time, of {each} KiB each at {kib} KiB", file, truth, dropped, site, kib * KIB, header=header)
    if t.JDK >= 21:
        file, truth, dropped = record(j, "virtual", f"requests 6000 {200 * KIB} 1 2 virtual", "-e", "alloc=512k")
        check("virtual threads", file, truth, dropped, 1, 512 * KIB)


def crowd():
    j = program("crowd", "-XX:TLABSize=16k", "-XX:-ResizeTLAB", "-Xss256k")
    ask(j, f"crowd 400 {2 * MIB} 1")
    for again in range(2):
        file, truth, dropped = record(j, "crowd", f"again {256 * KIB} 1", "-e", "alloc=512k")
        check(f"400 threads that were there, {again}", file, truth, dropped, 1, 512 * KIB, 400 * 16 * KIB)
    j.kill()


for collector, options in COLLECTORS.items():
    with t.titled(collector):
        jvm = program(collector, *options)
        # JDK 11 has no compressed class pointers with ZGC
        requests(jvm, 8 if t.JDK < 15 and collector == "Z" else 0)
        jvm.kill()
crowd()
t.done()
