// Statements that count: what is asked in their place has the same columns and gives the same rows, and
// nothing that a person types makes a statement that can do more than read.

#include "query/count_rewrite.hpp"
#include "query/database.hpp"
#include "support/shared.hpp"
#include "target.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <fstream>
#include <memory>

using namespace orbis;

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> made;
    for (const std::string_view text :
         {"SELECT count(*) FROM blocks WHERE key GLOB 'Ore_*' AND chunk_x >= -3",
          "select key, count(*) from fluids('x') where not key like '%a' group by key;",
          "SELECT key, sum(cells) AS n FROM block_counts WHERE key IN ('a', 'it''s') GROUP BY key ORDER BY n "
          "DESC LIMIT 3",
          "SELECT world, sum(cells) FROM fluid_counts GROUP BY world, key"})
        made.emplace_back(text.begin(), text.end());
    return made;
}

namespace {

/// A location without chunks: what a statement means is known without any.
query::Database& database() {
    static const test::TemporaryFolder folder;
    static const auto made = [] {
        std::filesystem::create_directories(folder / "world" / "chunks");
        std::ofstream(folder / "world" / "config.json")
            << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})";
        return query::Database::open(world::find_location(folder / "world").value(), {}).value();
    }();
    return *made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(as_text({data, size}));
    const auto quicker = query::quicker_count(text);
    if (!quicker || text.find('\0') != std::string::npos) return 0;
    // `prepare` asks the quicker one; a blank comment keeps the other as it is.
    const auto changed = database().prepare(text);
    const auto plain = database().prepare(text + " /**/");
    fuzz::require(!plain || changed);
    if (!plain || !changed) return 0;
    fuzz::require(plain->columns().size() == changed->columns().size());
    return 0;
}
