-- SPDX-License-Identifier: GPL-2.0-only
-- A plug-in for tshark and Wireshark 4.0: decodes MPA with markers, several FPDUs in a segment, FPDUs cut
-- anywhere, and segments lost, repeated or out of order, which Wireshark's own dissector does not. How to
-- install it, and what it shows: docs/captures.md. mpa-01: draft-ietf-rddp-mpa-01; mpa-02:
-- draft-culley-iwarp-mpa-02 (rdmac); note: docs/protocol-notes.md.
--
-- It is a postdissector: it takes the payload of each TCP segment from the fields of Wireshark's TCP
-- dissector, and puts the stream together itself. So no preference of TCP matters, and what markers locate
-- beyond a hole is shown at once (mpa-01 §5.4). Positions count the octets of one direction's stream from 0
-- after the SYN; without a SYN, from the first octet captured.

local bit = bit32 or bit
local MARKER_OCTETS, MARKER_PERIOD = 4, 512 -- mpa-01 §5.1; the period counts the marker (note M2)
local LENGTH_OCTETS, CRC_OCTETS = 2, 4 -- of ULPDU_Length and CRC (mpa-01 §4)
local ULPDU_MOST = 64768 -- no sender may make a longer one (mpa-01 §3.2)
local FPDU_MOST = 66068 -- octets of the longest FPDU that ULPDU_Length can say
local KEY, KEY_OCTETS = "MPA ID Re[qp] Frame", 16 -- mpa-01 §6.1.1
local STARTUP_OCTETS = 20 -- of a startup frame without Private Data
local SEARCHED_OCTETS = 2 ^ 20 -- of a direction that are searched for the key

local mpa = Proto("iwarp_mpa_marked", "iWARP MPA")
local fields = {}
for _, field in ipairs({
  { "from", "string", "From" }, { "position", "uint64", "Stream position" }, { "octets", "uint32", "Octets" },
  { "key", "string", "Key" },
  { "marker_flag", "bool", "M: wants markers in what it receives", 8, nil, 0x80 },
  { "crc_flag", "bool", "C: wants CRCs", 8, nil, 0x40 },
  { "rej_flag", "bool", "R: rejects the connection", 8, nil, 0x20 },
  { "res", "uint8", "Res", base.HEX, nil, 0x1f }, { "rev", "uint8", "Rev" },
  { "pdlength", "uint16", "PD_Length" }, { "privatedata", "bytes", "Private Data" },
  { "located_by", "string", "Located by" }, { "ulpdulength", "uint16", "ULPDU_Length" },
  { "marker", "uint64", "Marker at stream position" }, { "marker_res", "uint16", "RESERVED", base.HEX },
  { "marker_fpduptr", "uint16", "FPDUPTR" }, { "marker_right", "bool", "Points to this FPDU" },
  { "pad", "bytes", "PAD" }, { "crc", "uint32", "CRC, octets as on the wire", base.HEX },
  { "crc_verdict", "string", "CRC" }, { "crc_computed", "uint32", "CRC computed", base.HEX },
  { "payload", "bytes", "Payload after the DDP header" },
}) do
  fields[field[1]] = ProtoField[field[2]]("iwarp_mpa_marked." .. field[1], table.unpack(field, 3))
end
mpa.fields = fields

local experts, ERROR, WARN = {}, expert.severity.ERROR, expert.severity.WARN
for name, text in pairs({ crc = { "The CRC is wrong (mpa-01 §7)", ERROR },
                          marker = { "It does not point to this FPDU (mpa-01 §7)", ERROR },
                          pad = { "PAD is not zero (mpa-01 §4)", WARN },
                          length = { "A ULPDU longer than any may be (mpa-01 §3.2)", WARN } }) do
  name = "iwarp_mpa_marked.expert." .. name
  experts[name] = ProtoExpert.new(name, text[1], expert.group.PROTOCOL, text[2])
end
mpa.experts = experts

local function warn(tree, name)
  tree:add_proto_expert_info(experts["iwarp_mpa_marked.expert." .. name])
end

-- === The octets of one direction ===
-- direction.pieces: { at = position, octets = string }, ascending, not overlapping. direction.edge: what is
-- below it was used.

-- The index of the last piece that starts at or before `position`; 0: there is none.
local function piece_before(pieces, position)
  local low, high = 0, #pieces
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if pieces[middle].at <= position then low = middle else high = middle - 1 end
  end
  return low
end

local function piece_end(piece)
  return piece.at + #piece.octets
end

-- Keeps what is new of `octets`: the first copy of an octet counts.
local function keep(direction, at, octets)
  local pieces, known_to = direction.pieces, direction.edge
  local index = piece_before(pieces, math.max(at, known_to))
  while true do
    if pieces[index] then known_to = math.max(known_to, piece_end(pieces[index])) end
    if known_to > at then octets, at = octets:sub(known_to - at + 1), known_to end
    if #octets == 0 then return end
    index = index + 1
    local room = pieces[index] and pieces[index].at - at or #octets
    if room > 0 then table.insert(pieces, index, { at = at, octets = octets:sub(1, room) }) end
  end
end

-- The octets [from, to); nil when one of them is missing.
local function read(direction, from, to)
  local pieces, parts = direction.pieces, {}
  local last = pieces[piece_before(pieces, to - 1)] -- mostly it is the last octet that is missing
  local index = last and piece_end(last) >= to and piece_before(pieces, from) or 0
  while from < to do
    local piece = pieces[index]
    if not piece or piece.at > from or piece_end(piece) <= from then return nil end
    parts[#parts + 1] = piece.octets:sub(from - piece.at + 1, to - piece.at)
    from, index = piece_end(piece), index + 1
  end
  return table.concat(parts)
end

-- Forgets the pieces below the edge.
local function forget(direction)
  local pieces = direction.pieces
  if pieces[1] and piece_end(pieces[1]) <= direction.edge then
    direction.pieces = {}
    for _, piece in ipairs(pieces) do
      if piece_end(piece) > direction.edge then table.insert(direction.pieces, piece) end
    end
  end
end

-- === One FPDU ===

local crc_table = {} -- CRC32C (mpa-01 §5.2), bits reflected
for octet = 0, 255 do
  local value = octet
  for _ = 1, 8 do value = bit.bxor(bit.rshift(value, 1), value % 2 * 0x82F63B78) end
  crc_table[octet] = value
end

-- The CRC of `octets` as a number with the octets of the wire, where the least significant one is the first.
local function crc_of(octets)
  local bxor, band, rshift, byte = bit.bxor, bit.band, bit.rshift, string.byte
  local crc, wire = 0xFFFFFFFF, 0
  for index = 1, #octets do
    crc = bxor(crc_table[band(bxor(crc, byte(octets, index)), 0xFF)], rshift(crc, 8))
  end
  for shift = 0, 24, 8 do wire = wire * 256 + band(rshift(bit.bnot(crc), shift), 0xFF) end
  return wire
end

local function number_at(octets, index) -- 16 bits, most significant octet first
  local high, low = octets:byte(index, index + 1)
  return high * 256 + low
end

-- The first place of a marker at or after `position`.
local function next_marker(direction, position)
  return position + (direction.phase - position) % MARKER_PERIOD
end

-- Where ULPDU_Length is of an FPDU at `start`: after the marker, if one leads it (mpa-01 §5.1).
local function header_of(direction, start)
  return direction.markers and next_marker(direction, start) == start and start + MARKER_OCTETS or start
end

-- Where ULPDU_Length is according to the marker at `position` (mpa-01 §5.1): the low two bits of FPDUPTR
-- count as 0; a sender that points to a marker counted from the one that leads the FPDU (note M1).
local function header_by_marker(direction, position, pointer)
  local distance = pointer - pointer % 4
  return distance == 0 and position + MARKER_OCTETS or header_of(direction, position - distance)
end

-- Position of octet `index` of an FPDU, counted from ULPDU_Length without markers (note M13).
local function place(direction, header, index)
  if not direction.markers then return header + index end
  local since_marker = (header - direction.phase) % MARKER_PERIOD - MARKER_OCTETS
  return header + index + MARKER_OCTETS * math.floor((since_marker + index) / (MARKER_PERIOD - MARKER_OCTETS))
end

-- Whether a marker at `position` points to `header`. Of a distance that no legal FPDU has, FPDUPTR has 16
-- bits.
local function points_to(direction, position, pointer, header)
  return header_by_marker(direction, position, pointer) == header or
         position > header and pointer == (position - header) % 65536
end

-- The FPDU at `start`; nil when octets of it are missing. It is valid when its CRC is right, if there is one,
-- and all its markers point to it (mpa-01 §7); doubtful when that speaks against its length.
local function fpdu_at(direction, start)
  local header = header_of(direction, start)
  local length = read(direction, header, header + LENGTH_OCTETS)
  if not length then return nil end
  local ulpdu_octets = number_at(length, 1)
  local pad_octets = -(LENGTH_OCTETS + ulpdu_octets) % 4 -- mpa-01 §4
  local crc_at = place(direction, header, LENGTH_OCTETS + ulpdu_octets + pad_octets)
  local octets = read(direction, start, crc_at + CRC_OCTETS)
  if not octets then return nil end
  local finish = crc_at + CRC_OCTETS
  local fpdu = { from = direction.from, start = start, finish = finish, octets = octets, header = header,
                 ulpdu_octets = ulpdu_octets, pad_octets = pad_octets, crc_at = crc_at,
                 pad_at = place(direction, header, LENGTH_OCTETS + ulpdu_octets), markers = {} }
  for position = direction.markers and next_marker(direction, start) or finish, finish - 1, MARKER_PERIOD do
    local pointer = number_at(octets, position - start + 3)
    local right = points_to(direction, position, pointer, header)
    table.insert(fpdu.markers, { position = position, pointer = pointer, right = right })
    fpdu.has_wrong_marker = fpdu.has_wrong_marker or not right
  end
  local received = number_at(octets, #octets - 3) * 65536 + number_at(octets, #octets - 1)
  fpdu.computed = direction.crc and crc_of(octets:sub(1, -CRC_OCTETS - 1))
  fpdu.verdict = not fpdu.computed and "off" or fpdu.computed == received and "right" or "WRONG"
  fpdu.valid = fpdu.verdict ~= "WRONG" and not fpdu.has_wrong_marker
  local is_unproven = fpdu.verdict == "WRONG" or #fpdu.markers == 0
  fpdu.is_doubtful = fpdu.verdict ~= "right" and
                     (fpdu.has_wrong_marker or is_unproven and ulpdu_octets > ULPDU_MOST)
  return fpdu
end

-- === Locating (mpa-01 §5.4) ===
-- direction.passed[start]: the end of an FPDU that was shown beyond the edge. direction.refused[start]: what
-- is whole there is not valid.

local function show(direction, fpdu, located_by, found)
  fpdu.located_by = located_by
  table.insert(found, fpdu)
  direction.passed[fpdu.start] = fpdu.finish
end

-- The first FPDU beyond the edge that was shown and starts within `fpdu`, which is at the edge.
local function passed_within(direction, fpdu)
  for start = fpdu.start + 4, fpdu.finish - 1, 4 do
    if direction.passed[start] then return start end
  end
end

-- Method 1: in order, the end of an FPDU is the start of the next. One that is not valid is shown too, and
-- its length followed, unless a marker contradicts it: then an FPDU that was shown within it refutes it, once
-- look_ahead() has read the markers. A length that no sender may use must be proven.
local function follow_chain(direction, has_looked_ahead, found)
  while true do
    local edge = direction.edge
    local fpdu = not direction.passed[edge] and not direction.is_stuck and fpdu_at(direction, edge)
    if direction.passed[edge] then
      direction.edge, direction.passed[edge] = direction.passed[edge], nil
    elseif not fpdu then
      return
    elseif not fpdu.is_doubtful then
      show(direction, fpdu, "chain", found)
    elseif not has_looked_ahead then
      return
    elseif passed_within(direction, fpdu) then
      direction.edge = passed_within(direction, fpdu)
    elseif fpdu.ulpdu_octets > ULPDU_MOST then
      direction.is_stuck = true
    else
      show(direction, fpdu, "chain", found)
    end
  end
end

-- Where an FPDU starts according to the marker at `position`; nil: the marker is not there.
local function start_by_marker(direction, position)
  local wire = read(direction, position, position + MARKER_OCTETS)
  local header = wire and header_by_marker(direction, position, number_at(wire, 3))
  local is_led = header and (header - direction.phase) % MARKER_PERIOD == MARKER_OCTETS
  return is_led and header - MARKER_OCTETS or header
end

-- Methods 2 and 3: beyond the edge a marker shows where an FPDU starts, and its end where the next one does,
-- which may have no marker. Only valid ones are shown. [from, to) has just come, and any FPDU that reaches
-- there may be whole now.
local function look_ahead(direction, from, to, found)
  local tried = direction.edge
  from = next_marker(direction, math.max(from - FPDU_MOST, direction.edge))
  for position = from, math.min(to + FPDU_MOST, direction.reach) - MARKER_OCTETS, MARKER_PERIOD do
    local start = start_by_marker(direction, position)
    while start and start > tried do
      local fpdu = nil
      if not direction.passed[start] then
        tried = start
        fpdu = not direction.refused[start] and fpdu_at(direction, start) or nil
        direction.refused[start] = direction.refused[start] or fpdu and not fpdu.valid
      end
      if fpdu and fpdu.valid then
        show(direction, fpdu, #fpdu.markers > 0 and "marker" or "marker_chain", found)
      end
      start = direction.passed[start]
    end
  end
end

local function locate(direction, from, to, found)
  follow_chain(direction, not direction.markers, found)
  if direction.markers and #direction.pieces > 0 then
    look_ahead(direction, from, to, found)
    follow_chain(direction, true, found)
  end
  direction.is_over = direction.is_stuck and not direction.markers
  forget(direction)
end

-- === Startup (mpa-01 §6.1) ===

local function begin_phase(direction, markers, crc)
  direction.phase, direction.markers, direction.crc = direction.edge, markers, crc
end

-- rdmac has no startup frames: its first octets are a marker, 0, and an FPDU whose CRC must prove it (mpa-02
-- §7.1). Whether that is so; nil: not known yet.
local function is_rdmac(direction)
  local marker = read(direction, direction.edge, direction.edge + MARKER_OCTETS)
  if marker ~= ("\0"):rep(MARKER_OCTETS) then return marker and false end
  begin_phase(direction, true, true)
  local fpdu = fpdu_at(direction, direction.edge)
  if not (fpdu and fpdu.valid) then direction.phase = nil end
  return fpdu and fpdu.valid
end

-- Looks for a startup frame in what has come in order, also after octets of streaming mode.
local function find_startup_frame(direction, found)
  forget(direction)
  local edge, parts = direction.edge, {}
  for _, piece in ipairs(direction.pieces) do
    if piece.at > edge then break end
    table.insert(parts, piece.octets:sub(edge - piece.at + 1))
    edge = piece_end(piece)
  end
  local octets = table.concat(parts)
  local at = octets:find(KEY)
  direction.edge = direction.edge + (at and at - 1 or math.max(#octets - KEY_OCTETS + 1, 0))
  direction.is_over = direction.edge > SEARCHED_OCTETS
  octets = at and octets:sub(at) or ""
  local length = #octets >= STARTUP_OCTETS and STARTUP_OCTETS + number_at(octets, 19) or math.huge
  if #octets < length then return end
  local flags = octets:byte(17)
  direction.frame = { start = direction.edge, octets = octets:sub(1, length), from = direction.from,
                      kind = octets:sub(8, 10) == "Req" and "Request" or "Reply",
                      markers = flags >= 0x80, crc = flags % 0x80 >= 0x40, rejected = flags % 0x40 >= 0x20 }
  direction.edge = direction.edge + length
  table.insert(found, direction.frame)
end

-- The Request of one end and the Reply of the other one determine both directions: M concerns what its sender
-- receives, and one C suffices (note M42).
local function conclude(own, other)
  local crc = own.frame.crc or other.frame.crc
  begin_phase(own, other.frame.markers, crc)
  begin_phase(other, own.frame.markers, crc)
  local reply = own.frame.kind == "Reply" and own.frame or other.frame
  own.is_over = own.frame.kind == other.frame.kind or reply.rejected
  other.is_over = own.is_over
end

-- === Segments ===

local wanted = {} -- of the fields of a segment
for _, name in ipairs({ "tcp.stream", "tcp.seq_raw", "tcp.flags.syn", "tcp.payload", "tcp.checksum.status",
                        "ip.checksum.status", "icmp.type", "icmpv6.type" }) do
  wanted[name] = Field.new(name)
end

local directions, frames -- by tcp.stream and sender; what each frame shows, by its number

function mpa.init()
  directions, frames = {}, {}
end

local function direction_of(stream, address, port)
  local from = tostring(address):gsub("^.*:.*$", "[%0]") .. ":" .. port
  local key = stream .. " " .. from
  directions[key] = directions[key] or
    { from = from, edge = 0, reach = 0, pieces = {}, passed = {}, refused = {} }
  return directions[key]
end

-- Takes in a segment; the frames and FPDUs that it completes are added to `found`.
local function take_in(own, other, position, octets, found)
  local finish = position + #octets
  keep(own, position, octets)
  own.reach = math.max(own.reach, finish)
  if not own.phase then
    if own.is_rdmac == nil then own.is_rdmac = is_rdmac(own) end
    if own.is_rdmac == false and not own.frame then find_startup_frame(own, found) end
    if own.frame and other.frame and not other.phase then
      conclude(own, other)
      if not other.is_over then locate(other, other.edge, other.reach, found) end
    end
  end
  if own.phase and not own.is_over then locate(own, position, finish, found) end
  if own.is_over then own.pieces = {} end
end

-- What this frame shows, where its segment is in the stream, and its payload; nothing when it has no segment,
-- or one that a TCP drops. Wireshark dissects a frame as often as it likes, the first time maybe without
-- fields.
local function read_segment(pinfo)
  local sequences, payloads = { wanted["tcp.seq_raw"]() }, { wanted["tcp.payload"]() }
  local stream, syn = wanted["tcp.stream"](), wanted["tcp.flags.syn"]()
  local is_quoted = wanted["icmp.type"]() or wanted["icmpv6.type"]()
  if #sequences ~= 1 or #payloads > 1 or not stream or not syn or is_quoted then return {} end
  for _, name in ipairs({ "tcp.checksum.status", "ip.checksum.status" }) do
    local status = wanted[name]()
    if status and status.value == 0 then return {} end -- wrong: a preference has it checked
  end
  local range = payloads[1] and payloads[1].range
  if not frames[pinfo.number] then
    local first = sequences[1].value + (syn.value and 1 or 0)
    local own = direction_of(stream.value, pinfo.src, pinfo.src_port)
    own.first = own.first or first
    -- Sequence numbers have 32 bits, positions do not wrap: the nearest one counts.
    local distance = (first - own.first - own.reach) % 2 ^ 32
    local position = own.reach + distance - (distance < 2 ^ 31 and 0 or 2 ^ 32)
    local found = {}
    frames[pinfo.number] = { found = found, position = position }
    if range and not own.is_over then
      take_in(own, direction_of(stream.value, pinfo.dst, pinfo.dst_port), position, range:raw(), found)
    end
  end
  return frames[pinfo.number].found, frames[pinfo.number].position, range
end

-- === What is shown ===

-- The octets of `item`: those in this segment, or a copy if they do not lie in it as a whole.
local function tvb_of(item, position, range)
  local from = item.start - position
  local here = range and from >= 0 and from + #item.octets <= range:len() and range:range(from, #item.octets)
  if here and here:raw() == item.octets then return here:tvb() end
  return ByteArray.new(item.octets, true):tvb("MPA")
end

local function add_position(tree, name, range, position)
  local value = UInt64.new(position % 2 ^ 32, math.floor(position / 2 ^ 32))
  return tree:add(fields[name], range, value):set_generated()
end

local function show_startup_frame(frame, tvb, tree)
  tree:append_text(", " .. frame.kind .. " Frame")
  tree:add(fields.key, tvb(0, KEY_OCTETS))
  for _, name in ipairs({ "marker_flag", "crc_flag", "rej_flag", "res" }) do
    tree:add(fields[name], tvb(16, 1))
  end
  tree:add(fields.rev, tvb(17, 1))
  tree:add(fields.pdlength, tvb(18, 2))
  if tvb:len() > STARTUP_OCTETS then tree:add(fields.privatedata, tvb(STARTUP_OCTETS)) end
end

-- The ULPDU: a part of `tvb`, or a copy without the markers in it.
local function ulpdu_of(fpdu, tvb)
  local first, parts = fpdu.header + LENGTH_OCTETS, {}
  local at = first
  for _, marker in ipairs(fpdu.markers) do
    if marker.position >= first and marker.position < fpdu.pad_at then
      table.insert(parts, fpdu.octets:sub(at - fpdu.start + 1, marker.position - fpdu.start))
      at = marker.position + MARKER_OCTETS
    end
  end
  if at == first then return tvb(first - fpdu.start, fpdu.ulpdu_octets):tvb() end
  table.insert(parts, fpdu.octets:sub(at - fpdu.start + 1))
  return ByteArray.new(table.concat(parts):sub(1, fpdu.ulpdu_octets), true):tvb("ULPDU")
end

local function show_marker(marker, range, tree)
  local branch = add_position(tree, "marker", range, marker.position)
  branch:append_text(string.format(", FPDUPTR %d, %s", marker.pointer, marker.right and "right" or "WRONG"))
  branch:add(fields.marker_res, range(0, 2))
  branch:add(fields.marker_fpduptr, range(2, 2))
  branch:add(fields.marker_right, range, marker.right):set_generated()
  if not marker.right then warn(branch, "marker") end
end

local function show_fpdu(fpdu, tvb, tree, pinfo)
  tree:append_text(string.format(", FPDU located by %s, CRC %s", fpdu.located_by, fpdu.verdict))
  tree:add(fields.located_by, tvb(), fpdu.located_by):set_generated()
  local length = tree:add(fields.ulpdulength, tvb(fpdu.header - fpdu.start, LENGTH_OCTETS))
  if fpdu.ulpdu_octets > ULPDU_MOST then warn(length, "length") end
  for _, marker in ipairs(fpdu.markers) do
    show_marker(marker, tvb(marker.position - fpdu.start, MARKER_OCTETS), tree)
  end
  if fpdu.pad_octets > 0 then
    local range = tvb(fpdu.pad_at - fpdu.start, fpdu.pad_octets)
    local pad = tree:add(fields.pad, range)
    if range:uint() ~= 0 then warn(pad, "pad") end
  end
  local range = tvb(fpdu.crc_at - fpdu.start, CRC_OCTETS)
  local crc = tree:add(fields.crc, range)
  if fpdu.verdict == "WRONG" then warn(crc, "crc") end
  tree:add(fields.crc_verdict, range, fpdu.verdict):set_generated()
  if fpdu.computed then tree:add(fields.crc_computed, range, fpdu.computed):set_generated() end
  if fpdu.ulpdu_octets > 0 then
    local ulpdu = ulpdu_of(fpdu, tvb)
    -- Wireshark's own dissector of DDP and RDMAP raises an error when its header is cut off.
    pcall(Dissector.call, Dissector.get("iwarp_ddp_rdmap"), ulpdu, pinfo, tree)
    local header_octets = ulpdu(0, 1):uint() >= 0x80 and 14 or 18 -- tagged or not (RFC 5041 §4.2, §4.3)
    if ulpdu:len() > header_octets then tree:add(fields.payload, ulpdu(header_octets)) end
  end
end

function mpa.dissector(_, pinfo, root)
  local found, position, range = read_segment(pinfo)
  for _, item in ipairs(found) do
    local tvb = tvb_of(item, position, range)
    local tree = root:add(mpa, tvb())
    tree:add(fields.from, tvb(), item.from):set_generated()
    add_position(tree, "position", tvb(), item.start)
    tree:add(fields.octets, tvb(), #item.octets):set_generated()
    pinfo.cols.protocol = "MPA"
    if item.kind then show_startup_frame(item, tvb, tree) else show_fpdu(item, tvb, tree, pinfo) end
  end
end

register_postdissector(mpa)
-- Wireshark makes fields of all frames when it opens a file only if somebody asks for them.
local asks_for_fields = gui_enabled() and Listener.new("frame", nil, true)

-- Takes these connections from Wireshark's own dissector of MPA, which would be asked next.
local claim = Proto("iwarp_mpa_marked_stream", "iWARP MPA, read by iwarp_mpa_marked")

function claim.dissector(tvb)
  return tvb:len()
end

claim:register_heuristic("tcp", function(tvb, pinfo)
  local is_ours = tvb:len() >= KEY_OCTETS and tvb:raw(0, KEY_OCTETS):find("^" .. KEY) ~= nil
  if is_ours then pinfo.conversation = claim end
  return is_ours
end)
