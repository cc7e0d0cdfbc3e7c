#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "storage/provider.hpp"
#include "storage/stores_test.hpp"
#include "storage/zip_directory.hpp"
#include "support/documents.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;
using test_stores::read_file;
using test_stores::write_file;
using test_stores::writing;

struct ZipMaker {
    bool deflated = false;
    std::string comment = {};

    void make(const fs::path& path, const std::vector<std::pair<std::string, Buffer>>& files) const {
        int code = 0;
        auto* const zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
        ASSERT_NE(zip, nullptr) << code;
        for (const auto& [name, content] : files) {
            if (name.ends_with('/')) {
                ASSERT_GE(zip_dir_add(zip, name.c_str(), 0), 0);
                continue;
            }
            auto* const source = zip_source_buffer(zip, content.data(), content.size(), 0);
            const auto index = zip_file_add(zip, name.c_str(), source, ZIP_FL_OVERWRITE);
            ASSERT_GE(index, 0) << zip_strerror(zip);
            ASSERT_EQ(zip_set_file_compression(zip, static_cast<zip_uint64_t>(index),
                                               deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0),
                      0);
        }
        if (!comment.empty())
            zip_set_archive_comment(zip, comment.c_str(), static_cast<zip_uint16_t>(comment.size()));
        ASSERT_EQ(zip_close(zip), 0) << zip_strerror(zip);
    }
};

Buffer bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Result<std::string> text_of(const Tree& tree, const std::string& path) {
    TRY(const auto file, tree.open(path));
    return read_text(*file, 1 << 20);
}

std::vector<std::string> names_in(const Tree& tree, const std::string& folder) {
    std::vector<std::string> names;
    const auto entries = tree.list(folder).value();
    for (const auto& entry : entries) names.push_back(entry.name + (entry.is_folder ? "/" : ""));
    return names;
}

TEST(ZipTree, AStoreInAZipEqualsTheFolder) {
    SEEDED_RANDOM(random);
    const test::TemporaryFolder folder;
    const auto options = writing(SyncPolicy::none);
    std::map<ChunkPos, Buffer> model;
    {
        const auto store = open_store(Folder(open_disk_tree(folder / "world")), {}, options).value();
        for (int i = 0; i < 60; ++i) {
            const ChunkPos pos{static_cast<int>(random() % 90) - 45, static_cast<int>(random() % 20)};
            model[pos] = test::random_document(random, 9000);
            ASSERT_TRUE(store->write(pos, model[pos]));
        }
    }
    std::vector<std::pair<std::string, Buffer>> files;
    for (const auto& entry : fs::directory_iterator(folder / "world" / "chunks"))
        files.emplace_back("worlds/default/chunks/" + entry.path().filename().string(),
                           read_file(entry.path()));
    for (const bool deflated : {false, true})
        for (const bool windows : {false, true}) {
            auto named = files;
            if (windows)
                for (auto& [name, content] : named) std::replace(name.begin(), name.end(), '/', '\\');
            ZipMaker{.deflated = deflated, .comment = "2026.01.28"}.make(folder / "backup.zip", named);
            const auto tree = open_zip_tree(folder / "backup.zip").value();
            EXPECT_EQ(tree->comment(), "2026.01.28");
            const auto store = open_store(Folder(tree, "worlds/default"), {}, {}).value();
            ReadContext context;
            const auto cursor = store->chunks();
            std::size_t count = 0;
            while (const auto pos = cursor->next().value()) {
                ++count;
                const auto found = store->read(*pos, context).value().value();
                ASSERT_EQ(Buffer(found.begin(), found.end()), model.at(*pos));
            }
            EXPECT_EQ(count, model.size());
            const auto writable = open_store(Folder(tree, "worlds/default"), {}, options);
            ASSERT_FALSE(writable);
            EXPECT_EQ(writable.error().code, Errc::read_only);
            EXPECT_EQ(store->write({0, 0}, as_bytes("x")).error().code, Errc::read_only);
            EXPECT_EQ(store->remove(model.begin()->first).error().code, Errc::read_only);
        }
}

TEST(ZipTree, FoldersAreSeenWhetherTheyHaveEntriesOrNot) {
    const test::TemporaryFolder folder;
    ZipMaker{}.make(folder / "a.zip", {{"worlds/", {}},
                                       {"worlds/a/config.json", bytes_of("{}")},
                                       {"worlds/b/x/y", bytes_of("y")},
                                       {"memories.json", bytes_of("[]")},
                                       {"empty/", {}}});
    const auto tree = open_zip_tree(folder / "a.zip").value();
    EXPECT_EQ(names_in(*tree, ""), (std::vector<std::string>{"empty/", "memories.json", "worlds/"}));
    EXPECT_EQ(names_in(*tree, "worlds"), (std::vector<std::string>{"a/", "b/"}));
    EXPECT_EQ(names_in(*tree, "empty"), std::vector<std::string>{});
    EXPECT_EQ(text_of(*tree, "worlds/b/x/y").value(), "y");
    EXPECT_EQ(tree->list("worlds/c").error().code, Errc::not_found);
    EXPECT_EQ(tree->list("memories.json").error().code, Errc::not_found);
    EXPECT_EQ(tree->open("worlds").error().code, Errc::not_found);
    EXPECT_FALSE(tree->find("worlds/a/other"));
    EXPECT_FALSE(tree->on_disk("memories.json"));
}

TEST(ZipTree, NamesThatClimbOrStartAtTheRootLeadNowhereElse) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "secret") << "outside";
    ZipMaker{}.make(folder / "a.zip", {{"../secret", bytes_of("inside 1")},
                                       {"/etc/passwd", bytes_of("inside 2")},
                                       {"a/../../secret", bytes_of("inside 3")},
                                       {"C:\\x", bytes_of("inside 4")},
                                       {"./b/./c", bytes_of("inside 5")}});
    const auto tree = open_zip_tree(folder / "a.zip").value();
    EXPECT_FALSE(tree->open("../secret"));
    EXPECT_FALSE(tree->find("a/../../secret"));
    EXPECT_EQ(text_of(*tree, "etc/passwd").value(), "inside 2") << "only a name";
    EXPECT_EQ(text_of(*tree, "C:/x").value(), "inside 4");
    EXPECT_EQ(text_of(*tree, "b/c").value(), "inside 5");
    EXPECT_EQ(names_in(*tree, ""), (std::vector<std::string>{"C:/", "b/", "etc/"}));
}

TEST(ZipTree, EveryTruncationIsAnError) {
    const test::TemporaryFolder folder;
    ZipMaker{}.make(folder / "whole.zip", {{"a", bytes_of("first")}, {"b", Buffer(300, 'x')}});
    const auto whole = read_file(folder / "whole.zip");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const test::MemoryFile file(Buffer(whole.begin(), whole.begin() + static_cast<long>(length)),
                                    "cut.zip");
        const auto directory = read_zip_directory(file);
        ASSERT_FALSE(directory) << length;
        EXPECT_EQ(directory.error().file, "cut.zip");
    }
    EXPECT_EQ(open_zip_tree(folder / "none.zip").error().code, Errc::not_found);
}

TEST(ZipTree, EveryByteThatIsWrongIsAnErrorOrAnotherContentButNeverACrash) {
    const test::TemporaryFolder folder;
    for (const bool deflated : {false, true}) {
        ZipMaker{.deflated = deflated}.make(folder / "whole.zip",
                                            {{"a", Buffer(90, 'y')}, {"b/c", Buffer(300, 'x')}});
        const auto whole = read_file(folder / "whole.zip");
        for (std::size_t at = 0; at < whole.size(); ++at) {
            auto damaged = whole;
            damaged[at] ^= 0xFF;
            write_file(folder / "damaged.zip", damaged);
            const auto tree = open_zip_tree(folder / "damaged.zip");
            if (!tree) continue;
            for (const char* name : {"a", "b/c"})
                if (const auto text = text_of(**tree, name)) {
                    ASSERT_LE(text->size(), 300U);
                }
        }
    }
}

TEST(ZipTree, AStoredFileThatWouldReachBehindTheEndIsAnError) {
    const test::TemporaryFolder folder;
    const auto path = folder / "a.zip";
    ZipMaker{}.make(path, {{"a", bytes_of("content")}});
    const auto whole = read_file(path);
    const auto entry = as_text(whole).rfind("PK\x01\x02");
    ASSERT_NE(entry, std::string_view::npos);
    const auto data = static_cast<std::uint32_t>(30 + 1); // behind its own header
    const auto opens = [&](std::uint32_t size) {
        auto image = whole;
        for (const auto at : {entry + 20, entry + 24}) store_le(image.data() + at, size);
        write_file(path, image);
        const auto tree = open_zip_tree(path);
        return tree && (*tree)->open("a");
    };
    const auto rest = static_cast<std::uint32_t>(whole.size()) - data;
    EXPECT_TRUE(opens(7));
    EXPECT_TRUE(opens(rest));
    for (const auto size : {rest + 1, rest + data, rest + data + 1, 0x7FFFFFFFU})
        EXPECT_FALSE(opens(size)) << size;
}

TEST(ZipTree, AnEmptyZipIsAnEmptyFolder) {
    const test::TemporaryFolder folder;
    Buffer image;
    Writer writer(image);
    writer.le<std::uint32_t>(0x06054B50);
    writer.zeros(18);
    write_file(folder / "empty.zip", image);
    const auto tree = open_zip_tree(folder / "empty.zip").value();
    EXPECT_TRUE(tree->list("").value().empty());
    EXPECT_FALSE(tree->find("a"));
}

/// The end record of a zip: where its counts and its directory are said.
Buffer end_record(std::uint16_t entries, std::uint32_t size, std::uint32_t offset) {
    Buffer image;
    Writer writer(image);
    writer.le<std::uint32_t>(0x06054B50);
    writer.zeros(4);
    writer.le(entries);
    writer.le(entries);
    writer.le(size);
    writer.le(offset);
    writer.le<std::uint16_t>(0);
    return image;
}

TEST(ZipDirectory, ClaimsCostNoMemoryAndAreAnswered) {
    EXPECT_TRUE(read_zip_directory(test::MemoryFile(end_record(0xFFFF, 0, 0))).value().entries.empty());
    EXPECT_EQ(read_zip_directory(test::MemoryFile(end_record(1, 0x7FFFFFFF, 0))).error().code,
              Errc::truncated);
    EXPECT_EQ(read_zip_directory(test::MemoryFile(end_record(1, 4, 0xFFFFFFF0))).error().code,
              Errc::truncated);
    EXPECT_EQ(read_zip_directory(test::MemoryFile(end_record(1, 22, 0))).error().code, Errc::bad_value);
}

/// A comment may hold anything, also what looks like the end of a zip.
TEST(ZipDirectory, AnEndRecordInsideOfTheCommentIsPartOfIt) {
    for (const std::size_t before : {0U, 1U, 30U})
        for (const std::size_t behind : {1U, 2U, 30U}) {
            auto comment = std::string(before, 'c');
            comment += as_text(end_record(1, 22, 0)); // would lead to an error
            comment += std::string(behind, 'c');
            auto image = end_record(0, 0, 0);
            store_le(image.data() + 20, static_cast<std::uint16_t>(comment.size()));
            image.insert(image.end(), comment.begin(), comment.end());
            const auto directory = read_zip_directory(test::MemoryFile(image));
            ASSERT_TRUE(directory) << before << " " << behind << ": " << directory.error().text();
            EXPECT_TRUE(directory->entries.empty());
            EXPECT_EQ(directory->comment, comment);
        }
}

TEST(ZipDirectory, TheLongestCommentIsRead) {
    const std::string comment(0xFFFF, 'c');
    auto image = end_record(0, 0, 0);
    store_le(image.data() + 20, std::uint16_t{0xFFFF});
    image.insert(image.end(), comment.begin(), comment.end());
    EXPECT_EQ(read_zip_directory(test::MemoryFile(image)).value().comment, comment);
    image.push_back('c'); // now nothing ends where the file does
    EXPECT_FALSE(read_zip_directory(test::MemoryFile(image)));
}

TEST(ZipDirectory, ReadsTheWideFieldsOfZip64) {
    Buffer image;
    Writer writer(image);
    writer.le<std::uint32_t>(0x04034B50);
    writer.zeros(22);
    writer.le<std::uint16_t>(1);
    writer.le<std::uint16_t>(0);
    writer.bytes(as_bytes("aCONTENT"));
    const auto directory = image.size();
    writer.le<std::uint32_t>(0x02014B50);
    writer.zeros(16);
    writer.le<std::uint32_t>(0xFFFFFFFF);
    writer.le<std::uint32_t>(0xFFFFFFFF);
    writer.le<std::uint16_t>(1);
    writer.le<std::uint16_t>(28 + 5);
    writer.zeros(10);
    writer.le<std::uint32_t>(0xFFFFFFFF);
    writer.u8('a');
    writer.le<std::uint16_t>(0x7777); // a field of somebody else stands before it
    writer.le<std::uint16_t>(1);
    writer.u8(0);
    writer.le<std::uint16_t>(1);
    writer.le<std::uint16_t>(24);
    for (const std::uint64_t value : {7U, 7U, 0U}) writer.le(value);
    const auto end64 = image.size();
    writer.le<std::uint32_t>(0x06064B50);
    writer.zeros(36);
    writer.le<std::uint64_t>(end64 - directory);
    writer.le<std::uint64_t>(directory);
    writer.le<std::uint32_t>(0x07064B50);
    writer.zeros(4);
    writer.le<std::uint64_t>(end64);
    writer.zeros(4);
    writer.bytes(end_record(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF));

    const test::MemoryFile file(image);
    const auto read = read_zip_directory(file);
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_EQ(read->entries.size(), 1U);
    const auto& entry = read->entries.front();
    EXPECT_EQ(entry.path, "a");
    EXPECT_TRUE(entry.is_stored());
    EXPECT_EQ(entry.size, 7U);
    const auto offset = zip_data_offset(file, entry).value();
    EXPECT_EQ(as_text(file.view(offset, 7).value().bytes()), "CONTENT");
}

TEST(ZipDirectory, EachWideFieldStandsForItsOwn) {
    constexpr std::uint32_t k_wide = 0xFFFFFFFF;
    const auto read = [](std::uint32_t packed, std::uint32_t size, std::uint32_t offset,
                         const std::vector<std::uint64_t>& values) {
        Buffer image;
        Writer writer(image);
        writer.le<std::uint32_t>(0x02014B50);
        writer.zeros(16);
        writer.le(packed);
        writer.le(size);
        writer.le<std::uint16_t>(1);
        writer.le(static_cast<std::uint16_t>(4 + 8 * values.size()));
        writer.zeros(10);
        writer.le(offset);
        writer.u8('a');
        writer.le<std::uint16_t>(1);
        writer.le(static_cast<std::uint16_t>(8 * values.size()));
        for (const auto value : values) writer.le(value);
        const auto length = static_cast<std::uint32_t>(image.size());
        writer.bytes(end_record(1, length, 0));
        const auto directory = read_zip_directory(test::MemoryFile(image)).value();
        const auto& entry = directory.entries.at(0);
        return std::array<std::uint64_t, 3>{entry.packed_size, entry.size, entry.header_offset};
    };
    using Fields = std::array<std::uint64_t, 3>;
    EXPECT_EQ(read(k_wide, k_wide, k_wide, {100, 40, 7}), (Fields{40, 100, 7}));
    EXPECT_EQ(read(k_wide, 100, 7, {40}), (Fields{40, 100, 7}));
    EXPECT_EQ(read(40, k_wide, 7, {100}), (Fields{40, 100, 7}));
    EXPECT_EQ(read(40, 100, k_wide, {7}), (Fields{40, 100, 7}));
    EXPECT_EQ(read(40, k_wide, k_wide, {100, 7}), (Fields{40, 100, 7}));
    EXPECT_EQ(read(k_wide - 1, 100, 7, {40}), (Fields{k_wide - 1, 100, 7}));
}

TEST(ZipDirectory, AnExtraFieldThatClaimsMoreThanThereIsEnds) {
    Buffer image;
    Writer writer(image);
    writer.le<std::uint32_t>(0x02014B50);
    writer.zeros(24);
    writer.le<std::uint16_t>(1);
    writer.le<std::uint16_t>(8);
    writer.zeros(14);
    writer.u8('a');
    writer.le<std::uint16_t>(1);
    writer.le<std::uint16_t>(0xFFFF);
    writer.zeros(4);
    const auto size = static_cast<std::uint32_t>(image.size());
    writer.bytes(end_record(1, size, 0));
    EXPECT_EQ(read_zip_directory(test::MemoryFile(image)).value().entries.size(), 1U);
}

TEST(ZipTree, AnEntryThatClaimsMoreThanTheZipHoldsIsAnError) {
    const test::TemporaryFolder folder;
    ZipMaker{}.make(folder / "a.zip", {{"a", bytes_of("first")}});
    auto image = read_file(folder / "a.zip");
    const std::string_view signature("PK\x01\x02");
    const auto entry = as_text(image).find(signature);
    for (const std::uint32_t claim : {300U, 0x7FFFFFFFU, 0xFFFFFFFEU}) {
        store_le(image.data() + entry + 20, claim);
        store_le(image.data() + entry + 24, claim);
        write_file(folder / "lies.zip", image);
        const auto tree = open_zip_tree(folder / "lies.zip").value();
        const auto file = tree->open("a");
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, Errc::truncated);
        EXPECT_EQ(file.error().file, (folder / "lies.zip").string() + ":a");
    }
}

TEST(ZipTree, PathsOfManyFoldersAreRefusedBeforeTheyTakeMemory) {
    const test::TemporaryFolder folder;
    const auto opens = [&](const std::string& name) {
        fs::remove(folder / "a.zip");
        ZipMaker{}.make(folder / "a.zip", {{name, bytes_of("x")}});
        const auto tree = open_zip_tree(folder / "a.zip");
        if (!tree) {
            EXPECT_EQ(tree.error().code, Errc::too_deep);
        }
        return tree.has_value();
    };
    const auto deep = [](int folders) {
        std::string path;
        for (int i = 0; i < folders; ++i) path += "d/";
        return path + "f";
    };
    EXPECT_TRUE(opens(deep(63)));
    EXPECT_FALSE(opens(deep(64)));
    EXPECT_FALSE(opens(deep(20'000)));
    EXPECT_TRUE(opens(std::string(4096, 'n')));
    EXPECT_FALSE(opens(std::string(4097, 'n')));
}

TEST(ZipTree, WhatExpandsBeyondMeasureIsRefusedAndZerosTakeNoSpace) {
    const test::TemporaryFolder folder;
    const auto most = std::size_t{128} << 20;
    ZipMaker{.deflated = true}.make(folder / "a.zip", {{"a", Buffer(most)}});
    const auto tree = open_zip_tree(folder / "a.zip").value();
    const auto file = tree->open("a").value();
    EXPECT_EQ(file->size().value(), most);
    EXPECT_EQ(file->view(most - 1, 1).value().bytes()[0], 0);
    EXPECT_GE(file->next_data(0).value().begin, most - 4096) << "nothing but the last page was written";
    // One byte more, as the directory says.
    auto image = read_file(folder / "a.zip");
    const auto entry = as_text(image).rfind("PK\1\2");
    store_le(image.data() + entry + 24, static_cast<std::uint32_t>(most + 1));
    write_file(folder / "more.zip", image);
    const auto refused = open_zip_tree(folder / "more.zip");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::too_large);
}

/// One file of a zip that is made by hand, right or wrong.
struct HandMade {
    std::string name;
    std::string content = {};
    std::string extra = {};         ///< of its own header, unlike in the directory
    std::string comment = {};       ///< in the directory
    std::uint16_t method = 0;       ///< that the directory claims
    std::uint16_t flags = 0;        ///< likewise
    std::uint32_t claimed_size = 0; ///< likewise, where it is not the length of the content
};

Buffer hand_made_zip(const std::vector<HandMade>& files) {
    Buffer image;
    Writer out(image);
    std::vector<std::uint32_t> offsets;
    for (const auto& file : files) {
        offsets.push_back(static_cast<std::uint32_t>(image.size()));
        out.le<std::uint32_t>(0x04034B50);
        out.zeros(22);
        out.le(static_cast<std::uint16_t>(file.name.size()));
        out.le(static_cast<std::uint16_t>(file.extra.size()));
        for (const auto* text : {&file.name, &file.extra, &file.content}) out.bytes(as_bytes(*text));
    }
    const auto directory = static_cast<std::uint32_t>(image.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto& file = files[i];
        const auto length = static_cast<std::uint32_t>(file.content.size());
        out.le<std::uint32_t>(0x02014B50);
        out.zeros(4);
        out.le(file.flags);
        out.le(file.method);
        out.zeros(8);
        out.le(length);
        out.le(file.claimed_size != 0 ? file.claimed_size : length);
        out.le(static_cast<std::uint16_t>(file.name.size()));
        out.le<std::uint16_t>(0);
        out.le(static_cast<std::uint16_t>(file.comment.size()));
        out.zeros(8);
        out.le(offsets[i]);
        out.bytes(as_bytes(file.name));
        out.bytes(as_bytes(file.comment));
    }
    const auto size = static_cast<std::uint32_t>(image.size()) - directory;
    out.bytes(end_record(static_cast<std::uint16_t>(files.size()), size, directory));
    return image;
}

TEST(ZipTree, ReadsPastCommentsAndExtraFieldsOfItsEntries) {
    const test::TemporaryFolder folder;
    write_file(folder / "a.zip",
               hand_made_zip({{.name = "a", .content = "first", .extra = "12345", .comment = "a comment"},
                              {.name = "sub\\b", .content = "second", .comment = "another"},
                              {.name = "folder\\"},
                              {.name = "c", .content = "third", .extra = "1"}}));
    const auto tree = open_zip_tree(folder / "a.zip").value();
    EXPECT_EQ(names_in(*tree, ""), (std::vector<std::string>{"a", "c", "folder/", "sub/"}));
    EXPECT_EQ(text_of(*tree, "a").value(), "first");
    EXPECT_EQ(text_of(*tree, "sub/b").value(), "second");
    EXPECT_EQ(text_of(*tree, "c").value(), "third");
    EXPECT_EQ(tree->find("c")->size, 5U);
    EXPECT_EQ(tree->open("c").value()->name(), (folder / "a.zip").string() + ":c");
}

TEST(ZipTree, OfTwoFilesOfOneNameTheLaterIsIt) {
    const test::TemporaryFolder folder;
    write_file(folder / "a.zip", hand_made_zip({{.name = "a", .content = "older"},
                                                {.name = "./a", .content = "newer one"},
                                                {.name = "b", .content = "b"}}));
    const auto tree = open_zip_tree(folder / "a.zip").value();
    EXPECT_EQ(names_in(*tree, ""), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(text_of(*tree, "a").value(), "newer one");
    EXPECT_EQ(tree->find("a")->size, 9U);
}

TEST(ZipTree, WhatIsNotStoredPlainIsNotReadInPlace) {
    const test::TemporaryFolder folder;
    for (const HandMade& file : {HandMade{.name = "a", .content = "12345", .method = 8},
                                 HandMade{.name = "a", .content = "12345", .flags = 1},
                                 HandMade{.name = "a", .content = "12345", .claimed_size = 4}}) {
        write_file(folder / "a.zip", hand_made_zip({file}));
        const auto tree = open_zip_tree(folder / "a.zip").value();
        EXPECT_FALSE(text_of(*tree, "a"));
    }
}

TEST(ZipTree, AllThatWouldBeUnpackedIsCountedToTheByte) {
    const test::TemporaryFolder folder;
    const auto opens = [&](const std::vector<HandMade>& files) {
        write_file(folder / "a.zip", hand_made_zip(files));
        return open_zip_tree(folder / "a.zip").has_value();
    };
    constexpr std::uint32_t most = 128 << 20; // of a small zip
    const HandMade half{.name = "a", .content = "1", .method = 8, .claimed_size = most / 2};
    auto other = half;
    other.name = "b";
    EXPECT_TRUE(opens({half, other}));
    ++other.claimed_size;
    EXPECT_FALSE(opens({half, other})) << "two are too much together";
    other.name = "../b";
    EXPECT_TRUE(opens({half, other})) << "one of them can never be opened";
    // A zip of 3 MB may hold fifty times as much.
    const HandMade plain{.name = "plain", .content = std::string(3'000'000, 'x')};
    HandMade packed{.name = "packed", .content = "1", .method = 8, .claimed_size = 1};
    const auto size = static_cast<std::uint32_t>(hand_made_zip({plain, packed}).size());
    packed.claimed_size = 50 * size;
    EXPECT_TRUE(opens({plain, packed}));
    ++packed.claimed_size;
    EXPECT_FALSE(opens({plain, packed}));
}

TEST(ZipTree, AnEntryThatUnpacksToMoreOrLessThanItSaysIsAnError) {
    const test::TemporaryFolder folder;
    ZipMaker{.deflated = true}.make(folder / "a.zip", {{"a", Buffer(300, 'x')}});
    auto image = read_file(folder / "a.zip");
    const auto entry = as_text(image).rfind("PK\1\2");
    for (const std::uint32_t claim : {300U, 299U, 301U, 1U, 70'000U}) {
        store_le(image.data() + entry + 24, claim);
        write_file(folder / "claims.zip", image);
        const auto tree = open_zip_tree(folder / "claims.zip").value();
        EXPECT_EQ(text_of(*tree, "a").has_value(), claim == 300) << claim;
    }
}

TEST(ZipTree, AnUnpackedFileIsReadOnlyAndKeepsItsHoles) {
    const test::TemporaryFolder folder;
    Buffer content(300'000);
    content[150'000] = 7;
    ZipMaker{.deflated = true}.make(folder / "a.zip", {{"a", content}, {"empty", {}}});
    const auto tree = open_zip_tree(folder / "a.zip").value();
    const auto file = tree->open("a").value();
    EXPECT_TRUE(std::ranges::equal(file->view(0, content.size()).value().bytes(), content));
    EXPECT_EQ(file->name(), (folder / "a.zip").string() + ":a");
    EXPECT_EQ(file->view(299'999, 2).error().file, file->name());
    EXPECT_EQ(file->write(0, as_bytes("x")).error().code, Errc::read_only);
    EXPECT_EQ(tree->open("empty").value()->size().value(), 0U);
}

TEST(ZipDirectory, AMillionFilesAreReadAndOneMoreIsRefused) {
    constexpr std::size_t most = 1'000'000;
    Buffer entry;
    Writer one(entry);
    one.le<std::uint32_t>(0x02014B50);
    one.zeros(24);
    one.le<std::uint16_t>(1);
    one.zeros(16);
    one.u8('a');
    Buffer image;
    image.reserve((most + 1) * entry.size() + 22);
    for (std::size_t i = 0; i <= most; ++i) image.insert(image.end(), entry.begin(), entry.end());
    const auto directory = static_cast<std::uint32_t>(image.size());
    Writer(image).bytes(end_record(0xFFFF, directory, 0));
    const test::MemoryFile more(image);
    EXPECT_EQ(read_zip_directory(more).error().code, Errc::too_large);
    image.resize(directory);
    const auto length = static_cast<std::uint32_t>(entry.size());
    Writer(image).bytes(end_record(0xFFFF, directory - length, length));
    const test::MemoryFile fits(std::move(image));
    EXPECT_EQ(read_zip_directory(fits).value().entries.size(), most);
}

} // namespace
} // namespace orbis::storage
