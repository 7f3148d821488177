# SPDX-License-Identifier: Apache-2.0
"""Paths of the tree that the documents name are in the tree."""

import re

from tree import Finding

DOCS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md")
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
# A name with a slash, and an extension or a slash at its end; `*` and `<name>` stand for any name.
_SEGMENT = r"(?:[\w.+*-]|<\w+>)+"
PATH = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*/(?:{_SEGMENT}\.\w+)?")
# What is made by the build, and words that stand for a name of the user's.
ELSEWHERE = re.compile(r"build(?:-\w+)?/|[A-Z]+/")
# Where a path may begin besides the root and the document's own folder: modules are named without src/, pages without web/.
ROOTS = ("", "src/", "web/")


def _names(text):
    """(path as it is written, offset) in code within the text, without blocks of code."""
    prose = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for code in CODE.finditer(prose):
        for word in re.finditer(r"\S+", code.group(1)):
            name = word.group().rstrip(",;:")
            if "/" in name and PATH.fullmatch(name):
                yield name, code.start(1) + word.start()


def _exists(root, name, doc):
    pattern = re.sub(r"<\w+>", "*", name)
    for start in (*ROOTS, doc.rpartition("/")[0] + "/"):
        found = root.glob((start + pattern).strip("/"))
        if any(p.is_dir() if name.endswith("/") else p.is_file() for p in found):
            return True
    return False


def check_doc_paths(tree):
    """every path of the tree that a document names in code exists"""
    for doc in tree.paths(".md"):
        if doc in DOCS or doc.startswith("docs/"):
            for name, offset in _names(tree.text(doc)):
                if not ELSEWHERE.match(name) and not _exists(tree.root, name, doc):
                    line = tree.text(doc).count("\n", 0, offset) + 1
                    yield Finding(doc, line, f"{name} is not in the tree")
