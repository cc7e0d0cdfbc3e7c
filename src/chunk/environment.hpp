#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::chunk {

/// Name of an environment whose id is not in the mapping.
inline constexpr std::string_view k_unknown_environment = "Unknown";

/// A stretch of one environment in a column, up to and with `max_y`; the last one has no upper end.
struct EnvironmentRun {
    static constexpr std::int32_t k_no_end = 0x7FFF'FFFF;
    std::int32_t max_y = k_no_end;
    std::string_view key;
    friend bool operator==(const EnvironmentRun&, const EnvironmentRun&) = default;
};

/// The environments of a chunk, read in place and borrowed; changed columns are kept beside them.
///
///     i32  mappings; each: i32 id, utf key
///     1024 × column z*32+x: i32 n, n × i32 upper y ascending, (n+1) × i32 id
class Environments {
public:
    struct Mapping {
        std::int32_t id;
        std::string_view key;
    };

    bool read(Reader& in, Error& problem);
    /// No mapping, and one run of id 0 in each column.
    void reset();

    [[nodiscard]] std::span<const Mapping> mappings() const { return mappings_; }
    [[nodiscard]] std::string_view at(ColumnIndex column, int y) const;
    /// The runs of a column from the bottom, neighbours as stored.
    [[nodiscard]] std::vector<EnvironmentRun> runs(ColumnIndex column) const;
    /// The name behind an id.
    [[nodiscard]] std::string_view name(std::int32_t id) const;
    [[nodiscard]] bool changed() const { return changed_; }

    /// Replaces the runs of a column; `max_y` must ascend, and the last run takes all that is above.
    void set_runs(ColumnIndex column, std::span<const EnvironmentRun> runs);
    /// One environment everywhere.
    void fill(std::string_view key);

    /// Bounds that do not ascend and ids without a mapping.
    [[nodiscard]] Result<void> check() const;

    void append_to(Buffer& out) const;
    /// The same without a copy if nothing has changed: the bytes that were read, or `memory` with new
    /// ones.
    [[nodiscard]] Bytes stored(Buffer& memory) const;

private:
    /// The stored bytes of a column.
    struct Column {
        const std::uint8_t* bounds;
        std::int32_t count;
        [[nodiscard]] std::int32_t bound(std::int32_t i) const {
            return load_be<std::int32_t>(bounds + std::ptrdiff_t{i} * 4);
        }
        [[nodiscard]] std::int32_t id(std::int32_t i) const {
            return load_be<std::int32_t>(bounds + (std::ptrdiff_t{count} + i) * 4);
        }
        [[nodiscard]] std::size_t size() const {
            return 4 + static_cast<std::size_t>(count) * 8;
        } ///< without the count
    };
    [[nodiscard]] Column column(ColumnIndex index) const;
    /// The mapping of an id, null if there is none.
    [[nodiscard]] const Mapping* find(std::int32_t id) const;
    /// False also if a longer look is needed to tell.
    [[nodiscard]] bool surely_right() const;
    void sort_mappings();
    std::int32_t id_of(std::string_view key);
    std::int32_t free_id();
    bool read_columns(Reader& in, Error& problem);

    std::vector<Mapping> mappings_;
    /// Ids with the places of their mappings, ascending; only where there are too many to look at each.
    std::vector<std::pair<std::int32_t, std::uint32_t>> by_id_;
    Bytes raw_;
    const std::uint8_t* columns_ = nullptr;
    bool uniform_ = true; ///< every stored column is a single run
    bool changed_ = false;
    static constexpr std::int32_t k_not_counted = -1;
    std::int32_t next_id_ = k_not_counted;         ///< for the next new key
    std::array<std::uint32_t, k_columns> offsets_; ///< of the columns, where they are not uniform
    std::map<int, Buffer> own_;                    ///< changed columns as they will be stored
    std::deque<std::string> own_keys_;
};

} // namespace orbis::chunk
