#pragma once

#include "capture/filter.hpp"
#include "inspect/match_set.hpp"
#include "inspect/packet_book.hpp"

#include <chrono>
#include <mutex>

namespace orbis::inspect {

/// The packets of a book that a filter is true for, found step by step. Any thread may use it.
class FilterView {
public:
    /// Without a filter all packets match, and a rank is a number less one.
    explicit FilterView(std::optional<capture::Filter> filter);

    struct State {
        std::uint64_t first = 0;   ///< rank of the first that is there
        std::uint64_t end = 0;     ///< one more than the last
        std::uint64_t scanned = 0; ///< packets up to this number have been looked at
        bool is_complete = false;  ///< all that will ever come have been
    };
    [[nodiscard]] State state(const PacketBook& book) const;

    /// Looks at packets that it has not seen yet, for about this long. Whether it came to the end.
    bool advance(const PacketBook& book, std::chrono::milliseconds time);

    [[nodiscard]] std::optional<std::uint64_t> number(std::uint64_t rank) const;
    [[nodiscard]] std::uint64_t rank(std::uint64_t number) const;

    /// Hands out packets from a rank on, until `take` returns false.
    using Take = std::function<bool(std::uint64_t rank, std::uint64_t number, const capture::Record& record)>;
    Result<void> read(const PacketBook& book, std::uint64_t from, const Take& take) const;

private:
    const bool is_all_;
    std::mutex advance_mutex_;                ///< one looks on at a time
    std::optional<capture::Matcher> matcher_; ///< by `advance_mutex_`
    mutable std::mutex mutex_;                ///< guards the rest
    MatchSet matches_;
    std::uint64_t scanned_ = 0;
};

} // namespace orbis::inspect
