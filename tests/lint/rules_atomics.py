# SPDX-License-Identifier: Apache-2.0
"""Access to atomic objects: which order it has is written where it happens."""

import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import rules_headers
from tree import Finding, Skip

# The compiler's own warning about `=`, `++`, `+=` and plain reads of what is _Atomic, and about __sync_*(); nothing else.
WARNING = ["-fsyntax-only", "-Wno-everything", "-Watomic-implicit-seq-cst"]
BPF = ["-target", "bpf", "-mcpu=v3", "-O2", "-ffreestanding", "-idirafter", "/usr/include/x86_64-linux-gnu"]
_SAID = re.compile(r"(.+?):(\d+):\d+: (warning|error|fatal error): (.*)")


def _commands(tree):
    """{path: (folder, arguments)} of the C sources that the build compiles."""
    database = tree.build and tree.build / "compile_commands.json"
    found = {}
    for c in json.loads(database.read_text(encoding="utf-8")) if database and database.exists() else ():
        path = os.path.relpath(os.path.join(tree.build, c["directory"], c["file"]), tree.root)
        arguments = [a for a in shlex.split(c["command"]) if a.startswith(("-I", "-D", "-std", "-isystem"))]
        found.setdefault(path, (os.path.join(tree.build, c["directory"]), arguments))
    return found


def _plain(tree, path, folder, arguments):
    command = ["clang", *WARNING, *arguments, str(tree.root / path)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    for said in filter(None, map(_SAID.match, done.stderr.splitlines())):
        place = os.path.relpath(os.path.join(folder, said[1]), tree.root)
        if said[3] == "warning":
            yield Finding(place, int(said[2]), "plain access to an _Atomic object is sequentially consistent: name the order"
                          " (base/atomic.h)")
        else:
            yield Finding(place, int(said[2]), f"clang cannot compile it: {said[4]}")


def check_atomic_orders(tree):
    """no access to an _Atomic object leaves its order unsaid, as `=`, `++` and a plain read do"""
    try:
        version = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise Skip("no clang") from error
    built = _commands(tree)
    others = [*rules_headers.FLAGS[:3], *(f"-I{tree.root / folder}" for folder in ("src", "include", "")),
              *(f"-I{f}" for f in rules_headers.JNI)]

    def check(path):
        closure = sorted(tree.included(path))
        if not any("_Atomic" in tree.text(p) or "__sync_" in tree.text(p) for p in closure):
            return []
        folder, arguments = built.get(path, (str(tree.root), others))
        if path.startswith("bpf/"):
            arguments = [*BPF, f"-I{tree.root / 'src'}"]
        return tree.unless_good("atomics", (version, arguments), closure, lambda: list(_plain(tree, path, folder, arguments)))

    found = set()  # what stands in a header is found in each source that includes it
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for findings in pool.map(check, tree.paths(".c", under=("src/", "agent/", "cli/", "bpf/"))):
            found.update(findings)
    return sorted(found)
