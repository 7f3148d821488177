#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ui.py - how fast `wick ui` answers, and what it takes

A recording of the demo service under load, CPU time and wall clock each millisecond, is put behind itself until it has the
size that is asked for (recordings may be put together like that): as many samples as in a long recording, of the stacks
of a short one. Then, by its HTTP interface, as a page would: the first answer, which reads the file; the flame graph
with another filter each time, which no answer that was kept can serve; 50 clients at once that ask for tables; what is
resident. The answers are made in the server, so CPU time is given beside the time on the clock.

Environment: SIZE_MIB (default 1024), RECORDING (one to take instead of the demo service's), SECONDS of the recording
(default 20), CLIENTS (default 50)
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
    def __init__(self, path):
        self.began = time.monotonic()
        self.process = subprocess.Popen([str(lab.WICK), "ui", "--no-open", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.port, self.token = address.port, address.query.partition("=")[2]
        self.ready_s = time.monotonic() - self.began

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


def measure():
    size = int(os.environ.get("SIZE_MIB", "1024")) << 20
    with lab.scratch("ui") as folder:
        path = f"{folder}/large.jfr"
        repeat(os.environ.get("RECORDING") or record(folder), path, size)
        server = Server(path)
        try:
            client = server.client()
            id_ = json.loads(server.ask(client, "recordings"))["recordings"][0]["id"]
            first = server.timed(client, f"recordings/{id_}/flame", event="cpu")
            events = json.loads(server.ask(client, f"recordings/{id_}"))["events"]
            samples, total = sum(e["samples"] for e in events), os.path.getsize(path)
            print(f"{total / 2**30:.2f} GiB, {samples / 1e6:.1f} million samples; `wick ui` prints its address after {1e3 * server.ready_s:.0f} ms.\n")
            rows = [row("first flame graph, the file is read", [first[:2]])]
            filtered = [server.timed(client, f"recordings/{id_}/flame", event="cpu", exclude=f"none{i}")[:2] for i in range(11)]
            rows.append(row("flame graph, another filter", filtered))
            print(pairs.table(rows, ["what", "clock, ms", "server's CPU time, ms", "times"]))
            clients = int(os.environ.get("CLIENTS", "50"))
            took = many(server, id_, clients)
            print(f"\n{clients} clients at once, ten tables each: median {statistics.median(took):.0f} ms, 95 % {sorted(took)[len(took) * 95 // 100]:.0f} ms.")
            most, anonymous = server.resident_mib()
            print(f"\nResident at most {most:.0f} MiB, the mapped file included; {anonymous:.0f} MiB afterwards without files.")
        finally:
            server.process.terminate()
            server.process.wait()


if __name__ == "__main__":
    lab.main(measure)
