#include "jobs/inspect/digest.hpp"

#include "bytes/append_format.hpp"
#include "bytes/joined.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/sha256.hpp"
#include "bytes/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

namespace orbis::jobs {

namespace {

using chunk::Chunk;
using chunk::PartState;
using chunk::Section;

/// Cells per text, in the order of the texts' bytes.
using Counts = std::map<std::string, std::size_t, std::less<>>;

std::string text_of(std::string_view value) { return std::string(value); }
std::string text_of(std::integral auto value) { return fmt::to_string(static_cast<int>(value)); }

} // namespace

/// The members of every object are written in the order of their names.
class Digester::Job {
public:
    Result<std::string> line(ChunkPos pos, Bytes document) {
        TRY_DO(chunk_.read(document));
        if (!chunk_.problems().empty()) return fail(chunk_.problems().front().as_error());
        json_.clear();
        json_.object();
        json_.key("block_chunk").object();
        json_.member("needs_physics", chunk_.needs_physics()).member("v", chunk_.block_chunk_version()).end();
        block_components();
        json_.key("bson").object().member("bytes", document.size()).member("sha", sha256_hex(document)).end();
        names("components", chunk_.components());
        entities();
        environments();
        health();
        json_.member("height", column_sha(chunk_.heights()));
        json_.key("sections").array();
        sections();
        json_.end();
        json_.member("tint", column_sha(chunk_.tints())).member("x", pos.x).member("z", pos.z).end();
        return json_.take();
    }

private:
    void names(std::string_view key, const bson::Document& components) {
        std::vector<std::string_view> sorted;
        for (bson::Cursor at(components); at.next();) sorted.push_back(at->key());
        std::ranges::sort(sorted);
        json_.key(key).array();
        for (const auto name : sorted) json_.string(name);
        json_.end();
    }

    void types(const Counts& counts) {
        json_.key("types").object();
        for (const auto& [name, count] : counts) json_.member(name, count);
        json_.end();
    }

    void block_components() {
        Counts counts;
        text_.clear();
        for (const auto& entry : chunk_.block_components().entries()) {
            auto sorted = chunk::component_names(entry.holder);
            std::ranges::sort(sorted);
            for (const auto name : sorted) ++counts[std::string(name)];
            if (!text_.empty()) text_ += '\n';
            text_ += fmt::format("{}:{}", entry.index.value, joined(sorted, ","));
        }
        json_.key("block_components").object();
        json_.member("n", chunk_.block_components().entries().size()).member("sha", sha256_hex(text_));
        types(counts);
        json_.end();
    }

    void entities() {
        Counts counts;
        for (const auto& holder : chunk_.entities().holders())
            for (const auto name : chunk::component_names(holder)) ++counts[std::string(name)];
        json_.key("entities").object().member("n", chunk_.entities().holders().size());
        types(counts);
        json_.end();
    }

    void environments() {
        json_.key("env");
        if (chunk_.environments_state() == PartState::absent) {
            json_.null();
            return;
        }
        const auto& environments = chunk_.environments();
        std::set<std::string_view> keys;
        std::set<std::int32_t> ids;
        for (const auto& mapping : environments.mappings()) {
            keys.insert(mapping.key);
            ids.insert(mapping.id);
        }
        text_.clear();
        for (int i = 0; i < k_columns; ++i) {
            if (i > 0) text_ += '\n';
            environment_column(environments, ColumnIndex(i));
        }
        json_.object().key("keys").array();
        for (const auto key : keys) json_.string(key);
        json_.end().member("n", ids.size()).member("sha", sha256_hex(text_)).end();
    }

    /// The runs between the bottom and the top of the world, neighbours with the same key as one.
    void environment_column(const chunk::Environments& environments, ColumnIndex column) {
        constexpr int k_top = k_world_height - 1;
        std::string_view open;
        bool has_open = false;
        std::int32_t open_to = 0;
        bool first = true;
        const auto flush = [&] {
            if (!has_open) return;
            append_format(text_, "{}{}={}", first ? "" : ";", open_to, open);
            first = false;
        };
        std::int64_t from = 0; // the lowest y in the world that no run has taken yet
        for (const auto& run : environments.runs(column)) {
            if (from > k_top) break;
            if (run.max_y < from) continue;
            const auto to = std::min<std::int32_t>(run.max_y, k_top);
            if (!has_open || open != run.key) {
                flush();
                open = run.key;
                has_open = true;
            }
            open_to = to;
            from = std::int64_t{to} + 1;
        }
        flush();
    }

    void health() {
        json_.key("health");
        if (chunk_.health_state() == PartState::absent) {
            json_.null();
            return;
        }
        const auto& health = chunk_.health();
        json_.object().member("fragile", health.fragile().size()).member("health", health.damaged().size());
        json_.member("v", static_cast<int>(health.version())).end();
    }

    template <typename Number>
    std::string column_sha(const chunk::ColumnMap<Number>& map) {
        text_.clear();
        for (int i = 0; i < k_columns; ++i)
            append_format(text_, "{}{}", i == 0 ? "" : ",", map.at(ColumnIndex(i)));
        return sha256_hex(text_);
    }

    void sections() {
        const auto column = chunk_.components().find_path({"ChunkColumn", "Sections"});
        const auto array = column ? column->array() : std::nullopt;
        std::optional<bson::Cursor> holder;
        if (array) holder.emplace(*array);
        for (int y = 0; y < chunk_.stored_sections(); ++y) {
            bson::Document components;
            if (holder && holder->next())
                if (const auto document = (*holder)->document())
                    components = document->document("Components").value_or(bson::Document());
            section(y, components);
        }
    }

    void section(int y, const bson::Document& components) {
        const auto& section = chunk_.section(y);
        const bool has_block = section.block_state != PartState::absent;
        json_.object().key("block");
        if (has_block)
            palette(section.blocks);
        else
            json_.null();
        names("components", components);
        if (has_block) {
            json_.key("filler");
            palette(section.fillers);
        }
        fluid(section);
        if (has_block) {
            if (section.version <= 4) legacy(section);
            json_.key("light").object();
            light("global", section.global_light);
            json_.member("global_counter", section.global_counter);
            light("local", section.local_light);
            json_.member("local_counter", section.local_counter).end();
            json_.key("mig");
            section.version >= 6 ? json_.number(section.migration_count) : json_.null();
        }
        physics(section);
        if (has_block) {
            json_.key("rotation");
            palette(section.rotations);
            ticking(section);
            json_.member("v", section.version);
        }
        json_.member("y", y).end();
    }

    std::span<std::uint16_t, k_cells> cells() { return std::span<std::uint16_t, k_cells>(cells_); }

    /// Writes how many cells have each of the texts, and gives the hash of the texts of all cells. `expand`
    /// sets `cells_` to indices into `texts`, where these are needed.
    template <typename Expand>
    std::string counts_and_sha(const std::vector<std::string>& texts, std::span<const std::uint32_t> used,
                               const Expand& expand) {
        std::size_t size = k_cells - 1;
        Counts counts;
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (used[i] > 0) counts[texts[i]] += used[i];
            size += used[i] * texts[i].size();
        }
        json_.key("counts").object();
        for (const auto& [text, count] : counts) json_.member(text, count);
        json_.end();
        if (counts.size() == 1) return uniform_sha(counts.begin()->first);
        expand();
        return joined_sha(texts, size);
    }

    /// The hash of the texts of all cells, joined with line ends: `size` characters.
    std::string joined_sha(const std::vector<std::string>& texts, std::size_t size) {
        // Copies of a fixed size are several times faster than exact ones, and nearly all texts are short.
        struct Padded {
            std::array<char, 48> text;
            std::size_t size;
        };
        std::vector<Padded> padded(texts.size());
        bool all_short = true;
        for (std::size_t i = 0; i < texts.size() && all_short; ++i) {
            all_short = texts[i].size() < padded[i].text.size();
            if (!all_short) break;
            texts[i].copy(padded[i].text.data(), texts[i].size());
            padded[i].text[texts[i].size()] = '\n';
            padded[i].size = texts[i].size() + 1;
        }
        text_.resize(size + sizeof(Padded::text));
        auto* at = text_.data();
        for (std::size_t i = 0; i < k_cells && all_short; ++i) {
            const auto& text = padded[cells_[i]];
            std::memcpy(at, text.text.data(), text.text.size());
            at += text.size;
        }
        for (std::size_t i = 0; i < k_cells && !all_short; ++i) {
            const auto& text = texts[cells_[i]];
            at = std::copy(text.begin(), text.end(), at);
            *at++ = '\n';
        }
        return sha256_hex(std::string_view(text_).substr(0, size)); // without the last line end
    }

    /// Most sections are one value throughout, so these hashes are kept.
    const std::string& uniform_sha(const std::string& text) {
        if (const auto known = uniform_.find(text); known != uniform_.end()) return known->second;
        if (uniform_.size() >= k_kept_hashes) uniform_.clear();
        text_.clear();
        for (int i = 0; i < k_cells; ++i) {
            if (i > 0) text_ += '\n';
            text_ += text;
        }
        return uniform_.emplace(text, sha256_hex(text_)).first->second;
    }

    template <typename Palette>
    void palette(const Palette& palette) {
        std::vector<std::string> texts;
        for (const auto& entry : palette.entries()) texts.push_back(text_of(entry.value));
        texts.push_back(text_of(palette.empty_value()));
        json_.object();
        const auto sha = counts_and_sha(texts, palette.histogram(), [&] { palette.expand(cells()); });
        json_.member("n", palette.entries().size()).member("pal", static_cast<int>(palette.kind()));
        json_.member("sha", sha).end();
    }

    void fluid(const Section& section) {
        json_.key("fluid");
        if (section.fluid_state == PartState::absent) {
            json_.null();
            return;
        }
        // A text for each pair of key and level.
        std::vector<std::string> texts;
        const auto add_levels = [&](std::string_view key) {
            for (int level = 0; level < 16; ++level) texts.push_back(fmt::format("{}:{}", key, level));
        };
        for (const auto& entry : section.fluids.entries()) add_levels(entry.value);
        add_levels(chunk::k_empty_key);
        const auto expand = [&] {
            section.fluids.expand(cells());
            for (std::size_t i = 0; i < k_cells; ++i)
                cells_[i] = static_cast<std::uint16_t>(cells_[i] * 16
                                                       + section.levels.at(CellIndex(static_cast<int>(i))));
        };
        std::vector<std::uint32_t> used(texts.size(), 0);
        if (section.levels.present()) {
            expand();
            for (const auto cell : cells_) ++used[cell];
        } else {
            const auto histogram = section.fluids.histogram();
            for (std::size_t i = 0; i < histogram.size(); ++i) used[i * 16] = histogram[i];
        }
        json_.object();
        const auto sha = counts_and_sha(texts, used, expand);
        json_.member("levels", section.levels.present()).member("n", section.fluids.entries().size());
        json_.member("pal", static_cast<int>(section.fluids.kind())).member("sha", sha).end();
    }

    void physics(const Section& section) {
        json_.key("physics");
        if (section.physics_state == PartState::absent) {
            json_.null();
            return;
        }
        const auto& supports = section.supports;
        json_.object()
            .member("data", supports.present())
            .member("nonzero", supports.count_nonzero())
            .key("sha");
        if (supports.present()) {
            std::vector<std::string> texts;
            for (int value = 0; value < 16; ++value) texts.push_back(text_of(value));
            std::size_t size = k_cells - 1;
            for (std::size_t i = 0; i < k_cells; ++i) {
                cells_[i] = supports.at(CellIndex(static_cast<int>(i)));
                size += texts[cells_[i]].size();
            }
            json_.string(joined_sha(texts, size));
        } else {
            json_.null();
        }
        json_.end();
    }

    void light(std::string_view key, const chunk::Light& light) {
        json_.key(key).object().member("id", light.change_id()).key("sha");
        if (light.present()) {
            light.expand(cells());
            text_.resize(std::size_t{k_cells} * 2);
            auto* at = reinterpret_cast<std::uint8_t*>(text_.data());
            for (std::size_t i = 0; i < k_cells; ++i) store_be(at + i * 2, cells_[i]);
            json_.string(sha256_hex(text_));
        } else {
            json_.null();
        }
        json_.end();
    }

    void ticking(const Section& section) {
        text_.clear();
        section.ticking.for_each(
            [&](CellIndex cell) { append_format(text_, "{}{}", text_.empty() ? "" : ",", cell.value); });
        json_.key("ticking").object().member("n", section.ticking.count());
        json_.member("sha", sha256_hex(text_)).member("stored", section.ticking.stored_count()).end();
    }

    /// What the keys of old sections say beside the name; `text` makes it of one key.
    template <typename Text>
    void legacy_part(std::string_view name, const Section& section, Text&& text) {
        std::vector<std::string> texts;
        for (const auto& key : section.old_keys()) texts.push_back(text(key));
        while (texts.size() <= section.blocks.entries().size()) texts.push_back(text(k_nothing_));
        json_.key(name).object();
        const auto sha =
            counts_and_sha(texts, section.blocks.histogram(), [&] { section.blocks.expand(cells()); });
        json_.member("sha", sha).end();
    }

    void legacy(const Section& section) {
        using chunk::LegacyKey;
        json_.key("legacy").object();
        legacy_part("block", section, [](const LegacyKey& key) { return std::string(key.block); });
        if (section.version >= 4) {
            std::vector<std::string> texts;
            for (const auto& entry : section.fillers.entries()) texts.push_back(text_of(entry.value));
            texts.emplace_back("0");
            json_.key("filler").object();
            const auto sha =
                counts_and_sha(texts, section.fillers.histogram(), [&] { section.fillers.expand(cells()); });
            json_.member("sha", sha).end();
        } else {
            legacy_part("filler", section, [](const LegacyKey& key) { return text_of(key.filler.stored); });
        }
        legacy_part("fluid", section, [](const LegacyKey& key) {
            return key.fluid.empty() ? "Empty:0" : fmt::format("{}:{}", key.fluid, key.level);
        });
        legacy_part("physics", section, [](const LegacyKey& key) { return text_of(key.support); });
        legacy_part("rotation", section, [](const LegacyKey& key) { return text_of(key.rotation.index); });
        json_.end();
    }

    static constexpr std::size_t k_kept_hashes = 1000;

    const chunk::LegacyKey k_nothing_{chunk::k_empty_key, {}, {}, 0, {}, 0};
    Chunk chunk_;
    JsonWriter json_;
    std::string text_;
    std::vector<std::uint16_t> cells_ = std::vector<std::uint16_t>(k_cells);
    std::map<std::string, std::string, std::less<>> uniform_;
};

Digester::Digester() : job_(std::make_unique<Job>()) {}
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
Digester& Digester::operator=(Digester&&) noexcept = default;

Result<std::string> Digester::line(ChunkPos pos, Bytes document) { return job_->line(pos, document); }

std::string digest_error_line(ChunkPos pos) {
    return fmt::format(R"({{"error":true,"x":{},"z":{}}})", pos.x, pos.z);
}

} // namespace orbis::jobs
