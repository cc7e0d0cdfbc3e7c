#pragma once

#include "bytes/bytes.hpp"
#include "bytes/descriptor.hpp"
#include "bytes/result.hpp"

#include <filesystem>

namespace orbis::capture {

/// A file that only grows. What could be written in part only is cut off again, so that the file ends with a
/// whole block.
class GrowingFile {
public:
    /// Makes a new file that only its owner can read; `exists` where there is one.
    Result<void> create(std::filesystem::path path);
    Result<void> append(Bytes bytes);
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool is_open() const { return static_cast<bool>(file_); }
    void close() { file_ = {}; }
    /// Takes away what it made last.
    void remove();

private:
    Descriptor file_;
    std::filesystem::path path_;
    std::uint64_t size_ = 0;
};

} // namespace orbis::capture
