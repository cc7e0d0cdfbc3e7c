#pragma once

#include "bytes/result.hpp"
#include "capture/record.hpp"

#include <cstdint>
#include <functional>
#include <optional>

/// The page that shows frames as they pass, or those of a capture (docs/design/inspector.md).
namespace orbis::inspect {

/// Which packets a book has, and what became of the others.
struct BookExtent {
    std::uint64_t first = 1;             ///< number of the first that is still there
    std::uint64_t end = 1;               ///< one more than that of the last
    std::uint64_t forgotten = 0;         ///< that were there
    std::uint64_t dropped = 0;           ///< that never were, because nobody came to take them
    std::uint64_t bytes = 0;             ///< of all frames that came, with their headers
    std::optional<std::int64_t> start{}; ///< time of the first that came
    bool is_complete = false;            ///< no more will come
    std::optional<Error> damage{};       ///< where a file could not be read further
};

/// Packets by number, from 1 on. A number never gets another meaning. Any thread may ask.
class PacketBook {
public:
    /// Called with a record that is valid during the call; false ends the reading.
    using Take = std::function<bool(std::uint64_t number, const capture::Record& record)>;

    virtual ~PacketBook() = default;
    [[nodiscard]] virtual BookExtent extent() const = 0;
    /// Hands out packets from this number on, up to the last. Those that are gone are left out.
    virtual Result<void> read(std::uint64_t from, const Take& take) const = 0;
};

} // namespace orbis::inspect
