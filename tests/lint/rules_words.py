# SPDX-License-Identifier: Apache-2.0
"""Words that are wrong, or right nowhere in a technical text and its names: what a translation leaves behind."""

import io
import re
import tokenize

import csource
from rules_style import DATA
from tree import Finding

ALLOWED = "tests/lint/words.allow"
NAMES_THEM = ("tests/lint/rules_words.py", ALLOWED, "CONTRIBUTING.md")  # the last has the glossary
# {the wrong words, a blank standing for any white space or the start of a comment's next line: what to write}
WORDS = {
    "tells?|told|telling": "report, show, contain, notify or distinguish",
    "begin of|(?:at|in|from) the begin": "start",
    "dear(?:er)?": "expensive",
    "late threads?": "a thread slow to reach the safepoint",
    "late safepoints?": "a slow safepoint",
    "not to be (?:told|had|said)": "unknown, inconclusive or not available",
    "(?:puts? )?in the way": "interpose; blocks or holds up; or as, where it is a manner",
    "(?:is|are|was|were|comes?|came) late": "delayed, or slow",
    "prices? of|(?:its|their|at a|at the) prices?": "cost",
    "(?:a|one|each|another) look(?!-| for| at)": "poll, check, reading or sample",
    "by turns": "alternately, or in turn",
    "of then": "at that time",
    "as ever": "as usual, or as before",
    "in the midst": "during, or within",
    "put down to": "attributed to",
    "in the place of": "in place of, or interpose",
    "comes? to the same": "is equivalent",
    "seldom": "rarely",
    "whoever": "the thread, caller or owner that",
    "as good as": "almost",
    "by luck": "at random",
    "bears?": "has or carries",
    "books": "accounts",
    "borders?": "boundary",
    "for want of": "without, or because it is missing",
    "late (?:ticks?|answers?)": "delayed",
    "looks? at|looked at|looking at": "poll, inspect, check, read or sample",
    "a look for": "search for",
    "look-ups?": "lookup",
    "mend(?:s|ed|ing)?": "fix or repair",
    "meanwhile": "during the recording, until then, or nothing",
    "wants": "needs, takes, expects or requires",
    "by lot": "at random",
    "of now": "current",
    "to be had": "available",
    "too(?=[.;:,)])": "also, before the verb",
}
# Names of events, fields and rules, on which other programs rely, have these words, so names may.
PROSE_ONLY = {
    "late threads?", "late safepoints?", "late (?:ticks?|answers?)", "looks? at|looked at|looking at", "wants",
    "(?:is|are|was|were|comes?|came) late", "(?:a|one|each|another) look(?!-| for| at)",
}
# Wrong in names of unit tests, beside all of WORDS.
TEST_NAMES = {"late": "delayed, or slow", "looks?|looked": "poll, inspect, check, read or sample"}
_GAP = r"(?:[ \t]*\n[ \t]*(?:\*|//|#)?[ \t]*|[ \t]+)"


def _compiled(words):
    return [(re.compile(rf"\b(?:{w.replace(' ', _GAP)})\b", re.IGNORECASE), better) for w, better in words.items()]


_WORDS = _compiled(WORDS)
_OF_NAMES = _compiled({w: better for w, better in WORDS.items() if w not in PROSE_ONLY})
_OF_TESTS = _compiled(WORDS | TEST_NAMES)
_ANY, _ANY_OF_TESTS = (re.compile("|".join(p.pattern for p, _ in w), re.IGNORECASE) for w in (_WORDS, _OF_TESTS))
_CODE = (".c", ".h", ".def", ".S", ".java", ".js", ".mjs", ".css")
_NAMED = (".c", ".h", ".def", ".S", ".java", ".py")  # not scripts of pages: `border` and others are the browser's names
_PROSE = {"COMMENT", "STRING", "FSTRING_MIDDLE"}
_ENTRY = re.compile(r'(\S+) "([^"]+)" (\S.*)')


def _hidden(text):
    return re.sub(r"[^\n]", " ", text)


def _prose_of_code(text):
    """Comments, literals and directives, offset for offset; names in the code are not prose."""
    return "".join(c if c != code or c == "\n" else " " for c, code in zip(text, csource.blanked(text)))


def _prose_of_python(text):
    """Comments and strings, offset for offset, without what an f-string computes."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    pieces, done = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] in _PROSE:
            at, end = starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]
            said = text[at:end]
            if re.match(r"\w*[fF]\w*[\"']", said):
                said = re.sub(r"\{[^{}\n]*\}", lambda m: _hidden(m.group()), said)
            pieces += [_hidden(text[done:at]), said]
            done = end
    return "".join(pieces) + _hidden(text[done:])


def _prose(path, text):
    if path.endswith(".css"):
        return re.sub(r"(?s)(.*?)(/\*.*?\*/|\Z)", lambda m: _hidden(m.group(1)) + m.group(2), text)
    if path.endswith(_CODE):
        return _prose_of_code(text)
    if path.endswith(".py") or re.match(r"#!.*\bpython3?\b", text):
        return _prose_of_python(text)
    return text


def _spoken(name):
    """The words of names, of snake_case and camelCase."""
    return re.sub(r"_|(?<=[a-z0-9])(?=[A-Z])", " ", name)


def _names(path, text):
    """{name: offset of the first one} in the code and in directives."""
    if not path.endswith(_NAMED) or not _ANY_OF_TESTS.search(_spoken(text)):
        return {}
    names = {}
    if path.endswith(".py"):
        code = "".join(" " if c == p else c for c, p in zip(text, _prose(path, text)))
    else:
        code = csource.blanked(re.sub(r"^([ \t]*)#", r"\1 ", text, flags=re.MULTILINE))
    for match in re.finditer(r"[A-Za-z_]\w*", code):
        names.setdefault(match.group(), match.start())
    return names


def _matches(path, text):
    """(words, offset, what to write) of each that is wrong"""
    # What is prose takes long to find, and few files have the words at all.
    prose = _prose(path, text) if _ANY.search(text) else ""
    for pattern, better in _WORDS:
        for match in pattern.finditer(prose):
            yield " ".join(w for w in match.group().lower().split() if w not in ("*", "//", "#")), match.start(), better
    for name, offset in _names(path, text).items():
        of_test = re.match(r"tests/unit/.*\.c$", path) and name.startswith("test_")
        better = next((b for pattern, b in (_OF_TESTS if of_test else _OF_NAMES) if pattern.search(_spoken(name))), None)
        if better:
            yield name, offset, better


def _allowed(tree):
    """{(path, words): line number}, each with a reason."""
    entries = {}
    for number, line in enumerate(tree.lines(ALLOWED), 1):
        if line.strip() and not line.startswith("#"):
            match = _ENTRY.fullmatch(line)
            if not match:
                raise ValueError(f'{ALLOWED}:{number}: not PATH "WORDS" REASON')
            entries[match.group(1), match.group(2)] = number
    return entries


def check_words(tree):
    """no text or name uses the words that WORDS replaces"""
    allowed, used = _allowed(tree), set()
    for path in tree.paths():
        text = tree.text(path)
        if path.startswith(DATA) or path in NAMES_THEM or "\0" in text or "\ufffd" in text:
            continue
        for words, offset, better in _matches(path, text):
            used.add((path, words))
            if (path, words) not in allowed:
                line = text.count("\n", 0, offset) + 1
                yield Finding(path, line, f'"{words}": write {better} ({ALLOWED} has the exceptions)')
    for (path, words), number in allowed.items():
        if (path, words) not in used:
            yield Finding(ALLOWED, number, f'"{words}" is not in {path} (any more)')
