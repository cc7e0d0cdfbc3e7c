#include "world/asset_files.hpp"

#include <zip.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

namespace orbis::world {
namespace {

namespace fs = std::filesystem;

/// No asset of the game is near these; they keep a hostile tree from filling the memory.
constexpr std::uintmax_t k_largest_asset = 4U << 20;
constexpr std::size_t k_most_assets = 500'000;

using Wanted = std::function<bool(std::string_view)>;
using Visit = std::function<void(const AssetFile&)>;

void report(std::vector<Error>& problems, Error&& problem) {
    if (problems.size() < k_most_asset_problems) problems.push_back(std::move(problem));
}

/// The folder that holds `Server`.
std::optional<fs::path> tree_root(const fs::path& root) {
    std::error_code code;
    if (fs::is_directory(root / "Server", code)) return root;
    if (fs::is_directory(root / "Assets" / "Server", code)) return root / "Assets";
    const auto plain = root.has_filename() ? root : root.parent_path();
    if (plain.filename() == "Server")
        return plain.parent_path().empty() ? fs::path("..") : plain.parent_path();
    return std::nullopt;
}

Result<std::string> read_text(const fs::path& path, std::uintmax_t size) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(error(Errc::io, "cannot open the file").in_file(path.string()));
    std::string text(static_cast<std::size_t>(size), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) return fail(error(Errc::io, "cannot read the file").in_file(path.string()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

Result<void> walk_folder(const fs::path& given, const Wanted& wanted, const Visit& visit,
                         std::vector<Error>& problems) {
    const auto root = tree_root(given);
    if (!root)
        return fail(error(Errc::unknown_kind, "there is no folder 'Server' in it")
                        .in_file(given.string())
                        .advise("give the assets folder of the game or of a mod, or its zip"));
    std::error_code code;
    std::map<std::string, fs::path> found;
    fs::recursive_directory_iterator step(*root / "Server", fs::directory_options::skip_permission_denied,
                                          code);
    for (; !code && step != fs::recursive_directory_iterator(); step.increment(code)) {
        std::error_code of_entry;
        if (!step->is_regular_file(of_entry)) continue;
        auto path = step->path().lexically_relative(*root).generic_string();
        if (!wanted(path)) continue;
        if (found.size() == k_most_assets) {
            report(problems, error(Errc::too_large, "more than {} files: the rest is ignored", k_most_assets)
                                 .in_file(given.string()));
            break;
        }
        found.emplace(std::move(path), step->path());
    }
    if (code) report(problems, error(Errc::io, "cannot list: {}", code.message()).in_file(given.string()));
    for (const auto& [path, file] : found) {
        std::error_code of_size;
        const auto size = fs::file_size(file, of_size);
        if (of_size) {
            report(problems, error(Errc::io, "{}", of_size.message()).in_file(file.string()));
        } else if (size > k_largest_asset) {
            report(problems,
                   error(Errc::too_large, "too large: {} bytes; at most {} are read", size, k_largest_asset)
                       .in_file(file.string()));
        } else if (auto text = read_text(file, size); !text) {
            report(problems, std::move(text).error());
        } else {
            visit({path, *text});
        }
    }
    return {};
}

struct CloseZip {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
    void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

/// `mod/Server/x.json` as `Server/x.json`; nothing for a name without the part `Server`.
std::optional<std::string> from_server(std::string name) {
    std::ranges::replace(name, '\\', '/');
    if (name.starts_with("Server/")) return name;
    const auto at = name.find("/Server/");
    if (at == std::string::npos) return std::nullopt;
    return name.substr(at + 1);
}

Result<std::string> read_entry(zip_t* archive, zip_uint64_t index, zip_uint64_t size) {
    const std::unique_ptr<zip_file_t, CloseEntry> entry(zip_fopen_index(archive, index, 0));
    if (!entry) return fail(Errc::bad_frame, "{}", zip_strerror(archive));
    std::string text(static_cast<std::size_t>(size), '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const auto got = zip_fread(entry.get(), text.data() + filled, text.size() - filled);
        if (got <= 0)
            return fail(Errc::bad_frame, "cannot decompress more than {} of its {} bytes", filled,
                        text.size());
        filled += static_cast<std::size_t>(got);
    }
    return text;
}

Result<void> walk_zip(const fs::path& path, const Wanted& wanted, const Visit& visit,
                      std::vector<Error>& problems) {
    int code = 0;
    const std::unique_ptr<zip_t, CloseZip> archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!archive) {
        zip_error_t why;
        zip_error_init_with_code(&why, code);
        auto problem = error(Errc::bad_magic, "cannot read the zip: {}", zip_error_strerror(&why));
        zip_error_fini(&why);
        return fail(
            std::move(problem).in_file(path.string()).advise("give an assets folder, or a zip of one"));
    }
    std::map<std::string, zip_uint64_t> found;
    bool has_server = false;
    const auto entries = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t i = 0; i < entries && found.size() < k_most_assets; ++i) {
        const auto* raw = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
        auto name = raw == nullptr ? std::nullopt : from_server(raw);
        if (!name) continue;
        has_server = true;
        if (!name->ends_with('/') && wanted(*name))
            found.emplace(*std::move(name), static_cast<zip_uint64_t>(i));
    }
    if (!has_server)
        return fail(error(Errc::unknown_kind, "there is no folder 'Server' in it")
                        .in_file(path.string())
                        .advise("give the assets folder of the game or of a mod, or its zip"));
    for (const auto& [name, index] : found) {
        zip_stat_t stat;
        zip_stat_init(&stat);
        if (zip_stat_index(archive.get(), index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0) {
            report(problems, error(Errc::bad_value, "the size of the entry is unknown")
                                 .in_file(path.string())
                                 .about(name));
        } else if (stat.size > k_largest_asset) {
            report(problems, error(Errc::too_large, "too large: {} bytes; at most {} are read", stat.size,
                                   k_largest_asset)
                                 .in_file(path.string())
                                 .about(name));
        } else if (auto text = read_entry(archive.get(), index, stat.size); !text) {
            report(problems, std::move(text).error().in_file(path.string()).about(name));
        } else {
            visit({name, *text});
        }
    }
    return {};
}

} // namespace

Result<void> walk_assets(const fs::path& root, const Wanted& wanted, const Visit& visit,
                         std::vector<Error>& problems) {
    std::error_code code;
    const auto status = fs::status(root, code);
    if (!fs::exists(status))
        return fail(error(Errc::not_found, "there is no such file or folder")
                        .in_file(root.string())
                        .advise("check the spelling of the path"));
    if (fs::is_directory(status)) return walk_folder(root, wanted, visit, problems);
    return walk_zip(root, wanted, visit, problems);
}

} // namespace orbis::world
