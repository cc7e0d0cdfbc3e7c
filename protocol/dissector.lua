
-- What follows reads payloads by the tables above: E enums, U unions, S structs and packets, P packets by id.
-- Frames are `i32 payload length | i32 packet id | payload`; docs/formats/protocol.md tells the rest.

local HEADER = 8
local DEEPEST = 64
local MOST_ELEMENTS = 1000 -- of a list that are shown

local hytale = Proto("hytale", "Hytale " .. BUILD)
local names = {}
for id, packet in pairs(P) do names[id] = packet.name end

local f = hytale.fields
f.length = ProtoField.int32("hytale.length", "Payload length")
f.id = ProtoField.int32("hytale.id", "Packet id", base.DEC, names)
f.packet = ProtoField.string("hytale.packet", "Packet")
f.category = ProtoField.string("hytale.category", "Category")
f.direction = ProtoField.string("hytale.direction", "Direction")
f.compressed = ProtoField.bytes("hytale.compressed", "Compressed payload")
f.payload = ProtoField.bytes("hytale.payload", "Payload")
f.error = ProtoField.string("hytale.error", "Not readable")

-- One filter per field of a number, a text or the like: hytale.ClientMovement.mountedTo.
local MAKERS = {
    bool = ProtoField.bool, i8 = ProtoField.int8, i16 = ProtoField.int16, i32 = ProtoField.int32, i64 = ProtoField.int64,
    f32 = ProtoField.float, f64 = ProtoField.double, uuid = ProtoField.guid, text = ProtoField.string,
    fixed = ProtoField.string, bytes = ProtoField.bytes,
}
local filters = {}
for struct, layout in pairs(S) do
    for _, field in ipairs(layout) do
        local kind, make = field[2], MAKERS[field[2].k]
        local filter = "hytale." .. struct .. "." .. field[1]
        if kind.k == "enum" or kind.k == "wide" then
            local values = {}
            for index, value in ipairs(E[kind.name]) do values[index - 1] = value end
            local number = kind.k == "wide" and ProtoField.uint32 or ProtoField.uint8
            field.filter = number(filter, field[1], base.DEC, values)
        elseif kind.k == "flags" then
            field.filter = ProtoField.uint8(filter, field[1], base.HEX)
        elseif field.mask then -- a bit of a byte that several share
            field.filter = ProtoField.bool(filter, field[1], 8, nil, field.mask)
        elseif make then
            field.filter = make(filter, field[1])
        end
        if field.filter then filters[#filters + 1] = field.filter end
    end
end
for _, filter in ipairs(filters) do f[#f + 1] = filter end

local function varint(buffer, at)
    local value, shift = 0, 0
    for index = 0, 4 do
        local byte = buffer(at + index, 1):uint()
        value = value + (byte % 128) * 2 ^ shift
        if byte < 128 then
            if value >= 2 ^ 31 then error("a count or length that is negative") end
            return value, at + index + 1
        end
        shift = shift + 7
    end
    error("a count or length of more than five bytes")
end

local WIDTHS = { bool = 1, i8 = 1, i16 = 2, i32 = 4, i64 = 8, f32 = 4, f64 = 8, uuid = 16, enum = 1, wide = 4, flags = 1 }
local READERS = {
    bool = function(range) return tostring(range:uint() ~= 0) end,
    i8 = function(range) return tostring(range:int()) end,
    i16 = function(range) return tostring(range:le_int()) end,
    i32 = function(range) return tostring(range:le_int()) end,
    i64 = function(range) return tostring(range:le_int64()) end,
    f32 = function(range) return tostring(range:le_float()) end,
    f64 = function(range) return tostring(range:le_float()) end,
    uuid = function(range) return tostring(range:bytes()) end,
}

local read_struct

local function add_leaf(tree, label, filter, range, text, little)
    if filter and little then
        return tree:add_le(filter, range)
    elseif filter then
        return tree:add(filter, range)
    end
    return tree:add(range, label .. ": " .. text)
end

local function enum_text(name, number)
    return E[name][number + 1] or error("no value " .. number .. " of " .. name)
end

-- The names of all flags that are set.
local function flags_text(name, byte)
    local set = {}
    for shift = 0, 7 do
        local flag = 2 ^ shift
        if bit.band(byte, flag) ~= 0 then set[#set + 1] = E[name][flag] or error("no flag " .. flag .. " of " .. name) end
    end
    return #set > 0 and table.concat(set, ", ") or "none"
end

-- Shows a value that starts at `at` and returns the offset behind it.
local read
read = function(tree, label, filter, type, buffer, at, depth)
    local kind = type.k
    if WIDTHS[kind] then
        local range = buffer(at, WIDTHS[kind])
        local text
        if kind == "enum" or kind == "wide" then
            text = enum_text(type.name, range:le_uint())
        elseif kind == "flags" then
            text = flags_text(type.name, range:uint())
        else
            text = READERS[kind](range)
        end
        local leaf = add_leaf(tree, label, filter, range, text, kind ~= "uuid")
        if kind == "flags" and filter then leaf:append_text(" (" .. text .. ")") end
        return at + WIDTHS[kind]
    elseif kind == "array" then
        local subtree = tree:add(buffer(at, type.width), string.format("%s: %d elements", label, type.len))
        local next = at
        for index = 0, math.min(type.len, MOST_ELEMENTS) - 1 do
            next = read(subtree, string.format("[%d]", index), nil, type.of, buffer, next, depth)
        end
        if type.len > MOST_ELEMENTS then subtree:add(buffer(next, 0), "(more)") end
        return at + type.width
    elseif kind == "fixed" then
        local range = buffer(at, type.len)
        add_leaf(tree, label, filter, range, range:stringz(), false)
        return at + type.len
    elseif kind == "text" then
        local length, first = varint(buffer, at)
        if length == 0 then
            tree:add(buffer(at, first - at), label .. ": (empty)")
        else
            local range = buffer(first, length)
            if filter then
                tree:add_packet_field(filter, range, ENC_UTF_8)
            else
                tree:add(range, label .. ": " .. range:string(ENC_UTF_8))
            end
        end
        return first + length
    elseif kind == "bytes" then
        local length, first = varint(buffer, at)
        if length == 0 then
            tree:add(buffer(at, first - at), label .. ": (no bytes)")
        else
            add_leaf(tree, label, filter, buffer(first, length), "", false)
        end
        return first + length
    elseif kind == "struct" then
        return read_struct(tree, label, type.name, buffer, at, depth + 1)
    elseif kind == "union" then
        local id, first = varint(buffer, at)
        local name = U[type.name][id] or error("no type " .. id .. " of " .. type.name)
        return read_struct(tree, label, name, buffer, first, depth + 1)
    end

    -- Lists and maps
    local count, next = varint(buffer, at)
    local subtree = tree:add(buffer(at, next - at), string.format("%s: %d elements", label, count))
    local bits
    if kind == "sparse" then
        bits = next
        next = next + math.ceil(count / 8)
    end
    for index = 0, count - 1 do
        if index == MOST_ELEMENTS then
            subtree:add(buffer(next, 0), "(more)")
            error("too many elements to show")
        end
        local element = string.format("[%d]", index)
        if bits and bit.band(bit.rshift(buffer(bits + math.floor(index / 8), 1):uint(), index % 8), 1) == 0 then
            subtree:add(buffer(bits, 0), element .. ": (absent)")
        elseif kind == "map" then
            next = read(subtree, element .. " key", nil, type.key, buffer, next, depth)
            next = read(subtree, element .. " value", nil, type.of, buffer, next, depth)
        else
            next = read(subtree, element, nil, type.of, buffer, next, depth)
        end
    end
    return next
end

read_struct = function(tree, label, name, buffer, at, depth)
    if depth > DEEPEST then error("nested too deeply") end
    local layout = S[name]
    local finish = at + layout.start
    local subtree = tree:add(buffer(at, math.min(layout.start, buffer:len() - at)), label .. " (" .. name .. ")")
    for _, field in ipairs(layout) do
        local here = true
        if field.bit then
            here = bit.band(bit.rshift(buffer(at + math.floor(field.bit / 8), 1):uint(), field.bit % 8), 1) == 1
        end
        if here then
            local start = at + layout.start
            if field.at then
                start = at + field.at
            elseif field.slot then
                start = start + buffer(at + field.slot, 4):le_int()
            end
            local behind = read(subtree, field[1], field.filter, field[2], buffer, start, depth)
            if not field.at then finish = math.max(finish, behind) end
        end
    end
    return finish
end

local function dissect_frame(buffer, pinfo, root)
    local length, id = buffer(0, 4):le_int(), buffer(4, 4):le_int()
    local packet = P[id]
    local name = packet and packet.name or ("packet " .. id)
    local tree = root:add(hytale, buffer(0, HEADER + length), "Hytale " .. name)
    tree:add_le(f.length, buffer(0, 4))
    tree:add_le(f.id, buffer(4, 4))
    tree:add(f.packet, buffer(4, 4), name):set_generated()
    pinfo.cols.protocol = "HYTALE"
    if pinfo.cols.info then pinfo.cols.info:append(" " .. name) end

    if length == 0 and not (packet and S[packet.name].start == 0) then return HEADER end
    if not packet then
        tree:add(f.payload, buffer(HEADER, length))
        return HEADER + length
    end
    tree:add(f.category, buffer(4, 4), packet.category):set_generated()
    if packet.direction ~= "" then tree:add(f.direction, buffer(4, 4), packet.direction):set_generated() end
    local payload = length > 0 and buffer(HEADER, length):tvb() or nil
    if packet.compressed and length > 0 then
        local range = buffer(HEADER, length)
        tree:add(f.compressed, range)
        -- Wireshark can decompress zstd from 4.4 on.
        local fine, plain = pcall(function() return range:uncompress_zstd("Decompressed payload") end)
        if not fine or not plain then return HEADER + length end
        payload = plain:tvb()
    end
    if payload then
        local fine, problem = pcall(read_struct, tree, name, packet.name, payload, 0, 0)
        if not fine then
            tree:add(f.error, buffer(HEADER, length), tostring(problem)):set_generated()
            tree:add_expert_info(PI_MALFORMED, PI_WARN, "The payload does not parse")
        end
    end
    return HEADER + length
end

local function frame_length(buffer, _, offset)
    local length = buffer(offset, 4):le_int()
    if length < 0 then return HEADER end
    return HEADER + length
end

function hytale.dissector(buffer, pinfo, tree)
    pinfo.cols.info = ""
    dissect_tcp_pdus(buffer, tree, HEADER, frame_length, dissect_frame)
    return buffer:len()
end

DissectorTable.get("tcp.port"):add(5520, hytale)
