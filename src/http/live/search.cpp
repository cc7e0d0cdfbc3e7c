#include "http/live/search.hpp"

#include "bytes/json_writer.hpp"
#include "map/find_changes.hpp"
#include "map/region_facts.hpp"

#include <algorithm>
#include <array>
#include <optional>

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
        json.end().member("more", cut_short || total_ > shown).member("complete", complete).end();
        return json.take();
    }

private:
    std::size_t limit_;
    std::size_t total_ = 0;
    std::array<std::vector<Hit>, 4> by_rank_;
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
        hits_.add(found, [&] {
            Hit hit{"block",           std::string(region.name(key.key)),
                    pos.x * 32.0 + 16, std::nullopt,
                    pos.z * 32.0 + 16, fmt::format("{} in {}", key.cells, pos)};
            if (key.place < 0) return hit;
            hit.x = pos.x * k_side + (key.place & (k_side - 1));
            hit.y = key.place / k_columns;
            hit.z = pos.z * k_side + (key.place / k_side & (k_side - 1));
            return hit;
        });
    }

    const SearchQuestion& question_;
    std::string wanted_;
    Hits& hits_;
    std::vector<int> ranks_; ///< by name of the region in work
};

} // namespace

Result<std::string> search_facts(const MapIndex& index, const std::filesystem::path& map_folder,
                                 std::span<const map::Marker> markers, const SearchQuestion& question,
                                 const std::atomic<bool>& stopping) {
    const auto end = std::chrono::steady_clock::now() + k_longest_search;
    Hits hits(question.limit);
    Searcher searcher(question, hits);
    searcher.add(markers);
    bool cut_short = false;
    for (const auto& [pos, entry] : index.state.regions) {
        if (hits.is_full() || stopping || std::chrono::steady_clock::now() > end) {
            cut_short = true;
            break;
        }
        TRY(const auto region, map::load_region(map_folder, pos, entry.state));
        searcher.add(region);
    }
    return hits.json(cut_short, index.current);
}

} // namespace orbis::http
