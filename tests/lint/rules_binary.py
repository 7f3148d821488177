# SPDX-License-Identifier: Apache-2.0
"""What only the compiled program shows: what signal handlers reach, and what the agent needs and offers."""

import re
import subprocess

import objects
from tree import Finding, Skip

ALLOWED = "tests/lint/signal.allow"
POINTERS = "tests/lint/signal.pointers"
NEEDED = {"libc.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
OLDEST_GLIBC = (2, 17)
# References that every linker makes and that may stay empty.
WEAK = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__"}
MUSL = "tests/lint/musl.symbols"
EXPORTED = re.compile(r"^(Agent_On(Load|Attach|Unload)|wick_\w+|Java_wick_Native_\w+|otel_thread_ctx_v1)$")
SANITIZER = ("__asan_", "__ubsan_", "__sanitizer_")


def _allow_list(tree):
    """{name: reason}; a name may end with * ."""
    allowed = {}
    for number, line in enumerate(tree.lines(ALLOWED), 1):
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            if not reason.strip():
                raise ValueError(f"{ALLOWED}:{number}: {name} has no reason")
            allowed[name] = reason.strip()
    return allowed


def _is_allowed(name, allowed):
    return name in allowed or any(a.endswith("*") and name.startswith(a[:-1]) for a in allowed)


class _Program:
    """The objects of the agent, as one call graph."""

    def __init__(self, paths):
        self.objects = objects.read(paths)
        self.sanitized = any(o.sanitized for o in self.objects.values())
        self.globals = {}
        for path, obj in self.objects.items():
            for name in obj.symbols:
                self.globals.setdefault(name, path)

    def home(self, path, name):
        """The object that defines `name` as `path` sees it, or None if it comes from outside."""
        return path if name in self.objects[path].symbols else self.globals.get(name)


def _object_of(source):
    """How the build names the object of a source."""
    return source.replace("/", "_") + ".o"


def _pointers(tree, program):
    """Yields (object, name) for the functions that handlers call through a pointer set elsewhere; a finding if gone."""
    for number, line in enumerate(tree.lines(POINTERS) if POINTERS in tree.paths() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        source, name = line.split()[:2]
        path = next((p for p in program.objects if p.name == _object_of(source)), None)
        if path is None or name not in program.objects[path].symbols:
            yield Finding(POINTERS, number, f"{source} has no function {name} any more")
        else:
            yield path, name


def _walk(program, starts, allowed):
    """Everything reached from the starts. Yields (chain of names) for each name that nobody defines or allows."""
    todo = [(path, name, (name,)) for path, name in starts]
    seen = {(path, name) for path, name, _ in todo}
    reported = set()
    while todo:
        path, name, chain = todo.pop(0)
        for target in sorted(program.objects[path].refs.get(name, ())):
            if _is_allowed(target, allowed) or (program.sanitized and target.startswith(SANITIZER)):
                continue
            home = program.home(path, target)
            if home is None:
                if not target.startswith(".") and target not in reported:
                    reported.add(target)
                    yield path, chain + (target,)
            elif (home, target) not in seen:
                seen.add((home, target))
                todo.append((home, target, chain + (target,)))


def check_signal_safety(tree):
    """signal handlers (*_sig.c) reach only functions that are allowed there"""
    if not tree.build:
        raise Skip("no build folder")
    roots = objects.find(tree.build, r"_sig$")
    if not roots:
        if not tree.paths("_sig.c", under=("src/", "agent/")):
            raise Skip("no *_sig.c in the tree")
        yield Finding("build", 0, "no object of a *_sig.c in the build folder")
        return
    allowed = _allow_list(tree)
    # The same source may be compiled for the agent, the command and tests: what counts is libwick.so.
    folder = next((r.parent for r in roots if r.parent.name == "libwick.so.p"), roots[0].parent)
    roots = [r for r in roots if r.parent == folder]
    for source in tree.paths("_sig.c", under=("src/", "agent/")):
        if _object_of(source) not in {r.name for r in roots}:
            yield Finding(source, 1, "runs in signal handlers but is not compiled into libwick.so, so nothing checks it")
    program = _Program(sorted(folder.glob("*.c.o")))
    starts = [(path, name) for path in roots for name in program.objects[path].refs]
    for found in _pointers(tree, program):
        if isinstance(found, Finding):
            yield found
        else:
            starts.append(found)
    for path, chain in _walk(program, starts, allowed):
        yield Finding(path.name, 0, f"{chain[-1]} is not in {ALLOWED}; reached by {' -> '.join(chain)}")


def _lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def _libc_findings(tree, name, path):
    """What a C library must have for libwick.so to be loaded: agent/libc_pin.h."""
    musl = {line for line in tree.lines(MUSL) if not line.startswith("#")} if MUSL in tree.paths() else None
    for line in _lines("nm", "-D", "--undefined-only", str(path)):
        symbol, _, version = line.split()[-1].partition("@")
        number = re.match(r"GLIBC_(\d+)\.(\d+)", version.lstrip("@"))
        if number and tuple(map(int, number.groups())) > OLDEST_GLIBC:
            yield Finding(name, 0, f"needs {symbol} of {version}; the agent must load with glibc 2.17 (agent/libc_pin.h)")
        if musl is not None and symbol not in musl and symbol not in WEAK:
            yield Finding(name, 0, f"needs {symbol}, which musl does not have (agent/libc_pin.h)")


def check_agent_library(tree):
    """libwick.so needs libc only and exports only its interface"""
    if not tree.build:
        raise Skip("no build folder")
    found = sorted(tree.build.rglob("libwick.so"))
    if not found:
        if not tree.paths(".c", under=("agent/",)):
            raise Skip("no agent in the tree")
        yield Finding("build", 0, "libwick.so is not in the build folder")
        return
    path = found[0]
    name = str(path.relative_to(tree.build))
    dynamic = _lines("readelf", "-dW", str(path))
    needed = {re.search(r"\[(.*)\]", line).group(1) for line in dynamic if "(NEEDED)" in line}
    if any("asan" in n or "ubsan" in n for n in needed):
        raise Skip("a build with sanitizers needs their libraries; the release build is checked")
    for library in sorted(needed - NEEDED):
        yield Finding(name, 0, f"needs {library}; the agent may need libc only")
    yield from _libc_findings(tree, name, path)
    if any("TEXTREL" in line for line in dynamic):
        yield Finding(name, 0, "has text relocations")
    if any("GNU_STACK" in line and "RWE" in line for line in _lines("readelf", "-lW", str(path))):
        yield Finding(name, 0, "asks for an executable stack")
    for line in _lines("nm", "-D", "--defined-only", str(path)):
        symbol = line.split()[-1].split("@")[0]
        if not EXPORTED.match(symbol) and line.split()[-2] != "A":
            yield Finding(name, 0, f"exports {symbol}; only Agent_On*, wick_*, the native methods of wick.jar and OpenTelemetry's otel_thread_ctx_v1 belong to its interface")
