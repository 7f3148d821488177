#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What wick ui answers about memory, collections and live objects of recordings that are known to the byte (memory_story.h,
live_story.h).

    check_memory_story.py JFR_SYNTH WICK UI_API
"""
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile

SYNTH, WICK, API = sys.argv[1:4]
MIB = 1 << 20
START = 1700000000 * 10**9
SECOND = 10**9
failures = 0


def check(what, is_so, *why):
    global failures
    if not is_so:
        failures += 1
        print(f"not ok - {what}", *why)


def main():
    check_story("memory", check_all)
    check_story("live", check_live)
    return failures


def check_story(story, check_answers):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, f"{story}.jfr")
        subprocess.run([SYNTH, story, file], check=True)
        with subprocess.Popen([WICK, "ui", "--no-open", "--dir", folder, file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as server:
            m = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)\n", server.stdout.readline())
            try:
                check_answers(Asker(int(m.group(1)), m.group(2)))
            finally:
                server.terminate()
        check("the server ends without an error", server.returncode == 0, server.returncode)


class Asker:
    def __init__(self, port, token):
        self.port, self.token = port, token
        self.id = self.get("recordings")[1]["recordings"][0]["id"]

    def get(self, path):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        c.request("GET", "/api/v1/" + path, headers={"Authorization": "Bearer " + self.token})
        r = c.getresponse()
        out = r.status, json.loads(r.read())
        c.close()
        return out

    def path(self):
        return self.get("recordings")[1]["recordings"][0]["path"]

    def of(self, what):
        return self.get(f"recordings/{self.id}/{what}")


def check_all(server):
    status, series = server.of("memory/series")
    parts = {p["part"]: p["resident"] for p in series["parts"]}
    check("all readings are there", status == 200 and series["readings"] == 30 and len(series["times_ns"]) == 30, series)
    check("at their times", series["times_ns"] == [START + (5 + 10 * i) * SECOND for i in range(30)], series["times_ns"])
    check("the heap grows as written", parts["Java heap"] == [(200 + 6 * i) * MIB for i in range(30)], parts)
    check("so does malloc", parts["malloc"] == [(80 + 10 * i) * MIB for i in range(30)], parts)
    check("what is outside the resident set is left out", "page tables" not in parts, parts)
    check("the limits are known", (series["limit"], series["heap_max"]) == (1024 * MIB, 512 * MIB), series)
    few = server.of("memory/series?readings=3")[1]
    check("of three stretches the largest reading each", few["times_ns"] == [series["times_ns"][i] for i in (9, 19, 29)], few)

    status, gcs = server.of("collections")
    rows = gcs["collections"]
    check("all collections are there", status == 200 and gcs["total"] == 60 == len(rows), gcs)
    check("by time", [r["start_ns"] for r in rows] == [START + (2 + 5 * i) * SECOND for i in range(60)], rows)
    check("with the heap afterwards", [r["after"] for r in rows] == [(100 + 2 * i) * MIB for i in range(60)], rows)
    check("and before, but where it is not known", [r["before"] for r in rows] == [None if i == 11 else (160 + 2 * i) * MIB for i in range(60)], rows)
    by_cause = {c["cause"]: c for c in gcs["causes"]}
    check("causes, the most costly first", [c["cause"] for c in gcs["causes"]][:2] == ["G1 Evacuation Pause", "System.gc()"], gcs["causes"])
    check("the full one", by_cause["System.gc()"]["longest_pause_ns"] == 120 * 10**6 and by_cause["System.gc()"]["count"] == 1, by_cause)
    check("the young ones", by_cause["G1 Evacuation Pause"]["pauses_ns"] == 58 * 4 * 10**6, by_cause)
    few = server.of("collections?rows=6")[1]
    check("six stretches keep count and the longest pause", [r["stands_for"] for r in few["collections"]] == [10] * 6 and few["total"] == 60 and
          few["collections"][3]["cause"] == "System.gc()", few)
    late = server.of(f"collections?from={START + 250 * SECOND}&to={START + 260 * SECOND}")[1]
    check("a range has those that touch it", late["total"] == 2 == len(late["collections"]), late)
    check("a negative number is refused", server.of("collections?rows=0")[0] == 400 and server.of("memory/series?readings=x")[0] == 400)
    check("nothing else is below memory", server.of("memory/other")[0] == 404)
    with open(API, encoding="utf-8") as f:
        schemas = json.load(f)["components"]["schemas"]
    check("the description has every member", set(schemas["MemorySeries"]["required"]) == set(series) and
          set(schemas["Collections"]["properties"]["collections"]["items"]["required"]) == set(rows[0]))


def check_live(server):
    status, live = server.of("live/series")
    rows = {r["name"]: r for r in live["rows"]}
    leak = rows["app.Session<img src=x onerror=alert(1)>"]
    check("all moments are there", status == 200 and live["moments"] == 6 and live["times_ns"] == [START + 10 * i * SECOND for i in range(1, 7)], live)
    check("what grows comes first, what is gone last", [r["name"] for r in live["rows"]] == [leak["name"], "char[]", "byte[]"], live)
    check("it grows as written", leak["bytes"] == [4 * i * MIB for i in range(1, 7)] and (leak["first"], leak["last"]) == (4 * MIB, 24 * MIB), leak)
    check("by as much a second", abs(leak["growth_bytes_per_s"] - 0.4 * MIB) <= 1 and 0 < leak["growth_error_bytes_per_s"] < 0.4 * MIB, leak)
    check("what stays does not", rows["char[]"]["bytes"] == [20 * MIB] * 6 and rows["char[]"]["growth_bytes_per_s"] == 0, rows)
    check("what was there once counts then", rows["byte[]"]["bytes"] == [0, 0, MIB, 0, 0, 0], rows)
    check("there is nothing else", live["others"] == [0] * 6 and live["total"] == 3, live)
    few = server.of("live/series?moments=3&rows=1")[1]
    check("of three stretches the last moment each", few["times_ns"] == live["times_ns"][1::2] and few["rows"][0]["bytes"] == leak["bytes"][1::2], few)
    check("with the others together, and figures of all moments", few["others"] == [20 * MIB] * 3 and few["total"] == 3 and few["moments"] == 6 and
          few["rows"][0]["growth_bytes_per_s"] == leak["growth_bytes_per_s"], few)
    methods = server.of("live/series?by=method")[1]
    check("by method the same bytes", {r["name"]: r["bytes"] for r in methods["rows"]} ==
          {"app.Main.put": [(4 * i + (i == 3)) * MIB for i in range(1, 7)], "app.Main.load": [20 * MIB] * 6}, methods)
    part = server.of(f"live/series?from={START + 15 * SECOND}&to={START + 45 * SECOND}")[1]
    check("a range has its moments", part["times_ns"] == live["times_ns"][1:4] and part["rows"][0]["first"] == 8 * MIB and part["rows"][0]["last"] == 16 * MIB, part)
    check("and its objects only", part["rows"][0]["samples"] == 16, part)
    status, one = server.of(f"live/series?from={START}&to={START + 15 * SECOND}")
    check("one moment is too few, which is said", status == 404 and "choose a longer one" in one["why"], one)
    check("other choices are refused", [server.of(f"live/{what}")[0] for what in ("series?by=thread", "series?moments=1", "series?rows=x", "other")] == [400, 400, 400, 404])
    check("the same as of the command", [r["objects"] for r in json.loads(subprocess.run([WICK, "top", "--growth", "--by", "object", "--json", server.path()],
                                                                                         check=True, capture_output=True, text=True).stdout)["rows"]] ==
          [r["samples"] for r in live["rows"]])
    with open(API, encoding="utf-8") as f:
        schema = json.load(f)["components"]["schemas"]["LiveSeries"]
    check("the description has every member", set(schema["required"]) == set(live) and set(schema["properties"]["rows"]["items"]["required"]) == set(leak))


sys.exit(1 if main() else 0)
