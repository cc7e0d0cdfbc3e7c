#include "app/print_diff.hpp"

#include "app/table.hpp"
#include "bytes/joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace orbis::app {
namespace {

using jobs::ChunkDiff;

/// The numbers of a comparison with their names, in the order in which they are printed.
std::vector<std::pair<const char*, std::uint64_t>> numbers(const ChunkDiff& diff) {
    return {{"blocks", diff.blocks},
            {"fluids", diff.fluids},
            {"supports", diff.supports},
            {"ticking", diff.ticking},
            {"heights", diff.heights},
            {"tints", diff.tints},
            {"environments", diff.environments},
            {"components", diff.components},
            {"entities", diff.entities},
            {"light_sections", diff.light_sections}};
}

/// Text of a world without control characters: a key must not be able to pretend to be lines of ours.
std::string plain(std::string_view text) {
    std::string out(text);
    std::ranges::replace_if(
        out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
    return out;
}

std::string plain_list(const std::vector<std::string>& names) { return plain(joined(names, ", ")); }

std::string text_of(const jobs::BlockValue& block) {
    std::string text = plain(block.key);
    if (block.rotation.yaw() != 0) text += fmt::format(" yaw {}", block.rotation.yaw());
    if (block.rotation.pitch() != 0) text += fmt::format(" pitch {}", block.rotation.pitch());
    if (block.rotation.roll() != 0) text += fmt::format(" roll {}", block.rotation.roll());
    if (block.filler)
        text += fmt::format(" part {:n}", BlockPos{block.filler.x(), block.filler.y(), block.filler.z()});
    return text;
}

std::string text_of(const jobs::FluidValue& fluid) {
    return fluid.level == 0 ? plain(fluid.key) : fmt::format("{} level {}", plain(fluid.key), fluid.level);
}

/// The most frequent changes of keys first.
auto sorted_pairs(const ChunkDiff& diff) {
    std::vector<std::pair<std::pair<std::string_view, std::string_view>, std::uint64_t>> pairs;
    for (const auto& [keys, cells] : diff.block_pairs) pairs.push_back({{keys.first, keys.second}, cells});
    std::ranges::stable_sort(pairs, std::greater{}, [](const auto& pair) { return pair.second; });
    return pairs;
}

Tone tone_of(jobs::ComparedChunk::State state) {
    using State = jobs::ComparedChunk::State;
    switch (state) {
    case State::equal: return Tone::faint;
    case State::added: return Tone::good;
    case State::removed:
    case State::unreadable: return Tone::bad;
    case State::changed: return Tone::warning;
    }
    return Tone::plain;
}

void print_details(Console& console, const ChunkDiff& diff) {
    constexpr std::size_t k_most_pairs = 4;
    const auto row = [&](std::string_view what, std::string text) {
        print_row(console, {{fmt::format("  {}", what), 11, Tone::faint}, {std::move(text)}});
    };
    std::vector<std::string> shown;
    const auto pairs = sorted_pairs(diff);
    for (const auto& [keys, cells] : pairs) {
        if (shown.size() == k_most_pairs) break;
        shown.push_back(
            fmt::format("{} → {} {}×", plain(keys.first), plain(keys.second), human_count(cells)));
    }
    if (pairs.size() > shown.size()) shown.push_back(fmt::format("{} more", pairs.size() - shown.size()));
    if (diff.blocks > diff.block_changes.size() && !shown.empty()) row("blocks", joined(shown, ", "));
    for (const auto& change : diff.block_changes)
        row("block", fmt::format("{:n}: {} → {}", change.pos, text_of(change.before), text_of(change.after)));
    for (const auto& change : diff.fluid_changes)
        row("fluid", fmt::format("{:n}: {} → {}", change.pos, text_of(change.before), text_of(change.after)));
    for (const auto& change : diff.component_changes)
        row("component",
            fmt::format("{:n}: {} {}", change.pos, jobs::name(change.kind), plain_list(change.names)));
    for (const auto& change : diff.entity_changes)
        row("entity",
            fmt::format("{:.1f},{:.1f},{:.1f}: {} {}{}{}", change.x, change.y, change.z,
                        jobs::name(change.kind), change.what.empty() ? "something" : plain(change.what),
                        change.uuid.empty() ? "" : " " + change.uuid,
                        change.kind == jobs::ChangeKind::changed
                            ? fmt::format(" ({})", plain_list(change.names))
                            : ""));
}

void write_position(JsonWriter& json, BlockPos pos) {
    json.member("x", pos.x).member("y", pos.y).member("z", pos.z);
}

void write_block(JsonWriter& json, std::string_view name, const jobs::BlockValue& block) {
    json.key(name).object().member("key", block.key).member("rotation", block.rotation.index);
    json.member("filler", block.filler.stored).end();
}

void write_fluid(JsonWriter& json, std::string_view name, const jobs::FluidValue& fluid) {
    json.key(name).object().member("key", fluid.key).member("level", fluid.level).end();
}

void write_names(JsonWriter& json, std::string_view name, const std::vector<std::string>& names) {
    json.key(name).array();
    for (const auto& one : names) json.string(one);
    json.end();
}

void write_diff(JsonWriter& json, const ChunkDiff& diff) {
    write_parts(json, diff);
    json.key("block_keys").array();
    for (const auto& [keys, cells] : sorted_pairs(diff))
        json.object().member("before", keys.first).member("after", keys.second).member("cells", cells).end();
    json.end().key("block_changes").array();
    for (const auto& change : diff.block_changes) {
        json.object();
        write_position(json, change.pos);
        write_block(json, "before", change.before);
        write_block(json, "after", change.after);
        json.end();
    }
    json.end().key("fluid_changes").array();
    for (const auto& change : diff.fluid_changes) {
        json.object();
        write_position(json, change.pos);
        write_fluid(json, "before", change.before);
        write_fluid(json, "after", change.after);
        json.end();
    }
    json.end().key("component_changes").array();
    for (const auto& change : diff.component_changes) {
        json.object();
        write_position(json, change.pos);
        json.member("change", jobs::name(change.kind));
        write_names(json, "names", change.names);
        json.end();
    }
    json.end().key("entity_changes").array();
    for (const auto& change : diff.entity_changes) {
        json.object().member("change", jobs::name(change.kind)).member("uuid", change.uuid);
        json.member("what", change.what).member("x", change.x).member("y", change.y).member("z", change.z);
        write_names(json, "names", change.names);
        json.end();
    }
    json.end();
    write_names(json, "other", diff.other);
    write_names(json, "unreadable", diff.unreadable);
}

} // namespace

std::string parts_text(const ChunkDiff& diff) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : numbers(diff))
        if (count != 0)
            parts.push_back(
                fmt::format("{} {}", name == std::string_view("light_sections") ? "light of sections" : name,
                            human_count(count)));
    if (diff.health) parts.emplace_back("block health");
    for (const auto& name : diff.other) parts.push_back(plain(name));
    for (const auto& name : diff.unreadable) parts.push_back(fmt::format("{} (unreadable)", name));
    return joined(parts, ", ");
}

void write_parts(JsonWriter& json, const ChunkDiff& diff) {
    for (const auto& [name, count] : numbers(diff)) json.member(name, count);
    json.member("health", diff.health);
}

void print_compared(Console& console, std::string_view world, const jobs::ComparedChunk& chunk) {
    if (console.json()) {
        JsonWriter json;
        json.object().member("world", world).member("x", chunk.pos.x).member("z", chunk.pos.z);
        json.member("change", jobs::name(chunk.state));
        if (chunk.state == jobs::ComparedChunk::State::changed) write_diff(json, chunk.diff);
        if (!chunk.problems.empty()) {
            json.key("problems").array();
            for (const auto& problem : chunk.problems) write_error(json, problem);
            json.end();
        }
        json.end();
        console.line(json.text());
        return;
    }
    const auto parts = parts_text(chunk.diff);
    print_cut(console, {{fmt::format("{:<10} ", jobs::name(chunk.state)), tone_of(chunk.state)},
                        {fmt::format("{:n}{}{}", chunk.pos, parts.empty() ? "" : ": ", parts)}});
    print_details(console, chunk.diff);
}

} // namespace orbis::app
