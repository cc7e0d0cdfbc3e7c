#include "bytes/sha256.hpp"
#include "bytes/writer.hpp"
#include "jobs/snapshot/collect.hpp"
#include "jobs/snapshot/content_writer.hpp"
#include "jobs/snapshot/snapshot_worlds_test.hpp"

#include <unistd.h>

namespace orbis::jobs::snapshot {
namespace {

using namespace test_worlds;

/// Packs that are made by hand, in a store that has nothing else.
class ContentsTest : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(packs_);
        put(store_ / "orbis-snapshots", "Orbis snapshot store, version 1\n");
    }

    /// A pack of one block with these contents, compressed together or against a base.
    fs::path add(const std::vector<Buffer>& contents, const Buffer* base = nullptr) {
        Buffer whole;
        std::vector<Part> parts;
        for (const auto& content : contents) {
            parts.push_back({key_of(content), static_cast<std::uint32_t>(whole.size()),
                             static_cast<std::uint32_t>(content.size())});
            whole.insert(whole.end(), content.begin(), content.end());
        }
        Compressor compressor;
        const auto frame =
            (base != nullptr ? compressor.compress_against(*base, whole) : compressor.compress(whole))
                .value();
        return add_frame(frame, static_cast<std::uint32_t>(whole.size()), parts,
                         base != nullptr ? key_of(*base) : Key{});
    }
    fs::path add_frame(Bytes frame, std::uint32_t size, const std::vector<Part>& parts,
                       const Key& base = {}) {
        auto writer = PackWriter::create(real_disk(), packs_).value();
        EXPECT_TRUE(writer.add(frame, size, base, parts));
        EXPECT_TRUE(writer.finish());
        return writer.path();
    }
    /// A pack of exactly this many bytes.
    fs::path add_of_size(std::uint64_t size, std::uint8_t value) {
        const Buffer frame(size - 2 * PackHeader::k_size - BlockEntry::k_size - ContentEntry::k_size, value);
        const auto path = add_frame(frame, 1, {{key_of(Buffer{value}), 0, 1}});
        EXPECT_EQ(fs::file_size(path), size);
        return path;
    }
    static Buffer read_file_bytes(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void flip(const fs::path& path, std::uint64_t at) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(at));
        const auto byte = static_cast<char>(file.get() ^ 0x41);
        file.seekp(static_cast<std::streamoff>(at)).put(byte);
    }
    [[nodiscard]] std::unique_ptr<Contents> open() const {
        std::vector<Error> problems;
        auto contents = Contents::open(packs_, problems).value();
        EXPECT_TRUE(problems.empty());
        return contents;
    }
    [[nodiscard]] CollectReport collect_with(const CollectOptions& options) {
        auto session = Session::begin(store_, false, real_disk()).value();
        return collect(session, options, quiet_).value();
    }
    [[nodiscard]] std::size_t count_packs() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(packs_), {}));
    }

    test::TemporaryFolder folder_;
    fs::path store_ = folder_ / "store";
    fs::path packs_ = store_ / "packs";
    Decompressor decompressor_;
    NoProgress quiet_;
};

TEST_F(ContentsTest, ABaseMustBeThereAndNeedNoOtherItself) {
    const auto first = document(1);
    auto second = first;
    second[5] = 'x';
    auto third = first;
    third[9] = 'y';
    const auto pack = add({first});
    add({second}, &first);
    add({third}, &second);
    {
        const auto contents = open();
        EXPECT_TRUE(contents->has(key_of(first)));
        EXPECT_TRUE(contents->has(key_of(second)));
        EXPECT_FALSE(contents->has(key_of(third))) << "its base needs another";
        EXPECT_EQ(contents->base_for(key_of(first)), key_of(first));
        EXPECT_EQ(contents->base_for(key_of(second)), key_of(first));
        EXPECT_TRUE(std::ranges::equal(contents->read(key_of(second), decompressor_)->bytes, second));
        const auto refused = contents->read(key_of(third), decompressor_);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().problem, "expected a base that needs no other, found one that does");
    }
    fs::remove(pack);
    const auto contents = open();
    EXPECT_FALSE(contents->has(key_of(second))) << "without its base";
    EXPECT_EQ(contents->read(key_of(second), decompressor_).error().code, Errc::not_found);
}

TEST_F(ContentsTest, ADamagedCopyDoesNoHarmWhereAnotherPackHasTheContent) {
    const auto content = document(1);
    const auto other = document(2);
    for (const bool is_first : {true, false}) {
        for (const auto& entry : fs::directory_iterator(packs_)) fs::remove(entry.path());
        auto one = add({content});
        auto two = add({content, other});
        if ((one < two) != is_first) std::swap(one, two);
        flip(one, PackHeader::k_size + 40);
        const auto contents = open();
        const auto read = contents->read(key_of(content), decompressor_);
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_TRUE(std::ranges::equal(read->bytes, content));
        EXPECT_EQ(contents->places(key_of(content)).size(), 2U);
    }
}

TEST_F(ContentsTest, WhatTheDiskDoesNotDeliverIsSaidAsThat) {
    const Buffer noise = [] {
        Buffer bytes(64 << 10);
        std::mt19937_64 random(1);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        return bytes;
    }();
    const auto path = add({noise});
    const auto contents = open();
    const auto& pack = *contents->packs().front();
    const auto frame = pack.frame(pack.block(0).value()).value();
    ASSERT_EQ(truncate(path.c_str(), 4096), 0);
    EXPECT_NE(key_of(frame.bytes()), Key{});
    EXPECT_EQ(pack.check(frame).error().code, Errc::io);
    const auto index = pack.check_index();
    ASSERT_FALSE(index);
    EXPECT_EQ(index.error().code, Errc::io) << index.error().text();
}

TEST_F(ContentsTest, APackIsSortedByKeyAndReadableWithoutItsEnd) {
    const auto path = add({document(1), document(2), document(3), document(4), document(5)});
    {
        const auto contents = open();
        const auto& pack = *contents->packs().front();
        for (std::uint32_t i = 1; i < pack.header().contents; ++i) EXPECT_LT(pack.key(i - 1), pack.key(i));
        const auto header = pack.header();
        EXPECT_EQ(header.length, fs::file_size(path));
    }
    const auto size = fs::file_size(path);
    fs::resize_file(path, size - PackHeader::k_size);
    EXPECT_TRUE(open()->has(key_of(document(1)))) << "the first header is enough";
    fs::resize_file(path, size - PackHeader::k_size - 1);
    const auto cut = Pack::open(open_file(path, FileMode::read).value());
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().problem, fmt::format("expected {} bytes, found {}", size, size - 65));
    fs::resize_file(path, 127);
    EXPECT_EQ(Pack::open(open_file(path, FileMode::read).value()).error().problem,
              "expected at least 128 bytes, found 127");
}

TEST_F(ContentsTest, AnEmptyPackLeavesNothing) {
    auto writer = PackWriter::create(real_disk(), packs_).value();
    EXPECT_EQ(writer.finish().value(), 0U);
    EXPECT_EQ(count_packs(), 0U);
}

TEST_F(ContentsTest, ADryRunSaysWhatEachDeadPartOfABlockTakes) {
    const std::vector<Buffer> four{document(1), document(2), document(3), document(4)};
    const auto path = add(four);
    const auto whole = fs::file_size(path);
    const auto block = open()->packs().front()->block(0).value();
    const auto planned = [&](const std::vector<int>& drop) {
        CollectOptions options{.dry_run = true, .keep_unneeded = true, .drop = {}};
        for (const auto i : drop) options.drop.insert(key_of(document(static_cast<std::uint64_t>(i))));
        return collect_with(options);
    };
    EXPECT_EQ(planned({}).freed(), 0U);
    EXPECT_EQ(planned({9}).contents_dropped, 0U) << "no pack has it";
    const auto two = planned({1, 3, 9});
    const auto needed = four[1].size() + four[3].size();
    EXPECT_EQ(two.contents_dropped, 2U);
    EXPECT_EQ(two.bytes_before, whole);
    EXPECT_EQ(two.freed(), block.stored - block.stored * needed / block.size + 2 * ContentEntry::k_size);
    EXPECT_EQ(planned({1, 2, 3, 4}).bytes_after, 0U) << "the whole pack";
    EXPECT_EQ(fs::file_size(path), whole);
}

TEST_F(ContentsTest, ForgettingRewritesWhatIsNeededAndPacksWithBadTables) {
    add({document(1), document(2), document(3)});
    const auto bad = add({document(4), document(5)});
    const auto good = add({document(6)});
    flip(bad, fs::file_size(bad) - PackHeader::k_size - ContentEntry::k_size); // a byte of a key
    const auto lost = open()->has(key_of(document(4))) ? document(5) : document(4);
    const auto kept = lost == document(4) ? document(5) : document(4);
    CollectOptions options{.merge = false, .keep_unneeded = true, .drop = {key_of(document(2))}};
    const auto report = collect_with(options);
    EXPECT_EQ(report.packs_rewritten, 2U);
    EXPECT_EQ(report.packs_removed, 0U);
    EXPECT_EQ(report.contents_dropped, 1U);
    EXPECT_EQ(count_packs(), 2U) << "the two are one now";
    EXPECT_TRUE(fs::exists(good));
    const auto contents = open();
    for (const auto& pack : contents->packs()) EXPECT_TRUE(pack->check_index());
    for (const auto& content : {document(1), document(3), document(6), kept})
        EXPECT_TRUE(std::ranges::equal(contents->read(key_of(content), decompressor_)->bytes, content));
    EXPECT_FALSE(contents->has(key_of(document(2))));
    EXPECT_FALSE(contents->has(key_of(lost)));
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(packs_)) bytes += entry.file_size();
    EXPECT_EQ(report.bytes_after, bytes);
}

TEST_F(ContentsTest, MoreThanSixteenPacksBelowSixteenMebibytesBecomeOne) {
    constexpr std::uint64_t k_limit = 16 << 20;
    const auto large = add_of_size(k_limit, 1);
    add_of_size(k_limit - 1, 2);
    for (std::uint8_t i = 3; i < 18; ++i) add_of_size(1000, i);
    const CollectOptions options{.keep_unneeded = true, .drop = {}};
    EXPECT_EQ(collect_with(options).packs_rewritten, 0U) << "sixteen of them";
    add_of_size(1000, 18);
    CollectOptions alone = options;
    alone.merge = false;
    EXPECT_EQ(collect_with(alone).packs_rewritten, 0U);
    EXPECT_EQ(collect_with(options).packs_rewritten, 17U);
    EXPECT_EQ(count_packs(), 2U);
    EXPECT_TRUE(fs::exists(large));
    EXPECT_EQ(open()->size(), 18U);
}

TEST_F(ContentsTest, ABlockEndsAtFourMebibytesAndAPackAtSixtyFour) {
    const auto contents = open();
    const auto sizes_of = [&](std::initializer_list<std::size_t> sizes) {
        ContentWriter writer(*contents, real_disk(), packs_, 1);
        for (const auto size : sizes) {
            const Buffer content(size, static_cast<std::uint8_t>(size));
            EXPECT_TRUE(writer.put(key_of(content), content, {}).value());
            EXPECT_FALSE(writer.put(key_of(content), content, {}).value()) << "it is claimed";
        }
        const auto written = writer.finish().value();
        std::vector<std::size_t> blocks;
        std::uint64_t bytes = 0;
        const auto made = open();
        for (const auto& pack : made->packs()) {
            bytes += pack->header().length;
            for (std::uint32_t i = 0; i < pack->header().blocks; ++i) blocks.push_back(pack->block(i)->size);
        }
        EXPECT_EQ(written, bytes);
        for (const auto& entry : fs::directory_iterator(packs_)) fs::remove(entry.path());
        return blocks;
    };
    constexpr std::size_t k_half = 2 << 20;
    using Sizes = std::vector<std::size_t>;
    EXPECT_EQ(sizes_of({k_half - 1, k_half + 1}), Sizes{2 * k_half});
    EXPECT_EQ(sizes_of({k_half - 1, k_half + 2}), (Sizes{k_half - 1, k_half + 2}));
    EXPECT_EQ(sizes_of({k_half, 5}), (Sizes{k_half, 5})) << "full";
    EXPECT_EQ(sizes_of({k_half - 1, 1, 5}), (Sizes{k_half, 5}));
    EXPECT_EQ(sizes_of({3 * k_half, 5}), (Sizes{3 * k_half, 5})) << "one content may be longer";

    ContentWriter writer(*contents, real_disk(), packs_, 1);
    for (std::uint8_t i = 0; i < 9; ++i) {
        Block block{Buffer((8 << 20) - (i == 0 ? PackHeader::k_size : 0), i), 1, {}, {}};
        block.parts.push_back({key_of(Buffer{i}), 0, 1});
        ASSERT_TRUE(writer.add(block));
    }
    const auto written = writer.finish().value();
    EXPECT_EQ(count_packs(), 2U);
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> blocks;
    const auto made = open();
    for (const auto& pack : made->packs()) {
        bytes += pack->header().length;
        blocks.push_back(pack->header().blocks);
    }
    std::ranges::sort(blocks);
    EXPECT_EQ(blocks, (std::vector<std::uint32_t>{1, 8}));
    EXPECT_EQ(written, bytes) << "of all packs";
}

TEST_F(ContentsTest, AnOlderContentIsABaseWhereThatTakesAThird) {
    const auto older = document(1);
    auto newer = older;
    newer[3] = 'z';
    add({older});
    const auto contents = open();
    ContentWriter writer(*contents, real_disk(), packs_, 3);
    Tools tools(3);
    const auto block = writer.against(key_of(older), key_of(newer), newer, 1 << 20, tools);
    ASSERT_TRUE(block);
    EXPECT_EQ(block->base, key_of(older));
    EXPECT_EQ(block->size, newer.size());
    const auto costs = 3 * (block->frame.size() + BlockEntry::k_size);
    EXPECT_TRUE(writer.against(key_of(older), key_of(newer), newer, costs, tools));
    EXPECT_FALSE(writer.against(key_of(older), key_of(newer), newer, costs - 1, tools));
    EXPECT_FALSE(writer.against({}, key_of(newer), newer, 1 << 20, tools));
    EXPECT_FALSE(writer.against(key_of(newer), key_of(newer), newer, 1 << 20, tools)) << "no pack has it";
}

TEST_F(ContentsTest, VerifyCountsWhatIsDamagedOfABlockAndNowhereElse) {
    const auto pack = add({document(1), document(2), document(3)});
    add({document(1)});
    const auto alone = add({document(4)});
    auto report = verify_store(store_);
    EXPECT_TRUE(report.problems.empty());
    EXPECT_EQ(report.packs, 3U);
    EXPECT_EQ(report.contents, 5U);
    std::uint64_t stored = 0;
    const auto whole = open();
    for (const auto& one : whole->packs()) stored += one->block(0)->stored;
    EXPECT_EQ(report.bytes, stored);
    EXPECT_FALSE(report.is_repairable());
    flip(pack, PackHeader::k_size + 1); // a byte of the frame's head
    flip(alone, PackHeader::k_size + 1);
    report = verify_store(store_);
    EXPECT_EQ(report.damaged,
              (std::unordered_set{key_of(document(2)), key_of(document(3)), key_of(document(4))}));
    ASSERT_EQ(report.problems.size(), 2U);
    const auto of = [&](const fs::path& path) {
        return *std::ranges::find(report.problems, path.string(), &Error::file);
    };
    EXPECT_TRUE(of(pack).problem.ends_with("; 2 of 3 contents of this block are damaged"))
        << of(pack).problem;
    EXPECT_EQ(of(alone).problem.find("contents of this block"), std::string::npos) << of(alone).problem;
    EXPECT_EQ(of(alone).advice, fmt::format("orbis snapshots {} --repair", store_.string()));
    EXPECT_EQ(report.contents, 5U);
    EXPECT_FALSE(report.has_bad_tables);
}

TEST_F(ContentsTest, VerifyNamesBadTablesAndLeavesPacksOfANewerProgramAlone) {
    const auto bad = add({document(1), document(2)});
    flip(bad, fs::file_size(bad) - PackHeader::k_size - ContentEntry::k_size);
    auto report = verify_store(store_);
    EXPECT_TRUE(report.has_bad_tables);
    EXPECT_TRUE(report.is_repairable());
    EXPECT_TRUE(report.unreadable.empty());
    fs::remove(bad);
    const auto newer = add({document(3)});
    auto bytes = read_file_bytes(newer);
    for (const std::size_t at : {std::size_t{0}, bytes.size() - PackHeader::k_size}) {
        store_be(bytes.data() + at + 8, std::uint32_t{2});
        const auto hash = sha256(Bytes(bytes).subspan(at, 60));
        std::copy_n(hash.begin(), 4, bytes.begin() + static_cast<std::ptrdiff_t>(at) + 60);
    }
    put(newer, as_text(bytes));
    fs::create_symlink(folder_ / "nowhere", packs_ / "gone.pack");
    report = verify_store(store_);
    ASSERT_EQ(report.problems.size(), 2U);
    EXPECT_TRUE(report.unreadable.empty()) << "they may be whole";
    EXPECT_FALSE(report.is_repairable());
    EXPECT_EQ(report.packs, 0U);
    for (const auto& problem : report.problems) EXPECT_TRUE(problem.advice.empty());
    put(packs_ / "short.pack", "OrbisPak");
    EXPECT_EQ(verify_store(store_).unreadable, std::vector<fs::path>{packs_ / "short.pack"});
}

TEST_F(ContentsTest, WhatIsRewrittenStaysInBlocksOfFourMebibytes) {
    const auto sized = [](std::size_t size, std::uint8_t value) { return Buffer(size, value); };
    const Buffer dead = document(1);
    constexpr std::size_t k_mebibyte = 1 << 20;
    const auto blocks_of = [&](std::size_t first, std::size_t second) {
        for (const auto& entry : fs::directory_iterator(packs_)) fs::remove(entry.path());
        std::uint8_t value = 2; // contents come in the order of their keys
        while (key_of(sized(second, value)) < key_of(sized(first, 1))) ++value;
        add({dead, sized(first, 1), sized(second, value)});
        const CollectOptions options{.merge = false, .keep_unneeded = true, .drop = {key_of(dead)}};
        EXPECT_EQ(collect_with(options).contents_dropped, 1U);
        std::vector<std::uint32_t> sizes;
        const auto made = open();
        EXPECT_EQ(made->size(), 2U);
        for (const auto& pack : made->packs())
            for (std::uint32_t i = 0; i < pack->header().blocks; ++i) sizes.push_back(pack->block(i)->size);
        EXPECT_TRUE(made->read(key_of(sized(second, value)), decompressor_));
        return sizes;
    };
    using Sizes = std::vector<std::uint32_t>;
    EXPECT_EQ(blocks_of(2 * k_mebibyte - 1, 2 * k_mebibyte + 1), Sizes{4 * k_mebibyte});
    EXPECT_EQ(blocks_of(2 * k_mebibyte - 1, 2 * k_mebibyte + 2),
              (Sizes{2 * k_mebibyte - 1, 2 * k_mebibyte + 2}));
    EXPECT_EQ(blocks_of(2 * k_mebibyte, 5), (Sizes{2 * k_mebibyte, 5})) << "the first is full";
}

TEST_F(ContentsTest, ATableHasSlotsOfOneRegionInOrder) {
    const auto key = key_of(as_bytes("x"));
    const std::vector<TableEntry> entries{
        {Slot{0}, key}, {Slot{5}, key, true, 0xFFFFFFFF}, {Slot{1023}, key_of(as_bytes("y"))}};
    const auto bytes = encode_table(entries);
    EXPECT_EQ(bytes.size(), 3U * 22 + 4);
    const auto back = decode_table(bytes).value();
    ASSERT_EQ(back.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(back[i].slot, entries[i].slot);
        EXPECT_EQ(back[i].key, entries[i].key);
        EXPECT_EQ(back[i].is_opaque, entries[i].is_opaque);
        EXPECT_EQ(back[i].raw_size, entries[i].raw_size);
    }
    EXPECT_TRUE(decode_table({}).value().empty());
    for (std::size_t size = 1; size < bytes.size(); ++size)
        EXPECT_EQ(decode_table(Bytes(bytes).first(size)).has_value(), size == 22 || size == 48) << size;
    const auto refused = [&](std::vector<TableEntry> some) {
        const auto found = decode_table(encode_table(some));
        return found ? std::string() : found.error().problem;
    };
    EXPECT_EQ(refused({{Slot{1024}, key}}), "expected a table of ascending slots, found 1024 after -1");
    EXPECT_EQ(refused({{Slot{7}, key}, {Slot{7}, key}}),
              "expected a table of ascending slots, found 7 after 7");
    EXPECT_EQ(refused({{Slot{7}, key}, {Slot{6}, key}}),
              "expected a table of ascending slots, found 6 after 7");
}

TEST_F(ContentsTest, AHeaderSaysWhatIsWrongWithIt) {
    const PackHeader whole{1, 2, 64, 64 + BlockEntry::k_size + 2 * ContentEntry::k_size + PackHeader::k_size,
                           key_of(as_bytes("x"))};
    const auto parsed = [](const PackHeader& header, std::size_t flipped = 99, std::size_t size = 64) {
        Buffer bytes;
        header.append_to(bytes);
        if (flipped < bytes.size()) bytes[flipped] ^= 1;
        const auto found = PackHeader::parse(Bytes(bytes).first(size));
        return found ? std::string("good")
                     : fmt::format("{}: {}", name(found.error().code), found.error().problem);
    };
    EXPECT_EQ(parsed(whole), "good");
    EXPECT_EQ(parsed(whole, 99, 63), "truncated: expected a header of 64 bytes, found 63");
    EXPECT_EQ(parsed(whole, 0), "bad_magic: expected OrbisPak, found another magic");
    for (std::size_t at = 8; at < 64; ++at)
        EXPECT_EQ(parsed(whole, at), "mismatch: the header does not match its hash") << at;
    auto other = whole;
    other.index = 63;
    EXPECT_TRUE(parsed(other).starts_with("bad_value: expected tables of ")) << parsed(other);
    other = whole;
    ++other.length;
    EXPECT_TRUE(parsed(other).starts_with("bad_value: expected tables of ")) << parsed(other);
    other = whole;
    ++other.blocks;
    EXPECT_TRUE(parsed(other).starts_with("bad_value: expected tables of ")) << parsed(other);
    other.length = 10;
    EXPECT_TRUE(parsed(other).starts_with("bad_value: expected tables of ")) << parsed(other);
}

TEST_F(ContentsTest, MoreThanSixtyFourPacksAreTidiedUpByTheNextSnapshot) {
    const auto world = folder_ / "world";
    write_world(world, first_content(1));
    for (const std::size_t count : {64U, 65U}) {
        fs::remove_all(store_);
        SetUp();
        for (std::size_t i = 0; i < count; ++i) add({document(1000 + i, 50)});
        take_world(store_, world, k_later);
        EXPECT_EQ(count_packs(), count == 64 ? 65U : 1U) << "nobody needs the others";
    }
}

} // namespace
} // namespace orbis::jobs::snapshot
