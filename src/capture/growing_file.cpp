#include "capture/growing_file.hpp"

#include "bytes/system_error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace orbis::capture {

Result<void> GrowingFile::create(std::filesystem::path path) {
    constexpr mode_t k_owner_only = 0600; // it may have tokens
    Descriptor made(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, k_owner_only));
    if (!made && errno == EEXIST)
        return fail(error(Errc::exists, "there is a file of that name already")
                        .in_file(path.string())
                        .advise("choose another name, or remove it"));
    if (!made) return fail(write_error("create the file").in_file(path.string()));
    file_ = std::move(made);
    path_ = std::move(path);
    size_ = 0;
    return {};
}

void GrowingFile::remove() {
    close();
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

Result<void> GrowingFile::append(Bytes bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto wrote = write(file_.number(), bytes.data() + done, bytes.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            auto problem = write_error("write").in_file(path_.string());
            if (ftruncate(file_.number(), static_cast<off_t>(size_)) == 0)
                (void)lseek(file_.number(), static_cast<off_t>(size_), SEEK_SET);
            return fail(std::move(problem));
        }
        done += static_cast<std::size_t>(wrote);
    }
    size_ += bytes.size();
    return {};
}

} // namespace orbis::capture
