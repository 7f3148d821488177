// SPDX-License-Identifier: Apache-2.0
// What the pages that are single files need besides: their elements and data, light and dark.
export const byId = (id) => document.getElementById(id);

export const readData = () => JSON.parse(byId('data').textContent);

/** Light or dark: as chosen last, else as the system has it and changes it. */
export function startTheme() {
  const root = document.documentElement;
  let saved = null;
  try {
    saved = localStorage.getItem('wick-theme');
  } catch {
    /* no storage for file: pages in some browsers */
  }
  const media = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => {
    if (!saved) root.dataset.theme = media.matches ? 'dark' : 'light';
  };
  if (saved) root.dataset.theme = saved;
  follow();
  media.addEventListener('change', follow);
  const toggle = () => {
    saved = root.dataset.theme === 'dark' ? 'light' : 'dark';
    root.dataset.theme = saved;
    try {
      localStorage.setItem('wick-theme', saved);
    } catch {
      /* as above */
    }
  };
  byId('theme').addEventListener('click', toggle);
  document.addEventListener('keydown', (e) => {
    if (e.key === 'd' && !e.ctrlKey && !e.metaKey && !e.altKey) toggle();
  });
}
