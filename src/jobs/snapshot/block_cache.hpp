#pragma once

#include "bytes/bytes.hpp"
#include "bytes/recent_map.hpp"
#include "bytes/result.hpp"

#include <functional>
#include <memory>
#include <mutex>

namespace orbis::jobs::snapshot {

/// The blocks that were decompressed last: chunks that are side by side in a world are in the same block. Two
/// threads that want the same block decompress it once.
class BlockCache {
public:
    using Load = std::function<Result<std::shared_ptr<const Buffer>>()>;

    /// The block with this number, made by `load` when it is not there. `size` is what it will take.
    Result<std::shared_ptr<const Buffer>> get(std::uint64_t number, std::size_t size, const Load& load);

private:
    struct Entry {
        std::mutex mutex;
        std::shared_ptr<const Buffer> block;
    };
    static constexpr std::size_t k_limit = 24 << 20;

    [[nodiscard]] std::shared_ptr<Entry> entry(std::uint64_t number, std::size_t size);

    std::mutex mutex_;
    RecentMap<std::uint64_t, std::shared_ptr<Entry>> kept_{k_limit};
};

} // namespace orbis::jobs::snapshot
