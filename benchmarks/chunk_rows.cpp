#include "chunk/chunk.hpp"
#include "harness.hpp"
#include "real_world.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <stdexcept>

namespace orbis::bench {

namespace {

/// Decompresses and decodes every chunk of a world into the same chunk, as a walk over a world does.
struct DecodeAll {
    const RealWorld* world;
    chunk::Parts parts;
    std::shared_ptr<Decompressor> decompressor = std::make_shared<Decompressor>();
    std::shared_ptr<chunk::Chunk> chunk = std::make_shared<chunk::Chunk>();

    void operator()() const {
        for (std::size_t i = 0; i < world->frames.size(); ++i) {
            const auto document = decompressor->decompress(world->frames[i], world->raw_sizes[i], 64 << 20);
            if (!chunk->read(document.value(), parts) || !chunk->problems().empty())
                throw std::runtime_error("a real chunk cannot be read");
            benchmark::DoNotOptimize(chunk.get());
        }
    }
};

/// All documents of a world, decompressed.
std::shared_ptr<std::vector<Buffer>> documents_of(const RealWorld& world) {
    auto out = std::make_shared<std::vector<Buffer>>();
    Decompressor decompressor;
    for (std::size_t i = 0; i < world.frames.size(); ++i) {
        const auto document = decompressor.decompress(world.frames[i], world.raw_sizes[i], 64 << 20).value();
        out->emplace_back(document.begin(), document.end());
    }
    return out;
}

constexpr std::size_t k_gets = 1 << 16;

const Row k_get_row{"chunk: random get of a block key", "million/s", 150, Better::higher};
const Row k_encode_row{"chunk: encode unchanged, sparse", "× memcpy", 1.0, Better::lower};

void add_gets(const RealWorld& world) {
    const auto documents = documents_of(world);
    const auto chunk = std::make_shared<chunk::Chunk>();
    if (!chunk->read(documents->at(documents->size() / 2)))
        throw std::runtime_error("a real chunk cannot be read");
    std::mt19937 random(1);
    std::vector<BlockPos> places(k_gets);
    for (auto& pos : places)
        pos = {static_cast<int>(random() % 32), static_cast<int>(random() % k_world_height),
               static_cast<int>(random() % 32)};
    add_rate(k_get_row, k_gets, 1e6, [documents, chunk, places] {
        std::size_t sum = 0;
        for (const auto pos : places) sum += chunk->section(pos.y >> 5).blocks.at(pos.cell()).size();
        benchmark::DoNotOptimize(sum);
    });
}

void add_encode(const RealWorld& world) {
    const auto documents = documents_of(world);
    const auto chunks = std::make_shared<std::vector<chunk::Chunk>>();
    std::size_t largest = 0;
    for (const auto& document : *documents) {
        chunks->push_back(chunk::Chunk::decode(document).value());
        largest = std::max(largest, document.size());
    }
    const auto target = std::make_shared<Buffer>(largest);
    add_ratio(
        k_encode_row,
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
        const char* world;
        const char* name;
        chunk::Parts parts;
        double goal;
    };
    for (const auto& wanted :
         {Decode{"dense", "chunk: full decode, dense", chunk::k_everything, 1.15},
          Decode{"sparse", "chunk: full decode, sparse", chunk::k_everything, 1.6},
          Decode{"dense", "chunk: blocks and heights, dense", chunk::k_map_parts, 1.08}}) {
        const Row row{wanted.name, "× bare zstd", wanted.goal, Better::lower};
        if (const auto* world = real_world(wanted.world))
            add_ratio(row, DecodeAll{world, wanted.parts}, [world] { world->decompress_all(); });
        else
            skip(row, k_no_worlds);
    }
    if (const auto* dense = real_world("dense"))
        add_gets(*dense);
    else
        skip(k_get_row, k_no_worlds);
    if (const auto* sparse = real_world("sparse"))
        add_encode(*sparse);
    else
        skip(k_encode_row, k_no_worlds);
}

const Registration k_rows(add_rows); // after the rows it uses

} // namespace

} // namespace orbis::bench
