#include "game/content/item_registries.hpp"

#include "game/content/block_entries.hpp"
#include "game/content/content_pack.hpp"
#include "game/content/interactions.hpp"
#include "game/content/registry_frames.hpp"
#include "game/content/registry_numbers.hpp"
#include "packets/assets.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace orbis::game {
namespace {

using namespace std::string_view_literals;
using protocol::Entry;
using protocol::List;
using protocol::Map;
using protocol::Text;

constexpr Text k_all_blocks = "Blocks";
constexpr Text k_other_blocks = "Blocks.Other";
constexpr Text k_animations = "Block";
constexpr Text k_item_animations = "Item";
constexpr std::int32_t k_full_stack = 100;

template <typename T>
List<T> view(const std::vector<T>& elements) {
    return {elements.data(), elements.size()};
}

/// The items and what names them.
class Items {
public:
    Items(const world::Assets& assets, const WireIds& ids, const ContentPack* pack)
        : assets_(assets), ids_(ids), pack_(pack) {}

    void make() {
        add_unknown();
        // The names of this server for what it says itself.
        translations_.try_emplace("server.general.playerJoinedWorld", "{username} joined {world}");
        translations_.try_emplace("server.general.qualities.Default", "Default");
        translations_.try_emplace("server.general.setCreativeItem.notInCreativeMode",
                                  "Only players in creative mode can take items");
        for (const auto& type : assets_.blocks.all()) {
            const auto id = ids_.blocks.find(type.key);
            if (!id || *id < 2 || !split_state(type.key).second.empty()) continue;
            add(type.key, *id, type.group);
        }
        if (pack_ == nullptr) return;
        for (const auto& [key, text] : pack_->facts().translations())
            translations_.insert_or_assign(key, text);
    }

    /// The texts of all languages of the pack but the usual one.
    Result<std::map<std::string, net::OutgoingFrame, std::less<>>> languages(RegistryFrames& out) const {
        std::map<std::string, net::OutgoingFrame, std::less<>> frames;
        if (pack_ == nullptr) return frames;
        for (const auto& language : pack_->facts().languages()) {
            if (language == PackFacts::k_usual_language) continue;
            auto texts = translations_;
            for (const auto& [key, text] : pack_->facts().translations(language))
                texts.insert_or_assign(key, text);
            std::vector<Entry<Text, Text>> entries;
            for (const auto& [key, text] : texts) entries.push_back({key, text});
            packets::UpdateTranslations packet;
            packet.translations = view(entries);
            TRY(auto frame, out.make(packet));
            frames.emplace(language, std::move(frame));
        }
        return frames;
    }

    void send(RegistryFrames& out) const {
        packets::UpdateItems items;
        items.update_models = true;
        items.update_icons = true;
        items.items = view(items_);
        out.add(items);

        std::vector<Entry<Text, Text>> texts;
        texts.reserve(translations_.size());
        for (const auto& [key, text] : translations_) texts.push_back({key, text});
        out.add_all(&packets::UpdateTranslations::translations, texts);
    }

private:
    /// What every item has.
    static packets::ItemBase plain_item(Text key) {
        packets::ItemBase item;
        item.id = key;
        item.scale = 1;
        item.max_stack = k_full_stack;
        item.reticle_index = k_plain_reticle;
        item.quality_index = k_common_quality;
        item.sound_event_index = k_silence;
        item.item_sound_set_index = k_silence;
        item.texture = Text("Items/Unknown.png");
        item.utility = packets::ItemUtility{};
        item.interaction_vars = Map<Text, std::int32_t>();
        item.interaction_config = packets::InteractionConfiguration{};
        item.interactions = roots_of_hand(true);
        item.tag_indexes = List<std::int32_t>();
        packets::ItemEntityConfig lying;
        lying.show_item_particles = true;
        item.item_entity = lying;
        return item;
    }

    /// What stands for items that are gone from the game.
    void add_unknown() {
        static constexpr std::array only_swap{Entry<packets::InteractionType, std::int32_t>{
            packets::InteractionType::swap_from, std::to_underlying(Root::swap)}};
        auto item = plain_item("Unknown");
        item.model = Text("Items/CreativeTools/EditorTool.blockymodel");
        item.player_animations_id = k_item_animations;
        item.interactions = Map<packets::InteractionType, std::int32_t>(only_swap);
        item.item_entity->particle_system_id = Text("Item");
        item.tag_indexes.reset();
        items_.push_back({"Unknown", item});
    }

    void add(Text key, std::int32_t block, std::string_view group) {
        auto item = plain_item(key);
        item.block_id = block;
        item.player_animations_id = k_animations;
        const auto icon = fmt::format("Icons/ItemsGenerated/{}.png", key);
        if (pack_ != nullptr && pack_->find_name(icon) != nullptr) item.icon = memory_.text(icon);
        const auto name = memory_.text(fmt::format("server.items.{}.name", key));
        item.translation_properties = packets::ItemTranslationProperties{.name = name, .description = {}};
        item.categories = memory_.list(
            {group.empty() ? k_other_blocks : memory_.text(fmt::format("{}.{}", k_all_blocks, group))});
        items_.push_back({key, item});
        translations_.try_emplace(std::string(name), spoken(key));
    }

    const world::Assets& assets_;
    const WireIds& ids_;
    const ContentPack* pack_;
    RegistryMemory memory_;
    std::vector<Entry<Text, packets::ItemBase>> items_;
    std::map<std::string, std::string> translations_;
};

void add_categories(const BlockEntries& blocks, RegistryFrames& out) {
    RegistryMemory memory;
    std::vector<packets::ItemCategory> groups;
    for (const auto& [group, number] : blocks.groups()) {
        packets::ItemCategory category;
        category.order = number;
        category.id = group;
        category.name = memory.text(spoken(group));
        groups.push_back(category);
    }
    packets::ItemCategory other;
    other.order = static_cast<std::int32_t>(groups.size()) + 1;
    other.id = "Other"sv;
    other.name = "Other"sv;
    groups.push_back(other);
    packets::ItemCategory all;
    all.id = k_all_blocks;
    all.name = k_all_blocks;
    all.children = view(groups);
    packets::UpdateItemCategories categories;
    categories.item_categories = List<packets::ItemCategory>(&all, 1);
    out.add(categories);
    packets::UpdateFieldcraftCategories fieldcraft;
    fieldcraft.item_categories = List<packets::ItemCategory>();
    out.add(fieldcraft);
}

/// Groups of blocks by the keys in them, and the same as sets by their numbers.
void add_groups(const world::Assets& assets, const WireIds& ids, RegistryFrames& out) {
    std::map<Text, std::pair<std::vector<Text>, std::vector<std::int32_t>>> members;
    for (const auto& type : assets.blocks.all()) {
        const auto id = ids.blocks.find(type.key);
        if (type.group.empty() || !id) continue;
        auto& [names, numbers] = members[type.group];
        names.emplace_back(type.key);
        numbers.push_back(*id);
    }
    std::vector<Entry<Text, packets::BlockGroup>> groups;
    std::vector<Entry<Text, packets::BlockSet>> sets;
    for (const auto& [group, of_group] : members) {
        groups.push_back({group, {.names = view(of_group.first)}});
        sets.push_back({group, {.name = group, .blocks = view(of_group.second)}});
    }
    out.add_all(&packets::UpdateBlockGroups::groups, groups);
    out.add_all(&packets::UpdateBlockSets::block_sets, sets);
}

/// What every item names, whatever it is.
void add_item_basics(RegistryFrames& out) {
    static_assert(k_common_quality == 0 && k_plain_reticle == 0);
    packets::ItemQuality common;
    common.id = "Default"sv;
    common.text_color = packets::Color{static_cast<std::int8_t>(0xC9), static_cast<std::int8_t>(0xD2),
                                       static_cast<std::int8_t>(0xDD)};
    common.item_tooltip_texture = Text("UI/ItemQualities/Tooltips/ItemTooltipDefault.png");
    common.item_tooltip_arrow_texture = Text("UI/ItemQualities/Tooltips/ItemTooltipDefaultArrow.png");
    common.slot_texture = Text("UI/ItemQualities/Slots/SlotDefault.png");
    common.block_slot_texture = common.slot_texture;
    common.special_slot_texture = Text("UI/ItemQualities/Slots/SpecialSlotDefault.png");
    common.localization_key = Text("server.general.qualities.Default");
    out.add_one(&packets::UpdateItemQualities::item_qualities, common);

    constexpr std::array<Text, 1> cross{"UI/Reticles/Default.png"};
    packets::ItemReticleConfig plain; // without its id, as in the game
    plain.base = List<Text>(cross);
    out.add_one(&packets::UpdateItemReticles::item_reticle_configs, plain);

    constexpr std::array<Text, 3> names{"Default", k_item_animations, k_animations};
    std::array<Entry<Text, packets::ItemPlayerAnimations>, names.size()> still;
    for (std::size_t i = 0; i < names.size(); ++i) {
        still[i].key = names[i];
        still[i].value.id = names[i];
        still[i].value.wiggle_weights = packets::WiggleWeights{};
        still[i].value.animations = Map<Text, packets::ItemAnimation>();
    }
    out.add_all(&packets::UpdateItemPlayerAnimations::item_player_animations, still);
    out.add_none(&packets::UpdateResourceTypes::resource_types);
    out.add_none(&packets::UpdateRecipes::recipes);
}

} // namespace

std::string spoken(std::string_view key) {
    std::string text(key);
    std::ranges::replace(text, '_', ' ');
    return text;
}

Result<std::map<std::string, net::OutgoingFrame, std::less<>>>
add_items(const world::Assets& assets, const WireIds& ids, const BlockEntries& blocks,
          const ContentPack* pack, RegistryFrames& out) {
    Items items(assets, ids, pack);
    items.make();
    add_categories(blocks, out);
    add_groups(assets, ids, out);
    add_item_basics(out);
    items.send(out); // the translations come behind all registries, as in the game
    return items.languages(out);
}

} // namespace orbis::game
