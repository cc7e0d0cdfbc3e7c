#include "jobs/prefab/prefab_file.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/file.hpp"
#include "jobs/prefab/json_format.hpp"
#include "jobs/prefab/lpf_format.hpp"

namespace orbis::jobs::prefab {

namespace fs = std::filesystem;

namespace {

Result<Prefab> read_content(Bytes bytes) {
    const auto text = as_text(bytes);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return fail(Errc::truncated, "expected a prefab, found {}",
                    text.empty() ? "an empty file" : "only blanks");
    return text[first] == '{' ? read_json(text) : read_lpf(bytes);
}

Result<void> write_pieces(const Prefab& prefab, File& file, std::uint64_t& size,
                          std::vector<std::string>& notes) {
    TRY(const auto format,
        format_of_name(file.name().substr(0, file.name().size() - k_temporary_suffix.size())));
    const auto put = [&](Bytes piece) -> Result<void> {
        TRY_DO(file.write(size, piece));
        size += piece.size();
        return {};
    };
    if (format == Prefab::Format::lpf) {
        TRY(const auto bytes, write_lpf(prefab, notes));
        TRY_DO(put(bytes));
    } else {
        TRY_DO(write_json(prefab, put));
    }
    return file.sync();
}

} // namespace

Result<Prefab> read_prefab(const fs::path& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    TRY(const auto size, file->size());
    if (size > k_most_file_bytes)
        return fail(error(Errc::too_large, "expected at most {} bytes, found {}", k_most_file_bytes, size)
                        .in_file(path.string()));
    TRY(const auto view, file->view(0, size));
    auto prefab = read_content(view.bytes());
    TRY_DO(file->check(view));
    if (!prefab) return fail(std::move(prefab.error()).in_file(path.string()));
    return prefab;
}

Result<Prefab::Format> format_of_name(const fs::path& path) {
    const auto name = path.filename().string();
    if (name.ends_with(".lpf")) return Prefab::Format::lpf;
    if (name.ends_with(".json")) return Prefab::Format::json;
    return fail(error(Errc::usage, "the name says no format")
                    .in_file(path.string())
                    .advise("end it in .prefab.json or .lpf"));
}

Result<void> check_target(const fs::path& path, bool overwrite) {
    TRY_DO(format_of_name(path));
    std::error_code code;
    const auto status = fs::symlink_status(path, code);
    if (!overwrite && fs::exists(status))
        return fail(error(Errc::exists, "this file exists already")
                        .in_file(path.string())
                        .advise("choose another name, or give --overwrite"));
    return {};
}

Result<std::uint64_t> save_prefab(const Prefab& prefab, const fs::path& path, bool overwrite,
                                  std::vector<std::string>& notes) {
    TRY_DO(check_target(path, overwrite));
    auto temporary = path;
    temporary += k_temporary_suffix;
    std::error_code ignored;
    fs::remove(temporary, ignored); // left by a run that was killed
    std::uint64_t size = 0;
    const auto write = [&]() -> Result<void> {
        TRY(const auto file, open_file(temporary, FileMode::create));
        return write_pieces(prefab, *file, size, notes);
    };
    auto written = write();
    if (written) written = overwrite ? replace_file(temporary, path) : place_file(temporary, path);
    if (!written) {
        fs::remove(temporary, ignored);
        auto problem = std::move(written).error();
        problem.file = path.string(); // not that of the temporary file
        return fail(std::move(problem));
    }
    return size;
}

} // namespace orbis::jobs::prefab
