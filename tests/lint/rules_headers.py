# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone, and twice in a row; its guard is named after its path."""

import glob
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import Finding

# Sources that are compiled several times against what their includer defines, and what must come before them.
TEMPLATES = "tests/lint/templates.txt"
# Where jni.h and jvmti.h are (a JDK's own folder, and below it one for the system).
JNI = sorted(glob.glob("/usr/lib/jvm/java-17-*/include") + glob.glob("/usr/lib/jvm/java-17-*/include/linux"))
FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", '-DWICK_VERSION="lint"', "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]


def templates(tree):
    """{header: what must be included before it} of those that cannot be compiled alone."""
    needed = {}
    if TEMPLATES in tree.paths():
        for line in tree.lines(TEMPLATES):
            if line.strip() and not line.startswith("#"):
                header, before = line.split()[:2]
                needed[header] = before.split(",")
    return needed


def compile_text(tree, source):
    """What the compiler says of a C unit."""
    folders = [f"-I{tree.root / folder}" for folder in ("src", "include", "")] + [f"-I{f}" for f in JNI]
    command = ["gcc", "-fsyntax-only", "-x", "c", *FLAGS, *folders, "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False)


def _compile(tree, path, before):
    include = path.split("/", 1)[1] if path.startswith(("src/", "include/")) else path
    done = compile_text(tree, "".join(f'#include "{header}"\n' for header in [*before, include, include]))
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return Finding(path, 1, "does not compile alone: " + (errors or ["?"])[0].split("error:")[-1].strip())


_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_GUARD = re.compile(r"\s*#ifndef (\w+)\s+#define \1\s[^\0]*#endif\s*")
_GUARD_NAME = re.compile(r"^#ifndef (\w+)\n#define \1$", re.MULTILINE)
_FIRST = re.compile(r'\s*#include "([^"]+)"')


def proven(tree):
    """Headers that the build has compiled alone: a unit of it includes them before anything else. Twice in a row they make
    nothing more, where one guard is around all of it."""
    commands = tree.build and tree.build / "compile_commands.json"
    if not commands or not commands.exists():
        return set()
    units = {(tree.build / c["directory"] / c["file"]).resolve() for c in json.loads(commands.read_text(encoding="utf-8"))}
    found = set()
    for path in tree.paths(".c", under=("src/", "agent/", "cli/")):
        first = _FIRST.match(_COMMENT.sub(" ", tree.text(path)))
        if first and tree.root / path in units:
            found.update(p for p in (f"src/{first[1]}", f"include/{first[1]}", first[1]) if p in tree.paths())
    return {p for p in found if _GUARD.fullmatch(_COMMENT.sub(" ", tree.text(p)))}


def check_headers_compile(tree):
    """each header compiles alone"""
    needed = templates(tree)
    built = proven(tree)
    headers = [p for p in tree.paths(".h", under=("src/", "include/", "agent/", "cli/")) if p in needed or p not in built]
    version = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=False).stdout

    def check(path):
        before = needed.get(path, [])
        read = [path, *(p for name in before for p in (f"src/{name}", name) if p in tree.paths())]
        closure = sorted({p for r in read for p in tree.included(r)})
        return tree.unless_good("headers", (version, FLAGS, JNI, before), closure, lambda: [_compile(tree, path, before)])

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for findings in pool.map(check, headers):
            yield from findings


def check_guards(tree):
    """the guard of each header is its path from src/ or the root on, so that no two are the same and a moved one shows"""
    for path in tree.paths(".h"):
        wanted = "WICK_" + re.sub(r"[^A-Za-z0-9]", "_", path.removeprefix("src/")).upper()
        guard = _GUARD_NAME.search(tree.text(path))
        if not guard:
            yield Finding(path, 1, f"has no guard: #ifndef {wanted}, #define {wanted}")
        elif guard[1] != wanted:
            yield Finding(path, tree.text(path).count("\n", 0, guard.start()) + 1, f"{guard[1]} should be {wanted}, after its path")
