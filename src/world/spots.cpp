#include "world/spots.hpp"

#include "bson/view.hpp"
#include "world/config.hpp"
#include "world/json_files.hpp"

#include <algorithm>
#include <cmath>

namespace orbis::world {
namespace {

using storage::Folder;

constexpr int k_deepest_provider = 8;

/// As the game does: the copy where the file itself cannot be read.
Result<Buffer> read_with_copy(const Folder& folder, const std::string& name) {
    auto document = read_json(folder, name);
    if (document) return document;
    if (auto copy = read_json(folder, name + ".bak")) return copy;
    return document;
}

std::optional<double> number(const bson::Document& document, std::string_view key) {
    const auto found = document.find(key);
    return found ? found->number() : std::nullopt;
}

std::optional<Spot> point(const std::optional<bson::Document>& document, std::string name = {}) {
    if (!document) return std::nullopt;
    const auto x = number(*document, "X");
    const auto z = number(*document, "Z");
    if (!x || !z) return std::nullopt;
    return Spot{*x, number(*document, "Y").value_or(0), *z, std::move(name)};
}

/// `{X, Y, Z}` itself, or with a `Position` of that form.
std::optional<Spot> place_of(const std::optional<bson::Document>& document, const std::string& name) {
    if (auto spot = point(document, name)) return spot;
    return document ? point(document->document("Position"), name) : std::nullopt;
}

void add_spawn(const bson::Document& provider, Spots& out, int depth = 0) {
    if (auto spot = point(provider.document("SpawnPoint"))) out.spots.push_back(*std::move(spot));
    if (const auto points = provider.array("SpawnPoints"))
        for (bson::Cursor at(*points); at.next();)
            if (auto spot = point(at->document())) out.spots.push_back(*std::move(spot));
    const auto inner = provider.document("SpawnProvider");
    if (inner && depth < k_deepest_provider) add_spawn(*inner, out, depth + 1);
}

std::string text_of(const std::optional<bson::Element>& element) {
    const auto text = element ? element->string() : std::nullopt;
    return text ? std::string(*text) : std::string();
}

std::string player_name(const bson::Document& root, const std::string& file) {
    auto name = text_of(root.find_path({"Components", "DisplayName", "DisplayName", "RawText"}));
    if (name.empty()) name = text_of(root.find_path({"Components", "Nameplate", "Text"}));
    return name.empty() ? file.substr(0, file.size() - std::string_view(".json").size()) : name;
}

void add_player(const bson::Document& root, const std::string& file, const std::string& world, Spots& out) {
    const auto data = root.find_path({"Components", "Player", "PlayerData"});
    const auto player_data = data ? data->document() : std::nullopt;
    const auto name = player_name(root, file);
    if (player_data && text_of(player_data->find("World")) == world) {
        const auto transform = root.find_path({"Components", "Transform"});
        if (auto spot = place_of(transform ? transform->document() : std::nullopt, name))
            out.spots.push_back(*std::move(spot));
    }
    const auto worlds = player_data ? player_data->document("PerWorldData") : std::nullopt;
    const auto here = worlds ? worlds->document(world) : std::nullopt;
    if (auto spot = place_of(here ? here->document("LastPosition") : std::nullopt, name))
        out.spots.push_back(*std::move(spot));
}

void add_markers(const Folder& resources, const std::string& file, std::string_view list, Spots& out) {
    if (!resources.has_file(file)) return;
    const auto bytes = read_json(resources, file);
    if (!bytes) {
        out.problems.push_back(bytes.error());
        return;
    }
    const auto root = bson::Document::open(*bytes);
    const auto markers = root ? root->find(list) : std::nullopt;
    if (!markers || (!markers->document() && !markers->array())) return;
    for (bson::Cursor at(markers->document() ? *markers->document() : *markers->array()); at.next();) {
        const auto marker = at->document();
        if (!marker) continue;
        if (auto spot = place_of(marker, text_of(marker->find("Name"))))
            out.spots.push_back(*std::move(spot));
    }
}

} // namespace

BlockPos Spot::block() const {
    const auto whole = [](double value) {
        if (std::isnan(value)) return std::int32_t{0};
        constexpr double k_least = std::numeric_limits<std::int32_t>::min();
        constexpr double k_most = std::numeric_limits<std::int32_t>::max();
        return static_cast<std::int32_t>(std::clamp(std::floor(value), k_least, k_most));
    };
    return {whole(x), whole(y), whole(z)};
}

Spots spawn_points(const World& world) {
    Spots out;
    for (const std::string file : k_config_files) {
        if (world.config.file.empty() || world.folder.shown(file) != world.config.file) continue;
        const auto bytes = read_json(world.folder, file);
        if (!bytes) {
            out.problems.push_back(bytes.error());
            return out;
        }
        if (const auto root = bson::Document::open(*bytes)) add_spawn(*root, out);
    }
    if (out.spots.empty())
        out.problems.push_back(
            error(Errc::not_found, "config.json has no spawn point")
                .in_file(world.config.file.empty() ? world.folder.shown() : world.config.file)
                .advise("give its coordinates, such as blocks:0,0~500"));
    return out;
}

Spots player_positions(const World& world) {
    Spots out;
    if (!world.players) {
        out.problems.push_back(
            error(Errc::not_found,
                  "the places of players are unknown: this world is not in a universe with players/")
                .in_file(world.folder.shown())
                .advise("give the path of the universe"));
        return out;
    }
    const auto names = json_names(*world.players); // a universe that no player has joined has none
    if (!names) {
        out.problems.push_back(names.error());
        return out;
    }
    for (const auto& name : *names) {
        const auto bytes = read_with_copy(*world.players, name);
        if (!bytes) {
            out.problems.push_back(bytes.error());
            continue;
        }
        if (const auto root = bson::Document::open(*bytes)) add_player(*root, name, world.name, out);
    }
    return out;
}

Spots warps(const World& world) {
    Spots out;
    if (!world.universe || !world.universe->has_file("warps.json")) return out;
    const auto bytes = read_json(*world.universe, "warps.json");
    if (!bytes) {
        out.problems.push_back(bytes.error());
        return out;
    }
    const auto root = bson::Document::open(*bytes);
    const auto list = root ? root->array("Warps") : std::nullopt;
    if (!list) return out;
    for (bson::Cursor at(*list); at.next();) {
        const auto warp = at->document();
        if (!warp || text_of(warp->find("World")) != world.name) continue;
        if (auto spot = place_of(warp, text_of(warp->find("Id")))) out.spots.push_back(*std::move(spot));
    }
    return out;
}

Spots map_markers(const World& world) {
    Spots out;
    const auto resources = world.folder.sub("resources");
    add_markers(resources, "BlockMapMarkers.json", "Markers", out);
    add_markers(resources, "SharedUserMapMarkers.json", "UserMarkers", out);
    return out;
}

} // namespace orbis::world
