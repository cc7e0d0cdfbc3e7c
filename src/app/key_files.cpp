#include "app/key_files.hpp"

#include "bytes/shell_quote.hpp"

#include <chrono>
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

Result<net::Identity> make_identity() {
    return net::make_self_signed(net::KeyKind::rsa2048,
                                 std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

Result<net::Identity> load_or_make_identity(const fs::path& path) {
    if (path.empty()) return make_identity();
    const auto files = KeyFiles::named(path);
    if (files.key.empty())
        return fail(error(Errc::not_found, "there is no certificate with a key beside it")
                        .in_file(path.string())
                        .advise("orbis keys make " + shell_quoted(path.string())));
    return net::load_identity(files.certificate, files.key);
}

} // namespace orbis::app
