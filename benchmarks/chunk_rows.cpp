#include "bench_world.hpp"
#include "chunk/chunk.hpp"
#include "harness.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <random>
#include <stdexcept>

namespace orbis::bench {

namespace {

/// Decompresses and decodes every chunk of a world into the same chunk, as a walk over a world does.
struct DecodeAll {
    const BenchWorld* world;
    chunk::Parts parts;
    std::shared_ptr<Decompressor> decompressor = std::make_shared<Decompressor>();
    std::shared_ptr<chunk::Chunk> chunk = std::make_shared<chunk::Chunk>();

    void operator()() const {
        for (std::size_t i = 0; i < world->frames.size(); ++i) {
            const auto document = decompressor->decompress(world->frames[i], world->raw_sizes[i], 64 << 20);
            if (!chunk->read(document.value(), parts) || !chunk->problems().empty())
                throw std::runtime_error("a chunk cannot be read");
            benchmark::DoNotOptimize(chunk.get());
        }
    }
};

/// All documents of a world, decompressed.
std::shared_ptr<std::vector<Buffer>> documents_of(const BenchWorld& world) {
    auto out = std::make_shared<std::vector<Buffer>>();
    Decompressor decompressor;
    for (std::size_t i = 0; i < world.frames.size(); ++i) {
        const auto document = decompressor.decompress(world.frames[i], world.raw_sizes[i], 64 << 20).value();
        out->emplace_back(document.begin(), document.end());
    }
    return out;
}

constexpr std::size_t k_gets = 1 << 16;

void add_gets(const BenchWorld& world) {
    const auto documents = documents_of(world);
    const auto chunk = std::make_shared<chunk::Chunk>();
    if (!chunk->read(documents->at(documents->size() / 2)))
        throw std::runtime_error("a chunk cannot be read");
    std::mt19937 random(1);
    std::vector<BlockPos> places(k_gets);
    for (auto& pos : places)
        pos = {static_cast<int>(random() % 32), static_cast<int>(random() % k_world_height),
               static_cast<int>(random() % 32)};
    const Row row{"chunk: random get of a block key, " + world.name, "million/s", 150, Better::higher};
    add_rate(row, k_gets, 1e6, [documents, chunk, places] {
        std::size_t sum = 0;
        for (const auto pos : places) sum += chunk->section(pos.y >> 5).blocks.at(pos.cell()).size();
        benchmark::DoNotOptimize(sum);
    });
}

void add_encode(const BenchWorld& world) {
    const auto documents = documents_of(world);
    const auto chunks = std::make_shared<std::vector<chunk::Chunk>>();
    std::size_t largest = 0;
    for (const auto& document : *documents) {
        chunks->push_back(chunk::Chunk::decode(document).value());
        largest = std::max(largest, document.size());
    }
    const auto target = std::make_shared<Buffer>(largest);
    add_ratio(
        {"chunk: encode unchanged, " + world.name, "× memcpy", 1.0, Better::lower},
        [documents, chunks, out = std::make_shared<Buffer>()] {
            for (const auto& chunk : *chunks) benchmark::DoNotOptimize(chunk.encode(*out)->data());
        },
        [documents, target] {
            for (const auto& document : *documents) {
                std::memcpy(target->data(), document.data(), document.size());
                benchmark::DoNotOptimize(target->data());
                benchmark::ClobberMemory();
            }
        });
}

void add_rows() {
    struct Decode {
        const char* name;
        const BenchWorld& world;
        chunk::Parts parts;
        double goal;
    };
    const auto& dense = world_for(Terrain::dense);
    const auto& sparse = world_for(Terrain::sparse);
    for (const auto& wanted : {Decode{"full decode", dense, chunk::k_everything, 1.15},
                               Decode{"full decode", sparse, chunk::k_everything, 1.6},
                               Decode{"blocks and heights", dense, chunk::k_map_parts, 1.08}}) {
        const Row row{fmt::format("chunk: {}, {}", wanted.name, wanted.world.name), "× bare zstd",
                      wanted.goal, Better::lower};
        add_ratio(row, DecodeAll{&wanted.world, wanted.parts},
                  [&world = wanted.world] { world.decompress_all(); });
    }
    add_gets(dense);
    add_encode(sparse);
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
