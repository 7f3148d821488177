# SPDX-License-Identifier: Apache-2.0
"""The words through which the libraries of a process call each other, and the protection of their pages, read from outside."""
import collections
import functools
import re
import subprocess

# The functions that recordings of native locks hook.
NATIVE_LOCKS = {"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
                "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"}
Mapping = collections.namedtuple("Mapping", "lo hi perms offset path")
Word = collections.namedtuple("Word", "path vaddr name value perms own")


def mappings(pid):
    out = []
    with open(f"/proc/{pid}/maps") as f:
        for line in f:
            m = re.match(r"(\w+)-(\w+) (\S+) (\w+) \S+ \d+ *(.*)", line.rstrip("\n"))
            out.append(Mapping(int(m[1], 16), int(m[2], 16), m[3], int(m[4], 16), m[5]))
    return out


@functools.lru_cache(maxsize=None)
def relocations(path):
    """[(virtual address, symbol)] of the words that hold addresses of functions and data of others."""
    r = subprocess.run(["readelf", "-rW", path], capture_output=True, text=True, errors="replace")
    out = []
    for line in r.stdout.splitlines():
        w = line.split()
        if len(w) >= 5 and w[2] in ("R_X86_64_GLOB_DAT", "R_X86_64_JUMP_SLO", "R_X86_64_JUMP_SLOT"):
            out.append((int(w[0], 16), w[4].split("@")[0]))
    return out


def words(pid):
    """{(path, base, virtual address): Word} of all libraries; a library's own range is `own`."""
    maps = mappings(pid)
    base, end = {}, {}
    for m in maps:
        if m.path.startswith("/") and m.offset == 0 and m.path not in base:
            base[m.path] = m.lo
        if m.path in base:
            end[m.path] = m.hi
    out = {}
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for path, lo in base.items():
            if not re.search(r"\.so(\.|$)|/java$", path):
                continue
            for vaddr, name in relocations(path):
                at = lo + vaddr
                perms = next((m.perms for m in maps if m.lo <= at < m.hi), None)
                if perms is None:
                    continue
                mem.seek(at)
                value = int.from_bytes(mem.read(8), "little")
                out[path, lo, vaddr] = Word(path, vaddr, name, value, perms, lo <= value < end[path])
    return out


def differences(before, after, hooked=()):
    """What of `before` is otherwise in `after`, except for words that were bound in between: those pointed into their own library.
    One of `hooked` must lead where the words of that name that were bound before do, or at least into the C library."""
    truth = {w.name: w.value for w in before.values() if not w.own}
    out = []
    for key, b in before.items():
        a = after.get(key)
        if a is None:
            continue  # unloaded
        if a.perms != b.perms:
            out.append(f"{b.path} {b.name}: protection {b.perms} -> {a.perms}")
        good = a.value == b.value or (b.own and (b.name not in hooked or a.value == truth.get(b.name, a.value) and not a.own))
        if not good:
            out.append(f"{b.path} {b.name}: {b.value:#x} -> {a.value:#x}")
    return out


def into(some, pid, path):
    """Those of the words that lead into a library."""
    lo = min((m.lo for m in mappings(pid) if m.path == path), default=0)
    hi = max((m.hi for m in mappings(pid) if m.path == path), default=0)
    return [w for w in some.values() if w.path != path and lo <= w.value < hi]
