#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oracle.py JSON EVENT: collapsed stacks from the output of `jfr print --json`, as
`wick convert --samples --threads --lines --annotate --signatures` should write them.

Deliberately shares nothing with wick's own code: the JDK has parsed the file, this script only formats."""
import collections
import json
import sys

LETTER = {"Interpreted": "0", "JIT compiled": "j", "Inlined": "i", "Native": "n", "C++": "p", "Kernel": "k",
          "C1 compiled": "1", "Stub": "s", "Broken walk": "b", "Boundary": "x", "Java native": "N",
          "Not sampled": "u", "Object": "o"}
JAVA = {"Interpreted", "JIT compiled", "Inlined", "C1 compiled", "Java native"}
ACC_NATIVE = 0x100
FINER = {7: "Stub", 8: "Broken walk", 9: "Boundary"}  # docs/formats/jfr.md
PRIMITIVE = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short", "V": "void",
             "Z": "boolean"}


def escape(s):
    out = []
    for c in s:
        bad = ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0 or c in ";\\\u2028\u2029"
        out.append("".join("\\x%02x" % b for b in c.encode()) if bad else c)
    return "".join(out)


def dots(name):
    parts = name.split("/")
    out = parts[0]
    for part in parts[1:]:
        out += ("/" if part[:1].isdigit() else ".") + part
    return out


def signature(s):
    def one(i):
        dims = 0
        while s[i] == "[":
            dims, i = dims + 1, i + 1
        if s[i] == "L":
            end = s.index(";", i)
            return dots(s[i + 1:end]) + "[]" * dims, end + 1
        return PRIMITIVE[s[i]] + "[]" * dims, i + 1

    args, i = [], 1
    while s[i] != ")":
        a, i = one(i)
        args.append(a)
    return "(" + ",".join(args) + ")" + one(i + 1)[0]


def frame(f):
    method, kind = f["method"], f["type"]
    if kind == "Native" and (method["modifiers"] or 0) & ACC_NATIVE and method["descriptor"] != "()L;":
        kind = "Java native"
    if kind == "Native":
        kind = FINER.get((method["modifiers"] or 0) >> 16, kind)
    if kind == "Broken walk" and (method["name"] or "").startswith("[not sampled: "):
        kind = "Not sampled"
    cls, name = (method["type"] or {}).get("name") or "", method["name"] or ""
    if not cls and not name:
        text = "[unknown]"
    elif kind in JAVA:
        text = dots(cls) + ("." if cls and name else "") + name + signature(method["descriptor"])
    else:
        text = name or cls
        if text.startswith("/"):
            text = text.rsplit("/", 1)[1]
    if (f["lineNumber"] or 0) > 0:
        text += ":%d" % f["lineNumber"]
    return text + "_[%s]" % LETTER[kind]


def stack(event):
    trace = event["stackTrace"]
    if not trace or not trace["frames"]:
        return ["[no stack]_[b]"]
    frames = [frame(f) for f in reversed(trace["frames"])]
    return (["[truncated]_[b]"] if trace["truncated"] else []) + frames


def thread(event):
    t = event.get("sampledThread") or event.get("eventThread")
    if not t:
        return "[unknown tid=0]_[x]"
    name = t["javaName"] or t["osName"] or ("virtual" if t.get("virtual") else "unknown")
    return "[%s tid=%d]_[x]" % (name, t["osThreadId"] or t["javaThreadId"])


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        events = json.load(f)["recording"]["events"]
    lines = collections.Counter()
    for e in events:
        assert e["type"] == sys.argv[2]
        v = e["values"]
        lines[";".join(escape(x) for x in [thread(v)] + stack(v))] += v.get("samples", 1)
    for line, n in lines.items():
        print(line, n)


main()
