#include "bytes/file.hpp"

#include "bytes/mapping.hpp"
#include "bytes/system_error.hpp"

#include <climits>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace orbis {

Result<Extent> File::next_data(std::uint64_t offset) const {
    TRY(const auto end, size());
    return Extent{std::min(offset, end), end};
}

namespace {

Error past_the_end(const std::string& name, std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
    return error(Errc::truncated, "expected {} bytes, found the end of the file at {}", length, size)
        .in_file(name)
        .at(offset);
}

class DiskFile final : public File {
public:
    DiskFile(int descriptor, std::string name, bool writable, std::shared_ptr<MappingBudget> budget)
        : descriptor_(descriptor), name_(std::move(name)), writable_(writable), budget_(std::move(budget)) {}
    ~DiskFile() override { close(descriptor_); }

    const std::string& name() const override { return name_; }

    Result<std::uint64_t> size() const override {
        struct stat status{};
        if (fstat(descriptor_, &status) != 0)
            return fail(system_error("read the size of the file").in_file(name_));
        return static_cast<std::uint64_t>(status.st_size);
    }

    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        if (length == 0) return FileView{};
        TRY(auto mapping, mapping_of(offset, length));
        if (budget_)
            budget_->touch(*mapping, static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
        const Bytes bytes(mapping->data() + offset, static_cast<std::size_t>(length));
        return FileView(bytes, std::move(mapping));
    }

    Result<Extent> next_data(std::uint64_t offset) const override {
        TRY(const auto whole, File::next_data(offset));
        const auto begin = lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
        if (begin < 0 && errno == ENXIO) return Extent{whole.end, whole.end};
        if (begin < 0) return whole; // a file system that does not tell
        const auto end = lseek(descriptor_, begin, SEEK_HOLE);
        return Extent{static_cast<std::uint64_t>(begin),
                      end < 0 ? whole.end : std::min(whole.end, static_cast<std::uint64_t>(end))};
    }

    Result<void> check(const FileView& view) const override {
        const auto* mapping = static_cast<const Mapping*>(view.owner().get());
        if (mapping == nullptr || !mapping->is_lost(view.bytes().data(), view.bytes().size())) return {};
        return fail(error(Errc::io,
                          "cannot read {} bytes: the disk is failing, or the file became shorter meanwhile",
                          view.bytes().size())
                        .in_file(name_)
                        .at(static_cast<std::uint64_t>(view.bytes().data() - mapping->data()))
                        .advise("copy the file to a healthy disk and check the copy"));
    }

    Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) override {
        if (!writable_)
            return fail(error(Errc::read_only, "the file was opened for reading only").in_file(name_));
        for (const auto part : parts) {
            TRY_DO(write_all(offset, part));
            offset += part.size();
        }
        return {};
    }

    Result<void> sync() override {
        if (fdatasync(descriptor_) != 0) return fail(system_error("sync").in_file(name_));
        return {};
    }

private:
    Result<void> write_all(std::uint64_t offset, Bytes bytes) {
        while (!bytes.empty()) {
            const auto put = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return fail(system_error("write").in_file(name_).at(offset));
            bytes = bytes.subspan(static_cast<std::size_t>(put));
            offset += static_cast<std::uint64_t>(put);
        }
        return {};
    }

    /// The mapping that covers the range. A file that grew is mapped again; views of the old mapping keep it.
    Result<std::shared_ptr<Mapping>> mapping_of(std::uint64_t offset, std::uint64_t length) const {
        const std::lock_guard lock(mutex_);
        if (mapping_ && offset <= mapping_->size() && length <= mapping_->size() - offset) return mapping_;
        TRY(const auto now, size());
        if (offset > now || length > now - offset) return fail(past_the_end(name_, offset, length, now));
        mapping_ = Mapping::map(descriptor_, static_cast<std::size_t>(now));
        if (!mapping_) return fail(system_error("map the file into memory").in_file(name_));
        if (budget_) budget_->add(mapping_);
        return mapping_;
    }

    int descriptor_;
    std::string name_;
    bool writable_;
    std::shared_ptr<MappingBudget> budget_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<Mapping> mapping_;
};

class WindowFile final : public File {
public:
    WindowFile(std::shared_ptr<const File> file, std::uint64_t offset, std::uint64_t length, std::string name)
        : file_(std::move(file)), offset_(offset), length_(length), name_(std::move(name)) {}

    const std::string& name() const override { return name_; }
    Result<std::uint64_t> size() const override { return length_; }

    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        if (offset > length_ || length > length_ - offset)
            return fail(past_the_end(name_, offset, length, length_));
        return file_->view(offset_ + offset, length);
    }
    Result<void> check(const FileView& view) const override { return file_->check(view); }

    Result<void> write(std::uint64_t, std::span<const Bytes>) override { return fail(refusal()); }
    Result<void> sync() override { return fail(refusal()); }

private:
    [[nodiscard]] Error refusal() const {
        return error(Errc::read_only, "a file inside another file cannot be written").in_file(name_);
    }

    std::shared_ptr<const File> file_;
    std::uint64_t offset_;
    std::uint64_t length_;
    std::string name_;
};

} // namespace

Result<std::unique_ptr<File>> open_file(const std::filesystem::path& path, FileMode mode,
                                        std::shared_ptr<MappingBudget> budget) {
    const int flags = mode == FileMode::read    ? O_RDONLY
                      : mode == FileMode::write ? O_RDWR
                                                : O_RDWR | O_CREAT | O_EXCL;
    int descriptor = -1;
    // Without O_NONBLOCK a named pipe would wait here for its other end.
    do descriptor = open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0644);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0)
        return fail(
            (mode == FileMode::read ? system_error("open") : write_error("open")).in_file(path.string()));
    auto file =
        std::make_unique<DiskFile>(descriptor, path.string(), mode != FileMode::read, std::move(budget));

    struct stat status{};
    if (fstat(descriptor, &status) != 0)
        return fail(system_error("read the kind of the file").in_file(path.string()));
    if (!S_ISREG(status.st_mode))
        return fail(error(Errc::unknown_kind, "not a file but a folder or a device").in_file(path.string()));
    return file;
}

std::unique_ptr<File> open_window(std::shared_ptr<const File> file, std::uint64_t offset,
                                  std::uint64_t length, std::string name) {
    return std::make_unique<WindowFile>(std::move(file), offset, length, std::move(name));
}

Result<std::string> read_text(const File& file, std::uint64_t limit) {
    TRY(const auto size, file.size());
    if (size > limit)
        return fail(
            error(Errc::too_large, "expected at most {} bytes, found {}", limit, size).in_file(file.name()));
    TRY(const auto view, file.view(0, size));
    std::string text(as_text(view.bytes()));
    TRY_DO(file.check(view));
    return text;
}

} // namespace orbis
