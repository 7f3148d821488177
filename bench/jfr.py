#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jfr.py - reads flight recordings for benchmarks

    bench/jfr.py FILE...        sizes: bytes by event type and by constant pool

A reader of its own, from the format and nothing else: a benchmark that judged wick by wick's reader would not notice what
writer and reader get wrong in the same way, and it also has to read other profilers' recordings. It follows the metadata
of each chunk and knows no event by heart.

    size u32be-less header: "FLR\\0", u16 major, minor; u64 chunk size, checkpoint, metadata, start, duration, start ticks,
                            ticks a second; u32 flags (1: integers are LEB128)
    event                   size, type, fields in the order of the type's metadata
    event of type 1         checkpoint: constant pools; constants refer to each other by (type, key)

Used as a module: Recording(path) has .events (list of (type name, fields, bytes)), .sizes, .pool_bytes, .pool_counts and
.samples(). A field that is a constant comes as Ref, resolved by Recording.get().
"""

import collections
import struct
import sys

CHUNK_HEADER = struct.Struct(">4sHHQQQQQQQI")
TYPE_METADATA, TYPE_CHECKPOINT = 0, 1


class Ref(tuple):
    """(pools of the chunk, type id, key): a constant that has not been resolved yet."""

    __slots__ = ()


class Cursor:
    """Reads values at a place in a buffer; the place moves on."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def varint(self):
        data, at, value, shift = self.data, self.at, 0, 0
        while shift < 56:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.at = at
                return value
            shift += 7
        self.at = at + 1
        return value | data[at] << 56

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def signed(self):
        value = self.varint()
        return value - (1 << 64) if value >> 63 else value

    def text(self):
        """Returns a string, or the key of a string constant (an int), or None."""
        encoding = self.byte()
        if encoding in (0, 1):
            return "" if encoding else None
        if encoding == 2:
            return self.varint()
        count = self.varint()
        if encoding == 3:
            return self.take(count).decode("utf-8", "replace")
        if encoding == 4:
            return "".join(chr(self.varint()) for _ in range(count))
        if encoding == 5:
            return self.take(count).decode("latin-1")
        raise ValueError(f"string encoding {encoding}")


class Type:
    """One class of the metadata; .fields holds (name, type, is constant, is array)."""

    def __init__(self, attributes):
        self.name, self.id = attributes["name"], int(attributes["id"])
        self.fields = []


class Chunk:
    """One chunk: .types by id, .pools by type id; ticks are .start_ticks at .start_ns since 1970."""

    def __init__(self, data, at):
        magic, major, _, size, self.checkpoint, self.metadata, self.start_ns, _, self.start_ticks, self.ticks_per_second, _ = CHUNK_HEADER.unpack_from(data, at)
        if magic != b"FLR\0" or major != 2:
            raise ValueError("not a flight recording of version 2")
        self.data, self.begin, self.end = data, at, at + size
        self.types, self.pools = {}, collections.defaultdict(dict)
        self.pool_bytes, self.pool_counts = collections.Counter(), collections.Counter()
        self._read_metadata()
        self.string_type = next((t.id for t in self.types.values() if t.name == "java.lang.String"), None)

    def _read_metadata(self):
        cursor = Cursor(self.data, self.begin + self.metadata)
        for _ in range(5):
            cursor.varint()
        strings = [cursor.text() for _ in range(cursor.varint())]
        self._element(cursor, strings, None)

    def _element(self, cursor, strings, owner):
        name = strings[cursor.varint()]
        attributes = {strings[cursor.varint()]: strings[cursor.varint()] for _ in range(cursor.varint())}
        if name == "class":
            owner = Type(attributes)
            self.types[owner.id] = owner
        elif name == "field" and owner is not None:
            owner.fields.append((attributes["name"], int(attributes["class"]), attributes.get("constantPool") == "true", "dimension" in attributes))
        for _ in range(cursor.varint()):
            self._element(cursor, strings, owner)

    def value(self, cursor, type_id, constant, array):
        if array:
            return [self.value(cursor, type_id, constant, False) for _ in range(cursor.varint())]
        if constant:
            return Ref((self, type_id, cursor.varint()))
        kind = self.types[type_id]
        name = kind.name
        if name in ("long", "int", "short", "char"):
            return cursor.signed()
        if name == "java.lang.String":
            text = cursor.text()
            return Ref((self, type_id, text)) if isinstance(text, int) else text
        if name in ("boolean", "byte"):
            return cursor.byte()
        if name == "float":
            return struct.unpack(">f", cursor.take(4))[0]
        if name == "double":
            return struct.unpack(">d", cursor.take(8))[0]
        return self.fields(cursor, kind)

    def fields(self, cursor, kind):
        return {name: self.value(cursor, *rest) for name, *rest in kind.fields}

    def read_checkpoint(self, cursor):
        for _ in range(3):
            cursor.varint()
        cursor.byte()
        for _ in range(cursor.varint()):
            start = cursor.at
            type_id = cursor.varint()
            kind, pool = self.types[type_id], self.pools[type_id]
            count = cursor.varint()
            for _ in range(count):
                key = cursor.varint()
                pool[key] = self.value(cursor, type_id, False, False) if kind.name == "java.lang.String" else self.fields(cursor, kind)
            self.pool_bytes[kind.name] += cursor.at - start
            self.pool_counts[kind.name] += count

    def since_1970_ns(self, ticks):
        return self.start_ns + (ticks - self.start_ticks) * 1_000_000_000 // self.ticks_per_second

    def __iter__(self):
        at = self.begin + CHUNK_HEADER.size
        while at < self.end:
            cursor = Cursor(self.data, at)
            size = cursor.varint()
            yield cursor.varint(), size, cursor
            at += size


class Recording:
    """All chunks of a file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.bytes = len(data)
        self.events, self.sizes = [], collections.defaultdict(list)
        self.pool_bytes, self.pool_counts = collections.Counter(), collections.Counter()
        self._stacks = {}
        at = 0
        while at < len(data):
            chunk = Chunk(data, at)
            self._read(chunk)
            at = chunk.end

    def _read(self, chunk):
        for type_id, size, cursor in chunk:
            if type_id == TYPE_METADATA:
                self.sizes["metadata"].append(size)
            elif type_id == TYPE_CHECKPOINT:
                self.sizes["checkpoint"].append(size)
                chunk.read_checkpoint(cursor)
            else:
                kind = chunk.types[type_id]
                self.sizes[kind.name].append(size)
                self.events.append((kind.name, chunk.fields(cursor, kind), chunk))
        self.pool_bytes += chunk.pool_bytes
        self.pool_counts += chunk.pool_counts

    def get(self, value):
        """The value of a constant, or the value itself."""
        while isinstance(value, Ref):
            chunk, type_id, key = value
            value = chunk.pools[type_id].get(key)
        return value

    def text(self, value):
        """A symbol or string constant as text."""
        value = self.get(value)
        while isinstance(value, dict):
            value = self.get(next(iter(value.values()), None))
        return "" if value is None else value

    def stack(self, ref):
        """A stack trace as a tuple of (class, method, kind), leaf first."""
        chunk, _, key = ref
        known = self._stacks.setdefault(id(chunk), {})
        if key not in known:
            trace = self.get(ref)
            known[key] = tuple(map(self._frame, trace["frames"])) if trace else ()
        return known[key]

    def _frame(self, frame):
        method = self.get(frame["method"])
        if method is None:
            return "", "", ""
        owner = self.get(method["type"])
        return self.text(owner["name"]) if owner else "", self.text(method["name"]), self.text(frame["type"])

    def named(self, name):
        """Fields of all events of a type, in the order of the file."""
        return [fields for kind, fields, _ in self.events if kind == name]

    def samples(self, name="jdk.ExecutionSample"):
        """(stack, weight in ns, fields) of each sample; without a weight, 1 for each. Times are in ns since 1970."""
        for kind, fields, chunk in self.events:
            if kind == name:
                weight = fields.get("weight")
                fields = {**fields, "startTime": chunk.since_1970_ns(fields["startTime"])}
                yield self.stack(fields["stackTrace"]), 1 if weight is None else weight * 1_000_000_000 // chunk.ticks_per_second, fields


def main():
    for path in sys.argv[1:]:
        recording = Recording(path)
        print(f"{path}: {recording.bytes} bytes")
        for name, sizes in sorted(recording.sizes.items(), key=lambda item: -sum(item[1])):
            print(f"  {name:<30} {len(sizes):>8} {sum(sizes):>10} bytes, {sum(sizes) / len(sizes):.1f} each")
        for name, size in recording.pool_bytes.most_common():
            print(f"    {name:<28} {recording.pool_counts[name]:>8} {size:>10} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
