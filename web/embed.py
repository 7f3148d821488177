#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts pages of web/ together and writes them as a C file.

usage: embed.py flame|heat|heap|spans|ui WEB_DIR OUT.c [DEPFILE]

A page's script is the concatenation of the ES modules, each after those that it imports; the import
lines and the word `export` are all that is removed, so the modules run unchanged in a browser, under node, and here. Names
at the top level of different modules must therefore differ: checked below. The hashes of script and style go into the
page's Content-Security-Policy. A page is cut in pieces where its title and data go in.

What `wick ui` serves are files: web/ui/index.html, and all that it and they name, as they are but for the indentation, the comments and spaces of
scripts, of which the licence and the empty line stay: what a browser says of a line is true of the file.
"""
import base64
import hashlib
import pathlib
import re
import sys

FLAME = ['flame/' + name + '.js' for name in ('kinds', 'text', 'change', 'data', 'views', 'search', 'draw', 'details', 'twin', 'graph',
                                                'app', 'main')]
FLAME_CSS = ['ui/tokens.css', 'flame/graph.css', 'flame/flame.css']
HEAT = FLAME[:-1] + ['heat/' + name + '.js' for name in ('slices', 'range', 'grid', 'panel', 'main')]
HEAP = FLAME[:-1] + ['heap/' + name + '.js' for name in ('squarify', 'treemap', 'main')]
SPANS = {name: ['flame/text.js', 'ui/dom.js', 'spans/common.js', 'spans/single.js', *(f'spans/{part}.js' for part in parts), f'spans/{name}.js']
         for name, parts in (('trace', ('time_zoom', 'timeline')), ('endpoints', ('latency',)))}
SPANS_CSS = ['ui/tokens.css', 'spans/page.css', 'spans/timeline.css']


def read(path):
    return path.read_text(encoding='utf-8')


def bundle(web, names):
    out, owner = [], {}
    for i, name in enumerate(names):
        text = read(web / name)
        for target in re.findall(r"^import .*? from '(.*?)';$", text, re.M):
            if (web / name).parent.joinpath(target).resolve() not in [(web / n).resolve() for n in names[:i]]:
                sys.exit(f'embed.py: {name} imports {target}, which does not come before it')
        text = re.sub(r'^import .*?;\n|^export |^// SPDX.*\n', '', text, flags=re.M)
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


def once(html, old, new):
    if html.count(old) != 1:
        sys.exit(f'embed.py: a page must hold {old!r} once')
    return html.replace(old, new)


def assemble(html, style, script):
    """The pieces of a page."""
    for key, value in [('@STYLE_HASH@', csp_hash(style)), ('@SCRIPT_HASH@', csp_hash(script)), ('@STYLE@', style),
                       ('@SCRIPT@', script)]:
        html = once(html, key, value)
    return re.split('@TITLE@|@DATA@|@SLICES@', html)


def styles(web, names):
    return '\n' + ''.join(read(web / name) for name in names)


def page(web, html_name, css_names, modules):
    return assemble(read(web / html_name), styles(web, css_names), bundle(web, modules))


def c_array(name, text):
    byte = [str(b) if b < 128 else f"'\\x{b:02x}'" for b in text.encode()]
    rows = [','.join(byte[i:i + 32]) for i in range(0, len(byte), 32)]
    return f'const char {name}[] = {{\n' + ',\n'.join(rows) + ',0};\n'


def c_assets(header, assets):
    return f'#include "{header}"\n\n' + '\n'.join(
        c_array(f'wick_{name}', text) + f'const size_t wick_{name}_len = {len(text.encode())};\n'
        for name, text in assets.items())


def flame(web):
    pieces = page(web, 'flame/flame.html', FLAME_CSS, FLAME)
    assets = dict(zip(('flame_html_head', 'flame_html_body', 'flame_html_tail'), pieces, strict=True))
    for name in ('css', 'js'):
        assets['flame_svg_' + name] = '\n' + read(web / f'flame/svg.{name}')
        if ']]>' in assets['flame_svg_' + name] or '<' in assets['flame_svg_css']:
            sys.exit(f'embed.py: svg.{name} holds what XML does not allow there')
    return c_assets('flame/assets.h', assets)


def heat(web):
    """The flame graph's page with the panel of heat.html above the legend, more keys in the help, and a second place for
    data."""
    html = read(web / 'flame/flame.html')
    panel, keys = read(web / 'heat/heat.html').split('@HELP@\n')
    html = once(html, '<section class="strip"', panel + '<section class="strip"')
    html = once(html, '    </dl>\n    <div class="help-foot">', keys + '    </dl>\n    <div class="help-foot">')
    html = once(html, '@DATA@</script>', '@DATA@</script>\n<script type="application/x-wick" id="slices">@SLICES@</script>')
    html = once(html, 'This flame graph is drawn', 'This heatmap is drawn')
    style = styles(web, FLAME_CSS + ['heat/heat.css'])
    pieces = assemble(html, style, bundle(web, HEAT))
    names = [f'heat_assets_{part}' for part in ('head', 'body', 'slices', 'tail')]
    return c_assets('export/heat_assets.h', dict(zip(names, pieces, strict=True)))


def heap(web):
    """The flame graph's page with the treemap of heap.html above the legend, words of its own in the help, and a second place for
    data."""
    html = read(web / 'flame/flame.html')
    html = once(html, '<section class="strip"', read(web / 'heap/heap.html') + '<section class="strip"')
    html = once(html, '@DATA@</script>', '@DATA@</script>\n<script type="application/json" id="facts-of-heap">@SLICES@</script>')
    html = once(html, 'This flame graph is drawn', 'This heap is drawn')
    boxes = re.search(r'(?<=<p id="help-boxes">).*?(?=</p>)', html).group()
    html = once(html, boxes, 'A box is a class whose objects are kept alive by those of the box before it alone: if these went away, so '
                'would they. Its width is what they retain, its own bytes and those of all boxes behind it. Objects that one of their own '
                'class keeps alive share its box.')
    html = once(html, 'Kinds of code, share of samples by top frame', 'Kinds of boxes, share of bytes')
    style = styles(web, FLAME_CSS + ['heap/heap.css'])
    pieces = assemble(html, style, bundle(web, HEAP))
    names = [f'heap_assets_{part}' for part in ('head', 'body', 'facts', 'tail')]
    return c_assets('cli/heap/heap_assets.h', dict(zip(names, pieces, strict=True)))


def spans(web):
    out = '#include "cli/page_assets.h"\n\n'
    for name, modules in SPANS.items():
        pieces = page(web, f'spans/{name}.html', SPANS_CSS, modules)
        for part, text in zip(('head', 'tail'), pieces, strict=True):
            out += c_array(f'wick_page_{name}_{part}', text)
    return out


TYPES = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
         '.svg': 'image/svg+xml', '.json': 'application/json'}


def named_by(web, path):
    """The files of web/ that a page, a module or a style names."""
    text = read(path)
    if path.suffix == '.html':
        return [web / name for name in re.findall(r'(?:href|src)="/ui/([^"#?]+)"', text)]
    if path.suffix == '.js':
        return [(path.parent / name).resolve() for name in re.findall(r"""(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]""", text)]
    if path.suffix == '.css':
        return [(path.parent / name).resolve() for name in re.findall(r"""url\(['"]?(\.[^'")]+)['"]?\)""", text)]
    return []


def without_comments(text):
    """A script without the comments that have lines of their own, and those behind code without texts; one with code behind it stays."""
    text = re.sub(r'^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*$', lambda m: '\n' * m.group().count('\n'), text, flags=re.M | re.S)
    text = re.sub(r'^[ \t]*//(?! SPDX).*$', '', text, flags=re.M)
    return re.sub(r'''^([^'"`/\n]*[^'"`/\s]) // .*$''', r'\1', text, flags=re.M)


def without_indentation(text, path):
    """A script whose lines begin at the left, which changes nothing as long as no text goes over several lines."""
    for number, line in enumerate(text.split('\n'), 1):
        if line.count('`') % 2 or line.endswith('\\'):
            sys.exit(f'embed.py: {path}:{number}: a text that goes over several lines would lose its indentation')
    return re.sub(r'^[ \t]+', '', text, flags=re.M)


TEXT = re.compile(r'''('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)''')


def line_without_spaces(line):
    """A line without spaces beside punctuation outside of its texts, unless it has a comment, an expression or a template in another, which
    look like code here."""
    parts = TEXT.split(line)
    if line.count('`') > 2 or any(c in code for code in parts[::2] for c in '\'"`/'):
        return line
    return ''.join(p if i % 2 else re.sub(r' ?(=>|&&|\|\||[=,{}()\[\];:?]) ?', r'\1', p) for i, p in enumerate(parts))


def without_spaces(text):
    return '\n'.join(map(line_without_spaces, text.split('\n')))


def ui(web):
    """Every file at the address /ui/ and its path in web/, and the description of the API."""
    web = web.resolve()
    found, todo = [], [web / 'ui/index.html']
    while todo:
        path = todo.pop(0)
        if path not in found:
            found.append(path)
            todo += named_by(web, path)
    api = web.parent / 'docs/ui-api.json'
    files = [(('/ui/' + str(p.relative_to(web))), p) for p in found] + [('/api/v1/openapi.json', api)]
    out = '#include "cli/ui/ui_assets.h"\n\n'
    rows = ''
    for i, (address, path) in enumerate(files):
        text = without_spaces(without_indentation(without_comments(read(path)), path)) if path.suffix == '.js' else read(path)
        out += 'static ' + c_array(f'asset_{i}', text)
        rows += f'    {{"{address}", "{TYPES[path.suffix]}", asset_{i}, {len(text.encode())}}},\n'
    USED.extend([p for _, p in files])
    return out + f'\nconst struct wick_serve_asset wick_ui_assets[] = {{\n{rows}    {{0}}}};\n'


USED = []


def main():
    makers = {'flame': flame, 'heat': heat, 'heap': heap, 'spans': spans, 'ui': ui}
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in makers:
        sys.exit(__doc__)
    text = makers[sys.argv[1]](pathlib.Path(sys.argv[2]))
    if len(sys.argv) == 5:
        pathlib.Path(sys.argv[4]).write_text(f'{sys.argv[3]}: {" ".join(map(str, USED))}\n', encoding='utf-8')
    pathlib.Path(sys.argv[3]).write_text('/* Made by web/embed.py; do not edit. */\n' + text, encoding='utf-8')


main()
