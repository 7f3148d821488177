#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""`wick host --otlp`: every sample reaches the collector once, also through a collector that is away, busy, or a wick that is killed. The collector is a
server here that takes the messages apart itself."""
import collections
import gzip
import http.server
import os
import re
import signal
import socket
import subprocess
import threading
import time

import jvmtest as t

PATH = "/v1development/profiles"
INTERVAL_NS = 10_000_000


def fields(data):
    """[(number, value or bytes)] of a message."""
    out, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            out.append((tag >> 3, varint()))
        elif tag & 7 == 1:
            out.append((tag >> 3, int.from_bytes(data[at:at + 8], "little")))
            at += 8
        else:
            assert tag & 7 == 2, tag
            n = varint()
            out.append((tag >> 3, data[at:at + n]))
            at += n
    return out


def one(message, number, default=b""):
    return next((v for n, v in message if n == number), default)


def packed(data):
    return [v for _, v in fields(b"".join(b"\x08" + x for x in varints(data)))]


def varints(data):
    return re.findall(rb"[\x80-\xff]*[\x00-\x7f]", data, re.S)


class Message:
    """What an ExportProfilesServiceRequest says: .resource, and for each profile (type, unit, [(attributes, functions, value)])."""

    def __init__(self, data):
        whole = fields(data)
        tables = collections.defaultdict(list)
        for number, element in fields(one(whole, 2)):
            tables[number].append(element)
        self.strings = [s.decode() for s in tables[5]]
        functions = [self.strings[one(fields(f), 1, 0)] for f in tables[3]]
        lines = [one(fields(one(fields(x), 3)), 1, 0) for x in tables[2]]
        stacks = [[functions[lines[i]] for i in packed(one(fields(s), 1))] for s in tables[7]]
        attributes = [(self.strings[one(fields(a), 1, 0)], self.value(one(fields(a), 2))) for a in tables[6]]
        resource = fields(one(whole, 1))
        self.resource = {one(fields(a), 1).decode(): self.value(one(fields(a), 2)) for n, a in fields(one(resource, 1)) if n == 1}
        self.profiles = []
        for number, p in fields(one(resource, 2)):
            if number != 2:
                continue
            p = fields(p)
            kind = fields(one(p, 1))
            samples = [fields(s) for n, s in p if n == 2]
            self.profiles.append((self.strings[one(kind, 1, 0)], self.strings[one(kind, 2, 0)],
                                  [(dict(attributes[i] for i in packed(one(s, 2))), stacks[one(s, 1, 0)], sum(packed(one(s, 4)))) for s in samples]))

    @staticmethod
    def value(data):
        kind, value = (fields(data) or [(1, b"")])[0]
        return value.decode() if kind == 1 else value


class Collector:
    """A server that keeps what it is sent; answer(n) is what the nth request gets: (status, headers, body), None = no answer at all."""

    def __init__(self, answer=lambda n: (200, {}, b""), port=0):
        self.requests, self.bodies, self.times, self.read = [], [], [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                data = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, dict(self.headers)))
                outer.times.append(time.monotonic())
                reply = answer(len(outer.requests))
                if reply is None:
                    outer.over.wait()
                    return
                status, headers, body = reply
                if status == 200:
                    outer.bodies.append(data)
                self.send_response(status)
                for k, v in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(k, v)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        self.over = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def messages(self):
        """Taken apart here, so that the answer does not wait for it."""
        self.read += [Message(gzip.decompress(body)) for body in self.bodies[len(self.read):]]
        return self.read

    def samples(self, kind):
        """(attributes, functions, value) of all profiles of a type."""
        return [s for m in self.messages for name, _, samples in m.profiles for s in samples if name == kind]


def host(url, *options, spool, **kw):
    return subprocess.Popen([t.WICK, "host", "--otlp", url, "--spool", t.path(spool), "--period", "1", *options], stderr=subprocess.PIPE, text=True, **kw)


def end(process, by=signal.SIGINT):
    process.send_signal(by)
    said = process.communicate()[1]
    return process.returncode, said


def recorded(said):
    m = re.search(r"(?m)^(\d+) samples of \d+ processes", said)
    return int(m[1]) if m else -1


def left(spool):
    return sorted(os.listdir(t.path(spool))) if os.path.isdir(t.path(spool)) else []


def check_whole(jvm):
    """What was recorded is what the collector got, sample by sample."""
    c = Collector()
    p = host(c.url, "-e", "cpu,sched", env={**os.environ, "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20a%2Cb, x-tenant=blue"}, spool="whole")
    came = t.until(lambda: len({m.profiles[0][0] for m in c.messages}) == 2 and
                   any(a.get("process.pid") == jvm.pid and any("Busy." in f for f in stack) for a, stack, _ in c.samples("cpu")))
    status, said = end(p)
    t.check("CPU time and waits arrive while it records", came and status == 0, (status, said, c.requests[:2]))
    counts = [sum(v for m in c.messages for name, _, samples in m.profiles if m.profiles[0][0] == kind and name == "samples" for *_, v in samples)
              for kind in ("cpu", "wall")]
    waits = re.search(r"(?m)^(\d+) waits of", said)
    t.check("as many samples of CPU time as it recorded", counts[0] == recorded(said) > 0, (counts, said))
    t.check("as many samples of waits, each of which is one or more", waits and counts[1] >= int(waits[1]) > 0, (counts, said))
    cpu = c.samples("cpu")
    t.check("each weighs an interval", sum(v for *_, v in cpu) == counts[0] * INTERVAL_NS, (sum(v for *_, v in cpu), counts))
    units = {(name, unit) for m in c.messages for name, unit, _ in m.profiles}
    t.check("with their units", units == {("cpu", "nanoseconds"), ("wall", "nanoseconds"), ("samples", "count")}, units)
    mine = [(a, stack) for a, stack, _ in cpu if a.get("process.pid") == jvm.pid]
    t.check("the JVM's have its name, its threads, and Java methods", mine and all(a["process.executable.name"] == "java" for a, _ in mine) and
            any(a.get("thread.name") for a, _ in mine) and any("Busy." in f for _, stack in mine for f in stack), mine[:3])
    t.check("the resource is this machine", all(m.resource == {"service.name": "wick host", "host.name": os.uname().nodename} for m in c.messages),
            c.messages[0].resource if c.messages else "none")
    headers = [h for _, h in c.requests]
    t.check("posted as OTLP/HTTP says", {path for path, _ in c.requests} == {PATH} and
            all(h["Content-Type"] == "application/x-protobuf" and h["Content-Encoding"] == "gzip" for h in headers), headers[:1])
    t.check("with the headers of the environment", all(h.get("Authorization") == "Bearer a,b" and h.get("x-tenant") == "blue" for h in headers), headers[:1])
    sent = re.search(r"sent: (\d+) messages", said)
    t.check("it counts them, and nothing waits", sent and int(sent[1]) == len(c.messages) and not left("whole") and "wait in" not in said, (said, left("whole")))
    c.end()


def check_busy():
    """A collector that is busy at first gets everything later, after as long as it asks for."""
    c = Collector(lambda n: (503, {"Retry-After": "2"}, b"too\x1b[31m many") if n == 1 else (502, {}, b"") if n == 2 else (200, {}, b""))
    p = host(c.url, spool="busy")
    t.until(lambda: len(c.messages) >= 2)
    status, said = end(p)
    count = sum(v for *_, v in c.samples("samples"))
    t.check("busy: nothing is lost, nothing comes twice", status == 0 and count == recorded(said) > 0 and not left("busy"), (count, said, left("busy")))
    t.check("busy: it waits as long as it is asked to", len(c.times) > 2 and c.times[1] - c.times[0] >= 2, c.times[:3])
    notes = [line for line in said.splitlines() if line.startswith(c.url)]
    t.check("busy: it is said once, without control characters, and when it is over", len(notes) == 2 and "503: too [31m many" in notes[0] and "again" in notes[1],
            notes)
    c.end()


def check_away():
    """What cannot be sent waits on disk, also that of a process that is killed, and goes out with the next one."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    p = host(url, spool="away")
    t.until(lambda: len(left("away")) >= 2)
    second = host(url, "-d", "1", spool="away")
    said = second.communicate()[1]
    t.check("away: a second one is refused the same spool", second.returncode == 7 and "--spool" in said, (second.returncode, said))
    p.kill()
    p.communicate()
    killed = [x for x in left("away") if x != ".new"]  # one that was being written: it gets its name when it is whole
    t.check("away: kill -9 leaves whole messages and nothing else", len(killed) >= 2 and all(x.endswith(".otlp.gz") for x in killed), killed)
    for x in killed:
        with open(os.path.join(t.path("away"), x), "rb") as f:
            Message(gzip.decompress(f.read()))
    p = host(url, "-d", "1500ms", spool="away")
    said = p.communicate()[1]
    waiting = left("away")
    t.check("away: it fails, and says where the samples are", p.returncode == 1 and "nothing was sent" in said and t.path("away") in said and
            f"{len(waiting)} messages" in said and set(killed) < set(waiting), (p.returncode, said, waiting))
    c = Collector(port=port)
    p = host(url, "-d", "1500ms", spool="away")
    t.until(lambda: p.poll() is not None or not set(waiting) & set(left("away")))
    said = p.communicate()[1]
    t.check("away: the next one sends them all, and its own", p.returncode == 0 and not left("away") and len(c.messages) > len(waiting), (said, len(c.messages), left("away")))
    c.end()


def check_refusals():
    """What a collector never takes is not sent for ever."""
    c = Collector(lambda n: (400, {}, b"no profiles here"))
    p = host(c.url, spool="refusals")
    t.until(lambda: len(c.requests) >= 3)
    status, said = end(p)
    lost = re.search(r"lost: (\d+) messages: the collector refused them", said)
    t.check("refused: said, counted, and not kept", status == 1 and lost and int(lost[1]) == len(c.requests) >= 3 and "status 400: no profiles here" in said and not left("refusals"),
            (status, said, left("refusals")))
    c.end()
    c = Collector(lambda n: (200, {}, b"\x0a\x0e\x08\x07\x12\x0atoo\x0aold\x1b!!"))  # partial_success {7, "too\nold\x1b!!"}
    p = host(c.url, spool="refusals")
    t.until(lambda: len(c.requests) >= 1)
    status, said = end(p)
    t.check("taken in part: it is said, on one line", status == 0 and "rejected 7 profiles: too old !!" in said, said)
    c.end()


def stretches(process, directory):
    """How many stretches of data its recording, a file without a name, has."""
    for n in os.listdir(f"/proc/{process.pid}/fd"):
        at = os.readlink(f"/proc/{process.pid}/fd/{n}")
        if at.startswith(t.path(directory) + "/") and at.endswith(" (deleted)"):
            break
    else:
        return None
    fd, count, offset = os.open(f"/proc/{process.pid}/fd/{n}", os.O_RDONLY), 0, 0
    try:
        while True:
            offset = os.lseek(fd, os.lseek(fd, offset, os.SEEK_DATA), os.SEEK_HOLE)
            count += 1
    except OSError:  # no more data
        return count
    finally:
        os.close(fd)


def check_silent():
    """A collector that takes connections and never answers does not hold the end up."""
    c = Collector(lambda n: None)
    p = host(c.url, spool="silent")
    t.until(lambda: len(c.requests) >= 1 and len(left("silent")) >= 4)
    there = stretches(p, "silent")
    t.check("silent: what has become messages takes no room in the recording", there is not None and there <= 2, there)
    status, said = end(p)
    t.check("silent: it ends, and what was not taken is kept", status == 1 and "wait in" in said and left("silent"), (status, said))
    c.end()


def check_wrong():
    for url, word in (("localhost:4318", "http://localhost:4318"), ("ftp://localhost/", "no address"), ("http://", "no address"), ("http://u:secret@h/", "OTEL_EXPORTER"),
                      ("http://h/ x", "no address")):
        r = t.wick("host", "--otlp", url, "-d", "1")
        t.check(f"{url}: refused with a sentence", r.status == 2 and word in r.err and "secret" not in r.err, r)
    for options, word in ((("--period", "5"), "--otlp"), (("--otlp", "http://h", "-f", "x.jfr"), "-f"), (("--otlp", "http://h", "--period", "0"), "--period"),
                          (("--otlp", "http://h", "--spool-size", "3"), "--spool-size"), (("--spool", "x"), "--otlp")):
        r = t.wick("host", *options)
        t.check(f"{' '.join(options)}: refused", r.status == 2 and word in r.err, r)
    for headers in ("x-tenant=,Authorization=Bearer%20secret", "x tenant=a", "=secret", "secret"):
        p = host("http://127.0.0.1:1", env={**os.environ, "OTEL_EXPORTER_OTLP_HEADERS": headers}, spool="wrong")
        said = p.communicate()[1]
        t.check(f"headers {headers!r}: refused, and not printed", p.returncode == 2 and "OTEL_EXPORTER_OTLP_HEADERS" in said and "secret" not in said, said)
    os.makedirs(t.path("open"))
    os.chmod(t.path("open"), 0o777)
    r = t.wick("host", "--otlp", "http://127.0.0.1:1", "--spool", t.path("open"), "-d", "1")
    t.check("a spool to which others may write is refused", r.status == 5 and "--spool" in r.err, r)
    p = host("http://127.0.0.1:1", env={**os.environ, "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=x%0aInjected: y-secret"}, spool="wrong")
    said = p.communicate()[1]
    t.check("a line break in a header is refused, and not printed", p.returncode == 2 and "OTEL_EXPORTER_OTLP_HEADERS" in said and "secret" not in said, said)


r = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
if r.status in (5, 6):
    t.skip("wick host", r.err.strip())
    t.done()
j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", t.compile_java("Busy"), "Busy", "spin=1"], "busy")
if t.check("the JVM runs", j.wait_for("(?m)^up"), j.output()):
    check_whole(j)
    check_busy()
    check_away()
    check_refusals()
    check_silent()
check_wrong()
t.done()
