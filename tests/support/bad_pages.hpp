#pragma once

#include "storage/tree.hpp"
#include "support/memory_file.hpp"

#include <utility>

namespace orbis::test {

/// Bytes of a file that the disk does not deliver, from the first to the one after the last. What a view
/// shows there looks right; only `check` tells.
struct BadPages {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// A file in memory with such bytes.
class BadPagesFile final : public File {
public:
    explicit BadPagesFile(Buffer content, BadPages bad) : file_(std::move(content), "bad.bin"), bad_(bad) {}

    const std::string& name() const override { return file_.name(); }
    Result<std::uint64_t> size() const override { return file_.size(); }
    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        return file_.view(offset, length);
    }
    Result<void> check(const FileView& view) const override {
        const auto offset = static_cast<std::uint64_t>(view.bytes().data() - file_.content().data());
        if (offset < bad_.end && offset + view.bytes().size() > bad_.begin)
            return fail(error(Errc::io, "the disk cannot read offset {}", bad_.begin));
        return {};
    }
    Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) override {
        return file_.write(offset, parts);
    }
    using File::write;
    Result<void> sync() override { return {}; }

private:
    MemoryFile file_;
    BadPages bad_;
};

/// A folder with one file of this kind in it.
class BadPagesTree final : public storage::Tree {
public:
    BadPagesTree(std::string name, Buffer content, BadPages bad)
        : name_(std::move(name)), content_(std::move(content)), bad_(bad) {}

    Result<std::vector<storage::TreeEntry>> list(const std::string&) const override {
        return std::vector<storage::TreeEntry>{entry()};
    }
    std::optional<storage::TreeEntry> find(const std::string& path) const override {
        if (path.empty()) return storage::TreeEntry{.name = {}, .is_folder = true};
        return path == name_ ? std::optional(entry()) : std::nullopt;
    }
    Result<std::unique_ptr<File>> open(const std::string&) const override {
        return std::make_unique<BadPagesFile>(content_, bad_);
    }
    std::string shown(const std::string& path) const override { return path; }
    std::optional<std::filesystem::path> on_disk(const std::string&) const override { return std::nullopt; }

private:
    [[nodiscard]] storage::TreeEntry entry() const { return {.name = name_, .size = content_.size()}; }

    std::string name_;
    Buffer content_;
    BadPages bad_;
};

} // namespace orbis::test
