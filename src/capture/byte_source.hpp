#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <filesystem>
#include <memory>

namespace orbis::capture {

/// Bytes that come one after the other.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Fills the start of `out`, which is not empty; how much of it. 0 at the end.
    virtual Result<std::size_t> read(MutableBytes out) = 0;
};

/// A file, read from `offset` on, which must be 0 for what is no plain file.
Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path, std::uint64_t offset = 0);
/// Bytes with another owner.
std::unique_ptr<ByteSource> source_of(Bytes bytes);

} // namespace orbis::capture
