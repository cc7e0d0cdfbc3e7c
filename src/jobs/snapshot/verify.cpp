#include "jobs/snapshot/verify.hpp"

#include "bytes/parallel.hpp"
#include "bytes/shell_quote.hpp"

#include <algorithm>
#include <map>

namespace orbis::jobs::snapshot {

namespace {

class Verification {
public:
    Verification(const SnapshotStore& store, std::size_t threads, Progress& progress)
        : store_(store), threads_(threads), progress_(progress) {}

    Result<VerifyReport> run() {
        TRY(contents_, store_.contents(report_.problems));
        for (auto& problem : report_.problems) {
            // One that a newer program wrote, or that cannot be read today, may be whole.
            if (problem.code != Errc::unsupported && problem.code != Errc::io
                && problem.code != Errc::not_found)
                report_.unreadable.emplace_back(problem.file);
            problem.advice.clear();
        }
        report_.packs = contents_->packs().size();
        for (std::uint32_t i = 0; i < contents_->packs().size(); ++i) list_blocks(i);
        progress_.begin("Verifying", blocks_.size());
        read_blocks();
        const auto snapshots = store_.list(report_.problems);
        report_.snapshots = snapshots.size();
        for (const auto& snapshot : snapshots) check(snapshot);
        if (report_.is_repairable())
            for (auto& problem : report_.problems)
                if (problem.file.ends_with(".pack")) problem.advice = advice();
        return std::move(report_);
    }

private:
    /// A block with the contents that are in it.
    struct BlockWork {
        std::uint32_t pack = 0;
        std::uint64_t stored = 0;
        std::vector<std::uint32_t> contents;
    };
    struct Finding {
        std::vector<Key> damaged;
        std::optional<Error> problem;
    };

    void list_blocks(std::uint32_t number) {
        const auto& pack = *contents_->packs()[number];
        if (auto checked = pack.check_index(); !checked) {
            report_.has_bad_tables = true;
            report_.problems.push_back(std::move(checked).error());
        }
        std::vector<BlockWork> blocks(pack.header().blocks);
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            blocks[i].pack = number;
            const auto entry = pack.block(i);
            if (entry)
                blocks[i].stored = entry->stored;
            else
                report_.problems.push_back(entry.error());
        }
        for (std::uint32_t i = 0; i < pack.header().contents; ++i) {
            ++report_.contents;
            const auto content = pack.content(i);
            if (content)
                blocks[content->block].contents.push_back(i);
            else
                report_.problems.push_back(content.error());
        }
        std::ranges::move(blocks, std::back_inserter(blocks_));
    }

    void read_blocks() {
        std::vector<std::pair<std::size_t, Finding>> ring(in_flight_limit(threads_));
        std::vector<std::unique_ptr<Decompressor>> decompressors(threads_);
        std::size_t next = 0;
        run_ordered({.pull =
                         [&](std::size_t ticket) {
                             if (next == blocks_.size()) return false;
                             ring[ticket] = {next++, {}};
                             return true;
                         },
                     .work =
                         [&](std::size_t ticket, std::size_t worker) {
                             auto& decompressor = decompressors[worker];
                             if (!decompressor) decompressor = std::make_unique<Decompressor>();
                             ring[ticket].second = read(blocks_[ring[ticket].first], *decompressor);
                         },
                     .push =
                         [&](std::size_t ticket) {
                             auto& [number, finding] = ring[ticket];
                             progress_.step();
                             report_.bytes += blocks_[number].stored;
                             if (finding.problem) report_.problems.push_back(*std::move(finding.problem));
                             report_.damaged.insert(finding.damaged.begin(), finding.damaged.end());
                         }},
                    threads_);
    }

    [[nodiscard]] Finding read(const BlockWork& block, Decompressor& decompressor) const {
        Finding finding;
        for (const auto number : block.contents) {
            auto content = contents_->read(Contents::ContentRef{block.pack, number}, decompressor);
            if (content) continue;
            const auto key = contents_->packs()[block.pack]->key(number);
            // Another pack may have it whole.
            if (!contents_->read(key, decompressor)) finding.damaged.push_back(key);
            if (!finding.problem)
                finding.problem = std::move(content).error().in_file(contents_->packs()[block.pack]->name());
        }
        if (finding.problem && block.contents.size() > 1)
            finding.problem->problem += fmt::format("; {} of {} contents of this block are damaged",
                                                    finding.damaged.size(), block.contents.size());
        return finding;
    }

    [[nodiscard]] bool is_whole(const Key& key) const {
        return contents_->has(key) && !report_.damaged.contains(key);
    }

    /// The slots of a table whose chunks are lost; nothing when the table itself is. Many snapshots share a
    /// table.
    const std::optional<std::vector<Slot>>& lost_slots(const RegionRecord& region) {
        const auto [at, fresh] = tables_.try_emplace({region.table, region.chunks});
        if (!fresh) return at->second;
        const auto table = contents_->read(region.table, decompressor_);
        if (!table) return at->second;
        const auto entries = decode_table(table->bytes);
        if (!entries || entries->size() != region.chunks) return at->second;
        at->second.emplace();
        for (const auto& entry : *entries)
            if (!is_whole(entry.key)) at->second->push_back(entry.slot);
        return at->second;
    }

    void check(const Snapshot& snapshot) {
        Affected affected{snapshot.id, {}};
        for (const auto& world : snapshot.manifest.worlds)
            for (const auto& region : world.regions) {
                const auto& lost = lost_slots(region);
                if (!lost)
                    affected.lost.push_back(fmt::format("{} of {}", region.pos, world.name));
                else
                    for (const auto slot : *lost) {
                        const auto pos = region.pos.chunk(slot);
                        affected.lost.push_back(fmt::format("{} of {}", pos, world.name));
                    }
            }
        for (const auto& file : snapshot.manifest.files)
            if (!std::ranges::all_of(file.pieces, [&](const Key& key) { return is_whole(key); }))
                affected.lost.push_back("file " + file.path);
        if (affected.lost.empty()) return;
        report_.problems.push_back(
            error(Errc::not_found, "lost parts of this snapshot: {}", affected.lost.size())
                .in_file(store_.manifest_path(snapshot.id).string())
                .about("snapshot " + snapshot.id)
                .advise(fmt::format("{}orbis snapshot {} {} saves again what still exists",
                                    report_.is_repairable() ? advice() + ", then " : "",
                                    shell_quoted(store_.path().string()),
                                    shell_quoted(snapshot.manifest.source))));
        report_.affected.push_back(std::move(affected));
    }

    [[nodiscard]] std::string advice() const {
        return fmt::format("orbis snapshots {} --repair", shell_quoted(store_.path().string()));
    }

    const SnapshotStore& store_;
    std::size_t threads_;
    Progress& progress_;
    std::unique_ptr<Contents> contents_;
    std::vector<BlockWork> blocks_;
    /// By key and the count of chunks that the manifest gives, which may be wrong.
    std::map<std::pair<Key, std::uint16_t>, std::optional<std::vector<Slot>>> tables_;
    Decompressor decompressor_;
    VerifyReport report_;
};

} // namespace

Result<VerifyReport> verify(const SnapshotStore& store, std::size_t threads, Progress& progress) {
    return Verification(store, threads, progress).run();
}

} // namespace orbis::jobs::snapshot
