#include "capture/record_decoder.hpp"

#include "protocol/frame.hpp"

#include <fmt/format.h>

namespace orbis::capture {

const protocol::PacketInfo* packet_of(const Record& record) {
    if (record.build == nullptr || record.frame.size() < protocol::k_frame_header) return nullptr;
    return protocol::schema_of(*record.build).registry().find(record.id());
}

std::string packet_name(const Record& record) {
    if (const auto* packet = packet_of(record)) return std::string(packet->name);
    if (record.frame.size() < protocol::k_frame_header) return "no packet";
    return fmt::format("packet {}", record.id());
}

Result<Bytes> RecordDecoder::payload(const Record& record) {
    if (record.left_out == LeftOut::payload)
        return fail(Errc::not_found, "the payload was left out: it has personal data");
    if (!record.is_whole())
        return fail(Errc::truncated, "expected one whole frame, found {} of {} bytes", record.frame.size(),
                    record.length);
    if (record.build == nullptr)
        return fail(Errc::unsupported, "no schema of build {}",
                    record.build_name.empty() ? "unknown" : record.build_name);
    const auto* packet = packet_of(record);
    if (packet == nullptr)
        return fail(Errc::unknown_kind, "build {} has no packet {}", record.build_name, record.id());
    const auto payload = record.frame.subspan(protocol::k_frame_header);
    if (payload.size() > largest_)
        return fail(Errc::too_large, "the payload has {} bytes, more than {}", payload.size(), largest_);
    if (!packet->compressed || payload.empty()) return payload;
    auto content = protocol::decompress_payload(decompressor_, *packet, payload, largest_);
    if (!content) return fail(std::move(content).error().error);
    return *content;
}

Result<const protocol::Value*> RecordDecoder::value(const Record& record) {
    TRY(const auto content, payload(record));
    const auto& schema = protocol::schema_of(*record.build);
    value_ = protocol::decode_what_parses(*schema.packet(record.id()), content, schema.read_rules());
    return &value_;
}

Result<const protocol::Value*> RecordDecoder::strict_value(const Record& record) {
    TRY(const auto content, payload(record));
    const auto& schema = protocol::schema_of(*record.build);
    auto value = protocol::decode(*schema.packet(record.id()), content, schema.read_rules());
    if (!value) return fail(value.error().error());
    value_ = *std::move(value);
    return &value_;
}

} // namespace orbis::capture
