#include "world/json_files.hpp"

#include "bson/extended_json.hpp"

#include <algorithm>

namespace orbis::world {

namespace {

/// A tree of many small values takes up to 30 times the memory of its text, and no file of a world comes
/// near.
constexpr std::uint64_t k_largest_json_file = 4 << 20;

} // namespace

Result<Buffer> read_json(const storage::Folder& folder, std::string_view name) {
    TRY(const auto file, folder.open(name));
    TRY(const auto text, read_text(*file, k_largest_json_file));
    if (text.empty())
        return fail(
            error(Errc::bad_text, "the file is empty, but should hold JSON").in_file(file->name()).at(0));
    auto document = bson::from_extended_json(text);
    if (!document) return fail(std::move(document).error().in_file(file->name()));
    return *std::move(document);
}

Result<std::vector<std::string>> json_names(const storage::Folder& folder) {
    std::vector<std::string> names;
    const auto entries = folder.list();
    if (!entries && entries.error().code == Errc::not_found) return names;
    if (!entries) return std::unexpected(entries.error());
    for (const auto& entry : *entries) {
        std::string_view name = entry.name;
        if (name.ends_with(".bak")) name.remove_suffix(4);
        if (!entry.is_folder && name.ends_with(".json")) names.emplace_back(name);
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

} // namespace orbis::world
