# SPDX-License-Identifier: Apache-2.0
"""Just enough understanding of C to measure functions and to find prototypes.

No preprocessing: directives, comments and literals are blanked out, with every newline kept, so that an offset into the
blanked text is an offset into the original. What is left is cut into tokens. A function is a `{` at the outermost level
behind a `)`; the nesting inside it is counted by a small statement parser, because blocks without braces also count.
"""

import re
from bisect import bisect_right
from collections import namedtuple

Token = namedtuple("Token", "text offset")
Function = namedtuple("Function", "name first_line last_line nesting")
Prototype = namedtuple("Prototype", "name line")

_COMMENT_OR_LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")
_OPEN = {"(": ")", "[": "]", "{": "}"}


def _blank(match):
    text = match.group()
    kept = '""' if text[0] == '"' else "0" if text[0] == "'" else ""
    return kept + re.sub(r"[^\n]", " ", text[len(kept) :])


def uncommented(text):
    """The text without comments and literals, but with directives, offset for offset."""
    return _COMMENT_OR_LITERAL.sub(_blank, text)


def blanked(text):
    """The text without comments, literals and directives, offset for offset."""
    return _DIRECTIVE.sub(_blank, uncommented(text))


def tokens(text):
    return [Token(m.group(), m.start()) for m in _TOKEN.finditer(blanked(text))]


def line_finder(text):
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    return lambda offset: bisect_right(starts, offset)


def _matching(toks, i):
    """The index of the bracket that closes the one at i; the last index if there is none."""
    depth = 0
    for j in range(i, len(toks)):
        if toks[j].text in _OPEN:
            depth += 1
        elif toks[j].text in _OPEN.values():
            depth -= 1
            if depth == 0:
                return j
    return len(toks) - 1


def _name_before(toks, close):
    """The name of the function whose parameter list ends at index `close`; skips __attribute__((...))."""
    while close > 0:
        depth, i = 0, close
        while i >= 0:
            depth += {")": 1, "(": -1}.get(toks[i].text, 0)
            if depth == 0:
                break
            i -= 1
        name = toks[i - 1]
        if name.text != "__attribute__":
            return name
        close = i - 2
    return toks[0]


class _Nesting:
    """Walks the statements of a function body and remembers the deepest level."""

    def __init__(self, toks):
        self.toks = toks
        self.deepest = 0

    def _text(self, i):
        return self.toks[i].text if i < len(self.toks) else ""

    def block(self, i, depth):
        """i is at `{`; returns the index behind its `}`."""
        end = _matching(self.toks, i)
        i += 1
        while i < end:
            i = self.statement(i, depth)
        return end + 1

    def body(self, i, depth):
        """A statement that belongs to a control statement of level `depth`."""
        self.deepest = max(self.deepest, depth)
        if self._text(i) == "{":
            return self.block(i, depth)
        return self.statement(i, depth)

    def statement(self, i, depth):
        word = self._text(i)
        if word in ("if", "for", "while", "switch"):
            i = self.body(_matching(self.toks, i + 1) + 1, depth + 1)
            if word == "if" and self._text(i) == "else":
                chained = self._text(i + 1) == "if"
                i = self.statement(i + 1, depth) if chained else self.body(i + 1, depth + 1)
            return i
        if word == "do":
            i = self.body(i + 1, depth + 1)
            return _matching(self.toks, i + 1) + 2
        if word == "{":
            self.deepest = max(self.deepest, depth + 1)
            return self.block(i, depth + 1)
        if word in ("case", "default"):
            while i < len(self.toks) and self._text(i) != ":":
                i += 1
            return i + 1
        return self._expression(i, depth)

    def _expression(self, i, depth):
        """Up to the semicolon. A `{` behind a `)` is the body of a loop macro, unless something is being assigned."""
        start, assigned = i, self._text(i) == "return"
        while i < len(self.toks):
            text = self._text(i)
            if text == ";":
                return i + 1
            if text == ":" and i == start + 1:
                return i + 1  # a label
            assigned = assigned or text == "="
            if text == "{" and not assigned and self._text(i - 1) == ")":
                return self.body(i, depth + 1)
            if text in _OPEN:
                i = _matching(self.toks, i)
            i += 1
        return i


def _top_level(text):
    """Yields (index of `{` or `;`, tokens) for every declaration and definition at the outermost level."""
    toks = tokens(text)
    i = 0
    while i < len(toks):
        word = toks[i].text
        if word in ("{", ";"):
            yield i, toks
        i = _matching(toks, i) + 1 if word in _OPEN else i + 1


def functions(text):
    """All function definitions with their extent (lines, from 1) and the deepest nesting in them."""
    line_of = line_finder(text)
    found = []
    for i, toks in _top_level(text):
        if toks[i].text != "{" or i == 0 or toks[i - 1].text != ")":
            continue
        end = _matching(toks, i)
        walker = _Nesting(toks[i : end + 1])
        walker.block(0, 0)
        name = _name_before(toks, i - 1)
        found.append(Function(name.text, line_of(name.offset), line_of(toks[end].offset), walker.deepest))
    return found


def prototypes(text):
    """Function declarations at the outermost level that are not static."""
    line_of = line_finder(text)
    found, start = [], 0
    for i, toks in _top_level(text):
        words = [t.text for t in toks[start:i]]
        is_code = toks[i].text == ";" and "(" in words and "=" not in words and "{" not in words
        if is_code and words[0] not in ("static", "typedef", "_Static_assert", "inline"):
            found.append(Prototype(_prototype_name(words), line_of(toks[start].offset)))
        start = (_matching(toks, i) if toks[i].text == "{" else i) + 1
    return found


def _prototype_name(words):
    for word, after in zip(words, words[1:]):
        if after == "(" and word != "__attribute__":
            return word
    return words[0]
