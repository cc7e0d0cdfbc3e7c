#pragma once

#include "bytes/json_writer.hpp"
#include "capture/record_decoder.hpp"
#include "protocol/spans.hpp"

namespace orbis::inspect {

/// Writes packets as the page wants them (docs/design/inspector.md). Keeps its memory: one per thread.
class PacketJson {
public:
    /// Of larger contents a row has no value.
    static constexpr std::uint32_t k_largest_in_row = 256 << 10;
    /// Larger contents are not taken apart, nor searched: values take many times as much memory.
    static constexpr std::uint32_t k_largest_tree = 8 << 20;
    static constexpr std::size_t k_longest_row_text = 120;
    static constexpr std::size_t k_longest_value = 200;
    static constexpr std::size_t k_first_bytes = 64 << 10;
    static constexpr std::size_t k_most_bytes = 1 << 20;

    /// One row of the list, an array. `start` is the time that others count from.
    void row(JsonWriter& json, std::uint64_t rank, std::uint64_t number, const capture::Record& record,
             std::int64_t start);
    /// One packet with everything, an object.
    void packet(JsonWriter& json, std::uint64_t number, const capture::Record& record, std::int64_t start);
    /// Some bytes of its payload, an object; those of the frame where the payload cannot be opened.
    void bytes(JsonWriter& json, const capture::Record& record, std::size_t from, std::size_t count);
    /// Whether the name of the packet or its value as JSON has this text, in upper or lower case. `text` is
    /// in lower case.
    bool has_text(const capture::Record& record, std::string_view text);
    /// One packet as `orbis capture json` writes it, without the time as text.
    void line(JsonWriter& json, std::uint64_t number, const capture::Record& record);

private:
    std::string row_text(const protocol::Value& value);
    void write_spans(JsonWriter& json, const protocol::Layout& layout, const protocol::Value& value);
    /// The payload, or what of the frame there is; `problem` says why.
    Bytes payload_of(const capture::Record& record, std::string& problem);

    capture::RecordDecoder rows_{k_largest_in_row};
    capture::RecordDecoder trees_{k_largest_tree};
    capture::RecordDecoder decoder_;
    protocol::SpanLog spans_;
    JsonWriter scratch_;
};

/// Microseconds since `start`, for any times.
std::int64_t since(std::int64_t time, std::int64_t start);
/// Cut to at most so many bytes, between letters, with `…` at the end where something is missing.
std::string cut_text(std::string_view text, std::size_t most);

} // namespace orbis::inspect
