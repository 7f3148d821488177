# SPDX-License-Identifier: Apache-2.0
"""Reads from outside what a process and its threads publish of themselves, after OTEP 4719 and OTEP 4947 and nothing else.

The process context: a mapping found by its name in /proc/PID/maps, its header, and the message of protocol buffers that it
points to. The thread context: the symbol in a library's dynamic symbols; the relocation that asks for its TLS descriptor; in
the descriptor, filled in by the loader, the distance from the thread pointer, or the module's index in the thread's vector of
blocks; and the thread pointer, which is read from a thread stopped by ptrace. x86-64 with glibc."""
import collections
import ctypes
import os
import re
import struct

SYMBOL = b"otel_thread_ctx_v1"
MAPPING = re.compile(r"^([0-9a-f]+)-\S+ \S+ \S+ \S+ \S+\s+(/memfd:OTEL_CTX|\[anon:OTEL_CTX\]|\[anon_shmem:OTEL_CTX\])", re.M)
PT_LOAD, PT_DYNAMIC = 1, 2
DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_PLTRELSZ, DT_JMPREL = 5, 6, 7, 8, 2, 23
R_X86_64_TLSDESC = 36
PTRACE_GETREGS, PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 12, 17, 0x4206, 0x4207
FS_BASE = 21  # its place among the words of user_regs_struct
WALL = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long

Thread = collections.namedtuple("Thread", "trace span attributes")


class Memory:
    def __init__(self, pid):
        self.file = open(f"/proc/{pid}/mem", "rb", buffering=0)

    def read(self, at, n):
        return os.pread(self.file.fileno(), n, at)

    def words(self, at, n):
        return struct.unpack(f"<{n}Q", self.read(at, 8 * n))


# --- the process ---

def mappings(pid):
    """The addresses of mappings that are named as process contexts are."""
    with open(f"/proc/{pid}/maps") as f:
        return [int(m[1], 16) for m in MAPPING.finditer(f.read())]


def fields(data):
    """(number, value) of a message; values are integers or bytes."""
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    at = 0
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 2:
            n = varint()
            if at + n > len(data):
                raise ValueError("a field is cut")
            at += n
            yield tag >> 3, data[at - n:at]
        else:
            raise ValueError(f"wire type {tag & 7}")


def any_value(data):
    for number, value in fields(data):
        if number == 1:
            return value.decode()
        if number == 5:
            return [any_value(v) for n, v in fields(value) if n == 1]
    return None


def key_value(data):
    pair = dict(fields(data))
    return pair[1].decode(), any_value(pair[2])


Process = collections.namedtuple("Process", "published resource attributes")


def process_context(pid):
    """The one context of a process, None if it has none."""
    found = mappings(pid)
    if not found:
        return None
    if len(found) > 1:
        raise ValueError(f"{len(found)} process contexts")
    memory = Memory(pid)
    for _ in range(1000):
        published = memory.words(found[0] + 16, 1)[0]
        signature, version, size, _, payload = struct.unpack("<8sIIQQ", memory.read(found[0], 32))
        data = memory.read(payload, size) if published else b""
        if published and memory.words(found[0] + 16, 1)[0] == published:
            break
    else:
        raise ValueError("it never stands still")
    if signature != b"OTEL_CTX" or version != 2:
        raise ValueError((signature, version))
    parts = list(fields(data))
    resource = dict(key_value(v) for n, part in parts if n == 1 for m, v in fields(part) if m == 1)
    return Process(published, resource, dict(key_value(v) for n, v in parts if n == 2))


# --- its threads ---

class Library:
    """Where a library that is mapped keeps the pointer."""

    def __init__(self, pid, path):
        self.memory = Memory(pid)
        with open(f"/proc/{pid}/maps") as f:
            base = min(int(line.split("-")[0], 16) for line in f if line.rstrip().endswith(path))
        with open(path, "rb") as f:
            self.image = f.read()
        header = struct.unpack_from("<16sHHIQQQIHHHHHH", self.image)
        segments = [struct.unpack_from("<IIQQQQQQ", self.image, header[5] + i * header[9]) for i in range(header[10])]
        self.load = [s for s in segments if s[0] == PT_LOAD]
        dynamic = next(s for s in segments if s[0] == PT_DYNAMIC)
        self.tags = dict(struct.iter_unpack("<QQ", self.image[dynamic[2]:dynamic[2] + dynamic[5]]))
        self.bias = base - self.load[0][3]
        descriptor = self.bias + self.relocation()
        _, self.argument = self.memory.words(descriptor, 2)

    def offset(self, address):
        """Of an address, in the file."""
        s = next(s for s in self.load if s[3] <= address < s[3] + s[5])
        return address - s[3] + s[2]

    def name(self, symbol):
        at = self.offset(self.tags[DT_SYMTAB]) + 24 * symbol
        start = self.offset(self.tags[DT_STRTAB]) + struct.unpack_from("<I", self.image, at)[0]
        return self.image[start:self.image.index(b"\0", start)]

    def relocation(self):
        for table, size in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
            at = self.offset(self.tags[table]) if table in self.tags else 0
            for where, info, _ in struct.iter_unpack("<QQq", self.image[at:at + self.tags.get(size, 0)]):
                if info & 0xffffffff == R_X86_64_TLSDESC and self.name(info >> 32) == SYMBOL:
                    return where
        raise ValueError("no TLS descriptor is asked for")

    def slot(self, thread_pointer):
        """Where a thread's pointer is, 0 if it has no memory for it yet."""
        distance = ctypes.c_int64(self.argument).value
        if -(1 << 32) < distance < 0:
            return thread_pointer + distance
        module, offset = self.memory.words(self.argument, 2)
        vector = self.memory.words(thread_pointer + 8, 1)[0]
        if module > self.memory.words(vector - 16, 1)[0]:
            return 0
        block = self.memory.words(vector + 16 * module, 1)[0]
        return 0 if block == (1 << 64) - 1 else block + offset


class Stopped:
    """A thread that stands still."""

    def __init__(self, tid):
        self.tid = tid

    def ptrace(self, request, address=None, data=None):
        if libc.ptrace(request, self.tid, address, data) < 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request}")

    def __enter__(self):
        self.ptrace(PTRACE_SEIZE)
        self.ptrace(PTRACE_INTERRUPT)
        os.waitpid(self.tid, WALL)
        registers = (ctypes.c_uint64 * 32)()
        self.ptrace(PTRACE_GETREGS, None, ctypes.addressof(registers))
        self.thread_pointer = registers[FS_BASE]
        return self

    def __exit__(self, *_):
        self.ptrace(PTRACE_DETACH)


def may_stop(tid):
    """Whether this process is allowed to stop a thread."""
    try:
        with Stopped(tid):
            return True
    except PermissionError:
        return False


def decode(record, keys):
    """The context in a record, None if it is not valid."""
    trace, span, valid, _, size = struct.unpack_from("<16s8sBBH", record)
    if valid != 1:
        return None
    attributes, at = {}, 28
    while at < 28 + size:
        key, n = record[at], record[at + 1]
        attributes[keys[key]] = record[at + 2:at + 2 + n].decode()
        at += 2 + n
    if at != 28 + size:
        raise ValueError(f"attributes end at {at}, not at {28 + size}")
    return Thread(trace.hex(), span.hex(), attributes)


def thread_context(library, tid, keys):
    """What a thread publishes, None if nothing."""
    with Stopped(tid) as thread:
        slot = library.slot(thread.thread_pointer)
        record = library.memory.words(slot, 1)[0] if slot else 0
        return decode(library.memory.read(record, 640), keys) if record else None


def thread_ids(pid):
    """{name: [kernel ids]}"""
    out = collections.defaultdict(list)
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/comm") as f:
                out[f.read().strip()].append(int(tid))
        except OSError:
            pass
    return out
