# SPDX-License-Identifier: Apache-2.0
"""The name of a public symbol says where it is: CONTRIBUTING.md, Rules of the code."""

import re
from collections import defaultdict

import csource
from rules_names import TAG
from tree import Finding

PRODUCT = ("src/", "agent/", "cli/")
SHORT = {"hotspot": "hs"}  # how a module's name is written in symbols, where that is another word
# Names that somebody else chose: the JVM, for functions that Java calls; the stepping code, for what its includer defines.
GIVEN = re.compile(r"Java_wick_\w+|step_read")
EXTERN = re.compile(r"^extern [^;(]*(?:\([^()]*\))?[^;()]*;", re.MULTILINE)
OBJECT = re.compile(r"\b(wick_\w+)\s*(?:\[[^\]]*\]\s*)*(?=[,;])")

MODULE, FILE, THING, FAMILY = range(4)  # what a prefix may be; of two modules the one with the lower number has it


def _module(path):
    first, second = path.split("/")[:2]
    return second if first == "src" else first


def _stem(path):
    return re.sub(r"_(sig|int|internal)$", "", path.rsplit("/", 1)[1].split(".")[0])


def _families(paths):
    """{folder: words with which the names of several files begin}, lock of lock_graph.h and lock_waits.h."""
    begun = defaultdict(set)
    for path in paths:
        words = _stem(path).split("_")
        for n in range(1, len(words)):
            begun[path.rsplit("/", 1)[0], "_".join(words[:n])].add(_stem(path))
    found = defaultdict(set)
    for (folder, family), stems in begun.items():
        if len(stems) > 1 or f"{folder}/{family}.h" in paths:
            found[folder].add(family)
    return found


class Prefixes:
    """Which prefixes there are, and whose they are."""

    def __init__(self, tree):
        self.paths = tree.paths(".c", ".h", under=PRODUCT)
        self.families = _families(self.paths)
        self.claims = defaultdict(dict)  # {prefix: {module: MODULE, FILE, THING or FAMILY}}
        self.things = defaultdict(set)  # {module: tags}
        for path in self.paths:
            module = _module(path)
            self._claim(SHORT.get(module, module), module, MODULE)
            self._claim(_stem(path), module, FILE)
            for family in self.families[path.rsplit("/", 1)[0]]:
                self._claim(family, module, FAMILY)
            for tag in TAG.finditer(csource.blanked(tree.text(path))):
                thing = tag.group(2).removeprefix("wick_")
                self.things[module].add(thing)
                self._claim(thing, module, THING)

    def _claim(self, prefix, module, kind):
        self.claims[prefix][module] = min(kind, self.claims[prefix].get(module, kind))

    def longest(self, name):
        """The longest prefix of a name that there is, and the modules that it leads to."""
        words = name.split("_")
        for n in range(len(words), 0, -1):
            prefix = "_".join(words[:n])
            claims = self.claims.get(prefix)
            if claims:
                return prefix, [m for m, kind in claims.items() if kind == min(claims.values())]
        return None, []

    def fits(self, name, places):
        """Whether a name begins with the module, a file that has it or its family, or a thing of the module."""
        prefixes = set()
        for path in places:
            module, folder, stem = _module(path), path.rsplit("/", 1)[0], _stem(path)
            prefixes |= {SHORT.get(module, module), stem}
            prefixes |= {f for f in self.families[folder] if stem == f or stem.startswith(f"{f}_")}
            prefixes |= self.things[module]
        return any(name == p or name.startswith(f"{p}_") for p in prefixes)


def _declared(tree, path):
    """(name, line, is_static) of what a header declares for others."""
    text = tree.text(path)
    for prototype in csource.prototypes(text):
        if not prototype.name.startswith("_") and not GIVEN.fullmatch(prototype.name):
            yield prototype.name, prototype.line, False
    for function in csource.functions(text):
        yield function.name, function.first_line, True
    blanked = csource.blanked(text)
    for declaration in EXTERN.finditer(blanked):
        line = blanked.count("\n", 0, declaration.start()) + 1
        for name in OBJECT.findall(declaration.group()):
            yield name, line, False


def check_prefixes(tree):
    """a public symbol is called wick_X_..., and X says where it is: a module, a file, or a struct of the module"""
    known = Prefixes(tree)
    places = defaultdict(set)
    for path in known.paths:
        for function in csource.functions(tree.text(path)):
            places[function.name].add(path)
    for path in known.paths:
        if not path.endswith(".h"):
            continue
        for symbol, line, is_static in _declared(tree, path):
            name = symbol.removeprefix("wick_")
            if name == symbol and not is_static:
                yield Finding(path, line, f"{symbol} does not begin with wick_")
                continue
            prefix, modules = known.longest(name)
            if not known.fits(name, {path, *places[symbol]}):
                yield Finding(path, line, f"{symbol} has neither the module's name, nor the file's, nor that of a struct of it")
            elif modules != [_module(path)]:
                yield Finding(path, line, f"{symbol} is not here by its name: {prefix} belongs to {', '.join(sorted(modules))}")
