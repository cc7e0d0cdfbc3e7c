#include "care/attribute_orphans.hpp"
#include "support/amount.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

namespace orbis::care {

namespace {

/// Fingerprints of all chunks of a real region file.
std::vector<KnownChunk> known_chunks(const std::filesystem::path& path) {
    std::vector<KnownChunk> known;
    const auto store = storage::open_single_region(path, {}).value();
    storage::ReadContext context;
    const auto cursor = store->chunks();
    for (auto next = cursor->next(); next && *next; next = cursor->next()) {
        const auto document = store->read(**next, context).value();
        const auto chunk = chunk::Chunk::decode(*document, k_fingerprint_parts).value();
        known.push_back({**next, fingerprint(chunk)});
    }
    return known;
}

TEST(AttributeOrphans, RealChunksAreNeverTakenForAnother) {
    std::size_t chunks = 0;
    std::size_t own = 0;
    std::size_t wrong = 0;
    for (const auto& path : test::real_region_files()) {
        RegionKnowledge knowledge{known_chunks(path), {}, {}};
        chunks += knowledge.known.size();
        std::vector<Orphan> orphans(knowledge.known.size());
        std::vector<ChunkFingerprint> prints;
        for (const auto& known : knowledge.known) prints.push_back(known.print);
        attribute_by_similarity(orphans, prints, knowledge);
        for (std::size_t i = 0; i < orphans.size(); ++i)
            if (orphans[i].sureness == Orphan::Sureness::likely) {
                EXPECT_EQ(orphans[i].chunk, knowledge.known[i].chunk);
                ++own;
            }
        // The same when the chunk itself is not there any more.
        for (std::size_t i = 0; i < knowledge.known.size(); i += test::k_step) {
            const auto removed = knowledge.known[i];
            knowledge.known.erase(knowledge.known.begin() + static_cast<std::ptrdiff_t>(i));
            Orphan stranger;
            attribute_by_similarity({&stranger, 1}, {&removed.print, 1}, knowledge);
            if (stranger.sureness == Orphan::Sureness::likely) ++wrong;
            knowledge.known.insert(knowledge.known.begin() + static_cast<std::ptrdiff_t>(i), removed);
        }
    }
    RecordProperty("chunks", static_cast<int>(chunks));
    RecordProperty("own", static_cast<int>(own));
    EXPECT_EQ(wrong, 0U) << own << " of " << chunks << " were known by themselves";
}

} // namespace

} // namespace orbis::care
