#include "jobs/snapshot/view.hpp"

#include <algorithm>
#include <map>

namespace orbis::jobs::snapshot {

namespace {

using storage::CompressedChunk;
using storage::ReadContext;
using storage::Store;

/// The tables of a world, in memory: 32 bytes for each chunk.
using Tables = std::map<RegionPos, std::vector<TableEntry>>;

class TableCursor final : public storage::Cursor {
public:
    TableCursor(const Tables& tables, const std::vector<Error>& problems)
        : tables_(tables), at_(tables.begin()), problems_(problems) {}

    Result<std::optional<ChunkPos>> next() override {
        if (problem_ < problems_.size()) return fail(Error(problems_[problem_++]));
        while (at_ != tables_.end() && entry_ == at_->second.size()) {
            ++at_;
            entry_ = 0;
        }
        if (at_ == tables_.end()) return std::nullopt;
        return at_->first.chunk(at_->second[entry_++].slot);
    }

private:
    const Tables& tables_;
    Tables::const_iterator at_;
    std::size_t entry_ = 0;
    const std::vector<Error>& problems_;
    std::size_t problem_ = 0;
};

class SnapshotChunks final : public Store {
public:
    SnapshotChunks(std::shared_ptr<const Contents> contents, Tables tables, std::vector<Error> problems,
                   std::string name)
        : contents_(std::move(contents)),
          tables_(std::move(tables)),
          problems_(std::move(problems)),
          name_(std::move(name)) {}

    std::string_view kind() const override { return "snapshot"; }
    const std::string& name() const override { return name_; }
    /// Documents are compressed again as the game does it, so equal documents give equal frames; a frame that
    /// does not decompress comes back as it was.
    bool keeps_compressed() const override { return true; }

    std::unique_ptr<storage::Cursor> chunks() const override {
        return std::make_unique<TableCursor>(tables_, problems_);
    }

    Result<bool> contains(ChunkPos pos) const override { return find(pos) != nullptr; }

    Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const override {
        const auto* entry = find(pos);
        if (entry == nullptr) return std::nullopt;
        TRY(const auto content, load(*entry, pos, context));
        if (!entry->is_opaque) return content;
        auto document =
            context.decompressor.decompress(content, entry->raw_size, storage::k_largest_document);
        if (!document) return fail(place(std::move(document).error(), pos));
        return *document;
    }

    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos pos,
                                                           ReadContext& context) const override {
        const auto* entry = find(pos);
        if (entry == nullptr) return std::nullopt;
        TRY(const auto content, load(*entry, pos, context));
        if (entry->is_opaque) return CompressedChunk{content, entry->raw_size};
        TRY(const auto frame, context.compressor.compress(content));
        return CompressedChunk{frame, static_cast<std::uint32_t>(content.size())};
    }

    Result<void> write(ChunkPos, Bytes) override { return fail(refusal()); }
    Result<void> write_compressed(ChunkPos, const CompressedChunk&) override { return fail(refusal()); }
    Result<bool> remove(ChunkPos) override { return fail(refusal()); }
    Result<void> sync() override { return {}; }

private:
    [[nodiscard]] Error refusal() const {
        return error(Errc::read_only, "a snapshot cannot be written")
            .in_file(name_)
            .advise("check it out first");
    }

    [[nodiscard]] Error place(Error&& problem, ChunkPos pos) const {
        return std::move(problem).in_file(name_).at(pos);
    }

    [[nodiscard]] const TableEntry* find(ChunkPos pos) const {
        const auto table = tables_.find(pos.region());
        if (table == tables_.end()) return nullptr;
        const auto found = std::ranges::lower_bound(table->second, pos.slot(), {}, &TableEntry::slot);
        return found != table->second.end() && found->slot == pos.slot() ? &*found : nullptr;
    }

    Result<Bytes> load(const TableEntry& entry, ChunkPos pos, ReadContext& context) const {
        auto content = contents_->read(entry.key, context.decompressor);
        if (!content) return fail(place(std::move(content).error(), pos));
        context.held = std::move(content->block);
        return content->bytes;
    }

    std::shared_ptr<const Contents> contents_;
    Tables tables_;
    std::vector<Error> problems_; ///< regions whose table is lost
    std::string name_;
};

} // namespace

Result<std::shared_ptr<Store>> make_snapshot_chunks(std::shared_ptr<const Contents> contents,
                                                    const WorldRecord& world, std::string name) {
    Tables tables;
    std::vector<Error> problems;
    Decompressor decompressor;
    for (const auto& region : world.regions) {
        const auto table = contents->read(region.table, decompressor);
        auto entries = table ? decode_table(table->bytes)
                             : Result<std::vector<TableEntry>>(std::unexpected(table.error()));
        if (entries)
            tables.emplace(region.pos, *std::move(entries));
        else
            problems.push_back(std::move(entries).error().in_file(name).at(region.pos));
    }
    return std::make_shared<SnapshotChunks>(std::move(contents), std::move(tables), std::move(problems),
                                            std::move(name));
}

} // namespace orbis::jobs::snapshot
