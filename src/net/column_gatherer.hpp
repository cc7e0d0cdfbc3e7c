#pragma once

#include "bytes/position.hpp"
#include "net/column_arrays.hpp"
#include "protocol/dialect.hpp"
#include "protocol/packet_codec.hpp"

#include <functional>
#include <list>
#include <unordered_map>
#include <vector>

namespace orbis::net {

/// Hears what a server says of columns and sections, where these travel apart, as packets of the usual build
/// (docs/design/builds.md). It remembers the columns that the server has sent, up to a limit; those that came
/// first are forgotten then.
class ColumnGatherer {
public:
    /// How much it remembers.
    struct Limits {
        std::size_t columns = 8192;
        std::size_t bytes = 64 << 20;
    };
    /// A packet of the usual build; valid until the next call.
    struct Heard {
        const protocol::PacketInfo* packet;
        Bytes payload;
    };
    using IsRead = std::function<bool(const protocol::PacketInfo&)>;

    explicit ColumnGatherer(const protocol::Dialect& dialect) : ColumnGatherer(dialect, Limits()) {}
    ColumnGatherer(const protocol::Dialect& dialect, Limits limits);

    /// Whether this packet of the build is one for it.
    [[nodiscard]] bool hears(std::int32_t other_id) const;
    /// What it says, given its payload after decompression; nothing of what is not read.
    Result<std::span<const Heard>> hear(std::int32_t other_id, Bytes payload, const IsRead& is_read);

    /// The player enters a world, of which the build says how high it is: the payload of `JoinWorld`.
    void enter(Bytes join);

    [[nodiscard]] std::size_t columns() const { return columns_.size(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Sections with blocks that the usual build has no word for, in all worlds that were entered.
    [[nodiscard]] std::uint64_t sections_outside() const { return sections_outside_; }

private:
    struct Column {
        ChunkPos pos;
        std::vector<std::int16_t> heights{}; ///< empty while they are not known
        std::array<SectionRuns, k_sections> environments{};
        std::uint32_t absent = 0; ///< sections that do not exist, one bit each
        std::size_t bytes = 0;
    };
    using Columns = std::list<Column>; ///< the one that came first in front
    using Hear = Result<void> (ColumnGatherer::*)(Bytes payload, const IsRead& is_read);
    struct Kind {
        std::int32_t id;
        Hear hear;
    };

    Result<void> hear_column(Bytes payload, const IsRead& is_read);
    Result<void> hear_heights(Bytes payload, const IsRead& is_read);
    Result<void> hear_height(Bytes payload, const IsRead& is_read);
    Result<void> hear_some_heights(Bytes payload, const IsRead& is_read);
    Result<void> hear_environments(Bytes payload, const IsRead& is_read);
    Result<void> hear_absent(Bytes payload, const IsRead& is_read);
    Result<void> hear_unload(Bytes payload, const IsRead& is_read);
    Result<void> hear_unloads(Bytes payload, const IsRead& is_read);
    Result<void> hear_clear(Bytes payload, const IsRead& is_read);
    Result<void> hear_section(std::int32_t id, Bytes payload);

    Column& keep_heights(ChunkPos pos, const HeightArray& heights);
    Column& column_at(ChunkPos pos);
    Column* find(ChunkPos pos);
    void forget(ChunkPos pos);
    /// Keeps what a column takes up to date, and forgets others where all take too much.
    void measure(Column& column);
    [[nodiscard]] bool is_in_world(std::int64_t section) const {
        return section >= lowest_ && section <= highest_;
    }
    /// Whether the environments of all sections that exist are known.
    [[nodiscard]] bool has_environments(const Column& column) const;

    template <protocol::Packet P>
    Result<void> say(const P& packet, const IsRead& is_read);
    Result<void> say_heights(const Column& column, const IsRead& is_read);
    Result<void> say_environments(const Column& column, const IsRead& is_read);

    const protocol::Dialect& dialect_;
    Limits limits_;
    std::vector<Kind> kinds_;
    std::vector<std::pair<std::int32_t, const protocol::PacketInfo*>> of_sections_;
    /// Of the world, as far as the usual build can say them.
    int lowest_ = 0;
    int highest_ = k_sections - 1;
    bool is_taller_ = false; ///< the world has sections of which the usual build has no word
    Columns columns_;
    std::unordered_map<ChunkPos, Columns::iterator> by_pos_;
    std::size_t bytes_ = 0;
    std::uint64_t sections_outside_ = 0;
    protocol::PayloadWriter writer_;
    Buffer out_; ///< the payloads of `heard_`
    std::vector<std::pair<const protocol::PacketInfo*, std::size_t>> ends_;
    std::vector<Heard> heard_;
};

} // namespace orbis::net
