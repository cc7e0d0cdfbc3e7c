#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "game/codec/environment_codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <set>

namespace orbis::game {
namespace {

/// A stored blob with what chunks of others may hold: ids twice, without a name, negative or huge, and bounds
/// that do not ascend or are outside the world.
Buffer odd_blob(std::mt19937_64& random) {
    constexpr std::array<std::int32_t, 6> k_ids = {0, 3, 255, 256, -7, 0x7FFF'FFFF};
    const auto any_id = [&] { return k_ids[random() % k_ids.size()]; };
    Buffer out;
    Writer writer(out);
    writer.be(std::int32_t{5});
    for (int i = 0; i < 5; ++i) {
        const auto name = fmt::format("Env_{}", i);
        writer.be(any_id());
        writer.be(static_cast<std::uint16_t>(name.size()));
        writer.bytes(as_bytes(name));
    }
    for (int i = 0; i < k_columns; ++i) {
        const auto bounds = static_cast<std::int32_t>(random() % 32 == 0 ? random() % 500 : random() % 3);
        writer.be(bounds);
        std::int32_t last = -20;
        for (int k = 0; k < bounds; ++k) {
            last += static_cast<std::int32_t>(random() % 40) - 3;
            writer.be(random() % 50 == 0 ? 0x7FFF'FFFF : last);
        }
        for (int k = 0; k <= bounds; ++k) writer.be(any_id());
    }
    return out;
}

RC_GTEST_PROP(EnvironmentCodec, EveryPlaceInTheWorldHasItsEnvironment, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const auto blob = odd_blob(random);
    chunk::Environments environments;
    Error problem;
    Reader stored(blob);
    RC_ASSERT(environments.read(stored, problem));
    WireIds ids;
    EnvironmentWriter writer;
    Buffer out;
    writer.write(environments, ids.environments, out);
    Reader in(out);
    for (int i = 0; i < k_columns; ++i) {
        const auto runs = in.le<std::uint16_t>();
        RC_ASSERT(runs >= 1);
        RC_ASSERT(runs <= k_world_height);
        std::vector<std::pair<int, std::uint16_t>> column;
        for (int k = 0; k < runs; ++k) {
            const auto from = in.le<std::uint16_t>();
            RC_ASSERT((k == 0 ? from == 0 : from > column.back().first));
            column.emplace_back(from, in.le<std::uint16_t>());
        }
        // Where either side changes, and in some columns everywhere.
        std::set<int> heights;
        for (const auto& [from, id] : column) heights.insert(from);
        for (const auto& stored_run : environments.runs(ColumnIndex(i)))
            if (stored_run.max_y >= 0 && stored_run.max_y < k_world_height - 1)
                heights.insert(stored_run.max_y + 1);
        for (int y = 0; y < k_world_height && random() % 64 == 0; ++y) heights.insert(y);
        auto run = column.begin();
        for (const auto y : heights) {
            while (run + 1 != column.end() && (run + 1)->first <= y) ++run;
            if (ids.environments.name(run->second) != environments.at(ColumnIndex(i), y))
                RC_FAIL(fmt::format("column {}, y {}", i, y));
        }
    }
    RC_ASSERT(in.ok());
    RC_ASSERT(in.remaining() == 0U);
}

} // namespace
} // namespace orbis::game
