#include "bytes/atomic_file.hpp"
#include "bytes/inner_path.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/system_error.hpp"
#include "jobs/convert/convert.hpp"
#include "jobs/convert/copy_tree.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "storage/rocksdb_store.hpp"

#include <array>

namespace orbis::jobs {

namespace {

namespace fs = std::filesystem;
using storage::Folder;
using storage::Store;
using storage::StoreOptions;
using world::Location;
using world::World;

StoreOptions target_options() {
    StoreOptions options;
    options.write = true;
    options.create = true;
    options.sync = storage::SyncPolicy::batch;
    return options;
}

/// The note that makes a conversion resumable: it stands in the target until everything is verified.
class Note {
public:
    Note(const fs::path& target, const Location& from, StorageFormat format, const std::string& command)
        : path_(target / world::k_unfinished_note),
          text_(fmt::format("{}\n{}\n", fs::weakly_canonical(from.path).string(),
                            format == StorageFormat::rocksdb ? "rocksdb" : "region")) {
        std::error_code code;
        if (!command.empty() && command.find('\n') == command.npos)
            command_ = fmt::format("cd {} && {}\n", shell_quoted(fs::current_path(code).string()), command);
    }

    /// Refuses a target that is neither new nor an unfinished conversion of the same source.
    Result<void> begin(const fs::path& target) const {
        std::error_code code;
        if (fs::exists(fs::symlink_status(path_, code))) {
            TRY_DO(inner_file(target, world::k_unfinished_note));
            TRY(const auto file, open_file(path_, FileMode::read));
            TRY(const auto found, read_text(*file, 65536));
            if (found.starts_with(text_)) return {};
            const auto finishing = third_line(found);
            return fail(
                error(Errc::exists, "this is an unfinished copy of {}", found.substr(0, found.find('\n')))
                    .in_file(target.string())
                    .advise(fmt::format("choose another target, or delete the folder to start again{}{}",
                                        finishing.empty() ? "" : ", or finish it with: ", finishing)));
        }
        if (fs::exists(target, code) && !is_free(target))
            return fail(error(Errc::exists, "this folder is not empty")
                            .in_file(target.string())
                            .advise(fmt::format("choose another target; nothing is overwritten. To check "
                                                "what is there: orbis verify {}",
                                                shell_quoted(target.string()))));
        TRY_DO(create_folders(target));
        return write_file_atomically(path_, as_bytes(text_ + command_));
    }

    Result<void> end() const {
        std::error_code code;
        fs::remove(path_, code);
        return sync_folder(path_.parent_path());
    }

private:
    /// The command that goes on, of a note that has one.
    static std::string third_line(const std::string& note) {
        const auto first = note.find('\n');
        const auto second = first == note.npos ? first : note.find('\n', first + 1);
        if (second == note.npos) return {};
        return note.substr(second + 1, note.find('\n', second + 1) - second - 1);
    }

    /// A folder with nothing in it but a note that a kill kept from getting its name.
    [[nodiscard]] bool is_free(const fs::path& target) const {
        std::error_code code;
        if (!fs::is_directory(target, code)) return false;
        const auto unplaced = path_.filename().string() + std::string(k_temporary_suffix);
        for (fs::directory_iterator at(target, code), end; !code && at != end; at.increment(code))
            if (at->path().filename() != unplaced) return false;
        return !code;
    }

    fs::path path_;
    std::string text_; ///< source and format: what must be the same
    std::string command_;
};

class LocationConversion {
public:
    LocationConversion(const Location& from, fs::path target, StorageFormat format, std::size_t threads,
                       Progress& progress, const std::string& command)
        : from_(from),
          target_(std::move(target)),
          format_(format),
          threads_(threads),
          progress_(progress),
          command_(command) {}

    Result<ConvertReport> run() {
        if (target_.string().ends_with(".region.bin")) return run_single_file();
        TRY_DO(check_outside());
        const Note note(target_, from_, format_, command_);
        TRY_DO(note.begin(target_));
        if (from_.kind == Location::Kind::universe) {
            TRY_DO(copy_tree(from_.root, target_, {}, {"worlds", "worlds-deleted"}, report_));
            for (const auto& world : from_.worlds) TRY_DO(convert_world(world, "worlds/" + world.name + "/"));
        } else if (from_.kind == Location::Kind::world) {
            TRY_DO(convert_world(from_.worlds.front(), {}));
        } else {
            const auto& world = from_.worlds.front();
            if (world.source == World::Source::other)
                TRY_DO(copy_tree(world.folder, target_, {}, {}, report_));
            TRY_DO(convert_store(world, {}));
        }
        if (report_.missing == 0) TRY_DO(note.end());
        return std::move(report_);
    }

private:
    /// A target below its source would be copied into itself.
    [[nodiscard]] Result<void> check_outside() const {
        std::error_code code;
        const auto source = fs::weakly_canonical(from_.path, code).string() + "/";
        const auto target = fs::weakly_canonical(target_, code).string() + "/";
        if (!target.starts_with(source)) return {};
        return fail(error(Errc::usage, "the target is inside the source")
                        .in_file(target_.string())
                        .advise("choose another target"));
    }

    Result<ConvertReport> run_single_file() {
        std::error_code code;
        if (!storage::parse_region_file_name(target_.filename().string()))
            return fail(error(Errc::usage, "the name of a region file is like -1.0.region.bin, not {}",
                              target_.filename().string())
                            .in_file(target_.string())
                            .advise("rename the target after its region, or give a folder"));
        if (from_.kind == Location::Kind::universe)
            return fail(error(Errc::usage, "the target of a universe must be a folder, not one region file")
                            .in_file(target_.string())
                            .advise("give a folder; for one region file choose a world by its path or with "
                                    "--world NAME"));
        if (format_ != StorageFormat::region_files)
            return fail(
                error(Errc::usage, "the target of a RocksDB database must be a folder, not a region file")
                    .in_file(target_.string())
                    .advise("give a folder, or leave out --to rocksdb"));
        // Under another name until it is complete: half a file must not look like a whole one.
        auto folder = target_;
        folder += k_temporary_suffix;
        if (fs::exists(target_, code)) {
            // Empty if a run was killed between giving the file its name and removing the folder.
            const bool came_to_its_end = fs::remove(folder, code);
            return fail(error(Errc::exists, "this file already exists")
                            .in_file(target_.string())
                            .advise(came_to_its_end
                                        ? fmt::format("it is complete: the run that created it was "
                                                      "interrupted after that. To check it: orbis verify {}",
                                                      shell_quoted(target_.string()))
                                        : "choose another target; nothing is overwritten"));
        }
        TRY(const auto source, from_.worlds.front().open({}));
        TRY_DO(check_region(*source));
        fs::remove_all(folder, code); // of a run that was killed, perhaps with another source
        TRY_DO(create_folders(folder));
        auto done = fill_single_file(*source, folder / target_.filename());
        fs::remove_all(folder, code);
        if (!done) return std::unexpected(std::move(done).error());
        return std::move(report_);
    }

    /// What the name of the file does not cover has no place in it.
    [[nodiscard]] Result<void> check_region(const Store& source) const {
        const auto region = storage::parse_region_file_name(target_.filename().string());
        const auto cursor = source.chunks();
        for (;;) {
            const auto next = cursor->next();
            if (!next) continue; // the copy will say so
            if (!*next) return {};
            if (const auto other = (*next)->region(); other != *region)
                return fail(error(Errc::usage, "a file with this name holds {} only, but {} is in {}",
                                  *region, **next, other)
                                .in_file(target_.string())
                                .advise("give a folder as the target, or only the chunks of one region"));
        }
    }

    Result<void> fill_single_file(const Store& source, const fs::path& file) {
        {
            TRY(const auto store, storage::open_single_region(file, target_options()));
            TRY_DO(refuse_lost_entries(source, remembered_counts(from_.worlds.front())));
            TRY_DO(convert_chunks(source, *store, threads_, progress_, report_));
        }
        if (report_.written == 0)
            return fail(error(Errc::not_found, "there are no chunks to convert").in_file(source.name()));
        return place_file(file, target_);
    }

    /// `folder` is that of the world below the target: empty, or with a `/` at its end.
    Result<void> convert_world(const World& world, const std::string& folder) {
        const auto path = folder.substr(0, folder.size() - (folder.empty() ? 0 : 1));
        if (world.source == World::Source::other) {
            TRY_DO(copy_other(world, path));
        } else {
            TRY_DO(copy_tree(world.folder, target_, path, {"chunks", "db", "config.json"}, report_));
        }
        note_left_out(world);
        const auto type = format_ == StorageFormat::rocksdb ? storage::Provider::Type::rocks_db
                                                            : storage::Provider::Type::indexed_storage;
        if (!keeps_config(world)) TRY_DO(write_config(world, folder, type));
        return convert_store(world, folder + (format_ == StorageFormat::rocksdb ? "db" : "chunks"));
    }

    /// Whether the configuration already says how the chunks are written. That of a snapshot then comes back
    /// byte for byte.
    [[nodiscard]] bool keeps_config(const World& world) const {
        using Type = storage::Provider::Type;
        const auto type = world.config.provider.type;
        if (type == Type::empty) return world.source == World::Source::other; // it has no chunks
        return world.source == World::Source::other
               && (format_ == StorageFormat::rocksdb ? type == Type::rocks_db
                                                     : type == Type::hytale || type == Type::indexed_storage);
    }

    /// Files of a place that keeps its chunks elsewhere. What is in the folders for chunks there was odd or
    /// unused; it must not come between those that are written.
    Result<void> copy_other(const World& world, const std::string& path) {
        const bool keeps = keeps_config(world);
        const bool is_database = format_ == StorageFormat::rocksdb;
        const std::string_view config = keeps ? "" : "config.json";
        const std::string_view chunks = keeps || is_database ? "" : "chunks";
        const std::string_view database = is_database ? "db" : "";
        return copy_tree(world.folder, target_, path, {config, chunks, database}, report_);
    }

    Result<void> write_config(const World& world, const std::string& folder, storage::Provider::Type type) {
        if (world.config.file.empty() && world.folder.has_file("config.json")) {
            // It cannot be read, so it cannot be changed either; its bytes are worth keeping all the same.
            if (auto kept = copy_file_of(world.folder, "config.json", target_, folder + "config.json"); !kept)
                report_.problems.push_back(std::move(kept).error());
            report_.problems.push_back(
                error(Errc::bad_text, "the configuration cannot be read; it was copied unchanged")
                    .in_file(world.folder.shown("config.json"))
                    .advise(fmt::format("fix it and set ChunkStorage to {}", storage::name(type))));
            return {};
        }
        // A world without a configuration stays without one where the default says the right thing.
        if (!world.config.file.empty() || format_ == StorageFormat::rocksdb) {
            TRY(const auto config, world::with_provider(world.folder, world.config, type));
            TRY_DO(write_text(folder + "config.json", config, world.folder.permissions("config.json")));
        }
        // Where the game notes the provider in use, it would start a migration of its own after a change.
        if (!world.folder.sub("resources").has_file("ChunkStorage.json")) return {};
        const auto current =
            fmt::format("{{\n  \"CurrentProvider\": {{\n    \"Type\": \"{}\"\n  }}\n}}", storage::name(type));
        return write_text(folder + "resources/ChunkStorage.json", current, std::nullopt);
    }

    /// `permissions` are those of the file that this one is made from.
    Result<void> write_text(const std::string& path, const std::string& text,
                            std::optional<fs::perms> permissions) {
        TRY(const auto file, inner_file(target_, path));
        TRY_DO(write_file_atomically(file, as_bytes(text)));
        std::error_code code;
        if (permissions) fs::permissions(file, *permissions, code);
        if (!code) return {};
        errno = code.value();
        return fail(write_error("keep the permissions of the file").in_file(file.string()));
    }

    /// A folder of chunks that the world's provider does not use is not converted; that has to be said.
    void note_left_out(const World& world) {
        using Type = storage::Provider::Type;
        const auto type = world.provider.type;
        if (type == Type::migration || keeps_config(world)) return;
        const auto unused = [&](const char* folder, bool used) {
            if (const auto entries = world.folder.sub(folder).list(); !used && entries && !entries->empty())
                report_.left_out.push_back(world.folder.shown(folder));
        };
        unused("chunks", type == Type::hytale || type == Type::indexed_storage);
        unused("db", type == Type::rocks_db);
    }

    Result<void> convert_store(const World& world, const std::string& folder) {
        TRY(const auto source, world.open({}));
        TRY_DO(refuse_lost_entries(*source, remembered_counts(world)));
        TRY(const auto path, inner_folder(target_, folder));
        if (format_ == StorageFormat::rocksdb) {
            TRY(const auto store, storage::open_rocksdb_store(path, target_options()));
            return convert_chunks(*source, *store, threads_, progress_, report_);
        }
        TRY(const auto store,
            storage::open_region_store(Folder(storage::open_disk_tree(target_), folder), target_options()));
        return convert_chunks(*source, *store, threads_, progress_, report_);
    }

    const Location& from_;
    fs::path target_;
    StorageFormat format_;
    std::size_t threads_;
    Progress& progress_;
    const std::string& command_;
    ConvertReport report_;
};

} // namespace

Result<ConvertReport> convert_location(const Location& from, const fs::path& target, StorageFormat format,
                                       std::size_t threads, Progress& progress, const std::string& command) {
    return LocationConversion(from, target, format, threads, progress, command).run();
}

} // namespace orbis::jobs
