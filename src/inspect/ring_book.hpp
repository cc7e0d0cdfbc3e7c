#pragma once

#include "inspect/packet_book.hpp"

#include <deque>
#include <memory>
#include <mutex>

namespace orbis::inspect {

/// The newest packets, in memory up to a number of bytes.
class RingBook final : public PacketBook {
public:
    explicit RingBook(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// Takes a copy. Of a frame that is larger than a quarter of the ring only the header stays. The number
    /// that it got.
    std::uint64_t add(const capture::Record& record);
    /// Packets that were lost before they came here.
    void note_dropped(std::uint64_t count);
    /// No more will come.
    void finish();

    [[nodiscard]] BookExtent extent() const override;
    Result<void> read(std::uint64_t from, const Take& take) const override;

    /// What a packet takes beside its frame.
    static constexpr std::size_t k_packet_cost = 256;

private:
    struct Kept {
        capture::Record record; ///< a view of the next two
        Buffer frame;
        std::string build_name;
    };

    const std::size_t most_bytes_;
    mutable std::mutex mutex_;
    std::deque<std::shared_ptr<const Kept>> kept_;
    std::size_t cost_ = 0;
    BookExtent extent_;
};

} // namespace orbis::inspect
