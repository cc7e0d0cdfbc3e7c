#include "jobs/repair/repair.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/joined.hpp"
#include "jobs/repair/repair_world.hpp"
#include "jobs/verify/check_files.hpp"

#include <map>

namespace orbis::jobs {

namespace {

using Outcome = RepairStep::Outcome;

constexpr std::uint64_t k_largest_repaired_file = 64 << 20;

Result<std::string> content_of(const storage::Folder& folder, const std::string& name) {
    TRY(const auto file, folder.open(name));
    return read_text(*file, k_largest_repaired_file);
}

/// Where files of a kind are in a backup: for a world in that of its counterpart, else in the universe.
std::optional<storage::Folder> folder_in(const Donor& donor, JsonFile::Kind kind,
                                         const world::Location& location, const world::World* world,
                                         const DonorOptions& options) {
    if (world == nullptr) {
        if (donor.location.kind != world::Location::Kind::universe
            || !is_of_universe(location, donor, options))
            return std::nullopt;
        return kind == JsonFile::Kind::player ? donor.location.root.sub("players") : donor.location.root;
    }
    const auto found =
        counterpart_of(identity_of(*world), location.worlds.size() == 1, donor.location, options);
    if (found.world == nullptr || found.is_other) return std::nullopt;
    return kind == JsonFile::Kind::resource ? found.world->folder.sub("resources") : found.world->folder;
}

class FileRepair {
public:
    FileRepair(const world::Location& location, const RepairOptions& options,
               const std::vector<Donor>& donors, const OnStep& on_step, RepairReport& report, std::string run)
        : location_(location),
          options_(options),
          donors_(donors),
          on_step_(on_step),
          report_(report),
          run_(std::move(run)) {}

    /// Files of a world; without one those of the universe.
    Result<void> files(const std::vector<JsonFile>& files, const storage::Folder& root,
                       const world::World* owner) {
        const auto world = owner == nullptr ? std::string() : owner->name;
        std::unique_ptr<Change> change;
        for (const auto& file : files) {
            const auto state = look_at(file);
            if (state.present && !state.problem) continue;
            const auto shown = file.folder.shown(file.name);
            const auto problem = state.problem ? state.problem->problem : std::string("the file is missing");
            std::string content;
            std::string source;
            if (state.backup_good) {
                TRY(content, content_of(file.folder, file.name + ".bak"));
                source = "its .bak";
            } else if (auto found = from_backup(file, owner)) {
                content = std::move(found->first);
                source = std::move(found->second);
            } else {
                tell(Outcome::left, world, shown, problem,
                     donors_.empty() ? "give backups with --from" : "none of the backups has a good one");
                continue;
            }
            tell(Outcome::restored, world, shown, fmt::format("{}; restored from {}", problem, source));
            ++report_.files;
            if (options_.dry_run) continue;
            TRY_DO(write(change, root, file.folder, file.name, content));
        }
        return finish(change);
    }

    /// Files that a backup has and the world, or without one the universe, has not.
    Result<void> missing(const storage::Folder& root, const world::World* owner) {
        using Kind = JsonFile::Kind;
        const auto ours =
            owner == nullptr
                ? std::map<Kind, storage::Folder>{{Kind::other, root}, {Kind::player, root.sub("players")}}
                : std::map<Kind, storage::Folder>{{Kind::resource, root.sub("resources")}};
        for (const auto& [kind, folder] : ours) {
            std::map<std::string, std::pair<const Donor*, storage::Folder>> found;
            for (const auto& donor : donors_)
                if (const auto from = folder_in(donor, kind, location_, owner, {options_.other_world}))
                    for (auto& name : files_only_in(*from, folder, kind))
                        found.try_emplace(std::move(name), &donor, *from);
            if (found.empty()) continue;
            TRY_DO(options_.missing ? bring_back(found, folder, root, owner)
                                    : tell_of_missing(found, folder, owner));
        }
        return {};
    }

private:
    using MissingFiles = std::map<std::string, std::pair<const Donor*, storage::Folder>>;

    Result<void> tell_of_missing(const MissingFiles& files, const storage::Folder& folder,
                                 const world::World* owner) {
        constexpr std::size_t k_most_named = 3;
        std::vector<std::string> names;
        for (const auto& [name, from] : files)
            if (names.size() < k_most_named) names.push_back(name);
        if (files.size() > names.size()) names.push_back(fmt::format("{} more", files.size() - names.size()));
        tell(Outcome::left, owner == nullptr ? std::string() : owner->name, folder.shown(),
             fmt::format("{} in {} {} missing here: {}; add --missing to restore {}",
                         files.size() == 1 ? std::string("1 file") : fmt::format("{} files", files.size()),
                         files.begin()->second.first->name, files.size() == 1 ? "is" : "are",
                         joined(names, ", "), files.size() == 1 ? "it" : "them"));
        return {};
    }

    Result<void> bring_back(const MissingFiles& files, const storage::Folder& folder,
                            const storage::Folder& root, const world::World* owner) {
        std::unique_ptr<Change> change;
        for (const auto& [name, from] : files) {
            TRY(const auto content, content_of(from.second, name));
            tell(Outcome::restored, owner == nullptr ? std::string() : owner->name, folder.shown(name),
                 fmt::format("it was missing; restored from {}", from.first->name));
            ++report_.files;
            if (options_.dry_run) continue;
            TRY_DO(write(change, root, folder, name, content));
        }
        return finish(change);
    }

    Result<void> write(std::unique_ptr<Change>& change, const storage::Folder& root,
                       const storage::Folder& folder, const std::string& name, const std::string& content) {
        const auto base = root.on_disk();
        const auto target = folder.on_disk(name);
        if (!base || !target)
            return fail(
                error(Errc::read_only, "files inside a zip cannot be written").in_file(folder.shown(name)));
        if (!change) {
            TRY(change, Change::begin_files(*base, {.verb = "repair",
                                                    .command = options_.command,
                                                    .force = options_.force,
                                                    .run = run_,
                                                    .keeps_undo = true}));
        }
        std::error_code ignored;
        const auto path = std::filesystem::absolute(*target, ignored);
        TRY_DO(create_folders(path.parent_path()));
        return change->write_file(path.lexically_relative(change->folder()).string(), as_bytes(content));
    }

    Result<void> finish(const std::unique_ptr<Change>& change) {
        if (!change) return {};
        TRY(const auto done, change->finish());
        report_.archives.push_back(done.archive.string());
        return {};
    }

    /// The same file in a backup, if it is good there, and the name of the backup.
    [[nodiscard]] std::optional<std::pair<std::string, std::string>>
    from_backup(const JsonFile& file, const world::World* owner) const {
        for (const auto& donor : donors_) {
            const auto folder = folder_in(donor, file.kind, location_, owner, {options_.other_world});
            if (!folder) continue;
            JsonFile copy = file;
            copy.folder = *folder;
            const auto state = look_at(copy);
            if (!state.present || state.problem) continue;
            if (auto content = content_of(copy.folder, copy.name))
                return std::pair(*std::move(content), donor.name);
        }
        return std::nullopt;
    }

    void tell(Outcome outcome, const std::string& world, const std::string& file, std::string text,
              std::string advice = {}) {
        RepairStep step{outcome, world, file, std::nullopt, {}, std::move(text), std::move(advice)};
        if (outcome == Outcome::left) ++report_.left;
        on_step_(step);
    }

    const world::Location& location_;
    const RepairOptions& options_;
    const std::vector<Donor>& donors_;
    const OnStep& on_step_;
    RepairReport& report_;
    std::string run_;
};

} // namespace

std::string_view name(Outcome outcome) {
    switch (outcome) {
    case Outcome::repaired: return "repaired";
    case Outcome::restored: return "restored";
    case Outcome::removed: return "removed";
    case Outcome::left: return "left";
    }
    return "left";
}

std::string place_text(const RepairStep& step) {
    auto text = step.file;
    if (step.chunk) text += fmt::format(": {}", *step.chunk);
    if (!step.part.empty()) text += (step.chunk ? ", " : ": ") + step.part;
    return text;
}

std::string message_of(const RepairStep& step) {
    return step.advice.empty() ? step.text : fmt::format("{}; {}", step.text, step.advice);
}

std::string to_text(const RepairStep& step) {
    return fmt::format("{} {}: {}", name(step.outcome), place_text(step), message_of(step));
}

Result<RepairReport> repair(const world::Location& location, const world::Assets& assets,
                            const RepairOptions& options, const OnStep& on_step, Progress& progress) {
    RepairReport report;
    TRY(const auto donors, open_donors(options.from, location, {options.other_world}, report.notes));
    // A server that is running keeps the chunks open, not the small files: ask before any of them changes.
    if (!options.dry_run)
        for (const auto& world : location.worlds) {
            storage::StoreOptions how;
            how.write = true;
            how.force = options.force;
            TRY_DO(world.open(how));
        }
    const auto run = new_run();
    FileRepair files(location, options, donors, on_step, report, run);
    TRY_DO(files.files(universe_files(location), location.root, nullptr));
    if (location.kind == world::Location::Kind::universe) TRY_DO(files.missing(location.root, nullptr));
    for (const auto& world : location.worlds) {
        TRY_DO(files.files(world_files(world), world.folder, &world));
        if (world.source == world::World::Source::provider) TRY_DO(files.missing(world.folder, &world));
        TRY_DO(WorldRepair(world, location.worlds.size() == 1, assets, options, donors, on_step, report, run)
                   .run(progress));
    }
    return report;
}

} // namespace orbis::jobs
