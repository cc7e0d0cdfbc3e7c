#pragma once

#include "bytes/file.hpp"

#include <limits>

namespace orbis::test {

/// A file in memory. Its buffer is always exactly as long as the file, so that the address sanitizer sees a
/// read past the end; like a mapping, a view keeps showing the file until the file grows.
class MemoryFile final : public File {
public:
    explicit MemoryFile(Buffer content = {}, std::string name = "memory")
        : content_(std::make_shared<Buffer>(std::move(content))), name_(std::move(name)) {}

    /// Like a disk of this size: a write that would make the file longer fails and changes nothing.
    void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }

    const std::string& name() const override { return name_; }
    Result<std::uint64_t> size() const override { return content_->size(); }
    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override;
    Result<void> check(const FileView&) const override { return {}; }
    Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) override;
    using File::write;
    Result<void> sync() override { return {}; }

    [[nodiscard]] const Buffer& content() const { return *content_; }

private:
    std::shared_ptr<Buffer> content_;
    std::string name_;
    std::uint64_t capacity_ = std::numeric_limits<std::uint64_t>::max();
};

/// Puts the parts at `offset` of `content`; what lies between the end and `offset` becomes zero.
void write_into(Buffer& content, std::uint64_t offset, Bytes bytes);

/// The parts as one piece.
Buffer joined(std::span<const Bytes> parts);

} // namespace orbis::test
