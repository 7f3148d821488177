#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25
# ci: 21
# timeout: 3600
"""wick explain on a service whose heap is full: who holds most of it is named, with the way from the GC root, and what that cost; only
up to the size that is allowed; it stays with a recording that is kept; and nothing is left behind."""
import glob
import json
import re

import jvmtest as t

classes = t.compile_java("Memory", "NativeMem")
t.compile_java("Leak", classpath=classes)

# how it leaks: who keeps, what, and words of the way to it in their order
WAYS = {
    "map": (r"java\.util\.HashMap\$Node\[\d+\]", "java.util.HashMap$Node",
            ["class Leak, static map -> java.util.HashMap, table -> java.util.HashMap$Node["]),
    "listeners": (r"java\.lang\.Object\[\d+\]", "Leak$Listener",
                  ["class Leak, static listeners -> java.util.ArrayList, elementData -> java.lang.Object["]),
    "locals": (r"java\.lang\.Object\[\d+\]", "byte[]",
               ['thread: java.lang.Thread "main", threadLocals -> ', "value -> java.util.ArrayList, elementData -> java.lang.Object["]),
}


def explain(j, options, *tries, good):
    """The answer and the finding of that kind; once more for longer where a busy machine has had no time for what it is about."""
    for seconds in tries:
        r = t.wick("explain", "--json", "--lib", t.AGENT, "-d", str(seconds), *options, j.pid, seconds=seconds + 600)
        found = [f for f in json.loads(r.out)["findings"] if good(f)] if r.status == 0 else []
        if r.status or found:
            break
    return r, found[0] if len(found) == 1 else None


# how a full heap wastes memory: what is said of that
WASTES = {
    "slices": r"; ([\d.]+) MiB \((\d+) % of the heap\) would be free without byte buffers that are slices of larger arrays: [\d,]+ buffers, of "
              r"which most are head of Leak\$Message, keep [\d.]+ MiB of arrays alive for the [\d.]+ [KM]iB that they have of them",
    "room": r"; ([\d.]+) MiB \((\d+) % of the heap\) is room in [\d,]+ of java\.util\.ArrayList that has no element: they have [\d,]+ elements "
            r"and room for [\d,]+",
    "texts": r"; ([\d.]+) MiB \((\d+) % of the heap\) is copies: [\d,]+ strings have only [\d,]+ different texts",
}


def is_full(finding):
    return finding["rule"] == "out-of-memory"


def left_behind():
    return glob.glob("/tmp/.wick-*") + glob.glob("/var/tmp/.wick-*")


def check_left(title, before):
    """What was not there before goes: it may be of a command that runs beside this test."""
    new = set(left_behind()) - set(before)
    t.check(f"{title}: no file is left behind", t.until(lambda: not new & set(left_behind()), 300), new)


def check(way, keeper, what, words):
    j = t.Jvm(["-Xmx24m", "-XX:+UseSerialGC", "-cp", classes, "Leak", way, "2000000"], way)
    t.check(f"{way}: the service runs", j.wait_for(r"(?m)^warm$"), j.output())
    j.say("go")
    t.check(f"{way}: its heap is full", j.wait_for(r"(?m)^full$"), j.output())
    before = left_behind()
    r, found = explain(j, ["--chains", "64m"], 5, 60, good=is_full)
    said = found["figures"].get("holder", "") if found else ""
    print(f"# {way}: {said}")
    m = re.match(keeper + r" keeps ([\d.]+) MiB \((\d+) % of the heap\) alive, [\d,]+ of (\S+), held by (.*) "
                 r"\(by a heap dump of [\d.]+ MiB: the JVM was stopped for [\d.]+ s at most\)$", said)
    t.check(f"{way}: who keeps most of it is named", m and m.group(3) == what and int(m.group(2)) > 50, said or r)
    path = m.group(4) if m else ""
    at = [path.find(w) for w in words]
    t.check(f"{way}: with the way from the root", at[0] >= 0 and at == sorted(at), path)
    t.check(f"{way}: also in the sentence", found and found["sentence"].endswith("; " + said), found)
    check_left(way, before)
    return j


def check_waste(way, words):
    j = t.Jvm(["-Xmx24m", "-XX:+UseSerialGC", "-cp", classes, "Leak", way, "2000000"], way)
    t.check(f"{way}: the service runs", j.wait_for(r"(?m)^warm$"), j.output())
    j.say("go")
    t.check(f"{way}: its heap is full", j.wait_for(r"(?m)^full$"), j.output())
    r, found = explain(j, ["--chains", "64m"], 5, 60, good=is_full)
    said = found["figures"].get("holder", "") if found else ""
    print(f"# {way}: {said}")
    m = re.search(words, said)
    t.check(f"{way}: what of the heap is not needed is said", m and int(m[2]) > 50, said or r)
    t.check(f"{way}: beside who holds it", "class Leak, static kept -> java.util.ArrayList" in said, said)
    j.kill()


def by_default(j):
    """A copy writes the dump without being asked for; and what it showed is in the recording that is kept."""
    kept = t.path("kept.jfr")
    answer, found = explain(j, ["-f", kept], 5, 60, good=is_full)
    said = found["figures"].get("holder", "") if found else ""
    t.check("who keeps most of a heap of moderate size is found out without an option",
            re.match(r"java\.util\.HashMap\$Node\[\d+\] keeps ", said), found or answer)
    again = t.wick("explain", "--json", kept)
    rows = json.loads(again.out)["findings"] if again.status == 0 else []
    t.check("it is in the recording that is kept", [f["figures"].get("holder") for f in rows if is_full(f)] == [said], again)
    events = t.json_values(kept, "wick.HeapHolder")
    t.check("as an event at its end, with sizes", len(events) == 1 and events[0]["subject"] == "heap" and events[0]["holder"] == said
            and 0 < int(events[0]["retainedSize"]) <= int(events[0]["heapSize"]), events)


def soft():
    """A cache of soft references, which the JVM does not drop before its heap is full: 1 MiB more each second."""
    before = left_behind()
    j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-XX:SoftRefLRUPolicyMSPerMB=100000000", "-Dticks=100000", "-cp", classes, "Leak", "soft", "52429"],
              "soft")
    t.check("soft: the service is at work", j.wait_for(r"(?m)^warm$"), j.output())
    j.say("go")
    r, found = explain(j, [], 42, good=lambda f: f["rule"] == "live-set")
    said = found["figures"].get("holder", "") if found else ""
    print(f"# soft: {said}")
    m = re.match(r"java\.util\.HashMap\$Node\[\d+\] keeps ([\d.]+) MiB \((\d+) % of the heap\) alive, [\d,]+ of java\.util\.HashMap\$Node, "
                 r"most of it by soft references, held by (.*) \(by a heap dump", said)
    t.check("soft: a cache of soft references is named", m and int(m[2]) > 50, said or r)
    t.check("soft: with the way from the root", m and "class Leak, static soft -> java.util.HashMap" in m[3], said)
    t.check("soft: and what to do about it", found and "a bound for the cache" in found["advice"], found)
    check_left("soft", before)
    j.kill()


def growing_loaders():
    """(answer, what explain says of them, JVM). Readings of memory come every ten seconds where the machine has time, and eight are
    needed."""
    j = t.Jvm(["-Xmx400m", "-XX:+UseSerialGC", "-Dticks=1000000", "-cp", classes, "Leak", "loaders"], "loaders")
    t.check("loaders: the service is at work", j.wait_for(r"(?m)^warm$"), j.output())
    j.say("go")
    r, found = explain(j, ["--chains", "1g"], 95, 240, good=lambda f: f["rule"] == "memory-growth" and f["figures"]["part"] == "metaspace")
    return r, found, j


def loaders():
    """Class loaders that grow, in a heap that does not fill up."""
    before = left_behind()
    r, found, j = growing_loaders()
    said = found["figures"].get("holder", "") if found else ""
    print(f"# loaders: {found['sentence'] if found else r}")
    m = re.match(r"([\d,]+) class loaders are of Memory\$Loader, of which (\d+) of (\d+) are held by java\.lang\.Object\[\d+\], one by (.*) "
                 r"\(by a heap dump of [\d.]+ MiB: the JVM was stopped for [\d.]+ s at most\)$", said)
    t.check("loaders: who holds them is named", m and int(m[1].replace(",", "")) > 100 and m[3] == "32"
            and m[2] in ("31", "32"), said or r)  # one may be in the making
    path = m[4] if m else ""
    # the list is also in a local variable of main while that adds to it, and the launcher has the class
    t.check("loaders: with the way from the root to one of them",
            re.search(r'(class Leak, static kept|local variable in Leak\.\w+\(Leak\.java:\d+\)) -> '
                     r"java\.util\.ArrayList, elementData -> java\.lang\.Object\[.* -> Memory\$Loader$", path), path)
    t.check("loaders: also in the sentence", found and "class loaders more than at the start" in found["sentence"]
            and said in found["sentence"], found)
    check_left("loaders", before)
    j.kill()


for name, row in WAYS.items():
    jvm = check(name, *row)
    if name == "map":
        answer, without = explain(jvm, ["--chains", "1m"], 5, 60, good=is_full)
        t.check("a heap larger than allowed is not dumped", without and "holder" not in without["figures"]
                and "--chains allows a dump of 1 MiB" in answer.err, answer)
        answer, without = explain(jvm, ["--chains", "0"], 5, 60, good=is_full)
        t.check("none is dumped where that is forbidden", without and "holder" not in without["figures"] and "what holds" not in answer.err, answer)
        by_default(jvm)
    jvm.kill()
for name, row in WASTES.items():
    check_waste(name, row)
soft()
loaders()
wrong = t.wick("explain", "--chains", "many", "1")
t.check("a size is wanted", wrong.status == 2 and "--chains takes a size" in wrong.err, wrong)
t.done()
