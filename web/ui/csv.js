// SPDX-License-Identifier: Apache-2.0
// What a page shows as CSV, as src/codec/csv.c writes it: of each answer of the server that is shown, a table for each list in it, with the
// names and units of the API. So a table has all of its rows and figures, and a picture has what it is drawn from.

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

/** A text that a spreadsheet would take for a formula gets an apostrophe before it. */
const cell = (v) => (typeof v === 'string' ? `"${v.replace(/^[=+@\t\r-]/, "'$&").replaceAll('"', '""')}"` : v ?? '');

/** Objects as lines below their names. */
export function csvOf(rows) {
  const heads = [...new Set(rows.flatMap((r) => Object.keys(r)))];
  return [heads, ...rows.map((r) => heads.map((key) => r[key]))].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

/** Values over time as rows. */
function overTime(timeOf, columns) {
  return Array.from({ length: Math.max(0, ...columns.map(([, values]) => values.length)) }, (_, i) => ({ time_ns: timeOf(i), ...Object.fromEntries(columns.map(([name, values]) => [name, values[i]])) }));
}

/** The tables of an answer: name -> rows. Lists within rows are tables as well, with the first word of their row. */
export function tablesOf(answer) {
  const tables = new Map();
  const put = (name, rows, of) => rows.forEach((row) => {
    const out = { ...of };
    const lists = [];
    const walk = (key, v) => {
      if (isObject(v)) for (const [k, x] of Object.entries(v)) walk(key ? `${key}.${k}` : k, x);
      else if (!Array.isArray(v)) out[key] = v;
      else if (v.some(isObject)) lists.push([key, v]);
      else if (typeof v[0] === 'number') v.forEach((x, i) => { out[`${key}.${i}`] = x; });
      else out[key] = v.join(' | ');
    };
    walk(isObject(row) ? '' : name, row);
    const rowsOf = tables.get(name) ?? [];
    tables.set(name, rowsOf);
    rowsOf.push(out);
    const [, word] = Object.entries(out).find(([key, v]) => key !== 'of' && typeof v === 'string' && v) ?? ['', of.of];
    for (const [key, list] of lists) put(`${name}.${key}`, list, { of: word });
  });
  const start = answer.start_ns;
  if (answer.times_ns) {
    const { times_ns: times, parts, rows, others } = answer;
    const columns = parts ? parts.map((p) => [p.part, p.resident]) : [...rows.map((r) => [r.name, r.bytes]), ['others', others]];
    tables.set('series', overTime((i) => times[i], columns));
    if (rows) put('rows', rows.map(({ bytes, ...row }) => row), {});
    return tables;
  }
  if (answer.cell_ns) return new Map([['cells', overTime((i) => start + Math.floor(i / answer.rows) * answer.column_ns + (i % answer.rows) * answer.cell_ns, [['weight', answer.values]])]]);
  for (const [name, v] of Object.entries(answer)) {
    if (name === 'series') tables.set(name, overTime((i) => start + i * answer.bin_ns, v.map((s) => [`${s.name} (${s.unit})`, s.values])));
    else if (Array.isArray(v) && (v.some(isObject) || typeof v[0] === 'string')) put(name, answer.column_ns ? v.map((c, i) => ({ time_ns: start + i * answer.column_ns, ...c })) : v, {});
    else if (isObject(v)) for (const [key, list] of Object.entries(v)) if (Array.isArray(list) && list.some(isObject)) put(`${name}.${key}`, list, {});
  }
  return tables;
}
