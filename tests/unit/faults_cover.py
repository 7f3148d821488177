#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every place where libwick.so takes memory, a descriptor or a thread has failed in a test.

    tests/unit/faults_cover.py BUILD PROGRAM...

The places are the calls in libwick.so's object files, found by their relocations. The programs (test_faults*.c) are run; each
writes down which of its calls were made to fail (faults.c). What no program made fail is named, and what faults.allow excuses
must be there. Prints TAP."""
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TAKES = {
    "memory": {"malloc", "calloc", "realloc", "reallocarray", "strdup", "strndup", "mmap64", "mremap"},
    "descriptor": {"open64", "openat64", "memfd_create", "fopen64", "opendir", "fdopendir", "socket", "dup", "eventfd",
                   "pthread_create"},
}  # fcntl64 is another thing in most calls
NAMES = set().union(*TAKES.values())
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


def calls_in(library):
    """{(path, line): (function, what it calls)} of the object files in that folder."""
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
                calls[path, line] = (function, callee)
    return calls


def failed_in(program):
    """(exit status, {(path, line)}) of a run: which calls it made fail."""
    with tempfile.NamedTemporaryFile("r", prefix="wick-faults-") as f:
        done = subprocess.run([program], env={**os.environ, "WICK_FAULTS_PLACES": f.name}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        start = next(int(s.split()[1], 16) for s in subprocess.run(["readelf", "-sW", program], text=True, capture_output=True,
                                                                  check=True).stdout.splitlines() if s.endswith(" __executable_start"))
        returns = [hex(int(line.split()[0], 16) + start - 1) for line in f.read().splitlines()]
    return done.returncode, {(path, line) for path, line, _ in lines_of(program, returns)}


def allowed():
    """{(path, function): reason} of faults.allow."""
    out = {}
    for line in (HERE / "faults.allow").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            place, _, reason = line.partition(" ")
            path, _, function = place.partition(":")
            out[path, function] = reason.strip()
    return out


def main():
    build, programs = Path(sys.argv[1]), sys.argv[2:]
    calls, failed = calls_in(build / "libwick.so.p"), set()
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
        status, places = failed_in(program)
        failed |= places
        all_good &= check(f"{os.path.basename(program)} makes calls fail", status == 0 and bool(places), [f"status {status}"] if status else [])
    excused = allowed()
    used = set()
    missing = {kind: [] for kind in TAKES}
    for (path, line), (function, callee) in sorted(calls.items()):
        if (path, line) in failed:
            continue
        if (path, function) in excused:
            used.add((path, function))
            continue
        missing[next(k for k, names in TAKES.items() if callee in names)].append(f"{path}:{line}: {callee} in {function}()")
    for kind, places in missing.items():
        of = sum(callee in TAKES[kind] for _, callee in calls.values())
        all_good &= check(f"every place in libwick.so that takes {kind} has failed ({of} places)", not places and of > 20, places)
    unused = [f"{path}:{function}" for path, function in excused if (path, function) not in used]
    all_good &= check("faults.allow excuses nothing that fails, or is not there", not unused and all(excused.values()), unused)
    print(f"1..{count}")
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
