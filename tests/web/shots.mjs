// SPDX-License-Identifier: Apache-2.0
// Screenshots against references. What is compared are thumbnails, a sixteenth as wide: letters become shades there, so another
// version of a font or browser changes little, and what is moved, missing, overlapping or of another colour changes much. The references
// are small images under shots/, which show what the pages are like; WICK_WEB_UPDATE=1 writes them anew, to be checked before they
// are committed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(new URL('.', import.meta.url).pathname, 'shots');
const HALVINGS = 4;
const FAR = 28; // of 255: a dot of a thumbnail differs visibly
const MOST_FAR = 0.02; // of all dots

/** In the browser: the thumbnail of a screenshot, and how much of it differs from the reference. */
async function compareInPage({ png, reference, halvings, far }) {
  const load = async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    return image;
  };
  const drawn = (image, width, height) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, height];
    canvas.getContext('2d').drawImage(image, 0, 0, width, height);
    return canvas;
  };
  let small = await load(png);
  for (let i = 0; i < halvings; i++) small = drawn(small, Math.max(1, small.width >> 1), Math.max(1, small.height >> 1));
  const out = { thumbnail: small.toDataURL('image/png').split(',')[1], share: 1, size: `${small.width} x ${small.height}` };
  if (!reference) return out;
  const kept = await load(reference);
  // a page may be a line longer with another font; what both have is compared
  if (kept.width !== small.width || Math.abs(kept.height - small.height) > 2) return { ...out, size: `${out.size}, not ${kept.width} x ${kept.height}` };
  const height = Math.min(kept.height, small.height);
  const pixels = (image) => drawn(image, image.width, image.height).getContext('2d').getImageData(0, 0, kept.width, height).data;
  const [a, b] = [pixels(small), pixels(kept)];
  let n = 0;
  for (let i = 0; i < a.length; i += 4) if (Math.max(Math.abs(a[i] - b[i]), Math.abs(a[i + 1] - b[i + 1]), Math.abs(a[i + 2] - b[i + 2])) > far) n++;
  return { ...out, share: n / (a.length / 4) };
}

export class Shots {
  /** @param browser of Playwright; pages of its own compare @param out where the thumbnails of what differs are written */
  constructor(browser, out) {
    this.browser = browser;
    this.out = out;
  }

  /** What is wrong with a screenshot, '' if nothing is. */
  async differs(name, png) {
    this.page ??= await (await this.browser.newContext()).newPage();
    const file = join(FOLDER, name);
    const update = process.env.WICK_WEB_UPDATE === '1';
    const reference = !update && existsSync(file) ? readFileSync(file).toString('base64') : null;
    const { thumbnail, share, size } = await this.page.evaluate(compareInPage, { png: png.toString('base64'), reference, halvings: HALVINGS, far: FAR });
    if (update) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, Buffer.from(thumbnail, 'base64'));
      return '';
    }
    if (share <= MOST_FAR) return '';
    writeFileSync(join(this.out, `thumb-${name}`), Buffer.from(thumbnail, 'base64'));
    return reference ? `${name}: ${(share * 100).toFixed(1)} % of its dots differ (${size}); WICK_WEB_UPDATE=1 takes it as it is now` : `${name} has no reference`;
  }
}
