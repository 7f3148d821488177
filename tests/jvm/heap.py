#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
"""wick heap on dumps of a real JVM: counts and sizes are those of the JVM's histogram, retained sizes those of taking an
object away, and what was planted is found with who holds it. The dump of `wick heap PID` leaves nothing behind."""
import glob
import os

import hprof
import jvmtest as t
from heapcheck import by_name, counts_agree, dominators_agree, holders_are_found, jcmd, sizes_agree, wick_json

classes = t.compile_java("Heap")


def check_retained(dump, plain):
    """Taking away each of the largest dominators, and of the suspects: what can be reached no longer."""
    whole = plain.reachable()
    sizes = {}  # bytes by class and length, as wick has them: only what is summed up is in question here
    objects = [d for d in dump["dominators"][:20]] + dump["suspects"]
    for d in objects:
        sizes[int(d["id"], 16)] = d["retained"]
    bytes_of = hprof.shallow_of(dump, plain)
    off = {}
    for obj, retained in sizes.items():
        lost = whole - plain.reachable(without=obj)
        wanted = sum(bytes_of(o) for o in lost)
        if wanted != retained:
            off[hex(obj)] = (wanted, retained, len(lost))
    t.check(f"{len(sizes)} objects retain what is lost without them", len(sizes) >= 20 and not off, off)


def left_behind():
    return glob.glob("/tmp/.wick-*") + glob.glob("/var/tmp/.wick-*")


j = t.Jvm(["-Xmx128m", "-XX:+UseSerialGC", "-cp", classes, "Heap"], "heap")
t.check("the program is up", j.wait_for(r"(?m)^up"), j.output())
hprof_file = t.path("heap.hprof")
t.check("a dump is taken", "created" in jcmd(j, "GC.heap_dump", "-all", hprof_file).out)
document = wick_json(hprof_file)
another = hprof.Dump(hprof_file)
counts_agree(document, another)
sizes_agree(j, document)
check_retained(document, another)
dominators_agree(document, another)
holders_are_found(hprof_file, document)
small = wick_json("--memory", "1", hprof_file)
small["file"] = document["file"]
t.check("in next to no memory the same comes out", small == document)
before = left_behind()
live = wick_json(str(j.pid))
t.check("a running JVM is dumped", live and by_name(live["classes"], "objects").get("Heap$Entry") == 1500)
counted = wick_json("--histogram", str(j.pid))
t.check("or counts by itself", counted and by_name(counted["classes"], "objects").get("Heap$Listener") == 1500)
# another test may have files of its own there just now, which also go
new = set(left_behind()) - set(before)
t.check("no file is left behind", t.until(lambda: not new & set(left_behind())), (new, left_behind()))
page = t.path("heap.html")
made = t.wick("heap", hprof_file, "-o", page)
with open(page, encoding="utf-8") as f:
    t.check("a page is made", made.status == 0 and "heap-suspects" in f.read(), made)
same = wick_json(hprof_file, hprof_file)
t.check("a dump does not differ from itself", same and not same["classes"] and same["total_before"] == same["total_after"], same)
later = wick_json(hprof_file, str(j.pid))
t.check("nor much from a later one", later and abs(later["total_after"]["bytes"] - later["total_before"]["bytes"]) < 200000, later)
with open(hprof_file, "rb+") as f:
    f.truncate(os.path.getsize(hprof_file) // 2)
cut = t.wick("heap", hprof_file)
bare = t.wick("heap", "--title", "x", str(j.pid))
t.check("a heading without a page is refused", bare.status == 2 and "--title is of a page" in bare.err, bare)
t.check("half a dump is refused with a sentence", cut.status == 3 and "take a new one" in cut.err, cut)
j.kill()
t.done()
