#include "inspect/packet_json.hpp"

#include "bytes/hex.hpp"
#include "protocol/frame.hpp"
#include "protocol/value_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace orbis::inspect {

namespace {

using protocol::Part;
using protocol::Span;
using protocol::Value;

enum RowFlag : unsigned { k_fields_left_out = 1, k_payload_left_out = 2, k_unreadable = 4 };

int side_number(const std::optional<protocol::Side>& side) {
    if (!side) return 2;
    return *side == protocol::Side::server ? 1 : 0;
}

int channel_number(const std::optional<protocol::Channel>& channel) {
    return channel ? static_cast<int>(*channel) : -1;
}

bool is_leaf(const Value& value) {
    return value.as<Value::Record>() == nullptr && value.as<Value::Entries>() == nullptr
           && (value.as<Value::List>() == nullptr);
}

/// A byte of flags is a list whose parts have no spans.
bool is_flags(const Span& span) { return span.type != nullptr && span.type->kind == protocol::Kind::flags; }

std::string type_text(const Span& span, const Value* value) {
    if (value != nullptr && span.type != nullptr && span.type->kind == protocol::Kind::choice)
        if (const auto* record = value->as<Value::Record>()) return record->layout->name;
    return span.type != nullptr ? span.type->text() : std::string();
}

/// What a span is called in the one around it.
std::string name_of_span(const Span& span, const Value* around) {
    if (span.part == Part::presence || span.part == Part::count || span.part == Part::type_id) return {};
    if (around == nullptr) return {};
    if (const auto* record = around->as<Value::Record>())
        return span.index < record->layout->fields.size() ? record->layout->fields[span.index].name
                                                          : std::string();
    return fmt::format("{}", span.index);
}

} // namespace

std::int64_t since(std::int64_t time, std::int64_t start) {
    // In unsigned numbers: the times of a damaged file may be anything.
    const auto passed = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(start);
    return static_cast<std::int64_t>(passed) / 1000;
}

std::string cut_text(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    auto end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "…";
}

/// The fields that are there, with their names, as far as they fit.
std::string PacketJson::row_text(const Value& value) {
    scratch_.clear();
    const auto* record = value.as<Value::Record>();
    if (record == nullptr) {
        protocol::write_json(scratch_, value);
        return cut_text(scratch_.text(), k_longest_row_text);
    }
    std::string text;
    for (std::size_t at = 0; at < record->fields.size() && text.size() <= k_longest_row_text; ++at) {
        if (record->fields[at].is_absent()) continue;
        const auto& field = record->layout->fields[at];
        scratch_.clear();
        protocol::write_json(scratch_, field.type, record->fields[at]);
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", field.name, scratch_.text());
    }
    return cut_text(text, k_longest_row_text);
}

void PacketJson::row(JsonWriter& json, std::uint64_t rank, std::uint64_t number,
                     const capture::Record& record, std::int64_t start) {
    unsigned flags = 0;
    if (record.left_out == capture::LeftOut::fields) flags |= k_fields_left_out;
    if (record.left_out == capture::LeftOut::payload) flags |= k_payload_left_out;
    std::string text;
    if (const auto value = rows_.value(record)) {
        text = row_text(**value);
        if ((*value)->as<Value::Unreadable>() != nullptr) flags |= k_unreadable;
    } else if (value.error().code != Errc::too_large) {
        text = cut_text(value.error().problem, k_longest_row_text);
        flags |= k_unreadable;
    }
    json.array().number(rank).number(number).number(since(record.time, start));
    json.number(side_number(record.to)).number(channel_number(record.channel)).number(record.session);
    json.string(capture::packet_name(record)).number(record.length).number(flags).string(text).end();
}

Bytes PacketJson::payload_of(const capture::Record& record, std::string& problem) {
    const auto payload = decoder_.payload(record);
    if (payload) return *payload;
    problem = payload.error().problem;
    return record.frame.subspan(std::min(record.frame.size(), protocol::k_frame_header));
}

void PacketJson::packet(JsonWriter& json, std::uint64_t number, const capture::Record& record,
                        std::int64_t start) {
    json.object().member("number", number).member("time", since(record.time, start));
    json.member("to", side_number(record.to)).member("channel", channel_number(record.channel));
    json.member("stream", record.stream).member("player", record.session);
    json.member("build", record.build_name).member("packet", capture::packet_name(record));
    json.member("id", record.id()).member("size", record.length);
    if (record.left_out == capture::LeftOut::fields) json.member("left_out", "fields");
    if (record.left_out == capture::LeftOut::payload) json.member("left_out", "payload");
    std::string problem;
    const auto payload = payload_of(record, problem);
    const auto* packet = capture::packet_of(record);
    json.key("payload").object().member("size", payload.size());
    json.member("compressed", problem.empty() && packet != nullptr && packet->compressed);
    json.member("hex", to_hex(payload.first(std::min(payload.size(), k_first_bytes)))).end();
    if (problem.empty() && payload.size() > k_largest_tree)
        problem = fmt::format("it has {} bytes, and only packets of up to {} are taken apart", payload.size(),
                              k_largest_tree);
    if (!problem.empty()) {
        json.member("problem", problem).key("spans").array().end().member("cut", false).end();
        return;
    }
    const auto& schema = protocol::schema_of(*record.build);
    const auto& layout = *schema.packet(record.id());
    const auto value = protocol::decode_what_parses(layout, payload, schema.read_rules(), spans_);
    json.key("spans").array();
    write_spans(json, layout, value);
    json.end().member("cut", spans_.is_cut()).end();
}

void PacketJson::write_spans(JsonWriter& json, const protocol::Layout& layout, const Value& value) {
    const auto values = protocol::values_of(spans_, value);
    const auto& spans = spans_.spans();
    for (std::size_t number = 0; number < spans.size(); ++number) {
        const auto& span = spans[number];
        const auto* own = values[number];
        json.array().number(number == 0 ? -1 : static_cast<std::int64_t>(span.parent));
        json.number(span.at).number(span.size).string(protocol::name(span.part));
        json.string(number == 0 ? layout.name : name_of_span(span, values[span.parent]));
        json.string(type_text(span, own));
        if (own != nullptr && (is_leaf(*own) || is_flags(span))) {
            scratch_.clear();
            if (const auto* bytes = own->as<Buffer>(); bytes != nullptr && bytes->size() > k_longest_value)
                scratch_.string(to_hex(Bytes(*bytes).first(k_longest_value / 2)) + "…");
            else if (span.type != nullptr)
                protocol::write_json(scratch_, *span.type, *own);
            else
                protocol::write_json(scratch_, *own);
            json.string(cut_text(scratch_.text(), k_longest_value));
        } else {
            json.null();
        }
        json.number(span.bit).end();
    }
}

void PacketJson::bytes(JsonWriter& json, const capture::Record& record, std::size_t from, std::size_t count) {
    std::string problem;
    const auto payload = payload_of(record, problem);
    from = std::min(from, payload.size());
    const auto part = payload.subspan(from, std::min({count, payload.size() - from, k_most_bytes}));
    json.object().member("from", from).member("size", payload.size()).member("hex", to_hex(part)).end();
}

bool PacketJson::has_text(const capture::Record& record, std::string_view text) {
    const auto has = [&](std::string_view where) {
        const auto same = [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
        };
        return std::ranges::search(where, text, same).begin() != where.end();
    };
    if (has(capture::packet_name(record))) return true;
    const auto value = trees_.value(record);
    if (!value) return false;
    scratch_.clear();
    protocol::write_json(scratch_, **value);
    return has(scratch_.text());
}

void PacketJson::line(JsonWriter& json, std::uint64_t number, const capture::Record& record) {
    json.object().member("number", number).member("nanoseconds", record.time);
    if (record.to) json.member("to", *record.to == protocol::Side::server ? "server" : "client");
    if (record.channel) json.member("channel", protocol::name(*record.channel));
    if (record.stream >= 0) json.member("stream", record.stream);
    if (record.session > 0) json.member("player", record.session);
    if (!record.build_name.empty()) json.member("build", record.build_name);
    if (const auto* packet = capture::packet_of(record)) json.member("packet", packet->name);
    json.member("id", record.id()).member("size", record.length);
    if (record.left_out == capture::LeftOut::fields) json.member("left_out", "fields");
    if (record.left_out == capture::LeftOut::payload) json.member("left_out", "payload");
    if (const auto value = trees_.value(record)) {
        json.key("value");
        protocol::write_json(json, **value);
    } else {
        json.member("error", value.error().problem);
        if (record.left_out != capture::LeftOut::payload) json.member("frame_hex", to_hex(record.frame));
    }
    json.end();
}

} // namespace orbis::inspect
