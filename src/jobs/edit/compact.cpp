#include "jobs/edit/compact.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/parallel.hpp"
#include "jobs/inspect/survey.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "jobs/undo/change.hpp"
#include "storage/migrate_region.hpp"
#include "storage/rocksdb_store.hpp"
#include "storage/write_lock.hpp"

#include <algorithm>
#include <unistd.h>

namespace orbis::jobs {

namespace {

namespace fs = std::filesystem;
using storage::Blob;
using storage::ReadContext;
using storage::Region;
using storage::RegionFile;

Result<std::unique_ptr<Region>> open_for_reading(const fs::path& path, RegionPos pos) {
    TRY(auto file, open_file(path, FileMode::read, make_mapping_budget(storage::k_mapping_budget)));
    return storage::open_region(std::move(file), pos);
}

Result<Bytes> decompress(const Blob& blob, ReadContext& context) {
    return context.decompressor.decompress(blob.frame, blob.raw_size, storage::k_largest_document);
}

/// Rewrites one region file.
class FileCompaction {
public:
    FileCompaction(fs::path path, RegionPos pos, const CompactOptions& options, CompactReport& report,
                   Change* change, std::optional<std::uint32_t> remembered)
        : path_(std::move(path)),
          temporary_(path_),
          pos_(pos),
          options_(options),
          report_(report),
          change_(change),
          remembered_(remembered) {
        temporary_ += k_temporary_suffix;
        if (options_.dry_run) // which must not touch the world's folder
            temporary_ = fs::temp_directory_path()
                         / fmt::format("orbis-{}-{}", getpid(), temporary_.filename().string());
    }

    Result<CompactedFile> run() {
        TRY(const auto from, open_for_reading(path_, pos_));
        TRY_DO(storage::check_rewritable(*from));
        const auto layout = survey(*from);
        CompactedFile result{path_.string(), layout.file_bytes, layout.file_bytes, false};
        if (!layout.problems.empty()) {
            report_.problems.insert(report_.problems.end(), layout.problems.begin(), layout.problems.end());
            return result;
        }
        // Without holes there is nothing to gain, unless the frames themselves change.
        if (!options_.level && layout.free_bytes == 0 && layout.version == 1) return result;
        if (!options_.drops_lost) TRY_DO(refuse_lost_entries(*from, remembered_));
        std::error_code ignored;
        fs::remove(temporary_, ignored);
        auto rewritten = rewrite(*from);
        if (!rewritten || options_.dry_run) fs::remove(temporary_, ignored);
        if (!rewritten) return std::unexpected(std::move(rewritten).error());
        result.bytes_after = *rewritten;
        result.rewritten = true;
        if (!options_.dry_run) TRY_DO(take_its_place());
        return result;
    }

private:
    Result<void> take_its_place() {
        if (change_ == nullptr) return replace_file(temporary_, path_);
        std::error_code ignored;
        const auto relative = fs::relative(fs::absolute(path_, ignored), change_->folder(), ignored);
        const auto kept = change_->replace_file(relative.string(), temporary_);
        if (!kept) fs::remove(temporary_, ignored);
        return kept;
    }

    Result<std::uint64_t> rewrite(const Region& from) {
        {
            TRY(auto file, open_file(temporary_, FileMode::create));
            TRY_DO(RegionFile::format(*file));
            TRY(const auto to, RegionFile::open(std::move(file), pos_, storage::RegionAccess::write,
                                                storage::SyncPolicy::batch));
            TRY_DO(fill(from, *to));
        }
        TRY(const auto to, open_for_reading(temporary_, pos_));
        TRY_DO(compare(from, *to));
        return to->file().size();
    }

    struct Item {
        Slot slot;
        Buffer frame;
        std::uint32_t raw_size = 0;
        std::optional<Error> fatal;
        std::optional<Error> note;
    };

    Result<void> fill(const Region& from, RegionFile& to) {
        TRY(const auto slots, from.slots());
        std::vector<Item> ring(in_flight_limit(options_.threads));
        std::vector<std::unique_ptr<ReadContext>> contexts(options_.threads);
        std::size_t next = 0;
        std::optional<Error> fatal;
        run_ordered({.pull =
                         [&](std::size_t ticket) {
                             if (fatal || next == slots.size()) return false;
                             ring[ticket] = {};
                             ring[ticket].slot = slots[next++];
                             return true;
                         },
                     .work =
                         [&](std::size_t ticket, std::size_t worker) {
                             auto& context = contexts[worker];
                             if (!context) context = make_context();
                             fetch(from, ring[ticket], *context);
                         },
                     .push =
                         [&](std::size_t ticket) {
                             auto& item = ring[ticket];
                             if (item.note) report_.problems.push_back(*std::move(item.note));
                             if (!item.fatal)
                                 if (auto put = to.write(item.slot, item.frame, item.raw_size); !put)
                                     item.fatal = std::move(put).error();
                             if (item.fatal && !fatal) fatal = std::move(item.fatal);
                         }},
                    options_.threads);
        if (fatal) return std::unexpected(*std::move(fatal));
        return to.sync();
    }

    [[nodiscard]] std::unique_ptr<ReadContext> make_context() const {
        auto context = std::make_unique<ReadContext>();
        if (options_.level) context->compressor = Compressor(*options_.level);
        return context;
    }

    /// Runs on any thread.
    void fetch(const Region& from, Item& item, ReadContext& context) const {
        const auto blob = from.blob(item.slot, context.gathered);
        if (!blob || !*blob) {
            item.fatal = blob ? error(Errc::busy, "the file changed while it was read").in_file(from.name())
                              : blob.error();
            return;
        }
        item.raw_size = (*blob)->raw_size;
        auto frame = (*blob)->frame;
        const auto document = decompress(**blob, context);
        if (!document) {
            Error problem = document.error();
            problem.offset = (*blob)->offset + 8;
            const auto chunk = pos_.chunk(item.slot);
            item.note = std::move(problem)
                            .in_file(from.name())
                            .at(pos_)
                            .at(chunk)
                            .advise("copied unchanged; restore this chunk from a backup");
        }
        if (document && options_.level) {
            auto compressed = context.compressor.compress(*document);
            if (compressed) frame = *compressed;
        }
        item.frame.assign(frame.begin(), frame.end());
        if (auto whole = from.file().check((*blob)->view); !whole) item.fatal = std::move(whole).error();
    }

    /// Every chunk of the new file against the old one: equal bytes, or equal documents after recompression.
    [[nodiscard]] Result<void> compare(const Region& from, const Region& to) const {
        TRY(const auto slots, from.slots());
        TRY(const auto copied, to.slots());
        ReadContext before;
        ReadContext after;
        bool same = slots == copied;
        for (const auto slot : slots) {
            if (!same) break;
            TRY(const auto a, from.blob(slot, before.gathered));
            TRY(const auto b, to.blob(slot, after.gathered));
            same = a && b && a->raw_size == b->raw_size;
            if (!same || std::equal(a->frame.begin(), a->frame.end(), b->frame.begin(), b->frame.end()))
                continue;
            const auto old_document = decompress(*a, before);
            const auto new_document = decompress(*b, after);
            same = old_document && new_document
                   && std::equal(old_document->begin(), old_document->end(), new_document->begin(),
                                 new_document->end());
        }
        if (same) return {};
        return fail(error(Errc::mismatch, "the new file does not read back as it was written")
                        .in_file(path_.string())
                        .advise("the old file is untouched; check the disk"));
    }

    fs::path path_;
    fs::path temporary_;
    RegionPos pos_;
    const CompactOptions& options_;
    CompactReport& report_;
    Change* change_;                          ///< null if nothing is kept
    std::optional<std::uint32_t> remembered_; ///< how many chunks the region had
};

Result<CompactReport> compact_rocksdb(const world::World& world, const CompactOptions& options) {
    if (options.level)
        return fail(error(Errc::usage, "a RocksDB world has no compression level of its own")
                        .in_file(world.folder.shown())
                        .advise("run without --level"));
    const auto name = world.source == world::World::Source::rocksdb ? "" : "db";
    TRY_DO(world.folder.check_folder(name));
    const auto path = world.folder.on_disk(name);
    if (!path)
        return fail(
            error(Errc::read_only, "a world inside a zip cannot be written").in_file(world.folder.shown()));
    CompactReport report;
    TRY(const auto sizes, storage::compact_rocksdb(*path, options.force, options.dry_run));
    report.files.push_back({path->string(), sizes.before, sizes.after, !options.dry_run});
    return report;
}

} // namespace

Result<CompactReport> compact(const world::World& world, const CompactOptions& options, Progress& progress) {
    using Source = world::World::Source;
    using Type = storage::Provider::Type;
    const auto type = world.provider.type;
    if (world.source == Source::rocksdb || (world.source == Source::provider && type == Type::rocks_db))
        return compact_rocksdb(world, options);
    if (world.source == Source::provider && type == Type::empty) return CompactReport{};
    if (world.source == Source::provider && type == Type::migration)
        return fail(error(Errc::unsupported,
                          "only worlds in region files or RocksDB can be compacted, not ChunkStorage {}",
                          storage::name(type))
                        .in_file(world.folder.shown())
                        .advise("give the path of the chunks/ or db/ folder"));

    const auto folder = world.source == Source::provider ? world.folder.sub("chunks") : world.folder;
    TRY_DO(folder.check_folder());
    const auto path = folder.on_disk();
    if (!path)
        return fail(error(Errc::read_only, "a world inside a zip cannot be written")
                        .in_file(folder.shown())
                        .advise("convert it into a folder first"));
    if (world.source == Source::provider && !world.folder.has_folder("chunks")) return CompactReport{};
    std::optional<storage::WriteLock> lock;
    std::unique_ptr<Change> change;
    if (!options.dry_run) {
        TRY(lock, storage::WriteLock::take(*path, options.force, world.region_file));
        storage::remove_unfinished_files(*path);
        TRY(const auto archives, undo_folder(world));
        if (options.keeps_undo) {
            TRY(change,
                Change::begin_files(
                    archives.parent_path(),
                    {.verb = "compact", .command = options.command, .force = options.force, .locks = false}));
        }
    }
    std::vector<RegionPos> regions;
    if (world.source == Source::region_file) {
        TRY(const auto store, storage::open_single_region(world.region_file, {}));
        TRY(regions, store->regions());
    } else {
        TRY(const auto store, storage::open_region_store(folder, {}));
        TRY(regions, store->regions());
    }
    const auto remembered = remembered_counts(world);
    CompactReport report;
    progress.begin("Compacting", regions.size());
    for (const auto pos : regions) {
        auto file = FileCompaction(*path / storage::region_file_name(pos), pos, options, report, change.get(),
                                   remembered_count(remembered, pos))
                        .run();
        if (file)
            report.files.push_back(*std::move(file));
        else if (file.error().code == Errc::no_space)
            return std::unexpected(std::move(file).error());
        else
            report.problems.push_back(std::move(file).error());
        progress.step();
    }
    if (change) {
        TRY(auto done, change->finish());
        report.archive = std::move(done.archive);
    }
    return report;
}

} // namespace orbis::jobs
