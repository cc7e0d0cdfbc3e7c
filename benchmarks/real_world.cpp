#include "real_world.hpp"

#include <benchmark/benchmark.h>
#include <zstd.h>

#include <cstdlib>
#include <map>
#include <stdexcept>

namespace orbis::bench {

namespace {

namespace fs = std::filesystem;

std::unique_ptr<RealWorld> load(const fs::path& chunks) {
    auto world = std::make_unique<RealWorld>();
    world->chunks = chunks;
    world->store = storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)), {}).value();
    const auto cursor = world->store->chunks();
    storage::ReadContext context;
    while (true) {
        const auto pos = cursor->next().value();
        if (!pos) break;
        const auto frame = world->store->read_frame(*pos, context).value().value();
        world->positions.push_back(*pos);
        world->frames.emplace_back(frame.bytes.begin(), frame.bytes.end());
        world->raw_sizes.push_back(frame.raw_size);
    }
    return world;
}

} // namespace

void RealWorld::decompress_all() const {
    static const auto context =
        std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)>(ZSTD_createDCtx(), ZSTD_freeDCtx);
    static Buffer out(8 << 20);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const auto got =
            ZSTD_decompressDCtx(context.get(), out.data(), raw_sizes[i], frames[i].data(), frames[i].size());
        if (got != raw_sizes[i]) throw std::runtime_error("a frame of the real worlds does not decompress");
        benchmark::DoNotOptimize(out.data());
    }
}

const RealWorld* real_world(const std::string& name) {
    static std::map<std::string, std::unique_ptr<RealWorld>> worlds;
    auto& world = worlds[name];
    const char* shared =
        std::getenv("ORBIS_SHARED"); // NOLINT(concurrency-mt-unsafe): one thread, never set here
    if (!world && shared != nullptr && fs::is_directory(fs::path(shared) / "worlds" / name / "chunks"))
        world = load(fs::path(shared) / "worlds" / name / "chunks");
    return world.get();
}

} // namespace orbis::bench
