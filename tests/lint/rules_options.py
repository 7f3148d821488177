# SPDX-License-Identifier: Apache-2.0
"""Options are written once, in src/def/*option.def; help, manual page and completions are made from there."""

import re

import csource
from tree import Finding

# The two parsers of options, made from the two lists.
PARSERS = ("cli/args.c", "cli/args.h", "src/opt/option.c")
HELP_LINE = re.compile(r'"\s+(?:-\w, )?--[a-z][a-z-]*(?: \S+)*(?:  |\\n|")')
MAN_LIST = re.compile(r"(?:\.B |\\fB)\\-")
SHELL_LIST = re.compile(r"""['"(\s]--[a-z-]+\s+--[a-z-]+|'[^']*--[a-z-]+=?\[""")
# Words that a completion offers, options whose values it offers, and commands that it knows.
VALUE_LIST = re.compile(r"""compgen [^()]*-W ["'][^"'$]""")
OPTION_BRANCH = re.compile(r"\s*--?[a-z][a-z|-]*\)")
COMMAND_BRANCH = re.compile(r"\s*(?!help\))[a-z]+(?:\|[a-z]+)*\)")


def _line(text, offset):
    return text.count("\n", 0, offset) + 1


def check_options_once(tree):
    """no command, manual page or completion has a list of options, values or commands of its own"""
    for path in tree.paths(".c", ".h", under=("cli/", "src/opt/")):
        if path in PARSERS:
            continue
        text = tree.text(path)
        for match in re.finditer(r"\bgetopt(_long)?\s*\(|\bstruct option\b", csource.blanked(text)):
            yield Finding(path, _line(text, match.start()), "parses options by itself; use cli/args.h and def/tool_option.def")
        for match in HELP_LINE.finditer(text):
            yield Finding(path, _line(text, match.start()), "help of an option; it belongs to def/tool_option.def")
    for path in tree.paths(".in", under=("man/", "completion/")):
        lines = tree.lines(path)
        for number, line in enumerate(lines, 1):
            if path.startswith("man/") and number > 1 and lines[number - 2].startswith(".TP") and MAN_LIST.match(line):
                yield Finding(path, number, "an option; write @man-options COMMAND")
            if path.startswith("completion/") and SHELL_LIST.search(line):
                yield Finding(path, number, "a list of options; it is made by @bash-tool-cases or @zsh-cases")
            if path.startswith("completion/") and VALUE_LIST.search(line):
                yield Finding(path, number, "a list of values; it is made by @bash-values from the column `words` of src/def/*option.def")
            if path.startswith("completion/") and OPTION_BRANCH.match(line):
                yield Finding(path, number, "what follows an option; it is made by @bash-values or @bash-tool-cases")
            if path.startswith("completion/") and COMMAND_BRANCH.match(line):
                yield Finding(path, number, "a list of commands; it is made by @bash-operands, @bash-cases or @zsh-cases")
