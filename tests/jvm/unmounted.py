#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 21 25
"""`wick stack --virtual` lists virtual threads that have a scope open, mounted or not, with their contexts and stacks; `wick
stack` shows a mounted one whole, with its name; pinned ones are distinguished, in the list and in a recording."""
import json
import os
import re
import subprocess
import threading
import time

import jvmtest as t

JAR = os.path.join(t.BUILD, "java/wick.jar")
MANY = 100000
classes = t.compile_java("VScopes", classpath=JAR)


def program(name, *options):
    j = t.Jvm(["-XX:+EnableDynamicAgentLoading"] * (t.JDK >= 21) + ["-Djdk.virtualThreadScheduler.parallelism=4", *options,
               "-Xmx1g", "-cp", f"{classes}:{JAR}", "VScopes"], name)
    t.check(f"{name}: the program runs", j.wait_for("up"), j.output())
    return j


def listed(j, *options):
    r = t.wick("stack", "--virtual", "--json", *options, j.pid)
    return json.loads(r.out) if r.status == 0 else {"known": -1, "threads": [], "stacks": [], "said": r}


def say(j, line, seconds=t.HANGS):
    return j.ask(line, r"answer (.*)\n", seconds)


def of(found, endpoint):
    return [r for r in found["threads"] if r.get("endpoint") == endpoint]


def frames(found, row):
    return found["stacks"][row["stack"]]["frames"]


def none_before_21():
    j = program("old")
    r = t.wick("stack", "--virtual", j.pid)
    t.check("a JVM without virtual threads: the answer says so", r.status == 0 and "no virtual threads" in r.out, r)
    r = t.wick("stack", "--virtual", "--json", j.pid)
    t.check("also in JSON", r.status == 0 and json.loads(r.out)["threads"] == [], r)


def refusals(j):
    r = t.wick("stack", "--virtual", j.pid)
    t.check("without the agent the answer says what to do", r.status != 0 and f"wick start {j.pid}" in r.err, r)
    for args in (["--json"], ["--rows", "5"], ["--virtual", "--rows", "x"], ["--virtual", "--timing"]):
        r = t.wick("stack", *args, j.pid)
        t.check(f"{' '.join(args)} is refused", r.status == 2 and r.err, r)


def strangers(j):
    if os.geteuid() != 0:
        t.skip("another user is refused", "not root")
        return
    r = t.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", t.WICK, "stack", "--virtual", j.pid)
    t.check("another user is refused", r.status not in (0, -1) and "endpoint" not in r.out, r)


def waiting(j):
    say(j, "wait 3000")
    # those that wait have said so just before
    until(lambda: listed(j, "-n", "0"), lambda f: all(r["state"] == "WAITING" and not r["mounted"] for r in f["threads"]))
    found = listed(j)
    rows = found["threads"]
    t.check("threads that wait are listed, as many as asked for", found["known"] == 3000 and len(rows) == found["shown"] == 1000
            and len(listed(j, "-n", "5")["threads"]) == 5, {**found, "threads": rows[:3]})
    t.check("those that are open longest come first", [r["open_ns"] for r in rows] == sorted((r["open_ns"] for r in rows), reverse=True)
            and rows[0]["open_ns"] > 0, rows[:3])
    found = listed(j, "-n", "0")
    rows = found["threads"]
    t.check("all are listed if asked for, each once", found["shown"] == len({r["id"] for r in rows}) == 3000
            and {r["trace_id"] for r in rows} == {f"{1000 + i:016x}" for i in range(3000)}, rows[:3])
    wrong = [r for r in rows if r["endpoint"] != "GET /wait" or int(r["span_id"], 16) != int(r["trace_id"], 16) + 1
             or r["labels"] != ("half=even" if int(r["trace_id"], 16) % 2 == 0 else "half=odd")
             or r["name"] != f"task-{int(r['trace_id'], 16) - 1000}"]
    t.check("each with its own name, context and labels", not wrong, wrong[:3])
    there = [r for r in rows if r["mounted"] is False and r["state"] == "WAITING" and not r["pinned"]
             and any(f.startswith("VScopes.hold:") for f in frames(found, r)) and frames(found, r)[-1].startswith("java.lang.VirtualThread.run")]
    t.check("unmounted, with the stack they wait in", len(there) == 3000, [r for r in rows if r not in there][:3])
    t.check("stacks that are alike are one", sum(s["threads"] for s in found["stacks"]) == 3000 and len(found["stacks"]) < 20,
            [s["threads"] for s in found["stacks"]])
    shown = t.wick("stack", "--virtual", j.pid).out
    t.check("also as text", "1,000 of 3,000 virtual threads with a context shown" in shown and re.search(r"\d+ threads with the same stack", shown)
            and "    VScopes.hold:" in shown and "labels: half=" in shown, shown[:2000])
    one = listed(j, "-t", "task-12")["threads"]
    t.check("a name chooses", one and all("task-12" in r["name"] for r in one), one[:3])
    t.check("they go on", say(j, "go") == "gone", j.output())
    t.check("and are gone from the list", t.until(lambda: listed(j)["known"] == 0), listed(j))


def until(look, good, seconds=t.HANGS / 2):
    """The first answer that is good, or the last."""
    end = time.monotonic() + seconds
    while True:
        seen = look()
        if good(seen) or time.monotonic() > end:
            return seen
        time.sleep(0.1)


def pinned(j):
    for line in ("pin 3600000", "class 3600000", "spin 3600000"):  # until the program is killed
        say(j, line)
    found = until(lambda: listed(j), lambda f: all(of(f, e) and of(f, e)[0]["state"] == "TIMED_WAITING" for e in ("GET /pin", "GET /class")))
    held, cls, spin = ([*of(found, e), {}][0] for e in ("GET /pin", "GET /class", "GET /spin"))
    t.check("a class's initialiser pins its thread", cls.get("pinned") is True and cls["mounted"] and cls["carrier_tid"] > 0, found)
    t.check("a monitor pins before JDK 24, and does not from then on", held.get("pinned") is (t.JDK < 24)
            and held["mounted"] is (t.JDK < 24), found)
    t.check("a thread that computes is mounted and not pinned", spin.get("mounted") is True and not spin["pinned"]
            and spin["state"] == "RUNNABLE", found)

    def whole():
        r = t.wick("stack", j.pid)
        return [b for b in r.out.split("\n\n") if f"id={spin.get('id')}" in b and "VScopes.spin" in b]
    def name_and_boundary(blocks):
        return blocks and re.search(rf'carries virtual thread "{spin["name"]}" id={spin["id"]}\n(?s:.*)VScopes.spin.*\n(?s:.*)'
                                    rf'java.lang.VirtualThread.run[:\d]* .*\n(?s:.*)-- virtual thread "{spin["name"]}" id={spin["id"]} above, '
                                    r'carrier below --\n(?s:.*)ForkJoinWorkerThread.run', blocks[0])
    blocks = until(whole, name_and_boundary)
    t.check("wick stack shows a mounted thread whole, with its name, and the carrier below", name_and_boundary(blocks), blocks)
    chosen = t.wick("stack", "-t", spin.get("name", "?"), j.pid).out
    t.check("and finds it by its name", "VScopes.spin" in chosen and "VScopes.main" not in chosen, chosen[:1000])


def recorded_pins(file):
    # -t off: a row is a stack
    rows = t.stacks(file, threads=False, annotate=False)
    seen = {m: t.weight_of([r for r in rows if any(m in f for f in r[0]) and any("parkOnCarrierThread" in f for f in r[0])])
            for m in ("VScopes.pinned", "<clinit>")}
    t.check("a recording shows that the initialiser is pinned", seen["<clinit>"] > 0, seen)
    t.check("and the monitor's holder where that is so", (seen["VScopes.pinned"] > 0) is (t.JDK < 24), seen)
    where = t.wick("top", "--json", "-n", "0", "--where", "endpoint=GET /class", file)
    t.check("with its context", '"java.lang.VirtualThread.parkOnCarrierThread"' in where.out.replace("/", "."), where.out[:1500])


def last_labels(file):
    rows = t.events(file, "wick.Labels")
    return {k: int(v) for k, v in rows[-1].items() if v.isdigit()} if rows else {}


def crowd(j):
    """Many that wait, many that come and go, and repeated lists of them: the counts balance."""
    file = t.path("crowd.jfr")
    t.start(j.pid, file, "-i", "10ms")
    say(j, f"wait {MANY}")
    answer = []
    churn = threading.Thread(target=lambda: answer.append(say(j, "churn 5000")))
    churn.start()
    lists, bad, most, end = 0, [], 0, time.monotonic() + 8
    while lists < 4 or time.monotonic() < end:
        found = listed(j, "-n", "200" if lists % 4 else "20000")
        lists += 1
        most = max(most, found["known"])
        if found["known"] < MANY or len(found["threads"]) != found["shown"] or len({r["id"] for r in found["threads"]}) != found["shown"]:
            bad.append({**found, "threads": found["threads"][:2], "stacks": []})
        # a thread that was asked while it closed and opened scopes shows one context or the other, never parts of two
        bad += [r for r in found["threads"] if r.get("endpoint") == "GET /churn" and r.get("trace_id") != r.get("span_id")]
    j.say("enough")
    churn.join()
    t.check("lists of a crowd that changes are whole", lists > 1 and not bad, f"{lists} lists, most {most}: {bad[:3]}")
    t.check("the crowd goes on", say(j, "go") == "gone" and j.proc.poll() is None, j.output()[-2000:])
    t.stop(j.pid)
    labels = last_labels(file)
    closed = int(re.match(r"(\d+) closed", (answer or [None])[0] or "0 closed")[1])
    t.check("every span is accounted for", closed > 0 and labels.get("spans", 0) + labels.get("threadsLost", 0) == MANY + closed
            and labels["spans"] == labels["recorded"] + labels["dropped"], (closed, labels))
    print(f"# {lists} lists of up to {most} threads; {labels}")


def unclosed(j):
    file = t.path("leak.jfr")
    t.start(j.pid, file)
    say(j, "leak")
    found = listed(j)
    t.check("a thread that ended with a scope open is counted, not listed", found["ended"] == 1 and not of(found, "GET /leak"), found)
    t.stop(j.pid)
    r = t.wick("stack", "--virtual", j.pid)
    t.check("without a recording the answer says that scopes are not kept", r.status == 0 and "no recording" in r.err, r)


def loaded_twice(j):
    jcmd = t.jdk_home(t.JDK) + "/bin/jcmd"
    if not os.path.exists(jcmd):
        return
    file = t.path("twice.jfr")
    t.start(j.pid, file)
    say(j, "wait 50")
    said = t.run(jcmd, j.pid, "JVMTI.agent_load", t.AGENT)
    found = listed(j)
    t.check("an agent that is loaded again knows what it knew", len(of(found, "GET /wait")) == 50, (said, found))
    say(j, "go")
    t.stop(j.pid)


def exits(j):
    t.start(j.pid, t.path("exit.jfr"))
    say(j, "wait 20000")
    asking = [subprocess.Popen([t.WICK, "stack", "--virtual", "--json", "-n", "131072", str(j.pid)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE) for _ in range(2)]
    time.sleep(0.2)
    j.say("exit")
    status = j.wait()
    out = [p.communicate(timeout=t.HANGS) for p in asking]
    t.check("the JVM ends while lists are made", status == 0, (status, j.output()[-1500:]))
    t.check("each request gets a list or an error", all(p.returncode in (0, *range(1, 16)) and (p.returncode or o[0]) for p, o in zip(asking, out)),
            [(p.returncode, o[0][:200], o[1]) for p, o in zip(asking, out)])


if t.JDK < 21:
    none_before_21()
    t.done()
running = program("program")
refusals(running)
wall = t.path("wall.jfr")
t.start(running.pid, wall, "-e", "wall")
strangers(running)
waiting(running)
pinned(running)
t.work_for(running, 1)
t.stop(running.pid)
recorded_pins(wall)
running.kill()
running = program("crowd", "-Xlog:disable", "-Xlog:all=error")
crowd(running)
unclosed(running)
loaded_twice(running)
exits(running)
t.done()
