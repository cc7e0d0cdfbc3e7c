#pragma once

#include "jobs/snapshot/checkout.hpp"
#include "jobs/snapshot/repair_store.hpp"
#include "jobs/snapshot/source.hpp"
#include "jobs/snapshot/take.hpp"
#include "jobs/snapshot/thin.hpp"
#include "jobs/snapshot/view.hpp"
#include "support/region_images.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

/// Small worlds that change from snapshot to snapshot.
namespace orbis::jobs::snapshot::test_worlds {

namespace fs = std::filesystem;

/// Two seconds before this no file of a test was written.
inline constexpr std::int64_t k_later = 4'000'000'000;

/// What a world holds: documents by chunk and files by path.
struct WorldContent {
    std::map<ChunkPos, Buffer> chunks;
    std::map<std::string, std::string> files;
    friend bool operator==(const WorldContent&, const WorldContent&) = default;
};

inline void put(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

/// Text that compresses a little, different for each seed.
inline Buffer document(std::uint64_t seed, std::size_t size = 6000) {
    std::mt19937_64 random(seed);
    Buffer bytes;
    while (bytes.size() < size) {
        const auto word = fmt::format("block{} ", random() % 500);
        bytes.insert(bytes.end(), word.begin(), word.end());
    }
    return bytes;
}

/// The same document with a few bytes changed, as when somebody places a block.
inline Buffer edited(Buffer bytes, std::mt19937_64& random) {
    for (int i = 0; i < 5; ++i) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    return bytes;
}

/// Writes the world again: region files and the other files.
inline void write_world(const fs::path& folder, const WorldContent& content) {
    std::map<RegionPos, test::RegionContent> regions;
    for (const auto& [pos, bytes] : content.chunks)
        regions[pos.region()][pos.slot().value] = test::compressed_blob(bytes);
    fs::remove_all(folder);
    fs::create_directories(folder / "chunks");
    for (const auto& [pos, region] : regions) {
        const auto image = test::region_v1_image(region);
        put(folder / "chunks" / storage::region_file_name(pos), as_text(image));
    }
    for (const auto& [path, text] : content.files) put(folder / path, text);
}

/// What a world holds that opens as a location: every chunk read, and every file but those of chunks.
inline WorldContent read_location(const world::Location& location) {
    WorldContent content;
    const auto store = location.worlds.at(0).open({}).value();
    storage::ReadContext context;
    const auto cursor = store->chunks();
    while (const auto pos = cursor->next().value()) {
        const auto bytes = store->read(*pos, context).value().value();
        content.chunks[*pos] = Buffer(bytes.begin(), bytes.end());
    }
    const std::function<void(const std::string&)> walk = [&](const std::string& path) {
        const auto entries = location.root.sub(path).list().value();
        for (const auto& entry : entries) {
            const auto below = path.empty() ? entry.name : path + "/" + entry.name;
            if (entry.is_folder) {
                walk(below);
            } else if (!storage::parse_region_file_name(entry.name)) {
                const auto file = location.root.open(below).value();
                content.files[below] = read_text(*file, 64 << 20).value();
            }
        }
    };
    walk({});
    return content;
}

inline WorldContent read_path(const std::string& path) { return read_location(find_source(path).value()); }

/// A world of two regions to start from.
inline WorldContent first_content(int chunks = 40) {
    WorldContent content;
    for (int i = 0; i < chunks; ++i)
        content.chunks[{i % 8 - 4, i / 8}] = document(static_cast<std::uint64_t>(i));
    content.files["config.json"] = R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})";
    content.files["resources/Time.json"] = "{}";
    return content;
}

inline TakeReport take_world(const fs::path& store, const fs::path& world, std::int64_t time,
                             Disk* disk = nullptr, std::size_t threads = 2) {
    NoProgress quiet;
    TakeOptions options;
    options.time = time;
    options.threads = threads;
    options.disk = disk;
    auto report = take(store, find_source(world.string()).value(), options, quiet);
    if (!report) ADD_FAILURE() << report.error().text();
    return report ? *std::move(report) : TakeReport{};
}

inline VerifyReport verify_store(const fs::path& store) {
    NoProgress quiet;
    return verify(SnapshotStore::open(store).value(), 2, quiet).value();
}

} // namespace orbis::jobs::snapshot::test_worlds
