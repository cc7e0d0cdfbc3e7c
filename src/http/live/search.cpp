#include "http/live/search.hpp"

#include "bytes/json_writer.hpp"
#include "map/find_changes.hpp"
#include "map/region_facts.hpp"
#include "query/find.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace orbis::http {

namespace {

constexpr auto k_longest_search = std::chrono::seconds(5);

/// In lower case, with one space where there are signs between words.
std::string fold(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool is_gap = std::string_view(" \t_*:.-").find(c) != std::string_view::npos;
        if (!is_gap)
            out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

/// How well a name answers: 0 the name itself, 1 its beginning, 2 beginnings of words, 3 anything inside; −1
/// where a word of the text is not in it.
int rank_folded(std::string_view plain, std::string_view wanted) {
    if (wanted.empty()) return -1;
    if (plain == wanted) return 0;
    if (plain.starts_with(wanted)) return 1;
    int rank = 2;
    for (std::size_t begin = 0; begin < wanted.size();) {
        const auto end = std::min(wanted.find(' ', begin), wanted.size());
        const auto part = wanted.substr(begin, end - begin);
        const auto at = plain.find(part);
        if (at == std::string_view::npos) return -1;
        const bool begins_word =
            plain.starts_with(part) || plain.find(std::string(" ").append(part)) != std::string_view::npos;
        if (!begins_word) rank = 3;
        begin = end + 1;
    }
    return rank;
}

int better(int a, int b) {
    if (a < 0) return b;
    return b < 0 ? a : std::min(a, b);
}

struct Hit {
    std::string_view kind;
    std::string name;
    double x = 0;
    std::optional<double> y; ///< nothing if only the chunk is known
    double z = 0;
    std::string detail;
};

/// Chunks that have a block whose name answers.
struct BlockChunk {
    std::int64_t distance = 0; ///< of the chunk from where the page looks, squared
    std::string name;
    ChunkPos pos;
    std::uint32_t cells = 0;
    std::int32_t place = -1; ///< of its highest cell, as `map::KeyFact` has it

    /// One result for all of them.
    [[nodiscard]] Hit as_hit() const {
        Hit hit{"block",           name,
                pos.x * 32.0 + 16, std::nullopt,
                pos.z * 32.0 + 16, fmt::format("{} in {}", cells, pos)};
        if (place < 0) return hit;
        hit.x = pos.x * k_side + (place & (k_side - 1));
        hit.y = place / k_columns;
        hit.z = pos.z * k_side + (place / k_side & (k_side - 1));
        return hit;
    }
};

/// Holds the best hits, up to a limit of each rank.
class Hits {
public:
    explicit Hits(std::size_t limit) : limit_(limit) {}

    template <typename Make>
    void add(int rank, Make&& make) {
        ++total_;
        auto& list = by_rank_[static_cast<std::size_t>(rank)];
        if (list.size() < limit_) list.push_back(make());
    }

    /// A chunk with a block. Of equal names those that are nearest are kept; each has at least one result.
    void add_blocks(int rank, BlockChunk&& chunk) {
        auto& list = blocks_[static_cast<std::size_t>(rank)];
        list.push_back(std::move(chunk));
        if (list.size() < 2 * limit_ + 1) return;
        std::ranges::nth_element(list, list.begin() + static_cast<std::ptrdiff_t>(limit_), {},
                                 &BlockChunk::distance);
        list.resize(limit_);
        has_more_blocks_ = true;
    }

    /// Turns chunks with blocks into results, the best first, until there are enough. `expand(chunk, most,
    /// add)` adds the blocks of a chunk, and says whether it could.
    template <typename Expand>
    void finish(const Expand& expand) {
        std::size_t shown = 0; // of this rank and those before it
        for (std::size_t rank = 0; rank < by_rank_.size(); ++rank) {
            shown += by_rank_[rank].size();
            std::ranges::stable_sort(blocks_[rank], {}, &BlockChunk::distance);
            for (const auto& chunk : blocks_[rank]) {
                if (shown >= limit_) {
                    has_more_blocks_ = true;
                    return;
                }
                const auto before = by_rank_[rank].size();
                // One more than there is room for tells that there are more.
                const auto add = [&](Hit&& hit) {
                    this->add(static_cast<int>(rank), [&] { return std::move(hit); });
                };
                if (!expand(chunk, limit_ - shown + 1, add)) add(chunk.as_hit());
                shown += by_rank_[rank].size() - before;
            }
        }
    }

    /// Whether nothing can be better than what is there.
    [[nodiscard]] bool is_full() const { return by_rank_[0].size() >= limit_; }

    std::string json(bool cut_short, bool complete) const {
        JsonWriter json;
        json.object().key("results").array();
        std::size_t shown = 0;
        for (const auto& list : by_rank_)
            for (const auto& hit : list) {
                if (shown == limit_) break;
                ++shown;
                json.object().member("kind", hit.kind).member("name", hit.name).key("x").real(hit.x).key("y");
                hit.y ? json.real(*hit.y) : json.null();
                json.key("z").real(hit.z).member("detail", hit.detail).end();
            }
        json.end()
            .member("more", cut_short || has_more_blocks_ || total_ > shown)
            .member("complete", complete)
            .end();
        return json.take();
    }

private:
    std::size_t limit_;
    std::size_t total_ = 0;
    std::array<std::vector<Hit>, 4> by_rank_;
    std::array<std::vector<BlockChunk>, 4> blocks_;
    bool has_more_blocks_ = false;
};

class Searcher {
public:
    Searcher(const SearchQuestion& question, Hits& hits)
        : question_(question), wanted_(fold(question.text)), hits_(hits) {}

    void add(std::span<const map::Marker> markers) {
        for (const auto& marker : markers)
            add_marker(marker.kind, marker.name, {marker.x, marker.y, marker.z});
    }

    void add(const map::RegionFacts& region) {
        ranks_.assign(region.names(), k_unknown);
        for (const auto& [slot, chunk] : region.chunks()) {
            const auto pos = region.pos().chunk(slot);
            if (question_.markers)
                for (const auto& marker : chunk.markers)
                    add_marker(region.name(marker.kind), name_or_none(region, marker.name),
                               {marker.pos.x + 0.5, static_cast<double>(marker.pos.y), marker.pos.z + 0.5});
            if (question_.items)
                for (const auto& container : chunk.containers) add_items(region, container);
            if (question_.entities)
                for (const auto& entity : chunk.entities) add_entity(region, entity);
            if (question_.blocks)
                for (const auto& key : chunk.keys) add_block(region, pos, key);
        }
    }

private:
    static constexpr int k_unknown = -2;

    static std::string_view name_or_none(const map::RegionFacts& region, map::NameId id) {
        return id == map::k_no_name ? std::string_view() : region.name(id);
    }

    int rank(const map::RegionFacts& region, map::NameId id) {
        if (id == map::k_no_name) return -1;
        auto& known = ranks_[id];
        if (known == k_unknown) known = rank_folded(fold(region.name(id)), wanted_);
        return known;
    }

    void add_marker(std::string_view kind, std::string_view name, std::array<double, 3> at) {
        const auto rank = better(rank_folded(fold(name), wanted_), rank_folded(fold(kind), wanted_));
        if (!question_.markers || rank < 0) return;
        hits_.add(rank, [&] {
            return Hit{"marker",         std::string(name.empty() ? kind : name), at[0], at[1], at[2],
                       std::string(kind)};
        });
    }

    /// A container counts once for each kind of item, however many stacks of it are inside.
    void add_items(const map::RegionFacts& region, const map::ContainerFact& container) {
        for (auto item = container.items.begin(); item != container.items.end(); ++item) {
            const auto found = rank(region, item->item);
            const auto is_same = [&](const map::ItemFact& other) { return other.item == item->item; };
            if (found < 0 || std::any_of(container.items.begin(), item, is_same)) continue;
            std::int64_t sum = 0;
            for (auto other = item; other != container.items.end(); ++other)
                if (is_same(*other)) sum += other->count;
            hits_.add(found, [&] {
                return Hit{"item",
                           std::string(region.name(item->item)),
                           static_cast<double>(container.pos.x),
                           container.pos.y,
                           static_cast<double>(container.pos.z),
                           fmt::format("{} in {}", sum, region.name(container.block))};
            });
        }
    }

    void add_entity(const map::RegionFacts& region, const map::EntityFact& entity) {
        const auto found = better(rank(region, entity.type), rank(region, entity.name));
        if (found < 0) return;
        hits_.add(found, [&] {
            return Hit{"entity", std::string(region.name(entity.type)),         entity.x, entity.y,
                       entity.z, std::string(name_or_none(region, entity.name))};
        });
    }

    void add_block(const map::RegionFacts& region, ChunkPos pos, const map::KeyFact& key) {
        const auto found = rank(region, key.key);
        if (found < 0) return;
        std::int64_t distance = 0;
        if (question_.near) {
            const auto [x, z] = *question_.near;
            const auto dx = std::int64_t{pos.x} - (x >> 5);
            const auto dz = std::int64_t{pos.z} - (z >> 5);
            constexpr std::int64_t k_far = 1 << 30; // so that squares fit
            distance = std::clamp(dx, -k_far, k_far) * std::clamp(dx, -k_far, k_far)
                       + std::clamp(dz, -k_far, k_far) * std::clamp(dz, -k_far, k_far);
        }
        hits_.add_blocks(found, {distance, std::string(region.name(key.key)), pos, key.cells, key.place});
    }

    const SearchQuestion& question_;
    std::string wanted_;
    Hits& hits_;
    std::vector<int> ranks_; ///< by name of the region in work
};

} // namespace

Result<std::string> search_facts(const MapIndex& index, const std::filesystem::path& map_folder,
                                 std::span<const map::Marker> markers, const SearchWorld* world,
                                 const SearchQuestion& question, const std::atomic<bool>& stopping) {
    const auto end = std::chrono::steady_clock::now() + k_longest_search;
    const auto is_over = [&] { return stopping || std::chrono::steady_clock::now() > end; };
    Hits hits(question.limit);
    Searcher searcher(question, hits);
    searcher.add(markers);
    bool cut_short = false;
    for (const auto& [pos, entry] : index.state.regions) {
        if (hits.is_full() || is_over()) {
            cut_short = true;
            break;
        }
        TRY(const auto region, map::load_region(map_folder, pos, entry.state));
        searcher.add(region);
    }
    std::optional<query::Session> session;
    if (world != nullptr) session.emplace(world->world, world->store, query::SessionOptions{});
    hits.finish([&](const BlockChunk& chunk, std::size_t most, const auto& add) {
        if (!session || is_over()) return false;
        query::FindQuestion asked;
        asked.filter.keys.push_back({query::TextTest::Kind::one_of, {chunk.name}});
        asked.filter.chunk_x = {chunk.pos.x, chunk.pos.x};
        asked.filter.chunk_z = {chunk.pos.z, chunk.pos.z};
        asked.items = asked.entities = asked.counts_all = false;
        asked.limit = most;
        // The highest first: these are what a person sees, and gets at.
        constexpr double k_high_above = 1e6;
        asked.near = {static_cast<double>(chunk.pos.x) * k_side, k_high_above,
                      static_cast<double>(chunk.pos.z) * k_side};
        bool is_any = false;
        const auto found = query::find(*session, asked, [&](const query::Hit& hit) {
            is_any = true;
            add(Hit{"block", chunk.name, hit.at[0], hit.at[1], hit.at[2], fmt::format("{}", chunk.pos)});
        });
        return found.has_value() && is_any;
    });
    return hits.json(cut_short, index.current);
}

} // namespace orbis::http
