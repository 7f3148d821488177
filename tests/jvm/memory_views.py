#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25
# ci: 21
"""Bytes by request and by customer, of objects allocated and alive and of native memory, are what the program did in each view: top,
endpoints, stacks, diff, heat map, pprof with the names of Go's heap profiles, OTLP.

n objects of s bytes that are sampled with the probability p make an estimate with the standard deviation s sqrt(n (1 - p) / p); beside
that 1 % is allowed, for what the JVM allocates in the same frames. Views of one recording must agree exactly."""
import gzip
import json
import math

import jvmtest as t

SIGMAS = t.Sigmas(6)
INTERVAL = 16 << 10
# event: (size of a block, place in the program's answer, frames, name in pprof, name of the count)
EVENTS = {"alloc": (1024, 2, r"^Customers\.array$", "alloc_space", "alloc_objects"),
          "live": (1024, 3, r"^Customers\.array$", "inuse_space", "inuse_objects"),
          "nativemem": (8192, 4, r"^NativeMem\.keepUnsafe$", "alloc_space", "alloc_objects"),
          "nativelive": (8192, 4, r"^NativeMem\.keepUnsafe$", "inuse_space", "inuse_objects")}
JAR = t.BUILD + "/java/wick.jar"


def recorded(j, name, n):
    """(recording, {(endpoint, customer): [bytes of each kind]})"""
    file = t.path(name + ".jfr")
    r = t.start(j.pid, file, "-e", f"alloc={INTERVAL},live,nativemem={INTERVAL}", "--alloc-rate", "0", "--ring", "16384")
    t.check(f"{name}: a recording starts", r.status == 0, r)
    answer = j.ask(f"serve {n}", r"(served.*)") or ""
    q = t.stop(j.pid)
    t.check(f"{name}: it ends", q.status == 0 and answer, (q, j.output()[-500:]))
    truth = {}
    for part in answer.split(";")[1:]:
        words = part.split("|")
        truth[words[0], words[1]] = [0, 0, *(int(w) for w in words[2:])]
    return file, truth


def slack(event, total):
    size = EVENTS[event][0]
    p = -math.expm1(-size / INTERVAL)
    return SIGMAS * size * math.sqrt(total / size * (1 - p) / p) + 0.01 * total


def near(title, event, seen, truth):
    t.check(title, abs(seen - truth) <= slack(event, truth), f"true {truth}, seen {seen}, allowed {slack(event, truth):.0f}")


def asked(*words):
    r = t.wick(*words)
    return json.loads(r.out) if t.check(f"wick {words[0]} answers", r.status == 0, r) else {}


def top(file, event, by, *more):
    rows = asked("top", "--json", "-n", "0", "-e", event, "--by", by, "--include", EVENTS[event][2], *more, file).get("rows", [])
    return {r["name"]: r["self"] for r in rows}


def collapsed(file, event, *more):
    r = t.wick("convert", file, "-e", event, "--include", EVENTS[event][2], *more, "--to", "collapsed", "-o", "-")
    return sum(int(line.rpartition(" ")[2]) for line in r.out.splitlines())


def varint(b, at):
    value = shift = 0
    while True:
        value |= (b[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if b[at - 1] < 128:
            return value, at


def fields(b):
    """(number, value) of a protobuf message: an int or bytes."""
    at = 0
    while at < len(b):
        key, at = varint(b, at)
        if key & 7 == 0:
            value, at = varint(b, at)
        elif key & 7 == 2:
            n, at = varint(b, at)
            value, at = b[at:at + n], at + n
        else:
            value, at = b[at:at + 8], at + (8 if key & 7 == 1 else 4)
        yield key >> 3, value


def packed(b):
    out, at = [], 0
    while at < len(b):
        value, at = varint(b, at)
        out.append(value)
    return out


def pprof(path):
    """([type/unit], [sum of each value])"""
    with gzip.open(path) as f:
        message = list(fields(f.read()))
    strings = [v.decode() for n, v in message if n == 6]
    types = [dict(fields(v)) for n, v in message if n == 1]
    rows = [[x for k, v in fields(s) if k == 2 for x in (packed(v) if isinstance(v, bytes) else [v])] for n, s in message if n == 2]
    return ["/".join(strings[x.get(k, 0)] for k in (1, 2)) for x in types], [sum(c) for c in zip(*rows)]


def check_files(file, event, whole):
    size, _, frames, space, objects = EVENTS[event]
    out = t.path(event + ".pb.gz")
    r = t.wick("convert", file, "-e", event, "--include", frames, "-o", out)
    names, sums = pprof(out) if t.check(f"{event}: pprof is written", r.status == 0, r) else ([], [0, 0])
    t.check(f"{event}: pprof has the names of heap profiles", names == [objects + "/count", space + "/bytes"], names)
    t.check(f"{event}: and the bytes", sums[1] == whole, (sums, whole))
    # what the JVM allocates in the same frames is small: each sample of it stands for very many blocks
    most = 1.01 * whole / size if event in ("alloc", "live") else math.inf
    t.check(f"{event}: and as many objects", 0.9 * whole / size <= sums[0] <= most, (sums, whole / size))
    out = t.path(event + ".otlp")
    r = t.wick("convert", file, "-e", event, "--include", frames, "-o", out)
    with open(out, "rb") as f:
        t.check(f"{event}: OTLP has the name", r.status == 0 and space.encode() in f.read(), r)
    for word in ("heatmap", "flame"):
        out = t.path(f"{event}-{word}.html")
        r = t.wick(word, file, "-e", event, "-o", out)
        with open(out, encoding="utf-8") as f:
            t.check(f"{event}: {word} is drawn", r.status == 0 and "</html>" in f.read(), r)


def check_event(file, event, truth):
    place = EVENTS[event][1]
    for by, index in (("endpoint", 0), ("label:customer", 1)):
        wanted = {}
        for key, row in truth.items():
            wanted[key[index]] = wanted.get(key[index], 0) + row[place]
        seen = top(file, event, by)
        for name, total in wanted.items():
            near(f"{event}: {by} {name}: bytes in top", event, seen.get(name, 0), total)
    for (endpoint, customer), row in truth.items():
        where = ("--where", f"endpoint={endpoint}", "--where", f"customer={customer}")
        bytes_seen = collapsed(file, event, *where)
        near(f"{event}: {endpoint} of {customer}: bytes in its stacks", event, bytes_seen, row[place])
        if not row[place]:
            t.check(f"{event}: {endpoint} of {customer} has none", bytes_seen == 0, bytes_seen)
            continue
        rows = top(file, event, "label:customer", "--where", f"endpoint={endpoint}")
        t.check(f"{event}: {endpoint} of {customer}: top says the same", rows.get(customer, 0) == bytes_seen, (rows, bytes_seen))
    check_files(file, event, collapsed(file, event))


def check_diff(one, two):
    """The second recording has three times as many requests."""
    for event in EVENTS:
        place = EVENTS[event][1]
        method = EVENTS[event][2].strip("^$").replace("\\", "")
        before, after = (collapsed(f, event) for f in (one[0], two[0]))
        r = t.wick("diff", "--json", "--absolute", "-n", "0", "-e", event, one[0], two[0])
        text = json.loads(r.out) if r.status == 0 else {}
        row = [x for x in text.get("rows", []) if x["name"] == method]
        t.check(f"{event}: diff has the method, with what it had before and after", row and
                (row[0]["total"]["before"], row[0]["total"]["after"]) == (before, after), (before, after, row or r))
        truth = [sum(x[place] for x in f[1].values()) for f in (one, two)]
        near(f"{event}: which is what the program did", event, after, truth[1])


def check_endpoints(file, truth):
    rows = {r["endpoint"]: r for r in asked("endpoints", "--json", file).get("endpoints", [])}
    for endpoint in {e for e, _ in truth}:
        total = sum(row[2] for key, row in truth.items() if key[0] == endpoint)
        bytes_seen = rows.get(endpoint, {}).get("allocated_bytes", 0)
        near(f"endpoints: {endpoint}: bytes allocated", "alloc", bytes_seen, total)


def counted(file, event):
    """What depends on the size of blocks: the sums in pprof, and the rows of top with their intervals."""
    out = t.path(event + "-counted.pb.gz")
    r = t.wick("convert", file, "-e", event, "-o", out)
    rows = asked("top", "--json", "-n", "0", "-e", event, file).get("rows", [])
    return pprof(out) if r.status == 0 else r, rows


def check_compat(file):
    even = t.path("even.jfr")
    r = t.wick("convert", "--compat", file, "-o", even)
    t.check("it is written for readers that count", r.status == 0, r)
    for event in EVENTS:
        here, there = counted(file, event), counted(even, event)
        t.check(f"{event}: --compat keeps bytes and numbers", here[0] == there[0] and here[0][1][0] > 0, (here[0], there[0]))
        t.check(f"{event}: --compat keeps rows and their intervals", here[1] == there[1] != [], (here[1][:2], there[1][:2]))


classes = t.compile_java("NativeMem")
t.compile_java("Customers", classpath=f"{classes}:{JAR}")
jvm = t.Jvm(["-Xmx256m", "-XX:+UseSerialGC", "-cp", f"{classes}:{JAR}", "Customers"], "customers")
t.check("the program runs", jvm.wait_for(r"(?m)^up"), jvm.output())
first, second = recorded(jvm, "first", 1500), recorded(jvm, "second", 4500)
jvm.kill()
for kind in EVENTS:
    check_event(second[0], kind, second[1])
check_diff(first, second)
check_endpoints(second[0], second[1])
check_compat(second[0])
t.done()
