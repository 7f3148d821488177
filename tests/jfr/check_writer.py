#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the jfr tool says about a recording with what jfr_synth wrote (see check_writer.sh).

    check_writer.py EXPECTED SUMMARY PRINT JSON
    check_writer.py --cut FILE      cuts bytes that belong to no chunk off the end; prints how many
"""
import collections
import datetime
import json
import re
import struct
import sys


def cut(path):
    with open(path, "r+b") as f:
        data = f.read()
        end = 0
        while data[end:end + 4] == b"FLR\0":
            end += struct.unpack(">q", data[end + 8:end + 16])[0]
        assert 0 < end <= len(data), (end, len(data))
        f.truncate(end)
        print(len(data) - end)


def ticks(duration):
    """Microseconds of an ISO 8601 duration, PT0.011777S."""
    m = re.fullmatch(r"PT(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?", duration)
    return (int(m[1] or 0) * 60 + int(m[2] or 0)) * 1000000 + int((m[3] or "").ljust(6, "0")[:6])


def check_frame(frame):
    method = frame["method"]
    name, descriptor, cls = method["name"], method["descriptor"], method["type"]["name"]
    assert re.fullmatch(r"\(.*\)\[?[^()]+", descriptor), method
    m = re.fullmatch(r"handleRequest(\d+)", name or "")
    if m:  # all parts of a method must still belong together
        n = int(m[1])
        assert cls == f"com/example/service{n % 20}/impl/RequestHandler{n % 311}", method
        assert method["type"]["package"]["name"] == f"com/example/service{n % 20}/impl", method
        assert descriptor == "(I[[Ljava/lang/String;J)" + ("V" if n % 2 else "[Ljava/util/Map;"), method
        assert method["modifiers"] == 1 + n % 8, method
    elif (name or "").startswith("std::"):
        assert re.fullmatch(r"libnative\d\.so\.6", cls) and descriptor == "()V", method


def check(expected_path, summary_path, print_path, json_path):
    expected = {}
    for line in open(expected_path, encoding="utf-8"):
        key, value = line.split()
        expected[key] = int(value)
    with open(json_path, encoding="utf-8") as f:
        events = json.load(f, strict=False)["recording"]["events"]
    count = collections.Counter(e["type"] for e in events)
    weight = perf_weight = 0
    starts = set()  # of spans: all the same, an hour before the recording
    for e in events:
        v = e["values"]
        if e["type"] == "jdk.ExecutionSample":
            weight += ticks(v["weight"])
            assert v["kind"] in ("user", "kernel"), v["kind"]
            assert v["state"] in ("STATE_DEFAULT", "STATE_RUNNABLE", "STATE_SLEEPING"), v["state"]
            if v["context"]:
                n = int(v["context"].rpartition("spanId=")[2], 16)
                assert v["context"] == (f"endpoint=GET {'/cpu' if n % 3 else '/lock'}{',customer=big,tier=a' if n % 7 else ''}"
                                        + ("\\,b" if n % 7 else "")
                                        + (",traceId=4bf92f3577b34da6a3ce929d0e0e4736" if n % 2 else "")
                                        + f",spanId={n:016x}"), v["context"]
        elif e["type"] == "wick.PerfSample":
            perf_weight += v["weight"]
        elif e["type"] == "wick.Span":
            starts.add(v["startTime"])
            assert v["duration"] == "PT2H", v
        if v.get("stackTrace"):
            for frame in v["stackTrace"]["frames"]:
                check_frame(frame)
                assert frame["type"], frame
        thread = v.get("sampledThread")
        if thread and re.fullmatch(r"http-worker-\d+", thread["osName"] or ""):
            assert thread["osThreadId"] == 10000 + int(thread["osName"].split("-")[2]), thread
    first = min(e["values"]["startTime"] for e in events if e["type"] == "jdk.OSInformation")
    hour = [datetime.datetime.fromisoformat(re.sub(r"\.\d+|Z$", "", t)[:19]) for t in (first, *starts)]
    assert len(starts) == 1 and hour[0] - hour[1] == datetime.timedelta(hours=1), (first, starts)
    assert weight == expected.pop("weight_us"), weight
    assert perf_weight == expected.pop("perf_weight"), perf_weight
    summary = open(summary_path, encoding="utf-8").read()
    assert int(re.search(r"Chunks: (\d+)", summary)[1]) == expected.pop("chunks")
    printed = collections.Counter(re.findall(r"^([\w.]+) \{$", open(print_path, encoding="utf-8").read(), re.M))
    for name, n in expected.items():
        in_summary = int(re.search(rf"^ *{re.escape(name)} +(\d+)", summary, re.M)[1])
        assert count[name] == in_summary == printed[name] == n, (name, count[name], in_summary, printed[name], n)


if __name__ == "__main__":
    if sys.argv[1] == "--cut":
        cut(sys.argv[2])
    else:
        check(*sys.argv[1:])
