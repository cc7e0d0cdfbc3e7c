#include "jobs/repair/plan_chunk.hpp"

#include "chunk/chunk_reader.hpp"
#include "jobs/repair/fix_cells.hpp"
#include "jobs/verify/misspelt.hpp"
#include "jobs/verify/neighbours.hpp"

#include <algorithm>

namespace orbis::jobs {

bool ChunkPlan::loses() const {
    return std::ranges::any_of(steps, [](const ChunkFix& step) { return step.loses; });
}

struct ChunkPlanner::Parts {
    Parts(const storage::Store& from, const world::Assets& tables, bool only_damage, DonorStores& backups,
          std::mutex& mutex, const std::set<ChunkPos>& not_trusted)
        : store(from),
          assets(tables),
          damage_only(only_damage),
          donors(backups),
          donors_mutex(mutex),
          untrusted(not_trusted),
          neighbours(from),
          checks(tables),
          neighbour([this](BlockPos at) {
              if (untrusted.contains(at.chunk())) return NeighbourBlock{NeighbourBlock::Kind::unknown, {}};
              return neighbours.block(at);
          }) {}

    Result<void> fix(ChunkPlan& plan, std::vector<Finding>& found);
    Result<void> fix_broken(ChunkPlan& plan, Buffer& document);
    Result<bool> fix_names(ChunkPlan& plan, std::vector<Finding>& found);
    [[nodiscard]] std::optional<Buffer> donor_document(ChunkPos pos) const;

    const storage::Store& store;
    const world::Assets& assets;
    bool damage_only;
    DonorStores& donors;
    std::mutex& donors_mutex;
    const std::set<ChunkPos>& untrusted;
    Neighbours neighbours;
    ChunkChecks checks;
    NeighbourLookup neighbour;
    chunk::ChunkReader reader;
    chunk::Chunk& chunk = reader.chunk();
    chunk::Chunk fixed;
    Buffer renamed; ///< what `chunk` is of, where names were set right
    Compressor compressor;
};

namespace {

/// Codes that need a part of the document to be replaced.
bool is_broken_part(Code code) {
    return code == Code::component_missing || code == Code::component_unreadable
           || code == Code::section_surplus || code == Code::document_bson || code == Code::component_too_new;
}

/// Codes that the chunk model can set right.
bool is_repairable(Code code) {
    switch (code) {
    case Code::palette_count:
    case Code::palette_id:
    case Code::rotation_range:
    case Code::ticking_count:
    case Code::light_stale:
    case Code::fluid_level:
    case Code::filler_dangling:
    case Code::height_wrong:
    case Code::column_key: return true;
    default: return false;
    }
}

} // namespace

ChunkPlanner::ChunkPlanner(const storage::Store& store, const world::Assets& assets, bool damage_only,
                           DonorStores& donors, std::mutex& donors_mutex, const std::set<ChunkPos>& untrusted)
    : parts_(std::make_unique<Parts>(store, assets, damage_only, donors, donors_mutex, untrusted)) {}

ChunkPlanner::~ChunkPlanner() = default;

std::optional<Buffer> ChunkPlanner::Parts::donor_document(ChunkPos pos) const {
    const std::lock_guard lock(donors_mutex);
    const auto found = donors.newest_good(pos);
    if (!found) return std::nullopt;
    Decompressor decompressor;
    const auto document = decompressor.decompress(found->frame, found->raw_size, storage::k_largest_document);
    if (!document) return std::nullopt;
    return Buffer(document->begin(), document->end());
}

/// Replaces what cannot be read. Where that leaves no chunk, the plan says unreadable.
Result<void> ChunkPlanner::Parts::fix_broken(ChunkPlan& plan, Buffer& document) {
    const auto older = donor_document(plan.pos);
    chunk::Chunk donor;
    const bool has_donor = older && donor.read(*older).has_value();
    TRY(auto parts, fix_parts(chunk, has_donor ? &donor : nullptr));
    if (!parts.left.empty()) {
        plan.unreadable = !parts.only_too_new;
        plan.reason = parts.left.front();
        plan.left = std::move(parts.left);
        return {};
    }
    std::ranges::move(parts.steps, std::back_inserter(plan.steps));
    document = std::move(parts.document);
    return {};
}

/// Gives what has almost its name the right one, and looks at the chunk again: only now shows what is in it.
Result<bool> ChunkPlanner::Parts::fix_names(ChunkPlan& plan, std::vector<Finding>& found) {
    const auto names = find_misspelt(chunk);
    for (const auto& name : names) {
        if (name.is_beside)
            plan.beside.push_back(fmt::format(
                "there are both {} and {}, and it is unclear which one is right", name.found, name.meant));
        else
            plan.steps.push_back({name.part, fmt::format("renamed {} to {}", name.found, name.meant), false});
    }
    if (plan.steps.empty()) return false;
    renamed = with_right_names(chunk.document(), names);
    TRY_DO(chunk.read(renamed));
    found.clear();
    checks.run(chunk, plan.pos, neighbour, found);
    return true;
}

Result<void> ChunkPlanner::Parts::fix(ChunkPlan& plan, std::vector<Finding>& found) {
    TRY(const bool has_new_names, fix_names(plan, found));
    const bool broken =
        std::ranges::any_of(found, [](const auto& finding) { return is_broken_part(finding.code); });
    const bool wrong =
        std::ranges::any_of(found, [](const auto& finding) { return is_repairable(finding.code); });
    Buffer document;
    if (broken) {
        TRY_DO(fix_broken(plan, document));
        if (plan.unreadable || !plan.left.empty()) return {};
    }
    if (document.empty() && !has_new_names && (!wrong || damage_only)) {
        if (!broken) return {};
        // A document with damage that no part accounts for, such as text that is not UTF-8 in a mod's part.
        plan.unreadable = true;
        plan.reason = "the document is not valid BSON";
        return {};
    }
    TRY_DO(fixed.read(document.empty() ? chunk.document() : Bytes(document)));
    if (!fixed.problems().empty()) {
        plan.unreadable = std::ranges::any_of(
            fixed.problems(), [](const auto& problem) { return problem.error.code != Errc::overlap; });
        plan.reason = fixed.problems().front().text();
        if (plan.unreadable) return {};
    }
    if (!damage_only || !document.empty()) {
        TRY(auto steps, fix_cells(fixed, plan.pos, assets, neighbour));
        std::ranges::move(steps, std::back_inserter(plan.steps));
    }
    Buffer encoded;
    TRY(const auto result, fixed.encode(encoded));
    if (const auto whole = bson::open_validated(result); !whole) {
        plan.unreadable = true;
        plan.reason = whole.error().problem;
        return {};
    }
    TRY(const auto frame, compressor.compress(result));
    plan.frame.assign(frame.begin(), frame.end());
    plan.raw_size = static_cast<std::uint32_t>(result.size());
    return {};
}

ChunkPlan ChunkPlanner::plan(ChunkPos pos) {
    ChunkPlan plan;
    plan.pos = pos;
    const auto unreadable = [&](std::string reason) {
        plan.unreadable = true;
        plan.reason = std::move(reason);
        plan.steps.clear();
        return plan;
    };
    auto& reader = parts_->reader;
    const auto document = reader.load(parts_->store, pos);
    if (!document) return unreadable(document.error().problem);
    if (!*document) return plan;
    if ((*document)->empty()) return unreadable("the chunk has 0 bytes");
    if (const auto read = reader.decode(); !read) return unreadable(read.error().problem);
    std::vector<Finding> found;
    parts_->checks.run(parts_->chunk, pos, parts_->neighbour, found);
    for (const auto& finding : found)
        if (finding.code == Code::chunk_misplaced) plan.home = finding.home;
    if (auto done = parts_->fix(plan, found); !done) return unreadable(done.error().problem);
    if (plan.unreadable) plan.steps.clear();
    std::ranges::move(plan.beside, std::back_inserter(plan.left));
    return plan;
}

} // namespace orbis::jobs
