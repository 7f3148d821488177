#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""live.py - what it costs a program that a page of `wick ui` watches its recording

The program and the windows are those of overhead.py: rounds of work for each second of the program's own CPU time. One side is
`wick record -f FILE`; the other is a recording that was started by the interface of `wick ui`, with a page open: a stream of events is read,
and whenever it says that the recording has grown, each second, the flame graph and the time axis of the page CPU are asked for, as
the page does. Both record the same events. Each window is divided by those without a profiler around it, and the two sides of a turn, which
are neighbours in time, by each other.

Both write the same file by the same command, so what could differ is what the server takes from the program beside it on the
same machine: the caches, and the processor. The goal is that nothing does; what is printed is how large a difference the interval leaves room for.

Environment: PAIRS (default 7) windows of each side, SECONDS (default 3) a window.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
import lab
import overhead
import pairs
import ui

EVENTS = "cpu,wall"
INTERVALS = ("10ms", "1ms")
PATIENCE_SECONDS = 60


class File:
    """`wick record -f FILE`."""

    name = "file"

    def start(self, pid, path, event, interval):
        if os.path.exists(path):
            os.unlink(path)
        self.process = subprocess.Popen([str(lab.WICK), "record", "-q", "-e", event, "-i", interval, "-d", "1h", "-f", path, str(pid)])
        until = time.monotonic() + PATIENCE_SECONDS
        while not os.path.exists(path) or not os.path.getsize(path):
            if self.process.poll() is not None or time.monotonic() > until:
                raise lab.Failed("wick record did not begin to write")
            time.sleep(0.05)

    def stop(self, pid):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Page:
    """A recording of `wick ui`, with a page that follows it."""

    name = "page"

    def __init__(self, folder):
        self.server = ui.Server("--dir", folder)
        self.answers = 0

    def close(self):
        self.server.stop()

    def post(self, path, body):
        client = self.server.client()
        client.request("POST", f"/api/v1/{path}", json.dumps(body), {"Authorization": "Bearer " + self.server.token, "Content-Type": "application/json"})
        answer = client.getresponse()
        said = json.loads(answer.read())
        client.close()
        if answer.status not in (200, 201):
            raise lab.Failed(f"{path} was answered with status {answer.status}: {said}")
        return said

    def start(self, pid, path, event, interval):
        self.id = self.post("recordings", {"pid": pid, "events": event.split(","), "interval": interval})["id"]
        self.ends = threading.Event()
        self.page = threading.Thread(target=self.watch)
        self.page.start()

    def watch(self):
        """As main.js and the page CPU do: an answer to each question whenever the recording has grown."""
        stream, client = self.server.client(), self.server.client()
        stream.request("GET", "/api/v1/events", headers={"Authorization": "Bearer " + self.server.token})
        lines = stream.getresponse()
        while not self.ends.is_set():
            line = lines.readline().decode()
            if not line.startswith("data: ") or json.loads(line[6:]).get("id") != self.id:
                continue
            for what, query in (("flame", {}), ("series", {"bins": 240, "by": "kind", "top": 14})):
                try:
                    self.server.ask(client, f"recordings/{self.id}/{what}", event="cpu", **query)
                    self.answers += 1
                except lab.Failed:
                    pass  # it has no samples yet
        stream.close()
        client.close()

    def stop(self, pid):
        self.ends.set()
        self.post(f"recordings/{self.id}/stop", {})  # and the stream says so, which ends the thread
        self.page.join()


def row_of(label, a, b):
    return [label, *pairs.Comparison(a, b).lost(), str(len(a))]


def measure():
    count, length = int(os.environ.get("PAIRS", "7")), lab.seconds(3)
    rows = []
    with lab.scratch("live") as folder, lab.Target("wick.demo.Steady", overhead.THREADS, 50, overhead.WARM_UP_SECONDS, jvm=["-Xmx256m"]) as target:
        page = Page(folder)
        try:
            for interval in INTERVALS:
                found = overhead.alternate(target, [File(), page], interval, count, length, folder, EVENTS)
                share = {}
                for name, (off, on, _) in found.items():
                    rows.append(row_of(f"{name} against none, {interval}", off, on))
                    share[name] = [y / x for x, y in zip(off, on)]
                rows.append(row_of(f"page against file, {interval}", share["file"], share["page"]))
        finally:
            page.close()
    print(pairs.table(rows, [f"events {EVENTS}, interval", "lost", "95 % interval", "pairs"]))
    print(f"\n{page.answers} answers for the page.")


if __name__ == "__main__":
    lab.main(measure)
