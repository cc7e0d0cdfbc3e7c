#include "jobs/puzzle/chunk_features.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

namespace orbis::jobs {

namespace {

/// A hash of numbers and text, not meant to withstand anybody: a fingerprint suggests, it does not prove.
class Mixer {
public:
    void add(std::uint64_t value) {
        state_ = (state_ ^ value) * 0x9E3779B97F4A7C15ULL;
        state_ ^= state_ >> 32;
    }
    void add(std::string_view text) {
        for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
        add(text.size());
    }
    [[nodiscard]] std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

std::uint64_t hash_of(std::string_view text) {
    Mixer hash;
    hash.add(text);
    return hash.value();
}

class Maker {
public:
    explicit Maker(const chunk::Chunk& chunk) : chunk_(chunk) {}

    ChunkFeatures make() {
        if (chunk_.columns_state() == chunk::PartState::decoded) {
            tints();
            heights();
        }
        if (chunk_.environments_state() == chunk::PartState::decoded) environments();
        components();
        for (int y = 0; y < k_sections; ++y) blocks(y);
        return made_;
    }

private:
    void set(std::size_t feature, const Mixer& hash, bool tells) {
        made_.features[feature] = hash.value();
        made_.telling[feature] = tells;
    }

    void tints() {
        std::array<std::int32_t, k_columns> values{};
        chunk_.tints().expand(values);
        Mixer hash;
        bool differs = false;
        for (const auto value : values) {
            hash.add(static_cast<std::uint64_t>(value & 0xFFFFFF)); // alpha means nothing
            differs = differs || (value & 0xFFFFFF) != (values[0] & 0xFFFFFF);
        }
        set(ChunkFeatures::k_tints, hash, differs);
    }

    void heights() {
        constexpr int side = 8;
        for (std::size_t tile = 0; tile < ChunkFeatures::k_tiles; ++tile) {
            const int x = static_cast<int>(tile % 4) * side;
            const int z = static_cast<int>(tile / 4) * side;
            const auto first = chunk_.heights().at({x, z});
            Mixer hash;
            bool differs = false;
            for (int i = 0; i < side * side; ++i) {
                const auto height = chunk_.heights().at({x + i % side, z + i / side});
                hash.add(static_cast<std::uint64_t>(height));
                differs = differs || height != first;
            }
            set(ChunkFeatures::k_first_tile + tile, hash, differs);
        }
    }

    void environments() {
        const auto& all = chunk_.environments();
        const auto first = all.runs(ColumnIndex(0));
        Mixer hash;
        bool differs = false;
        std::string_view key;
        auto key_hash = hash_of(key);
        for (int column = 0; column < k_columns; ++column) {
            const auto runs = all.runs(ColumnIndex(column));
            for (const auto& run : runs) {
                hash.add(static_cast<std::uint64_t>(run.max_y));
                if (run.key != key) key_hash = hash_of(key = run.key);
                hash.add(key_hash);
            }
            differs = differs || runs != first;
        }
        set(ChunkFeatures::k_environments, hash, differs);
    }

    void components() {
        Mixer hash;
        const auto entries = chunk_.block_components().entries();
        for (const auto& entry : entries) hash.add(static_cast<std::uint64_t>(entry.index.value));
        set(ChunkFeatures::k_components, hash, !entries.empty());
    }

    void blocks(int y) {
        constexpr int slab_cells = k_cells / 4;
        const auto& palette = chunk_.section(y).blocks;
        keys_.clear(); // each key is hashed once, not once for each of its runs
        for (const auto& entry : palette.entries()) keys_.push_back(hash_of(entry.value));
        std::array<Mixer, 4> hashes;
        std::array<bool, 4> differs{};
        palette.for_each_run([&](CellIndex begin, CellIndex end, std::uint32_t entry) {
            const auto key = entry < keys_.size() ? keys_[entry] : hash_of(chunk::k_empty_key);
            for (int slab = begin.value / slab_cells; slab * slab_cells < end.value; ++slab) {
                const auto at = static_cast<std::size_t>(slab);
                const int from = std::max(begin.value, slab * slab_cells);
                hashes[at].add(static_cast<std::uint64_t>(from % slab_cells));
                hashes[at].add(key);
                // A run that starts inside a layer makes this layer differ from column to column.
                differs[at] = differs[at] || from % k_columns != 0;
            }
        });
        for (std::size_t slab = 0; slab < 4; ++slab)
            set(ChunkFeatures::k_first_slab + static_cast<std::size_t>(y) * 4 + slab, hashes[slab],
                differs[slab]);
    }

    const chunk::Chunk& chunk_;
    std::vector<std::uint64_t> keys_;
    ChunkFeatures made_;
};

/// The chunk of a world position, nothing if that is not a number or far outside any world.
std::optional<ChunkPos> chunk_at(double x, double z) {
    constexpr double most = 2'147'483'647.0;
    if (!(std::abs(x) < most) || !(std::abs(z) < most)) return std::nullopt;
    return BlockPos{static_cast<std::int32_t>(std::floor(x)), 0, static_cast<std::int32_t>(std::floor(z))}
        .chunk();
}

std::optional<double> number(const bson::Document& document, std::string_view key) {
    const auto element = document.find(key);
    if (!element) return std::nullopt;
    return element->number();
}

std::optional<ChunkPos> chunk_of(const bson::Document& entity) {
    const auto transform = chunk::component(entity, "Transform");
    if (!transform) return std::nullopt;
    const auto position = transform->document("Position");
    if (!position) return std::nullopt;
    const auto x = number(*position, "X");
    const auto z = number(*position, "Z");
    if (!x || !z) return std::nullopt;
    return chunk_at(*x, *z);
}

bool looks_like_time(std::string_view text) {
    return text.size() >= 20 && text[4] == '-' && text[10] == 'T' && text.back() == 'Z';
}

} // namespace

ChunkFeatures chunk_features(const chunk::Chunk& chunk) { return Maker(chunk).make(); }

PositionEvidence position_evidence(const chunk::Chunk& chunk) {
    std::map<ChunkPos, std::size_t> votes;
    for (const auto& entity : chunk.entities().holders())
        if (const auto pos = chunk_of(entity)) ++votes[*pos];
    for (const auto& block : chunk.health().damaged()) ++votes[block.pos.chunk()];
    for (const auto& block : chunk.health().fragile()) ++votes[block.pos.chunk()];
    PositionEvidence evidence;
    evidence.positions = std::accumulate(votes.begin(), votes.end(), std::size_t{0},
                                         [](std::size_t sum, const auto& vote) { return sum + vote.second; });
    for (const auto& [pos, count] : votes)
        if (count * 2 > evidence.positions) evidence.chunk = pos;
    evidence.unanimous = votes.size() == 1;
    return evidence;
}

std::optional<std::string_view> newest_game_time(const chunk::Chunk& chunk) {
    std::optional<std::string_view> newest;
    const auto consider = [&](const std::optional<bson::Document>& holder, std::string_view key) {
        const auto element = holder ? holder->find(key) : std::nullopt;
        const auto text = element ? element->string() : std::nullopt;
        if (text && looks_like_time(*text) && (!newest || is_earlier(*newest, *text))) newest = text;
    };
    consider(chunk.component("BlockHealthChunk"), "LastRepairGameTime");
    for (const auto& entry : chunk.block_components().entries())
        consider(chunk::component(entry.holder, "FarmingBlock"), "LastTickGameTime");
    return newest;
}

bool is_earlier(std::string_view a, std::string_view b) {
    constexpr std::size_t seconds = 19; // of `0001-01-03T05:30:00`
    const auto split = [](std::string_view time) {
        auto fraction = time.size() > seconds ? time.substr(seconds) : std::string_view{};
        while (!fraction.empty() && (fraction.back() == 'Z' || fraction.back() == '0'))
            fraction.remove_suffix(1);
        return std::pair(time.substr(0, seconds), fraction == "." ? std::string_view{} : fraction);
    };
    return split(a) < split(b);
}

} // namespace orbis::jobs
