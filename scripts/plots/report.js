/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of a report that can be sorted and filtered. Without it they are in the order of the sweep, and all their rows show. */

'use strict';
const UNITS = {'%': 1e-2, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3,
  'kbit/s': 1e3, 'Mbit/s': 1e6, 'Gbit/s': 1e9, 'Tbit/s': 1e12};

/* A cell without the interval below its number. */
function textOf(cell) {
  return cell.firstChild ? cell.firstChild.textContent.trim() : '';
}

/* What a cell is sorted by: its number in base units, or NaN and its text. */
function sortKey(cell) {
  const text = textOf(cell);
  const parts = text.replace('\u2212', '-').match(/^(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)[\s\u2007\u2008]*(\S*)$/);
  return {number: parts ? parts[1] * (UNITS[parts[2]] || 1) : NaN, text};
}

/* Numbers come before texts, and what is empty last. */
function compare(a, b, sign) {
  if (!a.text !== !b.text) return a.text ? -1 : 1;
  const apart = isNaN(a.number) - isNaN(b.number);
  if (apart) return apart;
  return sign * (isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number);
}

function sortable(table, heading, column) {
  const button = document.createElement('span'); // a <button> is not printed where a page repeats the heading
  button.setAttribute('role', 'button');
  button.tabIndex = 0;
  button.append(...heading.childNodes);
  heading.append(button);
  button.addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      button.click();
    }
  });
  button.addEventListener('click', () => {
    const sign = heading.getAttribute('aria-sort') === 'ascending' ? -1 : 1, body = table.tBodies[0];
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    const rows = Array.from(body.rows, row => ({row, key: sortKey(row.cells[column])}));
    body.append(...rows.sort((a, b) => compare(a.key, b.key, sign)).map(entry => entry.row));
  });
}

/* A row stays when each word that is typed begins one of its cells. */
function filterable(table, tools) {
  const input = document.createElement('input'), count = document.createElement('output');
  const rows = Array.from(table.tBodies[0].rows, row => ({row,
    cells: Array.from(row.cells, cell => textOf(cell).toLowerCase())}));
  input.type = 'search';
  input.placeholder = 'filter rows';
  input.setAttribute('aria-label', 'Show only rows with cells that begin with these words');
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const {row, cells} of rows) row.hidden = !words.every(word => cells.some(cell => cell.startsWith(word)));
    count.value = words.length ? `${rows.filter(({row}) => !row.hidden).length} of ${rows.length} rows` : '';
  });
  tools.prepend(input, count);
}

for (const tools of document.querySelectorAll('.tools')) {
  const table = tools.nextElementSibling.querySelector('table');
  if (table.tBodies[0].rows.length > 1) {
    Array.from(table.tHead.rows[0].cells).forEach((heading, column) => sortable(table, heading, column));
    filterable(table, tools);
  }
}
