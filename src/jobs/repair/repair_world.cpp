#include "jobs/repair/repair_world.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/temporary_folder.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/inspect/overlaps.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "jobs/repair/rebuild_header.hpp"
#include "jobs/undo/salvage.hpp"
#include "jobs/verify/finding.hpp"
#include "storage/region_store.hpp"
#include "storage/walk.hpp"

#include <algorithm>
#include <set>

namespace orbis::jobs {

namespace fs = std::filesystem;

namespace {

using Outcome = RepairStep::Outcome;
using storage::RegionFiles;

/// Chunks that are planned at once in stores that have no regions.
constexpr std::size_t k_group = 1024;

constexpr const char* k_ambiguous_advice =
    "give backups with --from, or let the game generate all chunks that share this content again with "
    "--remove-ambiguous; the content is set aside, and orbis undo restores it";

bool leads_to_the_same(const storage::Store& store, ChunkPos a, ChunkPos b) {
    const auto* files = store.region_files();
    if (files == nullptr || a.region() != b.region()) return false;
    const auto entry = files->entry(a).value_or(0);
    return entry != 0 && entry == files->entry(b).value_or(0);
}

/// Whether the operating system did not let a file be opened, whatever is in it.
bool is_of_the_system(Errc code) {
    return code == Errc::read_only || code == Errc::no_space || code == Errc::busy;
}

} // namespace

WorldRepair::WorldRepair(const world::World& world, bool alone, const world::Assets& assets,
                         const RepairOptions& options, const std::vector<Donor>& donors,
                         const OnStep& on_step, RepairReport& report, const std::string& run)
    : world_(world),
      assets_(assets),
      options_(options),
      on_step_(on_step),
      report_(report),
      run_(run),
      donors_(donors, world, alone, {options.other_world}),
      set_aside_folder_("orbis-set-aside/" + utc_text(utc_now(), UtcForm::backup_name)) {}

void WorldRepair::tell(Outcome outcome, const ChunkPlan& plan, std::string part, std::string text,
                       std::string advice) {
    RepairStep step{outcome,         world_.name,     file_of(plan.pos), plan.pos,
                    std::move(part), std::move(text), std::move(advice)};
    if (outcome == Outcome::left) ++report_.left;
    on_step_(step);
}

void WorldRepair::tell_of_file(Outcome outcome, const std::string& file, std::string part, std::string text,
                               std::string advice) {
    RepairStep step{outcome,         world_.name,      file, std::nullopt, std::move(part),
                    std::move(text), std::move(advice)};
    if (outcome == Outcome::left) ++report_.left;
    on_step_(step);
}

std::string WorldRepair::file_of(ChunkPos pos) const {
    const auto& store = target_.store();
    if (store.region_files() == nullptr) return store.name();
    return region_folder().shown(storage::region_file_name(pos.region()));
}

Result<void> WorldRepair::run(Progress& progress) {
    TRY(target_, Target::open(world_, options_.dry_run,
                              {.verb = "repair",
                               .command = options_.command,
                               .force = options_.force,
                               .run = run_,
                               .keeps_undo = true}));
    const auto& store = target_.store();
    for (const auto& donor : donors_.without_world())
        tell_of_file(Outcome::left, donor, {},
                     fmt::format("this backup has several worlds, but none named {}", world_.name),
                     "give the folder of one of them");
    for (const auto& donor : donors_.with_other_world())
        report_.notes.push_back(
            fmt::format("{}: its world {} is a different world and was skipped; add --other-world to use it",
                        donor, world_.name));
    if (const auto* files = store.region_files()) {
        TRY(const auto regions, files->regions());
        tell_of_folders();
        progress.begin("Repairing", regions.size());
        for (const auto pos : regions) {
            TRY_DO(region(pos));
            progress.step();
        }
    } else {
        TRY_DO(other_store(progress));
    }
    TRY_DO(missing_chunks(ChunkSet(std::move(present_))));
    if (target_.change) {
        TRY(const auto done, target_.change->finish());
        if (!done.archive.empty()) report_.archives.push_back(done.archive.string());
    }
    return {};
}

storage::Folder WorldRepair::region_folder() const {
    return world_.source == world::World::Source::provider ? world_.folder.sub("chunks") : world_.folder;
}

/// What is in a folder is not known, so it is not moved for anybody.
void WorldRepair::tell_of_folders() {
    if (world_.source == world::World::Source::region_file) return;
    const auto entries = region_folder().list();
    if (!entries) return;
    for (const auto& entry : *entries)
        if (const auto pos = storage::parse_region_file_name(entry.name); pos && entry.is_folder) {
            unreadable_.insert(*pos);
            tell_of_file(Outcome::left, region_folder().shown(entry.name), fmt::format("{}", *pos),
                         "this is a folder, not a region file", "move the folder somewhere else");
        }
}

/// A store without region files: no overlaps, no older copies, only chunks.
Result<void> WorldRepair::other_store(Progress& progress) {
    const auto& store = target_.store();
    progress.begin("Repairing", storage::count_chunks(store));
    std::vector<ChunkPos> all;
    const auto cursor = store.chunks();
    while (true) {
        auto next = cursor->next();
        if (!next) {
            if (const auto pos = next.error().chunk)
                all.push_back(*pos);
            else
                tell_of_file(Outcome::left, store.name(), {}, next.error().problem, next.error().advice);
            continue;
        }
        if (!*next) break;
        all.push_back(**next);
    }
    present_ = all;
    for (std::size_t first = 0; first < all.size(); first += k_group) {
        const auto last = std::min(all.size(), first + k_group);
        auto plans = plan_all(store,
                              {all.begin() + static_cast<std::ptrdiff_t>(first),
                               all.begin() + static_cast<std::ptrdiff_t>(last)},
                              {});
        find_replacements(plans, store);
        TRY_DO(apply(plans, store));
        for (auto i = first; i < last; ++i) progress.step();
    }
    return {};
}

Result<void> WorldRepair::region(RegionPos pos) {
    searched_.reset();
    const auto* store = &target_.store();
    auto file = store->region_files()->region(pos);
    TemporaryFolder temporary;
    std::shared_ptr<storage::Store> preview;
    if (!file && is_of_the_system(file.error().code)) { // it says nothing about what is in the file
        tell_of_file(Outcome::left, file_of(pos.chunk({0})), fmt::format("{}", pos), file.error().problem,
                     file.error().advice);
        unreadable_.insert(pos);
        return {};
    }
    if (!file) {
        const auto problem = file.error();
        TRY(preview, fix_header(pos, problem, temporary));
        if (preview) store = preview.get();
        file = store->region_files()->region(pos);
        if (!file) return replace_region(pos, problem);
    }
    if (!*file) return {};
    const auto slots = (*file)->slots();
    if (!slots) return replace_region(pos, slots.error());
    std::vector<ChunkPos> chunks;
    for (const auto slot : *slots) chunks.push_back(pos.chunk(slot));
    present_.insert(present_.end(), chunks.begin(), chunks.end());
    // Before anything is said to be repaired.
    if (const auto lost = look_for_lost_entries(**file, remembered_count(remembered_counts(world_), pos));
        lost && lost->is_damage() && !options_.from_orphans) {
        tell_of_file(Outcome::left, file_of(pos.chunk({0})), fmt::format("{}", pos), lost_entries_text(*lost),
                     "put them back with --from-orphans; until then nothing else in this file is repaired, "
                     "because that could overwrite them");
        unreadable_.insert(pos);
        return {};
    }
    auto plans = plan_all(*store, chunks, {});
    plan_around_misplaced(plans, *store, chunks);
    put_misplaced_right(plans, *store);
    find_owners(plans, **file, *store);
    find_replacements(plans, *store);
    if (options_.from_orphans) put_back_lost(plans, **file, *store->region_files());
    TRY_DO(part_overlaps(**file, plans));
    return apply(plans, *store);
}

/// Repairs a header that is damaged while its index is good. In a dry run the repaired file is a copy in a
/// temporary folder, which is then looked at in its place.
Result<std::shared_ptr<storage::Store>> WorldRepair::fix_header(RegionPos pos, const Error& problem,
                                                                TemporaryFolder& temporary) {
    const auto name = storage::region_file_name(pos);
    const auto path = region_folder().on_disk(name);
    if (!path) return nullptr;
    std::optional<Buffer> header;
    {
        TRY(const auto file, open_file(*path, FileMode::read));
        header = rebuilt_header(*file);
    }
    if (!header) return nullptr;
    tell_of_file(Outcome::repaired, file_of(pos.chunk({0})), fmt::format("{}", pos),
                 fmt::format("rewrote the header: {}", problem.problem));
    ++report_.files;
    if (target_.change) {
        std::error_code ignored;
        const auto relative = fs::relative(fs::absolute(*path, ignored), target_.change->folder(), ignored);
        TRY_DO(target_.change->patch_file(relative.string(), 0, *header));
        return nullptr;
    }
    TRY(temporary, TemporaryFolder::make("repair"));
    const auto copy = temporary.path() / name;
    std::error_code code;
    if (!fs::copy_file(*path, copy, code))
        return fail(error(Errc::io, "cannot copy the file: {}", code.message()).in_file(copy.string()));
    {
        TRY(auto file, open_file(copy, FileMode::write));
        TRY_DO(file->write(0, *header));
    }
    TRY(auto store, storage::open_single_region(copy, {}));
    return std::shared_ptr<storage::Store>(std::move(store));
}

/// A file that cannot be opened at all: it is moved out of the way, and its chunks come from backups.
Result<void> WorldRepair::replace_region(RegionPos pos, const Error& problem) {
    unreadable_.insert(pos);
    const auto file = file_of(pos.chunk({0}));
    const auto part = fmt::format("{}", pos);
    const auto chunks = donors_.chunks_of(pos);
    if (chunks.empty() && !options_.remove_unreadable) {
        tell_of_file(
            Outcome::left, file, part, problem.problem,
            fmt::format("{}, or let the game generate the region again with --remove-unreadable",
                        donors_.empty() ? "give backups with --from" : "no backup has a chunk of it"));
        return {};
    }
    const auto name = storage::region_file_name(pos);
    const auto aside = set_aside_folder_ + "/" + name;
    tell_of_file(Outcome::removed, file, part, fmt::format("{}; the file was set aside", problem.problem));
    if (target_.change) {
        std::error_code ignored;
        const auto from =
            fs::relative(fs::absolute(file, ignored), target_.change->folder(), ignored).string();
        TRY_DO(target_.change->move_file(from, aside));
    }
    ++report_.files;
    for (const auto chunk : chunks) {
        ChunkPlan plan;
        plan.pos = chunk;
        plan.unreadable = true;
        if (!take_from_backup(plan)) continue;
        ++report_.chunks_restored;
        TRY_DO(write(chunk, {plan.frame, plan.raw_size}));
    }
    return target_.change ? target_.change->flush() : Result<void>();
}

WorldRepair::Plans WorldRepair::plan_all(const storage::Store& store, const std::vector<ChunkPos>& chunks,
                                         const std::set<ChunkPos>& untrusted) {
    Plans plans;
    std::vector<ChunkPlan> ring(in_flight_limit(options_.threads));
    std::vector<std::unique_ptr<ChunkPlanner>> planners(options_.threads);
    std::size_t next = 0;
    run_ordered({.pull =
                     [&](std::size_t ticket) {
                         if (next == chunks.size()) return false;
                         ring[ticket] = {};
                         ring[ticket].pos = chunks[next++];
                         return true;
                     },
                 .work =
                     [&](std::size_t ticket, std::size_t worker) {
                         if (!planners[worker])
                             planners[worker] = std::make_unique<ChunkPlanner>(
                                 store, assets_, options_.damage_only, donors_, donors_mutex_, untrusted);
                         ring[ticket] = planners[worker]->plan(ring[ticket].pos);
                     },
                 .push =
                     [&](std::size_t ticket) {
                         if (untrusted.empty()) ++report_.chunks;
                         auto& plan = ring[ticket];
                         if (plan.unreadable || plan.home || !plan.steps.empty() || !plan.left.empty())
                             plans.emplace(plan.pos, std::move(plan));
                     }},
                options_.threads);
    return plans;
}

/// Beside a chunk that is in the wrong place, parts of bigger blocks only seem to have lost their base.
void WorldRepair::plan_around_misplaced(Plans& plans, const storage::Store& store,
                                        const std::vector<ChunkPos>& chunks) {
    std::set<ChunkPos> misplaced;
    for (const auto& [pos, plan] : plans)
        if (plan.home) misplaced.insert(pos);
    if (misplaced.empty()) return;
    std::vector<ChunkPos> around;
    for (const auto pos : chunks) {
        const bool touches = std::ranges::any_of(misplaced, [&](ChunkPos other) {
            return std::abs(pos.x - other.x) <= 1 && std::abs(pos.z - other.z) <= 1;
        });
        if (touches && !misplaced.contains(pos)) around.push_back(pos);
    }
    for (const auto pos : around) plans.erase(pos);
    plans.merge(plan_all(store, around, misplaced));
}

/// Two chunks that are in each other's place are exchanged.
void WorldRepair::put_misplaced_right(Plans& plans, const storage::Store& store) {
    storage::ReadContext context;
    const auto frame_of = [&](ChunkPos pos, ChunkPlan& to) {
        const auto frame = store.read_compressed(pos, context);
        if (!frame || !*frame) return false;
        to.frame.assign((*frame)->bytes.begin(), (*frame)->bytes.end());
        to.raw_size = (*frame)->raw_size;
        return true;
    };
    std::set<ChunkPos> settled;
    for (auto& [pos, plan] : plans) {
        if (!plan.home || settled.contains(pos)) continue;
        const auto home = *plan.home;
        const auto other = plans.find(home);
        if (other != plans.end() && other->second.home == pos) {
            ChunkPlan here = plan;
            ChunkPlan there = other->second;
            if (!frame_of(home, here) || !frame_of(pos, there)) continue;
            here.home.reset();
            there.home.reset();
            here.unreadable = there.unreadable = false;
            here.steps.assign(1, {{}, fmt::format("swapped with {}", home), false});
            there.steps.assign(1, {{}, fmt::format("swapped with {}", pos), false});
            here.left.clear();
            there.left.clear();
            settled.insert(home);
            other->second = std::move(there);
            plan = std::move(here);
            continue;
        }
        // A tool may have copied a chunk with its entities, so only what the file itself proves is undone: an
        // index entry that leads to the chunk of another entry.
        if (leads_to_the_same(store, pos, home)) {
            plan.unreadable = true;
            plan.reason = fmt::format("its index entry points to {}", home);
            plan.steps.clear();
            plan.frame.clear();
        } else {
            plan.left.push_back(fmt::format("all its entities are in {}", home));
        }
        plan.home.reset();
    }
}

bool WorldRepair::take_from_backup(ChunkPlan& plan) {
    auto found = donors_.newest_good(plan.pos);
    if (!found) return false;
    plan.frame = std::move(found->frame);
    plan.raw_size = found->raw_size;
    tell(Outcome::restored, plan, {},
         fmt::format("{}{}restored from {}", plan.reason, plan.reason.empty() ? "" : "; ",
                     donors_.name_of(*found)));
    return true;
}

/// Searching takes a look at the whole file, so it is done once for all of its chunks.
std::span<const Orphan> WorldRepair::orphans_of(RegionPos pos, const RegionFiles& files) {
    if (!searched_ || searched_->region != pos) {
        auto found = find_orphans(files, pos);
        searched_ = found ? *std::move(found) : RegionOrphans();
        searched_->region = pos;
    }
    return searched_->orphans;
}

bool WorldRepair::take_from_orphans(ChunkPlan& plan, const RegionFiles& files) {
    const auto orphans = orphans_of(plan.pos.region(), files);
    const auto* orphan = newest_orphan_of(orphans, plan.pos);
    // With only one chunk without content, a copy that fits no other chunk is its own.
    const auto fits = [&](const Orphan& candidate) {
        return candidate.sound() && candidate.chunk == plan.pos;
    };
    if (orphan == nullptr) {
        const auto guess = std::ranges::find_if(orphans, fits);
        if (guess != orphans.end()) orphan = &*guess;
    }
    if (orphan == nullptr) return false;
    storage::ReadContext context;
    const auto frame = orphan_frame(files, *orphan, context);
    if (!frame) return false;
    plan.frame.assign(frame->bytes.begin(), frame->bytes.end());
    plan.raw_size = frame->raw_size;
    if (!orphan->lengths_fixed) plan.segment = orphan->first_segment;
    tell(Outcome::restored, plan, {},
         fmt::format("{}; {} at offset {} of the file ({}, {})", plan.reason,
                     plan.is_lost ? "the chunk was found" : "restored from an older copy", orphan->offset,
                     name(orphan->sureness), name(orphan->basis)));
    return true;
}

/// Where only the two lengths before a chunk are wrong, the chunk itself is whole and just where its entry
/// leads.
bool WorldRepair::take_from_behind_wrong_lengths(ChunkPlan& plan, const RegionFiles& files) {
    if (files.info(plan.pos)) return false; // the lengths are not the problem
    const auto entry = files.entry(plan.pos).value_or(0);
    if (entry <= 0) return false;
    const auto orphans = orphans_of(plan.pos.region(), files);
    const auto own = std::ranges::find_if(orphans, [&](const Orphan& orphan) {
        return orphan.first_segment == entry && orphan.chunk == plan.pos && orphan.sound();
    });
    storage::ReadContext context;
    const auto frame =
        own == orphans.end() ? fail(Errc::not_found, "no copy") : orphan_frame(files, *own, context);
    if (!frame) return false;
    plan.frame.assign(frame->bytes.begin(), frame->bytes.end());
    plan.raw_size = frame->raw_size;
    plan.unreadable = false;
    plan.steps.assign(
        1,
        {"container", "its stored lengths were wrong; the chunk itself is whole and was rewritten", false});
    return true;
}

/// What else could be tried for a chunk that cannot be read.
std::string WorldRepair::advice() const {
    std::string text = donors_.empty() ? "give backups with --from" : "no backup has a good copy";
    text += options_.from_orphans ? ", no older copy is in the file"
                                  : ", look for an older copy with --from-orphans";
    return text + ", or let the game generate it again with --remove-unreadable";
}

/// For each chunk that cannot be read: another copy, removal, or a word about what would help.
void WorldRepair::find_replacements(Plans& plans, const storage::Store& store) {
    const auto* files = store.region_files();
    for (auto& [pos, plan] : plans) {
        if (!plan.unreadable) continue;
        if (files != nullptr && take_from_behind_wrong_lengths(plan, *files)) continue;
        if (take_from_backup(plan)) continue;
        if (options_.from_orphans && files != nullptr && take_from_orphans(plan, *files)) continue;
        if (removes(plan)) {
            tell(Outcome::removed, plan, {},
                 fmt::format("{}; removed, the game will generate it again{}", plan.reason,
                             bytes_of(plan.pos, store).empty() ? "" : "; its bytes were set aside"));
            continue;
        }
        tell(Outcome::left, plan, {}, plan.reason, advice());
    }
}

Buffer WorldRepair::bytes_of(ChunkPos pos, const storage::Store& store) {
    storage::ReadContext context;
    if (const auto frame = store.read_compressed(pos, context); frame && *frame)
        return {(*frame)->bytes.begin(), (*frame)->bytes.end()};
    auto entry = salvage_entry(store, pos);
    return entry ? std::move(entry->bytes) : Buffer();
}

Result<void> WorldRepair::set_aside(const ChunkPlan& plan, const storage::Store& store) {
    const auto bytes = bytes_of(plan.pos, store);
    if (bytes.empty()) return {}; // the entry leads to nothing
    TRY_DO(create_folders(target_.change->folder() / set_aside_folder_));
    return target_.change->write_file(
        fmt::format("{}/chunk.{}.{}.zst", set_aside_folder_, plan.pos.x, plan.pos.z), bytes);
}

/// Readable chunks that share segments get segments of their own.
Result<void> WorldRepair::part_overlaps(const storage::Region& region, const Plans& plans) {
    if (region.header().version != 1) return {};
    std::vector<storage::BlobInfo> blobs;
    const auto slots = region.slots();
    if (!slots) return {};
    for (const auto slot : *slots)
        if (const auto info = region.info(slot); info && *info) blobs.push_back(**info);
    // One that is written or removed anyway leaves the segments to the other.
    const auto leaves = [&](ChunkPos pos) {
        const auto planned = plans.find(pos);
        return planned != plans.end()
               && (planned->second.unreadable || !planned->second.frame.empty()
                   || !planned->second.left.empty());
    };
    for (const auto& [blob, owner] : find_overlaps(std::move(blobs))) {
        ChunkPlan plan;
        plan.pos = region.position().chunk(blob.slot);
        // Of two entries on one chunk it may be the first that is wrong. If that stays, what shows it does
        // too.
        const bool is_shared = blob.first_segment == owner.first_segment;
        if (leaves(plan.pos) || (is_shared && leaves(region.position().chunk(owner.slot)))) continue;
        tell(Outcome::repaired, plan, "container",
             "shared segments with another chunk; moved to its own segments");
        ++report_.chunks_repaired;
        if (target_.change) TRY_DO(target_.change->relocate(plan.pos));
    }
    return {};
}

/// Where a frame is in the region file already, only an entry is written.
Result<void> WorldRepair::write(ChunkPos pos, const storage::CompressedChunk& frame, std::int32_t segment) {
    if (!target_.change)
        return options_.preview != nullptr ? options_.preview->write_compressed(pos, frame) : Result<void>();
    return target_.change->relink(pos, segment, frame);
}

Result<void> WorldRepair::apply(Plans& plans, const storage::Store& store) {
    // What is only linked again comes first, before anything is written into unused segments.
    for (auto& [pos, plan] : plans) {
        if (!plan.is_lost || plan.segment <= 0) continue;
        ++report_.chunks_restored;
        TRY_DO(write(pos, {plan.frame, plan.raw_size}, plan.segment));
        plan.frame.clear();
    }
    if (target_.change) TRY_DO(target_.change->flush());
    for (auto& [pos, plan] : plans) {
        for (const auto& text : plan.left)
            if (!plan.unreadable)
                tell(Outcome::left, plan, {}, fmt::format("{}; not changed", text),
                     plan.is_ambiguous ? k_ambiguous_advice : "");
        if (plan.unreadable && plan.frame.empty()) {
            if (!removes(plan)) continue;
            ++report_.chunks_removed;
            if (!target_.change) continue;
            TRY_DO(set_aside(plan, store));
            TRY_DO(target_.change->remove(pos));
            continue;
        }
        if (plan.frame.empty()) continue;
        for (const auto& step : plan.steps) tell(Outcome::repaired, plan, step.part, step.what);
        ++(plan.unreadable || plan.is_lost ? report_.chunks_restored : report_.chunks_repaired);
        if (target_.change && (plan.unreadable || plan.loses())) TRY_DO(set_aside(plan, store));
        TRY_DO(write(pos, {plan.frame, plan.raw_size}, plan.segment));
    }
    return target_.change ? target_.change->flush() : Result<void>();
}

} // namespace orbis::jobs
