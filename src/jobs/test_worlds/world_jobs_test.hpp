#pragma once

#include "jobs/test_worlds/old_documents_test.hpp"
#include "support/region_images.hpp"
#include "support/shared.hpp"
#include "world/location.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

/// A small world for tests of jobs that go through all chunks.
namespace orbis::jobs::test_worlds {

inline void put(const std::filesystem::path& path, Bytes bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << as_text(bytes);
}

/// The region file 0.0 of a world in `folder`, with these documents in slots 0, 1, 2 …
inline world::World make_world(const std::filesystem::path& folder, const std::vector<Buffer>& chunks,
                               int container = 1) {
    test::RegionContent content;
    for (std::size_t i = 0; i < chunks.size(); ++i)
        content[static_cast<std::int32_t>(i)] = test::compressed_blob(chunks[i]);
    put(folder / "config.json", as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})"));
    put(folder / "chunks" / "0.0.region.bin",
        container == 0 ? test::region_v0_image(content) : test::region_v1_image(content));
    const auto location = world::find_location(folder);
    EXPECT_TRUE(location) << location.error().text();
    return location->worlds.at(0);
}

} // namespace orbis::jobs::test_worlds
