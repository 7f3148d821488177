# SPDX-License-Identifier: Apache-2.0
"""A name means one thing: in the whole tree, not only in what happens to be compiled together."""

import re
import subprocess

import csource
import rules_headers
from tree import Finding

PRODUCT = ("src/", "include/", "agent/", "cli/")
TAG = re.compile(r"\b(struct|union|enum)\s+(wick_\w+)\s*(?=\{)")


def check_one_unit(tree):
    """one C unit can include every header of the tree"""
    needed = rules_headers.templates(tree)
    headers = [p for p in tree.paths(".h", under=PRODUCT) if p not in needed]
    source = "".join(f'#include "{tree.root / p}"\n' for p in headers)
    done = rules_headers.compile_text(tree, source)
    seen = set()
    for match in re.finditer(r"^([^\s:]+):(\d+):\d+: error: (.*)$", done.stderr, re.MULTILINE):
        path = match.group(1).removeprefix(f"{tree.root}/")
        if path not in seen:  # what follows the first error in a file follows from it
            yield Finding(path, int(match.group(2)), f"together with all other headers: {match.group(3)}")
        seen.add(path)


def _provided(tree, templates):
    """Tags that each includer of a template defines for itself; what stands in for them declares them."""
    before = {header for headers in templates.values() for header in headers if header in tree.paths()}
    return {tag for header in before for tag in re.findall(r"^struct (wick_\w+);", tree.text(header), re.MULTILINE)}


def check_names_once(tree):
    """no tag, public function or base name of a file is defined twice"""
    needed = rules_headers.templates(tree)
    stems, tags, functions = {}, {}, {}
    for path in tree.paths(".c", ".h", under=PRODUCT):
        folder, name = path.rsplit("/", 1)
        stems.setdefault(name.rsplit(".", 1)[0], {}).setdefault(folder, (path, 1))
        text = csource.blanked(tree.text(path))
        for match in TAG.finditer(text):
            tags.setdefault(match.group(2), {}).setdefault(path, (path, text.count("\n", 0, match.start()) + 1))
        if path.endswith(".c"):
            for function in csource.functions(tree.text(path)):
                if function.name.startswith("wick_"):
                    functions.setdefault(function.name, {}).setdefault(path, (path, function.first_line))
    provided = _provided(tree, needed)
    for what, found in (("file", stems), ("tag", tags), ("function", functions)):
        for name, places in sorted(found.items()):
            if len(places) > 1 and name not in provided:
                first, *others = sorted(places.values())
                yield Finding(*others[-1], f"{what} {name} is also in {first[0]}; give one of them another name")
