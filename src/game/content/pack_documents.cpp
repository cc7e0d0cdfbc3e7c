#include "game/content/pack_documents.hpp"

#include "bytes/json_nesting.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace orbis::game {

struct PackDocuments::File {
    std::string path;
    nlohmann::json json;
};

namespace {

using PackJson = nlohmann::json;

constexpr int k_deepest_document = 64;
constexpr std::size_t k_deepest_chain = 32;
constexpr int k_deepest_inner = 16; ///< states and interactions within each other
constexpr std::size_t k_most_pack_bytes = 64 << 20;
constexpr std::size_t k_most_pack_values = 6'000'000;
constexpr std::size_t k_most_document_problems = 1000;

/// Where the files of each kind are, in the order of the kinds; blocks within items have none.
constexpr std::array<std::string_view, k_pack_kinds> k_folders{"Server/Item/Items/",
                                                               "Server/Item/Block/Blocks/",
                                                               "Server/Item/Block/Hitboxes/",
                                                               "Server/Item/Block/Sounds/",
                                                               "Server/Audio/ItemSounds/",
                                                               "Server/Audio/SoundSets/",
                                                               "Server/Audio/SoundEvents/",
                                                               "Server/Audio/AudioCategories/",
                                                               "Server/Item/Block/Fluids/",
                                                               "Server/Item/Block/FluidFX/",
                                                               "Server/Environments/",
                                                               "Server/Weathers/",
                                                               "Server/Entity/Stats/",
                                                               "Server/Item/RootInteractions/",
                                                               "Server/Item/Interactions/",
                                                               "Server/Item/Unarmed/Interactions/",
                                                               "Server/Models/",
                                                               "Server/Entity/MovementConfig/",
                                                               "Server/GameplayConfigs/",
                                                               "Server/Item/Qualities/",
                                                               "Server/Item/Reticles/",
                                                               "Server/Item/Animations/",
                                                               "Server/Item/ResourceTypes/"};

std::size_t place(PackKind kind) { return static_cast<std::size_t>(kind); }

const PackJson* object_in(const PackJson& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_object() ? &*found : nullptr;
}

std::string parent_in(const PackJson& json) {
    const auto found = json.find("Parent");
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

void note(std::vector<Error>& problems, Error&& problem) {
    if (problems.size() < k_most_document_problems) problems.push_back(std::move(problem));
}

} // namespace

const PackJson* PackObject::find(std::string_view key) const {
    for (const auto* json : chain)
        if (const auto found = json->find(key); found != json->end())
            return found->is_null() ? nullptr : &*found;
    return nullptr;
}

PackDocuments::PackDocuments() = default;
PackDocuments::~PackDocuments() = default;
PackDocuments::PackDocuments(PackDocuments&&) noexcept = default;
PackDocuments& PackDocuments::operator=(PackDocuments&&) noexcept = default;

std::optional<PackKind> PackDocuments::kind_of(std::string_view path) {
    if (!path.ends_with(".json")) return std::nullopt;
    for (std::size_t i = 0; i < k_folders.size(); ++i)
        if (path.starts_with(k_folders[i])) return static_cast<PackKind>(i);
    return std::nullopt;
}

Result<const PackJson*> PackDocuments::read(PackKind kind, std::string_view path, std::string_view text) {
    if (find_deep_nesting(text, k_deepest_document))
        return fail(Errc::too_deep, "nested more than {} levels deep", k_deepest_document);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto values = static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return c == ',' || c == '[' || c == '{'; }));
    if (bytes_ + text.size() > k_most_pack_bytes || values_ + values > k_most_pack_values)
        return fail(Errc::too_large, "left out: all files together have more than {} MiB or {} values",
                    k_most_pack_bytes >> 20, k_most_pack_values);
    auto json = PackJson::parse(text, nullptr, false, true);
    if (!json.is_object()) return fail(Errc::bad_text, "expected a JSON object");
    bytes_ += text.size();
    values_ += values;
    auto id = path.substr(path.rfind('/') + 1);
    id.remove_suffix(std::string_view(".json").size());
    auto& file = files_[place(kind)][std::string(id)];
    file = std::make_unique<File>(std::string(path), std::move(json));
    return &file->json;
}

Result<std::vector<const PackJson*>> PackDocuments::chain_of(PackKind kind, const std::string& id,
                                                             std::vector<Error>& problems) const {
    const auto& files = files_[place(kind)];
    std::vector<const PackJson*> chain;
    std::set<std::string> seen;
    for (auto at = id;;) {
        const auto found = files.find(at);
        if (found == files.end()) {
            // Blocks and items may be children of those that are built in.
            if (kind != PackKind::item && kind != PackKind::fluid && kind != PackKind::environment)
                note(problems,
                     error(Errc::not_found, "its parent '{}' does not exist", at).about(files.at(id)->path));
            return chain;
        }
        if (!seen.insert(at).second || chain.size() == k_deepest_chain)
            return fail(Errc::too_deep, "its parents form a loop");
        chain.push_back(&found->second->json);
        auto parent = parent_in(found->second->json);
        if (parent.empty() || parent == "super" || parent == at) return chain;
        at = std::move(parent);
    }
}

/// The block of an item is a child of the one that it names, else of that of the item's parent.
Result<std::vector<const PackJson*>> PackDocuments::block_chain(const std::string& id) const {
    const auto& items = files_[place(PackKind::item)];
    const auto& blocks = files_[place(PackKind::block)];
    std::vector<const PackJson*> chain;
    std::set<std::string> seen;
    for (auto at = id; !at.empty() && at != "super";) {
        if (!seen.insert(at).second || seen.size() > k_deepest_chain)
            return fail(Errc::too_deep, "its parents form a loop");
        std::string parent;
        if (const auto block = blocks.find(at); block != blocks.end()) {
            chain.push_back(&block->second->json);
            parent = parent_in(block->second->json);
        } else if (const auto item = items.find(at); item != items.end()) {
            const auto* inner = object_in(item->second->json, "BlockType");
            if (inner != nullptr) {
                chain.push_back(inner);
                parent = parent_in(*inner);
            }
            if (parent.empty()) parent = parent_in(item->second->json);
        }
        if (parent == at) break;
        at = std::move(parent);
    }
    return chain;
}

void PackDocuments::add_states(const std::string& id, const Entry& block, int depth) {
    if (depth == k_deepest_inner) return;
    const auto* state = PackObject{id, block.file, block.chain}.find("State");
    const auto* definitions =
        state != nullptr && state->is_object() ? object_in(*state, "Definitions") : nullptr;
    if (definitions == nullptr) return;
    for (const auto& [name, definition] : definitions->items()) {
        if (!definition.is_object()) continue;
        Entry made{block.file, {&definition}, block.item_tags};
        // Of the block everything but its states: each has its own.
        made.chain.insert(made.chain.end(), block.chain.begin(), block.chain.end());
        const auto key = "*" + id + "_State_Definitions_" + name;
        if (definition.contains("State")) add_states(key, made, depth + 1);
        entries_[place(PackKind::block)].insert_or_assign(key, std::move(made));
    }
}

void PackDocuments::add_blocks(std::vector<Error>& problems) {
    const auto add = [&](const std::string& id, const File& file, const PackJson* tags) {
        auto chain = block_chain(id);
        if (!chain) return note(problems, std::move(chain).error().about(file.path));
        Entry entry{file.path, *std::move(chain), tags};
        add_states(id, entry, 0);
        entries_[place(PackKind::block)].insert_or_assign(id, std::move(entry));
    };
    for (const auto& [id, file] : files_[place(PackKind::item)]) {
        if (object_in(file->json, "BlockType") == nullptr) continue;
        const auto item = find(PackKind::item, id);
        add(id, *file, item ? item->find("Tags") : nullptr);
    }
    for (const auto& [id, file] : files_[place(PackKind::block)]) add(id, *file, nullptr);
}

/// Interactions that are written where others are named by their ids: `*<id>_<place>`.
void PackDocuments::add_inline(PackKind kind, const std::string& id, const std::string& file,
                               const PackJson& document, int depth) {
    if (depth == k_deepest_inner || !document.is_object()) return;
    const auto inner = [&](const std::string& at, const PackJson& json) {
        if (!json.is_object()) return;
        const auto key = (id.starts_with('*') ? "" : "*") + id + "_" + at;
        entries_[place(PackKind::interaction)].insert_or_assign(key, Entry{file, {&json}});
        add_inline(PackKind::interaction, key, file, json, depth + 1);
    };
    if (const auto list = document.find("Interactions"); list != document.end() && list->is_array())
        for (std::size_t i = 0; i < list->size(); ++i) inner("Interactions_" + std::to_string(i), (*list)[i]);
    if (kind != PackKind::interaction) return;
    for (const auto* link : {"Next", "Failed"})
        if (const auto found = document.find(link); found != document.end()) inner(link, *found);
}

void PackDocuments::finish(std::vector<Error>& problems) {
    for (std::size_t i = 0; i < k_pack_kinds; ++i) {
        const auto kind = static_cast<PackKind>(i);
        if (kind == PackKind::block) continue;
        for (const auto& [id, file] : files_[i]) {
            auto chain = chain_of(kind, id, problems);
            if (chain)
                entries_[i].insert_or_assign(id, Entry{file->path, *std::move(chain)});
            else
                note(problems, std::move(chain).error().about(file->path));
        }
    }
    add_blocks(problems);
    for (const auto kind : {PackKind::root, PackKind::interaction})
        for (const auto& [id, file] : files_[place(kind)]) add_inline(kind, id, file->path, file->json, 0);
}

std::vector<PackObject> PackDocuments::all(PackKind kind) const {
    std::vector<PackObject> found;
    for (const auto& [id, entry] : entries_[place(kind)])
        found.push_back({id, entry.file, entry.chain, entry.item_tags});
    return found;
}

std::optional<PackObject> PackDocuments::find(PackKind kind, std::string_view id) const {
    const auto& entries = entries_[place(kind)];
    const auto found = entries.find(id);
    if (found == entries.end()) return std::nullopt;
    return PackObject{found->first, found->second.file, found->second.chain, found->second.item_tags};
}

} // namespace orbis::game
