#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the pages of web/spans/ together and writes them as a C file.

usage: embed.py WEB_DIR OUT.c

As web/flame/embed.py does it for the flame graph: modules one after the other without their imports, and the hashes of script
and style in the page's Content-Security-Policy. Each page is cut in two where its data goes in.
"""
import base64
import hashlib
import pathlib
import re
import sys

PAGES = {'trace': 'spans/trace.js', 'endpoints': 'spans/endpoints.js'}
SHARED = ['flame/text.js', 'spans/common.js']


def bundle(web, names):
    out, owner = [], {}
    for i, name in enumerate(names):
        text = (web / name).read_text(encoding='utf-8')
        for target in re.findall(r"^import .*? from '(.*?)';$", text, re.M):
            if (web / name).parent.joinpath(target).resolve() not in [(web / n).resolve() for n in names[:i]]:
                sys.exit(f'embed.py: {name} imports {target}, which does not come before it')
        text = re.sub(r"^import .*?;\n|^export |^// SPDX.*\n", '', text, flags=re.M)
        for top in re.findall(r'^(?:async )?(?:const|let|class|function) ([\w$]+)', text, re.M):
            if top in owner:
                sys.exit(f'embed.py: {top} is defined in {owner[top]} and {name}')
            owner[top] = name
        out.append(text)
    script = '\n// SPDX-License-Identifier: Apache-2.0\n' + '\n'.join(out)
    if '</script' in script.lower():
        sys.exit('embed.py: the script holds its own end tag')
    return script


def csp_hash(text):
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(web, name, module):
    style = '\n' + (web / 'spans' / 'page.css').read_text(encoding='utf-8')
    script = bundle(web, [*SHARED, module])
    html = (web / 'spans' / f'{name}.html').read_text(encoding='utf-8')
    for key, value in [('@STYLE_HASH@', csp_hash(style)), ('@SCRIPT_HASH@', csp_hash(script)), ('@STYLE@', style),
                       ('@SCRIPT@', script)]:
        if html.count(key) != 1:
            sys.exit(f'embed.py: {name}.html must hold {key} once')
        html = html.replace(key, value)
    return html.split('@DATA@')


def emit(name, text):
    data = text.encode()
    byte = [str(b) if b < 128 else f"'\\x{b:02x}'" for b in data]
    rows = [','.join(byte[i:i + 32]) for i in range(0, len(data), 32)]
    return f'const char wick_page_{name}[] = {{\n' + ',\n'.join(rows) + ',0};\n'


def main():
    web, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = '/* Made by web/spans/embed.py; do not edit. */\n#include "cli/page_assets.h"\n\n'
    for name, module in PAGES.items():
        head, tail = page(web, name, module)
        text += emit(f'{name}_head', head) + emit(f'{name}_tail', tail)
    out.write_text(text)


main()
