#include "query/select_chunks.hpp"

#include "query/database.hpp"

#include <limits>
#include <optional>
#include <utility>

namespace orbis::query {
namespace {

constexpr std::string_view k_example =
    "such as sql:SELECT DISTINCT chunk_x, chunk_z FROM items WHERE id GLOB "
    "'Weapon_*'; positions are those of chunks, a block's is x >> 5";

/// More positions than this are no selection any more: a statement can make rows without an end.
constexpr std::size_t k_most_positions = 1 << 26;

Result<std::int32_t> coordinate(const Statement& statement, std::size_t column, std::uint64_t row) {
    const auto field = statement.field(column);
    const auto* value = std::get_if<std::int64_t>(&field);
    if (value == nullptr)
        return fail(error(Errc::usage, "row {} of the statement has no whole number in its column {}", row,
                          statement.columns()[column])
                        .advise(k_example));
    if (*value < std::numeric_limits<std::int32_t>::min()
        || *value > std::numeric_limits<std::int32_t>::max())
        return fail(error(Errc::usage, "row {} of the statement has {} in its column {}; no chunk is there",
                          row, *value, statement.columns()[column])
                        .advise(k_example));
    return static_cast<std::int32_t>(*value);
}

} // namespace

Result<jobs::AskedChunks> select_chunks(const std::string& statement, const world::World& world,
                                        const storage::Store& store, std::size_t threads,
                                        Progress& progress) {
    jobs::AskedChunks answer;
    std::uint64_t total = 0;
    SessionOptions options;
    options.threads = threads;
    options.on_problem = [&answer](const Error& problem) {
        if (problem.chunk) answer.unreadable.push_back(*problem.chunk);
        if (!problem.chunk && !problem.region) answer.complete = false;
        answer.problems.push_back(problem);
    };
    options.on_progress = [&](std::uint64_t, std::uint64_t of) {
        if (std::exchange(total, of) != of) progress.begin("Reading chunks", of);
        progress.step();
    };
    TRY(const auto database, Database::open(world, store, std::move(options)));
    TRY(auto asked, database->prepare(statement));
    if (asked.columns().size() != 2)
        return fail(error(Errc::usage,
                          "a selection needs two columns, x and z of chunks; the statement has {}",
                          asked.columns().size())
                        .advise(k_example));
    for (std::uint64_t row = 1;; ++row) {
        TRY(const bool is_there, asked.next());
        if (!is_there) return answer;
        TRY(const auto x, coordinate(asked, 0, row));
        TRY(const auto z, coordinate(asked, 1, row));
        const ChunkPos pos{x, z};
        if (!answer.chunks.empty() && answer.chunks.back() == pos) continue;
        answer.chunks.push_back(pos);
        if (answer.chunks.size() > k_most_positions)
            return fail(error(Errc::usage, "the statement has more than {} rows", k_most_positions)
                            .advise("SELECT DISTINCT gives each chunk once"));
    }
}

} // namespace orbis::query
