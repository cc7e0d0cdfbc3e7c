#pragma once

#include "capture/record.hpp"

#include <cstdint>
#include <string_view>

/// The parts of pcapng that captures are made of (docs/formats/capture.md).
namespace orbis::capture {

enum class Block : std::uint32_t {
    interface = 1,
    simple_packet = 3,
    statistics = 5,
    packet = 6,
    section = 0x0A0D0D0A, ///< the same in both byte orders
};

enum class Option : std::uint16_t {
    end = 0,
    comment = 1,
    section_program = 4,
    interface_name = 2,
    interface_resolution = 9, ///< of times: 10^-n seconds, or 2^-n with the highest bit set
    interface_offset = 14,    ///< seconds to add to all times
    statistics_received = 4,
    statistics_dropped = 5,
};

/// Tags before the content of an exported PDU, all big-endian.
enum class Tag : std::uint16_t {
    end = 0,
    dissector = 12,
    ipv4_source = 20,
    ipv4_destination = 21,
    ipv6_source = 22,
    ipv6_destination = 23,
    port_type = 24,
    source_port = 25,
    destination_port = 26,
};

inline constexpr std::uint32_t k_byte_order = 0x1A2B3C4D;
inline constexpr std::uint16_t k_exported_pdu = 252; ///< link type
inline constexpr std::uint32_t k_udp = 3;            ///< port type
inline constexpr std::uint16_t k_game_port = 5520;
inline constexpr std::string_view k_dissector = "hytale";

/// Blocks above this are refused: the largest frame that this program reads has 128 MiB.
inline constexpr std::uint32_t k_largest_block = 160 << 20;

/// What stands before the records of a file: a section and its only interface, with times in nanoseconds.
void append_file_start(Buffer& out, std::string_view program);
/// A record. Of endpoints that are not set it makes up some that differ between sessions.
void append_record(Buffer& out, const Record& record);
/// How many records were received and dropped since the start of the file.
void append_counts(Buffer& out, std::int64_t time, std::uint64_t received, std::uint64_t dropped);

} // namespace orbis::capture
