#include "app/install_dissector.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/file.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/system_error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace orbis::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* k_dissector_name = "hytale.lua";

/// As `tshark -G folders` names it: Wireshark has no variable for this folder.
Result<fs::path> personal_plugins() {
    if (const char* const home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute())
        return fs::path(home) / ".local" / "lib" / "wireshark" / "plugins";
    return fail(error(Errc::not_found, "no folder for personal plugins of Wireshark: HOME is not set")
                    .advise("orbis packet dissector > hytale.lua writes it to a file"));
}

/// Whether the file is a dissector that this program made, of this version or another.
Result<bool> is_own_dissector(const fs::path& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    TRY(const auto size, file->size());
    constexpr std::uint64_t k_first_line = 200;
    TRY(const auto begin, file->view(0, std::min(size, k_first_line)));
    const auto text = as_text(begin.bytes());
    const auto line = text.substr(0, text.find('\n'));
    return line.starts_with("-- Wireshark dissector ") && line.ends_with("made by `orbis packet dissector`.");
}

Result<void> replace_dissector(const fs::path& path, std::string_view script) {
    auto temporary = path;
    temporary += std::string(k_temporary_suffix);
    std::error_code ignored;
    fs::remove(temporary, ignored); // of a run that was killed
    TRY(auto file, open_file(temporary, FileMode::create));
    auto written = file->write(0, as_bytes(script));
    if (written) written = file->sync();
    // A link that somebody puts there now is replaced itself, and not what it leads to.
    if (written && std::rename(temporary.c_str(), path.c_str()) != 0)
        written = fail(system_error("rename the new file to this").in_file(path.string()));
    if (!written) fs::remove(temporary, ignored);
    TRY_DO(written);
    return sync_folder(path.parent_path());
}

} // namespace

Result<void> install_dissector(Console& console, std::string_view script) {
    TRY(const auto folder, personal_plugins());
    const auto path = folder / k_dissector_name;
    std::error_code ignored;
    const auto status = fs::symlink_status(path, ignored);
    bool is_own = false;
    if (status.type() == fs::file_type::regular) {
        TRY(is_own, is_own_dissector(path));
    }
    if (status.type() != fs::file_type::not_found && !is_own)
        return fail(
            error(Errc::exists, "{}, so it was not replaced",
                  status.type() == fs::file_type::symlink ? "this is a link" : "this was not made by orbis")
                .in_file(path.string())
                .advise(fmt::format("move it away and run the command again: mv {0} {0}.old",
                                    shell_quoted(path.string()))));
    TRY_DO(create_folders(folder));
    TRY_DO(replace_dissector(path, script));
    console.line(fmt::format("{} {}", is_own ? "Replaced" : "Installed", path.string()));
    console.note("Wireshark loads it at its next start, or with Analyze > Reload Lua Plugins");
    return {};
}

} // namespace orbis::app
