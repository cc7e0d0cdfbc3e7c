#include "map/gather_facts.hpp"

#include "bytes/reader.hpp"
#include "map/highest_cells.hpp"
#include "map/holders.hpp"

#include <algorithm>
#include <limits>

namespace orbis::map {
namespace {

/// Longer texts are cut: names are for lists and searches, and a broken chunk may have any.
constexpr std::size_t k_longest_name = 200;

template <typename Visit>
void for_each_component(const bson::Document& holder, Visit&& visit) {
    const auto components = holder.document("Components");
    if (!components) return;
    for (bson::Cursor at(*components); at.next();)
        if (const auto component = at->document()) visit(at->key(), *component);
}

std::uint32_t narrow(std::size_t count) {
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

/// Of two places in a chunk the higher one, in one layer the first.
std::int32_t higher(std::int32_t a, std::int32_t b) {
    if (a < 0 || b < 0) return std::max(a, b);
    return a >> 10 == b >> 10 ? std::min(a, b) : std::max(a, b);
}

} // namespace

NameId FactGatherer::intern(std::string_view text) {
    if (text.size() < sizeof(std::uint64_t)) return intern_new(text);
    // The end of a key says most.
    const auto end = load_le<std::uint64_t>(
        reinterpret_cast<const std::uint8_t*>(text.data() + text.size() - sizeof(std::uint64_t)));
    auto& recent = recent_[(end ^ text.size()) * 0x9E37'79B9'7F4A'7C15U >> (64 - k_recent_bits)];
    if (recent.text == text) return recent.id;
    const auto id = intern_new(text);
    recent = {region_.name(id), id};
    return id;
}

NameId FactGatherer::intern_new(std::string_view text) {
    if (text.size() > k_longest_name) text = text.substr(0, k_longest_name);
    const auto id = region_.intern(text);
    if (id >= place_.size()) {
        place_.resize(id + 1, 0);
        guessed_.resize(id + 1, -1);
    }
    return id;
}

KeyFact& FactGatherer::key_fact(std::string_view key, ChunkFacts& out) {
    const auto id = intern(key);
    if (place_[id] == 0) {
        out.keys.push_back({id, 0, 0, k_no_cell});
        place_[id] = static_cast<std::uint32_t>(out.keys.size());
    }
    return out.keys[place_[id] - 1];
}

void FactGatherer::count_surface(const chunk::Chunk& chunk) {
    std::size_t entries = 0;
    for (int y = 0; y < k_sections; ++y) {
        first_entry_[static_cast<std::size_t>(y)] = entries;
        entries += chunk.section(y).blocks.entries().size() + 1;
    }
    surface_.assign(entries, 0);
    std::array<std::int16_t, k_columns> heights;
    chunk.heights().expand(heights);
    for (int column = 0; column < k_columns; ++column) {
        const int y = heights[static_cast<std::size_t>(column)];
        if (y < 0 || y >= k_world_height) continue;
        const CellIndex cell((y & (k_side - 1)) << 10 | column);
        const auto section = static_cast<std::size_t>(y / k_side);
        ++surface_[first_entry_[section] + chunk.section(y / k_side).blocks.entry_at(cell)];
    }
}

void FactGatherer::count_blocks(const chunk::Chunk& chunk, ChunkFacts& out) {
    count_surface(chunk);
    bool has_version = false;
    for (int y = k_sections - 1; y >= 0; --y) { // from the top: the highest block of a key is its place
        const auto& section = chunk.section(y);
        if (section.block_state != chunk::PartState::decoded) continue;
        const auto version = static_cast<std::uint32_t>(std::max(0, section.migration_count));
        out.version = has_version ? std::min(out.version, version) : version;
        has_version = true;
        out.ticking += section.ticking.stored_count();
        const auto entries = section.blocks.entries();
        const auto first = first_entry_[static_cast<std::size_t>(y)];
        fact_of_entry_.assign(entries.size(), 0);
        cells_.assign(entries.size(), k_no_cell);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const auto key = section.block_key(i);
            const auto surface = surface_[first + i];
            if (key == chunk::k_empty_key || (entries[i].cells == 0 && surface == 0)) continue;
            auto& fact = key_fact(key, out);
            fact.cells += entries[i].cells;
            fact.surface += surface;
            fact_of_entry_[i] = static_cast<std::size_t>(&fact - out.keys.data());
            if (fact.place < 0) cells_[i] = k_cell_wanted;
            auto& guessed = guessed_[fact.key];
            if (guessed < 0) guessed = colours_.block(key).guessed ? 1 : 0;
            if (guessed == 1) out.unknown += entries[i].cells;
        }
        find_highest_cells(section.blocks, cells_);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (cells_[i] < 0) continue;
            auto& place = out.keys[fact_of_entry_[i]].place;
            place = higher(place, cells_[i] + y * k_cells);
        }
    }
    for (const auto& key : out.keys) place_[key.key] = 0;
}

void FactGatherer::add_components(ChunkPos pos, const chunk::Chunk& chunk, ChunkFacts& out) {
    const auto entries = chunk.block_components().entries();
    out.components = narrow(entries.size());
    for (const auto& entry : entries) {
        const auto block = entry.index.pos(pos);
        ContainerFact container;
        bool holds_items = false;
        for_each_component(entry.holder, [&](std::string_view name, const bson::Document& component) {
            for (bson::Cursor at(component); at.next();) {
                const auto inner = at->document();
                const auto items = inner ? inner->document("Items") : std::nullopt;
                if (!items) continue;
                holds_items = true;
                for (bson::Cursor slot(*items); slot.next();) {
                    const auto item = slot->document();
                    const auto id = item ? item->find("Id") : std::nullopt;
                    const auto text = id ? id->string() : std::nullopt;
                    if (text) container.items.push_back({intern(*text), item_count(*item)});
                }
            }
            if (name == "RespawnBlock") out.markers.push_back({intern("respawn"), k_no_name, block});
        });
        if (!holds_items) continue;
        container.block = intern(chunk.block(block).key);
        container.pos = block;
        out.containers.push_back(std::move(container));
    }
}

void FactGatherer::add_entities(const chunk::Chunk& chunk, ChunkFacts& out) {
    const auto holders = chunk.entities().holders();
    out.entity_count = narrow(holders.size());
    for (const auto& holder : holders) {
        const auto position = entity_position(holder);
        if (!position) continue;
        const auto name = entity_name(holder);
        out.entities.push_back({intern(entity_type(holder)), name.empty() ? k_no_name : intern(name),
                                (*position)[0], (*position)[1], (*position)[2]});
    }
}

void FactGatherer::add_fluids(ChunkPainter& painter, ChunkFacts& out) {
    painter.for_each_surface_fluid([&](std::string_view key, Rgba colour, int columns) {
        const auto packed = std::uint32_t{colour.r} << 16 | std::uint32_t{colour.g} << 8 | colour.b;
        out.fluids.push_back({intern(key), packed, static_cast<std::uint32_t>(columns)});
    });
}

void FactGatherer::add(ChunkPos pos, const storage::StoredChunk& stored, ChunkPainter& painter,
                       std::vector<ProblemFact> problems) {
    const auto& chunk = painter.chunk();
    ChunkFacts facts;
    facts.slot = pos.slot();
    facts.hash = stored.hash;
    facts.bytes = stored.bytes;
    facts.problems = std::move(problems);
    count_blocks(chunk, facts);
    add_components(pos, chunk, facts);
    add_entities(chunk, facts);
    add_fluids(painter, facts);
    for (const auto& mapping : chunk.environments().mappings())
        facts.environments.push_back(intern(mapping.key));
    std::ranges::sort(facts.environments);
    facts.environments.erase(std::ranges::unique(facts.environments).begin(), facts.environments.end());
    region_.put(std::move(facts));
}

void FactGatherer::add_unreadable(ChunkPos pos, const storage::StoredChunk& stored, ProblemFact problem) {
    ChunkFacts facts;
    facts.slot = pos.slot();
    facts.hash = stored.hash;
    facts.bytes = stored.bytes;
    facts.readable = false;
    facts.problems.push_back(std::move(problem));
    region_.put(std::move(facts));
}

} // namespace orbis::map
