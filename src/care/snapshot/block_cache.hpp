#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace orbis::care::snapshot {

/// The blocks that were decompressed last: chunks that lie side by side in a world lie in the same block. Two
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
    struct Kept {
        std::uint64_t number = 0;
        std::size_t size = 0;
        std::shared_ptr<Entry> entry;
    };
    static constexpr std::size_t k_limit = 24 << 20;

    [[nodiscard]] std::shared_ptr<Entry> entry(std::uint64_t number, std::size_t size);

    std::mutex mutex_;
    std::list<Kept> kept_; ///< most recently used first
    std::unordered_map<std::uint64_t, std::list<Kept>::iterator> places_;
    std::size_t total_ = 0;
};

} // namespace orbis::care::snapshot
