#include "app/print_prefab.hpp"

#include "app/table.hpp"
#include "bytes/joined.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

namespace {

using jobs::prefab::Prefab;
using jobs::prefab::Summary;

constexpr std::size_t k_keys_shown = 10;

std::string_view name(Prefab::Format format) { return format == Prefab::Format::lpf ? "lpf" : "json"; }

void write_keys(JsonWriter& json, std::string_view name, const std::vector<Summary::Key>& keys) {
    json.key(name).object();
    for (const auto& key : keys) json.member(key.name, key.cells);
    json.end();
}

void write_position(JsonWriter& json, std::string_view name, BlockPos at) {
    json.key(name).array().number(at.x).number(at.y).number(at.z).end();
}

void print_json(Console& console, const std::filesystem::path& path, const Prefab& prefab,
                const Summary& summary) {
    JsonWriter json;
    json.object()
        .member("file", path.string())
        .member("format", name(prefab.format))
        .member("version", prefab.version)
        .member("block_id_version", prefab.block_id_version);
    write_position(json, "anchor", prefab.anchor);
    if (summary.bounds) {
        write_position(json, "least", summary.bounds->least);
        write_position(json, "most", summary.bounds->most);
    }
    json.member("blocks", summary.solid_blocks())
        .member("empty_blocks", summary.empty_blocks)
        .member("filler_cells", summary.filler_cells)
        .member("entities", prefab.entities.size())
        .member("items", summary.items);
    write_keys(json, "block_keys", summary.blocks);
    write_keys(json, "fluid_keys", summary.fluids);
    json.key("components").object();
    for (const auto& [name, count] : summary.components) json.member(name, count);
    json.end().key("unknown_keys").array();
    for (const auto& key : summary.unknown) json.string(key);
    json.end().member("renamed_keys", summary.renamed).key("notes").array();
    for (const auto& note : prefab.notes) json.string(note);
    json.end().end();
    console.line(json.text());
}

void print_keys(Console& console, std::string_view title, const std::vector<Summary::Key>& keys,
                bool shows_all) {
    if (keys.empty()) return;
    const auto shown = shows_all ? keys.size() : std::min(keys.size(), k_keys_shown);
    for (std::size_t i = 0; i < shown; ++i)
        print_row(console, {{std::string(i == 0 ? title : ""), 11},
                            {human_count(keys[i].cells), 10, Tone::plain, true},
                            {keys[i].name, 0}});
    if (shown < keys.size())
        print_fact(console, fmt::format("{:<11}  {} more kinds; use --all to show them", "",
                                        human_count(keys.size() - shown)));
}

} // namespace

std::string size_text(const std::optional<jobs::prefab::Bounds>& bounds) {
    if (!bounds) return "no cells";
    return fmt::format("{} × {} × {} blocks", bounds->width(), bounds->height(), bounds->depth());
}

void print_prefab(Console& console, const std::filesystem::path& path, const Prefab& prefab,
                  const Summary& summary, bool shows_all) {
    if (console.json()) return print_json(console, path, prefab, summary);
    console.line(fmt::format("{}: {}, {} version {}, block names of version {}", path.string(),
                             size_text(summary.bounds), name(prefab.format), prefab.version,
                             prefab.block_id_version));
    if (summary.bounds)
        print_fact(console, fmt::format("  reaches    {:n} to {:n}; anchor {:n}", summary.bounds->least,
                                        summary.bounds->most, prefab.anchor));
    print_fact(console, fmt::format("  contains   {} of {}, {}, {}", counted(summary.solid_blocks(), "block"),
                                    counted(summary.blocks.size(), "kind"),
                                    summary.empty_blocks == 1
                                        ? std::string("1 cell of air")
                                        : fmt::format("{} cells of air", human_count(summary.empty_blocks)),
                                    prefab.entities.size() == 1
                                        ? std::string("1 entity")
                                        : fmt::format("{} entities", human_count(prefab.entities.size()))));
    std::vector<std::string> components;
    for (const auto& [name, count] : summary.components)
        components.push_back(fmt::format("{} {}", human_count(count), name));
    if (!components.empty())
        print_fact(console, fmt::format("  components {}{}", joined(components, ", "),
                                        summary.items == 0 ? ""
                                                           : fmt::format("; {} in containers",
                                                                         counted(summary.items, "stack"))));
    if (summary.renamed > 0)
        print_fact(console,
                   fmt::format("  old names  {} renamed when the prefab is pasted",
                               summary.renamed == 1 ? "1 block name is"
                                                    : human_count(summary.renamed) + " block names are"));
    if (!summary.unknown.empty())
        print_fact(console, fmt::format("  unknown    {}: {}", counted(summary.unknown.size(), "block name"),
                                        joined(std::vector<std::string>(
                                                   summary.unknown.begin(),
                                                   summary.unknown.begin()
                                                       + static_cast<std::ptrdiff_t>(
                                                           std::min(summary.unknown.size(), k_keys_shown))),
                                               ", ")
                                            + (summary.unknown.size() > k_keys_shown ? " …" : "")));
    for (const auto& note : prefab.notes) print_fact(console, "  note       " + note);
    print_keys(console, "  blocks", summary.blocks, shows_all);
    print_keys(console, "  fluids", summary.fluids, shows_all);
}

} // namespace orbis::app
