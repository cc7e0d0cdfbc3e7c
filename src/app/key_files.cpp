#include "app/key_files.hpp"

#include <string_view>

namespace orbis::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_certificate_end = ".crt.pem";
constexpr std::string_view k_key_end = ".key.pem";

} // namespace

KeyFiles KeyFiles::of(const fs::path& name) {
    std::error_code code;
    const auto stem = name.filename().empty() || fs::is_directory(name, code) ? name / "orbis" : name;
    return {stem.string() + std::string(k_certificate_end), stem.string() + std::string(k_key_end)};
}

KeyFiles KeyFiles::named(const fs::path& path) {
    const auto text = path.string();
    for (const auto end : {k_certificate_end, k_key_end})
        if (text.ends_with(end)) return of(text.substr(0, text.size() - end.size()));
    std::error_code code;
    if (fs::is_regular_file(path, code)) return {path, {}};
    const auto pair = of(path);
    return fs::exists(pair.certificate, code) ? pair : KeyFiles{path, {}};
}

} // namespace orbis::app
