#include "jobs/verify/misspelt.hpp"

#include "bson/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace orbis::jobs {

namespace {

using Names = std::span<const std::string_view>;

/// A mod's own name is hardly so close to a name of that length.
constexpr std::size_t k_long_name = 8;

constexpr std::array<std::string_view, 9> k_chunk_components{
    "BlockChunk",       "ChunkColumn",         "EnvironmentChunk", "BlockComponentChunk", "EntityChunk",
    "BlockHealthChunk", "ChunkSpawnedNPCData", "BlockStateChunk",  "WorldChunk"};
constexpr std::array<std::string_view, 4> k_section_components{"ChunkSection", "Block", "Fluid",
                                                               "BlockPhysics"};
constexpr std::array<std::string_view, 8> k_fields{"Version",         "Data",
                                                   "Sections",        "Entities",
                                                   "BlockComponents", "EnvironmentSpawnCounts",
                                                   "States",          "LastRepairGameTime"};

bool is_near(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    std::size_t differ = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) ++differ;
    return differ > 0 && differ <= (a.size() >= k_long_name ? 2U : 1U);
}

class Spelling {
public:
    explicit Spelling(Bytes document) : start_(document.data()) {}

    void look_at(const bson::Document& names, Names known, int section, std::string_view component) {
        for (bson::Cursor at(names); at.next();) {
            const auto key = at->key();
            if (std::ranges::find(known, key) != known.end()) continue;
            const auto meant =
                std::ranges::find_if(known, [&](std::string_view name) { return is_near(key, name); });
            if (meant == known.end()) continue;
            const bool is_beside = names.find(*meant).has_value();
            if (is_beside && key.size() < k_long_name) continue;
            found.push_back(
                {static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(key.data()) - start_),
                 part_name(section, component), std::string(key), *meant, is_beside});
        }
    }

    /// The components of a holder and, where they are known, the fields of each.
    void look_at_holder(const bson::Document& components, Names known, int section) {
        look_at(components, known, section, {});
        for (bson::Cursor at(components); at.next();) {
            if (std::ranges::find(known, at->key()) == known.end()) continue;
            if (const auto document = at->document()) look_at(*document, k_fields, section, at->key());
        }
    }

    std::vector<Misspelt> found;

private:
    static std::string part_name(int section, std::string_view component) {
        if (section < 0) return std::string(component);
        return fmt::format("section {}{}{}", section, component.empty() ? "" : ", ", component);
    }

    const std::uint8_t* start_;
};

} // namespace

std::vector<Misspelt> find_misspelt(const chunk::Chunk& chunk) {
    Spelling spelling(chunk.document());
    spelling.look_at_holder(chunk.components(), k_chunk_components, -1);
    const auto column = chunk.component("ChunkColumn");
    const auto sections = column ? column->array("Sections") : std::nullopt;
    if (!sections) return std::move(spelling.found);
    int y = 0;
    for (bson::Cursor at(*sections); at.next(); ++y) {
        const auto holder = at->document();
        if (const auto components = holder ? holder->document("Components") : std::nullopt)
            spelling.look_at_holder(*components, k_section_components, y);
    }
    return std::move(spelling.found);
}

Buffer with_right_names(Bytes document, const std::vector<Misspelt>& names) {
    Buffer out(document.begin(), document.end());
    for (const auto& name : names)
        if (!name.is_beside && name.offset + name.meant.size() <= out.size())
            std::memcpy(out.data() + name.offset, name.meant.data(), name.meant.size());
    return out;
}

} // namespace orbis::jobs
