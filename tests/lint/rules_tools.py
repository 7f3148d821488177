# SPDX-License-Identifier: Apache-2.0
"""Rules that other programs know better: shellcheck for scripts, clang-format for C."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import Finding, Skip

# SC2001 is about taste; SC2015 and SC2016 are right for beginners; SC2317 takes trap handlers for unreachable.
SHELLCHECK = ["-x", "-P", "SCRIPTDIR", "-e", "SC2001,SC2015,SC2016,SC2317", "-f", "gcc"]
SHELL = re.compile(r"^#!.*\b(ba|da)?sh\b|^# shellcheck shell=")


def _shell_scripts(tree):
    for path in tree.paths():
        name = path.rsplit("/", 1)[-1]
        if name.endswith(".sh") or ("." not in name and SHELL.match(tree.text(path)[:200])):
            yield path


def _run(tree, tool, arguments, paths):
    if not shutil.which(tool):
        raise Skip(f"{tool} is not installed (tools/setup check)")
    if not paths:
        return []
    command = [tool, *arguments, *paths]
    done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


def check_shell(tree):
    """shell scripts pass shellcheck"""
    for line in _run(tree, "shellcheck", SHELLCHECK, list(_shell_scripts(tree))):
        path, number, _, message = line.split(":", 3)
        yield Finding(path, int(number), message.strip())


def check_format(tree):
    """C sources are formatted (`make fmt` does it)"""
    if not (tree.root / ".clang-format").exists():
        raise Skip("no .clang-format")
    version = "".join(_run(tree, "clang-format", ["--version"], ["-"]))
    marks = {p: tree.mark("format", (version, tree.text(".clang-format")), [p]) for p in tree.paths(".c", ".h")}
    paths = [p for p, mark in marks.items() if not mark or not mark.exists()]
    share = -(-len(paths) // (os.cpu_count() or 1)) or 1
    parts = [paths[i : i + share] for i in range(0, len(paths), share)]
    seen = set()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for lines in pool.map(lambda part: _run(tree, "clang-format", ["--dry-run", "-Werror"], part), parts):
            for line in lines:
                match = re.match(r"(\S+?):(\d+):\d+: error:", line)
                if match and match.group(1) not in seen:
                    seen.add(match.group(1))
                    yield Finding(match.group(1), int(match.group(2)), "not formatted; `make fmt` does it")
    for path in paths:
        if path not in seen and marks[path]:
            marks[path].touch()
