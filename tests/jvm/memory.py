#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
"""wick memory on a real JVM with each of its collectors: what a program takes of each kind of memory appears in that part
and nowhere else, from outside and in a recording; with the limits of cgroups."""
import json
import os
import re
import time

import cgroup
from heapcheck import jcmd
import jvmtest as t

MIB = 1 << 20
KNOWN = ("known", "at least")  # what malloc holds free; lists that change while they are read may be incomplete
classes = t.compile_java("Memory")
java_version = int(t.JDK)
PARTS = {"Java heap", "metaspace", "class archive", "code cache", "collector", "thread stacks", "malloc", "libraries",
         "mapped files", "shared memory", "mapped again", "not attributed", "page tables", "kernel stacks"}


def program(name, *options, prefix=()):
    j = t.Jvm([*options, "-Xms64m", "-Xmx400m", "-cp", classes, "Memory"], name, prefix=prefix)
    return j if j.wait_for(r"(?m)^up") else None


def ask(j, line):
    return t.check(f"the program does: {line}", j.ask(line, r"(done)"), j.output()[-500:])


def memory(*words):
    r = t.wick("memory", "--json", *words)
    return json.loads(r.out) if t.check(f"wick memory {words[0]} answers", r.status == 0, r) else None


def parts(m):
    return {p["part"]: p for p in m["parts"]}


def grown(before, after, part, what="resident"):
    return parts(after)[part][what] - parts(before)[part][what]


def check_sum(title, j, m):
    t.check(f"{title}: all parts are there", set(parts(m)) == PARTS, set(parts(m)) ^ PARTS)
    total = sum(p["resident"] for p in m["parts"] if p["in_resident_set"])
    again = parts(m)["mapped again"]["resident"]
    t.check(f"{title}: the parts add up", total - again == m["resident"], (total, again, m["resident"]))
    # the kernel keeps a part of its count by processor: 64 pages on each
    slack = 4 * MIB + 64 * 4096 * os.cpu_count()
    t.check(f"{title}: to what the kernel says", abs(total - j.rss_kib() * 1024) < slack, (total, j.rss_kib() * 1024))


def collector(name, options):
    j = program(name, *options)
    if not j:
        t.skip(f"{name}: this JVM has no such collector", "it does not start")
        return
    file = t.path("mapped.bin")
    if not os.path.exists(file):
        with open(file, "wb") as f:
            f.write(bytes(32 * MIB))
    ask(j, "gc")
    before, threads = memory(str(j.pid)), sum(j.threads().values())
    check_sum(name, j, before)
    for line in ("heap 150", "direct 48", "threads 40", "loaders 4000", f"map 32 {file}", "gc"):
        ask(j, line)
    after, more = memory(str(j.pid)), sum(j.threads().values()) - threads
    check_sum(f"{name}, grown", j, after)
    of = parts(after)
    near = lambda v, wanted, slack: wanted - slack <= v <= wanted + slack
    t.check(f"{name}: the heap has what is kept", of["Java heap"]["resident"] >= 150 * MIB, of["Java heap"])
    if name not in ("Shenandoah", "Epsilon"):  # say it later, or never
        t.check(f"{name}: and says so", near(of["Java heap"]["used"], 150 * MIB, 40 * MIB), of["Java heap"])
    t.check(f"{name}: its maximum is known", near(of["Java heap"]["reserved"], 400 * MIB, 4 * MIB), of["Java heap"])
    # and what the JVM keeps of threads, loaders and the heap
    t.check(f"{name}: a direct buffer is malloc's", 47 * MIB < grown(before, after, "malloc") < 100 * MIB,
            grown(before, after, "malloc"))
    # the JVM begins and ends compilers and workers of its collector as it needs them
    t.check(f"{name}: threads are counted", more > 30 and abs(grown(before, after, "thread stacks", "count") - more) <= 2,
            (more, grown(before, after, "thread stacks", "count")))
    # a frame takes some 48 to 112 bytes, interpreted or compiled
    t.check(f"{name}: and their stacks", 40 * 100 << 10 < grown(before, after, "thread stacks") < 40 << 20,
            grown(before, after, "thread stacks"))
    t.check(f"{name}: class loaders are counted", grown(before, after, "metaspace", "count") >= 4000,
            grown(before, after, "metaspace", "count"))
    meta = of["metaspace"]
    t.check(f"{name}: metaspace is what the JVM says", meta["used"] * 0.7 < meta["resident"] < meta["committed"] * 1.25 + MIB,
            meta)
    t.check(f"{name}: mapped files", near(grown(before, after, "mapped files"), 32 * MIB, MIB),
            grown(before, after, "mapped files"))
    # ZGC of JDK 11 has room for its mark stacks, 32 MiB, which cannot be distinguished from other memory
    other = of["not attributed"]["resident"] - (32 * MIB if name == "Z" and java_version == 11 else 0)
    t.check(f"{name}: next to nothing is not attributed", other < 0.05 * after["resident"] + 4 * MIB, other)
    t.check(f"{name}: memory is mapped again by ZGC only", name.startswith("Z") or not of["mapped again"]["resident"],
            of["mapped again"])
    j.kill()


def recording():
    j = program("recording", "-XX:+UseSerialGC")
    file = t.path("recording.jfr")
    begin, asked = time.monotonic(), 0
    t.check("a recording starts", t.start(j.pid, file, "-e", "cpu").status == 0)
    ask(j, "heap 100")
    for _ in range(180):
        r = t.wick("memory", "--json", file)
        if r.status == 0 and json.loads(r.out)["moments"] >= 2:
            break
        ask(j, "direct 2")
        asked += 2 * MIB
        time.sleep(0.1)
    t.until(lambda: json.loads(t.wick("memory", "--json", file).out or "{}").get("moments", 0) >= 2, pause=1)
    live = memory(str(j.pid))
    t.check("it stops", t.stop(j.pid).status == 0)
    rate = asked / (time.monotonic() - begin)
    m = memory(file)
    if m:
        t.check("it has a reading every ten seconds and at the end", m["moments"] >= 3, m["moments"])
        for part in ("Java heap", "metaspace", "code cache", "thread stacks", "malloc", "libraries"):
            inside, outside = parts(m)[part]["resident"], parts(live)[part]["resident"]
            t.check(f"inside and outside agree: {part}", abs(inside - outside) < 0.05 * outside + 3 * MIB, (inside, outside))
        # a line through readings of which the first has nothing of it and the last all; that it bends may halve its slope
        t.check("malloc is seen growing", parts(m)["malloc"]["growth_bytes_per_s"] > rate / 2 > 0, (rate, parts(m)["malloc"]))
        inside, outside = m["malloc"], live["malloc"]
        if inside["state"] in KNOWN and t.check("what malloc has in use is in it", outside["state"] in KNOWN, (inside, outside)):
            used = [a["used"] + a["mapped"] for a in (inside, outside)]
            t.check("and agrees", abs(used[0] - used[1]) < 0.1 * used[1] + 8 * MIB, (inside, outside))
    t.check("the JDK's tool reads it", not t.jfr_complaints(file))
    r = t.wick("memory", file)
    t.check("as a table", r.status == 0 and "thread stacks (" in r.out and "/min" in r.out, r)
    j.kill()


def fragments():
    """Blocks between which some are freed; the JVM itself can call malloc_trim from JDK 18 on."""
    j = program("fragments", "-XX:+UseSerialGC", "-Xint")  # compilers take and free megabytes when they like to
    before = memory(str(j.pid))["malloc"]
    if before["state"] == "the C library is not glibc":
        t.skip("what malloc holds free is known", before["state"])
    elif t.check("what malloc holds free is known", before["state"] in KNOWN, before):
        free_some(j, before)
    j.kill()


def free_some(j, before):
    ask(j, "blocks 20000 3000")
    full = memory(str(j.pid))["malloc"]
    wanted = 20000 * 3000
    t.check("blocks are in use", wanted < full["used"] - before["used"] < 1.1 * wanted + 4 * MIB, (before, full))
    ask(j, "keep 2")
    near = lambda m, bytes_: abs(full["used"] - m["used"] - bytes_) < 0.05 * bytes_ + 2 * MIB

    def freed(bytes_):
        """After the JVM's thread for that has freed the buffers of collected objects."""
        found = []
        def look():
            ask(j, "gc")
            found[:] = [memory(str(j.pid))["malloc"]]
            return near(found[0], bytes_)
        t.check(f"{bytes_ // MIB} MiB of them are free", t.until(look), (full, found))
        return found[0]
    half = freed(wanted // 2)
    t.check("between blocks", half["free"] - full["free"] > 0.9 * wanted / 2 - 2 * MIB, (full, half))
    t.check("and in no whole pages", half["trimmable"] < 0.1 * wanted, half)
    ask(j, "keep 0")
    last = freed(wanted)
    if java_version >= 21:
        resident = parts(memory(str(j.pid)))["malloc"]["resident"]
        jcmd(j, "System.trim_native_heap")
        after = memory(str(j.pid))
        given = resident - parts(after)["malloc"]["resident"]
        t.check("malloc_trim gives back what is said", abs(given - last["trimmable"]) < 0.1 * last["trimmable"] + 3 * MIB,
                (given, last, after["malloc"]))
        t.check("and then nothing more", after["malloc"]["trimmable"] < 2 * MIB, after["malloc"])


def tracked():
    """What the JVM counts itself: in detail it also names the collector's mappings, of any collector."""
    for mode, collector_option in (("summary", "-XX:+UseSerialGC"), ("detail", "-XX:+UseParallelGC"), ("off", "-XX:+UseSerialGC")):
        j = program(f"tracked-{mode}", collector_option, f"-XX:NativeMemoryTracking={mode}")
        ask(j, "direct 48")
        m = memory(str(j.pid))
        check_sum(f"tracked, {mode}", j, m)
        if mode == "off":
            listens = os.path.exists(f"/tmp/.java_pid{j.pid}")
            t.check("a JVM that tracks nothing is not asked", "nmt" not in m and not listens, (m.get("nmt"), listens))
        else:
            of = {c["category"]: c for c in m["nmt"]["categories"]}
            buffers = of["Internal" if java_version == 8 else "Other"]["malloc"]
            t.check(f"{mode}: direct buffers are in its count", 48 * MIB <= buffers < 60 * MIB, of)
            t.check(f"{mode}: the heap as well", 64 * MIB <= of["Java Heap"]["committed"] <= 401 * MIB, of["Java Heap"])
            t.check(f"{mode}: sums are those of the rows", m["nmt"]["malloc"] == sum(c["malloc"] for c in of.values()), m["nmt"])
            r = t.wick("memory", str(j.pid))
            t.check(f"{mode}: the table has it", r.status == 0 and "COUNTED BY THE JVM" in r.out, r)
        tracked_recording(mode, j)
        j.kill()


def counted(file):
    """{category: (reserved, committed, malloc, mapped)} of the last reading in a recording."""
    r = t.wick("memory", "--json", file)
    found = json.loads(r.out).get("nmt", {"categories": []})["categories"] if r.status == 0 else []
    return {c["category"]: (c["reserved"], c["committed"], c["malloc"], c["mapped"]) for c in found}


def tracked_recording(mode, j):
    """The same in a recording, as often as where memory goes is read."""
    file = t.path(f"tracked-{mode}.jfr")
    t.check(f"{mode}: a recording starts", t.start(j.pid, file, "-e", "cpu", "--memory-interval", "1s").status == 0)
    if mode == "off":
        time.sleep(3)
        t.check("what a JVM does not count is not in it", t.stop(j.pid).status == 0 and not counted(file), counted(file))
        return
    other = "Internal" if java_version == 8 else "Other"
    t.check(f"{mode}: the count is in it", t.until(lambda: other in counted(file)), counted(file))
    before = counted(file)[other][2]
    ask(j, "direct 32")
    t.check(f"{mode}: and follows what is allocated", t.until(lambda: counted(file).get(other, (0, 0, 0))[2] >= before + 32 * MIB)
            and counted(file)[other][2] < before + 40 * MIB, (before, counted(file)))
    t.check(f"{mode}: it stops", t.stop(j.pid).status == 0)
    live = {c["category"]: c for c in memory(str(j.pid))["nmt"]["categories"]}
    large = {k for k, c in live.items() if c["committed"] >= 64 << 10}  # the JVM leaves out what is below a kilobyte just then
    t.check(f"{mode}: its categories are the JVM's", "GC" in large and large <= set(counted(file)), (counted(file), live))
    heap = live["Java Heap"]
    t.check(f"{mode}: so is the heap", counted(file).get("Java Heap") == (heap["reserved"], heap["committed"], heap["malloc"], heap["mapped"]),
            (counted(file), heap))
    r = t.wick("memory", file)
    t.check(f"{mode}: the table of a recording has it", r.status == 0 and "COUNTED BY THE JVM" in r.out, r)
    if mode == "summary":
        shown = t.jfr(17, "summary", file).out
        t.check("the JDK's tool counts its events", re.search(r"jdk\.NativeMemoryUsage +[1-9]", shown), shown[:3000])


def tracked_unheard():
    """A JVM that nobody has attached to does not listen, and is not made to."""
    file = t.path("unheard.jfr")
    j = program("unheard", "-XX:+UseSerialGC", "-XX:NativeMemoryTracking=summary",
                f"-agentpath:{t.AGENT}=start,event=cpu,memory-interval=1s,file={file}")
    ask(j, "direct 8")
    time.sleep(3)
    listens = os.path.exists(f"/tmp/.java_pid{j.pid}")
    t.check("a JVM that does not listen is not asked", not listens and not counted(file), (listens, counted(file)))
    memory(str(j.pid))
    t.check("it is once somebody made it listen", t.until(lambda: counted(file)), counted(file))
    t.check("and ends", t.stop(j.pid).status == 0)
    j.kill()


def limits():
    try:
        group = cgroup.Cgroup()
    except cgroup.Unavailable as e:
        t.skip("limits of cgroups are shown", str(e))
        return
    group.limit_memory(700 * MIB)
    j = program("limits", "-XX:+UseSerialGC", prefix=group.prefix())
    ask(j, "heap 100")
    m = memory(str(j.pid))
    level = m["cgroups"][0]
    t.check("its own cgroup comes first", level["path"].endswith(os.path.basename(group.dirs[0])), m["cgroups"])
    t.check("with its limit", level["limit"] == 700 * MIB, level)
    t.check("and what it is charged for", level["anonymous"] >= 100 * MIB and level["current"] >= level["anonymous"], level)
    t.check("the rest is left", 0 < m["left"] == 700 * MIB - level["current"] + level["inactive_file"], m)
    r = t.wick("memory", str(j.pid))
    t.check("a sentence says so", "The limit of 700 MiB leaves " in r.out, r)
    grows = t.wick("memory", "-d", "3", str(j.pid))
    t.check("it can be watched for a while", grows.status == 0 and "GROWTH" in grows.out, grows)
    j.kill()
    group.remove()


def refusals():
    j = program("refusals", "-XX:+UseSerialGC")
    r = t.wick("memory", str(os.getpid()))
    t.check("what is no JVM is refused", r.status != 0 and "not a" in r.err.lower(), r)
    r = t.wick("memory", "/etc/passwd")
    t.check("so is what is no recording", r.status != 0 and r.err, r)
    r = t.wick("memory", "-d", "1", "/etc/passwd")
    t.check("a duration is for a JVM", r.status == 2 and "--duration" in r.err, r)
    if os.getuid() == 0:
        # another user's process may not be read, and nothing is shown
        r = t.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", t.WICK, "memory", str(j.pid))
        t.check("another user is refused with a sentence", r.status != 0 and not r.out and "root" in r.err, r)
    before = j.ask("gc", r"(done)")
    j.proc.kill()
    j.proc.wait()
    r = t.wick("memory", str(j.pid))
    t.check("a process that ended is not found", before and r.status != 0 and not r.out, r)


for collector_name, collector_options in t.collectors():
    if collector_name != "Epsilon":
        collector(collector_name, collector_options)
recording()
fragments()
tracked()
tracked_unheard()
limits()
refusals()
t.done()
