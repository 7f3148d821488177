// SPDX-License-Identifier: Apache-2.0
// Zoom and search for the SVG flame graph. Reads the picture as it is: a box is a <g> with <title>, <rect>, maybe <text>.
(() => {
  const svg = document.documentElement;
  const pad = Number(svg.dataset.pad);
  const charWidth = Number(svg.dataset.char);
  const inner = svg.viewBox.baseVal.width - 2 * pad;
  const byId = (id) => document.getElementById(id);
  const boxes = [...byId('frames').children].map((g) => {
    const rect = g.querySelector('rect');
    const num = (a) => Number(rect.getAttribute(a));
    const name = g.querySelector('title').textContent.split('\n')[0];
    return { g, rect, name, x: num('x') - pad, y: num('y'), w: num('width'), text: g.querySelector('text') };
  });
  const root = boxes[0];
  let zoomed = root;

  function label(b, w) {
    const room = Math.floor((w - 6) / charWidth);
    if (room < 3) return '';
    const paren = b.name.indexOf('(', 1);
    const bare = paren > 0 ? b.name.slice(0, paren) : b.name;
    const short = bare.replace(/^([a-z0-9_]+[./])+(?=[^./]*[./])/, '');
    const method = /[^.:]+$/.exec(short)?.[0] ?? short;
    const fits = [b.name, short, method].find((s) => s.length <= room);
    return fits ?? `${method.slice(0, room - 1)}\u2026`;
  }

  function place(b, x, w, above) {
    const shown = w > 0.05 && x + w > 0 && x < inner;
    b.g.style.display = shown ? '' : 'none';
    if (!shown) return;
    const left = Math.max(0, x);
    const width = Math.min(inner, x + w) - left;
    b.rect.setAttribute('x', pad + left);
    b.rect.setAttribute('width', width);
    b.g.classList.toggle('up', above);
    b.rect.classList.toggle('w', width > 4);
    const text = label(b, width);
    if (text && !b.text) {
      b.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      b.text.setAttribute('y', b.y + 12);
      b.g.append(b.text);
    }
    if (!b.text) return;
    b.text.textContent = text;
    b.text.setAttribute('x', pad + left + 4);
  }

  function zoom(to) {
    zoomed = to;
    const scale = inner / to.w;
    for (const b of boxes) place(b, (b.x - to.x) * scale, b.w * scale, b !== to && b.w >= to.w && b !== root && b.x <= to.x + 0.01);
    byId('reset').setAttribute('visibility', to === root ? 'hidden' : 'visible');
  }

  /** Share of the root's width that hits cover; overlapping ones count once. */
  function search(text) {
    let pattern = null;
    try {
      pattern = text ? new RegExp(text, 'i') : null;
    } catch {
      pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
    }
    const hits = [];
    for (const b of boxes) {
      const hit = pattern !== null && b !== root && pattern.test(b.name);
      if (hit) hits.push(b);
      b.g.classList.toggle('dim', pattern !== null && !hit);
    }
    hits.sort((a, b) => a.x - b.x || b.w - a.w);
    let end = 0;
    let sum = 0;
    for (const b of hits) {
      sum += Math.max(0, b.x + b.w - Math.max(b.x, end));
      end = Math.max(end, b.x + b.w);
    }
    byId('matched').textContent = pattern ? `Matched: ${((100 * sum) / root.w).toFixed(2)} % of what is drawn` : '';
  }

  function ask() {
    const text = window.prompt('Search frames by regular expression (empty: clear)', '');
    if (text !== null) search(text);
  }

  byId('search').setAttribute('visibility', 'visible');
  svg.setAttribute('role', 'group'); // not one image: what is inside can be used
  for (const [id, run] of [['search', ask], ['reset', () => zoom(root)]]) {
    byId(id).setAttribute('role', 'button');
    byId(id).setAttribute('tabindex', '0');
    byId(id).addEventListener('click', run);
    byId(id).addEventListener('keydown', (e) => {
      if (e.key === 'Enter' || e.key === ' ') run();
    });
  }
  for (const b of boxes) b.g.addEventListener('click', () => zoom(b));
  document.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') zoom(root);
    if (e.key === '/' || (e.key === 'f' && (e.ctrlKey || e.metaKey))) {
      e.preventDefault();
      ask();
    }
  });
  svg.wickSvg = { search, zoom: (i) => zoom(boxes[i]), boxes, zoomed: () => zoomed };
})();
