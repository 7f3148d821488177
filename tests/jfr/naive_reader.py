#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reader of JFR of the kind that knows async-profiler's events by their fields, in their order, and trusts nothing else.

It goes on with the next event behind the last field that it knows, not at the event's end; it has names for the frame types
0 to 6 only; a tick is a nanosecond. Events of types that it does not know it skips by their size. Of the metadata it reads
the names and the ids of types. As a program it prints the sums of a recording.

Grafana's reader goes by the metadata instead, but takes no string of the string pool: neither in a constant nor in an event that
it knows. So each of these events is also read this way.
"""
import collections
import struct
import sys

# Integers of each event that is known; the first is the start.
LAYOUTS = {
    "jdk.ExecutionSample": ("time", "thread", "stack", "state"),
    "profiler.WallClockSample": ("time", "thread", "stack", "state", "samples", "span"),
    "jdk.JavaMonitorEnter": ("time", "duration", "thread", "stack", "class", "owner", "address"),
    "jdk.ThreadPark": ("time", "duration", "thread", "stack", "class", "timeout", "until", "address"),
    "profiler.NativeLock": ("time", "duration", "thread", "stack", "address"),
    "jdk.ObjectAllocationSample": ("time", "thread", "stack", "class", "size"),
    "profiler.LiveObject": ("time", "thread", "stack", "class", "size", "born"),
    "profiler.Malloc": ("time", "thread", "stack", "address", "size"),
    "profiler.Free": ("time", "thread", "stack", "address"),
}
NOT_GRAFANAS = {"profiler.NativeLock"}  # which it skips by their size
FRAME_TYPES = ("Interpreted", "JIT compiled", "Inlined", "Native", "C++", "Kernel", "C1 compiled")
WIDTHS = {"boolean": 1, "byte": 1, "float": 4, "double": 8}  # of what is not a number of variable length
PRIMITIVES = ("boolean", "byte", "char", "short", "int", "long", "float", "double", "java.lang.String")


class Bytes:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def int(self):
        value = 0
        for shift in range(0, 63, 7):
            b = self.byte()
            if shift == 56:
                return value | b << 56
            value |= (b & 0x7f) << shift
            if b < 0x80:
                return value

    def ints(self, n):
        return [self.int() for _ in range(n)]

    def text(self):
        form = self.byte()
        if form in (0, 1):
            return None if form == 0 else ""
        assert form == 3, f"string of form {form} at {self.at}"
        n = self.int()
        self.at += n
        return self.data[self.at - n:self.at].decode()


class Chunk:
    def __init__(self, data, base):
        size, pools, meta, _, self.length, self.start, self.hz = struct.unpack(">7q", data[base + 8:base + 64])
        assert data[base:base + 4] == b"FLR\0" and size > 68, base
        self.data, self.base, self.end = data, base, base + size
        self.skipped = collections.Counter()  # events of types that are not known
        self.types, self.fields, self.stacks, self.methods, self.threads, self.symbols, self.enums = ({} for _ in range(7))
        self.read_metadata(base + meta)
        at = base + pools
        while True:
            delta = self.read_pools(Bytes(data, at))
            if not delta:
                break
            at += delta

    def read_metadata(self, at):
        b = Bytes(self.data, at)
        b.ints(5)
        texts = [b.text() for _ in range(b.int())]
        self.element(b, texts, None)

    def element(self, b, texts, parent):
        name = texts[b.int()]
        attributes = {texts[b.int()]: texts[b.int()] for _ in range(b.int())}
        if name == "class":
            parent = int(attributes["id"])
            self.types[parent], self.fields[parent] = attributes["name"], []
        elif name == "field":
            self.fields[parent].append((int(attributes["class"]), "constantPool" in attributes))
        for _ in range(b.int()):
            self.element(b, texts, parent)

    def read_pools(self, b):
        b.ints(4)  # size, type, start, duration
        delta, _ = b.int(), b.int()
        for _ in range(b.int()):
            name_of = self.types[kind := b.int()]
            for _ in range(b.int()):
                self.constant(b, b.int(), kind, name_of)
        return delta - (1 << 64) if delta >> 63 else delta

    def constant(self, b, key, kind, name):
        if name == "jdk.types.StackTrace":
            b.int()
            self.stacks[key] = [(b.int(), b.int(), b.int(), FRAME_TYPES[b.byte()]) for _ in range(b.int())]
        elif name == "jdk.types.Method":
            self.methods[key] = b.ints(4)
            b.int()  # hidden
        elif name == "java.lang.Thread":
            self.threads[key] = (b.text(), b.int(), b.text(), b.int())
            b.ints(len(self.fields[kind]) - 4)
        elif name == "java.lang.Class":
            b.ints(len(self.fields[kind]))
        elif name in ("jdk.types.Symbol", "java.lang.String"):
            self.symbols[name, key] = b.text()
        elif len(self.fields[kind]) == 1:
            self.enums[name, key] = b.text()
        else:
            for field, pooled in self.fields[kind]:
                b.int() if pooled or self.types[field] != "java.lang.String" else b.text()

    def by_schema(self, b, kind):
        """Reads one value by the metadata."""
        name = self.types[kind]
        if name == "java.lang.String":
            b.text()
        elif name in WIDTHS:
            b.at += WIDTHS[name]
        elif name in PRIMITIVES:
            b.int()
        else:
            for field, pooled in self.fields[kind]:
                b.int() if pooled else self.by_schema(b, field)

    def events(self):
        """(type, fields) of the events that are known, as such a reader finds them."""
        b = Bytes(self.data, self.base + 68)
        while b.at < self.end:
            at, size, kind = b.at, b.int(), b.int()
            assert size > 0, f"event of no size at {at}"
            name = self.types.get(kind)
            if name in LAYOUTS:
                if name not in NOT_GRAFANAS:
                    by_schema = Bytes(self.data, b.at)
                    self.by_schema(by_schema, kind)
                    assert by_schema.at == at + size, f"{name} at {at} ends elsewhere by its metadata"
                event = dict(zip(LAYOUTS[name], b.ints(len(LAYOUTS[name]))))
                yield name, event
            else:
                self.skipped[name] += 1
                b.at = at + size
        assert b.at == self.end, "the last event reaches beyond the chunk"


def chunks(path):
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        chunk = Chunk(data, at)
        at = chunk.end
        yield chunk


def sums(path):
    """Per event type: how many, and the sums of samples, durations and sizes. Fails where the reader would stumble."""
    out = collections.defaultdict(collections.Counter)
    for chunk in chunks(path):
        assert chunk.hz == 10**9, f"{chunk.hz} ticks a second"
        missing = set(PRIMITIVES) - set(chunk.types.values())
        assert not missing, f"types not declared: {missing}"
        for name, e in chunk.events():
            assert not e["stack"] or e["stack"] in chunk.stacks, f"{name} with stack {e['stack']}"
            # nobody freed a block that is only not followed any longer
            assert e["thread"] in chunk.threads or (name, e["thread"]) == ("profiler.Free", 0), f"{name} of thread {e['thread']}"
            assert "state" not in e or ("jdk.types.ThreadState", e["state"]) in chunk.enums, e
            assert all(frame[0] in chunk.methods for frame in chunk.stacks.get(e["stack"], ())), name
            out[name]["events"] += 1
            for field in ("samples", "duration", "size"):
                out[name][field] += e.get(field, 0)
    return out


def skipped(path):
    """How many events there are of each type that is not known."""
    out = collections.Counter()
    for chunk in chunks(path):
        collections.deque(chunk.events(), 0)
        out += chunk.skipped
    return out


if __name__ == "__main__":
    for event, figures in sorted(sums(sys.argv[1]).items()):
        print(event, *(f"{key} {value}" for key, value in figures.items()))
