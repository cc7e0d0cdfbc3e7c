#pragma once

#include <gtest/gtest.h>
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

/// Packs of assets that tests make.
namespace orbis::test {

/// Contents by path.
using Files = std::map<std::string, std::string>;

inline void write(const std::filesystem::path& root, const Files& files) {
    for (const auto& [path, text] : files) {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path, std::ios::binary) << text;
    }
}

inline void write_zip(const std::filesystem::path& path, const Files& files) {
    int code = 0;
    auto* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    ASSERT_NE(archive, nullptr);
    for (const auto& [name, text] : files)
        zip_file_add(archive, name.c_str(), zip_source_buffer(archive, text.data(), text.size(), 0),
                     ZIP_FL_OVERWRITE);
    ASSERT_EQ(zip_close(archive), 0);
}

} // namespace orbis::test
