/* SPDX-License-Identifier: GPL-2.0-only */
/* --- Words --- */

const count = number => Number.isFinite(number) ? number.toLocaleString('en') : '?';
const octets = number => `${count(number)} octet${number === 1 ? '' : 's'}`;
const range = (from, to) => `${count(from)} to ${count(to - 1)}`;

/* A time in words, in the unit that suits times of about `like`. */
function time(ps, like = ps) {
  if (!Number.isFinite(ps)) return 'never';
  const [unit, scale] = Math.abs(like) < 1e6 ? ['ns', 1e3] : Math.abs(like) < 1e10 ? ['us', 1e6] : ['ms', 1e9];
  return `${(ps / scale).toLocaleString('en', {maximumFractionDigits: unit === 'ms' ? 6 : 3})} ${unit}`;
}

const sideOf = end => end % 2 ? 'Responder' : 'Initiator';
const link = (thing, text) => ({thing, text: text || thing.replace('-', ' ')});
const fpduLink = fpdu => link(`fpdu-${fpdu.number}`, `FPDU ${fpdu.number}`);
const packetLinks = packets => packets.slice(0, 12).map(packet => link(`packet-${packet}`))
  .concat(packets.length > 12 ? [`and ${packets.length - 12} more`] : []);

/* What is held, and how it splits by cause. */
function heldWords(at) {
  const held = table('held'), row = flow.held[firstIndex(flow.held.length, i => held.time[flow.held[i]] > at) - 1];
  if (row === undefined) return flow.held.length ? '0 octets' : '';
  const causes = CAUSES.filter(cause => held[cause][row] > 0).map(cause => `${count(held[cause][row])} ${cause}`);
  return octets(heldAt(row, CAUSES)) + (causes.length ? `: ${causes.join(', ')}` : '');
}

const opcodeWords = opcode => OPCODES[opcode] || `opcode ${opcode}`;

const windowWords = window => window < 0 ? 'not known: the SYN with its scale was not captured' : octets(window);

/* What decode notes of a capture. */
function noteWords({type, text, problems = [], rdmap, ...frame}) {
  const found = problems.map(each => `${each.severity}: ${each.text} (${each.clause})${each.count > 1 ? `; ${count(each.count)} times, first here:` : ''}`);
  const printable = (frame.private_data || '').replace(/../g, pair => /[2-6].|7[^f]/i.test(pair) ? String.fromCharCode(parseInt(pair, 16)) : '.');
  if (type === 'note') return found[0] || text;
  if (type === 'fpdu') return [...(rdmap && rdmap.terminate ? [`Terminate: ${rdmap.terminate.text}`] : []), ...found].join('; ');
  return `MPA ${type === 'reply' ? 'Reply' : 'Request'} Frame: Rev=${frame.revision} M=${+frame.markers} C=${+frame.crc} R=${+frame.rejected}` +
    (printable ? `, Private Data "${printable}"` : '');
}

const notesIn = (from, to) => flow.notes.filter(note => note.position >= from && note.position < to);

function noteLink(note) {
  const fpdu = flow.fpdus.find(({from}) => from === note.position);
  const hole = note.kind === 'hole' && holeAt(note.position), piece = pieceAt(flow, note.position);
  return fpdu ? fpduLink(fpdu) : link(hole ? `hole-${hole.number}` : `packet-${piece && piece.packet || note.packets[1]}`);
}

function describePacket(packet) {
  const sent = table('segment_sent'), taken = table('segment_arrived'), made = table('packet_made'), extent = extentOf(packet), lines = [];
  const s = rowOf('segment_sent', packet), m = rowOf('packet_made', packet), d = rowOf('packet_dropped', packet);
  const a = rowOf('packet_arrived', packet), t = rowOf('segment_arrived', packet);
  if (!extent && d < 0 && a < 0 && m < 0) return undefined;
  const data = extent && extent.to > extent.from && extent.end === flow.end, again = s >= 0 && sent.again[s];
  const whole = m >= 0 ? made.fragment_of[m] : 0;
  const kind = !data ? 'carries no payload of this direction' : again ? run.capture && taken.new_octets[t] ? 'late: sent again, or overtaken' : 'a retransmission' : whole ? 'a fragment' : 'a segment';
  const at = {from: data ? extent.from : NaN, to: data ? extent.to : NaN, times: extent ? [extent.time] : m >= 0 ? [made.time[m]] : []};
  if (s >= 0 || extent && m >= 0) {
    lines.push([m >= 0 ? `Made by ${nameOf(made, 'place', m)}` : `${run.capture ? 'Captured, from' : 'Sent by'} the ${sideOf(extent.end)}`, time(extent.time)]);
  }
  for (const [name, words] of [['packet_marked', place => `Marked with CE by ${place}`], ['packet_damaged', place => `Damaged by ${place}`],
    ['packet_dropped', place => `Lost (${place})`], ['packet_arrived', (_, end) => `Arrived at the ${sideOf(end ^ 1)}`]]) {
    const row = rowOf(name, packet), {end, time: times, place} = table(name);
    if (row >= 0) lines.push([words(place && run.names[place[row]], end[row]), time(times[row])]);
    if (row >= 0) at.times.push(times[row]);
  }
  if (s >= 0 && !data) lines.push(['Acknowledges', `all below ${count(sent.acknowledged[s])}, window ${windowWords(sent.window_octets[s])}`]);
  const blocks = table('sack_sent'), sacks = flow.sacks.filter(i => blocks.packet[i] === packet);
  lines.push(['SACK blocks', sacks.map(i => range(blocks.from[i], blocks.to[i])).join('; ')]);
  if (data) {
    const {from, to} = extent;
    lines.unshift(['Stream', `${range(from, to)}: ${octets(to - from)}`]);
    if (t >= 0) {
      const ahead = taken.position[t] - taken.in_order_edge[t], news = taken.new_octets[t], r = rowOf('segment_refused', packet);
      lines.push(['On arrival', r >= 0 ? `refused: ${nameOf(table('segment_refused'), 'why', r)}` : news === 0 ? 'a duplicate: nothing new' : ahead > 0 ?
        `out of order: below it octets from ${count(taken.in_order_edge[t])} were missing` : 'in order']);
      lines.push(['Then held', heldWords(taken.time[t])]);
    }
    const fpdus = within(flow.fpdus, from, to), links = (list, show = true) => show ? packetLinks(packetsIn(flow.packets[list], from, to, packet)) : [];
    const sources = run.sources.get(packet) || [];
    lines.push(['Made of', packetLinks(sources)], ['FPDUs', fpdus.slice(0, 12).map(fpduLink)],
      ['Messages', [...new Set(fpdus.map(fpdu => fpdu.message))].map(({number}) => link(`message-${number}`))],
      ['Became on its way', packetLinks(run.became.get(packet) || [])],
      [again ? 'First sent as' : 'Its octets were sent as', links('news', again || m >= 0 && !sources.length)],
      ['Sent again because of', s >= 0 ? nameOf(sent, 'why', s) : ''], ['Sent again as', links('again')],
      ['Lost of these octets', links('drops')],
      ['Holes', flow.holes.filter(hole => hole.packet === packet || (hole.from < to && hole.to > from)).slice(0, 6)
        .map(hole => link(`hole-${hole.number}`))]);
  }
  return {title: `Packet ${packet}: ${d >= 0 ? 'lost, ' : ''}${kind}`, lines, at, packet: data && !whole && table('fpdu_sent').rows ? packet : 0}; // a replay knows no fields
}

function describeFpdu(number) {
  const fpdu = flow.byNumber.get(number), sent = table('fpdu_sent'), valid = table('fpdu_valid');
  if (!fpdu) return undefined;
  const pieces = within(flow.pieces, fpdu.from, fpdu.to), arrivals = pieces.map(piece => piece.arrived).filter(Number.isFinite);
  const first = Math.min(...arrivals), lines = [
    ['Stream', `${range(fpdu.from, fpdu.to)}: ${octets(fpdu.to - fpdu.from)}${sent.rows ? `, ULPDU ${octets(sent.ulpdu_octets[fpdu.row])}` : ''}`],
    ['Carries', `${opcodeWords(fpdu.opcode)}${sent.rows ? sent.tagged[fpdu.row] ? ', tagged' : ', untagged' : ''}`],
    ['Message', [link(`message-${fpdu.message.number}`)]],
    [run.capture ? 'Noted' : 'Given to TCP', run.capture ? notesIn(fpdu.from, fpdu.to).map(noteWords).join('; ') : sent.rows ? time(sent.time[fpdu.row]) : ''],
    ['Sent in', packetLinks(packetsIn(flow.packets.news, fpdu.from, fpdu.to))],
    ['Sent again in', packetLinks(packetsIn(flow.packets.again, fpdu.from, fpdu.to))],
    ['Arrived in', packetLinks([...new Set(pieces.map(piece => piece.packet))].filter(Boolean))],
  ];
  if (fpdu.locatedBy) lines.push(['Located by', fpdu.locatedBy], ['Located', time(fpdu.located)], ['Complete and valid', time(fpdu.valid)]);
  else lines.push(['Valid', 'never']);
  if (run.capture && fpdu.locatedBy) lines.push(['All below it captured, too', time(fpdu.delivered)]);
  if (!run.capture) lines.push([fpdu.late ? 'Placed out of order' : 'Placed', time(fpdu.placed)], ['Delivered', time(fpdu.delivered)]);
  if (fpdu.validRow !== undefined && !run.capture) {
    const held = valid.held_octets[fpdu.validRow];
    lines.push(['Held', held ? `${octets(held)} of it, for up to ${time(fpdu.placed - first)}` : 'nothing: placed at once']);
  }
  const holes = flow.holes.filter(hole => hole.opened <= fpdu.valid && hole.filled >= first && hole.from <= fpdu.from);
  lines.push(['Came while open', holes.slice(0, 3).map(hole => link(`hole-${hole.number}`))]);
  return {title: `FPDU ${number}`, lines, at:
    {from: fpdu.from, to: fpdu.to, times: [Math.min(first, run.last), Math.min(fpdu.delivered, run.last)]}};
}

function describeMessage(number) {
  const message = flow.messages[number - 1], posted = table('posted'), completed = table('completed');
  if (!message) return undefined;
  const {fpdus} = message, last = fpdus[fpdus.length - 1], lines = [
    ['Stream', `${range(message.from, message.to)}: ${octets(message.to - message.from)}`],
    ['FPDUs', fpdus.length === 1 ? [fpduLink(last)] : [fpduLink(fpdus[0]), 'to', fpduLink(last)]]];
  if (message.post !== undefined) {
    lines.push(['Posted', `${time(posted.time[message.post])}, operation ${posted.work[message.post]}, ${octets(posted.octets[message.post])}`]);
  }
  if (!run.capture) lines.push(['Last FPDU delivered', time(last.delivered)]);
  if (message.done !== undefined) lines.push(['Completed', time(completed.time[message.done])]);
  lines.push(['Sent again of it', packetLinks(packetsIn(flow.packets.again, message.from, message.to))]);
  return {title: `Message ${number}: ${opcodeWords(message.opcode)}`, lines,
    at: {from: message.from, to: message.to, times: [table('fpdu_sent').time?.[fpdus[0].row] ?? Math.min(fpdus[0].located, run.last), Math.min(last.delivered, run.last)]}};
}

function describePost(number) {
  const post = flow.posts[number - 1];
  if (!post) return undefined;
  const since = at => `${time(at)}${Number.isFinite(at) ? `, after ${time(at - post.posted)}` : ''}`;
  const lines = [['Traffic class', `${post.traffic}, its message ${count(post.id)}`], ['Payload', octets(post.octets)], ['Posted', time(post.posted)],
    ['Completed', post.whole ? since(post.completed) : 'not in this run'],
    ['Slowdown', post.slowdown === post.slowdown ? `${post.slowdown.toLocaleString('en', {maximumFractionDigits: 2})} of ${time(post.ideal)}` : '']];
  if (post.whole) lines.push(['First octet placed', since(post.first)], ['Last octet placed', since(post.placed)], ['Delivered', since(post.delivered)]);
  return {title: `ULP message ${number}: ${post.operation}`, lines, at: {from: NaN, to: NaN, times: [post.posted, post.until]}};
}

function describeHole(number) {
  const hole = flow.holes[number - 1], held = table('held');
  if (!hole) return undefined;
  const until = Math.min(hole.filled, run.last), {from, to} = hole;
  const during = flow.held.filter(i => held.time[i] >= hole.opened && held.time[i] < until);
  const most = during.reduce((best, i) => best < 0 || heldAt(i) > heldAt(best) ? i : best, -1);
  const located = flow.fpdus.filter(f => f.locatedBy.startsWith('marker') && f.valid >= hole.opened && f.valid < until && f.from >= to);
  const byMarker = located.find(f => f.locatedBy === 'marker');
  const lines = [
    ['Missing', `${range(from, to)}: ${octets(to - from)}`],
    ['Opened', [time(hole.opened), 'by', link(`packet-${hole.packet}`), 'beyond it']],
    ['Filled', hole.left ? `never: not in the capture, ${Number.isFinite(hole.filled) ? `but acknowledged at ${time(hole.filled)}` : 'nor acknowledged there'}` : Number.isFinite(hole.filled) ? [time(hole.filled), `after ${time(hole.filled - hole.opened)}, by`,
      ...packetLinks([...new Set(hole.fillers)])] : 'never'],
    ['Lost of it', packetLinks(packetsIn(flow.packets.drops, from, to))],
    ['Sent again as', packetLinks(packetsIn(flow.packets.again, from, to))],
    ['FPDUs in it', within(flow.fpdus, from, to).slice(0, 8).map(fpduLink)],
    ['First FPDU that a marker located beyond it', byMarker ? [fpduLink(byMarker)] : []]];
  if (located.length) lines.push(['Located beyond it', `${count(located.length)} FPDU${located.length === 1 ? '' : 's'}, by markers and chains from them`]);
  if (most >= 0) lines.push(['Held at most', [`${heldWords(held.time[most])},`, link(`time-${held.time[most]}`, `at ${time(held.time[most])}`)]]);
  return {title: `Hole ${number} of ${flow.holes.length}`, lines,
    at: {from, to, times: [hole.opened, until]}};
}

function describeTime(at) {
  const windows = table('window'), n = firstIndex(flow.window.length, i => windows.time[flow.window[i]] > at) - 1;
  const open = flow.holes.filter(hole => hole.opened <= at && hole.filled > at);
  const lines = [['Held', heldWords(at)]];
  if (at === flow.peak.time) lines.push(['Peak', `the most that this connection holds: ${octets(flow.peak.octets)}`]);
  lines.push(['Open holes', open.slice(0, 8).map(hole => link(`hole-${hole.number}`))]);
  if (n >= 0 && run.capture) lines.push(['Not acknowledged', octets(windows.in_flight_octets[flow.window[n]])]);
  else if (n >= 0) {
    const row = flow.window[n], threshold = windows.threshold_octets[row];
    lines.push(['cwnd', octets(windows.congestion_window_octets[row])], ['ssthresh', threshold < 0 ? 'none yet' : octets(threshold)],
      ['In flight', octets(windows.in_flight_octets[row])], ['State', nameOf(windows, 'state', row)],
      ['SRTT, RTO', `${windows.smoothed_ps[row] ? time(windows.smoothed_ps[row]) : 'no sample'}, ${time(windows.rto_ps[row])}`]);
  }
  const timeout = flow.timeouts.find(i => table('time_out').time[i] === at);
  if (timeout !== undefined) lines.unshift(['Time-out', `the retransmission timer expires after ${time(table('time_out').rto_ps[timeout])}`]);
  const piece = flow.pieces.find(p => p.arrived === at);
  return {title: time(at) + (at === flow.peak.time ? ': the peak' : ''), lines, at: {from: piece ? piece.from : NaN, to: piece ? piece.to : NaN, times: [at]}};
}

const DESCRIBE = {packet: describePacket, fpdu: describeFpdu, message: describeMessage, post: describePost, hole: describeHole, time: describeTime};

function describe(thing) {
  const [, kind, number] = thing.match(/^(packet|fpdu|message|post|hole|time)-(\d+)$/) || [];
  const found = kind && DESCRIBE[kind](Number(number));
  return found && {...found, lines: found.lines.filter(([, parts]) => parts.length)
    .map(([name, parts]) => [run.capture ? name.replace(/^Sent again/, 'Captured late') : name, parts])};
}

/* --- The packet diagram: the fields of a segment --- */

const DOCUMENTS = {ip: 'RFC 791 §3.1', ip6: 'RFC 8200 §3', tcp: 'RFC 9293 §3.1', mpa: 'mpa-01 §4', marker: 'mpa-01 §4.1',
  crc: 'mpa-01 §5.2', startup: 'mpa-01 §6.1', control: 'ddp-07 §4.1', tagged: 'ddp-07 §4.2', untagged: 'ddp-07 §4.3', rdmap: 'rdmap-00 §6.1', payload: 'ddp-07 §5.2'};
const hex = number => '0x' + BigInt.asUintN(64, BigInt(number)).toString(16);

/* The fields of an FPDU, markers aside, with their octets. */
function fieldsOf(fpdu) {
  const sent = table('fpdu_sent'), i = fpdu.row, tagged = sent.tagged[i], opcode = sent.opcode[i];
  const ddp = tagged ? DOCUMENTS.tagged : DOCUMENTS.untagged, header = tagged ? 14 : 18;
  const pad = (4 - (2 + sent.ulpdu_octets[i]) % 4) % 4, queue = opcode === 1 ? 1 : opcode === 7 ? 2 : 0;
  return [['mpa', 'ULPDU_Length', 2, count(sent.ulpdu_octets[i]), DOCUMENTS.mpa],
    ['ddp', 'DDP control', 1, `${tagged ? 'T ' : ''}${sent.last[i] ? 'L ' : ''}DV`, DOCUMENTS.control],
    ['rdmap', 'RDMAP control', 1, `opcode ${opcode}: ${OPCODES[opcode] || '?'}`, DOCUMENTS.rdmap],
    ...(tagged ? [['ddp', 'STag', 4, hex(sent.message[i]), ddp], ['ddp', 'TO', 8, hex(sent.offset[i]), ddp]] :
      [['rdmap', 'Invalidate STag', 4, '', DOCUMENTS.rdmap], ['ddp', 'QN', 4, String(queue), ddp],
        ['ddp', 'MSN', 4, count(sent.message[i]), ddp], ['ddp', 'MO', 4, count(sent.offset[i]), ddp]]),
    ['payload', 'Payload', Math.min(sent.ulpdu_octets[i], 65535) - header, '', DOCUMENTS.payload],
    ['pad', 'Pad', pad, 'zero', DOCUMENTS.mpa], ['crc', 'CRC', 4, 'CRC32C', DOCUMENTS.crc]].filter(field => field[2] > 0);
}

/* The fields of a packet with a payload, one after the other. */
function diagramOf(packet) {
  const {from, to} = extentOf(packet), sent = table('segment_sent'), s = rowOf('segment_sent', packet);
  const row = rowOf('packet_sent', packet), arrived = rowOf('packet_arrived', packet);
  const whole = row >= 0 ? table('packet_sent').ip_octets[row] : arrived >= 0 ? table('packet_arrived').ip_octets[arrived] : to - from + 40;
  const headers = whole - (to - from), ip = run.ip6 ? 40 : 20, fields = [];
  fields.push({kind: 'ip', name: run.ip6 ? 'IPv6 header' : 'IPv4 header', octets: ip, value: octets(whole), section: run.ip6 ? DOCUMENTS.ip6 : DOCUMENTS.ip});
  fields.push({kind: 'tcp', name: 'TCP header', octets: headers - ip, section: DOCUMENTS.tcp, value: s >= 0 ?
    `sequence ${sent.sequence[s]}, acknowledges ${count(sent.acknowledged[s])}, window ${windowWords(sent.window_octets[s])}` : headers - ip > 20 ? 'with options' : ''});
  let next = from;
  const outside = until => { // of FPDUs
    const notes = notesIn(next, until).filter(note => note.kind !== 'hole'), startup = next < flow.begin && (!run.capture || notes.some(note => note.type !== 'note'));
    if (until > next) {
      fields.push({kind: startup ? 'mpa' : 'payload', name: startup ? 'MPA startup' : 'In no FPDU', octets: until - next, position: next,
        value: notes.map(noteWords).join('; '), section: startup ? DOCUMENTS.startup : ''});
    }
  };
  for (const fpdu of within(flow.fpdus, from, to)) {
    let at = fpdu.from;
    outside(at);
    next = fpdu.to;
    const add = (kind, name, length, value, section) => {
      const low = Math.max(at, from), high = Math.min(at + length, to);
      if (low < high) {
        fields.push({kind, name, octets: high - low, value: value, section, fpdu, position: low,
          cut: low > at ? `from its octet ${low - at}` : high < at + length ? `cut: ${octets(at + length - high)} in the next segment` : ''});
      }
      at += length;
    };
    for (const [kind, name, length, value, section] of fieldsOf(fpdu)) {
      for (let left = length; left > 0;) {
        const [marker = Infinity] = markersOf(flow, at, at + MARKER_PERIOD), part = Math.min(left, marker - at);
        if (part > 0) add(kind, name, part, value, section);
        else {
          add('marker', 'Marker', MARKER_OCTETS, at === fpdu.from ? 'FPDUPTR 0: the FPDU begins after it' :
            `FPDUPTR ${at - fpdu.from - (markersOf(flow, fpdu.from, fpdu.from + 1).length ? MARKER_OCTETS : 0)}`, DOCUMENTS.marker);
        }
        left -= part;
      }
    }
  }
  outside(to);
  return fields;
}
