#include "capture/record.hpp"

#include "bytes/append_format.hpp"
#include "bytes/reader.hpp"
#include "protocol/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <chrono>

namespace orbis::capture {

namespace {

constexpr std::string_view k_comment_mark = "hytale ";
constexpr std::size_t k_longest_build_name = 80;

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
    T value{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

/// Names go into a comment that is split at blanks.
bool is_one_word(std::string_view text) {
    return !text.empty() && text.size() <= k_longest_build_name
           && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

std::optional<Channel> channel_of_word(std::string_view word) {
    for (const auto channel : {Channel::normal, Channel::chunks, Channel::world_map, Channel::voice})
        if (protocol::name(channel) == word) return channel;
    return {};
}

} // namespace

std::string Endpoint::text() const {
    std::array<char, INET6_ADDRSTRLEN> host{};
    if (size == 0) return {};
    if (inet_ntop(size == 4 ? AF_INET : AF_INET6, address.data(), host.data(), host.size()) == nullptr)
        return {};
    return size == 4 ? fmt::format("{}:{}", host.data(), port) : fmt::format("[{}]:{}", host.data(), port);
}

std::int32_t Record::id() const {
    return frame.size() < protocol::k_frame_header ? -1 : load_le<std::int32_t>(frame.data() + 4);
}

bool Record::is_whole() const {
    if (frame.size() < protocol::k_frame_header) return false;
    const auto payload = load_le<std::int32_t>(frame.data());
    return payload >= 0 && frame.size() - protocol::k_frame_header == static_cast<std::size_t>(payload);
}

void Record::set_build(std::string_view name) {
    build = protocol::find_build(name);
    build_name = build != nullptr ? build->build : name;
}

std::int64_t now_in_nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

ConnectBuild build_of_connect(Bytes payload) {
    constexpr std::size_t k_sum_at = 1; // after the presence bits
    if (payload.size() < k_sum_at + sizeof(std::int32_t)) return {};
    const auto said = as_text(payload.subspan(k_sum_at));
    for (const auto& build : protocol::builds())
        if (!build.hash.empty() && said.starts_with(build.hash)) return {&build, std::string(build.build)};
    const auto crc = load_le<std::int32_t>(payload.data() + k_sum_at);
    for (const auto& build : protocol::builds())
        if (build.crc == crc) return {&build, std::string(build.build)};
    return {nullptr, fmt::format("{}", crc)};
}

void append_comment(std::string& out, const Record& record) {
    out += k_comment_mark;
    if (record.to) out += *record.to == Side::server ? "to=server " : "to=client ";
    if (record.channel) append_format(out, "channel={} ", protocol::name(*record.channel));
    if (record.stream >= 0) append_format(out, "stream={} ", record.stream);
    if (record.session > 0) append_format(out, "session={} ", record.session);
    if (is_one_word(record.build_name)) append_format(out, "build={} ", record.build_name);
    if (record.left_out != LeftOut::nothing)
        append_format(out, "left-out={} ", record.left_out == LeftOut::fields ? "fields" : "payload");
    out.pop_back();
}

bool read_comment(std::string_view comment, Record& out) {
    if (!comment.starts_with(k_comment_mark) && comment != k_comment_mark.substr(0, 6)) return false;
    comment.remove_prefix(std::min(comment.size(), k_comment_mark.size()));
    while (!comment.empty()) {
        const auto word = comment.substr(0, comment.find(' '));
        comment.remove_prefix(std::min(comment.size(), word.size() + 1));
        const auto equals = word.find('=');
        if (equals == std::string_view::npos) continue;
        const auto key = word.substr(0, equals);
        const auto value = word.substr(equals + 1);
        if (key == "to" && (value == "server" || value == "client"))
            out.to = value == "server" ? Side::server : Side::client;
        else if (key == "channel")
            out.channel = channel_of_word(value);
        else if (key == "stream")
            out.stream = parse_whole<std::int64_t>(value).value_or(-1);
        else if (key == "session")
            out.session = parse_whole<std::uint64_t>(value).value_or(0);
        else if (key == "build" && is_one_word(value))
            out.build_name = value; // whoever reads it looks the build up, once for many records
        else if (key == "left-out")
            out.left_out = value == "payload" ? LeftOut::payload : LeftOut::fields;
    }
    return true;
}

} // namespace orbis::capture
