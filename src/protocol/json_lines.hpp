#pragma once

#include "protocol/frame_writer.hpp"
#include "protocol/schema.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::protocol {

/// How lines are read.
struct LineOptions {
    bool frame = false;           ///< whole frames instead of payloads
    bool strict = false;          ///< refuse what no writer writes
    bool keep = false;            ///< keep what cannot be read as bytes
    std::optional<Side> receiver; ///< frames: refuse packets for the other side
};

/// One line of output, and whether the line of input was refused: because it was not understood, or because
/// of what it says.
struct LineResult {
    std::string json;
    bool refused = false;
};

/// Turns `{"packet" or "id", "payload_hex"}` into `{"packet", "id", "value"}`, or into `{"error": code, "at":
/// offset}` when the payload is refused. Frames are `{"frame_hex"}` with an optional "channel" that the
/// stream is tied to and "to" for the side that reads; their answer also says how many bytes were "consumed"
/// and what comes "then", or {"wait": true} when more bytes are needed.
LineResult decode_line(const Schema& schema, std::string_view line, const LineOptions& options);

/// The same for a payload whose packet is known.
LineResult decode_packet(const Schema& schema, const PacketInfo& packet, Bytes payload,
                         const LineOptions& options);

/// Decodes frames that follow each other, up to the end or to the first that is refused; one answer each.
/// What is left at the end and is no whole frame has the answer {"wait": true}.
void decode_frames(const Schema& schema, Bytes bytes, const LineOptions& options,
                   const std::function<void(const LineResult&)>& answer);

/// Turns `{"packet" or "id", "value"}` into `{"payload_hex"}`, or `{"frame_hex"}` for frames. With
/// "payload_hex" in place of the value only the frame is made.
LineResult encode_line(const Schema& schema, std::string_view line, bool frame, PayloadFramer& framer);

} // namespace orbis::protocol
