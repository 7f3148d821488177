#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `wick trace` and `wick endpoints` say of the recording of tests/jfr/requests.h. Prints TAP.

usage: check_requests.py JFR_SYNTH WICK
"""
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SYNTH, WICK = sys.argv[1:3]
MS = 1_000_000
SLOW = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01"
tests = failures = 0


def check(title, good, *what):
    global tests, failures
    tests += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {tests} - {title}")
    if not good:
        print("\n".join(f"# {line}" for w in what for line in str(w).splitlines()))


def wick(*args, stdin=None):
    with open(stdin or "/dev/null", "rb") as source:
        done = subprocess.run([WICK, *map(str, args)], stdin=source, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def bars(thread):
    return sorted((b["clock"], b["state"], b["start_ns"] // MS, b["duration_ns"] // MS) for b in thread["bars"])


def check_trace(file):
    code, out, err = wick("trace", "--json", file, "aaaa")
    trace = json.loads(out)["traces"][0] if code == 0 else {}
    check("a trace is found by the beginning of its id", code == 0 and trace["id"] == SLOW, err)
    check("its threads' bars are the known ones", bars(trace["threads"][0]) == [
        ("cpu", "on CPU", 0, 10), ("cpu", "on CPU", 81, 9), ("cpu", "on CPU", 90, 9), ("wall", "monitor", 10, 50),
        ("wall", "on CPU", 0, 10), ("wall", "on CPU", 80, 10), ("wall", "on CPU", 90, 10),
        ("wall", "waiting for CPU", 60, 10), ("wall", "waiting for CPU", 70, 10)], trace["threads"][0])
    check("the kernel's accounting is shown beside them", trace["threads"][0]["seconds"] == [
        {"start_ns": 0, "duration_ns": 1000 * MS, "cpu_ns": 28 * MS, "run_queue_delay_ns": 20 * MS}])
    everything = json.loads(wick("trace", "--json", file)[1])
    check("without an id the slowest are there, slowest first",
          [t["latency_ns"] // MS for t in everything["traces"]] == [100, 20, 10])
    check("--slowest narrows them", len(json.loads(wick("trace", "--json", "--slowest", 2, file)[1])["traces"]) == 2)
    check("every bar's stack is there", all(str(b["stack"]) in everything["stacks"] for t in everything["traces"]
                                            for r in t["threads"] for b in r["bars"]))


def check_text(file):
    code, out, err = wick("trace", file)
    rows = [line for line in out.splitlines() if line.count("|") == 2]
    check("bars are aligned", code == 0 and len(rows) == 6 and len({(r.index("|"), r.rindex("|")) for r in rows}) == 1, out, err)
    wall = next(r for r in rows if r.startswith("  wall clock"))
    cells = wall[wall.index("|") + 1:wall.rindex("|")]
    check("half of the worker's time is blocked on a monitor", cells.count("m") * 2 == len(cells) and
          cells.strip("#").strip("+") == "m" * cells.count("m"), cells)
    check("names cannot act on a terminal, and there is no colour in a pipe", "\x1b" not in out and "\\x1b[31m" in out)
    for args, status in [(["trace", file, "ffff"], "begins with ffff"), (["trace", "--slowest", "x", file], "--slowest"),
                         (["trace"], "which recording"), (["trace", file, "-o", "a.png"], ".html")]:
        code, out, err = wick(*args)
        check(f"{' '.join(map(str, args[:1] + args[2:]))} is refused", code != 0 and not out and status in err, out, err)


def check_endpoints(file):
    rows = {r["endpoint"]: r for r in json.loads(wick("endpoints", "--json", file)[1])["endpoints"]}
    slow, fast, none = rows["GET /slow"], rows["GET /fast"], rows[None]
    check("what an endpoint's threads waited for", [slow[k] // MS for k in ("running_ns", "run_queue_ns", "blocked_ns")]
          == [30, 20, 100] and slow["waits"] == [{"state": s, "wall_ns": 50 * MS} for s in ("monitor", "parked")], slow)
    check("CPU time is attributed by context", (slow["cpu_ns"], fast["cpu_ns"], none["cpu_ns"]) == (28 * MS, 8 * MS, 10 * MS))
    check("and what was allocated, with its interval: 1 MiB at 1 in 3 and 1 in 2",
          (slow["allocated_bytes"] >> 20, fast["allocated_bytes"] >> 20, none["allocated_bytes"] >> 20) == (5, 1, 1)
          and slow["allocated_low"] < slow["allocated_bytes"] < slow["allocated_high"]
          and fast["allocated_low"] == fast["allocated_high"] == fast["allocated_bytes"], (slow, fast, none))
    check("latency by second", [(s["second"], s["count"], s["p50_ns"] // MS) for s in fast["seconds"]] ==
          [(0, 1, 10), (1, 1, 20)], fast)
    text = wick("endpoints", file)[1]
    check("per request in the text", "         5242880  126.8%          5242880  GET /slow" in text, text)
    check("the text says the same", "20.0        100.0  GET /slow" in text, text)


def check_sources(file, work):
    """Every command reads recordings that are compressed or come from standard input."""
    packed, text = work / "r.jfr.gz", work / "p.collapsed"
    packed.write_bytes(gzip.compress(Path(file).read_bytes()))
    text.write_text("main;run 3\n", encoding="utf-8")
    for command in ("trace", "endpoints", "explain", "locks", "ttsp"):
        plain = wick(command, file)
        if command in ("locks", "ttsp"):
            check(f"{command}: what was not recorded is not printed as none", plain[0] == 4 and not plain[1] and
                  "not recorded" in plain[2], plain)
        else:
            check(f"{command}: the recording has some", plain[0] == 0 and plain[1], plain)
        got = wick(command, packed)
        check(f"{command}: packed, the recording says the same", got == plain, plain, got)
        for source in (file, packed):
            got = wick(command, "-", stdin=source)
            check(f"{command}: from standard input {Path(source).suffix} says the same", got == plain, got)
        code, out, err = wick(command, text)
        check(f"{command}: what holds samples only is refused", code not in (0, 1) and not out and "not a JFR recording" in err, out, err)


def check_damage(file, work):
    """Damaged recordings are read as far as they make sense, or refused; nothing crashes."""
    whole, worst, seed = bytearray(Path(file).read_bytes()), 0, 7
    broken = work / "broken.jfr"
    for i in range(12):
        data = bytearray(whole)
        for _ in range(1 + i * 3):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            data[68 + seed % (len(data) - 68)] = seed >> 16 & 255
        broken.write_bytes(data if i % 3 else data[: len(data) * 2 // 3])
        for args in (["trace", "--json"], ["trace"], ["endpoints", "--json"], ["endpoints"]):
            code, out, _ = wick(*args, broken)
            worst = max(worst, 255 if code < 0 or code > 100 else 0)
            if code == 0 and "--json" in args:
                json.loads(out)
    check("damage is no crash, JSON stays JSON, and text is UTF-8", worst == 0)


with tempfile.TemporaryDirectory(prefix="wick-requests-") as name:
    recording = Path(name) / "r.jfr"
    subprocess.run([SYNTH, "requests", str(recording)], check=True)
    check_trace(recording)
    check_text(recording)
    check_endpoints(recording)
    check_sources(recording, Path(name))
    check_damage(recording, Path(name))
print(f"1..{tests}")
sys.exit(failures > 0)
