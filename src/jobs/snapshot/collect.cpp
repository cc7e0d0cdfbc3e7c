#include "jobs/snapshot/collect.hpp"

#include "bytes/atomic_file.hpp"
#include "jobs/snapshot/content_writer.hpp"

#include <algorithm>

namespace orbis::jobs::snapshot {

namespace {

namespace fs = std::filesystem;

/// When there are more packs than this that are smaller than that, they become one.
constexpr std::size_t k_few_packs = 16;
constexpr std::uint64_t k_small_pack = 16 << 20;

class Collection {
public:
    Collection(Session& session, const CollectOptions& options, Progress& progress,
               const std::vector<std::string>& without)
        : session_(session),
          options_(options),
          progress_(progress),
          without_(without),
          tools_(options.level) {}

    Result<CollectReport> run() {
        TRY(contents_, session_.store().contents(report_.problems));
        const auto& packs = contents_->packs();
        for (const auto& pack : packs) {
            live_.emplace_back(pack->header().contents, options_.keep_unneeded);
            report_.bytes_before += pack->header().length;
        }
        report_.bytes_after = report_.bytes_before;
        if (!options_.keep_unneeded && !mark_all()) return std::move(report_);
        for (const auto& key : options_.drop) drop(key);
        const auto wanted = choose();
        if (options_.dry_run) {
            for (const auto pack : wanted) report_.bytes_after -= estimate_freed(pack);
            return std::move(report_);
        }
        progress_.begin("Freeing space", wanted.size());
        for (const auto pack : wanted) {
            progress_.step();
            TRY_DO(rewrite(pack));
            if (writer_ && writer_->size() >= k_pack_size) TRY_DO(settle());
        }
        TRY_DO(settle());
        return std::move(report_);
    }

private:
    // ---- what is needed ----

    /// Whether every manifest and every table could be read.
    bool mark_all() {
        const auto problems = report_.problems.size();
        for (const auto& snapshot : session_.store().list(report_.problems)) {
            if (std::ranges::find(without_, snapshot.id) != without_.end()) continue;
            for (const auto& world : snapshot.manifest.worlds)
                for (const auto& region : world.regions) mark_table(region.table, snapshot.id);
            for (const auto& file : snapshot.manifest.files)
                for (const auto& piece : file.pieces) mark(piece);
        }
        return report_.problems.size() == problems;
    }

    void mark_table(const Key& key, const std::string& snapshot) {
        if (!tables_.insert(key).second) return;
        mark(key);
        const auto table = contents_->read(key, tools_.decompressor);
        auto entries = table ? decode_table(table->bytes)
                             : Result<std::vector<TableEntry>>(std::unexpected(table.error()));
        if (!entries) {
            report_.problems.push_back(
                std::move(entries)
                    .error()
                    .about("snapshot " + snapshot)
                    .advise("no space is freed while this snapshot exists; remove it first"));
            return;
        }
        for (const auto& entry : *entries) mark(entry.key);
    }

    void mark(const Key& key) {
        const auto place = contents_->find(key);
        if (!place) return; // --verify tells
        live_[place->pack][place->content] = true;
        const auto base = contents_->base_for(key);
        if (!base || *base == key) return;
        if (const auto of_base = contents_->find(*base)) live_[of_base->pack][of_base->content] = true;
    }

    void drop(const Key& key) {
        bool any = false;
        for (const auto& place : contents_->places(key)) {
            any = any || live_[place.pack][place.content];
            live_[place.pack][place.content] = false;
        }
        if (any) ++report_.contents_dropped;
    }

    // ---- what to do ----

    [[nodiscard]] bool has_dead(std::size_t pack) const {
        return std::ranges::find(live_[pack], false) != live_[pack].end();
    }

    /// The packs to be rewritten: those with something that is not needed, and many small ones.
    std::vector<std::size_t> choose() const {
        std::vector<std::size_t> wanted;
        std::vector<std::size_t> small;
        const auto& packs = contents_->packs();
        for (std::size_t i = 0; i < packs.size(); ++i) {
            if (has_dead(i) || (options_.keep_unneeded && !packs[i]->check_index()))
                wanted.push_back(i);
            else if (packs[i]->header().length < k_small_pack)
                small.push_back(i);
        }
        if (options_.merge && small.size() > k_few_packs)
            wanted.insert(wanted.end(), small.begin(), small.end());
        return wanted;
    }

    struct BlockUse {
        std::vector<Part> live;
        std::vector<Contents::ContentRef> places;
        std::size_t dead = 0;
    };

    /// What is needed of each block. Contents whose entry is damaged count as not needed: no one can read
    /// them.
    [[nodiscard]] std::vector<BlockUse> use_of(std::size_t number) const {
        const auto& pack = *contents_->packs()[number];
        std::vector<BlockUse> blocks(pack.header().blocks);
        for (std::uint32_t i = 0; i < pack.header().contents; ++i) {
            const auto content = pack.content(i);
            if (!content) continue;
            auto& block = blocks[content->block];
            if (!live_[number][i]) {
                ++block.dead;
                continue;
            }
            block.live.push_back({content->key, content->offset, content->size});
            block.places.push_back({static_cast<std::uint32_t>(number), i});
        }
        return blocks;
    }

    [[nodiscard]] std::uint64_t estimate_freed(std::size_t number) const {
        const auto& pack = *contents_->packs()[number];
        const auto blocks = use_of(number);
        std::uint64_t freed = 0;
        bool any_live = false;
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            const auto entry = pack.block(i);
            any_live = any_live || !blocks[i].live.empty();
            if (!entry || blocks[i].dead == 0) continue;
            std::uint64_t needed = 0;
            for (const auto& part : blocks[i].live) needed += part.size;
            freed += entry->size == 0
                         ? entry->stored
                         : entry->stored
                               - entry->stored * std::min<std::uint64_t>(needed, entry->size) / entry->size;
            freed += blocks[i].dead * ContentEntry::k_size;
        }
        return any_live ? std::min(freed, pack.header().length) : pack.header().length;
    }

    // ---- doing it ----

    Result<PackWriter*> writer() {
        if (!writer_) {
            TRY(writer_, PackWriter::create(session_.disk(), session_.store().packs()));
        }
        return &*writer_;
    }

    Result<void> rewrite(std::size_t number) {
        const auto& pack = *contents_->packs()[number];
        const auto blocks = use_of(number);
        bool any = false;
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            if (blocks[i].live.empty()) continue;
            any = true;
            TRY_DO(move_block(pack, i, blocks[i]));
        }
        ++(any ? report_.packs_rewritten : report_.packs_removed);
        replaced_.emplace_back(pack.name());
        report_.bytes_after -= pack.header().length;
        return {};
    }

    Result<void> move_block(const Pack& pack, std::uint32_t number, const BlockUse& use) {
        TRY(const auto entry, pack.block(number));
        if (use.dead > 0 && entry.base.empty()) {
            std::vector<Content> parts;
            for (const auto& place : use.places) {
                auto content = contents_->read(place, tools_.decompressor);
                if (!content) break;
                parts.push_back(*std::move(content));
            }
            if (parts.size() == use.places.size()) {
                for (std::size_t i = 0; i < parts.size(); ++i) TRY_DO(add(use.live[i].key, parts[i].bytes));
                return {};
            }
            // Damaged: it is moved as it is, because a part of it may still be of use.
        }
        TRY(const auto frame, pack.frame(entry));
        TRY(auto* const out, writer());
        TRY_DO(out->add(frame.bytes(), entry.size, entry.base, use.live));
        return pack.check(frame);
    }

    Result<void> add(const Key& key, Bytes content) {
        if (!open_.empty() && open_.size() + content.size() > 2 * k_block_size) TRY_DO(close_block());
        open_.add(key, content);
        return open_.is_full() ? close_block() : Result<void>();
    }

    Result<void> close_block() {
        if (open_.empty()) return {};
        TRY(const auto block, open_.close(tools_.compressor));
        TRY(auto* const out, writer());
        return out->add(block);
    }

    /// The new pack is safe, so the ones whose contents it has can go.
    Result<void> settle() {
        TRY_DO(close_block());
        fs::path made;
        if (writer_) {
            TRY(const auto bytes, writer_->finish());
            report_.bytes_after += bytes;
            made = writer_->path();
            writer_.reset();
        }
        for (const auto& old : replaced_)
            if (old != made) TRY_DO(session_.disk().remove(old));
        if (!replaced_.empty()) TRY_DO(sync_folder(session_.store().packs()));
        replaced_.clear();
        return {};
    }

    Session& session_;
    const CollectOptions& options_;
    Progress& progress_;
    const std::vector<std::string>& without_;
    Tools tools_;
    std::unique_ptr<Contents> contents_;
    std::vector<std::vector<bool>> live_; ///< by pack and content
    std::unordered_set<Key> tables_;
    BlockBuilder open_;
    std::optional<PackWriter> writer_;
    std::vector<fs::path> replaced_;
    CollectReport report_;
};

} // namespace

Result<CollectReport> collect(Session& session, const CollectOptions& options, Progress& progress,
                              const std::vector<std::string>& without) {
    return Collection(session, options, progress, without).run();
}

} // namespace orbis::jobs::snapshot
