#include "jobs/convert/convert.hpp"

#include "jobs/inspect/survey.hpp"
#include "storage/walk.hpp"

#include <algorithm>

namespace orbis::jobs {

namespace {

using storage::ReadContext;
using storage::Store;

bool equal(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

constexpr std::uint64_t k_sync_every = 256;

/// A chunk on its way from one store to the other.
struct Load {
    Buffer frame; ///< empty when there is nothing to write
    std::uint32_t raw_size = 0;
    bool is_there = false; ///< an earlier run brought the same content over
    std::optional<Error> problem;
};

class Conversion {
public:
    Conversion(const Store& from, Store& to, std::size_t threads, Progress& progress, ConvertReport& report)
        : from_(from), to_(to), threads_(threads), progress_(progress), report_(report) {}

    Result<void> run() {
        report_overlaps();
        const auto total = storage::count_chunks(from_);
        progress_.begin("Copying", total);
        TRY_DO(copy());
        TRY_DO(to_.sync());
        progress_.begin("Verifying", total);
        verify();
        return {};
    }

private:
    /// After the copy each of two chunks on one segment has its own, and nothing would tell any more.
    void report_overlaps() {
        const auto* files = from_.region_files();
        if (files == nullptr) return;
        const auto surveys = survey(*files, threads_);
        if (!surveys) return; // the copy will say so
        for (const auto& region : *surveys)
            for (const auto& problem : region.problems)
                if (problem.code == Errc::overlap) report_.problems.push_back(problem);
    }

    Result<void> copy() {
        std::optional<Error> fatal;
        storage::walk<Load>(from_, threads_,
                            {.work = [&](ChunkPos pos, ReadContext& context) { return fetch(pos, context); },
                             .emit =
                                 [&](ChunkPos pos, Load& load) {
                                     progress_.step();
                                     if (auto done = put(pos, load); !done) fatal = std::move(done).error();
                                     return !fatal;
                                 },
                             .on_error =
                                 [&](const Error& error) {
                                     report_.problems.push_back(error);
                                     ++report_.missing;
                                 }});
        if (fatal) return std::unexpected(*std::move(fatal));
        return {};
    }

    /// Runs on any thread.
    Load fetch(ChunkPos pos, ReadContext& context) const {
        Load load;
        const auto frame = from_.read_compressed(pos, context);
        if (!frame) {
            load.problem = frame.error();
            return load;
        }
        if (!*frame) return load; // removed since it was listed
        load.frame.assign((*frame)->bytes.begin(), (*frame)->bytes.end());
        load.raw_size = (*frame)->raw_size;
        const auto document = from_.read(pos, context);
        if (!document)
            load.problem = document.error();
        else if (to_.contains(pos).value_or(false))
            load.is_there = same_document(pos, context).value_or(false);
        return load;
    }

    /// Runs in order, one at a time. Only what concerns the target ends the conversion.
    Result<void> put(ChunkPos pos, const Load& load) {
        if (load.problem) report_.problems.push_back(*load.problem);
        if (load.frame.empty()) return {}; // what is missing is counted when everything is read back
        if (load.is_there) {
            ++report_.already_there;
            return {};
        }
        if (load.problem && !to_.keeps_compressed()) return {}; // only its compressed bytes exist
        TRY_DO(to_.write_compressed(pos, {load.frame, load.raw_size}));
        ++report_.written;
        // What is synced need not be copied again after an interruption.
        return report_.written % k_sync_every == 0 ? to_.sync() : Result<void>();
    }

    void verify() {
        storage::walk<std::optional<Error>>(
            from_, threads_,
            {.work = [&](ChunkPos pos, ReadContext& context) { return compare(pos, context); },
             .emit =
                 [&](ChunkPos, std::optional<Error>& problem) {
                     progress_.step();
                     ++(problem ? report_.missing : report_.verified);
                     if (problem) report_.problems.push_back(*std::move(problem));
                     return true;
                 },
             .on_error = [](const Error&) {}}); // reported while copying
    }

    /// Runs on any thread. Equal frames hold equal documents, so most chunks need not be decompressed.
    std::optional<Error> compare(ChunkPos pos, ReadContext& context) const {
        if (from_.keeps_compressed() && to_.keeps_compressed() && same_frame(pos, context).value_or(false))
            return std::nullopt;
        const auto same = same_document(pos, context);
        if (same && *same) return std::nullopt;
        if (!from_.read(pos, context))
            return error(Errc::not_found, "this chunk is damaged and was not converted")
                .in_file(to_.name())
                .at(pos)
                .advise(
                    "it is still in the source; restore it there from a backup and run the conversion again");
        if (!same) return same.error();
        return error(Errc::mismatch, "this chunk differs from the one in {}", from_.name())
            .in_file(to_.name())
            .at(pos)
            .advise("run the conversion again");
    }

    Result<bool> same_frame(ChunkPos pos, ReadContext& context) const {
        TRY(const auto before, from_.read_compressed(pos, context));
        if (!before) return false;
        const Buffer kept(before->bytes.begin(), before->bytes.end());
        const auto raw_size = before->raw_size;
        TRY(const auto after, to_.read_compressed(pos, context));
        return after && after->raw_size == raw_size && equal(kept, after->bytes);
    }

    Result<bool> same_document(ChunkPos pos, ReadContext& context) const {
        TRY(const auto before, from_.read(pos, context));
        if (!before) return false;
        const Buffer kept(before->begin(), before->end());
        TRY(const auto after, to_.read(pos, context));
        return after && equal(kept, *after);
    }

    const Store& from_;
    Store& to_;
    std::size_t threads_;
    Progress& progress_;
    ConvertReport& report_;
};

} // namespace

Result<void> convert_chunks(const Store& from, Store& to, std::size_t threads, Progress& progress,
                            ConvertReport& report) {
    return Conversion(from, to, threads, progress, report).run();
}

} // namespace orbis::jobs
