#include "app/capture_input.hpp"

#include "bytes/hex.hpp"
#include "bytes/utc_text.hpp"
#include "protocol/value_json.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

constexpr std::int64_t k_nanoseconds_in_second = 1'000'000'000;

} // namespace

Result<CaptureInput::End> CaptureInput::read(const Take& take) const {
    TRY(auto reader, capture::CaptureReader::open(file));
    reader.set_usual_build(build);
    std::optional<capture::Matcher> matcher;
    if (filter) matcher.emplace(*filter);
    End end;
    while (!limit || end.taken < *limit) {
        auto next = reader.next();
        if (!next) {
            if (reader.facts().bytes == 0) return fail(std::move(next).error());
            end.damage = std::move(next).error();
            break;
        }
        if (!*next) break;
        if (matcher && !matcher->matches(**next)) continue;
        ++end.taken;
        TRY_DO(take(reader.facts().records, **next));
    }
    end.facts = reader.facts();
    return end;
}

std::string since_text(std::int64_t time, std::int64_t start) {
    // In unsigned numbers: the times of a damaged file may be anything.
    const auto passed =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(start));
    return fmt::format("{:.6f}", static_cast<double>(passed) / static_cast<double>(k_nanoseconds_in_second));
}

std::string capture_time_text(std::int64_t time) {
    auto seconds = time / k_nanoseconds_in_second;
    auto part = time % k_nanoseconds_in_second;
    if (part < 0) {
        part += k_nanoseconds_in_second;
        --seconds;
    }
    return fmt::format("{}.{:09}",
                       utc_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)), UtcForm::date_time),
                       part);
}

std::string_view arrow_of(const capture::Record& record) {
    if (!record.to) return "?";
    return *record.to == protocol::Side::server ? "→" : "←";
}

std::string capture_json(std::uint64_t number, const capture::Record& record,
                         capture::RecordDecoder& decoder) {
    JsonWriter json;
    json.object().member("number", number).member("time", capture_time_text(record.time));
    if (record.to) json.member("to", *record.to == protocol::Side::server ? "server" : "client");
    if (record.channel) json.member("channel", protocol::name(*record.channel));
    if (record.stream >= 0) json.member("stream", record.stream);
    if (record.session > 0) json.member("player", record.session);
    if (!record.build_name.empty()) json.member("build", record.build_name);
    if (const auto* packet = capture::packet_of(record)) json.member("packet", packet->name);
    json.member("id", record.id()).member("size", record.length);
    if (record.left_out == capture::LeftOut::fields) json.member("left_out", "fields");
    if (record.left_out == capture::LeftOut::payload) json.member("left_out", "payload");
    if (const auto value = decoder.value(record)) {
        json.key("value");
        protocol::write_json(json, **value);
    } else {
        json.member("error", value.error().problem);
        if (record.left_out != capture::LeftOut::payload) json.member("frame_hex", to_hex(record.frame));
    }
    json.end();
    return json.take();
}

std::string short_value(const capture::Record& record, capture::RecordDecoder& decoder) {
    constexpr std::size_t k_longest = 160;
    const auto value = decoder.value(record);
    if (!value) return "(" + value.error().problem + ")";
    JsonWriter json;
    protocol::write_json(json, **value);
    auto text = json.take();
    if (text.size() <= k_longest) return text;
    auto end = k_longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end; // not inside of a letter
    return text.substr(0, end) + "…";
}

} // namespace orbis::app
