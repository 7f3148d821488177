#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
# ci: 21 25
"""Waiting for locks on a real JVM: the totals are those that the program itself measured, at any interval; owners are the
right ones; and when recordings end, nothing of them is left that holds up the program.

What the sampling leaves to chance is allowed for: the variance of a total T at the interval I is at most I x T, whatever
the waits' lengths; checks are at 5 standard deviations (one false alarm in 1.7 million), those of shares at t.FALSE_ALARM."""
import functools
import json
import math
import re
import subprocess
import time

import jvmtest as t

SIGMAS = t.Sigmas(5)  # one false alarm in 1.7 million
SIGMAS_BY_SAMPLES = t.Sigmas(6)  # by a deviation that the samples themselves estimate
INTERVALS = (100, 1000, 10000)
KINDS = ["jdk.JavaMonitorEnter", "jdk.ThreadPark", "jdk.JavaMonitorWait"]
OURS = re.compile(r"(enter|take)-\d+$|waits$|parks$")
# What the program measures itself; on a busy machine its threads also wait for each other where the JDK loads classes.
MEASURED = {"jdk.JavaMonitorEnter": ("monitorClass", r"Locks\$Monitor"),
            "jdk.ThreadPark": ("parkedClass", r"java/util/concurrent/locks/ReentrantLock\$NonfairSync|Locks\$Truth"),
            "jdk.JavaMonitorWait": ("monitorClass", r"java/lang/Object")}
classes = t.compile_java("Locks", "VWaits")


@functools.lru_cache(maxsize=1)
def events_of(file):
    """{type: [values]} of what concerns locks."""
    kinds = [*KINDS, "wick.LockOwner", "wick.LockStatistics"]
    r = t.jfr(17, "print", "--json", "--stack-depth", "64", "--events", ",".join(kinds), file)
    out = {k: [] for k in kinds}
    for e in json.loads(r.out)["recording"]["events"]:
        out[e["type"]].append(e["values"])
    return out


def json_events(file, kind):
    return events_of(file)[kind]


def span(text):
    """ISO 8601 of the jfr tool in ns: PT1.5S, PT1M2.25S."""
    m = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text)
    return sum(float(v or 0) * f for v, f in zip(m.groups(), (3600, 60, 1))) * 1e9


def locks(*options, name="locks"):
    j = t.Jvm(["-Xmx128m", *options, "-cp", classes, "Locks"], name)
    if not j.wait_for(r"(?m)^up"):
        t.check("the JVM runs", False, j.output())
    return j


def truth_of(answer):
    """{event: ns} of the program's answer; a ReentrantLock is taken by parking. And what its threads waited for a CPU: at the
    edge of a wait, that is in the program's measure of it and not in wick's."""
    w = answer.split()
    ns = {w[i]: int(w[i + 1]) for i in range(0, len(w), 3)}
    return {"jdk.JavaMonitorEnter": ns["enter"], "jdk.ThreadPark": ns["take"] + ns["park"], "jdk.JavaMonitorWait": ns["wait"],
            "crowded": ns["crowded"]}


def is_measured(kind, e):
    key, names = MEASURED[kind]
    return OURS.match(e["eventThread"]["javaName"] or "") and re.fullmatch(names, (e[key] or {}).get("name") or "")


def exact(file):
    """{event: (waits, ns)}: what the engine counted, sampled or not."""
    out = {}
    for e in json_events(file, "wick.LockStatistics"):
        out[e["kind"]] = (e["waits"], span(e["waited"]))
    return out


def totals(j, interval_us):
    file = t.path(f"totals{interval_us}.jfr")
    r = t.start(j.pid, file, "-e", f"lock=/{interval_us}us")
    answer = j.ask("run 2000 2000 3", r"truth (.*)")
    time.sleep(0.2)  # the threads are gone from the agent's tables by then, but not what they waited
    q = t.stop(j.pid)
    if not t.check(f"every {interval_us} us: a recording of locks is made", answer and not r.status and not q.status,
                   f"{r} {q} {answer}"):
        return
    truth, counted = truth_of(answer), exact(file)
    lost = t.wick("convert", file, "--to", "collapsed", "-o", "-").err
    for kind in KINDS:
        events = json_events(file, kind)
        weight = sum(span(e["weight"]) for e in events)
        waits, waited = counted[kind]
        # the others' waits are long enough to be in events always
        other = [e for e in events if not is_measured(kind, e)]
        foreign = sum(span(e["duration"]) for e in other)
        others = ", ".join(sorted({f"{e['eventThread']['javaName']}: {e[MEASURED[kind][0]]}"[:100] for e in other}))
        deviation = math.sqrt(interval_us * 1000 * waited)
        said = (f"{kind}: program {truth[kind]} ns, others {foreign:.0f} ns ({others}), counted {waited:.0f} ns in {waits} waits, {truth['crowded']} ns without a "
                f"CPU, weight {weight:.0f} ns in {len(events)} events, standard deviation {deviation:.0f} ns; {lost}")
        t.check(f"every {interval_us} us: {kind}: what was counted is what the program measured",
                -0.03 * truth[kind] - truth["crowded"] <= waited - foreign - truth[kind] <= 0.03 * truth[kind], said)
        t.check(f"every {interval_us} us: {kind}: the weights sum up to it",
                abs(weight - waited) <= SIGMAS * deviation + 1e6, said)
        t.check(f"every {interval_us} us: {kind}: an event is drawn once",
                len({(e["eventThread"]["javaName"], e["startTime"]) for e in events}) >= t.least_of(len(events), 0.9), said)


def limited(j):
    """The interval grows with the rate, and the weights with it: each event's weight squared is its part of the variance, or more.
    Of a hundred events or more that estimate is good to a fifth, which is what the sixth sigma is for."""
    file = t.path("limited.jfr")
    r = t.start(j.pid, file, "-e", "lock", "--lock-rate", "40")
    answer = j.ask("run 4000 200 3", r"truth (.*)")
    time.sleep(0.2)
    q = t.stop(j.pid)
    if not t.check("a recording with few samples a second is made", answer and not r.status and not q.status, f"{r} {q} {answer}"):
        return
    for kind in KINDS:
        weights = [span(e["weight"]) for e in json_events(file, kind)]
        waits, waited = exact(file)[kind]
        said = f"{kind}: {len(weights)} events of {sum(weights):.0f} ns, counted {waited:.0f} ns in {waits} waits"
        t.check(f"40 a second: {kind}: fewer than one in 10 ms", len(weights) < 0.75 * waited / 10e6, said)
        t.check(f"40 a second: {kind}: the weights sum up to what was counted",
                abs(sum(weights) - waited) <= SIGMAS_BY_SAMPLES * math.sqrt(sum(w * w for w in weights)) + 1e6, said)


def events_are_the_jdks(file):
    complaints = []
    for v in (17, 21):
        r = t.jfr(v, "summary", file)
        complaints += [r.err] if r.status or r.err.strip() else []
        complaints += [k for k in KINDS if not re.search(re.escape(k) + r" +[1-9]", r.out)]
    t.check("the JDK's tool reads the events", not complaints, complaints)
    enter, park, wait = (json_events(file, k) for k in KINDS)
    # On a busy machine threads also wait for monitors of the JDK, where it loads classes: those are not ours.
    unnamed = [e for e in enter if not (e["monitorClass"] or {}).get("name")]
    enter = [e for e in enter if e not in unnamed and e["monitorClass"]["name"] == "Locks$Monitor"]
    wrong = [e for e in enter if not e["eventThread"]["javaName"].startswith("enter-") or not e["address"]
             or e["stackTrace"]["frames"][0]["method"]["name"] != "enterMonitor"]
    t.check("a monitor's class, waiter and stack are reported", enter and not unnamed and not wrong, (len(enter), unnamed[:1], wrong[:1]))
    own = [e for e in park if e["eventThread"]["javaName"].startswith(("take-", "parks"))]
    strange = [e for e in own if not (e["parkedClass"] or {}).get("name") or e["stackTrace"]["frames"][0]["method"]["name"] != "park"]
    own = [e for e in own if is_measured("jdk.ThreadPark", e)]
    t.check("so are a parked thread's", own and not strange, (len(own), strange[:1]))
    wait = [e for e in wait if e["eventThread"]["javaName"] == "waits" and is_measured("jdk.JavaMonitorWait", e)]
    t.check("a wait has its timeout", all(1 <= span(e["timeout"]) / 1e6 <= 8 and e["timedOut"] for e in wait) and wait, wait[:1])
    for kind, events, prefix in (("monitor", enter, "enter-"), ("lock", [e for e in own if "Sync" in e["parkedClass"]["name"]], "take-")):
        owners = [(e["previousOwner"] or {}).get("javaName") or "" for e in events]
        known = [o for o in owners if o]
        t.check(f"the owner of a {kind} is one of those that take it, and mostly known",
                all(o.startswith(prefix) for o in known) and len(known) >= max(1, t.least_of(len(events), 0.9)),
                (len(known), len(events), owners[:20]))


def in_table(file, known):
    """`wick locks` says the same."""
    r = t.wick("locks", "--json", file)
    table = json.loads(r.out) if not r.status else {"locks": []}
    named = {(o["thread"], m) for lock in table["locks"] for o in lock["owners"] for m in known.values() if o["thread"] == m[0]
            and any(f"Locks.{m[1]}:" in f for f in o["stack"])}
    t.check("wick locks shows who blocks whom", {m for _, m in named} == set(known.values()), f"{r} {named}")
    kinds = {lock["class"]: lock["kind"] for lock in table["locks"]}
    t.check("and the lock's sort and class", kinds.get("Locks$Monitor") == "monitor"
            and kinds.get("java.util.concurrent.locks.ReentrantLock$NonfairSync") == "lock", kinds)
    text = t.wick("locks", file).out
    # the owner computes: at that moment it may be in a method of the JDK's below its own
    t.check("also as text", re.search(r'held by .*"owner-busy" in (\S+ from )?Locks\.(work|holds|ownerComputesInMonitor)', text), text)


def owners_seen(j, name):
    """A recording in which threads hold what others wait for, and what each of these did then. The one sample of an owner may meet it while
    the JVM replaces the frame of compiled code by one of the interpreter, which no walk gets through: then it is made again."""
    for attempt in range(4):
        file = t.path(f"{name}-{attempt}.jfr")
        t.start(j.pid, file, "-e", "lock=/2ms")
        j.ask("hold 6000", r"held (.*)")  # time for an owner asleep to get a processor, on a machine that has few
        t.stop(j.pid)
        looked = {e["wait"]: e for e in json_events(file, "wick.LockOwner")}
        names = [f["method"]["name"] for e in looked.values() for f in (e["stackTrace"] or {"frames": []})["frames"]]
        if not any(n.startswith("[broken") for n in names):
            break
        print(f"# {name}: a walk broke: {names}")
    return file, looked


def owners(j, name="owners"):
    """Who holds what others wait for, and what the owner is doing: one asleep, two computing."""
    known = {"waiter-sync": ("owner-sync", "ownerSleeps"), "waiter-lock": ("owner-lock", "ownerComputes"),
             "waiter-busy": ("owner-busy", "ownerComputesInMonitor")}
    file, looked = owners_seen(j, name)
    in_table(file, known)
    found = {}
    for e in json_events(file, KINDS[0]) + json_events(file, KINDS[1]):
        waiter = e["eventThread"]["javaName"]
        # where it loads classes it may also wait for others
        if waiter in known and (waiter not in found or (e["previousOwner"] or {}).get("javaName") == known[waiter][0]):
            o = looked.get(e["wait"])
            found[waiter] = (
                (e["previousOwner"] or {}).get("javaName"), o and o["eventThread"]["javaName"],
                [f["method"]["name"] for f in o["stackTrace"]["frames"]] if o else [])
    for waiter, (owner, method) in known.items():
        first, during, frames = found.get(waiter, (None, None, []))
        t.check(f"{name}: {waiter} waits for {owner}, which is then in {method}",
                first == owner and during == owner and method in frames, f"{found.get(waiter)} {t.status(j.pid)}")


def owners_with_coloured_references():
    """The generational ZGC, where references in objects are no addresses."""
    generational = {21: ["-XX:+ZGenerational"], 25: []}.get(t.JDK)
    if generational is None:
        return
    j = locks("-XX:+UseZGC", *generational, name="locks-zgc")
    owners(j, "owners-zgc")
    j.say("quit")
    t.check("the JVM with ZGC ends as it should", j.wait() == 0, j.output()[-500:])


def of_the_jdk():
    """A recording by the JDK itself: waits for each lock sum up to what its own tool prints; who held one is known of monitors."""
    file = t.path("of-the-jdk.jfr")
    j = locks(f"-XX:StartFlightRecording=settings=profile,filename={file}", name="locks-jdk")
    j.ask("run 1500 12000 3", r"truth (.*)")  # longer than the recorder's threshold of 10 ms
    j.say("quit")
    j.wait()
    expected = {}
    for kind, field in ((KINDS[0], "monitorClass"), (KINDS[1], "parkedClass")):
        for e in json_events(file, kind):
            name = ((e[field] or {}).get("name") or "").replace("/", ".")
            count, ns = expected.get(name, (0, 0))
            expected[name] = (count + 1, ns + span(e["duration"]))
    r = t.wick("locks", "--json", file)
    table = {lock["class"]: lock for lock in json.loads(r.out)["locks"]} if not r.status else {}
    for name, kind in (("Locks$Monitor", "monitor"), ("java.util.concurrent.locks.ReentrantLock$NonfairSync", "lock")):
        lock, (count, ns) = table.get(name, {}), expected.get(name, (0, 0))
        t.check(f"the JDK's own recording: waits for a {kind} are those of its tool",
                count and lock.get("kind") == kind and lock["samples"] == count and abs(lock["total_ns"] - ns) <= count,
                f"{count} {ns} {r}")
    holders = {o["thread"] for o in table.get("Locks$Monitor", {}).get("owners", [])}
    t.check("and its holders", holders and all(h.startswith("enter-") for h in holders), holders)


def uncontended(j):
    file = t.path("quick.jfr")
    t.start(j.pid, file, "-e", "lock")
    time.sleep(0.2)
    before = t.status(j.pid)
    j.ask("quick 200000", r"quick (\d+)")
    after = t.status(j.pid)
    t.stop(j.pid)
    # other threads of the JVM, its reference handler or cleaner, may end a few waits of their own at that time
    t.check("a lock that nobody contends for is no wait",
            all(after[k] - before[k] < 50 for k in ("lock_waits", "wait_waits", "park_waits")), f"{before} {after}")


def hooked(j):
    """Frames of the agent below Unsafe.park."""
    return [line for line in t.wick("stack", j.pid).out.splitlines() if re.search(r"\b(recorded_)?park \(libwick", line)]


def cycles(j, n=12):
    """Recordings begin and end while threads wait."""
    signals = {s: j.caught(s) for s in range(1, 65)}
    j.ask("go 500 3", "(going)")
    failed = []
    for i in range(n):
        r = t.start(j.pid, t.path("cycle.jfr"), "-e", ("lock=/100us", "cpu,lock=10us/1ms", "wall,lock")[i % 3])
        time.sleep(0.05 * (i % 3))
        q = t.stop(j.pid)
        if r.status or q.status:
            failed.append((i, r, q))
    t.start(j.pid, t.path("cycle.jfr"), "-e", "lock")
    there = t.until(lambda: hooked(j))
    t.stop(j.pid)
    t.check("recordings begin and end while threads wait", not failed and j.proc.poll() is None, f"{failed} {j.output()[-2000:]}")
    def ours():
        return [n for n in j.threads() if n.startswith("wick-") and n != "wick-control"]
    t.until(lambda: not hooked(j) and not ours())  # a waiter may be bypassed repeatedly
    left, threads = hooked(j), ours()
    changed = [s for s in signals if signals[s] != j.caught(s)]
    t.check("nothing is left that threads which park go through", there and not left and not changed and not threads,
            f"while recording {there}, after {left[:5]} signals {changed} threads {threads}")
    j.ask("halt", "(halted)")
    t.check("the program goes on", j.ask("quick 10", r"quick (\d+)") is not None, j.output()[-500:])
    t.check("the JVM does not complain", "Re-registering" not in j.output(), j.output()[:500])


def wrappers(j):
    """Native wrappers of Unsafe.park in the code cache."""
    r = t.run(f"{t.JAVA_HOME}/bin/jcmd", str(j.pid), "Compiler.codelist")
    return len(re.findall(r"Unsafe\.park\(ZJ\)V", r.out)) if not r.status else None


def leaves_no_code():
    """Binding a native method makes the JVM generate code that it keeps; a recording binds nothing that is bound already."""
    j = locks(name="locks-code")
    j.ask("go 500 3", "(going)")
    failed = []
    for _ in range(20):
        r = t.start(j.pid, t.path("code.jfr"), "-e", "lock")
        q = t.stop(j.pid)
        failed += [(r, q)] if r.status or q.status else []
    left = wrappers(j)  # the one from before the first recording, and the one since
    t.check("20 recordings of locks leave one wrapper behind", not failed and left is not None and left <= 2, f"{left} {failed}")
    t.start(j.pid, t.path("code.jfr"), "-e", "nativelock")
    time.sleep(1)  # in which threads park
    s = t.status(j.pid)
    t.stop(j.pid)
    t.check("nor does one of native locks alone count parks", s.get("park_waits", 0) == 0, s)
    j.kill()


def deadlocks(j):
    """Two pairs for ever; before them nobody, however much is waited."""
    busy = [t.status(j.pid).get("deadlocks")]
    j.ask("go 200 3", "(going)")
    busy += [t.status(j.pid).get("deadlocks") for _ in range(10)]
    j.ask("halt", "(halted)")
    t.check("threads that only wait for each other are no deadlock", set(busy) == {0}, busy)
    j.ask("deadlock", r"deadlocked (yes)")
    s = {}
    t.until(lambda: s.update(t.status(j.pid)) or (s.get("deadlocks") == 2 and s.get("lasting_waits", 0) >= 4))
    described = " ".join(str(v) for k, v in s.items() if re.match(r"deadlock_\d", k))
    t.check("two deadlocks are found", s.get("deadlocks") == 2, s)
    t.check("their threads and locks are named",
            all(f'"{n}"' in described for n in ("dead-sync-a", "dead-sync-b", "dead-lock-a", "dead-lock-b"))
            and described.count("a monitor") == 2 and described.count("ReentrantLock$NonfairSync@") == 2, described)
    as_json = json.loads(t.wick("status", "--json", j.pid).out)
    t.check("they are waits that last", s.get("lasting_waits", 0) >= 4 and "wait_1" in s, s)
    # all of them began before this recording, and none ends
    r = t.wick("locks", "-d", "1", "--lib", t.AGENT, j.pid)
    t.check("wick locks PID shows deadlocks and waits that began before", r.status == 0 and
            "Deadlocked:" in r.out and '"dead-sync-a"' in r.out and "Waiting at the end" in r.out, r)
    r = t.wick("locks", "--json", "-d", "1", "--lib", t.AGENT, j.pid)
    live = json.loads(r.out) if r.status == 0 else {}
    t.check("as in JSON", len(live.get("deadlocks", [])) == 2 and live.get("lasting_waits", 0) >= 4 and
            live.get("unknown_waits") == 0 and len(live.get("waiting", [])) >= 4, r)
    t.check("also in JSON", as_json["deadlocks"] == 2 and as_json["running"] is False, as_json)


def virtual_threads():
    """Where virtual threads leave their carrier while they wait, others begin and end waits there."""
    j = t.Jvm(["-Xmx128m", "-Djdk.virtualThreadScheduler.parallelism=2", "-cp", classes, "VWaits"], "vwaits")
    if not j.wait_for(r"(?m)^up"):
        t.check("virtual threads run", False, j.output())
        return
    file = t.path("virtual.jfr")
    r = t.start(j.pid, file, "-e", "lock=/1us")
    time.sleep(3)
    if t.JDK < 24:
        t.until(lambda: t.status(j.pid).get("wait_waits", 0) > 50)
    q = t.stop(j.pid)
    waits = [e for e in json_events(file, "jdk.JavaMonitorWait") if (e["monitorClass"] or {}).get("name") == "VWaits$Own"]
    short = [span(e["duration"]) for e in waits if span(e["duration"]) < 25e6]
    t.check("no wait of a virtual thread begins with another's", not r.status and not q.status and not short,
            f"{r} {q} {len(short)} of {len(waits)}: {sorted(short)[:5]}")
    if t.JDK < 24:
        t.check("those that keep their carrier are there", waits, exact(file))
    j.kill()


def ends_while_recorded():
    """The JVM ends while it is being recorded."""
    j = locks(name="ending")
    looking = subprocess.Popen([t.WICK, "locks", "-d", "600", "--lib", t.AGENT, str(j.pid)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    while looking.poll() is None and t.status(j.pid).get("running") != 1:
        time.sleep(0.1)
    j.proc.kill()
    out, err = looking.communicate()
    t.check("what was recorded of a JVM that ended is shown", looking.returncode == 8 and
            "locks waited for" in out and "ended during the recording" in err, (looking.returncode, out, err))


def main():
    j = locks()
    for interval_us in INTERVALS:
        totals(j, interval_us)
    limited(j)
    events_are_the_jdks(t.path("totals1000.jfr"))
    owners(j)
    uncontended(j)
    cycles(j)
    if t.JDK == 21:
        leaves_no_code()
    deadlocks(j)
    j.say("quit")
    t.check("the JVM ends as it should", j.wait() == 0, j.output()[-500:])
    if t.JDK >= 21:
        virtual_threads()
    of_the_jdk()
    owners_with_coloured_references()
    ends_while_recorded()
    t.done()


main()
