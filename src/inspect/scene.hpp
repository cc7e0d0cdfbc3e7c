#pragma once

#include "bytes/position.hpp"
#include "capture/record_decoder.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace orbis::inspect {

/// What one player has been shown: chunks, entities, its own place. Reads packets by the names of their
/// fields, so that it knows all builds. Not for several threads at once.
class Scene {
public:
    static constexpr std::size_t k_most_entities = 20'000;
    static constexpr std::size_t k_most_chunks = 16'384;
    static constexpr std::size_t k_longest_name = 80;

    using Place = std::array<double, 3>;
    struct Entity {
        std::string name{}; ///< of its plate, model or item; empty while it is not known
        std::optional<Place> place{};
    };
    struct Seen {
        std::uint32_t sections = 0; ///< packets of its sections that came
        std::int64_t time = 0;      ///< of the last
    };

    /// A frame of this player, in either direction.
    void add(const capture::Record& record, capture::RecordDecoder& decoder);

    [[nodiscard]] const std::map<std::int64_t, Entity>& entities() const { return entities_; }
    [[nodiscard]] const std::unordered_map<ChunkPos, Seen>& chunks() const { return chunks_; }
    /// Where the player says it is, or was put.
    [[nodiscard]] const std::optional<Place>& place() const { return place_; }
    /// Entities and chunks beyond the limits.
    [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
    /// Grows with every change.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    /// How many worlds the player has entered.
    [[nodiscard]] std::uint64_t worlds() const { return worlds_; }

private:
    void see_chunk(const protocol::Value& packet, std::int64_t time);
    void unload_chunk(const protocol::Value& packet, std::string_view x, std::string_view z);
    void unload_columns(const protocol::Value& packet);
    void see_entities(const protocol::Value& packet);
    void see_component(Entity& entity, const protocol::Value& component);
    void move(const protocol::Value* position);

    std::map<std::int64_t, Entity> entities_;
    std::unordered_map<ChunkPos, Seen> chunks_;
    std::optional<Place> place_;
    std::uint64_t left_out_ = 0;
    std::uint64_t version_ = 0;
    std::uint64_t worlds_ = 0;
};

} // namespace orbis::inspect
