#pragma once

#include "chunk/chunk_reader.hpp"
#include "query/table.hpp"

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace orbis::query {

/// The rows of one chunk. An object is used for one chunk after another and keeps its memory.
class ChunkBatch {
public:
    virtual ~ChunkBatch() = default;
    /// Reads what is needed of a chunk and goes before its first row. On any thread, while others do the same
    /// with batches of their own; the reader is that of this batch, and what it gives lives until the next
    /// call. What cannot be read goes to the session, and is an error only if it is the whole chunk.
    virtual Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) = 0;
    /// False at the end.
    virtual bool next() = 0;
    virtual void column(std::size_t index, Cell cell) const = 0;
    /// About the bytes that it keeps for the rows of this chunk.
    [[nodiscard]] virtual std::size_t memory() const = 0;
};

/// Memory beyond this is given back as soon as possible: chunks of the game take much less.
inline constexpr std::size_t k_large_memory = 4 << 20;

using MakeBatch = std::function<std::unique_ptr<ChunkBatch>()>;

/// Rows of one chunk after another.
class ChunkScan : public Rows {
public:
    /// The batch that has the row which `next` went to, for those who made it.
    [[nodiscard]] virtual const ChunkBatch& batch() const = 0;
};

/// The rows of all chunks that a filter admits, in the order of the store or, where the filter wants it, of
/// the positions. Several threads read ahead.
Result<std::unique_ptr<ChunkScan>> chunk_rows(Session& session, const Filter& filter, const MakeBatch& make);

/// How a table whose batches are of this class is opened; `more` are further arguments of its constructor.
template <typename Batch, typename... More>
auto opener(More... more) {
    return [more...](Session& session, const Filter& filter) {
        return chunk_rows(session, filter, [&session, filter, more...]() -> std::unique_ptr<ChunkBatch> {
            return std::make_unique<Batch>(session, filter, more...);
        });
    };
}

/// A value of a row that is made before anybody asks for it.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Value>;

void give(const Value& value, Cell cell);

/// A batch whose rows are few, so that they can be made at once.
class RowBatch : public ChunkBatch {
public:
    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) final;
    bool next() final { return ++at_ < rows_.size(); }
    void column(std::size_t index, Cell cell) const final { give(rows_[at_][index], cell); }
    [[nodiscard]] std::size_t memory() const final { return memory_; }

protected:
    virtual Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                                  std::vector<Row>& rows) = 0;

private:
    std::vector<Row> rows_;
    std::size_t at_ = 0;
    std::size_t memory_ = 0;
};

/// Rows that are there already.
std::unique_ptr<Rows> ready_rows(std::vector<Row> rows);

} // namespace orbis::query
