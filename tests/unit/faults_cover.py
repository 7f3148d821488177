#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every place where libwick.so takes memory, a descriptor or a thread has failed in a test; every place where it reads or writes
was once interrupted by a signal, and once had only a piece of the bytes.

    tests/unit/faults_cover.py BUILD PROGRAM...

The places are the calls in libwick.so's object files, found by their relocations; what fcntl() and syscall() do there is read
in the source. The programs (test_faults*.c) are run; each writes down what happened to which of its calls (faults.c). What
happened to a place in no program is named, and what faults.allow excuses must be there. Prints TAP."""
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# What is said of a call of these: what must have happened to it, and of what. Those that libwick.so does not call (yet) are here
# to be noticed when it does.
TAKES = {
    "memory": {"malloc", "calloc", "realloc", "reallocarray", "strdup", "strndup", "mmap64", "mremap", "posix_memalign",
               "aligned_alloc", "getline", "getdelim", "asprintf", "vasprintf", "open_memstream", "realpath", "scandir64"},
    "descriptor": {"open64", "openat64", "memfd_create", "fopen64", "fdopen", "opendir", "fdopendir", "socket", "socketpair",
                   "accept", "accept4", "recvmsg", "dup", "fcntl", "fcntl64", "syscall", "pipe", "pipe2", "eventfd",
                   "epoll_create1", "timerfd_create", "signalfd", "inotify_init1", "dlopen", "pthread_create"},
}
MOVES = {"read", "pread64", "readv", "preadv64", "write", "pwrite64", "writev", "pwritev64", "recv", "recvfrom", "send", "sendto"}
PACKETS = {"recvmsg", "sendmsg", "accept", "accept4"}  # whole or not at all
DEMANDS = {
    "taken": set().union(*TAKES.values()),
    "interrupted": MOVES | PACKETS,
    "short": MOVES,
}
NAMES = set().union(*DEMANDS.values())
# What these do depends on what they are called with: a call that takes something matches.
BY_ARGUMENT = {
    "fcntl": re.compile(r"\bF_DUPFD"),
    "fcntl64": re.compile(r"\bF_DUPFD"),
    "syscall": re.compile(r"\bSYS_(?:perf_event_open|pidfd_open|memfd_create|openat2|timer_create|bpf|eventfd2?|epoll_create1"
                          r"|timerfd_create|userfaultfd|io_uring_setup|pidfd_getfd|accept4|pipe2|socket|dup|mmap)\b"),
}
RELOCATION = re.compile(r"^([0-9a-f]+)\s+\S+\s+R_X86_64_(?:PLT32|PC32|GOTPCREL\w*)\s+\S+\s+(\w+)(?:@\S+)? [-+]")


def lines_of(program, addresses, section=()):
    """[(path below the root, line, function)] of addresses."""
    if not addresses:
        return []
    out = subprocess.run(["addr2line", "-f", "-e", program, *section], input="\n".join(addresses), text=True, capture_output=True,
                         check=True).stdout.splitlines()
    places = []
    for function, place in zip(out[::2], out[1::2]):
        path, _, line = place.partition(" ")[0].rpartition(":")
        path = os.path.relpath(os.path.join(os.path.dirname(program), path), ROOT)
        path = path[path.find("src/"):] if "src/" in path else path[path.find("agent/"):]
        places.append((path, int(line) if line.isdigit() else 0, function))
    return places


def statement(path, line):
    """The source text of a call that begins there."""
    following = (ROOT / path).read_text(encoding="utf-8").split("\n")[line - 1 : line + 3]
    return " ".join(following).partition(";")[0]


def calls_in(library):
    """{(path, line, callee): function} of the object files in that folder."""
    calls = {}
    for obj in sorted(library.glob("*.o")):
        at = collections.defaultdict(list)
        section = ""
        for line in subprocess.run(["readelf", "-rW", obj], text=True, capture_output=True, check=True).stdout.splitlines():
            named = re.match(r"Relocation section '\.rela(\.text\S*)'", line)
            section = named[1] if named else "" if line.startswith("Relocation section") else section
            m = RELOCATION.match(line) if section else None
            if m and m[2] in NAMES:
                at[section].append((m[1], m[2]))
        for section, found in at.items():
            for (path, line, function), (_, callee) in zip(lines_of(str(obj), [a for a, _ in found], ("-j", section)), found):
                if callee not in BY_ARGUMENT or BY_ARGUMENT[callee].search(statement(path, line)):
                    calls[path, line, callee] = function
    return calls


def happened_in(program):
    """(exit status, {(path, line, what)}) of a run: what happened to which of its calls."""
    with tempfile.NamedTemporaryFile("r", prefix="wick-faults-") as f:
        done = subprocess.run([program], env={**os.environ, "WICK_FAULTS_PLACES": f.name}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        start = next(int(s.split()[1], 16) for s in subprocess.run(["readelf", "-sW", program], text=True, capture_output=True,
                                                                  check=True).stdout.splitlines() if s.endswith(" __executable_start"))
        noted = [line.split() for line in f.read().splitlines()]
        returns = [hex(int(address, 16) + start - 1) for address, _ in noted]
    return done.returncode, {(path, line, what) for (path, line, _), (_, what) in zip(lines_of(program, returns), noted)}


def allowed():
    """{(path, function, what): reason} of faults.allow."""
    out = {}
    for line in (HERE / "faults.allow").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            place, what, reason = (line.split(" ", 2) + ["", ""])[:3]
            path, _, function = place.partition(":")
            out.update({(path, function, one): reason.strip() for one in what.split("+")})
    return out


def main():
    build, programs = Path(sys.argv[1]), sys.argv[2:]
    calls, happened = calls_in(build / "libwick.so.p"), set()
    count = 0

    def check(title, good, detail=()):
        nonlocal count
        count += 1
        print(("ok" if good else "not ok") + f" {count} - {title}")
        for line in detail:
            print(f"# {line}")
        return good

    all_good = True
    for program in programs:
        status, places = happened_in(program)
        happened |= places
        all_good &= check(f"{os.path.basename(program)} makes calls fail", status == 0 and bool(places), [f"status {status}"] if status else [])
    excused = allowed()
    used = set()

    def missing(what, callees):
        """(how many places, those to which it did not happen and that are not excused)"""
        of, out = 0, []
        for (path, line, callee), function in sorted(calls.items()):
            if callee not in callees:
                continue
            of += 1
            if (path, line, what) in happened:
                continue
            if (path, function, what) in excused:
                used.add((path, function, what))
            else:
                out.append(f"{path}:{line}: {callee} in {function}()")
        return of, out

    for kind, callees in TAKES.items():
        of, places = missing("taken", callees)
        all_good &= check(f"every place in libwick.so that takes {kind} has failed ({of} places)", not places and of > 20, places)
    of, places = missing("interrupted", DEMANDS["interrupted"])
    all_good &= check(f"every place in libwick.so that reads or writes was interrupted by a signal ({of} places)",
                      not places and of > 10, places)
    of, places = missing("short", DEMANDS["short"])
    all_good &= check(f"every place in libwick.so that reads or writes has had a piece of its bytes ({of} places)",
                      not places and of > 10, places)
    unused = [":".join(one) for one in excused if one not in used]
    all_good &= check("faults.allow excuses nothing that happens, or is not there", not unused and all(excused.values()), unused)
    print(f"1..{count}")
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
