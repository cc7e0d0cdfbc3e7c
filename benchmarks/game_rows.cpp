#include "bench_world.hpp"
#include "bytes/zstd.hpp"
#include "game/codec/chunk_packets.hpp"
#include "harness.hpp"
#include "protocol/packets.hpp"
#include "world/assets.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace orbis::bench {

namespace {

/// Every chunk of a world, decoded, with the documents that they borrow.
struct Columns {
    std::vector<Buffer> documents;
    std::vector<chunk::Chunk> chunks;
    game::WireIds ids{world::Assets::built_in()};
    game::ChunkPackets packets;
    protocol::PayloadWriter writer;
    Compressor compressor{Compressor::k_game_level};
    std::vector<Buffer> payloads;

    explicit Columns(const BenchWorld& world) {
        Decompressor decompressor;
        for (std::size_t i = 0; i < world.frames.size(); ++i) {
            const auto document =
                decompressor.decompress(world.frames[i], world.raw_sizes[i], 64 << 20).value();
            documents.emplace_back(document.begin(), document.end());
        }
        for (const auto& document : documents)
            chunks.push_back(chunk::Chunk::decode(document, game::k_sent_parts).value());
        write_all([this](Bytes payload) { payloads.emplace_back(payload.begin(), payload.end()); });
    }

    template <typename Use>
    void write_all(Use&& use) {
        for (const auto& chunk : chunks) {
            if (!packets.make({0, 0}, chunk, ids)) throw std::runtime_error("a chunk cannot be sent");
            packets.for_each([&](const auto& packet) { use(writer.write(packet).value()); });
        }
    }
};

void add_rows() {
    const auto& world = world_for(Terrain::dense);
    const auto columns = std::make_shared<Columns>(world);
    add_ratio(
        {"game: columns to payloads, " + world.name, "× zstd", 0.35, Better::lower},
        [columns] { columns->write_all([](Bytes payload) { benchmark::DoNotOptimize(payload.data()); }); },
        [columns] {
            for (const auto& payload : columns->payloads)
                benchmark::DoNotOptimize(columns->compressor.compress(payload)->data());
        });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
