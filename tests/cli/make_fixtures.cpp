// Makes the small worlds that the transcripts of tests/cli/cases run on: make_fixtures FOLDER

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "capture/made_records_test.hpp"
#include "capture/personal.hpp"
#include "jobs/test_worlds/old_documents_test.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "support/region_images.hpp"
#include "support/zstd_frames.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace orbis;
using test::BlobImage;
using test::RegionContent;

constexpr std::size_t k_base = 32 + 4 * 1024;

void put(const fs::path& path, Bytes bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << as_text(bytes);
}

void put(const fs::path& path, std::string_view text) { put(path, as_bytes(text)); }

/// A BSON document with one string that names the chunk.
Buffer document(int x, int z) {
    const auto text = fmt::format("chunk {},{} ", x, z) + std::string(5000, '.');
    Buffer bytes;
    Writer out(bytes);
    out.le(static_cast<std::int32_t>(text.size() + 4 + 1 + 5 + 4 + 1 + 1));
    out.u8(2);
    out.bytes(as_bytes(std::string_view("Name\0", 5)));
    out.le(static_cast<std::int32_t>(text.size() + 1));
    out.bytes(as_bytes(text));
    out.u8(0);
    out.u8(0);
    return bytes;
}

RegionContent chunks(int rx, int rz, std::initializer_list<int> slots) {
    RegionContent content;
    for (const int slot : slots)
        content[slot] = test::compressed_blob(document(rx * 32 + slot % 32, rz * 32 + slot / 32));
    return content;
}

constexpr std::string_view k_config = R"({
  "Version": 4,
  "UUID": {
    "$binary": "kpKTCJGjR/68ZNL8bOgucQ==",
    "$type": "04"
  },
  "DisplayName": "Test World",
  "Seed": 42,
  "WorldGen": {
    "Type": "Flat"
  },
  "ChunkStorage": {
    "Type": "Hytale"
  },
  "GameMode": "Creative"
})";

void make_world(const fs::path& folder) {
    put(folder / "config.json", k_config);
    put(folder / "resources" / "Time.json", "{}");
    put(folder / "chunks" / "0.0.region.bin", test::region_v1_image(chunks(0, 0, {0, 1, 33})));
    put(folder / "chunks" / "-1.-1.region.bin", test::region_v1_image(chunks(-1, -1, {1023})));
    put(folder / "chunks" / "readme.txt", "other names are ignored");
}

/// A sound region file of two chunks, to be damaged.
Buffer sound() { return test::region_v1_image(chunks(0, 0, {0, 1})); }

template <typename T>
Buffer with(Buffer bytes, std::size_t offset, T value) {
    store_be(bytes.data() + offset, value);
    return bytes;
}

void make_damaged(const fs::path& folder) {
    const auto file = [&](const char* name) { return folder / name / "0.0.region.bin"; };
    put(file("empty"), Bytes{});
    put(file("cut-header"), Bytes(sound()).first(20));
    put(file("cut-index"), Bytes(sound()).first(2000));
    put(file("wrong-magic"), with(sound(), 0, 0x58585858));
    put(file("version-2"), with(sound(), 20, 2));
    put(file("no-blobs"), with(sound(), 24, 0));
    put(file("huge-blobs"), with(sound(), 24, 0x7FFFFFFF));
    put(file("no-segments"), with(sound(), 28, 0));
    put(file("past-the-end"), with(sound(), 36, 1000));
    put(file("negative-entry"), with(sound(), 36, -7));
    put(file("overlap"), with(sound(), 36, 1));
    put(file("negative-length"), with(sound(), k_base + 4096 + 4, -1));
    put(file("bomb"), with(sound(), k_base + 4096, 0x7FFFFFFF));
    put(file("lying-size"), with(sound(), k_base + 4096, 5000));
    // The header of the first block, right behind the frame's: magic 4, descriptor 1, content size 2.
    constexpr auto block = k_base + 4096 + 8 + 7;
    put(file("flipped"), with(sound(), block, static_cast<std::uint8_t>(~sound()[block])));
    auto content = chunks(0, 0, {0, 1});
    content[1].frame = test::frame_without_size(document(1, 0));
    put(file("no-content-size"), test::region_v1_image(content));
}

/// Chunks that can be read: one of today, an old one and one with a damaged section.
void make_chunks(const fs::path& folder) {
    namespace documents = chunk::test_documents;
    RegionContent content;
    content[0] = test::compressed_blob(documents::document(documents::ten_sections()));
    content[1] = test::compressed_blob(documents::document(jobs::test_worlds::old_sections()));
    put(folder / "chunks" / "0.0.region.bin", test::region_v1_image(content));
    content[1] = test::compressed_blob(jobs::test_worlds::damaged_document());
    put(folder / "damaged" / "0.0.region.bin", test::region_v1_image(content));
}

/// Chunks of which older versions are left in unused segments: those from slot 900 on lose their entries.
void make_older_versions(const fs::path& folder) {
    using jobs::test_worlds::version_blob;
    RegionContent content;
    content[0] = version_blob({.seed = 1, .edits = 2, .game_time = "0001-01-03T05:30:00Z"});
    content[1] = version_blob({.seed = 2});
    content[2] = version_blob({});
    content[3] = version_blob({});
    content[900] = version_blob({.seed = 1, .game_time = "0001-01-01T05:30:00Z"});
    content[901] = version_blob({.seed = 1, .edits = 5, .game_time = "0001-01-02T05:30:00.5Z", .chests = 1});
    content[902] = version_blob({.seed = 7, .entity = {{170.5, 20.25}}}); // of 5,0, which is gone
    content[903] = version_blob({});
    content[904] = version_blob({.seed = 8});
    auto image = test::region_v1_image(content);
    for (std::size_t slot = 900; slot < 905; ++slot) store_be(image.data() + 32 + 4 * slot, 0);
    put(folder / "config.json", k_config);
    put(folder / "chunks" / "0.0.region.bin", image);
}

/// Assets of a mod, one file of them broken.
void make_assets(const fs::path& folder) {
    const auto items = folder / "Server" / "Item" / "Items";
    put(items / "Mod_Block.json", R"({"BlockType": {"Material": "Solid", "ParticleColor": "#123456"}})");
    put(items / "Broken.json", "{");
}

/// A visit as a server captures it, one that differs, and files that are no whole captures.
void make_captures(const fs::path& folder) {
    using capture::Side;
    const auto visit = capture::made::visit();
    const auto file = visit.file();
    put(folder / "visit.pcapng", file);
    put(folder / "cut.pcapng", Bytes(file).first(file.size() - 100));
    put(folder / "text.pcapng", "this is no capture");
    put(folder / "empty.pcapng", "");
    put(folder / "pcap.pcap", Buffer{0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    put(folder / "join.pcapng", capture::made::join().file());
    auto other = capture::made::visit();
    other.add(Side::client, "SetClientId", R"({"clientId":7})", 2, "0.5.1");
    other.add(Side::server, "ChatMessage", R"({"message":"one more"})");
    put(folder / "other.pcapng", other.file());

    // With what people would not want to show, and with what did not fit onto the disk.
    Buffer safe;
    capture::append_file_start(safe, "orbis test");
    capture::PersonalData personal;
    for (auto record : visit.all()) {
        personal.leave_out(record);
        capture::append_record(safe, record);
    }
    auto unknown = visit.all()[0];
    unknown.build = nullptr;
    unknown.build_name = "12345";
    unknown.session = 3;
    personal.leave_out(unknown);
    capture::append_record(safe, unknown);
    capture::append_counts(safe, unknown.time, 14, 5);
    put(folder / "safe.pcapng", safe);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2 || argv[1][0] == '-') {
        std::fputs("make_fixtures FOLDER\n", stderr);
        return 2;
    }
    const fs::path root = argv[1];
    make_world(root / "world");
    make_world(root / "universe" / "worlds" / "overworld");
    put(root / "universe" / "worlds" / "arena" / "config.json",
        R"({"Version": 4, "ChunkStorage": {"Type": "Empty"}})");
    put(root / "universe" / "players" / "00000000-0000-4000-8000-000000000001.json", "{}");
    put(root / "old" / "chunks" / "0.0.region.bin", test::region_v0_image(chunks(0, 0, {0, 5})));
    make_world(root / "broken-config");
    put(root / "broken-config" / "config.json", R"({"Version": 4, "Seed": )");
    put(root / "broken-config" / "config.json.bak", k_config);
    put(root / "no-world" / "notes.txt", "nothing of the game");
    make_damaged(root / "damaged");
    make_chunks(root / "chunks-world");
    make_older_versions(root / "older");
    make_assets(root / "assets");
    make_captures(root / "captures");
    return 0;
}
