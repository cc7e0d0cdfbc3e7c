#include "proxy/rules.hpp"

#include "bytes/reader.hpp"
#include "protocol/frame.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/value_json.hpp"
#include "proxy/record_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace orbis::proxy {
namespace {

using protocol::k_frame_header;

constexpr std::uint32_t k_largest_content = 32 << 20;
constexpr net::Duration k_longest_rule_delay = std::chrono::minutes(1);

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The word before the first blank; takes it away.
std::string_view take_word(std::string_view& text) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    const auto word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

Result<net::Duration> read_delay(std::string_view text) {
    double value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
    const double seconds = unit == "ms" ? 0.001 : unit == "s" ? 1 : 0;
    const auto time = value * seconds;
    if (problem != std::errc() || !(time > 0) || time > net::seconds_of(k_longest_rule_delay))
        return fail(Errc::bad_text, "expected a time such as 200ms or 2s, at most a minute, found '{}'",
                    text);
    return std::chrono::duration_cast<net::Duration>(std::chrono::duration<double>(time));
}

Result<RuleAction> read_action(std::string_view line) {
    RuleAction action;
    const auto colon = line.find(':');
    const auto name = trimmed(line.substr(0, colon));
    auto rest = colon == std::string_view::npos ? std::string_view() : trimmed(line.substr(colon + 1));
    using Kind = RuleAction::Kind;
    if ((name == "show" || name == "drop") && rest.empty()) {
        action.kind = name == "show" ? Kind::show : Kind::drop;
    } else if (name == "delay") {
        action.kind = Kind::delay;
        TRY(action.time, read_delay(rest));
    } else if (name == "set") {
        action.kind = Kind::set;
        const auto equals = rest.find('=');
        action.path = trimmed(rest.substr(0, equals));
        if (equals == std::string_view::npos || action.path.empty())
            return fail(Errc::bad_text, "expected set: FIELD = VALUE, found '{}'", line);
        TRY(action.value, protocol::JsonTree::parse(trimmed(rest.substr(equals + 1))));
    } else if (name == "inject") {
        action.kind = Kind::inject;
        const auto to = take_word(rest);
        const auto side = take_word(rest);
        action.packet = take_word(rest);
        if (to != "to" || (side != "client" && side != "server") || action.packet.empty())
            return fail(Errc::bad_text, "expected inject: to client|server PACKET VALUE, found '{}'", line);
        action.to = side == "client" ? End::client : End::server;
        TRY(action.value, protocol::JsonTree::parse(rest.empty() ? "{}" : rest));
    } else {
        return fail(Errc::bad_text, "expected when, show, drop, delay, set or inject, found '{}'", line);
    }
    return action;
}

/// The field of a path, and its type; null when there is none.
std::pair<protocol::Value*, const protocol::Type*> find_path(protocol::Value& value, std::string_view path) {
    auto* at = &value;
    const protocol::Type* type = nullptr;
    while (!path.empty()) {
        const auto dot = std::min(path.find('.'), path.size());
        auto* record = std::get_if<protocol::Value::Record>(&at->content);
        if (record == nullptr) return {};
        const auto& fields = record->layout->fields;
        const auto found = std::ranges::find(fields, path.substr(0, dot), &protocol::Field::name);
        if (found == fields.end()) return {};
        at = &record->fields[static_cast<std::size_t>(found - fields.begin())];
        type = &found->type;
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return {at, type};
}

/// The packet of a frame in the player's build; null when it is not known.
const protocol::PacketInfo* packet_of(const PlayerFacts& player, Bytes frame) {
    if (player.build == nullptr) return nullptr;
    return protocol::schema_of(*player.build).registry().find(load_le<std::int32_t>(frame.data() + 4));
}

Result<Buffer> content_of(Decompressor& decompressor, const protocol::PacketInfo& packet, Bytes frame) {
    const auto payload = frame.subspan(k_frame_header);
    if (!packet.compressed || payload.empty()) return Buffer(payload.begin(), payload.end());
    auto content = protocol::decompress_payload(decompressor, packet, payload, k_largest_content);
    if (!content) return fail(std::move(content.error().error));
    return Buffer(content->begin(), content->end());
}

} // namespace

Result<RuleBook> RuleBook::parse(std::string_view text) {
    RuleBook book;
    int number = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        const auto in_line = [number](Error&& problem) {
            return fail(std::move(problem).about(fmt::format("line {}", number)));
        };
        if (line.empty() || line.front() == '#') continue;
        if (line.starts_with("when:")) {
            auto filter = capture::Filter::parse(trimmed(line.substr(5)));
            if (!filter) return in_line(std::move(filter).error());
            book.rules_.push_back({*std::move(filter)});
            continue;
        }
        auto action = read_action(line);
        if (!action) return in_line(std::move(action).error());
        if (book.rules_.empty())
            return in_line(error(Errc::bad_text, "expected when: before the first action, found '{}'", line));
        action->line = number;
        book.rules_.back().actions.push_back(*std::move(action));
    }
    return book;
}

RuleJudge::RuleJudge(const RuleBook& book) : book_(book) {
    for (const auto& rule : book.rules()) matchers_.emplace_back(rule.when);
}

Result<Buffer> RuleJudge::changed(const PlayerFacts& player, Bytes frame, const RuleAction& action) {
    const auto* packet = packet_of(player, frame);
    if (packet == nullptr) return fail(Errc::unknown_kind, "the packet is not known in this build");
    const auto& schema = protocol::schema_of(*player.build);
    const auto& layout = *schema.packet(packet->id);
    TRY(const auto content, content_of(decompressor_, *packet, frame));
    auto value = decode(layout, content, schema.read_rules());
    if (!value) return fail(Errc::bad_value, "{} cannot be decoded", packet->name);
    Buffer same;
    TRY_DO(encode(layout, *value, same));
    if (same != content)
        return fail(Errc::bad_value, "{} is not as its build writes it: more would change", packet->name);
    const auto [field, type] = find_path(*value, action.path);
    if (field == nullptr || type == nullptr)
        return fail(Errc::not_found, "{} has no field {}", packet->name, action.path);
    if (action.value.is_null()) {
        *field = protocol::Value{};
    } else {
        TRY(*field, protocol::read_json(*type, action.value));
    }
    Buffer payload;
    TRY_DO(encode(layout, *value, payload));
    TRY(const auto made, framer_.frame(*packet, payload));
    return Buffer(made.begin(), made.end());
}

Result<Ruling::Injection> RuleJudge::injected(const PlayerFacts& player, const RuleAction& action) {
    if (player.build == nullptr) return fail(Errc::unknown_kind, "the build of the client is not known");
    const auto& schema = protocol::schema_of(*player.build);
    const auto* packet = schema.registry().find(action.packet);
    if (packet == nullptr) return fail(Errc::not_found, "the build has no packet {}", action.packet);
    if (!packet->may_reach(action.to == End::client ? protocol::Side::client : protocol::Side::server))
        return fail(Errc::usage, "{} goes the other way", action.packet);
    TRY(const auto value, protocol::read_json(*schema.packet(packet->id), action.value));
    Buffer payload;
    TRY_DO(encode(*schema.packet(packet->id), value, payload));
    TRY(const auto frame, framer_.frame(*packet, payload));
    const auto channel = static_cast<net::StreamId>(packet->channel);
    const auto stream = action.to == End::client && channel > 0 ? 4 * channel - 1 : 0;
    return Ruling::Injection{action.to, stream, Buffer(frame.begin(), frame.end())};
}

Ruling RuleJudge::judge(const Sighting& sighting) {
    Ruling ruling;
    const auto& player = sighting.player;
    auto record = record_of(sighting);
    const auto rules = book_.rules();
    for (std::size_t at = 0; at < rules.size() && !ruling.is_dropped; ++at) {
        record.frame = ruling.changed ? Bytes(*ruling.changed) : sighting.bytes;
        record.length = record.frame.size();
        if (!matchers_[at].matches(record)) continue;
        for (const auto& action : rules[at].actions) {
            const auto complain = [&](const Error& problem) {
                ruling.problems.push_back(fmt::format("rules, line {}: {}", action.line, problem.text()));
            };
            switch (action.kind) {
            case RuleAction::Kind::show: ruling.is_shown = true; break;
            case RuleAction::Kind::drop: ruling.is_dropped = true; break;
            case RuleAction::Kind::delay: ruling.delay += action.time; break;
            case RuleAction::Kind::set:
                if (auto made =
                        changed(player, ruling.changed ? Bytes(*ruling.changed) : sighting.bytes, action))
                    ruling.changed = *std::move(made);
                else
                    complain(made.error());
                break;
            case RuleAction::Kind::inject:
                if (auto made = injected(player, action))
                    ruling.injections.push_back(*std::move(made));
                else
                    complain(made.error());
                break;
            }
        }
    }
    return ruling;
}

ShownFrame shown_frame(const Sighting& sighting) {
    const auto frame = sighting.bytes;
    ShownFrame shown{sighting.from, sighting.stream, {}, {}, frame.size()};
    const auto* packet = packet_of(sighting.player, frame);
    if (packet == nullptr) {
        shown.packet = fmt::format("packet {}", load_le<std::int32_t>(frame.data() + 4));
        return shown;
    }
    shown.packet = packet->name;
    Decompressor decompressor;
    const auto& schema = protocol::schema_of(*sighting.player.build);
    const auto content = content_of(decompressor, *packet, frame);
    if (!content) return shown;
    JsonWriter json;
    write_json(json, decode_what_parses(*schema.packet(packet->id), *content, schema.read_rules()));
    shown.value = json.take();
    return shown;
}

} // namespace orbis::proxy
