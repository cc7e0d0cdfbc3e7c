#include "jobs/inspect/show_chunk.hpp"

#include "bson/extended_json.hpp"
#include "bytes/joined.hpp"
#include "bytes/json_writer.hpp"
#include "jobs/inspect/show_section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::jobs {
namespace {

/// Longer binary data is shown by its length: it is unreadable, and would hide the rest.
constexpr bson::JsonStyle k_style{.indent = 0, .longest_binary = 64};

void write_document(JsonWriter& json, const bson::Document& document) {
    const auto text = bson::to_extended_json(document, k_style);
    if (text)
        json.raw(*text);
    else
        json.object().member("unreadable", text.error().text()).end();
}

std::vector<std::string_view> names_in(const bson::Document& components) {
    std::vector<std::string_view> names;
    for (bson::Cursor at(components); at.next();) names.push_back(at->key());
    return names;
}

/// The smallest and largest number of a column map, and all of them row by row when `all` is set.
template <typename Map>
void write_columns(JsonWriter& json, const Map& map, bool all) {
    auto low = map.at(ColumnIndex(0));
    auto high = low;
    for (int i = 1; i < k_columns; ++i) {
        low = std::min(low, map.at(ColumnIndex(i)));
        high = std::max(high, map.at(ColumnIndex(i)));
    }
    json.object().member("lowest", low).member("highest", high);
    if (all) {
        json.key("columns").array();
        for (int i = 0; i < k_columns; ++i) json.number(map.at(ColumnIndex(i)));
        json.end();
    }
    json.end();
}

void write_tints(JsonWriter& json, const chunk::Tints& tints, bool all) {
    std::map<std::int32_t, int> counts;
    for (int i = 0; i < k_columns; ++i) ++counts[tints.at(ColumnIndex(i))];
    const auto shown = [](std::int32_t tint) {
        return fmt::format("#{:06x}", static_cast<std::uint32_t>(tint) & 0xFFFFFF);
    };
    json.object().member("different", counts.size());
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    json.member("most_frequent", shown(most->first));
    if (all) {
        json.key("columns").array();
        for (int i = 0; i < k_columns; ++i) json.string(shown(tints.at(ColumnIndex(i))));
        json.end();
    }
    json.end();
}

void write_environments(JsonWriter& json, const chunk::Environments& environments) {
    json.array();
    for (const auto& mapping : environments.mappings()) json.string(mapping.key);
    json.end();
}

void write_block_components(JsonWriter& json, ChunkPos pos, const chunk::BlockComponents& components) {
    json.array();
    for (const auto& [index, holder] : components.entries()) {
        const auto at = index.pos(pos);
        json.object().member("x", at.x).member("y", at.y).member("z", at.z).key("components");
        if (const auto inner = holder.document("Components"))
            write_document(json, *inner);
        else
            write_document(json, holder);
        json.end();
    }
    json.end();
}

void write_entities(JsonWriter& json, const chunk::Entities& entities) {
    json.array();
    for (const auto& holder : entities.holders()) {
        if (const auto inner = holder.document("Components"))
            write_document(json, *inner);
        else
            write_document(json, holder);
    }
    json.end();
}

void write_health(JsonWriter& json, const chunk::BlockHealth& health) {
    json.object().member("version", health.version()).key("damaged").array();
    for (const auto& block : health.damaged())
        json.object()
            .member("x", block.pos.x)
            .member("y", block.pos.y)
            .member("z", block.pos.z)
            .member("health", static_cast<double>(block.health))
            .member("last_damage", block.last_damage)
            .end();
    json.end().key("fragile").array();
    for (const auto& block : health.fragile())
        json.object()
            .member("x", block.pos.x)
            .member("y", block.pos.y)
            .member("z", block.pos.z)
            .member("seconds", static_cast<double>(block.seconds))
            .end();
    json.end().end();
}

Result<std::string> show_component(const bson::Document& components, const std::string& name,
                                   const std::string& where) {
    if (const auto found = components.document(name)) return bson::to_extended_json(*found, k_style);
    return fail(error(Errc::not_found, "there is no component {}; the components are {}", name,
                      joined(names_in(components), ", "))
                    .about(where));
}

/// The holder of a section as it is stored: in `ChunkColumn`, nothing for sections inside `BlockChunk`.
std::optional<bson::Document> section_components(const chunk::Chunk& chunk, int section) {
    const auto column = chunk.component("ChunkColumn");
    const auto list = column ? column->find("Sections") : std::nullopt;
    const auto holders = list ? list->array() : std::nullopt;
    const auto holder = holders ? holders->find(fmt::format("{}", section)) : std::nullopt;
    const auto document = holder ? holder->document() : std::nullopt;
    return document ? document->document("Components") : std::nullopt;
}

} // namespace

Result<std::string> show_chunk(ChunkPos pos, const chunk::Chunk& chunk, const ShowOptions& options) {
    const auto here = fmt::format("{}", pos);
    if (options.section) {
        const auto where = fmt::format("{}, section {}", here, *options.section);
        if (!options.component.empty()) {
            const auto stored = section_components(chunk, *options.section);
            if (!stored) return fail(error(Errc::not_found, "this section has no components").about(where));
            return show_component(*stored, options.component, where);
        }
        JsonWriter json;
        write_section(json, *options.section, chunk, options.blocks);
        return json.take();
    }
    if (!options.component.empty()) return show_component(chunk.components(), options.component, here);

    JsonWriter json;
    json.object().member("x", pos.x).member("z", pos.z).member("bytes", chunk.document().size());
    json.key("components").array();
    for (const auto name : names_in(chunk.components())) json.string(name);
    json.end();
    json.member("block_chunk_version", chunk.block_chunk_version())
        .member("needs_physics", chunk.needs_physics());
    json.key("heights");
    write_columns(json, chunk.heights(), options.blocks);
    json.key("tints");
    write_tints(json, chunk.tints(), options.blocks);
    json.key("environments");
    write_environments(json, chunk.environments());
    json.key("health");
    write_health(json, chunk.health());
    json.key("block_components");
    write_block_components(json, pos, chunk.block_components());
    json.key("entities");
    write_entities(json, chunk.entities());
    json.key("sections").array();
    for (int y = 0; y < k_sections; ++y) write_section(json, y, chunk, options.blocks);
    json.end().key("problems").array();
    for (const auto& problem : chunk.problems()) json.string(problem.text());
    json.end().end();
    return json.take();
}

} // namespace orbis::jobs
