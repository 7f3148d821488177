# SPDX-License-Identifier: Apache-2.0
"""House style that no formatter knows: sizes, names, licence lines, comments on what a header promises."""

import re

import csource
from tree import Finding

MAX_FILE_LINES = 800
MAX_LINE = 120
MAX_FUNCTION_LINES = 80
MAX_NESTING = 4
C_FILES = (".c", ".h")
SOURCES = (".c", ".h", ".def", ".S", ".py", ".sh", ".java", ".js", ".mjs", ".css")
TEXTS = SOURCES + (".build", ".md", ".txt", ".yml", ".json", ".html", ".allow", "Makefile", ".clj")
# What is kept byte for byte as another program wrote it.
DATA = ("tests/golden/", "tests/fuzz/corpus/", "tests/data/", "tests/web/package-lock.json")


def _own(tree, *suffixes):
    return [p for p in tree.paths(*suffixes) if not p.startswith(DATA)]


def _scripts(tree):
    """Files without a suffix that start with #!."""
    for path in _own(tree):
        if "." not in path.rsplit("/", 1)[-1] and tree.text(path).startswith("#!"):
            yield path


def check_file_size(tree):
    """no source file has more than 800 lines"""
    for path in [*_own(tree, *SOURCES), *_scripts(tree)]:
        count = len(tree.lines(path))
        if count > MAX_FILE_LINES:
            yield Finding(path, MAX_FILE_LINES, f"{count} lines; split it by idea (at most {MAX_FILE_LINES})")


def check_functions(tree):
    """no function has more than 80 lines or nests deeper than 4"""
    for path in _own(tree, *C_FILES):
        yield from tree.unless_good("functions", (MAX_FUNCTION_LINES, MAX_NESTING), [path], lambda: _functions(tree, path))


def _functions(tree, path):
    for function in csource.functions(tree.text(path)):
        lines = function.last_line - function.first_line + 1
        if lines > MAX_FUNCTION_LINES:
            yield Finding(path, function.first_line, f"{function.name}() has {lines} lines (at most {MAX_FUNCTION_LINES})")
        if function.nesting > MAX_NESTING:
            yield Finding(path, function.first_line, f"{function.name}() nests {function.nesting} deep (at most {MAX_NESTING})")


def check_names(tree):
    """no file is called utils, and no struct hides behind a typedef"""
    vague = re.compile(r"(^|[-_.])(utils?|misc|stuff)([-_.]|$)", re.IGNORECASE)
    for path in _own(tree):
        if vague.search(path.rsplit("/", 1)[-1]):
            yield Finding(path, 1, "the name does not say what is in it")
    for path in _own(tree, *C_FILES):
        text = csource.blanked(tree.text(path))
        for match in re.finditer(r"\btypedef\s+(struct|union|enum)\b(?!\s+\w+\s+\w+\()", text):
            yield Finding(path, text.count("\n", 0, match.start()) + 1, f"a {match.group(1)} behind a typedef")


def check_licence(tree):
    """every source file names its licence at the top"""
    for path in [*_own(tree, *SOURCES), *_scripts(tree)]:
        head = "\n".join(tree.lines(path)[:3])
        if "SPDX-License-Identifier: Apache-2.0" not in head:
            yield Finding(path, 1, "no SPDX-License-Identifier in the first lines")


def check_whitespace(tree):
    """no trailing blanks, no carriage returns, no tabs in C, a newline at the end"""
    for path in [*_own(tree, *TEXTS), *_scripts(tree)]:
        text = tree.text(path)
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield Finding(path, number, "blanks at the end of the line")
            if "\t" in line and path.endswith(C_FILES + (".java", ".py")):
                yield Finding(path, number, "a tab")
        if text and not text.endswith("\n"):
            yield Finding(path, text.count("\n") + 1, "no newline at the end of the file")


def check_line_length(tree):
    """no line of C is longer than 120 columns, comments included, which the formatter leaves as they are"""
    for path in _own(tree, *C_FILES):
        for number, line in enumerate(tree.lines(path), 1):
            if len(line) > MAX_LINE and not line.rstrip(",;)").endswith('"'):  # a literal that cannot be broken
                yield Finding(path, number, f"{len(line)} columns (at most {MAX_LINE})")


# What a header without such a line says as well: one thread at a time, and no memory but the caller's.
_IDLE = re.compile(
    r"^ \* (?:Threads: +(?:one|one at a time|constants only|none)"
    r"|Memory: +(?:none|none kept|the caller's|constants|constants only))\.?$"
)


def check_header_comment(tree):
    """every header opens with what it is for, and has no line on threads or memory that says nothing"""
    for path in tree.paths(".h", under=("src/", "include/", "agent/", "cli/")):
        head = tree.text(path).split("\n#", 1)[0].split("\n")
        name = path.rsplit("/", 1)[-1]
        if not any(line.startswith(f" * {name} - ") for line in head):
            yield Finding(path, 1, f"the comment at the top has no line * {name} - what it is")
        for number, line in enumerate(head, 1):
            following = head[number] if number < len(head) else ""
            if _IDLE.match(line) and not following.startswith(" *  "):
                yield Finding(path, number, f"{line[3:]!r} says nothing: without the line the same holds")


# CONTRIBUTING.md says once what these verbs mean; they take nothing but the object.
UNDERSTOOD = re.compile(r"_(release|free|clear)$")


def check_prototypes_documented(tree):
    """every prototype in a header has a comment, alone or with its neighbours"""
    for path in tree.paths(".h", under=("src/", "include/", "agent/", "cli/")):
        lines = tree.lines(path)
        for prototype in csource.prototypes(tree.text(path)):
            if UNDERSTOOD.search(prototype.name) or re.search(r"/\*|//", lines[prototype.line - 1]):
                continue
            i = prototype.line - 2
            while i >= 0 and lines[i].strip() and "*/" not in lines[i] and "//" not in lines[i]:
                i -= 1
            if i < 0 or not lines[i].strip():
                yield Finding(path, prototype.line, f"{prototype.name}() has no comment above it")


# What orders memory for other threads; a signal fence (base/atomic.h) does so for the thread's own handlers alone. C11's
# operations without an order in their name are sequentially consistent, and so are those of the compiler.
ORDERS = re.compile(
    r"\b(?:wick_(?:load|store|add|sub|and|or|xchg|cas)_(?:acquire|release|acq_rel|seq_cst)|atomic_thread_fence|__sync_\w+"
    r"|atomic_(?:load|store|exchange|fetch_(?:add|sub|or|xor|and)|flag_(?:test_and_set|clear))(?=\()"
    r"|memory_order_(?:acquire|release|acq_rel|seq_cst)|__ATOMIC_(?:ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)"
    r"|(?:__)?atomic_compare_exchange\w*)\b"
)
PAIRS_WITHIN = 3  # lines
SHORT_NAMES = "src/base/atomic.h"  # defines the operations


def check_pairs(tree):
    """each acquire, release, compare-and-swap, fence and seq_cst operation names the place that it pairs with"""
    for path in tree.paths(*C_FILES, under=("src/", "agent/", "cli/", "bpf/")):
        if path == SHORT_NAMES:
            continue
        lines = tree.lines(path)
        for number, line in enumerate(csource.uncommented(tree.text(path)).split("\n")):
            near = lines[max(0, number - PAIRS_WITHIN) : number + PAIRS_WITHIN + 1]
            if ORDERS.search(line) and not any("pairs:" in other for other in near):
                yield Finding(path, number + 1, "no comment `pairs: <place>` beside it names what it pairs with")
