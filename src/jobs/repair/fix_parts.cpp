#include "jobs/repair/fix_parts.hpp"

#include "bson/patch.hpp"
#include "bson/writer.hpp"

#include <algorithm>
#include <set>

namespace orbis::jobs {

namespace {

using bson::Value;
using chunk::Chunk;
using chunk::PartState;
using chunk::Problem;
using chunk::Section;

constexpr std::string_view k_emptied = "was unreadable and is now empty";
constexpr std::string_view k_from_donor = "was unreadable and was restored from the backup";

std::string section_part(int y, std::string_view component) {
    return fmt::format("section {}, {}", y, component);
}

Buffer blob_document(Bytes data, int version = 0) {
    Buffer out;
    bson::Writer writer(out);
    if (version > 0) writer.int32("Version", version);
    writer.binary("Data", data).finish();
    return out;
}

/// What can still be read of the blob of a section: its blocks with their shapes, or its blocks alone. The
/// light is dropped, and marked as stale, so that the game computes it.
std::optional<Buffer> salvage_block(Bytes data, int version, std::string& what) {
    for (const auto parts : {chunk::k_blocks | chunk::k_shapes, chunk::k_blocks}) {
        Section section;
        Error ignored;
        if (!section.read_block(data, version, parts, ignored)) continue;
        if (section.key_to_lose(nullptr)) return std::nullopt;
        section.modernise(nullptr);
        section.local_light.clear(0);
        section.global_light.clear(0);
        section.local_counter = section.global_counter = 1;
        Buffer out;
        section.append_block(out);
        what = parts.has(chunk::k_shapes)
                   ? "removed unreadable light; the game recalculates it"
                   : "kept the blocks; rotations, fillers, ticking and light were unreadable";
        return out;
    }
    return std::nullopt;
}

/// A section of air whose light is to be computed.
Buffer empty_block() {
    Section section;
    section.local_counter = section.global_counter = 1;
    Buffer out;
    section.append_block(out);
    return out;
}

Buffer empty_holder() {
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components").document("ChunkSection").end();
    writer.document("Block").int32("Version", Section::k_version).binary("Data", empty_block()).end();
    writer.end().finish();
    return out;
}

class PartFixer {
public:
    PartFixer(const Chunk& chunk, const Chunk* donor)
        : chunk_(chunk),
          donor_(donor),
          root_(bson::Document::open(chunk.document()).value()),
          patch_(root_) {}

    Result<FixedParts> run() {
        for (const auto& problem : chunk_.problems()) TRY_DO(fix(problem));
        if (!chunk_.components().find("WorldChunk")) {
            const auto older = donor_ == nullptr ? std::nullopt : donor_->component("WorldChunk");
            TRY_DO(set({"Components", "WorldChunk"},
                       Value::document(older ? Buffer(older->bytes().begin(), older->bytes().end())
                                             : bson::empty_document())));
            note("WorldChunk",
                 older ? "was missing and was restored from the backup" : "was missing and was added", false);
        }
        if (!chunk_.components().find("BlockChunk"))
            TRY_DO(rebuild_block_chunk("was missing and was rebuilt"));
        if (!chunk_.components().find("ChunkColumn") && chunk_.block_chunk_version() >= 3)
            give_up("ChunkColumn is missing: the chunk has no blocks");
        TRY_DO(fix_holders());
        if (!patch_.empty() && result_.left.empty()) TRY_DO(patch_.apply(result_.document));
        // An unknown version among other damage is damage too.
        const bool otherwise_sound = std::ranges::all_of(chunk_.problems(), [](const Problem& problem) {
            return problem.error.code == Errc::unsupported || problem.error.code == Errc::overlap;
        });
        if (!otherwise_sound || !bson::validate(root_)) result_.only_too_new = false;
        if (!result_.left.empty()) result_.steps.clear();
        return std::move(result_);
    }

private:
    using Keys = std::initializer_list<std::string_view>;

    Result<void> set(Keys path, Value value) { return patch_.set(path, std::move(value)); }

    void give_up(std::string why) {
        result_.left.push_back(std::move(why));
        result_.only_too_new = false;
    }

    void note(std::string part, std::string_view what, bool loses) {
        result_.steps.push_back({std::move(part), std::string(what), loses});
    }

    Result<void> fix(const Problem& problem) {
        if (problem.error.code == Errc::unsupported || problem.error.code == Errc::overlap) {
            // Of a newer game, or there twice: whatever was done could be wrong.
            if (problem.error.code == Errc::unsupported) result_.left.push_back(problem.text());
            return {};
        }
        if (problem.component == "ChunkColumn") return fix_column(problem);
        if (problem.section >= 0 && problem.component != "BlockChunk") return fix_section_part(problem);
        if (!done_.insert(problem.component).second) return {};
        if (problem.component == "EnvironmentChunk")
            return replace_blob("EnvironmentChunk", empty_environments());
        if (problem.component == "BlockHealthChunk") return replace_blob("BlockHealthChunk", empty_health());
        if (problem.component == "BlockChunk") {
            if (chunk_.block_chunk_version() <= 2) {
                give_up(problem.text()); // the sections are in it
                return {};
            }
            return rebuild_block_chunk("was unreadable and was rebuilt from the blocks");
        }
        if (problem.component == "BlockComponentChunk" || problem.component == "EntityChunk")
            return {}; // below
        give_up(problem.text());
        return {};
    }

    Result<void> fix_column(const Problem& problem) {
        const auto key = bson::index_key(static_cast<std::size_t>(std::max(problem.section, 0)));
        if (problem.section >= k_sections) { // more than a chunk has: no game knows what they are
            const auto sections = root_.find_path({"Components", "ChunkColumn", "Sections"});
            const auto array = sections ? sections->array() : std::nullopt;
            if (!array || !done_.insert("surplus").second) return {};
            int y = 0;
            for (bson::Cursor at(*array); at.next(); ++y)
                if (y >= k_sections)
                    TRY_DO(patch_.remove({"Components", "ChunkColumn", "Sections", at->key()}));
            note("ChunkColumn", fmt::format("removed {} sections above the tenth", y - k_sections), true);
            return {};
        }
        const auto sections = root_.find_path({"Components", "ChunkColumn", "Sections"});
        const auto array = sections ? sections->array() : std::nullopt;
        if (problem.section < 0 || !array || !array->find(key)) {
            give_up(problem.text());
            return {};
        }
        auto holder = empty_holder();
        const auto* from = donor_section(problem.section);
        if (from != nullptr) holder = donor_holder(problem.section).value_or(std::move(holder));
        note(section_part(problem.section, "ChunkColumn"), from != nullptr ? k_from_donor : k_emptied, true);
        return set({"Components", "ChunkColumn", "Sections", key}, Value::document(std::move(holder)));
    }

    [[nodiscard]] const Section* donor_section(int y) const {
        if (donor_ == nullptr || !donor_->section(y).has_holder || !donor_->section(y).editable())
            return nullptr;
        return &donor_->section(y);
    }

    [[nodiscard]] std::optional<Buffer> donor_holder(int y) const {
        const auto column = donor_->component("ChunkColumn");
        const auto sections = column ? column->array("Sections") : std::nullopt;
        const auto holder =
            sections ? sections->document(bson::index_key(static_cast<std::size_t>(y))) : std::nullopt;
        if (!holder) return std::nullopt;
        return Buffer(holder->bytes().begin(), holder->bytes().end());
    }

    [[nodiscard]] std::optional<Buffer> donor_part(int y, std::string_view name) const {
        const auto holder = donor_section(y) == nullptr ? std::nullopt : donor_holder(y);
        const auto document =
            holder ? bson::Document::open(*holder) : Result<bson::Document>(bson::Document());
        const auto part = document ? chunk::component(*document, name) : std::nullopt;
        if (!part) return std::nullopt;
        return Buffer(part->bytes().begin(), part->bytes().end());
    }

    Result<void> fix_section_part(const Problem& problem) {
        const auto y = problem.section;
        const auto key = bson::index_key(static_cast<std::size_t>(y));
        const auto part = section_part(y, problem.component);
        if (!done_.insert(part).second) return {};
        const Keys place{"Components", "ChunkColumn", "Sections", key, "Components", problem.component};
        if (problem.component == "BlockPhysics") {
            note(part, "was unreadable and was removed; blocks have no support values now", true);
            return patch_.remove(place);
        }
        if (problem.component == "Fluid") {
            if (auto older = donor_part(y, "Fluid")) {
                note(part, k_from_donor, true);
                return set(place, Value::document(*std::move(older)));
            }
            note(part, k_emptied, true);
            constexpr std::array<std::uint8_t, 2> nothing{};
            return set(place, Value::document(blob_document(nothing)));
        }
        const auto stored = root_.find_path(place);
        const auto document = stored ? stored->document() : std::nullopt;
        const auto data = document ? document->find("Data") : std::nullopt;
        const auto binary = data ? data->binary() : std::nullopt;
        const auto version = document ? document->find("Version") : std::nullopt;
        const auto number = version ? version->integer().value_or(0) : 0;
        std::string what;
        if (binary)
            if (auto kept = salvage_block(binary->data, static_cast<int>(number), what)) {
                note(part, what, true);
                return set(place, Value::document(blob_document(*kept, Section::k_version)));
            }
        if (auto older = donor_part(y, "Block")) {
            note(part, k_from_donor, true);
            return set(place, Value::document(*std::move(older)));
        }
        note(part, k_emptied, true);
        return set(place, Value::document(blob_document(empty_block(), Section::k_version)));
    }

    /// No mapping; for each column no bound and the id 0.
    static Buffer empty_environments() { return Buffer(4 + std::size_t{k_columns} * 8, 0); }

    static Buffer empty_health() {
        Buffer out;
        chunk::BlockHealth health;
        health.set({}, {});
        health.append_to(out);
        return out;
    }

    Result<void> replace_blob(std::string_view name, const Buffer& empty) {
        const auto donor = donor_ == nullptr ? std::nullopt : donor_->component(name);
        const bool is_good =
            donor
            && (name == "EnvironmentChunk" ? donor_->environments_state() : donor_->health_state())
                   == PartState::decoded;
        note(std::string(name), is_good ? k_from_donor : k_emptied, true);
        return set({"Components", name},
                   Value::document(is_good ? Buffer(donor->bytes().begin(), donor->bytes().end())
                                           : blob_document(empty)));
    }

    /// Heights are set right later; tints come from the stored blob if it has any that can be read.
    Result<void> rebuild_block_chunk(std::string_view what) {
        done_.insert("BlockChunk");
        chunk::Heights heights;
        chunk::Tints tints;
        Error ignored;
        const auto stored = root_.find_path({"Components", "BlockChunk", "Data"});
        const auto binary = stored ? stored->binary() : std::nullopt;
        bool has_tints = false;
        if (binary && !binary->data.empty()) {
            Reader in(binary->data);
            in.skip(1);
            if (!heights.read(in, ignored))
                heights.reset();
            else if (!(has_tints = tints.read(in, ignored)))
                tints.reset();
        }
        const bool from_donor =
            !has_tints && donor_ != nullptr && donor_->columns_state() == PartState::decoded;
        Buffer data{0};
        heights.append_to(data);
        (from_donor ? donor_->tints() : tints).append_to(data);
        note("BlockChunk",
             fmt::format("{}; tints {}", what,
                         has_tints    ? "were kept"
                         : from_donor ? "were restored from the backup"
                                      : "are unset"),
             !has_tints);
        return set({"Components", "BlockChunk"}, Value::document(blob_document(data, 3)));
    }

    /// Lists of holders: those that can be read stay.
    Result<void> fix_holders() {
        if (chunk_.entities_state() == PartState::broken || holds_bad_bson("EntityChunk"))
            TRY_DO(rebuild_list("EntityChunk", "Entities", true));
        if (chunk_.block_components_state() == PartState::broken || holds_bad_bson("BlockComponentChunk"))
            TRY_DO(rebuild_list("BlockComponentChunk", "BlockComponents", false));
        return {};
    }

    [[nodiscard]] bool holds_bad_bson(std::string_view component) const {
        const auto document = chunk_.component(component);
        return document && !bson::validate(*document);
    }

    Result<void> rebuild_list(std::string_view component, std::string_view list, bool is_array) {
        Buffer kept;
        std::size_t good = 0;
        std::size_t bad = 0;
        {
            bson::Writer writer(kept);
            is_array ? writer.array(list) : writer.document(list);
            const auto stored = chunk_.component(component);
            const auto inner = stored ? stored->find(list) : std::nullopt;
            const auto elements = !inner ? std::nullopt : is_array ? inner->array() : inner->document();
            if (elements) {
                bson::Cursor at(*elements);
                while (at.next()) {
                    const auto holder = at->document();
                    const bool is_index = is_array || is_block_index(at->key());
                    if (!holder || !bson::validate(*holder) || !is_index) {
                        ++bad;
                        continue;
                    }
                    writer.document(is_array ? bson::index_key(good) : std::string(at->key()),
                                    holder->bytes());
                    ++good;
                }
                if (!at.ok()) ++bad; // and an unknown number after it
            }
            writer.end().finish();
        }
        note(std::string(component),
             fmt::format("kept {} readable ones; {} unreadable {} removed", good, bad,
                         bad == 1 ? "was" : "were"),
             true);
        return set({"Components", component}, Value::document(std::move(kept)));
    }

    static bool is_block_index(std::string_view key) {
        return !key.empty() && key.size() <= 7
               && std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
    }

    const Chunk& chunk_;
    const Chunk* donor_;
    bson::Document root_;
    bson::Patch patch_;
    std::set<std::string, std::less<>> done_;
    FixedParts result_;
};

} // namespace

Result<FixedParts> fix_parts(const Chunk& chunk, const Chunk* donor) { return PartFixer(chunk, donor).run(); }

} // namespace orbis::jobs
