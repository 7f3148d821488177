#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
"""wick heap on dumps of a real JVM: counts and sizes are those of the JVM's histogram, retained sizes those of taking an
object away, and what was planted is found with who holds it. The dump of `wick heap PID` leaves nothing behind."""
import glob
import json
import os
import re

import hprof
import jvmtest as t

classes = t.compile_java("Heap")
HIDDEN = hprof.HIDDEN


def wick_json(*words):
    r = t.wick("heap", "--json", "-n", "0", *words)
    return json.loads(r.out) if t.check(f"wick heap {' '.join(words)[-40:]} answers", r.status == 0, r) else None


def jcmd(j, *words):
    return t.run(t.JAVA_HOME + "/bin/jcmd", str(j.pid), *words)


def by_name(rows, key):
    out = {}
    for row in rows:
        name = HIDDEN.sub("", row["class"])
        out[name] = out.get(name, 0) + row[key]
    return out


def check_counts(dump, plain):
    wanted = {}
    for name, n in plain.histogram().items():
        wanted[HIDDEN.sub("", name)] = wanted.get(HIDDEN.sub("", name), 0) + n
    found = by_name(dump["classes"], "objects")
    off = {n: (wanted.get(n), found.get(n)) for n in {*wanted, *found} if wanted.get(n) != found.get(n)}
    t.check("each class has as many objects as another reader finds", not off, off)
    t.check("and the sum is right", dump["objects"] == len(plain.nodes), (dump["objects"], len(plain.nodes)))
    reach = plain.reachable()
    t.check("so is what can be reached", dump["reachable_objects"] == len(reach), (dump["reachable_objects"], len(reach)))


def check_sizes(j, dump):
    """By the JVM's histogram, of the same moment but for what the JVM did in between: of the program's classes, which
    did nothing, and of strings and arrays, of which most are the program's."""
    sizes = {}
    for n, size, name in re.findall(r"(?m)^ *\d+: +(\d+) +(\d+) +(\S+)", jcmd(j, "GC.class_histogram", "-all").out):
        sizes[hprof.readable(name)] = (int(n), int(size))
    rows = {c["class"]: (c["objects"], c["bytes"]) for c in dump["classes"]}
    exact = [n for n in rows if n.startswith("Heap$") and "Lambda" not in n] + ["java.util.LinkedList$Node"]
    off = {n: (sizes.get(n), rows[n]) for n in exact if sizes.get(n) != rows[n]}
    t.check("objects of the program's classes take what the JVM says", len(exact) > 6 and not off, off or exact)
    each = lambda pair: pair[1] / pair[0]
    off = {n: (sizes[n], rows[n]) for n in ("java.lang.String", "java.util.HashMap$Node", "java.lang.Integer", "java.util.HashMap",
                                            "java.lang.Thread", "java.util.ArrayList") if each(sizes[n]) != each(rows[n])}
    t.check("and so do the JDK's", not off, off)


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


def check_dominators(dump, plain):
    """All of them, by the simplest algorithm there is."""
    above = plain.dominators()
    retained = plain.retained(above, hprof.shallow_of(dump, plain))
    t.check("as many bytes can be reached", dump["reachable_bytes"] == retained[None], (dump["reachable_bytes"], retained[None]))
    rows = dump["dominators"] + dump["suspects"]
    off = {d["id"]: (retained.get(int(d["id"], 16)), d["retained"]) for d in rows if retained.get(int(d["id"], 16)) != d["retained"]}
    t.check(f"{len(rows)} objects retain what they dominate", len(rows) >= 100 and not off, off)
    wanted, found = plain.retained_by_class(above, retained), by_name((c for c in dump["classes"] if c["reachable_objects"]), "retained")
    off = {c: (wanted.get(c), found.get(c)) for c in {*wanted, *found} if wanted.get(c) != found.get(c)}
    t.check(f"{len(found)} classes retain what their objects do", len(found) >= 100 and not off, off)


def references(path):
    return [(step["reference"], step["class"]) for step in path]


def check_planted(file, dump):
    def one(what, word, *wanted):
        r = t.wick("heap", "--json", "-n", "1", "--path", word, file)
        paths = json.loads(r.out) if r.status == 0 else [{"path": [], "root": ""}]
        text = " ; ".join(f"{a} {b}" for a, b in references(paths[0]["path"])) + f" ; root {paths[0]['root']}"
        t.check(f"who holds it: {what}", all(w in text for w in wanted), text or r)

    one("a map in a static field", "Heap$Entry", "static CACHE java.util.HashMap", "table java.util.HashMap$Node[]")
    one("a list of listeners", "Heap$Listener", "static LISTENERS java.util.ArrayList", "elementData", "[")
    one("a ThreadLocal", "Heap$Held", "java.lang.Thread", "threadLocals", "value Heap$Held", "root thread")
    one("a local variable", "Heap$Stacked", "java.lang.Thread", "local variable in Heap.worker(Heap.java:")
    r = t.wick("heap", "--path", "Heap$Weak", file)
    t.check("what a weak reference refers to is held by nobody", r.status == 4 and "weak" in r.err, r)
    loaders = [x for x in dump["loaders"] if x.get("class") == "Heap$Loader"]
    t.check("loaders that defined the same class", len(loaders) == 3 and all(x["classes_again"] == 1 for x in loaders), loaders)
    t.check("and keep its static fields", all(x["retained_with_classes"] > 60000 for x in loaders), loaders)
    one("one of these", loaders[0]["id"] if loaders else "0x0", "static OLD_APPLICATIONS", "<class loader> Heap$Loader")
    same = [d for d in dump["duplicate_strings"]["top"] if "again and again" in d["object"]]
    t.check("duplicate strings", len(same) == 1 and same[0]["count"] == 1501, same or dump["duplicate_strings"]["top"][:3])
    suspects = " ".join(s["class"] for s in dump["suspects"])
    t.check("map and list are suspects", "java.util.HashMap$Node[]" in suspects and "java.lang.Object[]" in suspects, suspects)


def left_behind():
    return glob.glob("/tmp/.wick-*") + glob.glob("/var/tmp/.wick-*")


j = t.Jvm(["-Xmx128m", "-XX:+UseSerialGC", "-cp", classes, "Heap"], "heap")
t.check("the program is up", j.wait_for(r"(?m)^up"), j.output())
hprof_file = t.path("heap.hprof")
t.check("a dump is taken", "created" in jcmd(j, "GC.heap_dump", "-all", hprof_file).out)
document = wick_json(hprof_file)
another = hprof.Dump(hprof_file)
check_counts(document, another)
check_sizes(j, document)
check_retained(document, another)
check_dominators(document, another)
check_planted(hprof_file, document)
small = wick_json("--memory", "1", hprof_file)
small["file"] = document["file"]
t.check("in next to no memory the same comes out", small == document)
before = left_behind()
live = wick_json(str(j.pid))
t.check("a running JVM is dumped", live and by_name(live["classes"], "objects").get("Heap$Entry") == 1500)
counted = wick_json("--histogram", str(j.pid))
t.check("or counts by itself", counted and by_name(counted["classes"], "objects").get("Heap$Listener") == 1500)
t.check("no file is left behind", t.until(lambda: set(left_behind()) <= set(before), 10), left_behind())
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
t.check("half a dump is refused with a sentence", cut.status == 3 and "take it anew" in cut.err, cut)
j.kill()
t.done()
