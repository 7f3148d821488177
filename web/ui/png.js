// SPDX-License-Identifier: Apache-2.0
// Pictures of a page as PNG files, made in the browser from what is drawn: a canvas as it is, an SVG shape by shape with the styles that
// it has, since a page that loads no image from elsewhere cannot load its own SVG as one. Two dots for each pixel. An SVG is there as a
// file of its own as well, with its styles as attributes.
import { cleanText } from '../flame/text.js';

const SCALE = 2;
const LEAST = 24; // smaller ones are signs, not pictures
const TRACE = '#trace';
const MOST_DOTS = 16000; // a side, which all browsers draw

const isSeen = (style) => style.display !== 'none' && style.visibility !== 'hidden' && Number(style.opacity) > 0;

function number(e, name) {
  return e[name]?.baseVal?.value ?? 0;
}

/** The outline of a shape. */
function outline(e) {
  if (e.tagName === 'path') return new Path2D(e.getAttribute('d') ?? '');
  const path = new Path2D();
  if (e.tagName === 'rect') {
    const [x, y, w, tall, r] = ['x', 'y', 'width', 'height', 'rx'].map((name) => number(e, name));
    if (path.roundRect) path.roundRect(x, y, w, tall, Math.min(r, w / 2, tall / 2));
    else path.rect(x, y, w, tall);
  } else if (e.tagName === 'circle') path.arc(number(e, 'cx'), number(e, 'cy'), number(e, 'r'), 0, 2 * Math.PI);
  else if (e.tagName === 'line') {
    path.moveTo(number(e, 'x1'), number(e, 'y1'));
    path.lineTo(number(e, 'x2'), number(e, 'y2'));
  } else if (e.points) {
    for (const p of e.points) path.lineTo(p.x, p.y);
    if (e.tagName === 'polygon') path.closePath();
  } else return null;
  return path;
}

function drawText(ctx, e, style) {
  ctx.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  ctx.textAlign = { middle: 'center', end: 'right' }[style.textAnchor] ?? 'left';
  ctx.textBaseline = { middle: 'middle', central: 'middle', hanging: 'hanging' }[style.dominantBaseline] ?? 'alphabetic';
  ctx.fillStyle = style.fill;
  const text = [...e.childNodes].filter((n) => n.nodeName !== 'title').map((n) => n.textContent).join('');
  const lengths = (list) => (list?.numberOfItems ? list.getItem(0).value : 0);
  ctx.fillText(cleanText(text), lengths(e.x?.baseVal) + lengths(e.dx?.baseVal), lengths(e.y?.baseVal) + lengths(e.dy?.baseVal));
}

function drawShape(ctx, e, style) {
  const path = outline(e);
  if (!path) return;
  if (style.fill !== 'none' && e.tagName !== 'line') {
    ctx.globalAlpha *= Number(style.fillOpacity);
    ctx.fillStyle = style.fill;
    ctx.fill(path, style.fillRule);
  }
  if (style.stroke === 'none') return;
  ctx.strokeStyle = style.stroke;
  ctx.lineWidth = Number.parseFloat(style.strokeWidth) || 0;
  ctx.lineCap = style.strokeLinecap;
  ctx.lineJoin = style.strokeLinejoin;
  ctx.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat));
  if (ctx.lineWidth > 0) ctx.stroke(path);
}

function drawNode(ctx, e, alpha) {
  const style = getComputedStyle(e);
  if (!isSeen(style) || e.tagName === 'title') return;
  const here = alpha * Number(style.opacity);
  if (['g', 'a', 'svg'].includes(e.tagName)) {
    ctx.save();
    if (e.tagName === 'svg') ctx.translate(number(e, 'x'), number(e, 'y'));
    for (const child of e.children) drawNode(ctx, child, here);
    ctx.restore();
    return;
  }
  ctx.save();
  const m = e.getCTM?.();
  if (m) ctx.transform(m.a, m.b, m.c, m.d, m.e, m.f);
  ctx.globalAlpha = here;
  if (e.tagName === 'text') drawText(ctx, e, style);
  else drawShape(ctx, e, style);
  ctx.restore();
}

/** What lies behind an element: the first colour that is not transparent. */
function backgroundOf(e) {
  for (let at = e; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (!/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor)) return backgroundColor;
  }
  return '#ffffff';
}

function drawPicture(ctx, picture, width, height) {
  if (picture instanceof HTMLCanvasElement) ctx.drawImage(picture, 0, 0, width, height);
  else {
    if (getComputedStyle(picture).overflow !== 'visible') {
      ctx.beginPath();
      ctx.rect(0, 0, width, height);
      ctx.clip();
    }
    for (const child of picture.children) drawNode(ctx, child, 1);
  }
}

/** The words of an element itself, line by line, cut off where it is. */
function drawWords(ctx, node, at) {
  const e = node.parentElement;
  const style = getComputedStyle(e);
  const clip = e.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(node);
  const [r] = range.getClientRects();
  if (!r || !isSeen(style) || r.width < 2 || !node.textContent.trim()) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(clip.left - at.left, clip.top - at.top, clip.width, clip.height);
  ctx.clip();
  ctx.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  ctx.fillStyle = style.color;
  ctx.textBaseline = 'middle';
  ctx.fillText(cleanText(node.textContent.trim()), r.left - at.left, r.top - at.top + r.height / 2);
  ctx.restore();
}

/** A part of the page that is made of several pictures with words beside them. */
function drawPart(ctx, part, at) {
  for (const node of part.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) drawWords(ctx, node, at);
    else if (!(node instanceof Element) || node.matches('button, .unseen, [hidden], #detail') || !isSeen(getComputedStyle(node))) continue;
    else if (node.matches('.swatch')) {
      const r = node.getBoundingClientRect();
      ctx.fillStyle = getComputedStyle(node).backgroundColor;
      ctx.fillRect(r.left - at.left, r.top - at.top, r.width, r.height);
    } else if (node.matches('svg, canvas')) {
      const r = node.getBoundingClientRect();
      ctx.save();
      ctx.translate(r.left - at.left, r.top - at.top);
      ctx.fillStyle = getComputedStyle(node).backgroundColor;
      ctx.fillRect(0, 0, r.width, r.height);
      drawPicture(ctx, node, r.width, r.height);
      ctx.restore();
    } else drawPart(ctx, node, at);
  }
}

/** A picture as a canvas. @param {Element} picture an SVG, a canvas, or a part of the page with some of them */
export function rasterOf(picture) {
  const { width, height } = picture.getBoundingClientRect();
  const scale = Math.min(SCALE, MOST_DOTS / Math.max(width, height, 1));
  const out = document.createElement('canvas');
  out.width = Math.max(1, Math.round(width * scale));
  out.height = Math.max(1, Math.round(height * scale));
  const ctx = out.getContext('2d');
  ctx.fillStyle = backgroundOf(picture);
  ctx.fillRect(0, 0, out.width, out.height);
  ctx.scale(scale, scale);
  if (picture.matches('svg, canvas')) drawPicture(ctx, picture, width, height);
  else drawPart(ctx, picture, picture.getBoundingClientRect());
  return out;
}

const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline', 'paint-order'];

/** An SVG of the page as the text of a file that needs no style sheet. */
export function svgOf(picture) {
  const { width, height } = picture.getBoundingClientRect();
  const copy = picture.cloneNode(true);
  const of = [picture, ...picture.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((e, i) => {
    const style = getComputedStyle(of[i]);
    const above = i ? getComputedStyle(of[i].parentNode) : null;
    const isSame = (key) => above && key !== 'opacity' && !e.hasAttribute(key) && style.getPropertyValue(key) === above.getPropertyValue(key); // inherited
    if (e.tagName === 'title') e.textContent = cleanText(e.textContent);
    else if (!isSeen(style)) e.setAttribute('visibility', 'hidden');
    else for (const key of STYLES) if (!isSame(key)) e.setAttribute(key, style.getPropertyValue(key));
    for (const name of ['class', 'tabindex', 'style', 'data-node']) e.removeAttribute(name);
  });
  const ground = document.createElementNS(copy.namespaceURI, 'rect');
  const put = (e, attributes) => Object.entries(attributes).forEach(([key, value]) => e.setAttribute(key, value));
  put(ground, { x: copy.viewBox.baseVal?.x ?? 0, y: copy.viewBox.baseVal?.y ?? 0, width: '100%', height: '100%', fill: backgroundOf(picture) });
  copy.prepend(ground);
  put(copy, { width, height });
  return new XMLSerializer().serializeToString(copy);
}

/** What a picture is called: by its own label, else by what it lies in. */
function nameOf(picture) {
  const labelled = picture.getAttribute('aria-label') ? picture : picture.closest('[aria-label]');
  return cleanText(labelled?.getAttribute('aria-label') ?? 'Picture').split(/[;:]/)[0];
}

/** All pictures that a part of the page shows: [{name, picture}]. */
export function picturesIn(root) {
  const trace = root.querySelector(TRACE);
  const out = trace?.querySelector('svg') ? [{ name: 'Trace', picture: trace }] : [];
  for (const picture of root.querySelectorAll('svg, canvas')) {
    const { width, height } = picture.getBoundingClientRect();
    const isLayer = picture instanceof HTMLCanvasElement && picture.previousElementSibling instanceof HTMLCanvasElement; // what the pointer marks
    if (width < LEAST || height < LEAST || isLayer || picture.matches('.spark') || picture.closest(`button, summary, dialog, ${TRACE}`)) continue;
    out.push({ name: nameOf(picture), picture });
  }
  return out;
}

/** A file name of a recording's and a picture's name, in characters that need no quoting. */
export function fileNameOf(recording, picture, ending = 'png') {
  const plain = (text) => text.replace(/\.[^.]*$/, '').replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60).toLowerCase();
  return `${plain(recording) || 'recording'}-${plain(picture) || 'picture'}.${ending}`;
}

/** Has the browser keep a picture as a file. */
export async function savePng(picture, file) {
  const blob = await new Promise((done) => { rasterOf(picture).toBlob(done, 'image/png'); });
  if (!blob) throw new Error('The picture is too large for the browser');
  keepFile(blob, file);
}

export function keepFile(blob, file) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = file;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60e3);
}
