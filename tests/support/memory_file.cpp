#include "support/memory_file.hpp"

#include <algorithm>

namespace orbis::test {

void write_into(Buffer& content, std::uint64_t offset, Bytes bytes) {
    const auto at = static_cast<std::size_t>(offset);
    if (at + bytes.size() > content.size()) content.resize(at + bytes.size());
    std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(at));
}

Buffer joined(std::span<const Bytes> parts) {
    Buffer all;
    for (const auto part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Result<FileView> MemoryFile::view(std::uint64_t offset, std::uint64_t length) const {
    if (offset > content_->size() || length > content_->size() - offset)
        return fail(error(Errc::truncated, "expected {} bytes, found the end of the file at {}", length,
                          content_->size())
                        .in_file(name_)
                        .at(offset));
    return FileView(
        Bytes(*content_).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)),
        content_);
}

Result<void> MemoryFile::write(std::uint64_t offset, std::span<const Bytes> parts) {
    const auto bytes = joined(parts);
    if (offset > capacity_ || bytes.size() > capacity_ - offset)
        return fail(error(Errc::no_space, "expected room for {} bytes, found a file that may have {}",
                          bytes.size(), capacity_)
                        .in_file(name_)
                        .at(offset));
    if (offset + bytes.size() > content_->size()) {
        auto grown = std::make_shared<Buffer>(static_cast<std::size_t>(offset) + bytes.size());
        std::copy(content_->begin(), content_->end(), grown->begin());
        content_ = std::move(grown);
    }
    write_into(*content_, offset, bytes);
    return {};
}

} // namespace orbis::test
