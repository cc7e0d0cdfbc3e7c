#include "map/map_files.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/descriptor.hpp"
#include "bytes/file.hpp"
#include "bytes/hex.hpp"
#include "bytes/system_error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fcntl.h>
#include <ranges>
#include <unistd.h>
#include <vector>

namespace orbis::map {

namespace fs = std::filesystem;

namespace {

Result<void> write_all(const fs::path& path, Bytes content) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.number() < 0) return fail(system_error("create the file").in_file(path.string()));
    while (!content.empty()) {
        const auto written = ::write(file.number(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(system_error("write the file").in_file(path.string()));
        content = content.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

fs::path unfinished(const fs::path& path) {
    auto name = path;
    name += k_unfinished;
    return name;
}

bool is_plain(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_'
           || c == '-';
}

} // namespace

Result<void> MapFiles::write(const fs::path& path, Bytes content) {
    const auto part = unfinished(path);
    auto written = write_all(part, content);
    if (!written && written.error().code == Errc::not_found) {
        TRY_DO(create_folders(path.parent_path()));
        written = write_all(part, content);
    }
    if (written) written = place(part, path);
    if (!written) unlink(part.c_str()); // on a full disk it would be in the way
    return written;
}

Result<void> MapFiles::place(const fs::path& from, const fs::path& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0)
        return fail(system_error("rename to this").in_file(to.string()));
    return {};
}

Result<void> MapFiles::sync(const fs::path& folder) {
    const Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor.number() < 0) return fail(system_error("open the folder").in_file(folder.string()));
    if (syncfs(descriptor.number()) != 0)
        return fail(system_error("sync the folder").in_file(folder.string()));
    return {};
}

Result<void> MapFiles::replace(const fs::path& path, Bytes content) {
    TRY_DO(create_folders(path.parent_path()));
    return write_file_atomically(path, content);
}

Result<void> MapFiles::remove(const fs::path& path) {
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
        return fail(system_error("remove the file").in_file(path.string()));
    return {};
}

Result<Buffer> read_map_file(const fs::path& path) {
    std::error_code code;
    if (!fs::is_regular_file(path, code))
        return fail(error(Errc::not_found, "this file of the map is missing").in_file(path.string()));
    TRY(const auto file, open_file(path, FileMode::read));
    TRY(const auto size, file->size());
    TRY(const auto view, file->view(0, size));
    Buffer content(view.bytes().begin(), view.bytes().end());
    TRY_DO(file->check(view));
    return content;
}

std::string folder_of_world(std::string_view name) {
    std::string out;
    const bool only_dots = name == "." || name == "..";
    for (const char c : name) {
        if (is_plain(c) && !only_dots)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string world_of_folder(std::string_view folder) {
    std::string out;
    for (std::size_t i = 0; i < folder.size(); ++i) {
        const bool escaped = folder[i] == '%' && i + 2 < folder.size() && hex_digit(folder[i + 1]) >= 0
                             && hex_digit(folder[i + 2]) >= 0;
        out +=
            escaped ? static_cast<char>(hex_digit(folder[i + 1]) * 16 + hex_digit(folder[i + 2])) : folder[i];
        if (escaped) i += 2;
    }
    return out;
}

Result<std::uint64_t> remove_others(MapFiles& files, const fs::path& folder,
                                    const std::set<std::string>& kept) {
    std::vector<fs::path> others;
    std::vector<fs::path> folders; // each before what is in it
    std::error_code code;
    for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        std::error_code unknown;
        if (at->is_directory(unknown)) {
            folders.push_back(at->path());
            continue;
        }
        const auto relative = at->path().lexically_relative(folder).generic_string();
        if (!kept.contains(relative)) others.push_back(at->path());
    }
    if (code && code != std::errc::no_such_file_or_directory)
        return fail(error(Errc::io, "cannot list the folder: {}", code.message()).in_file(folder.string()));
    for (const auto& path : others) TRY_DO(files.remove(path));
    for (const auto& path : folders | std::views::reverse) fs::remove(path, code); // only where it is empty
    return others.size();
}

} // namespace orbis::map
