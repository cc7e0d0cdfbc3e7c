#include "jobs/snapshot/take.hpp"

#include "bytes/json_writer.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/utf8.hpp"
#include "jobs/snapshot/collect.hpp"
#include "jobs/snapshot/take_files.hpp"
#include "storage/rocksdb_store.hpp"

#include <ctime>

namespace orbis::jobs::snapshot {

namespace {

namespace fs = std::filesystem;
using storage::Provider;
using world::Location;
using world::World;

constexpr std::uint64_t k_largest_known = std::uint64_t{1} << 30;
/// Above this many packs the small ones are put together: each is an open file of every reader.
constexpr std::size_t k_many_packs = 64;

bool uses(const Provider& provider, bool database) {
    const auto any = [&](const std::vector<Provider>& all) {
        return std::ranges::any_of(all, [&](const Provider& inner) { return uses(inner, database); });
    };
    switch (provider.type) {
    case Provider::Type::hytale:
    case Provider::Type::indexed_storage: return !database;
    case Provider::Type::rocks_db: return database;
    case Provider::Type::migration: return any(provider.loaders) || any(provider.saver);
    case Provider::Type::empty: return false;
    }
    return false;
}

class Taking {
public:
    Taking(Session& session, const Location& location, const TakeOptions& options, Progress& progress)
        : session_(session),
          location_(location),
          options_(options),
          progress_(progress),
          time_(options.time.value_or(std::time(nullptr))) {}

    Result<TakeReport> run() {
        std::error_code code;
        source_ = fs::weakly_canonical(location_.path, code).string();
        std::vector<Error> damage;
        TRY(const auto contents, session_.store().contents(damage));
        for (auto& problem : damage) report_.problems.push_back(std::move(problem));
        if (const auto taken = taken_before_a_kill()) {
            tell_of(*taken);
            TRY_DO(tidy_up());
            report_.store_bytes = session_.store().bytes();
            return std::move(report_);
        }
        TRY_DO(choose_id());
        load_before();

        ContentWriter writer(*contents, session_.disk(), session_.store().packs(), options_.level);
        LastSeen known;
        known.snapshot = report_.id;
        const TakeWork work{*contents, writer, before_, options_, time_, progress_, known, report_};
        Manifest manifest;
        std::vector<std::string> unopened;
        for (const auto& world : location_.worlds) {
            TRY(const auto store, world.open({}));
            TRY(auto record, take_chunks(*store, source_of(world), work, unopened));
            auto& counts = report_.counts.emplace_back();
            for (const auto& region : record.regions) counts[region.pos] = region.chunks;
            manifest.worlds.push_back(std::move(record));
        }
        TRY_DO(writer.close_block());
        if (has_files()) {
            TRY(manifest.files,
                take_files(
                    location_.root, [this](const std::string& path) { return is_chunks(path); }, unopened,
                    [this](const std::string& path) { return stamp(location_.root.on_disk(path)); }, work));
        }
        TRY(report_.bytes_added, writer.finish());
        TRY_DO(write(manifest, known));
        if (session_.recovers() || contents->packs().size() > k_many_packs) TRY_DO(tidy_up());
        report_.store_bytes = session_.store().bytes();
        return std::move(report_);
    }

private:
    /// The snapshot of this name, where a run that was killed had taken it: only its last words are missing.
    [[nodiscard]] std::optional<Snapshot> taken_before_a_kill() const {
        if (options_.name.empty() || !session_.recovers()) return std::nullopt;
        std::vector<Error> ignored;
        auto all = session_.store().list(ignored);
        if (all.empty() || all.back().manifest.name != options_.name || all.back().manifest.source != source_
            || !session_.is_of_killed_run(session_.store().manifest_path(all.back().id)))
            return std::nullopt;
        return std::move(all.back());
    }

    void tell_of(const Snapshot& taken) {
        report_.id = taken.id;
        report_.was_taken = true;
        report_.chunks = taken.manifest.chunks;
        report_.new_chunks = taken.manifest.new_chunks;
        report_.files = taken.manifest.files.size();
        report_.bytes_added = taken.manifest.bytes_added;
    }

    Result<void> choose_id() {
        std::vector<Error> ignored;
        const auto others = options_.name.empty() ? std::vector<Snapshot>() : session_.store().list(ignored);
        for (const auto& other : others)
            if (other.manifest.name == options_.name)
                return fail(
                    error(Errc::exists, "snapshot {} already has the name {}", other.id, options_.name)
                        .in_file(session_.store().path().string())
                        .advise(fmt::format("choose another name, or first remove that snapshot: orbis "
                                            "snapshots {} --remove {}",
                                            shell_quoted(session_.store().path().string()),
                                            shell_quoted(options_.name))));
        const auto base = id_of_time(time_);
        report_.id = base;
        std::error_code code;
        for (int number = 2; fs::exists(session_.store().manifest_path(report_.id), code); ++number)
            report_.id = fmt::format("{}-{}", base, number);
        return {};
    }

    [[nodiscard]] fs::path known_path() const {
        return session_.store().known() / (key_of(as_bytes(source_)).hex() + ".known");
    }

    /// Whatever is wrong with it: it only spares work.
    void load_before() {
        const auto file = open_file(known_path(), FileMode::read);
        if (!file) return;
        const auto bytes = read_text(**file, k_largest_known);
        if (!bytes) return;
        auto known = LastSeen::decode(as_bytes(*bytes));
        if (!known) return;
        auto snapshot = session_.store().load(known->snapshot);
        if (!snapshot || snapshot->manifest.source != source_) return;
        before_.known = *std::move(known);
        before_.manifest = std::move(snapshot->manifest);
    }

    /// Files of a zip share its stamp.
    [[nodiscard]] FileStamp stamp(const std::optional<fs::path>& path) const {
        const auto found = location_.is_zip ? stamp_of(location_.path)
                           : path           ? stamp_of(*path)
                                            : std::nullopt;
        return found.value_or(FileStamp{});
    }

    [[nodiscard]] std::string folder_of(const World& world) const {
        return location_.kind == Location::Kind::universe ? "worlds/" + world.name + "/" : std::string();
    }

    [[nodiscard]] ChunkSource source_of(const World& world) const {
        const bool is_bare = world.source != World::Source::provider;
        const auto files = is_bare ? world.folder : world.folder.sub("chunks");
        const auto database = is_bare ? world.folder : world.folder.sub("db");
        const bool is_one_database = world.provider.type == Provider::Type::rocks_db;
        const auto name = is_one_database ? "db/" : "chunks/";
        return {.name = world.name,
                .folder = folder_of(world) + (is_bare ? "" : name),
                .stamp =
                    [this, files, database, is_one_database](const std::string& file) {
                        if (!file.empty()) return stamp(files.on_disk(file));
                        const auto path = database.on_disk();
                        return is_one_database && path ? stamp_of_database(*path) : FileStamp{};
                    },
                .remembered = remembered_counts(world)};
    }

    [[nodiscard]] bool has_files() const {
        return location_.kind != Location::Kind::region_file && location_.kind != Location::Kind::rocksdb;
    }

    /// Whether a path is one whose chunks are taken, or a folder that need not be kept.
    [[nodiscard]] bool is_chunks(const std::string& path) const {
        if (path.ends_with("orbis-undo/") || path.ends_with(k_counts_file)) return true;
        if (location_.kind == Location::Kind::universe && path == "worlds-deleted/") return true;
        if (location_.kind == Location::Kind::chunks_folder)
            return storage::parse_region_file_name(path).has_value();
        for (const auto& world : location_.worlds) {
            const auto folder = folder_of(world);
            if (!path.starts_with(folder)) continue;
            const auto inner = std::string_view(path).substr(folder.size());
            if (inner == "db/" && uses(world.provider, true)) return true;
            if (inner.starts_with("chunks/") && uses(world.provider, false)
                && storage::parse_region_file_name(inner.substr(7)))
                return true;
        }
        return false;
    }

    Result<void> write(Manifest& manifest, const LastSeen& known) {
        manifest.time = time_;
        manifest.name = options_.name;
        manifest.note = options_.note;
        manifest.source = source_;
        manifest.kind = location_.kind;
        manifest.chunks = report_.chunks;
        manifest.new_chunks = report_.new_chunks;
        manifest.bytes_added = report_.bytes_added;
        TRY(const auto bytes, manifest.encode());
        TRY_DO(write_whole(session_.disk(), session_.store().manifest_path(report_.id), bytes));
        report_.bytes_added += bytes.size();
        return write_whole(session_.disk(), known_path(), known.encode());
    }

    Result<void> tidy_up() {
        const CollectOptions options{
            .merge = true, .dry_run = false, .level = options_.level, .keep_unneeded = false, .drop = {}};
        TRY(const auto report, collect(session_, options, progress_));
        for (const auto& problem : report.problems) report_.problems.push_back(problem);
        return {};
    }

    Session& session_;
    const Location& location_;
    const TakeOptions& options_;
    Progress& progress_;
    std::int64_t time_;
    std::string source_;
    PreviousSnapshot before_;
    TakeReport report_;
};

/// A store inside what it keeps would keep itself.
Result<void> check_apart(const fs::path& store, const Location& location) {
    std::error_code code;
    const auto inner = fs::weakly_canonical(store, code).string() + "/";
    const auto root = location.root.on_disk();
    const auto outer = fs::weakly_canonical(root ? *root : fs::path(location.path), code).string() + "/";
    const bool is_folder = !location.is_zip && location.kind != Location::Kind::region_file;
    if (!is_folder || !inner.starts_with(outer)) return {};
    return fail(error(Errc::usage, "the store is inside the world that it would keep")
                    .in_file(store.string())
                    .advise("choose another folder for the store"));
}

constexpr std::size_t k_longest_name = 100;

bool is_control(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

/// `2026-11-15T06-55-12Z`, or that with something after it.
bool looks_like_id(std::string_view name) {
    constexpr std::string_view shape = "0000-00-00T00-00-00Z";
    if (name.size() < shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != shape[i]) return false;
    return true;
}

Result<void> check_note(std::string_view note) {
    if (is_utf8(note) && std::ranges::none_of(note, is_control)) return {};
    return fail(error(Errc::usage, "--note must be UTF-8 without control characters, not {}",
                      json_quoted(note.substr(0, k_longest_name))));
}

} // namespace

Result<void> check_name(std::string_view name) {
    const auto refuse = [&](std::string_view expected) {
        return fail(error(Errc::usage, "--name {1} is not allowed: it must be {0}", expected,
                          json_quoted(name.substr(0, k_longest_name)))
                        .advise("choose another name, such as before-update"));
    };
    if (name.empty() || name.size() > k_longest_name)
        return refuse(fmt::format("a name of 1 to {} bytes", k_longest_name));
    if (!is_utf8(name) || std::ranges::any_of(name, is_control))
        return refuse("UTF-8 without control characters");
    if (name == "latest") return refuse("a name other than latest, which is always the newest snapshot");
    if (name.find_first_of("/\\@") != name.npos) return refuse("a name without /, \\ and @");
    if (name.front() == '-' || name.front() == '.' || name.front() == ' ' || name.back() == ' ')
        return refuse("a name that does not begin with - or . and has no spaces around it");
    if (looks_like_id(name)) return refuse("a name that does not look like the id of a snapshot");
    return {};
}

Result<TakeReport> take(const fs::path& store, const Location& location, const TakeOptions& options,
                        Progress& progress) {
    if (!options.name.empty()) TRY_DO(check_name(options.name));
    TRY_DO(check_note(options.note));
    TRY_DO(check_apart(store, location));
    TRY(auto session, Session::begin(store, true, options.disk != nullptr ? *options.disk : real_disk()));
    TRY(auto report, Taking(session, location, options, progress).run());
    TRY_DO(session.end());
    return report;
}

} // namespace orbis::jobs::snapshot
