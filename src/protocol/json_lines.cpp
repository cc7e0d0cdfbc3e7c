#include "protocol/json_lines.hpp"

#include "bytes/hex.hpp"
#include "bytes/near_names.hpp"
#include "protocol/frame.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/value_json.hpp"

#include <algorithm>

namespace orbis::protocol {

namespace {

LineResult refused(std::string_view code, std::size_t at, std::string_view message = {}) {
    JsonWriter json;
    json.object().member("error", code).member("at", at);
    if (!message.empty()) json.member("message", message);
    json.end();
    return {json.take(), true};
}

/// For lines that are not what the verb reads.
LineResult misunderstood(std::string_view message) { return refused("input-bad", 0, message); }

/// With a line that the verb would read.
LineResult misunderstood(const Error& problem, std::string_view like) {
    return refused("input-bad", problem.offset.value_or(0),
                   fmt::format("{}; each line must be an object such as {}", problem.problem, like));
}

/// The packet that a line names, by name or by id; null when the build has none.
const PacketInfo* packet_of(const Schema& schema, const JsonTree& line) {
    if (const auto name = line.text("packet"); !name.empty()) return schema.registry().find(name);
    const auto id = line.integer("id", -1);
    return std::in_range<std::int32_t>(id) ? schema.registry().find(static_cast<std::int32_t>(id)) : nullptr;
}

LineResult unknown_packet(const Schema& schema, const JsonTree& line) {
    const auto name = line.text("packet");
    std::vector<std::string_view> names;
    for (const auto& packet : schema.registry().packets()) names.push_back(packet.name);
    return refused("packet-unknown", 0,
                   name.empty()
                       ? fmt::format("no packet has the id {}", line.integer("id", -1))
                       : fmt::format("no packet has the name {}{}", name, did_you_mean(name, names)));
}

/// A packet whose layout is not known, for tools that keep what they cannot read.
void write_unknown(JsonWriter& json, std::optional<std::int64_t> id, Bytes payload) {
    json.key("packet").null().key("id");
    if (id)
        json.number(*id);
    else
        json.null();
    json.key("value").object().member("$bytes", to_hex(payload)).member("$error", "packet-unknown").end();
}

/// Writes the members packet, id and value; the failure when the payload is refused.
std::optional<Failure> write_packet(JsonWriter& json, const Schema& schema, const PacketInfo& packet,
                                    Bytes payload, const LineOptions& options) {
    const auto& layout = *schema.packet(packet.id);
    const auto rules = schema.read_rules(options.strict);
    Value value;
    if (options.keep) {
        value = decode_what_parses(layout, payload, rules);
    } else {
        auto read = decode(layout, payload, rules);
        if (!read) return std::move(read).error();
        value = *std::move(read);
    }
    json.member("packet", packet.name).member("id", packet.id).key("value");
    write_json(json, value);
    return std::nullopt;
}

LineResult decode_payload(const Schema& schema, const JsonTree& line, const LineOptions& options) {
    if (line.find("packet") == nullptr && line.find("id") == nullptr)
        return misunderstood("\"packet\" or \"id\" is missing");
    if (line.find("payload_hex") == nullptr) return misunderstood("\"payload_hex\" is missing");
    const auto payload = from_hex(line.text("payload_hex"));
    if (!payload) return misunderstood("\"payload_hex\" is not bytes in hex");
    const auto* packet = packet_of(schema, line);
    JsonWriter json;
    json.object();
    if (packet == nullptr) {
        if (!options.keep) return unknown_packet(schema, line);
        const auto* id = line.find("id");
        write_unknown(json, id != nullptr ? std::optional(line.integer("id")) : std::nullopt, *payload);
    } else if (const auto failure = write_packet(json, schema, *packet, *payload, options)) {
        return refused(name(failure->fault), failure->at, failure->error().text());
    }
    json.end();
    return {json.take()};
}

/// The rules for the frame of a line; nothing when it names a channel or side that is not there.
std::optional<FrameRules> rules_of(const JsonTree& line, const LineOptions& options) {
    FrameRules rules{options.receiver, std::nullopt};
    if (const auto channel = line.text("channel"); !channel.empty()) {
        for (int number = 0; number < 4; ++number)
            if (name(static_cast<Channel>(number)) == channel) rules.channel = static_cast<Channel>(number);
        if (!rules.channel) return std::nullopt;
    }
    if (const auto side = line.text("to"); !side.empty()) {
        if (side != "client" && side != "server") return std::nullopt;
        rules.receiver = side == "client" ? Side::client : Side::server;
    }
    return rules;
}

/// Writes the members for the next frame of a decoder, without the end of the object. The whole answer where
/// there is no frame to read: it is refused, or not all of it is there.
std::optional<LineResult> write_frame(JsonWriter& json, const Schema& schema, FrameDecoder& decoder,
                                      std::size_t have, const LineOptions& options,
                                      std::size_t* length = nullptr) {
    const auto next = decoder.next();
    if (!next) {
        const auto& failure = next.error();
        json.member("error", name(failure.fault)).member("at", failure.error.offset.value_or(0));
        json.member("how", failure.is_violation() ? "violation" : "error")
            .member("message", failure.error.text());
        json.end();
        return LineResult{json.take(), true};
    }
    if (!*next) {
        json.member("wait", true).member("have", have).end();
        return LineResult{json.take()};
    }
    const auto& frame = **next;
    if (frame.packet == nullptr) {
        if (!options.keep)
            return refused("packet-unknown", 4, fmt::format("no packet has the id {}", frame.id));
        write_unknown(json, frame.id, frame.payload);
    } else if (const auto failure = write_packet(json, schema, *frame.packet, frame.payload, options)) {
        json.member("error", name(failure->fault)).member("at", failure->at).member("how", "violation");
        json.member("message", failure->error().text()).end();
        return LineResult{json.take(), true};
    }
    json.member("consumed", frame.length);
    if (length != nullptr) *length = frame.length;
    return std::nullopt;
}

LineResult decode_frame(const Schema& schema, const JsonTree& line, const LineOptions& options) {
    if (line.find("frame_hex") == nullptr) return misunderstood("\"frame_hex\" is missing");
    const auto bytes = from_hex(line.text("frame_hex"));
    if (!bytes) return misunderstood("\"frame_hex\" is not bytes in hex");
    const auto rules = rules_of(line, options);
    if (!rules)
        return misunderstood("\"channel\" must be a known channel and \"to\" must be client or server");

    FrameDecoder decoder(schema.registry(), *rules);
    decoder.feed(*bytes);
    JsonWriter json;
    json.object();
    if (auto answer = write_frame(json, schema, decoder, bytes->size(), options)) return *std::move(answer);
    const auto then = decoder.next();
    json.member("then", !then ? "close" : *then ? "frame" : "wait").end();
    return {json.take()};
}

} // namespace

LineResult decode_packet(const Schema& schema, const PacketInfo& packet, Bytes payload,
                         const LineOptions& options) {
    JsonWriter json;
    json.object();
    if (const auto failure = write_packet(json, schema, packet, payload, options))
        return refused(name(failure->fault), failure->at, failure->error().text());
    json.end();
    return {json.take()};
}

void decode_frames(const Schema& schema, Bytes bytes, const LineOptions& options,
                   const std::function<void(const LineResult&)>& answer) {
    FrameDecoder decoder(schema.registry(), {options.receiver, std::nullopt});
    decoder.feed(bytes);
    for (auto left = bytes.size(); left > 0;) {
        JsonWriter json;
        json.object();
        std::size_t length = 0;
        if (const auto last = write_frame(json, schema, decoder, left, options, &length))
            return answer(*last);
        json.end();
        answer({json.take()});
        left -= std::min(left, length);
    }
}

LineResult decode_line(const Schema& schema, std::string_view line, const LineOptions& options) {
    const auto tree = JsonTree::parse(line);
    const std::string_view like = options.frame ? R"({"frame_hex": "04000000640000002a000000"})"
                                                : R"({"packet": "SetClientId", "payload_hex": "2a000000"})";
    if (!tree) return misunderstood(tree.error(), like);
    if (tree->as<JsonTree::Object>() == nullptr)
        return misunderstood(error(Errc::bad_value, "expected an object, found {}", tree->kind()), like);
    return options.frame ? decode_frame(schema, *tree, options) : decode_payload(schema, *tree, options);
}

LineResult encode_line(const Schema& schema, std::string_view line, bool frame, PayloadFramer& framer) {
    const auto tree = JsonTree::parse(line);
    if (!tree) return misunderstood(tree.error(), R"({"packet": "SetClientId", "value": {"clientId": 42}})");
    if (tree->find("packet") == nullptr && tree->find("id") == nullptr)
        return misunderstood("\"packet\" or \"id\" is missing");
    const auto* packet = packet_of(schema, *tree);
    if (packet == nullptr) return unknown_packet(schema, *tree);

    Buffer payload;
    if (const auto* value = tree->find("value")) {
        const auto read = read_json(*schema.packet(packet->id), *value);
        if (!read) return refused("value-bad", 0, read.error().text());
        const auto written = encode(*schema.packet(packet->id), *read, payload);
        if (!written) return refused("value-bad", 0, written.error().text());
    } else if (frame && tree->find("payload_hex") != nullptr) {
        auto bytes = from_hex(tree->text("payload_hex"));
        if (!bytes) return misunderstood("\"payload_hex\" is not bytes in hex");
        payload = *std::move(bytes);
    } else {
        return misunderstood("\"value\" is missing");
    }

    JsonWriter json;
    json.object();
    if (frame) {
        const auto made = framer.frame(*packet, payload);
        if (!made) return refused("value-bad", 0, made.error().text());
        json.member("frame_hex", to_hex(*made));
    } else {
        json.member("payload_hex", to_hex(payload));
    }
    json.end();
    return {json.take()};
}

} // namespace orbis::protocol
