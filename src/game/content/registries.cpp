#include "game/content/registries.hpp"

#include "game/content/block_entries.hpp"
#include "game/content/content_pack.hpp"
#include "game/content/interactions.hpp"
#include "game/content/item_registries.hpp"
#include "game/content/pack_registries.hpp"
#include "game/content/plain_registries.hpp"
#include "game/content/registry_frames.hpp"
#include "packets/assets.hpp"

#include <utility>

namespace orbis::game {
namespace {

/// When there are more frames of news than this, they are made one for those who come later.
constexpr std::size_t k_most_news = 24;

template <typename V>
protocol::Map<std::int32_t, V> view(const std::vector<protocol::Entry<std::int32_t, V>>& entries) {
    return {entries.data(), entries.size()};
}

} // namespace

Registries::Registries(const world::Assets& assets, WireIds& ids, const ContentPack* pack)
    : assets_(assets),
      ids_(ids),
      pack_(pack),
      entries_(std::make_unique<BlockEntries>(assets, ids)),
      weathers_(pack) {}

Registries::~Registries() = default;

Registries::Ends Registries::ends() const {
    return {ids_.blocks.end(), ids_.fluids.end(), ids_.environments.end()};
}

void Registries::add_tables(const Ends& from, const Ends& to, packets::UpdateType type,
                            RegistryFrames& out) const {
    RegistryMemory memory;
    const bool all = type == packets::UpdateType::init;
    if (all || from.blocks != to.blocks) {
        const auto blocks = entries_->blocks(from.blocks, to.blocks, memory);
        packets::UpdateBlockTypes packet;
        packet.type = type;
        packet.max_id = to.blocks;
        packet.update_block_textures = true;
        packet.update_model_textures = true;
        packet.update_models = true;
        packet.update_map_geometry = true;
        packet.block_types = view(blocks);
        out.add(packet);
    }
    if (all || from.fluids != to.fluids) {
        const auto fluids = entries_->fluids(from.fluids, to.fluids, memory);
        packets::UpdateFluids packet;
        packet.type = type;
        packet.max_id = to.fluids;
        packet.fluids = view(fluids);
        out.add(packet);
    }
    if (all || from.environments != to.environments) {
        const auto environments = entries_->environments(from.environments, to.environments);
        packets::UpdateEnvironments packet;
        packet.type = type;
        packet.max_id = to.environments;
        packet.rebuild_map_geometry = true;
        packet.environments = view(environments);
        out.add(packet);
    }
}

Result<void> Registries::prepare(net::FrameTools<protocol::Side::server>& tools) {
    const auto now = ends();
    RegistryFrames out(tools);
    if (pack_ != nullptr) out.keep_values();
    add_block_basics(out);
    add_tables({}, now, packets::UpdateType::init, out);
    add_entity_basics(out);
    add_interactions(out);
    add_sounds(out);
    add_effects(out);
    weathers_.add_to(out);
    TRY(texts_, add_items(assets_, ids_, *entries_, pack_, out));
    if (pack_ != nullptr) {
        from_pack_ = std::make_unique<PackRegistries>(pack_->facts().documents());
        from_pack_->apply(out.values(), entries_->groups());
    }
    TRY(frames_, out.finish());
    init_frames_ = frames_.size();
    prepared_ = announced_ = now;
    return {};
}

std::vector<net::OutgoingFrame> Registries::news(net::FrameTools<protocol::Side::server>& tools) {
    const auto now = ends();
    if (now == announced_) return {};
    RegistryFrames out(tools);
    add_tables(announced_, now, packets::UpdateType::add_or_update, out);
    auto made = out.finish();
    if (!made) return {}; // asked for again next time
    announced_ = now;
    frames_.insert(frames_.end(), made->begin(), made->end());
    if (frames_.size() - init_frames_ > k_most_news) {
        // The same again in three frames.
        RegistryFrames whole(tools);
        add_tables(prepared_, now, packets::UpdateType::add_or_update, whole);
        if (auto tables = whole.finish()) {
            frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(init_frames_), frames_.end());
            frames_.insert(frames_.end(), tables->begin(), tables->end());
        }
    }
    return *std::move(made);
}

const net::OutgoingFrame* Registries::texts(std::string_view language) const {
    const auto found = texts_.find(language);
    return found == texts_.end() ? nullptr : &found->second;
}

} // namespace orbis::game
