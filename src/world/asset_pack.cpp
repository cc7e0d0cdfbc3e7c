#include "world/asset_pack.hpp"

#include "world/asset_files.hpp"
#include "world/asset_json.hpp"

#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace orbis::world {
namespace {

constexpr int k_deepest_parent = 32;

enum class Kind : std::uint8_t { none, item, block, hitbox, fluid, environment, migration };

Kind kind_of(std::string_view path) {
    if (!path.ends_with(".json")) return Kind::none;
    if (path.starts_with("Server/Item/Items/")) return Kind::item;
    if (path.starts_with("Server/Item/Block/Blocks/")) return Kind::block;
    if (path.starts_with("Server/Item/Block/Hitboxes/")) return Kind::hitbox;
    if (path.starts_with("Server/Item/Block/Fluids/")) return Kind::fluid;
    if (path.starts_with("Server/Item/Block/Migrations/")) return Kind::migration;
    if (path.starts_with("Server/Environments/")) return Kind::environment;
    return Kind::none;
}

/// The file's name without folder and `.json`: the key of the asset.
std::string key_of(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);
    return std::string(path.substr(0, path.size() - std::string_view(".json").size()));
}

/// Types of one kind as their files say them, before what they leave out is filled in from their parents.
/// `Fields` has a member `parent` and a function `onto(Type base) -> Type`.
template <typename Type, typename Fields>
class Resolver {
public:
    Resolver(const std::map<std::string, Fields>& files, const Table<Type>& before,
             std::vector<Error>& problems)
        : files_(files), before_(before), problems_(problems) {}

    Type resolve(const std::string& key, int depth = 0) {
        const auto& fields = files_.at(key);
        Type base;
        if (!fields.parent.empty()) base = parent_of(key, fields.parent, depth);
        auto made = fields.onto(std::move(base));
        made.key = key;
        return made;
    }

private:
    /// `super` and a block's own key mean the type that the file replaces.
    Type parent_of(const std::string& key, const std::string& parent, int depth) {
        const auto own = parent == "super" || parent == key;
        if (!own && files_.contains(parent)) {
            if (depth < k_deepest_parent) return resolve(parent, depth + 1);
            report(Errc::too_deep, "its parents form a loop", key);
            return {};
        }
        if (const auto* known = before_.find(own ? key : parent)) return *known;
        report(Errc::not_found, "its parent '" + parent + "' does not exist", key);
        return {};
    }

    void report(Errc code, const std::string& problem, const std::string& key) {
        if (problems_.size() < k_most_asset_problems)
            problems_.push_back(error(code, "{}", problem).about(key));
    }

    const std::map<std::string, Fields>& files_;
    const Table<Type>& before_;
    std::vector<Error>& problems_;
};

/// Puts the states of a block where `put` puts them, and theirs: `*<Block>_State_Definitions_<State>`.
template <typename Put>
void put_states(const BlockFields& fields, const BlockType& block, const Put& put) {
    for (const auto& state : fields.states) {
        auto made = state.onto(block);
        made.key = "*" + block.key + "_State_Definitions_" + state.state;
        put(made);
        put_states(state, made, put);
    }
}

class Loader {
public:
    Loader(AssetPack& pack, std::string root) : pack_(pack), root_(std::move(root)) {}

    void read(const AssetFile& file) {
        ++pack_.files;
        const auto kind = kind_of(file.path);
        const auto key = key_of(file.path);
        auto done = [&]() -> Result<void> {
            switch (kind) {
            case Kind::item: {
                TRY(auto fields, read_item_block(file.text));
                if (fields) blocks_.insert_or_assign(key, *std::move(fields));
                return {};
            }
            case Kind::block: {
                TRY(auto fields, read_block(file.text));
                blocks_.insert_or_assign(key, std::move(fields));
                return {};
            }
            case Kind::hitbox: {
                TRY(auto fields, read_hitbox(file.text));
                hitboxes_.insert_or_assign(key, std::move(fields));
                return {};
            }
            case Kind::fluid: {
                TRY(auto fields, read_fluid(file.text));
                fluids_.insert_or_assign(key, std::move(fields));
                return {};
            }
            case Kind::environment: {
                TRY(auto fields, read_environment(file.text));
                environments_.insert_or_assign(key, std::move(fields));
                return {};
            }
            case Kind::migration: return migration(key, file.text);
            case Kind::none: return {};
            }
            return {};
        }();
        if (!done && pack_.problems.size() < k_most_asset_problems)
            pack_.problems.push_back(std::move(done).error().in_file(root_).about(file.path));
    }

    void finish(Assets& assets) {
        Resolver<BlockType, BlockFields> blocks(blocks_, assets.blocks, pack_.problems);
        std::vector<std::pair<const BlockFields*, BlockType>> made;
        for (const auto& [key, fields] : blocks_) made.emplace_back(&fields, blocks.resolve(key));
        const auto put = [&](BlockType block) {
            if (!block.hitbox.empty()) block.extent = extent_of(block.hitbox); // else that of its parent
            assets.blocks.put(std::move(block));
        };
        for (auto& [fields, block] : made) {
            put(block);
            put_states(*fields, block, put);
        }
        apply(fluids_, assets.fluids);
        apply(environments_, assets.environments);
        for (auto& [number, migration] : migrations_) assets.migrations.put(number, std::move(migration));
        pack_.blocks = blocks_.size();
        pack_.fluids = fluids_.size();
        pack_.environments = environments_.size();
        pack_.migrations = migrations_.size();
    }

private:
    /// One cell for a hitbox that no file describes; the full cube of the game is one.
    [[nodiscard]] chunk::BlockExtent extent_of(const std::string& hitbox) const {
        auto file = hitboxes_.find(hitbox);
        for (int depth = 0; file != hitboxes_.end() && depth < k_deepest_parent; ++depth) {
            if (file->second.extent) return *file->second.extent;
            file = hitboxes_.find(file->second.parent);
        }
        return {};
    }

    Result<void> migration(const std::string& key, std::string_view text) {
        unsigned number = 0;
        const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), number);
        if (code != std::errc{} || end != key.data() + key.size() || number > k_last_migration)
            return fail(Errc::bad_value, "expected a number from 0 to {} as the file's name, found '{}'",
                        k_last_migration, key);
        TRY(auto read, read_migration(text));
        migrations_.insert_or_assign(number, std::move(read));
        return {};
    }

    template <typename Type, typename Fields>
    void apply(const std::map<std::string, Fields>& files, Table<Type>& table) {
        Resolver<Type, Fields> resolver(files, table, pack_.problems);
        std::vector<Type> made;
        for (const auto& [key, fields] : files) made.push_back(resolver.resolve(key));
        for (auto& type : made) table.put(std::move(type));
    }

    AssetPack& pack_;
    std::string root_; ///< for messages
    std::map<std::string, BlockFields> blocks_;
    std::map<std::string, HitboxFields> hitboxes_;
    std::map<std::string, FluidFields> fluids_;
    std::map<std::string, EnvironmentFields> environments_;
    std::map<unsigned, Migration> migrations_;
};

} // namespace

Result<AssetPack> load_assets(const std::filesystem::path& path, Assets& assets) {
    AssetPack pack;
    Loader loader(pack, path.string());
    TRY_DO(walk_assets(
        path, [](std::string_view file) { return kind_of(file) != Kind::none; },
        [&](const AssetFile& file) { loader.read(file); }, pack.problems));
    loader.finish(assets);
    return pack;
}

} // namespace orbis::world
