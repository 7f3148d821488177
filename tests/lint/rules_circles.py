# SPDX-License-Identifier: Apache-2.0
"""Who may call whom within a module: files in no circle, and the folders of a large module from top to bottom."""

import re
import subprocess
from pathlib import Path

import rules_layers
from tree import Finding, Skip

# Folders of a module, bottom first; "" has the files that lie in the module itself. A folder may include headers of those
# below it and its own. Folders of one row do not include each other.
FOLDERS = {
    "jfr": [["format"], ["reader", "writer"], ["cut"]],
    "analysis": [[""], ["compare", "memory", "span", "wait"], ["explain", "owner"]],
    "engine": [["thread"], [""], ["alloc", "cpu", "lock", "nativemem", "ttsp", "wall"], ["set"]],
    "agent": [["jvm"], ["label"], ["event"], [""]],
    "cli": [
        [""],
        ["jvm", "input"],
        ["record"],
        ["doctor", "heap", "host", "map", "memory", "profile", "request", "stack", "wait"],
        ["explain"],
        ["ui"],
    ],
}


INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def _folder(path, module):
    parts = path.removeprefix("src/").split("/")
    return parts[1] if parts[0] == module and len(parts) > 2 else ""


def check_folders(tree):
    """within a module includes go downward, from folder to folder"""
    ranks = {m: {f: rank for rank, row in enumerate(rows) for f in row} for m, rows in FOLDERS.items()}
    for path, line, module, target, header in rules_layers.included(tree):
        if module not in FOLDERS or target != module:
            continue
        rank, own, other = ranks[module], _folder(path, module), _folder(header, module)
        for folder in {own, other} - rank.keys():
            yield Finding(path, line, f"{module}/{folder} is in no row of FOLDERS in tests/lint/rules_circles.py")
        if {own, other} <= rank.keys() and own != other and rank[other] >= rank[own]:
            yield Finding(path, line, f'"{header}" is not below {module}/{own}: includes go downward only')


def _units(tree):
    """{object without its ending: unit}. One unit are a source and its part that runs in signal handlers, and the sources
    that share an internal header."""
    units = {}
    for path in tree.paths(".c", under=("src/", "agent/", "cli/")):
        stem = path.removesuffix(".c").removesuffix("_sig")
        shared = [header for header in INCLUDE.findall(tree.text(path)) if rules_layers.INTERNAL.search(header)]
        folder = stem.removeprefix("src/").rsplit("/", 1)[0]
        shared = [header for header in shared if header.rsplit("/", 1)[0] == folder]
        units[path.replace("/", "_")] = f"{shared[0]} and its sources" if shared else stem + ".c"
    return units


def _symbols(paths, units):
    """({symbol: unit that defines it}, {unit: names that it needs})"""
    home, needs = {}, {}
    command = ["nm", "--extern-only", "--print-file-name", *map(str, paths)]
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, fields = line.rpartition(".o:")
        unit = units.get(Path(path).name, Path(path).name)
        kind, name = fields.split()[-2:]
        if kind == "U":
            needs.setdefault(unit, set()).add(name.partition("@")[0])
        else:
            home.setdefault(name.partition("@")[0], unit)
    return home, needs


def _reach(edges):
    """{unit: all units that it reaches}"""
    reach = {}
    for start in edges:
        seen, ahead = set(), list(edges[start])
        while ahead:
            unit = ahead.pop()
            if unit not in seen:
                seen.add(unit)
                ahead.extend(edges.get(unit, ()))
        reach[start] = seen
    return reach


def check_file_circles(tree):
    """no two units call each other, directly or by way of others"""
    if not tree.build:
        raise Skip("no build folder")
    programs = [folder for folder in (tree.build / "libwick.so.p", tree.build / "libwicktool.a.p", tree.build / "wick.p") if folder.is_dir()]
    if not programs:
        yield Finding("build", 0, "neither the agent nor the command is in the build folder")
    units = _units(tree)
    reported = set()
    for folder in programs:
        home, needs = _symbols(sorted(folder.glob("*.c.o")), units)
        edges = {unit: {home[n] for n in names if n in home} - {unit} for unit, names in needs.items()}
        reach = _reach(edges)
        for unit in sorted(edges):
            circle = {other for other in edges[unit] if unit in reach.get(other, ())}
            for other in sorted(circle - reported):
                names = sorted(n for n in needs[unit] if home.get(n) == other)
                yield Finding(unit, 1, f"calls {', '.join(names)} in {other}, which depends on it")
            if circle:
                reported.add(unit)
