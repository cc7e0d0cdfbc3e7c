#include "bytes/inner_path.hpp"

#include "bytes/system_error.hpp"

#include <algorithm>
#include <iterator>

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

InnerKind kind_of(const fs::file_status& status) {
    switch (status.type()) {
    case fs::file_type::none:
    case fs::file_type::not_found: return InnerKind::nothing;
    case fs::file_type::directory: return InnerKind::folder;
    case fs::file_type::regular: return InnerKind::file;
    case fs::file_type::symlink: return InnerKind::link;
    default: return InnerKind::special;
    }
}

Error leads_elsewhere(const fs::path& at, std::string_view expected, std::string_view found) {
    return error(Errc::bad_value, "this is {}, not {}", found, expected).in_file(at.string());
}

Error is_a_link(const fs::path& at, std::string_view expected) {
    std::error_code code;
    const auto target = fs::read_symlink(at, code);
    return leads_elsewhere(at, expected, code ? "a link" : fmt::format("a link to {}", target.string()))
        .advise("links inside a world are not followed: their targets are not part of the world. Put the "
                "real file or folder here, or give the path of the link's target, and run this again");
}

/// `wanted` is what may stand at the end, where there may also be nothing.
Result<void> check_step(const fs::path& at, bool is_last, InnerKind wanted) {
    const auto* expected =
        is_last && wanted == InnerKind::file ? "a file of this folder" : "a folder inside this one";
    std::error_code code;
    const auto status = fs::symlink_status(at, code);
    if (status.type() == fs::file_type::none) {
        errno = code.value();
        return fail(system_error("read its properties").in_file(at.string()));
    }
    const auto kind = kind_of(status);
    if (kind == InnerKind::nothing) return {}; // then nothing below it is there either
    if (kind == InnerKind::link) return fail(is_a_link(at, expected));
    if (kind == InnerKind::special)
        return fail(leads_elsewhere(at, expected, "a device, a pipe or a socket")
                        .advise("it is never opened; move it away and run this again"));
    if (kind == (is_last ? wanted : InnerKind::folder)) return {};
    return fail(leads_elsewhere(at, expected, kind == InnerKind::folder ? "a folder" : "a file"));
}

Result<fs::path> inner(const fs::path& folder, std::string_view path, InnerKind wanted) {
    if (!is_inner_path(path))
        return fail(error(Errc::bad_value, "this path leads out of the folder: \"{}\"", path)
                        .in_file(folder.string()));
    auto at = folder;
    const fs::path steps(path);
    for (auto part = steps.begin(); part != steps.end(); ++part) {
        at /= *part;
        TRY_DO(check_step(at, std::next(part) == steps.end(), wanted));
    }
    return at;
}

} // namespace

InnerKind inner_kind(const fs::path& folder, std::string_view path) {
    std::error_code code;
    if (path.empty()) return kind_of(fs::status(folder, code));
    if (!is_inner_path(path)) return InnerKind::nothing;
    auto at = folder;
    auto kind = InnerKind::folder;
    for (const auto& part : fs::path(path)) {
        if (kind != InnerKind::folder) return InnerKind::nothing;
        at /= part;
        kind = kind_of(fs::symlink_status(at, code));
    }
    return kind;
}

Result<fs::path> inner_file(const fs::path& folder, std::string_view path) {
    return inner(folder, path, InnerKind::file);
}

Result<fs::path> inner_folder(const fs::path& folder, std::string_view path) {
    if (path.empty()) return folder;
    return inner(folder, path, InnerKind::folder);
}

} // namespace orbis
