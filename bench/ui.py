#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ui.py - how fast `wick ui` answers, and what it takes

A recording of the demo service under load, CPU time and wall clock each millisecond, is put behind itself until it has the
size that is asked for (recordings may be put together like that): as many samples as in a long recording, of the stacks
of a short one. Then, by its HTTP interface, as a page would: the first picture, of the part that has been read by then
(a new server each time); the flame graph of all of it; the flame graph with another filter each time, which no answer
that was kept can serve; 50 clients at once that ask for tables; what is resident. Then the scripts of the pages, and in
headless Chromium the first paint of the start page and the redraw of a flame graph of a million nodes. The answers are
made in the server, so CPU time is given beside the time on the clock. Each goal is said to be met or not by the time on
the clock, which needs a machine without other work; a goal that is met on a busy one is met.

Environment: SIZE_MIB (default 1024), RECORDING (one to take instead of the demo service's), SECONDS of the recording
(default 20), CLIENTS (default 50), REDRAW=0 (without the flame graph of a million nodes, which takes minutes)
"""

import concurrent.futures
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.parse

sys.dont_write_bytecode = True
import lab
import pairs

MIX = "cpu?rounds=200=240,compress=120,lock=40,io=40,sleep=60,leak=20"


def record(folder):
    """The demo service under load, recorded."""
    command = [lab.java(), "-Xmx512m", "-jar", str(lab.JAR), "--seconds", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
        port = re.search(r"listening on 127\.0\.0\.1:(\d+)", service.stdout.readline()).group(1)
        load = subprocess.Popen([lab.java(), "-Xmx128m", "-cp", str(lab.JAR), "wick.demo.LoadGen", "--port", port, "--seconds", "600",
                                 "--rate", "80", "--mix", MIX], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            lab.run(lab.WICK, "record", "-q", "-e", "cpu,wall", "-i", "1ms", "--wall", "10ms", "-d", f"{lab.seconds(20):g}s", "-f",
                    f"{folder}/demo.jfr", service.pid)
        finally:
            load.kill()
            load.wait()
            service.kill()
    return f"{folder}/demo.jfr"


def repeat(source, path, size):
    with open(source, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        for _ in range(-(-size // len(data))):
            f.write(data)


class Server:
    def __init__(self, *words):
        self.began = time.monotonic()
        self.process = subprocess.Popen([str(lab.WICK), "ui", "--no-open", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.port, self.token = address.port, address.query.partition("=")[2]
        self.ready_s = time.monotonic() - self.began

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def client(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def ask(self, client, path, **query):
        client.request("GET", f"/api/v1/{path}?{urllib.parse.urlencode(query)}", headers={"Authorization": "Bearer " + self.token})
        answer = client.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise lab.Failed(f"{path} {query} was answered with status {answer.status}: {body[:300]!r}")
        return body

    def timed(self, client, path, **query):
        """Milliseconds on the clock, and of CPU time of the server."""
        cpu, began = lab.process_cpu_ns(self.process.pid), time.monotonic()
        body = self.ask(client, path, **query)
        return 1e3 * (time.monotonic() - began), (lab.process_cpu_ns(self.process.pid) - cpu) / 1e6, body

    def resident_mib(self):
        """All of it, and what is no file's: the recording is mapped while it is read."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as f:
            text = f.read()
        return [int(re.search(rf"^{key}:\s+(\d+)", text, re.MULTILINE).group(1)) / 1024 for key in ("VmHWM", "RssAnon")]


def row(what, values):
    clock, cpu = zip(*values)
    return [what, lab.spread(clock, "{:.0f}"), lab.spread(cpu, "{:.0f}"), str(len(values))]


def many(server, id_, clients):
    """Milliseconds of each answer to `clients` that ask ten tables each, all at once."""
    def one(number):
        client, took = server.client(), []
        for i in range(10):
            took.append(server.timed(client, f"recordings/{id_}/table", event="cpu", rows=50, exclude=f"none{number}-{i}")[0])
        client.close()
        return took

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        return [ms for took in pool.map(one, range(clients)) for ms in took]


def first_pictures(path, times=5):
    """Of servers that know nothing of the file yet: milliseconds on the clock and of CPU time, and how much had been read."""
    took, parts = [], []
    for _ in range(times):
        server = Server(path)
        try:
            client = server.client()
            id_ = json.loads(server.ask(client, "recordings"))["recordings"][0]["id"]
            took.append(server.timed(client, f"recordings/{id_}/flame", event="cpu", partial=1)[:2])
            shown = json.loads(server.ask(client, "recordings"))["recordings"][0]
            parts.append(shown["read_bytes"] / shown["size_bytes"])
        finally:
            server.stop()
    return took, statistics.median(parts)


def script_bytes(server, client):
    """All scripts that the start page leads to, those that are imported when they are needed included."""
    sizes, found = {}, ["/"]
    while found:
        path = found.pop()
        if path in sizes:
            continue
        client.request("GET", path, headers={"Authorization": "Bearer " + server.token})
        answer = client.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise lab.Failed(f"{path} was answered with status {answer.status}")
        sizes[path] = len(text.encode()) if path.endswith(".js") else 0
        names = re.findall(r"""(?:from|import|import\(|src=)\s*['"]([^'"]+\.js)['"]""", text)
        found += [urllib.parse.urljoin("/ui/ui/" if path == "/" else path, name) for name in names]
    return sum(sizes.values()), sum(path.endswith(".js") for path in sizes)


def first_paint(server):
    """Milliseconds from navigation to the first paint of the start page, median of ten visits: of the first contentful paint."""
    script = lab.ROOT / "tests" / "web" / "bench_paint.mjs"
    out = subprocess.run(["node", str(script), f"http://127.0.0.1:{server.port}/?token={server.token}"], cwd=script.parent,
                         capture_output=True, text=True, check=False)
    if out.returncode:
        raise lab.Failed(f"node {script}: {out.stderr}")
    return json.loads(out.stdout)


def redraw():
    """What tests/web/bench.mjs prints of a flame graph of a million nodes."""
    script = lab.ROOT / "tests" / "web" / "bench.mjs"
    out = subprocess.run(["node", str(script), str(lab.WICK), "1000000"], cwd=script.parent, capture_output=True, text=True, check=False)
    if out.returncode:
        raise lab.Failed(f"node {script}: {out.stderr}")
    return out.stdout.strip(), float(re.search(r", redraw (\d+) ms", out.stdout).group(1))


def goal(what, value, most, unit):
    return [what, f"{value:.0f} {unit}", f"{most:.0f} {unit}", "met" if value <= most else "not met"]


def measure_server(server, path):
    """Prints what the server does with all of the file; rows of the table of goals."""
    client = server.client()
    id_ = json.loads(server.ask(client, "recordings"))["recordings"][0]["id"]
    first = server.timed(client, f"recordings/{id_}/flame", event="cpu")
    events = json.loads(server.ask(client, f"recordings/{id_}"))["events"]
    samples, total = sum(e["samples"] for e in events), os.path.getsize(path)
    print(f"{total / 2**30:.2f} GiB, {samples / 1e6:.1f} million samples; `wick ui` prints its address after {1e3 * server.ready_s:.0f} ms.\n")
    filtered = [server.timed(client, f"recordings/{id_}/flame", event="cpu", exclude=f"none{i}")[:2] for i in range(11)]
    rows = [row("flame graph of all of the file", [first[:2]]), row("flame graph, another filter", filtered)]
    clients = int(os.environ.get("CLIENTS", "50"))
    cpu = lab.process_cpu_ns(server.process.pid)
    took = many(server, id_, clients)
    each = (lab.process_cpu_ns(server.process.pid) - cpu) / 1e6 / len(took)
    rows.append([f"table, {clients} clients at once", lab.spread(took, "{:.0f}"), f"{each:.1f} (mean)", str(len(took))])
    most, anonymous = server.resident_mib()
    scripts, files = script_bytes(server, client)
    paint = first_paint(server)
    print(f"Resident at most {most:.0f} MiB, the mapped file included; {anonymous:.0f} MiB afterwards without files. {files} scripts.\n")
    return rows, [
        goal("filter change, median", statistics.median(clock for clock, _ in filtered), 300, "ms"),
        goal(f"{clients} clients at once, median", statistics.median(took), 200, "ms"),
        goal("memory, distinct stacks included", anonymous, 200, "MiB"),
        goal("first paint of the start page, median", paint["first_paint_ms"], 200, "ms"),
        goal("scripts, uncompressed", scripts / 1024, 300, "KiB"),
    ]


def measure():
    size = int(os.environ.get("SIZE_MIB", "1024")) << 20
    with lab.scratch("ui") as folder:
        path = f"{folder}/large.jfr"
        repeat(os.environ.get("RECORDING") or record(folder), path, size)
        pictures, part = first_pictures(path)
        server = Server(path)
        try:
            rows, goals = measure_server(server, path)
        finally:
            server.stop()
        rows.insert(0, row(f"first picture, of {100 * part:.1f} % of the file", pictures))
        goals.insert(0, goal("first picture, median", statistics.median(clock for clock, _ in pictures), 3000, "ms"))
        goals.insert(1, goal("the picture of all of it", float(rows[1][1].split()[0]), 3000, "ms"))
        print(pairs.table(rows, ["what", "clock, ms", "server's CPU time, ms", "times"]) + "\n")
        if os.environ.get("REDRAW") != "0":
            text, ms = redraw()
            print(text + "\n")
            goals.append(goal("redraw of 1 million nodes, median", ms, 16, "ms"))
        print(pairs.table(goals, ["what", "measured", "goal", ""]))


if __name__ == "__main__":
    lab.main(measure)
