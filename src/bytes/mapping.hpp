#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace orbis {

/// A shared, read-only mapping of a file. A page that the disk cannot deliver, or that was cut off the
/// end of the file, raises SIGBUS; here it becomes a page of zeros and a note, so that a dying disk costs one
/// chunk and not the program (docs/design/reading.md).
class Mapping {
public:
    /// Maps `size` bytes of `descriptor`; nothing when the system refuses (errno says why).
    static std::shared_ptr<Mapping> map(int descriptor, std::size_t size);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    [[nodiscard]] const std::uint8_t* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Whether a page of the range was replaced by zeros.
    [[nodiscard]] bool is_lost(const std::uint8_t* begin, std::size_t length) const;

    /// Notes that the range is about to be read; the number of blocks that were not noted before.
    std::size_t touch(std::size_t offset, std::size_t length);
    /// Gives all pages back to the system; they are read again when needed. Views stay valid.
    void drop_pages();

    /// The unit of `touch`: the kernel maps this much around a fault.
    static constexpr std::size_t k_block = 1 << 16;

private:
    friend class FaultTrap;
    Mapping(std::uint8_t* data, std::size_t size);

    /// Called from the signal handler: only atomics.
    void note_lost(std::uintptr_t page);

    std::uint8_t* data_;
    std::size_t size_;
    std::vector<std::atomic<std::uint64_t>> touched_;
    std::array<std::atomic<std::uintptr_t>, 64> lost_{};
    std::atomic<std::size_t> lost_count_{0};
};

class MappingBudget {
public:
    explicit MappingBudget(std::size_t bytes) : blocks_(bytes / Mapping::k_block) {}

    void add(const std::shared_ptr<Mapping>& mapping);
    /// To be called before a range of a mapping is read.
    void touch(Mapping& mapping, std::size_t offset, std::size_t length);

private:
    void drop_all();

    std::size_t blocks_;
    std::atomic<std::size_t> touched_{0};
    std::mutex mutex_;
    std::vector<std::weak_ptr<Mapping>> mappings_;
};

} // namespace orbis
