#include "world/sample/sample.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/parallel.hpp"
#include "storage/region_store.hpp"
#include "world/sample/chunk_writer.hpp"
#include "world/sample/flora.hpp"
#include "world/sample/landmarks.hpp"
#include "world/sample/terrain.hpp"
#include "world/sample/universe_files.hpp"
#include "world/sample/village.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace orbis::world::sample {
namespace {

namespace fs = std::filesystem;

void build(const Landscape& landscape, Canvas& canvas) {
    lay_ground(landscape, canvas);
    dig_tunnels(landscape, canvas);
    dig_cave(landscape, canvas);
    build_bridges(landscape, canvas);
    build_village(landscape, canvas);
    lay_fields(landscape, canvas);
    build_pier(landscape, canvas);
    build_hut(landscape, canvas);
    build_tower(landscape, canvas);
    build_stone_circle(landscape, canvas);
    plant_trees(landscape, canvas);
    plant_herbs(landscape, canvas);
    place_inhabitants(landscape, canvas);
}

/// All chunks, region by region and in the order of their slots, so that the files are always the same bytes.
std::vector<ChunkPos> all_chunks() {
    std::vector<ChunkPos> chunks;
    for (int z = k_low_chunk; z < k_low_chunk + k_chunks; ++z)
        for (int x = k_low_chunk; x < k_low_chunk + k_chunks; ++x) chunks.push_back({x, z});
    std::ranges::sort(chunks, {}, [](ChunkPos pos) { return std::pair(pos.region(), pos.slot()); });
    return chunks;
}

Result<void> write_chunks(const fs::path& folder, const Landscape& landscape, const Canvas& canvas,
                          const SampleOptions& options, SampleReport& report) {
    const WorldLight light(canvas);
    storage::StoreOptions store_options;
    store_options.write = true;
    store_options.create = true;
    store_options.sync = storage::SyncPolicy::batch;
    TRY(const auto store,
        storage::open_region_store(storage::Folder(storage::open_disk_tree(folder)), store_options));

    const auto chunks = all_chunks();
    const auto threads = std::max<std::size_t>(options.threads, 1);
    const auto migrations = static_cast<int>(Assets::built_in().migrations.count());
    struct Slot {
        std::size_t index = 0;
        Buffer document;
        Result<void> made;
    };
    std::vector<Slot> ring(in_flight_limit(threads));
    std::vector<std::optional<ChunkWriter>> writers(threads);
    std::size_t next = 0;
    Result<void> outcome;
    run_ordered({.pull =
                     [&](std::size_t ticket) {
                         if (!outcome || next == chunks.size()) return false;
                         ring[ticket].index = next++;
                         return true;
                     },
                 .work =
                     [&](std::size_t ticket, std::size_t worker) {
                         auto& slot = ring[ticket];
                         if (!writers[worker]) writers[worker].emplace(landscape, canvas, light, migrations);
                         slot.made = writers[worker]->write(chunks[slot.index], slot.document);
                     },
                 .push =
                     [&](std::size_t ticket) {
                         auto& slot = ring[ticket];
                         if (outcome) outcome = std::move(slot.made);
                         if (outcome) outcome = store->write(chunks[slot.index], slot.document);
                         if (!outcome) return;
                         ++report.chunks;
                         report.block_components += canvas.components(chunks[slot.index]).size();
                         report.entities += canvas.entities(chunks[slot.index]).size();
                         if (options.on_progress) options.on_progress(report.chunks, chunks.size());
                     }},
                threads);
    TRY_DO(std::move(outcome));
    return store->sync();
}

Result<void> write_text(const fs::path& path, std::string_view text) {
    std::error_code code;
    fs::create_directories(path.parent_path(), code);
    if (code)
        return fail(error(Errc::io, "cannot create the folder: {}", code.message())
                        .in_file(path.parent_path().string()));
    return write_file_atomically(path, as_bytes(text));
}

Result<void> must_be_free(const fs::path& folder) {
    std::error_code code;
    const auto status = fs::symlink_status(folder, code);
    if (!fs::exists(status)) return {};
    if (fs::is_directory(status) && fs::is_empty(folder, code) && !code) return {};
    return fail(error(Errc::exists, "a new or empty folder is needed; this is {}",
                      fs::is_directory(status) ? "a folder with files in it" : "a file")
                    .in_file(folder.string())
                    .advise("choose another path"));
}

Result<void> write_all(const fs::path& folder, const SampleOptions& options, SampleReport& report) {
    const auto chunks = folder / "worlds" / k_world_name / "chunks";
    std::error_code code;
    fs::create_directories(chunks, code);
    if (code)
        return fail(error(Errc::io, "cannot create the folder: {}", code.message()).in_file(chunks.string()));
    const Landscape landscape(options.seed);
    Canvas canvas(Assets::built_in());
    build(landscape, canvas);
    report.blocks = canvas.keys().size() - 1; // without `Empty`
    for (const auto& file : universe_files(landscape)) {
        TRY_DO(write_text(folder / file.path, file.text));
        ++report.files;
    }
    return write_chunks(chunks, landscape, canvas, options, report);
}

} // namespace

Result<SampleReport> write_sample(const fs::path& folder, const SampleOptions& options) {
    if (options.seed > k_largest_seed)
        return fail(Errc::out_of_range, "a seed is at most {}, not {}", k_largest_seed, options.seed);
    TRY_DO(must_be_free(folder));
    // "dir/" and "dir" are the same folder; the one it grows in stands beside it.
    const auto target = fs::absolute(folder.has_filename() ? folder : folder.parent_path());
    auto growing = target;
    growing += fmt::format(".part-{}", getpid());
    SampleReport report;
    auto outcome = write_all(growing, options, report);
    std::error_code code;
    if (outcome) {
        fs::rename(growing, target, code); // also over a folder that is empty
        if (code)
            outcome = fail(
                error(Errc::io, "cannot rename the folder: {}", code.message()).in_file(target.string()));
    }
    if (!outcome) {
        fs::remove_all(growing, code);
        return std::unexpected(std::move(outcome).error());
    }
    TRY_DO(sync_folder(target.parent_path()));
    return report;
}

} // namespace orbis::world::sample
