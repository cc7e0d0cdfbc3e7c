#include "jobs/snapshot/take_chunks.hpp"

#include "bson/view.hpp"
#include "bytes/parallel.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "storage/region_files.hpp"
#include "storage/steady_store.hpp"
#include "storage/walk.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

namespace orbis::jobs::snapshot {

namespace {

using storage::ReadContext;
using storage::RegionFiles;
using storage::Store;

/// Chunks that go to a worker at once: about as many as fill a block.
constexpr std::size_t k_most_in_batch = 64;
/// What a chunk is assumed to have as long as it was not read.
constexpr std::size_t k_usual_size = 128 << 10;
/// New chunks of a batch with fewer bytes than this share a block with those of others.
constexpr std::size_t k_least_block = k_block_size / 4;
constexpr auto k_pause = std::chrono::milliseconds(20);
constexpr int k_opaque_tries = 4;

/// A region on its way into the snapshot. Workers read what came before and write nothing here.
struct RegionWork {
    std::string path; ///< of its file below the root; empty when it has none
    FileStamp stamp;
    std::vector<TableEntry> older;
    const SeenFile* seen = nullptr;
    const RegionRecord* record = nullptr;
    std::vector<TableEntry> entries;
    std::vector<FrameRecord> frames;
    bool is_incomplete = false; ///< a chunk could not be read

    [[nodiscard]] const TableEntry* older_entry(Slot slot) const {
        const auto found = std::ranges::lower_bound(older, slot, {}, &TableEntry::slot);
        return found != older.end() && found->slot == slot ? &*found : nullptr;
    }
};

/// One chunk: what a worker is told and what it finds.
struct Item {
    ChunkPos pos;
    RegionWork* region = nullptr;
    bool is_there = false;
    bool is_new = false;
    bool was_decompressed = false;
    TableEntry entry;
    std::optional<FrameMark> mark;
    std::optional<Error> problem;
};

struct Batch {
    std::vector<Item> items;
    std::vector<Block> blocks;
    BlockBuilder loose; ///< too few for a block of their own
    std::optional<Error> fatal;
};

/// What one thread keeps.
struct Worker {
    explicit Worker(int level) : tools(level) {}
    ReadContext context;
    Tools tools;
};

class ChunkTaking {
public:
    ChunkTaking(const Store& store, const ChunkSource& source, const TakeWork& work,
                std::vector<std::string>& unopened)
        : store_(store),
          files_(store.region_files()),
          source_(source),
          work_(work),
          unopened_(unopened),
          older_(work.before.world(source.name)) {}

    Result<WorldRecord> run() {
        if (files_ != nullptr) {
            TRY(regions_, files_->regions());
            work_.progress.begin("Reading", regions_.size());
        } else if (take_over_database()) {
            return finish();
        } else {
            work_.progress.begin("Reading", storage::count_chunks(store_));
            cursor_ = store_.chunks();
        }
        stream();
        if (fatal_) return std::unexpected(*std::move(fatal_));
        return finish();
    }

private:
    /// A database whose files are all as they were has the same chunks.
    bool take_over_database() {
        database_ = source_.stamp("");
        if (work_.options.reread || older_ == nullptr
            || !work_.before.is_unchanged(source_.folder, database_))
            return false;
        for (const auto& record : older_->regions) keep(record);
        work_.report.unread_regions += older_->regions.size();
        return true;
    }

    /// Takes a region over as it was.
    void keep(const RegionRecord& record) {
        kept_.push_back(record);
        work_.report.chunks += record.chunks;
    }

    void stream() {
        const auto threads = work_.options.threads;
        std::vector<Batch> ring(in_flight_limit(threads));
        std::vector<std::unique_ptr<Worker>> workers(threads);
        run_ordered({.pull = [&](std::size_t ticket) { return pull(ring[ticket]); },
                     .work =
                         [&](std::size_t ticket, std::size_t number) {
                             auto& worker = workers[number];
                             if (!worker) worker = std::make_unique<Worker>(work_.options.level);
                             process(ring[ticket], *worker);
                         },
                     .push = [&](std::size_t ticket) { push(ring[ticket]); }},
                    threads);
    }

    // ---- under the lock of the stream ----

    bool pull(Batch& batch) {
        batch = {};
        std::size_t size = 0;
        while (!stopped_ && batch.items.size() < k_most_in_batch && size < k_block_size) {
            auto item = files_ != nullptr ? next_of_files() : next_of_cursor();
            if (!item) break;
            size += expected_size(*item);
            batch.items.push_back(*std::move(item));
        }
        return !batch.items.empty();
    }

    [[nodiscard]] std::size_t expected_size(const Item& item) const {
        if (files_ == nullptr || !open_) return k_usual_size;
        const auto info = open_->info(item.pos.slot());
        return info && *info ? std::min<std::size_t>((*info)->raw_size, k_block_size) : k_usual_size;
    }

    std::optional<Item> next_of_files() {
        while (slot_ == slots_.size()) {
            if (region_ == regions_.size()) return std::nullopt;
            open_region(regions_[region_++]);
        }
        const auto slot = slots_[slot_++];
        Item item;
        item.pos = current_pos_.chunk(slot);
        item.region = current_;
        return item;
    }

    void open_region(RegionPos pos) {
        slots_.clear();
        slot_ = 0;
        open_.reset();
        const auto file = storage::region_file_name(pos);
        const auto path = source_.folder + file;
        const auto stamp = source_.stamp(file);
        const auto* record = find_region(older_, pos);
        {
            const std::lock_guard lock(mutex_);
            ++work_.report.regions;
            work_.progress.step();
            if (!work_.options.reread && work_.before.is_unchanged(path, stamp)) {
                ++work_.report.unread_regions;
                if (record != nullptr) keep(*record);
                work_.known.files[path] = *work_.before.seen(path);
                return;
            }
        }
        auto opened = files_->region(pos);
        auto slots = opened && *opened ? (*opened)->slots() : Result<std::vector<Slot>>();
        // Chunks that the index does not list would not be in the snapshot; they are in the file.
        auto complete = opened && *opened
                            ? refuse_lost_entries(**opened, remembered_count(source_.remembered, pos))
                            : Result<void>();
        if (!opened || !slots || !complete) {
            const std::lock_guard lock(mutex_);
            auto problem = !opened  ? std::move(opened).error()
                           : !slots ? std::move(slots).error()
                                    : std::move(complete).error();
            problem.advice =
                fmt::format("{}{}the snapshot keeps the file as it is, but not its single chunks",
                            complete ? "" : problem.advice, complete ? "" : "; ");
            work_.report.problems.push_back(std::move(problem));
            unopened_.push_back(path);
            return;
        }
        if (!*opened) return; // removed since it was listed
        open_ = *opened;
        slots_ = *std::move(slots);
        current_pos_ = pos;
        current_ = &work_of(pos);
        current_->path = path;
        current_->stamp = stamp;
        current_->seen = work_.before.seen(path);
    }

    std::optional<Item> next_of_cursor() {
        while (true) {
            auto next = cursor_->next();
            if (next && !*next) return std::nullopt;
            if (next) {
                Item item;
                item.pos = **next;
                item.region = &work_of(item.pos.region());
                return item;
            }
            const std::lock_guard lock(mutex_);
            work_.report.problems.push_back(std::move(next).error());
            ++work_.report.missing_chunks;
            is_incomplete_ = true;
        }
    }

    RegionWork& work_of(RegionPos pos) {
        const auto [at, fresh] = works_.try_emplace(pos);
        if (fresh) {
            at->second.record = find_region(older_, pos);
            if (at->second.record != nullptr) at->second.older = older_table(*at->second.record);
        }
        return at->second;
    }

    /// Without the older table everything is read again.
    std::vector<TableEntry> older_table(const RegionRecord& record) {
        const auto table = work_.contents.read(record.table, tables_);
        if (!table) return {};
        auto entries = decode_table(table->bytes);
        return entries ? *std::move(entries) : std::vector<TableEntry>();
    }

    // ---- on any thread ----

    void process(Batch& batch, Worker& worker) const {
        BlockBuilder builder;
        for (auto& item : batch.items)
            if (auto done = look(item, builder, batch, worker); !done) batch.fatal = std::move(done).error();
        if (builder.size() < k_least_block) {
            batch.loose = std::move(builder);
        } else if (auto closed = close(builder, batch, worker); !closed) {
            batch.fatal = std::move(closed).error();
        }
    }

    static Result<void> close(BlockBuilder& builder, Batch& batch, Worker& worker) {
        TRY(auto block, builder.close(worker.tools.compressor));
        batch.blocks.push_back(std::move(block));
        return {};
    }

    Result<void> look(Item& item, BlockBuilder& builder, Batch& batch, Worker& worker) const {
        item.entry.slot = item.pos.slot();
        if (files_ == nullptr) {
            const auto document = read_other(item.pos, worker.context);
            if (!document) item.problem = document.error();
            if (!document || !*document) return {};
            item.was_decompressed = true;
            return accept(item, **document, 0, builder, batch, worker);
        }
        auto chunk = read_steady(item.pos, worker.context);
        for (int tries = 1;; ++tries) {
            if (!chunk) item.problem = chunk.error();
            if (!chunk || !*chunk) return {};
            item.mark = mark_of((*chunk)->frame);
            if (is_known(item)) return {};
            const auto& frame = (*chunk)->frame;
            const auto document = worker.context.decompressor.decompress(frame, (*chunk)->raw_size,
                                                                         storage::k_largest_document);
            item.was_decompressed = true;
            const bool is_last = tries == k_opaque_tries;
            // Frames have no checksum, so bytes of two versions may decompress. They hardly make a document.
            if (document && (is_last || bson::open_validated(*document)))
                return accept(item, *document, frame.size(), builder, batch, worker);
            // Damage stays; what a server is writing just now does not.
            if (!document) std::this_thread::sleep_for(k_pause);
            auto again = read_steady(item.pos, worker.context);
            const bool stays = again && *again && (*again)->frame == frame;
            if (document && stays) return accept(item, *document, frame.size(), builder, batch, worker);
            if (!document && (is_last || stays))
                return accept_opaque(item, **chunk, document.error(), builder, batch, worker);
            chunk = std::move(again);
        }
    }

    [[nodiscard]] Result<std::optional<storage::SteadyChunk>> read_steady(ChunkPos pos,
                                                                          ReadContext& context) const {
        auto chunk = storage::read_steady(store_, pos, context);
        if (!chunk && chunk.error().code == Errc::busy)
            return fail(std::move(chunk).error().advise("take the snapshot again"));
        return chunk;
    }

    /// A database gives whole documents. Region files behind a migration storage may be written meanwhile,
    /// so two reads must agree.
    [[nodiscard]] Result<std::optional<Bytes>> read_other(ChunkPos pos, ReadContext& context) const {
        const auto blob = store_.blob_info(pos);
        if (blob && !*blob) return store_.read(pos, context);
        return storage::read_agreeing(store_, pos, context);
    }

    /// Whether the last snapshot saw the same compressed bytes here: then the content is known.
    static bool is_known(Item& item) {
        const auto* mark = item.region->seen != nullptr ? item.region->seen->mark(item.pos.slot()) : nullptr;
        const auto* older = item.region->older_entry(item.pos.slot());
        if (mark == nullptr || older == nullptr || *mark != *item.mark) return false;
        item.entry = *older;
        item.is_there = true;
        return true;
    }

    Result<void> accept(Item& item, Bytes document, std::size_t plain, BlockBuilder& builder, Batch& batch,
                        Worker& worker) const {
        item.is_there = true;
        item.entry.key = key_of(document);
        item.is_new = work_.writer.claim(item.entry.key);
        if (!item.is_new) return {};
        if (const auto* older = item.region->older_entry(item.pos.slot()); older != nullptr) {
            if (plain == 0) {
                TRY(const auto frame, worker.context.compressor.compress(document));
                plain = frame.size();
            }
            auto block = work_.writer.against(older->key, item.entry.key, document, plain, worker.tools);
            if (block) {
                batch.blocks.push_back(*std::move(block));
                return {};
            }
        }
        return append(item.entry.key, document, builder, batch, worker);
    }

    Result<void> accept_opaque(Item& item, const storage::SteadyChunk& chunk, const Error& problem,
                               BlockBuilder& builder, Batch& batch, Worker& worker) const {
        item.problem = problem;
        item.problem->file = store_.name();
        item.problem->offset.reset(); // counts from the start of the frame
        item.problem->chunk = item.pos;
        if (chunk.frame.size() > k_largest_block) {
            item.problem->advice = "it is too large, so it is not in the snapshot";
            return {};
        }
        item.problem->advice = "the snapshot keeps its bytes as they are";
        item.is_there = true;
        item.entry.is_opaque = true;
        item.entry.raw_size = chunk.raw_size;
        item.entry.key = key_of(chunk.frame);
        item.is_new = work_.writer.claim(item.entry.key);
        if (!item.is_new) return {};
        return append(item.entry.key, chunk.frame, builder, batch, worker);
    }

    static Result<void> append(const Key& key, Bytes content, BlockBuilder& builder, Batch& batch,
                               Worker& worker) {
        if (!builder.empty() && builder.size() + content.size() > 2 * k_block_size)
            TRY_DO(close(builder, batch, worker));
        builder.add(key, content);
        return {};
    }

    // ---- in order, one at a time ----

    void push(Batch& batch) {
        if (stopped_) return;
        if (batch.fatal) return stop(*std::move(batch.fatal));
        for (const auto& block : batch.blocks)
            if (auto added = work_.writer.add(block); !added) return stop(std::move(added).error());
        for (const auto& part : batch.loose.parts())
            if (auto added = work_.writer.add(part.key, batch.loose.bytes(part)); !added)
                return stop(std::move(added).error());
        const std::lock_guard lock(mutex_);
        auto& report = work_.report;
        for (auto& item : batch.items) {
            if (files_ == nullptr) work_.progress.step();
            if (item.problem) {
                report.problems.push_back(*std::move(item.problem));
                ++(item.is_there ? report.opaque_chunks : report.missing_chunks);
            } else if (item.entry.is_opaque) {
                ++report.opaque_chunks;
            }
            report.decompressed += item.was_decompressed ? 1 : 0;
            if (!item.is_there) {
                item.region->is_incomplete = true;
                is_incomplete_ = true;
                continue;
            }
            ++report.chunks;
            report.new_chunks += item.is_new ? 1 : 0;
            item.region->entries.push_back(item.entry);
            if (item.mark) item.region->frames.push_back({item.entry.slot, *item.mark});
        }
    }

    void stop(Error&& problem) {
        fatal_ = std::move(problem);
        stopped_ = true;
    }

    // ---- at the end ----

    Result<WorldRecord> finish() {
        WorldRecord world;
        world.name = source_.name;
        world.regions = std::move(kept_);
        // What could not be read is tried, and reported, again the next time.
        if (files_ == nullptr)
            remember(source_.folder, is_incomplete_ ? FileStamp{} : database_, source_.stamp(""), {});
        TRY_DO(work_.writer.close_block());
        for (auto& [pos, region] : works_) {
            std::ranges::sort(region.entries, {}, &TableEntry::slot);
            std::ranges::sort(region.frames, {}, &FrameRecord::slot);
            if (!region.path.empty())
                remember(region.path, region.is_incomplete ? FileStamp{} : region.stamp,
                         source_.stamp(storage::region_file_name(pos)), std::move(region.frames));
            if (region.entries.empty()) continue;
            const auto table = encode_table(region.entries);
            const RegionRecord record{pos, static_cast<std::uint16_t>(region.entries.size()), key_of(table)};
            TRY(const bool is_new,
                work_.writer.put(record.table, table, region.record ? region.record->table : Key{}));
            (void)is_new;
            world.regions.push_back(record);
        }
        std::ranges::sort(world.regions, {}, &RegionRecord::pos);
        return world;
    }

    /// A file that was written while it was read, or so shortly before that another write could have left the
    /// same stamp, is read again the next time.
    void remember(const std::string& path, const FileStamp& at_start, const FileStamp& at_end,
                  std::vector<FrameRecord> frames) {
        const bool is_steady = at_start == at_end && !work_.is_fresh(at_start);
        work_.known.files[path] = {is_steady ? at_start : FileStamp{}, std::move(frames)};
    }

    const Store& store_;
    const RegionFiles* files_;
    const ChunkSource& source_;
    const TakeWork& work_;
    std::vector<std::string>& unopened_;
    const WorldRecord* older_;

    std::vector<RegionPos> regions_;
    std::size_t region_ = 0;
    std::shared_ptr<storage::Region> open_;
    RegionPos current_pos_;
    RegionWork* current_ = nullptr;
    std::vector<Slot> slots_;
    std::size_t slot_ = 0;
    std::unique_ptr<storage::Cursor> cursor_;
    FileStamp database_;
    Decompressor tables_;

    std::mutex mutex_; ///< of the report and the progress
    std::atomic<bool> stopped_ = false;
    bool is_incomplete_ = false;
    std::optional<Error> fatal_;
    std::vector<RegionRecord> kept_;
    std::map<RegionPos, RegionWork> works_;
};

} // namespace

Result<WorldRecord> take_chunks(const Store& store, const ChunkSource& source, const TakeWork& work,
                                std::vector<std::string>& unopened) {
    return ChunkTaking(store, source, work, unopened).run();
}

} // namespace orbis::jobs::snapshot
