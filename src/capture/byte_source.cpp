#include "capture/byte_source.hpp"

#include "bytes/descriptor.hpp"
#include "bytes/system_error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis::capture {

namespace {

class FileSource final : public ByteSource {
public:
    FileSource(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

    Result<std::size_t> read(MutableBytes out) override {
        for (;;) {
            const auto got = ::read(file_.number(), out.data(), out.size());
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) return fail(system_error("read").in_file(name_));
        }
    }

private:
    Descriptor file_;
    std::string name_;
};

class MemorySource final : public ByteSource {
public:
    explicit MemorySource(Bytes bytes) : rest_(bytes) {}

    Result<std::size_t> read(MutableBytes out) override {
        const auto size = std::min(out.size(), rest_.size());
        if (size > 0) std::memcpy(out.data(), rest_.data(), size);
        rest_ = rest_.subspan(size);
        return size;
    }

private:
    Bytes rest_;
};

} // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path, std::uint64_t offset) {
    // Without O_NONBLOCK a named pipe would wait here for its other end.
    Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return fail(system_error("open").in_file(path.string()));
    struct stat facts{};
    if (fstat(file.number(), &facts) != 0) return fail(system_error("look at").in_file(path.string()));
    if (S_ISDIR(facts.st_mode))
        return fail(error(Errc::usage, "this is a folder, not a capture")
                        .in_file(path.string())
                        .advise("name a .pcapng file in it"));
    if (!S_ISREG(facts.st_mode))
        return fail(error(Errc::usage, "this is a device or a pipe, not a capture")
                        .in_file(path.string())
                        .advise("copy what comes from it into a file first"));
    if (offset > 0 && lseek(file.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
        return fail(system_error("seek").in_file(path.string()));
    (void)posix_fadvise(file.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
    return std::make_unique<FileSource>(std::move(file), path.string());
}

std::unique_ptr<ByteSource> source_of(Bytes bytes) { return std::make_unique<MemorySource>(bytes); }

} // namespace orbis::capture
