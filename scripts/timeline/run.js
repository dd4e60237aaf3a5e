/* SPDX-License-Identifier: GPL-2.0-only */
/* A run over time (docs/timeline.md). model/timeline/timeline_page.c describes how the events stand in the page. What the
 * trace holds is put into the page as text only, never as markup. */
'use strict';

/* --- The events: a table for each kind, with an array for each column --- */

const NONE = {rows: 0, end: []};
const run = {about: {}, notes: [], names: [], tables: {}, packets: {}, nodes: new Map(), sources: new Map(), became: new Map(), ends: [], first: 0, last: 0};
const table = name => run.tables[name] || NONE;

async function readEvents(element) {
  const octets = Uint8Array.from(atob(element.textContent), c => c.charCodeAt(0));
  element.remove();
  const page = await new Response(new Blob([octets]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
  [run.names, run.explained] = [page.names, page.explained];
  try { // what the trace is of
    run.about = Object(JSON.parse(page.about));
    // Of a capture: lines of `decode --json`, and last what `decode --summary --json` prints.
    if (run.about[run.about.length - 1].capture.packets) [run.capture, run.notes] = [run.about.pop(), run.about];
  } catch (_) {}
  for (const [name, columns] of Object.entries(page.events)) {
    const made = run.tables[name] = {rows: columns.end.length};
    for (const [column, changes] of Object.entries(columns)) {
      const last = [], ends = ['end', 'time', 'packet', 'node'].includes(column) ? [] : made.end;
      made[column] = Float64Array.from(changes, (change, i) => last[ends[i] || 0] = (last[ends[i] || 0] || 0) + change);
    }
  }
}

const nameOf = (columns, field, row) => run.names[columns[field][row]];

/* The rows of an event at `end`, in the order of time. */
const rowsAt = (name, end) => Array.from(table(name).end, (of, row) => of === end ? row : -1).filter(row => row >= 0);

const addTo = (map, key, value) => map.set(key, map.get(key) || []).get(key).push(value);

/* Which rows a packet has, and which ends send payload. */
function indexEvents() {
  for (const name of ['segment_sent', 'packet_made', 'packet_sent', 'packet_dropped', 'packet_arrived', 'segment_arrived',
    'packet_marked', 'packet_damaged', 'segment_refused']) {
    const index = run.packets[name] = new Map(), columns = table(name);
    for (let i = columns.rows - 1; i >= 0; i--) index.set(columns.packet[i], i);
  }
  const made = table('packet_made'), parts = table('packet_part');
  const join = (packet, source) => source && addTo(run.sources, packet, source) && addTo(run.became, source, packet);
  for (let i = 0; i < made.rows; i++) join(made.packet[i], made.fragment_of[i]);
  for (let i = 0; i < parts.rows; i++) join(parts.packet[i], parts.of[i]);
  // Of a replay there are arrivals alone.
  const payload = new Map(), isSent = table('segment_sent').rows > 0, sent = table(isSent ? 'segment_sent' : 'segment_arrived');
  for (let i = 0; i < sent.rows; i++) {
    const end = isSent ? sent.end[i] : sent.end[i] ^ 1;
    payload.set(end, (payload.get(end) || 0) + sent.payload_octets[i]);
  }
  for (const {rows, end, node} of [table('segment_sent'), table('segment_arrived')]) { // the host of each end
    for (let i = 0; i < rows; i++) run.nodes.set(end[i], node[i]);
  }
  const largest = Math.max(0, ...payload.values());
  const noted = new Set(run.notes.filter(note => note.type === 'fpdu' || (note.type === 'note' && note.kind !== 'fin'))
    .map(note => 2 * note.connection + note.direction));
  const {octets = [], end: peakEnd, at_ps: peakAt} = table('peak'), fullest = octets.indexOf(Math.max(...octets)); // of all hosts
  run.peak = octets[fullest] ? peakEnd[fullest] ^ 1 : -1; // who sends what is held then
  run.peakAt = peakAt?.[fullest];
  noted.add(run.peak);
  run.ends = [...payload.keys()].filter(end => payload.get(end) > largest / 100 || noted.has(end)).sort((a, b) => a - b);
  run.main = run.ends.find(end => end === run.peak) ?? run.ends.find(end => payload.get(end) === largest) ?? 0;
  const {open = [], at_ps: since} = table('measured'); // outside of measure.from and measure.to:
  run.unmeasured = [...open].flatMap((is, i) => is ? [] : [[since[i], since[i + 1] ?? Infinity]]);
  const tables = Object.values(run.tables);
  run.first = tables.reduce((first, {time: at}) => at.reduce((a, b) => Math.min(a, b), first), Infinity);
  run.last = tables.reduce((last, {time: at}) => at.reduce((a, b) => Math.max(a, b), last), run.first + 1);
}

const rowOf = (name, packet) => run.packets[name].get(packet) ?? -1;
const endOf = packet => table('segment_sent').end?.[rowOf('segment_sent', packet)] ?? table('packet_made').end?.[rowOf('packet_made', packet)];

/* The first index in [0, count) of which `is` is true, `count` if none is; is(i) never turns false again. */
function firstIndex(count, is) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* --- One direction: what an end sends, and what becomes of it at the other one --- */

const MARKER_PERIOD = 512, MARKER_OCTETS = 4;
const CAUSES = ['incomplete', 'unlocated', 'order', 'fragment', 'processing'];
const OPCODES = ['RDMA Write', 'Read Request', 'Read Response', 'Send', 'Send with Invalidate', 'Send with Solicited Event',
  'Send with Solicited Event and Invalidate', 'Terminate'];
let flow;

function makeFlow(end) {
  const peer = end ^ 1, sent = table('segment_sent'), made = {end, peer};
  const rows = rowsAt('segment_sent', end);
  const payload = rows.filter(i => sent.payload_octets[i] > 0);
  const plain = rows.find(i => !(sent.flags[i] & 2));
  const proxy = rowsAt('packet_made', end).find(i => nameOf(table('packet_made'), 'place', i) === 'proxy'); // its SYN
  made.sequence = plain === undefined ? 0 : sent.sequence[plain] - sent.position[plain]; // of position 0; a proxy has its own
  if (proxy !== undefined) made.sequence = table('packet_made').sequence[proxy] + 1;
  made.news = payload.filter(i => !sent.again[i]);
  made.again = payload.filter(i => sent.again[i]);
  made.window = rowsAt('window', end);
  made.sacks = rowsAt('sack_sent', peer);
  made.held = rowsAt('held', peer).filter((row, n, all) => table('held').time[row] !== table('held').time[all[n + 1]]);
  made.queued = rowsAt('packet_queued', end);
  made.timeouts = rowsAt('time_out', end);
  made.notes = run.notes.filter(note => 2 * note.connection + note.direction === end);
  const {problems = []} = run.capture?.connections[end >> 1]?.directions[end % 2] || {};
  const saysMore = ({kind}) => made.notes.filter(note => note.type === 'note').flatMap(note => note.problems || []).find(problem => problem.kind === kind);
  made.found = [...made.notes.filter(note => !note.problems || note.kind === 'startup'), ...problems.filter(each => !each.kind.startsWith('startup')).map(each => ({type: 'note', ...each, time_s: each.first_s, problems: [{...each, ...saysMore(each)}],
    packets: [each.packet, each.packet]}))].sort((a, b) => a.time_s - b.time_s); // of each problem the first
  made.dropRows = rowsAt('packet_dropped', end);
  made.full = rowsAt('full_operation', peer)[0];
  const full = table('full_operation');
  made.begin = made.full === undefined ? Infinity : full.receives_from[made.full];
  made.markers = made.full !== undefined && full.markers[made.full] === 1;
  made.packets = {
    news: extentsOf(made, 'segment_sent', made.news),
    again: extentsOf(made, 'segment_sent', made.again),
    drops: extentsOf(made, 'packet_dropped', made.dropRows),
  };
  readArrivals(made);
  readFpdus(made);
  readMessages(made);
  readPosts(made);
  splitPieces(made);
  readPeak(made);
  made.top = Math.max(made.high, 1, ...made.news.slice(-1).map(i => sent.position[i] + sent.payload_octets[i]));
  return made;
}

/* Where the payload of a packet is in the stream; undefined where it is no segment of this direction or an ACK. */
function extentOf(packet, made = flow) {
  const sent = table('segment_sent'), parts = table('packet_made');
  const s = rowOf('segment_sent', packet), m = rowOf('packet_made', packet);
  if (s >= 0) {
    return {packet, end: sent.end[s], time: sent.time[s], from: sent.position[s], to: sent.position[s] + sent.payload_octets[s]};
  }
  if (m >= 0 && parts.fragment_of[m] > 0 && parts.fragment_of[m] < packet) { // that of the segment
    return {...extentOf(parts.fragment_of[m], made), packet, time: parts.time[m]};
  }
  const taken = table('segment_arrived'), t = rowOf('segment_arrived', packet);
  if (m < 0 && t >= 0) return {packet, end: taken.end[t] ^ 1, time: taken.time[t], from: taken.position[t], to: taken.position[t] + taken.payload_octets[t]}; // of a replay
  if (m < 0 || parts.end[m] !== made.end || parts.sequence[m] === 0) return undefined;
  const from = ((parts.sequence[m] - made.sequence) % 2 ** 32 + 2 ** 32) % 2 ** 32;
  return {packet, end: made.end, time: parts.time[m], from, to: from + parts.payload_octets[m]};
}

/* The extents of the packets of `rows`, by position; those without payload are left out. */
function extentsOf(made, name, rows) {
  const {packet, time: times} = table(name);
  const list = rows.map(i => ({...extentOf(packet[i], made), at: times[i]})).filter(extent => extent.to > extent.from);
  list.sort((a, b) => a.from - b.from);
  list.longest = list.reduce((longest, extent) => Math.max(longest, extent.to - extent.from), 0);
  return list;
}

/* Those of `list` that have octets of [from, to). */
const extentsIn = (list, from, to) => list.slice(firstIndex(list.length, n => list[n].from > from - list.longest),
  firstIndex(list.length, n => list[n].from >= to)).filter(extent => extent.to > from);

/* Their packets, as they were sent, but `but`. */
const packetsIn = (list, from, to, but) => [...new Set(extentsIn(list, from, to).sort((a, b) => a.packet - b.packet)
  .map(extent => extent.packet))].filter(packet => packet !== but);

/* Which octets arrived first when (`pieces`), and what was missing for how long (`holes`). */
function readArrivals(made) {
  const arrived = table('segment_arrived'), pieces = made.pieces = [];
  let gaps = [];
  made.holes = [];
  made.high = 0;
  for (const i of rowsAt('segment_arrived', made.peer)) {
    const from = arrived.position[i], to = from + arrived.payload_octets[i], time = arrived.time[i];
    const packet = arrived.packet[i];
    if (arrived.new_octets[i] === 0) continue; // a duplicate, or refused
    gaps = gaps.flatMap(gap => {
      const low = Math.max(gap.from, from), high = Math.min(gap.to, to);
      if (low >= high) return [gap];
      pieces.push({from: low, to: high, arrived: time, packet, since: gap.hole.opened});
      gap.hole.left -= high - low;
      gap.hole.fillers.push(packet);
      if (gap.hole.left === 0) gap.hole.filled = time;
      return [[gap.from, low], [high, gap.to]].filter(([a, b]) => a < b).map(([a, b]) => ({from: a, to: b, hole: gap.hole}));
    });
    if (from > made.high) {
      const hole = {number: made.holes.length + 1, from: made.high, to: from, opened: time, packet, filled: Infinity,
        left: from - made.high, fillers: []};
      made.holes.push(hole);
      gaps.push({from: made.high, to: from, hole});
    }
    if (to > made.high) {
      pieces.push({from: Math.max(from, made.high), to, arrived: time, packet, since: NaN});
      made.high = to;
    }
  }
  const windows = table('window');
  for (const gap of gaps) { // what is acknowledged is missing in the capture alone
    const row = made.window[firstIndex(made.window.length, n => windows.acknowledged[made.window[n]] >= gap.to)];
    gap.hole.filled = row === undefined ? Infinity : windows.time[row];
    pieces.push({from: gap.from, to: gap.to, arrived: gap.hole.filled, packet: 0, since: gap.hole.opened});
  }
  pieces.sort((a, b) => a.from - b.from);
  let latest = 0;
  for (const piece of pieces) piece.inOrder = latest = Math.max(latest, piece.arrived); // all up to its end is there
}

/* The pieces, or the FPDUs, of `list` that have octets of [from, to); the piece that has the octet at `position`. */
const within = (list, from, to) => list.slice(firstIndex(list.length, i => list[i].to > from), firstIndex(list.length, i => list[i].from >= to));
const pieceAt = (made, position) => within(made.pieces, position, position + 1)[0];

/* Positions of the markers of [from, to); a damaged trace may have an FPDU without end. */
function markersOf(made, from, to) {
  const found = [], end = Math.min(to, from + 2 ** 17);
  if (!made.markers) return found;
  let at = made.begin + Math.ceil((from - made.begin) / MARKER_PERIOD) * MARKER_PERIOD;
  for (; at < end; at += MARKER_PERIOD) found.push(at);
  return found;
}

function readFpdus(made) {
  const sent = table('fpdu_sent'), located = table('fpdu_located'), valid = table('fpdu_valid'), placed = table('placed');
  const delivered = table('delivered');
  const byPosition = name => {
    const index = new Map(), columns = table(name);
    for (const i of rowsAt(name, made.peer)) index.set(columns.position[i], i);
    return index;
  };
  const locates = byPosition('fpdu_located'), valids = byPosition('fpdu_valid'), places = byPosition('placed'), deliveries = byPosition('delivered');
  const time = (columns, row, otherwise = Infinity) => row === undefined ? otherwise : columns.time[row];
  const of = sent.rows ? sent : valid, rows = sent.rows ? rowsAt('fpdu_sent', made.end) : [...valids.values()]; // of a replay
  made.fpdus = rows.sort((a, b) => of.position[a] - of.position[b]).map((i, n) => {
    const from = of.position[i], l = locates.get(from), v = valids.get(from), p = places.get(from), d = deliveries.get(from);
    const [header, row] = sent.rows ? [sent, i] : [placed, p], whole = time(valid, v);
    return {row: i, number: sent.fpdu?.[i] || n + 1, from, to: from + of.octets[i], opcode: header.opcode?.[row], last: header.last?.[row],
      validRow: v, located: time(located, l, whole), valid: whole, placed: time(placed, p, whole), delivered: time(delivered, d, time(placed, p)),
      locatedBy: v === undefined ? '' : nameOf(valid, 'located_by', v), late: p !== undefined && placed.out_of_order[p] === 1};
  });
  made.byNumber = new Map(made.fpdus.map(fpdu => [fpdu.number, fpdu]));
  if (run.capture) locateCaptured(made);
}

/* A capture has no fpdu_located: an FPDU is located by the chain, a marker, or the FPDU before it, once its length is there. */
function locateCaptured(made) {
  const arrivalOf = (from, to) => Math.max(...within(made.pieces, from, to).map(piece => piece.arrived));
  let before = -Infinity; // when the FPDU before was valid
  made.looksAhead = made.fpdus.some(f => f.locatedBy.startsWith('marker'));
  for (const fpdu of made.fpdus) {
    const marks = markersOf(made, fpdu.from, fpdu.to), header = fpdu.from + (marks[0] === fpdu.from ? MARKER_OCTETS : 0);
    const known = arrivalOf(header, header + 2), chain = pieceAt(made, fpdu.from - 1)?.inOrder ?? -Infinity;
    const ahead = made.looksAhead ? [before, ...marks.map(at => arrivalOf(at, at + MARKER_OCTETS))] : [];
    const start = fpdu.locatedBy === 'assumption' ? known : Math.min(chain, ...ahead);
    if (fpdu.locatedBy) fpdu.delivered = Math.max(fpdu.valid, pieceAt(made, fpdu.to - 1).inOrder);
    fpdu.located = Math.min(fpdu.valid, Math.max(known, start));
    before = fpdu.valid;
  }
}

/* A message is the FPDUs up to one with the L bit; the nth of an opcode is the nth operation of that opcode. */
function readMessages(made) {
  const posted = table('posted'), completed = table('completed'), queues = new Map();
  for (const i of rowsAt('posted', made.end)) addTo(queues, posted.opcode[i], i);
  const completions = new Map(rowsAt('completed', made.end).filter(i => !completed.receive[i]).map(i => [completed.work[i], i]));
  let message;
  made.messages = [];
  for (const fpdu of made.fpdus) {
    if (!message || fpdu.from > message.to) { // octets that are not known lie between
      const {opcode} = fpdu, post = (queues.get(opcode) || []).shift();
      message = {number: made.messages.length + 1, opcode, fpdus: [], from: fpdu.from, post,
        done: post === undefined ? undefined : completions.get(posted.work[post])};
      made.messages.push(message);
    }
    fpdu.message = message;
    message.fpdus.push(fpdu);
    message.to = fpdu.to;
    if (fpdu.last) message = undefined;
  }
}

/* The messages of the ULPs whose payload comes to the peer, as they are posted; `lanes`: those in one lane are one after the other. */
const LANES_MAX = 48;
function readPosts(made) {
  const ends = [];
  made.lanes = [];
  made.posts = [['message_complete', true], ['message_incomplete', false]].flatMap(([name, whole]) => rowsAt(name, made.peer).map(i => {
    const columns = table(name), at = field => columns[`${field}_ps`]?.[i] ?? Infinity, posted = at('posted');
    const post = {id: columns.id[i], traffic: nameOf(columns, 'traffic', i), operation: nameOf(columns, 'operation', i), octets: columns.octets[i], whole,
      posted, first: at('first'), placed: at('placed'), delivered: at('delivered'), completed: at('completed'), ideal: at('ideal')};
    post.until = Math.min(Math.max(post.completed, post.delivered), run.last); // a Write is complete before, where the last ACK was lost
    post.slowdown = post.ideal > 0 ? ((columns.answered?.[i] ? post.completed : post.delivered) - posted) / post.ideal : NaN;
    return post;
  })).sort((a, b) => a.posted - b.posted || a.id - b.id);
  made.posts.forEach((post, n) => { post.number = n + 1; });
  for (const post of made.posts) {
    let lane = ends.findIndex(until => until <= post.posted);
    if (lane < 0) lane = ends.length < LANES_MAX ? ends.length : ends.indexOf(Math.min(...ends));
    ends[lane] = Math.max(ends[lane] || 0, post.until);
    (made.lanes[lane] ||= []).push(post);
  }
}

/* Cuts the pieces where FPDUs begin, and gives each what it waits for from its arrival on: [state, from, to] … */
function splitPieces(made) {
  const cut = [], waits = made.looksAhead || made.held.some(i => table('held').unlocated[i] > 0) ? 'unlocated' : 'order';
  for (const piece of made.pieces) {
    let {from} = piece;
    for (const fpdu of within(made.fpdus, piece.from, piece.to)) {
      if (fpdu.from > from) cut.push({...piece, from, to: fpdu.from});
      cut.push({...piece, from: Math.max(from, fpdu.from), to: Math.min(fpdu.to, piece.to), fpdu});
      from = fpdu.to;
    }
    if (from < piece.to) cut.push({...piece, from});
  }
  for (const piece of cut) {
    const {arrived, fpdu} = piece, isLost = run.capture && piece.packet && piece.from >= made.begin;
    const steps = fpdu ? [[waits, fpdu.located], ['incomplete', fpdu.valid], ['processing', fpdu.placed], ['placed', fpdu.delivered]] :
      isLost ? [['unlocated', run.last]] : [];
    let now = arrived;
    piece.states = [];
    for (const [state, time] of steps) {
      const next = Math.min(time, run.last);
      if (next > now) piece.states.push([state, now, next]);
      now = Math.max(now, next);
    }
    piece.direct = fpdu ? fpdu.placed <= arrived : !run.capture;
  }
  made.pieces = cut;
}

/* The sum of what is held at `row`, by default without what is being processed. */
const heldAt = (row, causes = CAUSES.slice(0, 4)) => causes.reduce((sum, cause) => sum + table('held')[cause][row], 0);

/* The peak while it is measured, and what all connections of the host hold. What passes within one picosecond counts for nothing. */
function readPeak(made) {
  const held = table('held'), own = new Map(), pool = {rows: [], time: [], total: []};
  made.peak = {octets: 0, time: run.first};
  const measured = made.held.filter(row => !run.unmeasured.some(([from, to]) => from <= held.time[row] && held.time[row] < to));
  for (const row of measured) if (heldAt(row) > made.peak.octets) made.peak = {octets: heldAt(row), time: held.time[row]};
  for (let i = 0, total = 0; i < held.rows; i++) {
    if (held.node[i] !== run.nodes.get(made.peer)) continue;
    total += heldAt(i) - (own.get(held.end[i]) || 0);
    own.set(held.end[i], heldAt(i));
    if (pool.time[pool.rows.length - 1] !== held.time[i]) pool.rows.push(pool.rows.length);
    pool.time[pool.rows.length - 1] = held.time[i];
    pool.total[pool.rows.length - 1] = total;
  }
  made.pool = own.size > 1 ? pool : {rows: [], time: [], total: []};
}
