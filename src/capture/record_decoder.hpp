#pragma once

#include "bytes/zstd.hpp"
#include "capture/record.hpp"
#include "protocol/generic_codec.hpp"

namespace orbis::capture {

/// The packet of a record; null where its build or its id is not known.
const protocol::PacketInfo* packet_of(const Record& record);
/// The name of its packet for people: `ChatMessage`, or `packet 9999`.
std::string packet_name(const Record& record);

/// Opens the payloads of records, each by the schema of its own build. Keeps its memory: one per thread.
class RecordDecoder {
public:
    /// The payload, decompressed; valid until the next call. An error says why there is none.
    Result<Bytes> payload(const Record& record);
    /// The packet as a value; valid until the next call. Fields that do not parse are kept as bytes.
    Result<const protocol::Value*> value(const Record& record);
    /// The same, but an error for a packet that its build would refuse.
    Result<const protocol::Value*> strict_value(const Record& record);

    /// Contents above this are not decompressed: a small file can claim any size.
    static constexpr std::uint32_t k_largest_content = 128 << 20;

    RecordDecoder() = default;
    /// With a limit of its own, also for payloads that are not compressed: values take many times as much.
    explicit RecordDecoder(std::uint32_t largest) : largest_(largest) {}

private:
    std::uint32_t largest_ = k_largest_content;
    Decompressor decompressor_;
    protocol::Value value_;
};

} // namespace orbis::capture
