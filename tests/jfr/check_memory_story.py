#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What wick ui answers about the memory and the collections of a recording that is known to the byte (memory_story.h).

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
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "memory.jfr")
        subprocess.run([SYNTH, "memory", file], check=True)
        with subprocess.Popen([WICK, "ui", "--no-open", "--dir", folder, file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as server:
            m = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)\n", server.stdout.readline())
            try:
                check_all(Asker(int(m.group(1)), m.group(2)))
            finally:
                server.terminate()
        check("the server ends without an error", server.returncode == 0, server.returncode)
    return failures


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


sys.exit(1 if main() else 0)
