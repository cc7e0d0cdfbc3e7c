#include "bytes/near_names.hpp"
#include "chunk/chunk.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/select/selection.hpp"
#include "storage/walk.hpp"
#include "world/assets.hpp"
#include "world/spots.hpp"

#include <bitset>
#include <limits>

namespace orbis::jobs {
namespace {

using Kind = SelectionTerm::Kind;

/// What a chunk has that a selection can ask for.
enum Trait : std::uint8_t { containers, benches, beds, placed, entities, inhabited, k_traits };
using Traits = std::bitset<k_traits>;

/// The squared distance of an axis: from a value to the nearest one in [least, most].
std::uint64_t gap(std::int64_t value, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint64_t>(value < least ? least - value : value > most ? value - most : 0);
}

bool within(std::uint64_t dx, std::uint64_t dz, std::int64_t radius) {
    const auto limit = static_cast<std::uint64_t>(radius); // below 2³¹, so that the squares fit
    return dx <= limit && dz <= limit && dx * dx + dz * dz <= limit * limit;
}

bool in_circle(const BlockCircle& circle, ChunkPos pos, std::int64_t margin) {
    const auto axis = [&](std::int64_t centre, std::int64_t chunk) {
        return gap(centre, (chunk - margin) * k_side, (chunk + margin) * k_side + k_side - 1);
    };
    return within(axis(circle.centre.x, pos.x), axis(circle.centre.z, pos.z), circle.radius);
}

bool in_circle(const ChunkCircle& circle, ChunkPos pos, std::int64_t margin) {
    const auto axis = [&](std::int64_t centre, std::int64_t chunk) {
        return gap(centre, chunk - margin, chunk + margin);
    };
    return within(axis(circle.centre.x, pos.x), axis(circle.centre.z, pos.z), circle.radius);
}

bool in_rectangle(const ChunkRectangle& rectangle, ChunkPos pos, std::int64_t margin) {
    return pos.x >= rectangle.least.x - margin && pos.x <= rectangle.most.x + margin
           && pos.z >= rectangle.least.z - margin && pos.z <= rectangle.most.z + margin;
}

/// Without `!`.
bool geometry_has(const SelectionTerm& term, ChunkPos pos) {
    switch (term.kind) {
    case Kind::rectangle: return in_rectangle(term.rectangle, pos, term.margin);
    case Kind::block_circle: return in_circle(term.block_circle, pos, term.margin);
    case Kind::chunk_circle: return in_circle(term.chunk_circle, pos, term.margin);
    default: return term.kind == Kind::all;
    }
}

/// The smallest rectangle of chunks around a shape, cut to positions that exist.
struct Box {
    std::int64_t left;
    std::int64_t top;
    std::int64_t right;
    std::int64_t bottom;
    [[nodiscard]] std::uint64_t width() const { return static_cast<std::uint64_t>(right - left + 1); }
    [[nodiscard]] std::uint64_t height() const { return static_cast<std::uint64_t>(bottom - top + 1); }
};

Box bounds(const SelectionTerm& term) {
    const auto cut = [](std::int64_t value) {
        return std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                        std::numeric_limits<std::int32_t>::max());
    };
    const auto around = [&](std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom) {
        return Box{cut(left - term.margin), cut(top - term.margin), cut(right + term.margin),
                   cut(bottom + term.margin)};
    };
    const auto& rectangle = term.rectangle;
    const auto& blocks = term.block_circle;
    const auto& chunks = term.chunk_circle;
    switch (term.kind) {
    case Kind::block_circle:
        return around((blocks.centre.x - blocks.radius) >> 5, (blocks.centre.z - blocks.radius) >> 5,
                      (blocks.centre.x + blocks.radius) >> 5, (blocks.centre.z + blocks.radius) >> 5);
    case Kind::chunk_circle:
        return around(chunks.centre.x - chunks.radius, chunks.centre.z - chunks.radius,
                      chunks.centre.x + chunks.radius, chunks.centre.z + chunks.radius);
    default: return around(rectangle.least.x, rectangle.least.z, rectangle.most.x, rectangle.most.z);
    }
}

/// Version 4: the id of a player, not one that a shipped prefab has (docs/formats/chunk.md).
bool is_player_id(const std::optional<bson::Element>& element) {
    const auto binary = element ? element->binary() : std::nullopt;
    if (!binary || binary->data.size() != 16) return false;
    return binary->data[binary->subtype == 3 ? 1 : 6] >> 4 == 4;
}

bool has_owner(const bson::Document& bed) {
    const auto owner = bed.find("OwnerUUID");
    const auto binary = owner ? owner->binary() : std::nullopt;
    return binary && std::ranges::any_of(binary->data, [](auto byte) { return byte != 0; });
}

bool has_text(const bson::Document& component, std::string_view key) {
    const auto found = component.find(key);
    const auto text = found ? found->string() : std::nullopt;
    return text && !text->empty();
}

void look_at_holder(const bson::Document& holder, Traits& out) {
    for (const auto name : chunk::component_names(holder)) {
        const auto part = chunk::component(holder, name).value_or(bson::Document());
        if (name == "container" || name == "ItemContainerBlock") {
            out.set(containers);
            if (!has_text(part, "Droplist")) out.set(inhabited); // with a Droplist it was not looted yet
        } else if (name == "crafting" || name == "BenchBlock" || name == "processingBench"
                   || name == "ProcessingBenchBlock") {
            out.set(benches).set(inhabited);
        } else if (name == "RespawnBlock") {
            out.set(beds);
            if (has_owner(part)) out.set(inhabited);
        } else if (name == "PlacedByInteraction" && is_player_id(part.find("WhoPlacedUuid"))) {
            out.set(placed).set(inhabited);
        } else if (name == "BlockMapMarker") {
            out.set(inhabited);
        }
    }
}

/// What one chunk answers: a bit for each term that reads chunks.
struct Answer {
    std::vector<bool> meets;
    std::optional<Error> problem;
};

bool has_block(const chunk::Chunk& chunk, std::string_view pattern) {
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        const auto entries = section.blocks.entries();
        std::vector<std::uint32_t> cells; // an entry may be left that no cell has
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (!matches_wildcard(pattern, section.block_key(i))) continue;
            if (cells.empty()) cells = section.blocks.histogram();
            if (cells[i] != 0) return true;
        }
        if (entries.empty() && matches_wildcard(pattern, chunk::k_empty_key)) return true;
    }
    return false;
}

Answer ask(const storage::Store& store, ChunkPos pos, chunk::ChunkReader& reader,
           const std::vector<SelectionTerm>& terms, chunk::Parts parts) {
    Answer answer{std::vector<bool>(terms.size(), false), std::nullopt};
    const auto unreadable = [&](Error&& error) {
        answer.problem = std::move(error);
        answer.meets.assign(terms.size(), true); // unknown: rather one too many
        return answer;
    };
    auto read = reader.read(store, pos, parts);
    if (!read) return unreadable(std::move(read).error());
    const auto* chunk = *read;
    if (chunk == nullptr) return answer; // removed by another program meanwhile
    if (auto problems = reader.problems(); !problems.empty()) return unreadable(std::move(problems.front()));
    Traits traits;
    for (const auto& entry : chunk->block_components().entries()) look_at_holder(entry.holder, traits);
    if (parts.has(chunk::k_block_components))
        for (const auto& state : chunk->old_block_states()) look_at_holder(state, traits);
    traits[entities] = !chunk->entities().holders().empty();
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto of = [&]() -> bool {
            switch (terms[i].kind) {
            case Kind::containers: return traits[containers];
            case Kind::benches: return traits[benches];
            case Kind::beds: return traits[beds];
            case Kind::placed: return traits[placed];
            case Kind::entities: return traits[entities];
            case Kind::inhabited: return traits[inhabited];
            case Kind::block: return has_block(*chunk, terms[i].key);
            default: return false;
            }
        };
        answer.meets[i] = of();
    }
    return answer;
}

} // namespace

bool Selection::contains(ChunkPos pos) const {
    return std::ranges::any_of(terms_,
                               [&](const auto& term) { return geometry_has(term, pos) != term.inverted; });
}

std::optional<ChunkSet> Selection::positions(std::uint64_t most) const {
    std::vector<ChunkPos> found;
    for (const auto& term : terms_) {
        if (term.inverted || !term.is_geometry() || term.kind == Kind::all) return std::nullopt;
        const auto box = bounds(term);
        if (box.width() > most || box.height() > most || box.width() * box.height() > 2 * most)
            return std::nullopt; // a circle fills more than half of its box
        for (auto x = box.left; x <= box.right; ++x)
            for (auto z = box.top; z <= box.bottom; ++z) {
                const ChunkPos pos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)};
                if (geometry_has(term, pos)) found.push_back(pos);
            }
        if (found.size() > most) return std::nullopt;
    }
    return ChunkSet(std::move(found));
}

bool Selector::meets(const Resolved& resolved, ChunkPos pos) {
    const auto& term = resolved.term;
    if (term.needs_chunks() || term.kind == Kind::statement)
        return resolved.chunks.near(pos, term.margin) != term.inverted;
    if (term.is_geometry()) return geometry_has(term, pos) != term.inverted;
    // All circles of a term have one radius and stand from west to east: only those near enough are asked.
    const auto reach = term.radius + (std::int64_t{term.margin} + 1) * k_side;
    const auto west = std::int64_t{pos.x} * k_side - reach;
    auto circle = std::ranges::lower_bound(resolved.circles, west, {},
                                           [](const BlockCircle& at) { return std::int64_t{at.centre.x}; });
    for (; circle != resolved.circles.end() && circle->centre.x <= std::int64_t{pos.x} * k_side + reach;
         ++circle)
        if (in_circle(*circle, pos, term.margin)) return !term.inverted;
    return term.inverted;
}

namespace {

/// A wrong key selects nothing, and without a word nobody would notice. Keys of mods that no table knows are
/// right where a chunk has them.
void warn_of_unknown_block(const SelectionTerm& term, Progress& progress) {
    const auto& assets = world::Assets::built_in();
    if (term.kind != Kind::block || term.key.find('*') != std::string::npos || term.key == "Empty"
        || assets.block(term.key) != nullptr)
        return;
    std::vector<std::string_view> names;
    for (const auto& type : assets.blocks.all()) names.emplace_back(type.key);
    progress.warn(error(Errc::not_found, "no chunk has the block {}, and the game has none of that name{}",
                        term.key, did_you_mean(term.key, names))
                      .advise("orbis blocks PATH lists the blocks of a world"));
}

} // namespace

bool Selector::contains(ChunkPos pos) const {
    return unreadable_.contains(pos)
           || std::ranges::any_of(terms_, [&](const auto& term) { return meets(term, pos); });
}

Result<Selector> make_selector(const Selection& selection, const world::World& world,
                               const storage::Store& store, std::size_t threads, Progress& progress) {
    Selector selector;
    std::vector<ChunkPos> unreadable;
    const auto take = [&](world::Spots&& found) {
        if (!found.problems.empty()) selector.complete_ = false;
        for (auto& problem : found.problems) selector.problems_.push_back(std::move(problem));
        return std::move(found.spots);
    };
    std::vector<SelectionTerm> to_ask;
    std::vector<std::size_t> asked; // places in `terms_`
    std::vector<std::vector<ChunkPos>> found;
    for (const auto& term : selection.terms()) {
        Selector::Resolved resolved{term, {}, {}};
        if (term.kind == Kind::spawn)
            for (const auto& spot : take(world::spawn_points(world)))
                resolved.circles.push_back({spot.block(), term.radius});
        if (term.kind == Kind::players)
            for (const auto& spot : take(world::player_positions(world)))
                resolved.circles.push_back({spot.block(), term.radius});
        if (term.kind == Kind::statement) {
            if (!selection.asker()) return fail(Errc::usage, "statements cannot select chunks here");
            TRY(auto answer, selection.asker()(term.statement, world, store, threads, progress));
            resolved.chunks = ChunkSet(std::move(answer.chunks));
            unreadable.insert(unreadable.end(), answer.unreadable.begin(), answer.unreadable.end());
            selector.complete_ = selector.complete_ && answer.complete;
            for (auto& problem : answer.problems) selector.problems_.push_back(std::move(problem));
        }
        std::ranges::sort(resolved.circles, {}, [](const BlockCircle& at) { return at.centre; });
        if (term.needs_chunks()) {
            to_ask.push_back(term);
            asked.push_back(selector.terms_.size());
            auto& chunks = found.emplace_back();
            if (term.kind == Kind::inhabited) {
                // A world outside a universe has other signs of players; a user who selects by these has
                // them.
                if (!world.players)
                    progress.warn(error(Errc::not_found,
                                        "the last positions of players are unknown, because this world is "
                                        "not in a universe; blocks, beds, containers and markers are known")
                                      .in_file(world.folder.shown())
                                      .advise("give the path of the universe and --world, or give the "
                                              "players' places as coordinates"));
                else
                    for (const auto& spot : take(world::player_positions(world)))
                        chunks.push_back(spot.block().chunk());
                for (const auto& spot : take(world::map_markers(world)))
                    chunks.push_back(spot.block().chunk());
            }
        }
        selector.terms_.push_back(std::move(resolved));
    }
    if (to_ask.empty()) {
        selector.unreadable_ = ChunkSet(std::move(unreadable));
        return selector;
    }

    progress.begin("Looking into chunks", storage::count_chunks(store));
    const auto parts = selection.parts();
    storage::walk<Answer, chunk::ChunkReader>(
        store, threads,
        {.work = [&](ChunkPos pos,
                     chunk::ChunkReader& reader) { return ask(store, pos, reader, to_ask, parts); },
         .emit =
             [&](ChunkPos pos, Answer& answer) {
                 for (std::size_t i = 0; i < to_ask.size(); ++i)
                     if (answer.meets[i]) found[i].push_back(pos);
                 if (answer.problem) {
                     unreadable.push_back(pos);
                     selector.problems_.push_back(*std::move(answer.problem));
                 }
                 progress.step();
                 return true;
             },
         .on_error = [&](const Error& problem) { selector.problems_.push_back(problem); }});
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (found[i].empty()) warn_of_unknown_block(to_ask[i], progress);
        selector.terms_[asked[i]].chunks = ChunkSet(std::move(found[i]));
    }
    selector.unreadable_ = ChunkSet(std::move(unreadable));
    return selector;
}

Result<ChunkSet> resolve(const Selection& selection, const world::World& world, const storage::Store& store,
                         std::size_t threads, Progress& progress, std::vector<Error>& problems) {
    TRY(const auto selector, make_selector(selection, world, store, threads, progress));
    problems.insert(problems.end(), selector.problems().begin(), selector.problems().end());
    std::vector<ChunkPos> chunks;
    for (const auto cursor = store.chunks();;) {
        auto next = cursor->next();
        if (next && !*next) break;
        if (next && selector.contains(**next)) chunks.push_back(**next);
        if (!next && selection.parts() == chunk::Parts{}) problems.push_back(std::move(next).error());
    }
    return ChunkSet(std::move(chunks));
}

} // namespace orbis::jobs
