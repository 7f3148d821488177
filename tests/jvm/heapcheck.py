# SPDX-License-Identifier: Apache-2.0
"""Checks of what `wick heap` says of a dump: by a reader of its own (hprof.py), by the JVM's histogram, and by what
Heap.java has planted. `dump` is wick's JSON, `plain` the other reader's hprof.Dump."""
import json
import re

import hprof
import jvmtest as t

HIDDEN = hprof.HIDDEN


def wick_json(*words):
    r = t.wick("heap", "--json", "-n", "0", *words)
    return json.loads(r.out) if t.check(f"wick heap {' '.join(words)[-40:]} answers", r.status == 0, r) else None


def jcmd(j, *words):
    """Waits for the JVM's answer as long as it takes: 5 or 10 seconds by default."""
    return t.run(t.JAVA_HOME + "/bin/jcmd", "-J-Dsun.tools.attach.attachTimeout=120000", str(j.pid), *words)


def by_name(rows, key):
    out = {}
    for row in rows:
        name = HIDDEN.sub("", row["class"])
        out[name] = out.get(name, 0) + row[key]
    return out


def counts_agree(dump, plain):
    wanted = {}
    for name, n in plain.histogram().items():
        wanted[HIDDEN.sub("", name)] = wanted.get(HIDDEN.sub("", name), 0) + n
    found = by_name(dump["classes"], "objects")
    off = {n: (wanted.get(n), found.get(n)) for n in {*wanted, *found} if wanted.get(n) != found.get(n)}
    t.check("each class has as many objects as another reader finds", not off, off)
    t.check("and the sum is right", dump["objects"] == len(plain.nodes), (dump["objects"], len(plain.nodes)))
    reach = plain.reachable()
    t.check("so is what can be reached", dump["reachable_objects"] == len(reach), (dump["reachable_objects"], len(reach)))


def sizes_agree(j, dump, in_order=True):
    """By the JVM's histogram, of the same moment but for what the JVM did in between: of the program's classes, which
    did nothing, and of strings and arrays, of which most are the program's. Fields that the JVM adds show only where the
    dump has the objects as they lie."""
    sizes = {}
    for n, size, name in re.findall(r"(?m)^ *\d+: +(\d+) +(\d+) +(\S+)", jcmd(j, "GC.class_histogram", "-all").out):
        sizes[hprof.readable(name)] = (int(n), int(size))
    rows = {c["class"]: (c["objects"], c["bytes"]) for c in dump["classes"]}
    hidden = ["Heap$Loader"] if t.JDK == 11 and not in_order else []
    exact = [n for n in rows if n.startswith("Heap$") and "Lambda" not in n and n not in hidden] + ["java.util.LinkedList$Node"]
    # a collection may come between the two, after which what only a weak reference refers to is no longer there
    off = {n: (sizes.get(n), rows[n]) for n in exact if sizes.get(n) != rows[n] and (n != "Heap$Weak" or n in sizes)}
    t.check("objects of the program's classes take what the JVM says", len(exact) > 5 and not off, off or exact)
    each = lambda pair: pair[1] / pair[0]
    off = {n: (sizes[n], rows[n]) for n in ("java.lang.String", "java.util.HashMap$Node", "java.lang.Integer", "java.util.HashMap",
                                            "java.util.ArrayList", *(["java.lang.Thread"] if in_order else [])) if each(sizes[n]) != each(rows[n])}
    t.check("and so do the JDK's", not off, off)


def dominators_agree(dump, plain):
    """All of them, by another algorithm."""
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


def holders_are_found(file, dump):
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
    # a collection may have come before the dump; and ZGC of JDK 11 does not dump what can only be reached so
    dumped = any(c["class"] == "Heap$Weak" and c["objects"] for c in dump["classes"])
    t.check("what a weak reference refers to is held by nobody",
            r.status == 4 and ("weak" if dumped else "no object's class has") in r.err, (dumped, r))
    loaders = [x for x in dump["loaders"] if x.get("class") == "Heap$Loader"]
    t.check("loaders that defined the same class", len(loaders) == 3 and all(x["classes_again"] == 1 for x in loaders), loaders)
    t.check("and keep its static fields", all(x["retained_with_classes"] > 60000 for x in loaders), loaders)
    one("one of these", loaders[0]["id"] if loaders else "0x0", "static OLD_APPLICATIONS", "<class loader> Heap$Loader")
    same = [d for d in dump["duplicate_strings"]["top"] if "again and again" in d["object"]]
    t.check("duplicate strings", len(same) == 1 and same[0]["count"] == 1501, same or dump["duplicate_strings"]["top"][:3])
    views = dump["views"]
    t.check("slices of larger byte buffers", views["buffers"] == views["arrays"] == 750 and views["used"] == 750 * 20
            and views["owner"] == "part of Heap$Slice" and views["owned"] == 750
            and 750 * 280 < views["waste"] == views["bytes"] - views["used"] < 750 * 320, views)
    suspects = " ".join(s["class"] for s in dump["suspects"])
    t.check("map and list are suspects", "java.util.HashMap$Node[]" in suspects and "java.lang.Object[]" in suspects, suspects)
