/* SPDX-License-Identifier: GPL-2.0-only */
/* --- The page: controls, what was chosen, the place in the address --- */

const page = {};

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const button = (text, hint, act) => element('button', {type: 'button', title: hint, onclick: act}, text);

let waiting = 0;

/* Shows the view as it is now, and puts it into the address. */
function show() {
  const span = Math.max(view.t1 - view.t0, 1e3), tall = Math.max(view.p1 - view.p0, 64);
  view.t0 = Math.max(run.first - span * .9, Math.min(view.t0, run.last - span * .1));
  view.p0 = Math.max(-tall * .9, Math.min(view.p0, flow.top - tall * .1));
  [view.t1, view.p1] = [view.t0 + span, view.p0 + tall];
  if (waiting) return;
  waiting = requestAnimationFrame(() => {
    waiting = 0;
    draw();
    const place = [`end=${flow.end}`, `time=${Math.round(view.t0)}..${Math.round(view.t1)}`,
      `stream=${Math.round(view.p0)}..${Math.round(view.p1)}`, ...(chosen ? [`at=${chosen}`] : [])].join('&');
    if (location.hash !== '#' + place) history.replaceState(null, '', '#' + place);
  });
}

function zoom(factor, x, y, axes = 'tp') {
  const at = timeAt(x), position = positionAt(Math.min(y, screen.top));
  const inTime = Math.max(1e3, Math.min((view.t1 - view.t0) * factor, (run.last - run.first) * 2)) / (view.t1 - view.t0);
  const inStream = Math.max(64, Math.min((view.p1 - view.p0) * factor, flow.top * 2)) / (view.p1 - view.p0);
  if (axes.includes('t')) [view.t0, view.t1] = [at + (view.t0 - at) * inTime, at + (view.t1 - at) * inTime];
  if (axes.includes('p')) [view.p0, view.p1] = [position + (view.p0 - position) * inStream, position + (view.p1 - position) * inStream];
  show();
}

function pan(times, positions) {
  const span = (view.t1 - view.t0) * times, tall = (view.p1 - view.p0) * positions;
  view = {t0: view.t0 + span, t1: view.t1 + span, p0: view.p0 + tall, p1: view.p1 + tall};
  show();
}

/* The time in which payload is sent, arrives, and is delivered and acknowledged. */
function whole() {
  const times = flow.pieces.flatMap(({arrived, states}) => [arrived, ...states.map(state => state[2])]).filter(at => at < run.last);
  const [first, last] = [...flow.packets.news, ...flow.packets.again].map(extent => extent.time).concat(times).reduce(([a, b], at) => [Math.min(a, at), Math.max(b, at)], [run.last, run.first]);
  const margin = Math.max(1e6, (last - first) * .03);
  view = {t0: first - margin, t1: last + 2 * margin, p0: -flow.top * .02, p1: flow.top * 1.04};
  show();
}

/* Brings what is `at` into view: no wider than now, but with room around it. */
function bring({from, to, times}) {
  const t0 = Math.min(...times), t1 = Math.max(...times);
  const span = Math.min(view.t1 - view.t0, Math.max((t1 - t0) * 2.2, 4e7)), middle = (t0 + t1) / 2;
  [view.t0, view.t1] = [middle - span / 2, middle + span / 2];
  if (from < to) {
    const tall = Math.min(view.p1 - view.p0, Math.max((to - from) * 3, 24000)), centre = (from + to) / 2;
    [view.p0, view.p1] = [centre - tall * .4, centre + tall * .6];
  }
}

/* Chooses a thing, "packet-412": shows it in words, and where it is. Returns whether there is one. */
function choose(thing, move = true) {
  const found = describe(thing);
  if (!found) return false;
  chosen = thing;
  const parts = part => part.thing ? element('a', {href: `#end=${flow.end}&at=${part.thing}`}, part.text) : part;
  const list = element('dl');
  for (const [name, words] of found.lines) {
    list.append(element('dt', {}, name), element('dd', {}, ...[words].flat().flatMap(part => [parts(part), ' '])));
  }
  const inside = page.details.contains(document.activeElement);
  page.details.replaceChildren(element('h2', {}, found.title), list, ...(found.packet ? diagram(found.packet) : []));
  if (inside) page.details.focus({preventScroll: true}); // the link that was followed is gone
  if (move) bring(found.at);
  show();
  return true;
}

function forget() {
  chosen = '';
  page.details.replaceChildren();
  show();
}

function diagram(packet) {
  const fields = diagramOf(packet), strip = element('div', {className: 'strip', ariaHidden: 'true'}), body = element('tbody');
  let before;
  for (const {kind, name, octets: length, value, section, fpdu, cut, position} of fields) {
    const style = `--colour:var(--field-${kind});flex-grow:${Math.sqrt(length)}`;
    strip.append(element('span', {className: cut ? 'cut' : '', style, title: `${name}: ${octets(length)}`}, length > 13 ? name : ''));
    if (fpdu !== before) body.append(element('tr', {}, element('th', {colSpan: 5, scope: 'rowgroup'}, `FPDU ${fpdu.number}`)));
    before = fpdu;
    body.append(element('tr', {}, element('td', {style}, name), element('td', {className: 'number'}, count(length)),
      element('td', {className: 'number'}, position === undefined ? '' : count(position)),
      element('td', {}, [value, cut].filter(Boolean).join('; ')), element('td', {}, section)));
  }
  const titles = ['field', 'octets', 'position', 'value', 'document'].map(title => element('th', {scope: 'col'}, title));
  return [element('h3', {}, `The octets of packet ${packet}`), strip, element('div', {className: 'scroll', tabIndex: 0},
    element('table', {className: 'fields'}, element('thead', {}, element('tr', {}, ...titles)), body))];
}

/* A paragraph of `explain-peak`, with links to the peak, packets and FPDUs that it names. */
function explained(text) {
  const [, connection] = text.match(/[Cc]onnection (\d+)/) || [], parts = text.split(/(^Peak [\d,]+ octets?|packet [\d,]*\d|FPDU [\d,]+ of the \w+)/);
  return element('p', {}, ...parts.map((part, n) => {
    const number = Number((part.match(/[\d,]+/) || ['0'])[0].replaceAll(',', ''));
    const [end, thing] = part.startsWith('packet') ? [endOf(number), `packet-${number}`] :
      part.startsWith('FPDU') ? [2 * connection + part.endsWith('Responder'), `fpdu-${number}`] : [run.peak, `time-${run.peakAt}`];
    return n % 2 && run.ends.includes(end) ? element('a', {href: `#end=${end}&at=${thing}`}, part) : part;
  }));
}

const packetsOf = list => flow.packets[list].map(({packet, at}) => [`packet-${packet}`, at]);

/* What a word of the search, or a key, goes through: keys to the next and the one before, what it is, [thing, time] … */
const GOALS = {
  hole: ['nN', 'hole', () => flow.holes.map(hole => [`hole-${hole.number}`, hole.opened])],
  lost: ['lL', 'lost packet', () => packetsOf('drops')],
  again: ['rR', 'retransmission', () => packetsOf('again')],
  marker: ['mM', 'FPDU that a marker located', () => flow.fpdus.filter(f => f.locatedBy === 'marker').map(f => [`fpdu-${f.number}`, f.valid])],
  timeout: ['oO', 'time-out', () => flow.timeouts.map(i => [`time-${table('time_out').time[i]}`, table('time_out').time[i]])],
  segment: ['.,', 'segment', () => flow.packets.news.length ? [...packetsOf('news'), ...packetsOf('again')] :
    flow.pieces.filter(piece => piece.packet).map(piece => [`packet-${piece.packet}`, piece.arrived])], // of a replay
  post: ['uU', 'ULP message', () => flow.posts.map(({number, posted}) => [`post-${number}`, posted])],
  peak: ['p', 'peak', () => flow.peak.octets ? [[`time-${flow.peak.time}`, flow.peak.time]] : []],
};
const WORDS = {drop: 'lost', loss: 'lost', retransmission: 'again', 'time-out': 'timeout', rto: 'timeout'};
const EXAMPLES = 'packet 412, FPDU 17, message 2, post 3, hole 1, 770us, octet 5000, lost, again, hole, marker, timeout, peak';

/* The next one of a list after what is chosen, or the one before it; after the last comes the first. */
function step(name, way = 1) {
  const list = GOALS[name][2]().sort((a, b) => a[1] - b[1]), index = list.findIndex(([thing]) => thing === chosen);
  const found = index < 0 && chosen ? describe(chosen) : undefined, now = found ? Math.min(...found.at.times) : -Infinity;
  const after = index >= 0 ? index + way : firstIndex(list.length, i => list[i][1] >= now) - (way < 0 ? 1 : 0);
  const next = list.length && list[(after + list.length) % list.length];
  page.answer.value = next ? '' : `there is no ${GOALS[name][1]} here`;
  if (next) choose(next[0]);
}

function search(text) {
  const words = text.trim().toLowerCase(), numbered = words.match(/^(packet|segment|fpdu|message|post|hole)\s*#?\s*([\d,]+)$/);
  const moment = words.match(/^(?:at\s*)?([\d.,]+)\s*(ps|ns|us|\u00b5s|\u03bcs|ms|s)$/), octet = words.match(/^(?:stream|position|octet)\s*([\d,]+)$/);
  const plain = number => Number(number.replaceAll(',', '')), word = WORDS[words] || words;
  let thing = '';
  if (numbered) thing = `${numbered[1] === 'segment' ? 'packet' : numbered[1]}-${plain(numbered[2])}`;
  if (moment) thing = `time-${Math.round(plain(moment[1]) * {ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12}[moment[2].replace(/[\u00b5\u03bc]/, 'u')])}`;
  if (octet) {
    const [carrier = pieceAt(flow, plain(octet[1]))] = extentsIn(flow.packets.news, plain(octet[1]), plain(octet[1]) + 1);
    thing = carrier ? `packet-${carrier.packet}` : 'none';
  }
  page.answer.value = '';
  if (GOALS[word]) step(word);
  else if (!choose(thing)) {
    page.answer.value = thing ? 'there is none here' : `expected e.g. ${EXAMPLES}`;
  }
}

const KEYS = {
  ArrowLeft: () => pan(-.125, 0), ArrowRight: () => pan(.125, 0), ArrowUp: () => pan(0, .125), ArrowDown: () => pan(0, -.125),
  '+': () => zoomMiddle(.7), '=': () => zoomMiddle(.7), '-': () => zoomMiddle(1 / .7), 0: whole, '/': () => page.search.focus(), Escape: forget,
  x: () => zoomMiddle(.7, 't'), X: () => zoomMiddle(1 / .7, 't'), y: () => zoomMiddle(.7, 'p'), Y: () => zoomMiddle(1 / .7, 'p'),
};
const HELP = [['+ −', 'zoom; x X the time alone, y Y the stream alone; 0 the whole run'], ['← → ↑ ↓', 'move'], ['/', 'search'],
  ['Esc', 'choose nothing'], ['pointer', 'wheel: zoom (Shift: the time, Alt: the stream); drag: move; click: choose'], ['search', EXAMPLES]];
for (const [name, [keys, what]] of Object.entries(GOALS)) {
  [...keys].forEach((key, n) => { KEYS[key] = () => step(name, n ? -1 : 1); });
  HELP.push([[...keys].join(' '), keys.length > 1 ? `next, previous ${what}` : `the ${what}`]);
}

const zoomMiddle = (factor, axes) => zoom(factor, screen.left + screen.width / 2, screen.top / 2, axes);

/* What the address names, or the whole run. */
function restore() {
  const place = new Map(location.hash.slice(1).split('&').map(part => part.split('=')));
  const pair = name => (place.get(name) || '').match(/^(-?\d+)\.\.(-?\d+)$/), times = pair('time'), stream = pair('stream');
  const end = run.ends.find(each => String(each) === place.get('end')) ?? run.main;
  const isOther = !flow || flow.end !== end;
  if (isOther) flow = makeFlow(end);
  if (isOther || !place.has('at')) {
    page.end.value = end;
    page.notes.hidden = !flow.found.length;
    page.notes.lastChild.replaceChildren(...flow.found.map(note => element('li', {}, `${time(note.time_s * 1e12)}, octet ${count(note.position)}: ${noteWords(note)} `,
      element('a', {href: `#end=${end}&at=${noteLink(note).thing}`}, noteLink(note).text))));
    screen.used.clear();
    whole();
    forget();
  }
  if (times && stream) view = {t0: Number(times[1]), t1: Number(times[2]), p0: Number(stream[1]), p1: Number(stream[2])};
  if (place.has('at')) choose(place.get('at'), !(times && stream));
  show();
}

function listenToPointer(canvas, hint) {
  let start = null;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const axes = event.shiftKey ? 't' : event.altKey ? 'p' : 'tp';
    zoom(1.0015 ** (event.deltaY || event.deltaX), event.offsetX, event.offsetY, axes);
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    start = {x: event.offsetX, y: event.offsetY, view: {...view}, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const {offsetX: x, offsetY: y} = event;
    if (start && (start.moved || Math.hypot(x - start.x, y - start.y) > 4)) {
      start.moved = true;
      view = {...start.view};
      pan((start.x - x) / screen.width, start.y <= screen.top ? (y - start.y) / screen.height : 0);
    }
    const thing = start ? '' : nearest(x, y), found = thing && describe(thing);
    hint.hidden = !found;
    if (!found) return;
    hint.replaceChildren(element('strong', {}, found.title), ...found.lines.slice(0, 5).map(([name, words]) =>
      element('div', {}, `${name}: ${[words].flat().map(part => part.text || part).join(' ')}`)));
    hint.style.left = `${Math.max(0, Math.min(x + 14, canvas.clientWidth - hint.offsetWidth - 4))}px`;
    hint.style.top = `${y + 18 + hint.offsetHeight > canvas.clientHeight ? y - hint.offsetHeight - 12 : y + 18}px`;
  });
  canvas.addEventListener('pointerup', event => {
    const thing = start && !start.moved && nearest(event.offsetX, event.offsetY);
    start = null;
    if (thing) choose(thing, false);
  });
  canvas.addEventListener('pointercancel', () => { start = null; });
  canvas.addEventListener('pointerleave', () => { hint.hidden = true; });
}

function build() {
  const {capture} = run, {scenario = capture ? capture.file : 'a trace', seed, version = capture && capture.version} = run.about;
  const named = end => `${sideOf(end)}${capture ? ` ${capture.connections[end >> 1]?.[end % 2 ? 'responder' : 'initiator']}` : ''}`;
  const ends = run.ends.map(end => element('option', {value: end}, `connection ${Math.floor(end / 2)}, ${named(end)} to ${named(end ^ 1)}`));
  const facts = [seed === undefined ? '' : `seed ${seed}`, capture ? `a capture of ${count(capture.capture.packets)} packets` : '', version ? `iwarpsim ${version}` : '', `${time(run.last - run.first)}`].filter(Boolean);
  document.title = `${scenario} – iwarpsim timeline`;
  page.end = element('select', {ariaLabel: 'Connection', onchange: () => { location.hash = `end=${page.end.value}`; }}, ...ends);
  page.search = element('input', {type: 'search', placeholder: 'packet 412, FPDU 17, 770us, lost …', ariaLabel: 'Search'});
  page.answer = element('output');
  page.details = element('section', {className: 'details', tabIndex: -1, ariaLive: 'polite', ariaLabel: 'What was chosen'});
  page.details.dataset.hint = `Click an element, search, or press n for the first hole${capture ? '' : ', l for the first loss, p for the peak'}.`;
  screen.canvas = element('canvas', {tabIndex: 0, ariaLabel: 'The stream over time; keys are listed below'});
  screen.canvas.setAttribute('role', 'img');
  const form = element('form', {role: 'search', onsubmit: event => {
    event.preventDefault();
    search(page.search.value);
  }}, page.search, element('button', {}, 'Find')), hint = element('div', {className: 'hint', hidden: true});
  const tools = element('nav', {ariaLabel: 'View'}, page.end, form, button('Next hole', 'n', () => step('hole')),
    ...capture ? [] : [button('Next loss', 'l', () => step('lost')), button('The peak', 'p', () => step('peak'))], button('+', 'zoom in', () => zoomMiddle(.5)),
    button('−', 'zoom out', () => zoomMiddle(2)), button('Whole run', '0', whole), page.answer);
  page.notes = element('details', {open: true, hidden: true}, element('summary', {}, 'What decode notes of this direction'), element('ul'));
  page.legend = element('ul', {className: 'legend'}, ...Object.entries(capture ? {...LEGEND, ...LEGEND_CAPTURE} : LEGEND).map(([name, text]) =>
    element('li', {colour: name}, element('span', {className: `swatch ${name}`, style: `--colour:var(--${name})`}), text)));
  const help = element('details', {}, element('summary', {}, 'Keys, pointer, search'),
    element('dl', {}, ...HELP.flatMap(([keys, what]) => [element('dt', {}, keys), element('dd', {}, what)])));
  document.body.append(element('header', {}, element('h1', {}, String(scenario)), element('p', {}, facts.join(' · '))),
    element('section', {className: 'explained', hidden: !run.explained, ariaLabel: 'The peak, and what failed'}, ...run.explained.split('\n').filter(Boolean).map(explained)), tools,
    element('main', {}, element('div', {className: 'screen'}, page.legend, element('div', {className: 'frame'}, screen.canvas, hint), page.notes, help), page.details));
  listenToPointer(screen.canvas, hint);
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select') || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  addEventListener('resize', show);
  addEventListener('hashchange', restore);
  for (const media of ['(prefers-color-scheme: dark)', 'print']) matchMedia(media).addEventListener('change', () => draw());
}

async function start() {
  await readEvents(document.getElementById('events'));
  indexEvents();
  const sent = table('packet_sent'), {payload_octets: payload = []} = table('segment_sent');
  run.ip6 = Array.from(sent.packet || [], (packet, row) => sent.ip_octets[row] - payload[rowOf('segment_sent', packet)])
    .every(headers => !(headers < 60)); // of a fragment they are not known
  build();
  restore();
  document.body.dataset.ready = 'yes';
}

start();
