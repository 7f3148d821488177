#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
# ci: 11 25
"""Waiting for locks of the C library in a real JVM: the totals are those that the program itself measured, at any
interval; stacks lead from the lock to Java; libraries loaded later count; and nothing is left when recordings end.

What the sampling leaves to chance is allowed for as in locks.py."""
import functools
import json
import math
import os
import re
import shutil

import got
import jvmtest as t

SIGMAS = t.Sigmas(5)  # one false alarm in 1.7 million
KINDS = ["profiler.NativeLock", "wick.NativeWait"]
OWNER = "wick.LockOwner"
OPERATIONS = {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock"}
LIBS = os.path.join(t.BUILD, "tests/jvm")
classes = t.compile_java("NativeLocks")


@functools.lru_cache(maxsize=1)
def events_of(file):
    """{type: [values]} of what concerns native locks."""
    kinds = [*KINDS, OWNER, "wick.LockStatistics"]
    r = t.jfr(17, "print", "--json", "--stack-depth", "40", "--events", ",".join(kinds), file)
    out = {k: [] for k in kinds}
    for e in json.loads(r.out)["recording"]["events"]:
        out[e["type"]].append(e["values"])
    return out


def span(text):
    """ISO 8601 of the jfr tool in ns: PT1.5S, PT1M2.25S."""
    m = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text)
    return sum(float(v or 0) * f for v, f in zip(m.groups(), (3600, 60, 1))) * 1e9


def jvm(how, name):
    j = t.Jvm(["-Xmx128m", "-cp", classes, "NativeLocks", f"{LIBS}/libwicknativelocks_{how}.so"], name)
    if not j.wait_for(r"(?m)^up"):
        t.check("the JVM runs", False, j.output())
    return j


def truth_of(answer):
    """{event: ns} of the program's answer, and what its threads waited for a CPU: at the edge of a wait, that is in the
    program's measure of it and not in wick's."""
    mutex, rwlock, cond, crowded = (int(w) for w in answer.split())
    return {KINDS[0]: mutex + rwlock, KINDS[1]: cond, "crowded": crowded}


def of_library(events):
    return [e for e in events if (e["variable"] or "").startswith("libwicknativelocks")]


def totals(j, interval_us, before):
    """Compares with what the program measured; its figures go on from `before`. Returns them."""
    file = t.path(f"native{interval_us}.jfr")
    r = t.start(j.pid, file, "-e", f"nativelock=/{interval_us}us")
    answer = j.ask("run 2000 9", r"truth (.*)")
    q = t.stop(j.pid)
    if not t.check(f"every {interval_us} us: a recording of native locks is made", answer and not r.status and not q.status,
                   f"{r} {q} {answer}"):
        return before
    after = truth_of(answer)
    crowded = after["crowded"] - before["crowded"]
    counted = {e["kind"]: (e["waits"], span(e["waited"])) for e in events_of(file)["wick.LockStatistics"]}
    for kind in KINDS:
        events = events_of(file)[kind]
        truth = after[kind] - before[kind]
        waits, waited = counted[kind]
        # the JVM's own waits; nearly nothing but for its conditions, which are not watched
        foreign = sum(span(e["weight"]) for e in events) - sum(span(e["weight"]) for e in of_library(events))
        weight = sum(span(e["weight"]) for e in events)
        deviation = math.sqrt(interval_us * 1000 * waited)
        slack = SIGMAS * math.sqrt(interval_us * 1000 * foreign)
        said = (f"{kind}: program {truth} ns, other locks {foreign:.0f} ns, counted {waited:.0f} ns in {waits} waits, {crowded} ns without a CPU, "
                f"weight {weight:.0f} ns in {len(events)} events, standard deviation {deviation:.0f} ns")
        print("# " + said)
        t.check(f"every {interval_us} us: {kind}: what was counted is what the program measured",
                -0.03 * truth - slack - crowded <= waited - foreign - truth <= 0.03 * truth + slack, said)
        t.check(f"every {interval_us} us: {kind}: the weights sum up to it",
                abs(weight - waited) <= SIGMAS * deviation + 1e6, said)
    return after


def all_kinds(lock):
    """Whether there are events of each operation and of each kind of threads."""
    by_name = [name_of(e["eventThread"]) for e in lock]
    return {e["operation"] for e in lock} == OPERATIONS and {"nat-mutex", "nat-rwlock"} <= set(by_name) \
        and any(n.startswith("java-") for n in by_name)


def check_events(j):
    """What events say: operation, variable, thread, and the stack down to Java."""
    file = t.path("counted.jfr")
    t.start(j.pid, file, "-e", "cpu,lock,nativelock=/100us")
    j.ask("run 1500 9", r"truth (.*)")
    j.ask("java 500", r"truth (.*)")
    so_far = t.path("so-far.jfr")
    for _ in range(40):  # a reader has to wait for a writer, which is rare without a CPU, and so has one Java thread for the other
        t.wick("dump", "--force", "-q", "-f", so_far, j.pid)
        if t.status(j.pid).get("native_lock_waits", 0) > 1000 and all_kinds(of_library(events_of(so_far)[KINDS[0]])):
            break
        events_of.cache_clear()
        j.ask("run 1500 9", r"truth (.*)")
        j.ask("java 500", r"truth (.*)")
    status = t.status(j.pid)
    t.stop(j.pid)
    t.check("the status counts waits and the places that are watched",
            status.get("native_lock_waits", 0) > 0 and status.get("native_wait_waits", 0) > 0 and status.get("native_images", 0) > 1
            and status.get("native_words", 0) > 3 and "nativelock" in status.get("engine", ""), status)
    lock, wait = (of_library(events_of(file)[k]) for k in KINDS)
    operations = {e["operation"] for e in lock}
    t.check("an event contains its operation", operations == OPERATIONS
            and {e["operation"] for e in wait} == {"pthread_cond_timedwait"}, operations)
    of = lambda start: {(e["address"], e["variable"]) for e in lock + wait if e["operation"].startswith(start)}
    # the condition's mutex may also be contended
    t.check("each lock has its own address", len(of("pthread_mutex")) in (1, 2) and len(of("pthread_rw")) == 1 and
            len(of("pthread_cond")) == 1 and len({a for a, _ in of("")}) == len(of("")) == len({v for _, v in of("")}), of(""))
    native = [e for e in lock if (e["eventThread"] or {}).get("osName", "").startswith("nat-")]
    t.check("threads that the JVM does not know are named", {e["eventThread"]["osName"] for e in native} >= {"nat-mutex", "nat-rwlock"},
            {str((e["eventThread"] or {}).get("osName")) for e in lock})
    stacks = [[f["method"]["name"] for f in e["stackTrace"]["frames"]] for e in lock
              if ((e["eventThread"] or {}).get("javaName") or "").startswith("java-")]
    t.check("the stack leads from the caller of the lock to Java",
            stacks and all(s[0] == "take_mutex" and "take" in s and "takeInJava" in s for s in stacks), stacks[:3])
    table = json.loads(t.wick("locks", "--json", file).out or '{"locks": []}')
    mine = [k for k in table["locks"] if k["kind"] == "native"]
    t.check("wick locks shows native locks by where they lie", any(k["class"].startswith("libwicknativelocks") for k in mine)
            and any(w["frame"].startswith("take_mutex") for k in mine for w in k["waiters"]), mine[:2])
    owners(file)
    t.check("and wick top does with -e nativelock", "take_mutex" in t.wick("top", "-e", "nativelock", file).out,
            t.wick("top", "-e", "nativelock", file))


def name_of(thread):
    return (thread or {}).get("javaName") or (thread or {}).get("osName") or ""


def owners(file):
    """Who has a mutex that others wait for is one of those that take it, and seen with it."""
    # a thread that has not got its name yet is called as the one that started it
    takers = lambda e: name_of(e["previousOwner"]).startswith(("nat-", "java-")) or name_of(e["previousOwner"]) == "java"
    mutex = [e for e in of_library(events_of(file)[KINDS[0]]) if e["operation"] == "pthread_mutex_lock" and
             not any(f["method"]["name"] == "wait_cond" for f in e["stackTrace"]["frames"])]
    known = sum(map(takers, mutex))
    t.check("the owner of a mutex is one of those that take it, and mostly known",
            known >= max(1, t.least_of(len(mutex), 0.8)) and all(takers(e) for e in mutex if e["previousOwner"]),
            f"{known} of {len(mutex)} {[name_of(e['previousOwner']) for e in mutex]}")
    t.check("nobody waits for himself", not [e for e in mutex if e["previousOwner"] and e["previousOwner"] == e["eventThread"]], mutex[:1])
    of_wait = {e["wait"]: e for e in mutex if e["wait"]}
    looks = [e for e in events_of(file)[OWNER] if e["wait"] in of_wait]
    holding = [e for e in looks if any(f["method"]["name"] == "take_mutex" for f in e["stackTrace"]["frames"])]
    # one that is just about to give it back, or to take it, need not be there
    t.check("its stack is that of one who has it", len(holding) >= max(1, t.least_of(len(looks), 0.8)),
            f"{len(holding)} of {len(looks)}: {[[f['method']['name'] for f in e['stackTrace']['frames']] for e in looks if e not in holding][:5]}")
    table = json.loads(t.wick("locks", "--json", file).out or '{"locks": []}')
    t.check("wick locks shows who blocks whom", any(any("take_mutex" in f for f in o["stack"]) for k in table["locks"]
                                                    if k["kind"] == "native" for o in k["owners"]), table["locks"][:2])
    text = t.wick("locks", file).out
    # of the many that hold it for a moment, the text has the first few, which need not be those that were seen with it
    t.check("also as text", re.search(r'held by .*"(nat|java)-\w+" (in (\S+ from )?take_mutex|\(not seen where\))', text), text)


def later(j):
    """A library that is loaded while a recording runs."""
    copy = t.path("libwicknativelocks-copy.so")
    shutil.copy(f"{LIBS}/libwicknativelocks_lazy.so", copy)
    file = t.path("later.jfr")
    t.start(j.pid, file, "-e", "nativelock=/100us")
    images = t.status(j.pid)["native_images"]
    j.ask(f"open {copy}", r"opened (true)")
    for _ in range(600):
        if t.status(j.pid)["native_images"] > images:
            break
        t.time.sleep(0.05)
    measured_ns = int(j.ask("copy 500 3", r"copied (\d+)") or 0)
    t.stop(j.pid)
    events = [e for e in events_of(file)[KINDS[0]] if (e["variable"] or "").startswith("libwicknativelocks-copy.so")]
    weight = sum(span(e["weight"]) for e in events)
    t.check("a library loaded during the recording is watched", measured_ns == 0 or abs(weight - measured_ns) <= 0.1 * measured_ns + 5e6,
            f"program {measured_ns} ns, weight {weight:.0f} ns in {len(events)} events")


def nothing_left(j, agent):
    """The words of all libraries before, during and after a recording."""
    before = got.words(j.pid)
    file = t.path("words.jfr")
    t.start(j.pid, file, "-e", "nativelock")
    during = got.words(j.pid)
    hooked = got.into(during, j.pid, agent)
    t.check("while a recording runs calls lead through the agent, of several libraries",
            {w.name for w in hooked} <= got.NATIVE_LOCKS and "pthread_mutex_lock" in {w.name for w in hooked} and len({w.path for w in hooked}) > 1,
            hooked)
    t.check("the JVM's condition variables are not touched",
            not [w for w in hooked if w.path.endswith("libjvm.so") and "cond" in w.name], hooked)
    changed = got.differences({k: w for k, w in before.items() if w.name not in got.NATIVE_LOCKS}, during)
    t.check("no other word is", not changed, "\n".join(changed))
    j.ask("run 200 6", r"truth (.*)")
    t.stop(j.pid)
    after = got.words(j.pid)
    left = got.differences(before, after, got.NATIVE_LOCKS)
    t.check("when it has ended each word and each page's protection is as before", not left, "\n".join(left))
    t.check("and none leads into the agent", not got.into(after, j.pid, agent), got.into(after, j.pid, agent))
    t.check("the program goes on", j.ask("run 100 6", r"truth (.*)"), j.output()[-500:])


for bound in ("lazy", "now"):
    program = jvm(bound, bound)
    nothing_left(program, t.AGENT)
    if bound == "lazy":
        so_far = truth_of(program.ask("run 1 1", r"truth (.*)"))
        for us in (100, 1000, 10000):
            so_far = totals(program, us, so_far)
        check_events(program)
        later(program)
    program.kill()
t.done()
