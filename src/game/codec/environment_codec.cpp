#include "game/codec/environment_codec.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <cstring>

namespace orbis::game {

namespace {

constexpr std::int64_t k_highest_from = 0xFFFF;

} // namespace

/// Where an id has two mappings the last one counts, as for the chunk itself.
void EnvironmentWriter::read_mappings(const chunk::Environments& environments, IdTable& ids) {
    low_ids_.fill(0);
    high_ids_.clear();
    for (const auto& mapping : environments.mappings()) {
        const auto wire = static_cast<std::uint16_t>(ids.id_of(mapping.key));
        if (const auto place = static_cast<std::uint32_t>(mapping.id); place < low_ids_.size())
            low_ids_[place] = wire;
        else
            high_ids_.insert_or_assign(mapping.id, wire);
    }
}

/// 0, which is `Unknown`, for an id without a mapping.
std::uint16_t EnvironmentWriter::wire_id(std::int32_t id) const {
    if (const auto place = static_cast<std::uint32_t>(id); place < low_ids_.size()) [[likely]]
        return low_ids_[place];
    const auto found = high_ids_.find(id);
    return found == high_ids_.end() ? std::uint16_t{0} : found->second;
}

std::uint8_t* EnvironmentWriter::write_column(const std::uint8_t* bounds, std::int32_t count,
                                              std::uint8_t* to) const {
    auto* const start = to;
    to += 2;
    std::uint16_t runs = 0;
    std::int64_t from = 0;
    for (std::ptrdiff_t i = 0; i <= count; ++i) {
        const auto max_y =
            i < count ? load_be<std::int32_t>(bounds + i * 4) : chunk::EnvironmentRun::k_no_end;
        if (max_y < from) continue; // below the world, or hidden by the run before
        if (from > k_highest_from || runs == k_world_height) break;
        store_le(to, static_cast<std::uint16_t>(from));
        store_le(to + 2, wire_id(load_be<std::int32_t>(bounds + (count + i) * 4)));
        to += 4;
        ++runs;
        from = std::int64_t{max_y} + 1;
    }
    store_le(start, runs);
    return to;
}

/// Works on the stored form (docs/formats/chunk.md), where columns can be compared as bytes: most are like
/// the one before.
void EnvironmentWriter::write(const chunk::Environments& environments, IdTable& ids, Buffer& out) {
    read_mappings(environments, ids);
    Reader in(environments.stored(stored_));
    for (auto left = in.be<std::int32_t>(); left > 0 && in.ok(); --left) {
        in.skip(4);
        in.skip(in.be<std::uint16_t>());
    }
    const auto begin = out.size();
    out.resize(begin + in.remaining()); // a stored column is never smaller
    auto* to = out.data() + begin;
    Bytes last;
    std::size_t last_size = 0;
    for (int i = 0; i < k_columns; ++i) {
        const auto bounds = in.be<std::int32_t>();
        const auto column = in.take(static_cast<std::size_t>(bounds) * 8 + 4);
        if (!in.ok()) break; // never: the chunk has checked what it stores
        if (column.size() == last.size() && std::memcmp(column.data(), last.data(), last.size()) == 0) {
            std::memcpy(to, to - last_size, last_size);
            to += last_size;
            continue;
        }
        auto* const end = write_column(column.data(), bounds, to);
        last = column;
        last_size = static_cast<std::size_t>(end - to);
        to = end;
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
}

} // namespace orbis::game
