# SPDX-License-Identifier: Apache-2.0
"""Which part of wick may include which. The map itself is in ARCHITECTURE.md; this is the table that enforces it."""

import re

from tree import Finding

# Bottom first. A module may include headers of the layers below it, its own, and the public ones of its own layer.
LAYERS = [
    ["def", "base"],
    ["mem", "sys", "elf", "opt", "codec"],
    ["hotspot", "model", "symbolize"],
    ["footprint", "unwind", "labels", "jfr", "flame", "snapshot"],
    ["record", "analysis", "export", "import", "heap", "client", "doctor"],
    ["engine", "ebpf", "push"],
    ["serve"],
    ["agent", "cli", "bpf"],
]
RANK = {module: rank for rank, modules in enumerate(LAYERS) for module in modules}
FRONT_ENDS = set(LAYERS[-1])
INTERNAL = re.compile(r"_int(ernal)?\.h$")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<(wick/[^>]+)>)', re.MULTILINE)


def _module_of(path):
    parts = path.split("/")
    if parts[0] == "src":
        return parts[1]
    return parts[0] if parts[0] in FRONT_ENDS else None


def included(tree):
    """Yields (path, line, module of the file, module of the header, header)."""
    for path in tree.paths(".c", ".h", ".def", under=("src/", "agent/", "cli/", "bpf/")):
        module = _module_of(path)
        for match in _INCLUDE.finditer(tree.text(path)):
            header = match.group(1) or match.group(2)
            line = tree.text(path).count("\n", 0, match.start()) + 1
            yield path, line, module, (header.split("/")[0] if "/" in header else module), header


def check_layers(tree):
    """includes go downward only, and front ends never include each other"""
    for path in tree.paths(".c", ".h", under=("src/",)):
        if _module_of(path) not in RANK or path.count("/") < 2:
            yield Finding(path, 1, "in no module of a known layer: see LAYERS in tests/lint/rules_layers.py")
    edges = {}
    for path, line, module, target, header in included(tree):
        if ".." in header.split("/"):
            yield Finding(path, line, f'"{header}" climbs; name it from src/ on')
        elif target == "wick":
            continue  # the public interface is for all layers
        elif target not in RANK:
            yield Finding(path, line, f'"{header}" is in no module that is known')
        elif module not in RANK or module == target:
            continue
        elif target in FRONT_ENDS:
            yield Finding(path, line, f'"{header}" belongs to a front end; no other layer includes it')
        elif RANK[target] > RANK[module]:
            yield Finding(path, line, f'"{header}" is above {module}: includes go downward only')
        elif INTERNAL.search(header):
            yield Finding(path, line, f'"{header}" is internal to {target}')
        elif RANK[target] == RANK[module]:
            edges.setdefault(module, {}).setdefault(target, (path, line))
    yield from _cycles(edges)


def _cycles(edges):
    """Modules of one layer may use each other, but not in a circle."""
    for module, targets in sorted(edges.items()):
        for target, (path, line) in sorted(targets.items()):
            if module in _reachable(edges, target):
                yield Finding(path, line, f"{module} and {target} include each other")


def _reachable(edges, start):
    seen, todo = set(), [start]
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo.extend(edges.get(module, {}))
    return seen
