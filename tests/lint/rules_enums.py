# SPDX-License-Identifier: Apache-2.0
"""The order of an enumeration means nothing: what enumerators have in common is a column of a list or a function."""

import re

import csource
from tree import Finding

PRODUCT = ("src/", "include/", "agent/", "cli/")
ENUM = re.compile(r"\benum\b\s*\w*\s*\{([^}]*)\}")
FROM_LIST = re.compile(r"#define X\((\w+)[^)]*\)\s*(\w*)##\1")
LIST = re.compile(r'"((?:def|hotspot)/\w+\.def)"')
COMPARED = re.compile(r"(?<![-<>])[<>]=?\s*([A-Z][A-Z0-9_]+)\b|\b([A-Z][A-Z0-9_]+)\s*[<>]=?(?![<>=])")
# Not one of them, but how many there are.
NUMBER = re.compile(r"_(COUNT|MAX|MOST|LIMIT|TYPES|KINDS)$")


def _ordered(tree):
    """Enumerators whose values follow from their order."""
    names = set()
    for path in tree.paths(".c", ".h", under=PRODUCT):
        text = re.sub(r"/\*.*?\*/", " ", tree.text(path), flags=re.DOTALL)
        for body in (match.group(1) for match in ENUM.finditer(text)):
            pasted, source = FROM_LIST.search(body), LIST.search(body)
            if pasted and source and f"src/{source.group(1)}" in tree.paths():
                rows = re.findall(r"^[XC]\((\w+)", tree.text(f"src/{source.group(1)}"), re.MULTILINE)
                names.update(pasted.group(2) + row for row in rows)
            elif "#" not in body:
                items = [item.strip() for item in body.split(",") if item.strip()]
                if len(items) > 2 and not any("=" in item for item in items[1:]):
                    names.update(items[:-1])  # the last may be their number
                    names.update(items[-1:] if "," in body.rstrip()[-1:] else [])
    return {name.split("=")[0].strip() for name in names if not NUMBER.search(name)}


def check_enum_order(tree):
    """no comparison depends on the order of an enumeration"""
    ordered = _ordered(tree)
    for path in tree.paths(".c", ".h", under=PRODUCT):
        text = csource.blanked(tree.text(path))
        for match in COMPARED.finditer(text):
            name = match.group(1) or match.group(2)
            if name in ordered:
                line = text.count("\n", 0, match.start(1 if match.group(1) else 2)) + 1
                yield Finding(path, line, f"is {name} first or last of something? Say what is meant by a property")
