#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts web/flame/ together and writes it as a C file.

usage: embed.py SOURCE_DIR OUT.c

The page's script is the ES modules one after the other, in an order in which each comes after what it imports; the import
lines and the word `export` are all that is removed, so the modules run unchanged in a browser, under node, and here. Names
at the top level of different modules must therefore differ: checked below. The hashes of script and style go into the
page's Content-Security-Policy.
"""
import base64
import hashlib
import pathlib
import re
import sys

MODULES = ['kinds.js', 'text.js', 'change.js', 'data.js', 'views.js', 'search.js', 'draw.js', 'details.js', 'twin.js', 'app.js']


def bundle(source):
    out, owner = [], {}
    for name in MODULES:
        text = (source / name).read_text(encoding='utf-8')
        for target in re.findall(r"^import .*? from '\./(.*?)';$", text, re.M):
            if target not in MODULES[:MODULES.index(name)]:
                sys.exit(f'embed.py: {name} imports {target}, which does not come before it')
        text = re.sub(r"^import .*?;\n", '', text, flags=re.M)
        text = re.sub(r'^export ', '', text, flags=re.M)
        text = re.sub(r'^// SPDX.*\n', '', text, flags=re.M)
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


def page(source):
    style = '\n' + (source / 'flame.css').read_text(encoding='utf-8')
    script = bundle(source)
    html = (source / 'flame.html').read_text(encoding='utf-8')
    for key, value in [('@STYLE_HASH@', csp_hash(style)), ('@SCRIPT_HASH@', csp_hash(script)), ('@STYLE@', style),
                       ('@SCRIPT@', script)]:
        if html.count(key) != 1:
            sys.exit(f'embed.py: flame.html must hold {key} once')
        html = html.replace(key, value)
    head, rest = html.split('@TITLE@')
    body, tail = rest.split('@DATA@')
    return {'html_head': head, 'html_body': body, 'html_tail': tail}


def emit(name, text):
    data = text.encode()
    byte = [str(b) if b < 128 else f"'\\x{b:02x}'" for b in data]
    rows = [','.join(byte[i:i + 32]) for i in range(0, len(data), 32)]
    return (f'const char wick_asset_{name}[] = {{\n' + ',\n'.join(rows) + ',0};\n'
            f'const size_t wick_asset_{name}_len = {len(data)};\n')


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    assets = page(source)
    for name in ['css', 'js']:
        assets['svg_' + name] = '\n' + (source / ('svg.' + name)).read_text(encoding='utf-8')
        if ']]>' in assets['svg_' + name] or '<' in assets['svg_css']:
            sys.exit(f'embed.py: svg.{name} holds what XML does not allow there')
    text = '/* Made by web/flame/embed.py; do not edit. */\n#include "flame/assets.h"\n\n'
    out.write_text(text + '\n'.join(emit(n, t) for n, t in assets.items()))


main()
