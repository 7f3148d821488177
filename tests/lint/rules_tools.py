# SPDX-License-Identifier: Apache-2.0
"""Rules that other programs know better: shellcheck for scripts, clang-format for C."""

import re
import shutil
import subprocess

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
    seen = set()
    for line in _run(tree, "clang-format", ["--dry-run", "-Werror"], tree.paths(".c", ".h")):
        match = re.match(r"(\S+?):(\d+):\d+: error:", line)
        if match and match.group(1) not in seen:
            seen.add(match.group(1))
            yield Finding(match.group(1), int(match.group(2)), "not formatted; `make fmt` does it")
