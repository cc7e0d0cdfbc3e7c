#pragma once

#include "storage/region_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

/// What several tests of stores need.
namespace orbis::storage::test_stores {

inline StoreOptions writing(SyncPolicy sync = SyncPolicy::each, bool force = false) {
    StoreOptions options;
    options.write = true;
    options.create = true;
    options.sync = sync;
    options.force = force;
    return options;
}

inline std::string policy_name(const testing::TestParamInfo<SyncPolicy>& info) {
    return info.param == SyncPolicy::each ? "Each" : info.param == SyncPolicy::batch ? "Batch" : "None";
}

inline Buffer read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, const Buffer& content) {
    std::filesystem::remove(path); // to cut a file that is there makes some file systems wait for the disk
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

} // namespace orbis::storage::test_stores
