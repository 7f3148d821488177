# SPDX-License-Identifier: Apache-2.0
"""What the product defines and does not use, or not in more than one file."""

import re

import csource
from tree import Finding

PRODUCT = ("src/", "include/", "agent/", "cli/", "bpf/")
# Functions that nobody calls yet or by name, a line each: name, then why.
ALLOWED = "tests/lint/uncalled.allow"
WORD = re.compile(r"\bwick_\w+")
# A macro that calls or defines wick_x_##name(): tags, types and constants that are pasted say nothing of functions.
PASTED = re.compile(r"\b(wick_\w+)\s*##\s*\w+\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def _newlines(match):
    return "\n" * match.group().count("\n")


def _allowed(tree):
    if ALLOWED not in tree.paths():
        return {}
    lines = enumerate(tree.lines(ALLOWED), 1)
    return {line.split()[0]: number for number, line in lines if line.strip() and not line.startswith("#")}


def _definitions(tree):
    """{name: [(path, line)]} of functions, and how often each name occurs in the product as a use."""
    places, uses, pasted = {}, {}, set()
    for path in tree.paths(".c", ".h", ".def", ".S", under=PRODUCT):
        text = _COMMENT.sub(" ", tree.text(path))
        pasted.update(PASTED.findall(text))
        for match in WORD.finditer(text):
            uses[match.group()] = uses.get(match.group(), 0) + 1
        if not path.endswith((".c", ".h")):
            continue
        lines = _COMMENT.sub(_newlines, tree.text(path)).split("\n")
        for function in csource.functions(tree.text(path)):
            if function.name.startswith("wick_"):
                places.setdefault(function.name, []).append((path, function.first_line))
                # its name, and the calls of itself
                own = "\n".join(lines[function.first_line - 1 : function.last_line])
                uses[function.name] = uses.get(function.name, 0) - len(re.findall(rf"\b{function.name}\b", own))
        for prototype in csource.prototypes(tree.text(path)):
            uses[prototype.name] = uses.get(prototype.name, 0) - 1
    return places, uses, tuple(pasted)


def check_dead_functions(tree):
    """the product uses every function that it defines: what only tests call belongs to the tests"""
    places, uses, pasted = _definitions(tree)
    allowed = _allowed(tree)
    for name, where in sorted(places.items()):
        used = uses.get(name, 0) > 0 or (pasted and name.startswith(pasted))
        if not used and name not in allowed:
            yield Finding(*where[0], f"nothing in the product uses {name}()")
        if used and name in allowed:
            yield Finding(ALLOWED, allowed[name], f"{name}() is used; take it off the list")
    for name, line in allowed.items():
        if name not in places:
            yield Finding(ALLOWED, line, f"there is no {name}()")


def check_private_functions(tree):
    """a function that no other file uses, tests among them, is static"""
    places, users, pasted = {}, {}, set()
    for path in tree.paths(".c", ".h", ".def", ".S", ".py", ".mjs"):
        text = _COMMENT.sub(" ", tree.text(path))
        pasted.update(PASTED.findall(text))
        declared = {}
        if path.endswith((".c", ".h")):
            for prototype in csource.prototypes(tree.text(path)):
                declared[prototype.name] = declared.get(prototype.name, 0) + 1
        if path.endswith(".c") and path.startswith(PRODUCT):
            for function in csource.functions(tree.text(path)):
                if function.name.startswith("wick_"):
                    places[function.name] = (path, function.first_line)
        for match in WORD.finditer(text):
            if declared.get(match.group(), 0) > 0:
                declared[match.group()] -= 1
            else:
                users.setdefault(match.group(), set()).add(path)
    for name, (path, line) in sorted(places.items()):
        if users[name] == {path} and not (pasted and name.startswith(tuple(pasted))):
            yield Finding(path, line, f"nothing else uses {name}(): make it static, without wick_")
