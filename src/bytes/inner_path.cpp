#include "bytes/inner_path.hpp"

#include "bytes/system_error.hpp"

namespace orbis {

namespace fs = std::filesystem;

bool is_inner_path(std::string_view path) {
    if (path.empty() || path.find('\0') != std::string_view::npos) return false;
    for (std::size_t at = 0; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto part = path.substr(at, end - at);
        if (part.empty() || part == "." || part == "..") return false;
        at = end + 1;
    }
    return true;
}

namespace {

Error leads_elsewhere(const fs::path& at, std::string_view found) {
    return error(Errc::bad_value, "expected a file of this folder, found {}", found).in_file(at.string());
}

/// `is_last` is what may be a file, and may not be there.
Result<void> check_step(const fs::path& at, bool is_last) {
    std::error_code code;
    const auto status = fs::symlink_status(at, code);
    switch (status.type()) {
    case fs::file_type::not_found: return {}; // then nothing below it is there either
    case fs::file_type::directory:
        if (!is_last) return {};
        return fail(leads_elsewhere(at, "a folder"));
    case fs::file_type::regular:
        if (is_last) return {};
        return fail(leads_elsewhere(at, "a file where a folder should be"));
    case fs::file_type::symlink:
        return fail(leads_elsewhere(at, "a link")
                        .advise("nothing is written through links inside of a world; put "
                                "the file itself here and run this again"));
    case fs::file_type::none: return fail(system_error("look at this").in_file(at.string()));
    default: return fail(leads_elsewhere(at, "a device, a pipe or a socket"));
    }
}

} // namespace

Result<fs::path> inner_file(const fs::path& folder, std::string_view path) {
    if (!is_inner_path(path))
        return fail(error(Errc::bad_value, "expected a path inside of this folder, found \"{}\"", path)
                        .in_file(folder.string()));
    auto at = folder;
    const fs::path inner(path);
    for (auto part = inner.begin(); part != inner.end(); ++part) {
        at /= *part;
        TRY_DO(check_step(at, std::next(part) == inner.end()));
    }
    return at;
}

} // namespace orbis
