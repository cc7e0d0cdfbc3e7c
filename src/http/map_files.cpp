#include "http/map_files.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/file_stamp.hpp"
#include "bytes/system_error.hpp"
#include "http/target.hpp"

#include <algorithm>
#include <cctype>
#include <fcntl.h>
#include <sys/stat.h>

namespace orbis::http {

namespace {

constexpr std::string_view k_decimals = "0123456789";
constexpr std::size_t k_longest_name = 255; // of a file, on every system
constexpr int k_most_levels = 32;

/// `X.Z.HASH.png`
bool is_tile_name(std::string_view name) {
    constexpr std::string_view end = ".png";
    if (!name.ends_with(end)) return false;
    name.remove_suffix(end.size());
    const auto dot = name.rfind('.');
    return dot != std::string_view::npos && is_hash_name(name.substr(dot + 1))
           && parse_tile_name(name.substr(0, dot));
}

bool is_level(std::string_view name) {
    const auto level = parse_integer(name);
    return level && *level >= 0 && *level < k_most_levels;
}

bool is_script_name(std::string_view name) {
    return name.ends_with(".js") && is_hash_name(name.substr(0, name.size() - 3));
}

struct Kind {
    std::string_view type;
    Keep keep;
};

/// What kind of file a name stands for; nothing for every other name.
std::optional<Kind> kind_of(std::span<const std::string> path) {
    constexpr std::string_view script = "text/javascript; charset=utf-8";
    if (path.size() < 3 || path[0] != "worlds" || !is_world_folder_name(path[1])) return std::nullopt;
    if (path.size() == 3 && path[2] == "world.js") return Kind{script, Keep::revalidate};
    if (path.size() == 4 && (path[2] == "facts" || path[2] == "inspect") && is_script_name(path[3]))
        return Kind{script, Keep::forever};
    if (path.size() == 6 && path[2] == "tiles" && is_layer_name(path[3]) && is_level(path[4])
        && is_tile_name(path[5]))
        return Kind{"image/png", Keep::forever};
    return std::nullopt;
}

/// Follows no link: not for the file and not for a folder on the way.
Descriptor open_below(const Descriptor& folder, std::span<const std::string> path) {
    Descriptor at(fcntl(folder.number(), F_DUPFD_CLOEXEC, 0));
    for (std::size_t i = 0; i < path.size() && at; ++i) {
        const int flags = i + 1 < path.size() ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK | O_NOCTTY;
        at = Descriptor(openat(at.number(), path[i].c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    }
    return at;
}

Response no_such_file() {
    return Response::problem(404, error(Errc::not_found, "there is no such file in this map")
                                      .advise("the map may have changed: load the page again"));
}

} // namespace

bool is_hash_name(std::string_view name) {
    return name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_layer_name(std::string_view name) {
    const auto at = name.find('@');
    const auto word = name.substr(0, at);
    if (word.empty() || word.size() > 32
        || word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") != std::string_view::npos)
        return false;
    return at == std::string_view::npos || parse_integer(name.substr(at + 1));
}

bool is_world_folder_name(std::string_view name) {
    if (name.empty() || name.size() > k_longest_name || name == "." || name == "..") return false;
    constexpr std::string_view hex = "0123456789ABCDEF";
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = name[i];
        if (c == '%') {
            if (i + 2 >= name.size() || hex.find(name[i + 1]) == hex.npos
                || hex.find(name[i + 2]) == hex.npos)
                return false;
            i += 2;
        } else if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && k_decimals.find(c) == k_decimals.npos
                   && c != '.' && c != '_' && c != '-') {
            return false;
        }
    }
    return true;
}

Result<MapFiles> MapFiles::open(const std::filesystem::path& folder) {
    TRY_DO(create_folders(folder));
    Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!opened) return fail(system_error("open the folder").in_file(folder.string()));
    return MapFiles(std::move(opened));
}

Response MapFiles::answer(std::span<const std::string> path) const {
    const auto kind = kind_of(path);
    if (!kind) return no_such_file();
    Response response;
    response.file = open_below(folder_, path);
    struct stat info{};
    if (!response.file || fstat(response.file.number(), &info) != 0 || !S_ISREG(info.st_mode))
        return no_such_file();
    response.type = kind->type;
    response.keep = kind->keep;
    response.file_size = static_cast<std::uint64_t>(info.st_size);
    if (kind->keep == Keep::forever)
        response.etag = path.back();
    else
        response.etag = FileStamp::of(info).text();
    return response;
}

} // namespace orbis::http
