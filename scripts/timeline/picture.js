/* SPDX-License-Identifier: GPL-2.0-only */
/* --- Drawing: the stream above, and below it what is held, what TCP does, the queue --- */

const LEGEND = {sent: 'sent', again: 'sent again', lost: 'lost', hole: 'missing (hole)', direct: 'placed at once',
  incomplete: 'held: FPDU incomplete', unlocated: 'held: FPDU not located', order: 'held: out of order',
  fragment: 'held: fragments', processing: 'being placed', placed: 'placed, not delivered', ack: 'acknowledged',
  edge: 'window edge', sack: 'SACK block', flight: 'in flight', cwnd: 'cwnd', ssthresh: 'ssthresh', queue: 'queue', post: 'ULP message', unfinished: 'not complete in this run', put: 'last octet placed', given: 'delivered', unmeasured: 'not measured'};
const PANELS = [['held', 'held (octets)', 'held'], ['tcp', 'cwnd, ssthresh, in flight (octets)', 'window'], ['queue', 'queue (octets)', 'queued'], ['posts', 'ULP messages: posted to completed', 'posts']];
/* Of a capture, where the words differ. */
const LEGEND_CAPTURE = {sent: 'captured', again: 'captured late', direct: 'FPDU complete at once', incomplete: 'FPDU not complete', unlocated: 'FPDU not located',
  order: 'FPDU out of order', placed: 'FPDU complete beyond a hole', flight: 'not acknowledged'};
const screen = {left: 70, right: 10, strip: 10, gap: 20, colours: {}, used: new Set()};
let view, chosen = '', pen, drawn;

const X = at => screen.left + (at - view.t0) / (view.t1 - view.t0) * screen.width;
const Y = position => screen.top - (position - view.p0) / (view.p1 - view.p0) * screen.height;
const timeAt = x => view.t0 + (x - screen.left) / screen.width * (view.t1 - view.t0);
const positionAt = y => view.p0 + (screen.top - y) / screen.height * (view.p1 - view.p0);

function rectangle(colour, x, y, width, height) {
  pen.fillStyle = screen.colours[colour];
  pen.fillRect(x, y, width, height);
  screen.used.add(colour);
  drawn++;
}

/* Elements of one colour, by position: those that are lower than a pixel become one where they touch. */
class Layer {
  constructor(colour, least) {
    this.colour = colour;
    this.least = least;
    this.row = NaN;
  }

  add(t0, t1, from, to) {
    const left = Math.max(X(t0), screen.left - 4), right = Math.max(Math.min(X(t1), screen.left + screen.width + 4), left + this.least);
    const top = Math.max(Y(to), -4), bottom = Math.min(Y(from), screen.top + 4);
    if (right < screen.left || left > screen.left + screen.width || bottom < 0 || top > screen.top) return;
    if (bottom - top >= 1) {
      rectangle(this.colour, left, top, right - left, bottom - top > 4 ? bottom - top - .5 : bottom - top);
    } else if (Math.floor(top) === this.row && left <= this.right + 1 && right >= this.left - 1) {
      this.left = Math.min(this.left, left);
      this.right = Math.max(this.right, right);
    } else {
      this.flush();
      [this.row, this.left, this.right] = [Math.floor(top), left, right];
    }
  }

  flush() {
    if (this.row >= 0) rectangle(this.colour, this.left, this.row, this.right - this.left, 1);
  }
}

/* A line in steps through values of `rows` over time; in a column of pixels it goes to each height once. */
function stepLine(colour, rows, times, values, y, dash = []) {
  const first = Math.max(0, firstIndex(rows.length, n => times[rows[n]] > view.t0) - 1), heights = new Set();
  let column = NaN, last = NaN;
  pen.strokeStyle = screen.colours[colour];
  pen.setLineDash(dash);
  pen.beginPath();
  for (let i = first; i < rows.length && times[rows[i]] <= view.t1; i++) {
    const x = Math.max(screen.left, Math.round(X(times[rows[i]]))), now = Math.round(y(values[rows[i]]));
    if (x !== column) {
      heights.clear();
      if (last === last) pen.lineTo(x, last);
    }
    if (values[rows[i]] < 0) { // there is none
      [column, last] = [NaN, NaN];
      continue;
    }
    if (!heights.has(now)) {
      pen[last === last ? 'lineTo' : 'moveTo'](x, now);
      drawn++;
    }
    heights.add(now);
    [column, last] = [x, now];
  }
  if (last === last) {
    pen.lineTo(X(Math.min(view.t1, run.last)), last);
    screen.used.add(colour);
  }
  pen.stroke();
  pen.setLineDash([]);
}

/* For each column of pixels the row of the largest value in it; -1: none. What is there stays, if it is `lasting`. */
function tallest(rows, times, value, lasting) {
  const best = [], step = (view.t1 - view.t0) / screen.width;
  let next = firstIndex(rows.length, n => times[rows[n]] > view.t0), carried = lasting && next > 0 ? rows[next - 1] : -1;
  for (let column = 0; column < screen.width; column++) {
    let most = carried;
    for (; next < rows.length && times[rows[next]] <= view.t0 + (column + 1) * step; next++) {
      if (most < 0 || value(rows[next]) >= value(most)) most = rows[next];
      if (lasting) carried = rows[next];
    }
    best.push(view.t0 + column * step <= run.last ? most : -1);
  }
  return best;
}

/* Round numbers in [from, to], about one for `each` pixels. */
function ticks(from, to, pixels, each) {
  const rough = (to - from) / Math.max(1, pixels / each), power = 10 ** Math.floor(Math.log10(rough)), found = [];
  const step = Math.max([1, 2, 5, 10].find(n => n * power >= rough) * power, 1);
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at || 0); // not -0
  return found;
}

function label(text, x, y, align = 'right', colour = 'muted') {
  pen.fillStyle = screen.colours[colour];
  pen.textAlign = align;
  pen.fillText(text, x, y);
}

/* The mark of a retransmission, below it, and that of a loss. */
const MARKS = {again: new Path2D('M0 .4L-1 2H1.2Z'), lost: new Path2D('M-1.2-.8L-.8-1.2L0-.4L.8-1.2L1.2-.8L.4 0L1.2 .8L.8 1.2L0 .4L-.8 1.2L-1.2 .8L-.4 0Z')};

function mark(name, x, y, size) {
  pen.save();
  pen.translate(x, y);
  pen.scale(size, size);
  pen.fillStyle = screen.colours[name];
  pen.fill(MARKS[name]);
  pen.restore();
  screen.used.add(name);
  drawn++;
}

/* Boundaries of FPDUs, or of messages where those are too narrow, and markers, beside the axis. */
function drawPositions() {
  const {left, strip, width, top} = screen, x = left - strip;
  const wide = extent => (extent.to - extent.from) / (view.p1 - view.p0) * screen.height;
  const shown = within(flow.fpdus, view.p0, view.p1), fine = shown.length && wide(shown[0]) >= 4;
  const extents = fine ? shown : flow.messages.filter(m => m.to > view.p0 && m.from < view.p1);
  let below = Infinity;
  for (const extent of extents) {
    const y = Math.max(0, Y(extent.to)), bottom = Math.min(top, Y(extent.from));
    if (Math.floor(y) >= below) continue;
    below = Math.floor(y);
    rectangle(extent.number % 2 ? 'strip' : 'strip2', x, y, strip - 1, bottom - y);
    if (bottom < top && wide(extent) >= 12) rectangle('grid', left, bottom, width, 1);
    if (fine && bottom - y >= 22) label(`FPDU ${extent.number}`, left + 4, y + 10, 'left');
  }
  if (fine && shown.length && screen.height / (view.p1 - view.p0) * MARKER_PERIOD >= 6) {
    for (const at of markersOf(flow, view.p0, view.p1)) {
      rectangle('marker', x - 3, Y(at + MARKER_OCTETS), strip + 3, Math.max(2, Y(at) - Y(at + MARKER_OCTETS)));
    }
  }
}

function drawStream() {
  const layers = {}, sent = table('segment_sent'), windows = table('window'), blocks = table('sack_sent');
  const layer = (colour, least = 1) => layers[colour] || (layers[colour] = new Layer(colour, least));
  for (const kind of ['placed', 'hole']) layer(kind);
  for (const {from, to, arrived, since, states, direct} of within(flow.pieces, view.p0, view.p1)) {
    if (since === since) layer('hole').add(since, Math.min(arrived, run.last), from, to);
    for (const [state, start, until] of states) layer(state).add(start, until, from, to);
    if (direct) layer('direct', 2.5).add(arrived, arrived, from, to);
  }
  for (const extent of extentsIn(flow.packets.news, view.p0, view.p1)) layer('sent', 1.5).add(extent.time, extent.time, extent.from, extent.to);
  for (const extent of extentsIn(flow.packets.again, view.p0, view.p1)) layer('again', 3.5).add(extent.time, extent.time, extent.from, extent.to);
  Object.values(layers).forEach(each => each.flush());
  const seen = new Set(), once = (...pixel) => !seen.has(pixel.join()) && seen.add(pixel.join());
  const until = at => firstIndex(flow.sacks.length, n => blocks.time[flow.sacks[n]] > at);
  for (const i of flow.sacks.slice(until(view.t0), until(view.t1))) {
    const x = Math.round(X(blocks.time[i])), y = Math.round(Y(blocks.to[i])), bottom = Math.round(Y(blocks.from[i]));
    if (bottom > 0 && y < screen.top && once(x >> 1, y, bottom)) {
      rectangle('sacked', x, y, 1, Math.max(2, bottom - y));
      rectangle('sack', x - 1, y, 4, 2);
    }
  }
  stepLine('ack', flow.window, windows.time, windows.acknowledged, Y);
  stepLine('edge', flow.window, windows.time, windows.edge, Y, [5, 4]);
  for (const [list, name, base] of [['again', 'again', 0], ['drops', 'lost', .5]]) {
    const extents = extentsIn(flow.packets[list], view.p0, view.p1), size = extents.length > screen.width / 16 ? 2 : 5;
    for (const {at, from, to} of extents) {
      const x = Math.round(X(at)), y = Math.round(Y(from + base * (to - from)));
      if (once(list, x >> 1, y >> 1)) mark(name, x, y, size);
    }
  }
}

/* How high a bar is in a lane that is `tall`. */
const barOf = tall => Math.max(1, Math.min(tall > 4 ? tall - 1 : tall, 14));

/* A bar for each message of the ULPs, in lanes; of those narrower than a pixel one in each column. */
function drawPosts(title, top, height) {
  const {left, width} = screen, tall = height / flow.lanes.length, thick = barOf(tall);
  flow.lanes.forEach((lane, n) => {
    let column = NaN;
    for (let i = Math.max(0, firstIndex(lane.length, m => lane[m].posted > view.t0) - 1); i < lane.length && lane[i].posted <= view.t1; i++) {
      const {posted, placed, delivered, until, whole} = lane[i], x0 = Math.max(X(posted), left), x1 = Math.min(X(until), left + width), y = top + n * tall;
      if (x1 < left || (Math.floor(x1) === column && x1 - x0 < 1)) continue;
      column = Math.floor(x1);
      rectangle(whole ? 'post' : 'unfinished', x0, y, Math.max(x1 - x0 - 1, 1), thick);
      for (const [colour, at, below] of x1 - x0 < 4 ? [] : [['put', X(placed), 0], ['given', X(delivered), thick / 2]]) {
        if (at >= left && at <= left + width) rectangle(colour, at - 2, y + below, 2, thick / 2);
      }
    }
  });
  label(title, left + 4, top - 4, 'left');
}

/* The message of the ULPs at a place of their panel. */
function postAt(x, y) {
  const panel = screen.panels.find(({name}) => name === 'posts'), now = timeAt(x), {lanes} = flow;
  if (!panel || y < panel.top || y >= panel.top + panel.height) return undefined;
  const lane = lanes[Math.floor((y - panel.top) / panel.height * lanes.length)], near = (timeAt(x + 3) - now);
  const post = lane[firstIndex(lane.length, n => lane[n].posted > now + near) - 1];
  return post && post.until >= now - near ? post : undefined;
}

function drawPanel(name, title, top, height) {
  if (name === 'posts') {
    drawPosts(title, top, height);
    return;
  }
  const {left, width} = screen, held = table('held'), windows = table('window'), queued = table('packet_queued');
  const {pool} = flow, bottom = top + height, tallestWindow = row => Math.max(windows.congestion_window_octets[row], windows.in_flight_octets[row]);
  const [rows, times, value] = {held: [flow.held, held.time, row => heldAt(row, CAUSES)], tcp: [flow.window, windows.time, tallestWindow],
    queue: [flow.queued, queued.time, row => queued.waiting_octets[row]]}[name];
  const best = tallest(rows, times, value, name !== 'queue'), pools = name === 'held' ? tallest(pool.rows, pool.time, row => pool.total[row], true) : [];
  const most = Math.max(1, ...best.map(row => row < 0 ? 0 : value(row)), ...pools.map(row => row < 0 ? 0 : pool.total[row])) * 1.08;
  const y = octet => bottom - Math.min(octet / most, 1.02) * height;
  for (const at of most > 2 ? ticks(0, most, height, 32) : [0]) {
    rectangle('grid', left, Math.round(y(at)), width, 1);
    label(count(at), left - 4, Math.min(y(at) + 4, bottom));
  }
  if (name === 'tcp') {
    best.forEach((row, column) => {
      if (row >= 0 && nameOf(windows, 'state', row) !== 'open') rectangle('recovery', left + column, top, 1, height);
    });
    stepLine('flight', rows, times, windows.in_flight_octets, y);
    stepLine('ssthresh', rows, times, windows.threshold_octets, y, [6, 3]);
    stepLine('cwnd', rows, times, windows.congestion_window_octets, y);
  } else {
    best.forEach((row, column) => {
      let base = 0;
      for (const [colour, octet] of row < 0 ? [] : name === 'queue' ? [['queue', value(row)]] : CAUSES.map(cause => [cause, held[cause][row]])) {
        if (octet > 0) rectangle(colour, left + column, y(base + octet), 1, y(base) - y(base + octet));
        base += octet;
      }
      if (pools[column] >= 0) { // from where the line was one column before
        const at = y(pool.total[pools[column]]), before = pools[column - 1] >= 0 ? y(pool.total[pools[column - 1]]) : at;
        rectangle('ack', left + column, Math.min(at, before), 1, Math.max(1.5, Math.abs(at - before)));
      }
    });
  }
  label(pool.rows.length && name === 'held' ? `${title} (line: of all connections)` : title, left + 4, top - 4, 'left');
  for (const [list, columns] of [[flow.dropRows, table('packet_dropped')], [flow.timeouts, table('time_out')]]) {
    const marks = new Set(list.map(i => Math.round(X(columns.time[i]))).filter(x => x >= left && x <= left + width));
    for (const x of marks) {
      if (list === flow.dropRows) mark('lost', x, top + 3, marks.size > width / 16 ? 1.5 : 3);
      else rectangle('lost', x - 1, top, 2, height);
    }
  }
}

function drawChosen() {
  const found = chosen && describe(chosen);
  if (!found) return;
  const {from, to, times} = found.at, x0 = X(Math.min(...times)), x1 = X(Math.max(...times));
  pen.strokeStyle = screen.colours.ink;
  const panel = screen.panels.find(({name}) => name === 'posts');
  if (chosen.startsWith('post')) {
    const lane = flow.lanes.findIndex(each => each.includes(flow.posts[chosen.slice(5) - 1])), tall = panel.height / flow.lanes.length;
    pen.strokeRect(x0 - 2, panel.top + lane * tall - 2, x1 - x0 + 4, barOf(tall) + 4);
  } else if (chosen.startsWith('time')) {
    pen.setLineDash([2, 3]);
    pen.strokeRect(x0, 0, 0, screen.canvas.clientHeight - 20);
    pen.setLineDash([]);
  } else if (from < to) {
    const top = Math.min(Y(to), Y(from) - 4);
    pen.strokeRect(x0 - 4, top - 2, x1 - x0 + 8, Y(from) - top + 4);
  }
}

function draw() {
  const {canvas, gap} = screen, scale = devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
  const wide = canvas.clientWidth, high = canvas.clientHeight, lower = Math.round(Math.max(46, (high - 20) * .13));
  canvas.width = wide * scale;
  canvas.height = high * scale;
  pen = canvas.getContext('2d');
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = '11px system-ui, sans-serif';
  pen.lineWidth = 1.5;
  drawn = 0;
  for (const name of [...Object.keys(LEGEND), 'ink', 'muted', 'grid', 'paper', 'strip', 'strip2', 'marker', 'recovery', 'sacked']) {
    screen.colours[name] = style.getPropertyValue('--' + name).trim();
  }
  screen.left = Math.ceil(Math.max(...[view.p1, 1e5].map(number => pen.measureText(count(Math.round(number))).width)) + screen.strip + 9);
  screen.width = Math.round(wide - screen.left - screen.right);
  const panels = PANELS.filter(([, , rows]) => flow[rows].length);
  screen.height = screen.top = high - 22 - panels.length * (lower + gap) - 18;
  rectangle('paper', 0, 0, wide, high);
  const stripes = document.createElement('canvas'), ink = stripes.getContext('2d');
  stripes.width = stripes.height = 6;
  ink.strokeStyle = screen.colours.hole;
  for (const shift of [-6, 0, 6]) {
    ink.moveTo(shift, 6);
    ink.lineTo(shift + 6, 0);
  }
  ink.stroke();
  screen.colours.hole = pen.createPattern(stripes, 'repeat');
  screen.panels = panels.map(([name], n) => ({name, top: screen.top + 18 + (n + 1) * (lower + gap) - lower, height: lower}));
  const bottoms = panels.map((_, n) => screen.top + 18 + (n + 1) * (lower + gap)), floor = bottoms[bottoms.length - 1] || screen.top;
  for (const [from, to] of run.unmeasured) {
    const x = Math.max(screen.left, X(from)), width = Math.min(X(to), screen.left + screen.width) - x;
    if (width > 0) rectangle('unmeasured', x, 0, width, floor);
  }
  for (const at of ticks(view.t0, view.t1, screen.width, 90)) {
    const x = Math.round(X(at));
    rectangle('grid', x, 0, 1, floor);
    for (const y of new Set([screen.top + 14, floor + 14])) label(time(at, view.t1), x, y, x > wide - 40 ? 'right' : 'center');
  }
  for (const at of ticks(view.p0, view.p1, screen.height, 44)) {
    rectangle('grid', screen.left, Math.round(Y(at)), screen.width, 1);
    if (Y(at) > 20) label(count(at), screen.left - screen.strip - 5, Y(at) + 4);
  }
  label('octets', screen.left - screen.strip - 5, 10);
  const clipped = (x, y, width, height, paint) => {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, width, height);
    pen.clip();
    paint();
    pen.restore();
  };
  clipped(screen.left - 14, 0, screen.width + 14, screen.top, drawPositions);
  clipped(screen.left, 0, screen.width, screen.top, drawStream);
  panels.forEach(([name, title], n) => clipped(0, bottoms[n] - lower - 14, wide, lower + 16,
    () => drawPanel(name, run.capture ? 'captured, not acknowledged' : title, bottoms[n] - lower, lower)));
  clipped(screen.left, 0, screen.width, high, drawChosen);
  canvas.dataset.drawn = drawn;
  for (const item of page.legend.children) item.hidden = !screen.used.has(item.colour);
}

/* --- What is near the pointer --- */

function nearest(x, y) {
  const post = postAt(x, y);
  if (post) return `post-${post.number}`;
  if (y > screen.top) return `time-${Math.round(Math.min(Math.max(timeAt(x), run.first), run.last))}`;
  const reach = 10 * (view.p1 - view.p0) / screen.height, position = positionAt(y), found = [];
  const outside = (value, low, high) => Math.max(0, low - value, value - high);
  const add = (thing, t0, t1, from, to, bias) => {
    const distance = Math.hypot(outside(x, X(t0), X(t1)), outside(y, Y(to), Y(from)));
    if (distance < 10) found.push([distance + bias, thing]);
  };
  for (const [list, bias] of [['drops', -6], ['again', -3], ['news', 0]]) {
    for (const extent of extentsIn(flow.packets[list], position - reach, position + reach).slice(0, 5000)) {
      const at = list === 'drops' ? extent.at : extent.time;
      add(`packet-${extent.packet}`, at, at, extent.from, extent.to, bias);
    }
  }
  for (const piece of within(flow.pieces, position - reach, position + reach).slice(0, 5000)) {
    const {from, to, arrived, since, states, fpdu, packet} = piece, until = Math.min(arrived, run.last);
    if (since === since) add(`hole-${holeAt(from).number}`, since, until, from, to, 1);
    if (packet) add(`packet-${packet}`, arrived, arrived, from, to, 1);
    if (fpdu && states.length) add(`fpdu-${fpdu.number}`, arrived, states[states.length - 1][2], from, to, 2);
  }
  const windows = table('window'), now = timeAt(x);
  for (const [rows, columns, from, to] of [[flow.window, windows, windows.acknowledged, windows.acknowledged],
    [flow.sacks, table('sack_sent'), table('sack_sent').from, table('sack_sent').to]]) {
    const n = firstIndex(rows.length, i => columns.time[rows[i]] > now);
    for (const i of rows.slice(Math.max(0, n - 40), n + 40)) add(`packet-${columns.packet[i]}`, columns.time[i], columns.time[i], from[i], to[i], 3);
  }
  return found.sort((a, b) => a[0] - b[0]).map(([, thing]) => thing)[0] || '';
}

const holeAt = position => flow.holes.find(hole => hole.from <= position && position < hole.to);
