#pragma once

#include "game/content/pack_values.hpp"
#include "packets/entities.hpp"
#include "protocol/packet_info.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace orbis::game {

/// A part of a model; what is empty is not given.
struct PackAttachment {
    std::string model;
    std::string texture;
    std::string gradient_set;
    std::string gradient_id;
};

/// Adds to registries what the JSON files of a user's assets say (docs/formats/registries.md). Values are
/// made by the schema of the build that packets are written for; tables say which member is which field.
class PackRegistries {
public:
    /// The files must outlive it.
    explicit PackRegistries(const PackDocuments& documents);

    /// Reads all files as if they were to be sent, to report what is wrong in them.
    static void check(const PackDocuments& documents, std::vector<Error>& problems);

    using Packet = std::pair<const protocol::PacketInfo*, protocol::Value>;
    /// Lays the files over all packets of the registries. `groups` are those of blocks, with their numbers.
    void apply(std::vector<Packet>& packets, const std::map<std::string_view, std::int32_t>& groups);

    // After that:

    /// A packet with one entity that has the model of that name, at scale 1, and nothing else. Nothing if
    /// there is no such file.
    [[nodiscard]] std::optional<Buffer> model_packet(std::string_view id);
    /// The component alone.
    [[nodiscard]] std::optional<Buffer> model_component(std::string_view id);
    /// The parts of a model that are chosen from its random sets; a set or entry that it does not have, and
    /// the entry `null`, are none.
    [[nodiscard]] std::vector<PackAttachment>
    attachments(std::string_view id, const std::map<std::string, std::string>& chosen) const;
    /// How people move by the files; without one as it was.
    void put_movement(packets::MovementSettings& settings);
    /// The numbers of all stats, and what an entity begins with.
    [[nodiscard]] const std::vector<std::pair<std::int32_t, float>>& stats() const { return stats_; }

private:
    void number_entries(std::vector<Packet>& packets);
    void apply_one(const PackRegistry& registry, protocol::Value& packet);
    void finish_item(const PackObject& object, protocol::Value& item, bool is_new);
    /// Every category that an item names is there.
    static void add_categories(protocol::Value& items, protocol::Value& categories);
    void number_interactions(protocol::Value& roots, protocol::Value& steps);
    void add_interactions(protocol::Value& roots, protocol::Value& steps);
    [[nodiscard]] std::optional<protocol::Value> model(std::string_view id, int depth = 0);
    void put_animations(const PackObject& object, protocol::Value& model);

    const PackDocuments& documents_;
    PackNumbers numbers_;
    std::vector<Error> problems_; ///< known since the files were read
    PackValues values_{numbers_, problems_};
    std::vector<std::pair<std::int32_t, float>> stats_;
};

} // namespace orbis::game
