#pragma once

#include "capture/record.hpp"
#include "net/interpreter.hpp"

#include <cstdint>
#include <optional>

namespace orbis::game {

/// Frames that a player of any build was sent, as frames of the usual one.
class UsualFrames {
public:
    explicit UsualFrames(Decompressor& decompressor) : decompressor_(decompressor) {}

    /// Calls `take` with the frames that say what this record says, mostly one; they are valid during the
    /// call. None for packets that the usual build does not have. An error says why it cannot be translated.
    Result<void> hear(const capture::Record& record, const net::Interpreter::Take& take);
    /// Sections that the usual build has no place for.
    [[nodiscard]] std::uint64_t sections_outside() const {
        return interpreter_ ? interpreter_->sections_outside() : 0;
    }

private:
    Decompressor& decompressor_;
    protocol::PayloadFramer framer_;
    std::optional<net::Interpreter> interpreter_; ///< for a player of another build
};

} // namespace orbis::game
