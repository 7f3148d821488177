#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25
# ci: 21
"""The interface of wick ui with a JVM that is being recorded: each path of docs/ui-api.json answers, and in the shape
that it says; figures are those of the commands for the same file; and attacks fail."""
import base64
import collections
import concurrent.futures
import http.client
import json
import os
import pwd
import re
import socket
import subprocess
import time
import urllib.parse

import jvmtest as t
from heapcheck import jcmd

JAR = os.path.join(t.BUILD, "java/wick.jar")
with open(os.path.join(t.ROOT, "docs/ui-api.json"), encoding="utf-8") as f:
    API = json.load(f)


class Server:
    """wick ui, and what it says."""

    def __init__(self, *args):
        self.proc = subprocess.Popen([t.WICK, "ui", "--no-open", *args], stdout=subprocess.PIPE,
                                     stderr=open(t.path("ui.err"), "w", encoding="utf-8"), text=True)
        t._started.append(self.proc)
        self.address = self.proc.stdout.readline().strip()
        m = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        t.check("wick ui prints its address with a token", bool(m), self.address)
        self.port, self.token = int(m.group(1)), m.group(2)

    def ask(self, path, body=None, headers=None, token=True):
        """(status, headers, body); a body makes it a POST."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=200)
        h = {"Authorization": "Bearer " + self.token} if token else {}
        h.update({"Content-Type": "application/json"} if body is not None else {})
        h.update(headers or {})
        c.request("GET" if body is None else "POST", path, body=body, headers=h)
        r = c.getresponse()
        out = r.status, r.headers, r.read()
        c.close()
        return out

    def get(self, path, **query):
        status, _, body = self.ask("/api/v1/" + path + ("?" + urllib.parse.urlencode(query) if query else ""))
        return status, json.loads(body)

    def post(self, path, body):
        status, _, answer = self.ask("/api/v1/" + path, body=json.dumps(body))
        return status, json.loads(answer)


# --- the shapes of the description ---

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}


def misfit(value, schema, at="answer"):
    """What of a value is not as its schema says, None if nothing."""
    if "$ref" in schema:
        return misfit(value, API["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], at)
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(isinstance(value, TYPES[k]) and (k == "boolean" or not isinstance(value, bool)) for k in kinds):
        return f"{at}: {value!r:.80} is no {kinds}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r:.80} is none of {schema['enum']}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                return f"{at}: {key} is missing"
        for key, part in schema.get("properties", {}).items():
            bad = key in value and misfit(value[key], part, f"{at}.{key}")
            if bad:
                return bad
    for i, part in enumerate(value if isinstance(value, list) and "items" in schema else []):
        bad = misfit(part, schema["items"], f"{at}[{i}]")
        if bad:
            return bad
    return None


def check_shape(path, method, status, body):
    described = API["paths"][path][method]["responses"].get(str(status))
    t.check(f"{method} {path} answers with a status that is described", described is not None, (status, str(body)[:300]))
    if described:
        bad = misfit(body, described["content"]["application/json"]["schema"])
        t.check(f"{method} {path} answers as described", bad is None, bad)


# --- the parts ---

def first_events(server, seconds):
    """What the stream says within so many seconds."""
    c = http.client.HTTPConnection("127.0.0.1", server.port, timeout=200)
    c.request("GET", "/api/v1/events", headers={"Authorization": "Bearer " + server.token})
    r = c.getresponse()
    said, end = [], time.monotonic() + seconds
    while time.monotonic() < end and len(said) < 400:
        line = r.readline().decode()
        if line.startswith("data: "):
            said.append(json.loads(line[6:]))
        if len({s["end_ns"] for s in said if s["live"]}) >= 3:
            break
    kind = r.headers["Content-Type"]
    c.close()
    return kind, said


def check_live(server, pid):
    """A recording is started, grows while it is asked about, and is stopped; returns its id."""
    status, jvms = server.get("jvms")
    check_shape("/api/v1/jvms", "get", status, jvms)
    mine = next((j for j in jvms["jvms"] if j["pid"] == pid), None)
    t.check("the JVM is listed, and not recorded yet", mine and mine["name"] == "Labels" and mine["recording"] is None, jvms)
    status, rec = server.post("recordings", {"pid": pid, "events": ["cpu", "wall"], "interval": "2ms", "name": "live"})
    check_shape("/api/v1/recordings", "post", status, rec)
    t.check("a recording starts", status == 201 and rec["live"] and rec["here"], rec)
    id_ = rec["id"]
    kind, said = first_events(server, 240)
    t.check("events come as a stream", kind == "text/event-stream", kind)
    grown = [s for s in said if s["id"] == id_]
    t.check("the stream says that it grows", len({s["end_ns"] for s in grown}) >= 3 and
            all(a["end_ns"] <= b["end_ns"] for a, b in zip(grown, grown[1:])), grown)
    weights, end = [], time.monotonic() + 240
    while len(set(weights)) < 3 and time.monotonic() < end:
        status, flame = server.get(f"recordings/{id_}/flame", event="cpu")
        weights += [flame["weight"]] if status == 200 else []
        time.sleep(0.3)
    t.check("what is asked while it grows grows", len(set(weights)) >= 3 and weights == sorted(weights), weights)
    t.check("the JVM is listed with its recording",
            any(j["recording"] == id_ for j in server.get("jvms")[1]["jvms"]), server.get("jvms")[1])
    status, again = server.post("recordings", {"pid": pid, "name": "again"})
    t.check("a second recording of the same JVM is refused with a reason", status == 409 and again["why"], (status, again))
    return id_


def check_change(server, id_):
    """Other events and a mark while it is recorded."""
    status, rec = server.post(f"recordings/{id_}/mark", {"text": "now with locks <b>"})
    check_shape("/api/v1/recordings/{id}/mark", "post", status, rec)
    status, rec = server.post(f"recordings/{id_}/change", {"events": ["cpu", "wall", "lock"], "options": {"jstackdepth": "100"}})
    check_shape("/api/v1/recordings/{id}/change", "post", status, rec)
    t.check("its events change while it goes on", status == 200 and rec["live"] and t.status(rec["pid"]).get("event") == "cpu,wall,lock",
            (rec, t.status(rec["pid"])))
    marked = t.until(lambda: [m["text"] for m in server.get(f"recordings/{id_}")[1]["marks"]] == ["now with locks <b>"])
    t.check("what was marked is in it", marked, server.get(f"recordings/{id_}"))
    status, said = server.post(f"recordings/{id_}/change", {"events": ["no-such-event"]})
    t.check("an event that does not exist is refused, and it goes on",
            status in (400, 409, 422) and "no-such-event" in said["why"] and t.status(rec["pid"]).get("running") == 1, (status, said))
    for body in ({}, {"events": ["-x"]}, {"options": {"file": "/tmp/x"}}, {"options": {"duration": "1s"}}):
        status, said = server.post(f"recordings/{id_}/change", body)
        t.check(f"a change to {body} is refused", status == 400 and said["why"], (status, said))
    for text in ("", "x" * 300):
        status, said = server.post(f"recordings/{id_}/mark", {"text": text})
        t.check(f"a mark of {len(text)} bytes is refused", status == 400 and said["why"], (status, said))


def check_death(server, jvm):
    """A JVM that dies while it is recorded: what was recorded is there, and it is said what happened."""
    status, rec = server.post("recordings", {"pid": jvm.pid, "events": ["cpu"], "interval": "1ms"})
    end = time.monotonic() + 240
    while server.get(f"recordings/{rec['id']}/flame")[0] != 200 and time.monotonic() < end:
        time.sleep(0.2)
    jvm.kill()
    while rec["live"] and time.monotonic() < end + 60:
        time.sleep(0.2)
        rec = server.get(f"recordings/{rec['id']}")[1]
    t.check("a recording whose JVM has died says so", not rec["live"] and "ended" in (rec["problem"] or ""), rec)
    t.check("what was recorded of it is there", server.get(f"recordings/{rec['id']}/flame")[0] == 200, rec)


def check_heap(server, jvm, folder, recording):
    """Of a heap dump in the folder, and of the JVM, what `wick heap` says."""
    pid = jvm.pid
    dump = folder + "/heap.hprof"
    t.check("a dump is taken", "created" in jcmd(jvm, "GC.heap_dump", dump).out)
    os.chmod(dump, 0o644)
    entry = next(r for r in server.get("recordings")[1]["recordings"] if r["name"] == "heap.hprof")
    t.check("it is listed as a heap dump", entry["content"] == "heap" and entry["events"] == [], entry)
    status, of_dump = server.get(f"recordings/{entry['id']}/heap")
    check_shape("/api/v1/recordings/{id}/heap", "get", status, of_dump)
    said = json.loads(t.wick("heap", "--json", "--rows", "200", dump).out)
    t.check("its answer is that of wick heap", {**of_dump, "file": 0} == {**said, "file": 0} and len(said["classes"]) > 50,
            (str(of_dump)[:300], str(said)[:300]))
    page = t.path("heap.html")
    t.wick("heap", dump, "-o", page)
    with open(page, "rb") as f:
        t.check("and so is its page", server.ask(f"/api/v1/recordings/{entry['id']}/heap?format=html")[2] == f.read())
    t.check("it has no samples", server.get(f"recordings/{entry['id']}/flame")[0] == 409)
    t.check("a recording is no heap dump", server.get(f"recordings/{recording}/heap")[0] == 409)
    t.check("nor one to compare with", server.get(f"recordings/{recording}/diff", base=entry["id"])[0] == 409)
    before = set(os.listdir(folder))
    status, of_jvm = server.post(f"jvms/{pid}/heap", {})
    check_shape("/api/v1/jvms/{pid}/heap", "post", status, of_jvm)
    t.check("the heap of the JVM is answered", status == 200 and of_jvm["reachable_bytes"] > 100_000 and
            0 < of_jvm["reachable_objects"] <= of_jvm["objects"] and "suspects" in of_jvm, str(of_jvm)[:300])
    t.check("its dump is not kept", set(os.listdir(folder)) == before, os.listdir(folder))
    for word, expected in (("1", (403, 404)), ("0", (400,)), ("x", (400,)), ("99999999999", (400,))):
        status, body = server.post(f"jvms/{word}/heap", {})
        t.check(f"process {word} has no heap, with a reason", status in expected and body["why"], (status, body))
    with open(dump, "rb") as f:
        head = f.read(100_000)
    for name, data in (("cut.hprof", head), ("noise.hprof", os.urandom(5000)), ("none.hprof", b"")):
        with open(f"{folder}/{name}", "wb") as f:
            f.write(data)
        bad = next(r for r in server.get("recordings")[1]["recordings"] if r["name"] == name)
        status, body = server.get(f"recordings/{bad['id']}/heap")
        t.check(f"{name} is answered, or refused with a reason", status == 200 or (status == 422 and body["why"]), (status, str(body)[:200]))


def check_paths(server, id_):
    """Each GET of the description, with the parameters it requires."""
    trace = server.get(f"recordings/{id_}/traces")[1]["traces"][0]["id"]
    for path in API["paths"]:
        methods = set(API["paths"][path])
        if not methods & {"get", "post", "delete"}:
            t.check(f"{path} has a method", False, methods)
        if path.endswith(("/events", "/export", "/heap", "/live/series")) or "get" not in methods:
            continue
        real = path.replace("{id}", id_).replace("{trace}", trace).removeprefix("/api/v1/")
        required = {"diff": {"base": id_}, "diff/table": {"base": id_}, "lines": {"method": "Labels.shares"}}
        status, body = server.get(real, **required.get(path.partition("{id}/")[2], {}))
        check_shape(path, "get", status, body)
        t.check(f"{path} has an answer", status == 200, (status, str(body)[:300]))


def check_figures(server, id_, file):
    """The same figures as the commands print of the file."""
    for event in ("cpu", "wall"):
        top = json.loads(t.wick("top", "--json", "-e", event, "-n", "0", file).out)
        status, table = server.get(f"recordings/{id_}/table", event=event, rows=0)
        t.check(f"{event}: the table is that of wick top", status == 200 and table == top, (str(table)[:300], str(top)[:300]))
        status, flame = server.get(f"recordings/{id_}/flame", event=event)
        t.check(f"{event}: the flame graph weighs as much", flame["weight"] == top["weight"], (flame["weight"], top["weight"]))
        status, series = server.get(f"recordings/{id_}/series", event=event, bins=10)
        total = sum(s["total"] for s in series["series"])
        t.check(f"{event}: the series add up to it", total == top["weight"], (total, top["weight"]))
        collapsed = t.path(f"{event}.collapsed")
        t.wick("convert", "-e", event, "--where", "customer=big", file, collapsed)
        with open(collapsed, encoding="utf-8") as lines:
            truth = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
        status, big = server.get(f"recordings/{id_}/flame", event=event, label="customer:big", own=1)
        t.check(f"{event}: samples of a label weigh as in wick convert", big["weight"] == truth, (big["weight"], truth))
        for parameter, value, *options in (("kind", "java|jit", "--where", "kind~java|jit"), ("package", "java.util", "--include", r"^java\.util\."),
                                           ("package", "j.*", "--include", r"^j\.\*\."), ("process", "no such", "--process", "no such")):
            printed = t.wick("top", "--json", "-e", event, "-n", "0", *options, file)
            status, table = server.get(f"recordings/{id_}/table", event=event, rows=0, **{parameter: value})
            rows = json.loads(printed.out)["rows"] if printed.status == 0 else []
            t.check(f"{event}: samples of {parameter} {value} are those of wick top {' '.join(options)}",
                    (status == 200) == (printed.status == 0) and (status != 200 or table["rows"] == rows), (status, str(table)[:300], printed))
        status, by = server.get(f"recordings/{id_}/flame", event=event, by="customer")
        t.check(f"{event}: below frames of its values is the same weight, and more frames", status == 200
                and by["weight"] == flame["weight"] and by["nodes"] > flame["nodes"], (str(by)[:200], str(flame)[:200]))
        t.wick("convert", "-e", event, file, collapsed)
        with open(collapsed, "rb") as lines:
            truth = sorted(lines)
        status, _, body = server.ask(f"/api/v1/recordings/{id_}/export?format=collapsed&own=1&event={event}")
        t.check(f"{event}: the export is that of wick convert", status == 200 and sorted(body.splitlines(True)) == truth, (status, body[:300]))
    for view in ("explain", "endpoints", "memory"):
        printed = json.loads(t.wick(view, "--json", file).out)
        if view == "memory":
            printed["of"] = "recording"  # the command names its file
        t.check(f"{view} is that of the command", server.get(f"recordings/{id_}/{view}")[1] == printed, str(printed)[:300])
    status, whole = server.get(f"recordings/{id_}")
    middle = (whole["start_ns"] + whole["end_ns"]) // 2 // 10**9 * 10**9
    parts = [server.get(f"recordings/{id_}/table", event="wall", **{k: middle})[1]["weight"] for k in ("from", "to")]
    top = server.get(f"recordings/{id_}/table", event="wall")[1]["weight"]
    t.check("two halves of the time are the whole", sum(parts) == top and min(parts) > 0, (parts, top))
    for view, option in (("explain", "from"), ("explain", "to"), ("endpoints", "to"), ("memory", "to")):
        printed = json.loads(t.wick(view, "--json", f"--{option}", f"@{middle // 10**9}", file).out)
        if view == "memory":
            printed["of"] = "recording"
        answer = server.get(f"recordings/{id_}/{view}", **{option: middle})[1]
        t.check(f"{view} {option} the middle is that of the command", answer == printed, (str(answer)[:300], str(printed)[:300]))
    t.check("a thread that is no expression is refused", server.get(f"recordings/{id_}/locks", thread="(")[0] == 400)
    for view in ("explain", "memory", "locks", "safepoints"):
        status, said = server.get(f"recordings/{id_}/{view}", **{"from": middle, "to": middle - 1})
        t.check(f"{view} of no time is refused", status == 400 and said["why"], (status, said))


def heaviest_pair(stacks):
    """The first frames of some of the stacks, as heavy as they can be below half of the time, and the last ones of some of the
    others, as heavy as they can be while something is left of these."""
    total = sum(weight for _, weight in stacks)
    tops = collections.Counter()
    for path, weight in stacks:
        for n in range(1, len(path) + 1):
            tops[path[:n]] += weight
    for top in sorted((p for p in tops if tops[p] < total / 2), key=lambda p: (tops[p], len(p)), reverse=True):
        leaves = collections.Counter()
        for path, weight in stacks:
            for n in range(2, len(path) + 1 if path[:len(top)] != top else 0):
                leaves[path[-n:]] += weight
        fitting = [leaf for leaf in leaves if leaves[leaf] < total - tops[top]]
        if fitting:
            return top, max(fitting, key=lambda leaf: (leaves[leaf], len(leaf)))
    return None


def check_left_out(server, id_, file):
    """Paths leave out the stacks that lines of wick convert say, on both sides of a comparison or on the base's only."""
    collapsed = t.path("left_out.collapsed")
    t.wick("convert", "-e", "wall", file, collapsed)
    with open(collapsed, encoding="utf-8") as lines:
        stacks = [(tuple(path.split(";")), int(weight)) for path, weight in (line.rsplit(" ", 1) for line in lines)]
    total = sum(weight for _, weight in stacks)
    top, leaf = heaviest_pair(stacks)
    paths = ";".join(top) + ";*", "*;" + ";".join(leaf)
    without = [sum(w for p, w in stacks if p[:len(top)] != top), sum(w for p, w in stacks if p[:len(top)] != top and p[-len(leaf):] != leaf)]
    t.check("the paths leave out some, and more", total > without[0] > without[1], (total, without, paths))
    for n in (1, 2):
        status, flame = server.get(f"recordings/{id_}/flame", event="wall", own=1, exclude_path="\n".join(paths[:n]))
        t.check(f"{n} paths leave out what they say", status == 200 and flame["weight"] == without[n - 1], (str(flame)[:300], total, without, paths))
    for query, sides in (({"exclude_path": paths[0]}, [without[0]] * 2), ({"base_exclude_path": paths[0]}, [without[0], total]),
                         ({"exclude_path": paths[0], "base_exclude_path": ""}, [total, without[0]]),
                         ({"exclude_path": paths[0], "base_exclude_path": "\n".join(paths)}, without[::-1])):
        status, diff = server.get(f"recordings/{id_}/diff/table", event="wall", own=1, base=id_, **query)
        t.check(f"sides without {', '.join(query)}", status == 200 and [diff[side]["weight"] for side in ("before", "after")] == sides,
                (str(diff)[:300], sides, query))
    for bad in ("*", "a;;b", "a" * 8001, "\n".join(f"a{i}" for i in range(33))):
        status, said = server.get(f"recordings/{id_}/flame", exclude_path=bad)
        t.check(f"the paths {bad[:20]!r} are refused", status == 400 and said["why"], (status, said))
    status, said = server.get(f"recordings/{id_}/flame", exclude_path="\n".join(f"a{i}" for i in range(32)), callers_of=leaf[0])
    t.check("32 conditions and a method are refused", status == 400 and "conditions" in said["why"], (status, said))
    longest = "\n".join(f"no;such;{i};*" for i in range(31)) .replace("such", "such.a" * 30)
    status, flame = server.get(f"recordings/{id_}/flame", event="wall", own=1, exclude_path=longest, callers_of=leaf[0])
    t.check("31 conditions and a method are answered", status == 200, (status, str(flame)[:300]))


def check_sandwich(server, id_):
    """A method's callers and callees weigh what the table says it weighs."""
    rows = server.get(f"recordings/{id_}/table", event="wall", rows=0)[1]["rows"]
    row = max((r for r in rows if r["self"] < r["total"]), key=lambda r: r["total"])
    for side in ("callers_of", "callees_of"):
        status, flame = server.get(f"recordings/{id_}/flame", event="wall", **{side: row["name"]})
        t.check(f"{side} a method weighs what it does", status == 200 and flame["weight"] == row["total"], (status, row, str(flame)[:200]))
    t.check("a method that is nowhere has none", server.get(f"recordings/{id_}/flame", callers_of="no such method")[0] == 404)


def check_lines(server, id_, file):
    """Lines of a method weigh what `wick convert --lines` has, and their text is that of the file."""
    collapsed, method = t.path("lines.collapsed"), "Labels.shares"
    t.wick("convert", "-e", "wall", "--lines", file, collapsed)
    truth = t.collections.Counter()
    with open(collapsed, encoding="utf-8") as f:
        for row in f:
            stack, weight = row.rstrip("\n").rsplit(" ", 1)
            for line in {frame.rpartition(":")[2] for frame in stack.split(";") if frame.startswith(method + ":")}:
                truth[int(line)] += int(weight)
    status, answer = server.get(f"recordings/{id_}/lines", event="wall", method=method, own=1)
    t.check("lines of a method weigh what wick convert says", status == 200 and truth and
            {l["line"]: l["total"] for l in answer["lines"]} == truth, (str(answer)[:500], truth))
    with open(t.HERE + "/Labels.java", encoding="utf-8") as f:
        text = f.read().splitlines()
    source = answer["source"] or {"first": 0, "text": []}
    t.check("with the text of the file, also around them", source["text"] and source["path"] == "Labels.java" and
            source["first"] <= min(truth) and source["first"] + len(source["text"]) > max(truth) and
            source["text"] == text[source["first"] - 1:][:len(source["text"])], source)
    rows = server.get(f"recordings/{id_}/table", event="wall", rows=0)[1]["rows"]
    other = max((r for r in rows if r["name"].startswith(("java.", "jdk.", "sun."))), key=lambda r: r["total"])
    status, answer = server.get(f"recordings/{id_}/lines", event="wall", method=other["name"])
    t.check("a class without a file has lines only", status == 200 and answer["source"] is None and answer["lines"], (other, answer))
    for method, wanted in (("no.such.Method", 404), ("", 400)):
        status, said = server.get(f"recordings/{id_}/lines", method=method)
        t.check(f"'{method}' has no lines", status == wanted and said["why"], (status, said))


def without_numbers(page):
    """A page but for the order in which a heatmap numbers its stacks (src/export/heat_page.c), which is that of reading."""
    start, mark, rest = page.partition(b'id="slices">')
    data, _, rest = rest.partition(b"<")
    if not mark:
        return page
    data = iter(base64.b64decode(data)[4:])

    def number():
        value = 0
        for i in range(9):
            byte = next(data)
            value |= (byte if i == 8 else byte & 127) << 7 * i
            if byte < 128 or i == 8:
                return value
    head = [number() for _ in range(4)]
    scale, stacks, slices = head[3], number(), number()
    paths = [()]
    for i in range(1, stacks + 1):
        above = i - number()
        paths.append(paths[above] + (number(),))
    at, out = 0, []
    for _ in range(slices):
        at += number()
        cells, stack = [], 0
        for _ in range(number()):
            step = number()
            stack += step >> 1
            units = number()
            cells.append((paths[stack], units * scale, number() if step & 1 else units))
        out.append((at, sorted(cells)))
    return start, head, sorted(paths), out, rest


def check_pages(server, id_, file):
    """Pages are what the commands write of the same file."""
    trace = server.get(f"recordings/{id_}/traces")[1]["traces"][0]
    out = t.path("page.html")
    half = (trace["start_ns"] + trace["latency_ns"] // 2) // 10**9
    for path, query, command in (
            ("endpoints", {}, ["endpoints", file]), ("endpoints", {"from": half * 10**9}, ["endpoints", "--from", f"@{half}", file]),
            (f"trace/{trace['id']}", {}, ["trace", file, trace["id"]]),
            ("diff", {"base": id_, "event": "wall", "label": "customer:big"}, ["diff", "-e", "wall", "--where", "customer=big", file, file]),
            ("export", {"format": "heatmap", "event": "cpu"}, ["heatmap", "-e", "cpu", file]),
            ("export", {"format": "heatmap", "event": "wall", "fold": 1, "by": "customer"}, ["heatmap", "-e", "wall", "--fold-starts", "--by", "customer", file]),
            ("export", {"format": "html", "event": "wall", "reverse": 1}, ["flame", "-e", "wall", "--reverse", file])):
        done = t.wick(*command, "-o", out)
        status, headers, body = server.ask(f"/api/v1/recordings/{id_}/{path}?{urllib.parse.urlencode({'format': 'html', **query})}")
        with open(out, "rb") as f:
            truth = f.read()
        t.check(f"{path} {query} is the page of wick {command[0]}", done.status == 0 and status == 200 and without_numbers(body) == without_numbers(truth), (done, status, len(body), len(truth), body[:200]))
        t.check(f"{path} {query} comes as a file", headers["Content-Type"].startswith("text/html") and
                re.fullmatch(r'attachment; filename="live\.(\w+\.)?html"', headers["Content-Disposition"]), headers.items())
        os.unlink(out)
    for path, query in (("endpoints", {"format": "pdf"}), ("traces", {"format": "html"}), ("memory", {"format": "html"}), ("memory/series", {"format": "html"}), ("collections", {"format": "html"}), ("collections", {"format": "pdf"}), ("endpoints", {"format": "html", "partial": 1}),
                        ("diff", {"format": "html", "base": id_, "partial": 1}), ("diff", {"format": "csv", "base": id_})):
        status, said = server.get(f"recordings/{id_}/{path}", **query)
        t.check(f"{path} {query} is refused", status == 400 and said["why"], (status, said))


def check_exports(server, id_):
    base = f"/api/v1/recordings/{id_}/export?event=cpu&format="
    for name, begins in (("html", b"<!DOCTYPE html>"), ("svg", b"<"), ("pprof", b"\x1f\x8b"), ("speedscope", b"{"), ("csv", b"thread,tid,state,"),
                         ("otlp", b"\x0a")):
        status, headers, body = server.ask(base + name)
        t.check(f"{name} comes as a file", status == 200 and body.lower().startswith(begins.lower()) and len(body) > 100 and
                headers["Content-Disposition"].startswith('attachment; filename="live.'), (status, headers["Content-Disposition"], body[:80]))
    status, _, folded = server.ask(base + "collapsed&fold=1")
    whole = server.ask(base + "collapsed")[2]
    t.check("starts of threads are one frame if that is asked for", status == 200 and b"[thread start];" in folded and b"[thread start]" not in whole, folded[:300])
    for name in ("", "jfr", "firefox", "../x"):
        t.check(f"'{name}' is no format", server.ask(base + name)[0] == 400)


def check_swapped_folder(server, folder, good):
    """A folder on the way to a recording that becomes a link after it was opened."""
    inside, elsewhere = folder + "/sub", t.path("elsewhere")
    os.mkdir(inside)
    os.mkdir(elsewhere)
    for at in (inside, elsewhere):
        with open(at + "/x.jfr", "wb") as f:
            f.write(good)
    status, rec = server.post("recordings", {"path": inside + "/x.jfr"})
    t.check("a recording in a folder within is opened", status == 201, rec)
    os.rename(inside, inside + ".old")
    os.symlink(elsewhere, inside)
    with open(elsewhere + "/x.jfr", "ab") as f:
        f.write(good)
    for what in ("/flame", "/explain", ""):
        status, body = server.get(f"recordings/{rec['id']}{what}")
        t.check(f"what a folder became leads nowhere: {what}", status in (403, 404), (status, str(body)[:200]))


def check_attacks(server, id_, folder):
    def status(*args, **kw):
        return server.ask(*args, **kw)[0]

    jvms = "/api/v1/jvms"
    for path in ("/", jvms, "/api/v1/openapi.json", f"/api/v1/recordings/{id_}/flame", "/api/v1/events"):
        t.check(f"without the token {path} is refused", status(path, token=False) == 401)
    wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
    t.check("a wrong token is refused", status(jvms, headers={"Authorization": "Bearer " + wrong}) == 401)
    t.check("a wrong token in the address is refused", status("/?token=" + wrong, token=False) == 401)
    first = server.ask("/?token=" + server.token, token=False)
    cookie = first[1]["Set-Cookie"].split(";")[0]
    t.check("the first visit leads to an address without token", first[0] == 303 and first[1]["Location"] == "/", first[1])
    t.check("the cookie is for this server's pages only", "HttpOnly" in first[1]["Set-Cookie"] and "SameSite=Strict" in first[1]["Set-Cookie"])
    t.check("the cookie lets in", status("/", token=False, headers={"Cookie": cookie}) == 200)
    t.check("pages have a policy without inline code", "script-src 'self';" in server.ask("/")[1]["Content-Security-Policy"])
    for name, value in (("Host", "evil.example"), ("Host", f"evil.example:{server.port}"), ("Origin", "http://evil.example"),
                        ("Sec-Fetch-Site", "cross-site"), ("Origin", "null")):
        t.check(f"{name}: {value} is refused", status(jvms, headers={name: value}) == 403)
    for path in ("/etc/passwd", folder + "/../../../etc/passwd", folder + "/link.jfr"):
        t.check(f"{path} is not opened", server.post("recordings", {"path": path})[0] == 403)
    t.check("a path in a recording's place finds nothing", status("/api/v1/recordings/..%2f..%2fetc%2fpasswd/flame") == 404)
    for name in ("../x", ".x", "a/b", "%p", "-x", ""):
        t.check(f"a recording is not called '{name}'", server.post("recordings", {"pid": os.getpid(), "name": name})[0] in (400, 404))
    t.check("no option that names a file is passed on", server.post("recordings", {"pid": 1, "options": {"file": "/tmp/x"}})[0] == 400)
    t.check("a process that is no JVM is refused", server.post("recordings", {"pid": os.getpid()})[0] == 404)
    for length, path in ((100_000, "recordings"), (20_000, "x" * 20_000)):
        got = status("/api/v1/" + path, body="x" * length if path == "recordings" else None)
        t.check("a request that is too large is refused", got in (413, 414), got)
    t.check("a form of another page starts nothing",
            status("/api/v1/recordings", body='{"pid":1}', headers={"Content-Type": "text/plain"}) == 400)
    check_other_user(server)


def check_other_user(server):
    if os.geteuid() != 0:
        t.skip("another user is refused", "only root can be somebody else")
        return
    nobody = pwd.getpwnam("nobody")
    code = (f"import http.client as h\nc = h.HTTPConnection('127.0.0.1', {server.port}, timeout=60)\n"
            f"c.request('GET', '/api/v1/jvms', headers={{'Authorization': 'Bearer {server.token}'}})\nprint(c.getresponse().status)")
    # A socket that is bound to a device is found by that device only.
    bound = (f"import socket as s\nc = s.socket()\nc.setsockopt(s.SOL_SOCKET, 25, b'lo')\nc.connect(('127.0.0.1', {server.port}))\n"
             f"c.sendall(b'GET /api/v1/jvms HTTP/1.1\\r\\nHost: 127.0.0.1:{server.port}\\r\\n"
             f"Authorization: Bearer {server.token}\\r\\n\\r\\n')\nprint(c.recv(100).split()[1].decode())")
    for what, program in (("", code), (" from a socket that is bound to lo", bound)):
        done = subprocess.run(["python3", "-I", "-c", program], user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="/",
                              capture_output=True, text=True, check=False)
        t.check("another user is refused even with the token" + what, done.stdout.strip() in ("401", "403"), done.stdout + done.stderr)


def check_slow_clients(server):
    slow = []
    for _ in range(40):
        s = socket.create_connection(("127.0.0.1", server.port))
        s.sendall(b"GET /api/v1/jvms HTTP/1.1\r\nHost: ")
        slow.append(s)
    t.check("clients that do not finish their request delay nobody", server.get("recordings")[0] == 200)
    for s in slow:
        s.close()


def raw(server, data):
    """What is answered to these bytes, "" if the connection is closed without an answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as s:
        s.sendall(data)
        try:
            return s.recv(65536).decode("latin-1").split("\r\n")[0]
        except ConnectionResetError:
            return ""


def check_odd_requests(server, id_):
    """Requests that no browser sends: other targets, methods, lengths and hosts, each with the token unless it is about that."""
    here, path = f"127.0.0.1:{server.port}", "/api/v1/jvms"
    auth = f"Authorization: Bearer {server.token}\r\n"
    host = f"Host: {here}\r\n"
    refused = (
        ("no Host", f"GET {path} HTTP/1.1\r\n{auth}\r\n"),
        ("a Host with a dot", f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1.:{server.port}\r\n{auth}\r\n"),
        ("a Host without its port", f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{auth}\r\n"),
        ("another Host behind a user", f"GET {path} HTTP/1.1\r\nHost: {here}@evil.example\r\n{auth}\r\n"),
        ("a Host of another before ours", f"GET {path} HTTP/1.1\r\nHost: evil.example\r\n{host}{auth}\r\n"),
        ("HTTP/1.0 without Host", f"GET {path} HTTP/1.0\r\n{auth}\r\n"),
        ("two tokens in one header", f"GET {path} HTTP/1.1\r\n{host}Authorization: Bearer {'0' * 32},{server.token}\r\n\r\n"),
        ("the token behind another scheme", f"GET {path} HTTP/1.1\r\n{host}Authorization: Basic {server.token}\r\n\r\n"),
        ("a shorter token", f"GET {path} HTTP/1.1\r\n{host}Authorization: Bearer {server.token[:-1]}\r\n\r\n"),
        ("the cookie of another port", f"GET {path} HTTP/1.1\r\n{host}Cookie: wick-1={server.token}\r\n\r\n"),
        ("the token in the address of a question", f"GET {path}?token={server.token} HTTP/1.1\r\n{host}\r\n"),
        ("a page of another site that leads to an answer", f"GET {path} HTTP/1.1\r\n{host}{auth}Sec-Fetch-Site: cross-site\r\n"
         "Sec-Fetch-Mode: navigate\r\n\r\n"),
        ("a method that is not known", f"BREW {path} HTTP/1.1\r\n{host}{auth}\r\n"),
        ("DELETE", f"DELETE /api/v1/recordings/{id_} HTTP/1.1\r\n{host}{auth}\r\n"),
        ("OPTIONS, as before a request from elsewhere", f"OPTIONS {path} HTTP/1.1\r\n{host}Origin: http://evil.example\r\n\r\n"),
        ("CONNECT", f"CONNECT evil.example:80 HTTP/1.1\r\n{host}{auth}\r\n"),
        ("a zero byte in the path", f"GET {path}%00/x HTTP/1.1\r\n{host}{auth}\r\n"),
        ("a path that climbs", f"GET /ui/../../../../etc/passwd HTTP/1.1\r\n{host}{auth}\r\n"),
        ("a path that climbs in escapes", f"GET /ui/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n{host}{auth}\r\n"),
        ("a length that is too large", f"POST /api/v1/recordings HTTP/1.1\r\n{host}{auth}Content-Length: 99999999999999999999\r\n\r\n"),
        ("a negative length", f"POST /api/v1/recordings HTTP/1.1\r\n{host}{auth}Content-Length: -1\r\n\r\n"),
        ("deep JSON", f"POST /api/v1/recordings HTTP/1.1\r\n{host}{auth}Content-Type: application/json\r\nContent-Length: 8000\r\n\r\n" + "[" * 8000),
        ("no request at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
        ("headers without end", f"GET {path} HTTP/1.1\r\n{host}" + "".join(f"X-{i}: {'y' * 100}\r\n" for i in range(1000)) + "\r\n"),
    )
    for what, text in refused:
        line = raw(server, text.encode("latin-1"))
        t.check(f"{what} is refused", line == "" or re.match(r"HTTP/1\.[01] 4\d\d ", line), line)
    chunked = f"POST /api/v1/recordings HTTP/1.1\r\n{host}{auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    line = raw(server, chunked.encode() + b"4000\r\n" + b"x" * 0x4000 + b"\r\n4000\r\n" + b"x" * 0x4000 + b"\r\n")
    t.check("a body that does not end is refused", line == "" or " 4" in line, line)


def check_many_requests(server):
    """Ten thousand requests, half of them with a guessed token: all get their answer, and nothing of them stays."""
    def some(number):
        c, got = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300), t.collections.Counter()
        for i in range(500):
            token = server.token if i % 2 else f"{number:016x}{i:016x}"
            c.request("GET", "/api/v1/recordings", headers={"Authorization": "Bearer " + token})
            r = c.getresponse()
            r.read()
            got[r.status] += 1
        c.close()
        return got

    def held():
        return len(os.listdir(f"/proc/{server.proc.pid}/fd")), len(os.listdir(f"/proc/{server.proc.pid}/task"))

    before = held()
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        got = sum(pool.map(some, range(20)), t.collections.Counter())
    t.check("10,000 requests are answered, guessed tokens refused", got == {200: 5000, 401: 5000}, got)
    t.check("neither descriptors nor threads stay", t.until(lambda: held()[0] <= before[0] and held()[1] <= before[1]), (before, held()))


def check_changed_file(server, folder, good):
    """A file that is replaced while it is known, and listed between."""
    path = f"{folder}/again.jfr"
    with open(path, "wb") as f:
        f.write(good[:len(good) // 2])
    id_ = next(r["id"] for r in server.get("recordings")[1]["recordings"] if r["name"] == "again.jfr")
    before = server.get(f"recordings/{id_}/table", event="wall")
    with open(path + ".new", "wb") as f:
        f.write(good)
    os.replace(path + ".new", path)
    server.get("recordings")
    status, table = server.get(f"recordings/{id_}/table", event="wall", rows=0)
    t.check("a file that was replaced is read anew", status == 200 and
            table == json.loads(t.wick("top", "--json", "-e", "wall", "-n", "0", path).out), (str(before)[:200], str(table)[:200]))


def check_twice(server, pid):
    """Two requests for one name, of which neither file is there yet."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        got = [f.result() for f in [pool.submit(server.post, "recordings", {"pid": pid, "name": "twice"}) for _ in range(2)]]
    t.check("of two recordings with one name one is made", sorted(status for status, _ in got) == [201, 409], got)
    rec = next(body for status, body in got if status == 201)
    stops = [server.post(f"recordings/{rec['id']}/stop", {})[0] for _ in range(2)]
    # It may have ended before its first sample.
    whole = t.jfr(17, "summary", rec["path"])
    t.check("and it is whole", stops == [200, 409] and whole.status == 0, (stops, rec, whole))


def check_hostile_files(server, folder, good):
    with open(good, "rb") as f:
        data = f.read()
    cut, torn = data[:len(data) // 2], bytearray(data)
    torn[200::97] = b"\xff" * len(torn[200::97])
    for name, content in (("cut", cut), ("torn", bytes(torn)), ("noise", os.urandom(5000)), ("empty", b"")):
        with open(f"{folder}/{name}.jfr", "wb") as f:
            f.write(content)
    listed = {r["name"]: r for r in server.get("recordings")[1]["recordings"]}
    for name in ("cut", "torn", "noise", "empty"):
        id_ = listed[name + ".jfr"]["id"]
        for what in ("", "/flame", "/table", "/explain", "/traces"):
            status, body = server.get(f"recordings/{id_}{what}")
            t.check(f"{name}{what} is answered, or refused with a reason", status == 200 or (status in (404, 422) and body["why"]),
                    (status, body))
    far = bytearray(data)
    far[32:48] = (1).to_bytes(8, "big") + (2**63 - 3).to_bytes(8, "big")  # start and duration of the first chunk
    with open(f"{folder}/far.jfr", "wb") as f:
        f.write(far)
    id_ = next(r["id"] for r in server.get("recordings")[1]["recordings"] if r["name"] == "far.jfr")
    for bins in (1, 240):
        status, body = server.get(f"recordings/{id_}/series", event="wall", bins=bins)
        t.check(f"a recording of 292 years has {bins} parts at most",
                status != 200 or all(len(s["values"]) <= bins for s in body["series"]), (status, str(body)[:300]))
    check_changed_file(server, folder, data)
    check_swapped_folder(server, folder, data)
    t.check("the server is there afterwards", server.proc.poll() is None and server.get("recordings")[0] == 200)


def check_waits(server, folder):
    """Locks and safepoints of a recording of known content (tests/jfr/lock_story.h)."""
    path = folder + "/waits.jfr"
    t.run(t.BUILD + "/tests/jfr/jfr_synth", "locks", path)
    id_ = next(r["id"] for r in server.get("recordings")[1]["recordings"] if r["name"] == "waits.jfr")
    status, locks = server.get(f"recordings/{id_}/locks")
    check_shape("/api/v1/recordings/{id}/locks", "get", status, locks)
    status, slow = server.get(f"recordings/{id_}/safepoints")
    check_shape("/api/v1/recordings/{id}/safepoints", "get", status, slow)
    t.check("slow safepoints are those of wick ttsp", slow == json.loads(t.wick("ttsp", "--json", "-n", "0", path).out), str(slow)[:300])
    t.check("with what is to blame, most time first", [(b["why"], b["late"], b["total_ns"]) for b in slow["blame"]]
            == [("loop", 5, 500_000_000), ("starved", 1, 25_000_000)], slow["blame"])
    status, worst = server.get(f"recordings/{id_}/safepoints", rows=2)
    t.check("as many as are asked for", worst["worst"] == slow["worst"][:2] and worst["incidents"] == 6, str(worst)[:300])
    t.check("not none", server.get(f"recordings/{id_}/safepoints", rows=0)[0] == 400)


def check_disturbances(server, folder):
    """What disturbed a program, of a recording of known content (tests/jfr/disturb_story.h)."""
    t.run(t.BUILD + "/tests/jfr/jfr_synth", "disturbances", folder + "/minute.jfr")
    id_ = next(r["id"] for r in server.get("recordings")[1]["recordings"] if r["name"] == "minute.jfr")
    status, all_of_it = server.get(f"recordings/{id_}/disturbances", bins=60)
    check_shape("/api/v1/recordings/{id}/disturbances", "get", status, all_of_it)
    values = {s["name"]: s["values"] for s in all_of_it["series"]}
    t.check("each lies where it was", values["throttled"] == [200_000_000 if 10 <= i < 20 else 0 for i in range(60)], values["throttled"])
    start = all_of_it["start_ns"]
    status, part = server.get(f"recordings/{id_}/disturbances", **{"from": start + 40_000_000_000, "to": start + 60_000_000_000}, bins=1)
    t.check("a range has its part", [n["total_ns"] for n in part["neighbours"]] == [1_000_000_000] and part["compilations"] == [], part)
    t.check("nothing lies in an empty one", server.get(f"recordings/{id_}/disturbances", **{"from": 2, "to": 1})[0] == 400)


def check_growth(server):
    """Live objects over time, while they are recorded and afterwards."""
    jvm = t.Jvm(["-Xmx600m", "-cp", t.compile_java("Live"), "Live"], "growth")
    t.check("a program that keeps objects runs", jvm.wait_for("(?m)^up") and jvm.ask("blocks 1000", "(done)"), jvm.output())
    status, rec = server.post("recordings", {"pid": jvm.pid, "events": ["live"], "name": "growth"})
    series = f"recordings/{rec['id']}/live/series"
    status, few = server.get(series)
    check_shape("/api/v1/recordings/{id}/live/series", "get", status, few)
    t.check("live objects are not known of two moments yet", status == 404 and "growth needs two" in few["why"], (status, few))
    end = time.monotonic() + 240
    while server.get(series)[0] != 200 and time.monotonic() < end:
        jvm.ask("blocks 1500", "(done)")
        time.sleep(1)
    status, growing = server.get(series)
    check_shape("/api/v1/recordings/{id}/live/series", "get", status, growing)
    t.check("then they are, while it goes on", status == 200 and growing["moments"] >= 2, (status, growing))
    server.post(f"recordings/{rec['id']}/stop", {})
    jvm.kill()
    for by in ("object", "method"):
        rows = json.loads(t.wick("top", "--growth", "--by", by, "--json", "-n", "0", rec["path"]).out)["rows"]
        status, done = server.get(series, by=by, rows=1000)
        t.check(f"by {by} they are those of wick top --growth", status == 200 and
                [(r["name"], r["first"], r["last"], r["samples"]) for r in done["rows"]] ==
                [(r["name"], r["first"], r["last"], r["objects"]) for r in rows], (str(done)[:300], str(rows)[:300]))
        t.check(f"by {by} what was kept grows most", done["rows"] and done["rows"][0]["name"] == {"object": "byte[]", "method": "Live.blocks"}[by] and
                done["rows"][0]["growth_bytes_per_s"] > 0, done["rows"][:2])


def check_states(server, folder):
    """A state for each box, of a tree that is the same without: of a recording of known content (tests/jfr/requests.h), since of a method with
    very many lines those are kept that come first."""
    t.run(t.BUILD + "/tests/jfr/jfr_synth", "requests", folder + "/requests.jfr")
    id_ = next(r["id"] for r in server.get("recordings")[1]["recordings"] if r["name"] == "requests.jfr")
    status, plain = server.get(f"recordings/{id_}/flame", event="wall", by="package")
    status, flame = server.get(f"recordings/{id_}/flame", event="wall", by="package", states=1)
    check_shape("/api/v1/recordings/{id}/flame", "get", status, flame)
    of = base64.b64decode(flame["states"]["of"])
    t.check("each box has a state", len(of) == flame["nodes"] and max(of) < len(flame["states"]["names"]), (len(of), flame["nodes"], flame["states"]["names"]))
    t.check("the tree is the same", flame["data"] == plain["data"], len(flame["data"]))


def main():
    classes = t.compile_java("Labels", classpath=JAR)
    jvm = t.Jvm(["-Xmx64m", "-cp", f"{classes}:{JAR}", "Labels"], "labels")
    t.check("the program runs", jvm.wait_for("up"), jvm.output())
    folder = t.path("recordings")
    os.mkdir(folder)
    os.symlink("/etc/passwd", folder + "/link.jfr")
    server = Server("--dir", folder, "--source", t.HERE, folder)
    jvm.say("shares 60000")
    id_ = check_live(server, jvm.pid)
    time.sleep(0.5)
    check_change(server, id_)
    status, rec = server.post(f"recordings/{id_}/stop", {})
    check_shape("/api/v1/recordings/{id}/stop", "post", status, rec)
    t.check("it is stopped and complete", status == 200 and not rec["live"] and not rec["unfinished"], rec)
    t.check("it cannot be stopped twice", server.post(f"recordings/{id_}/stop", {})[0] == 409)
    t.check("nor changed or marked then", [server.post(f"recordings/{id_}/{what}", body)[0] for what, body in
                                           (("change", {"events": ["cpu"]}), ("mark", {"text": "x"}))] == [409, 409])
    check_twice(server, jvm.pid)
    check_heap(server, jvm, folder, id_)
    check_death(server, jvm)
    file = rec["path"]
    t.check("its file is in the folder that was named", file == folder + "/live.jfr" and os.path.exists(file), file)
    check_paths(server, id_)
    check_figures(server, id_, file)
    check_left_out(server, id_, file)
    check_sandwich(server, id_)
    check_lines(server, id_, file)
    check_exports(server, id_)
    check_pages(server, id_, file)
    check_attacks(server, id_, folder)
    check_slow_clients(server)
    check_odd_requests(server, id_)
    check_many_requests(server)
    check_hostile_files(server, folder, file)
    check_waits(server, folder)
    check_disturbances(server, folder)
    check_states(server, folder)
    check_growth(server)
    server.proc.send_signal(t.signal.SIGINT)
    t.check("it ends when it is interrupted", server.proc.wait(240) == 0)
    t.done()


main()
