#include "jobs/damage/corpus_test.hpp"

#include <fstream>

namespace orbis::jobs::damage {

namespace {

namespace fs = std::filesystem;
using Affected = std::optional<std::set<ChunkPos>>;

void put(const fs::path& path, std::string_view content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

Kind file(std::string name, std::vector<std::string> codes, Cure cure,
          std::function<bool(const Patient&)> apply) {
    return {std::move(name), std::move(codes), cure,
            [apply = std::move(apply)](const Patient& patient) -> Affected {
                if (!apply(patient)) return std::nullopt;
                return std::set<ChunkPos>{};
            }};
}

std::optional<fs::path> first_json(const fs::path& folder) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code))
        if (entry.path().extension() == ".json") return entry.path();
    return std::nullopt;
}

} // namespace

std::vector<Kind> file_kinds() {
    std::vector<Kind> kinds;
    kinds.push_back(
        file("ConfigCutWithAGoodCopy", {"config.backup-used"}, Cure::repair, [](const Patient& p) {
            fs::copy_file(p.world() / "config.json", p.world() / "config.json.bak",
                          fs::copy_options::overwrite_existing);
            fs::resize_file(p.world() / "config.json", 20);
            return true;
        }));
    kinds.push_back(
        file("ConfigMissingWithAGoodCopy", {"config.backup-used"}, Cure::repair, [](const Patient& p) {
            fs::remove(p.world() / "config.json.bak");
            fs::rename(p.world() / "config.json", p.world() / "config.json.bak");
            return true;
        }));
    kinds.push_back(file("ConfigEmpty", {"config.unreadable"}, Cure::from, [](const Patient& p) {
        fs::remove(p.world() / "config.json.bak");
        put(p.world() / "config.json", "");
        return true;
    }));
    kinds.push_back(file("ConfigAndItsCopyBroken", {"config.unreadable"}, Cure::from, [](const Patient& p) {
        put(p.world() / "config.json", "{\"Version\": ");
        put(p.world() / "config.json.bak", "nonsense");
        return true;
    }));
    kinds.push_back(file("ConfigMissing", {"config.missing"}, Cure::from, [](const Patient& p) {
        fs::remove(p.world() / "config.json.bak");
        return fs::remove(p.world() / "config.json");
    }));
    kinds.push_back(file("ConfigOfANewerVersion", {"config.too-new"}, Cure::none, [](const Patient& p) {
        put(p.world() / "config.json", R"({"Version": 99})");
        return true;
    }));
    kinds.back().stays_damaged = true;
    kinds.push_back(file("PlayerBroken", {"player.unreadable"}, Cure::from, [](const Patient& p) {
        const auto player = first_json(p.universe() / "players");
        if (!player) return false;
        fs::remove(player->string() + ".bak");
        fs::resize_file(*player, fs::file_size(*player) / 2);
        return true;
    }));
    kinds.push_back(file("PlayerInAWorldThatIsGone", {"player.world"}, Cure::none, [](const Patient& p) {
        fs::create_directories(p.universe() / "players");
        put(p.universe() / "players" / "11111111-1111-4111-8111-111111111111.json",
            R"({"Components": {"Player": {"Version": 5, "PlayerData": {"World": "atlantis"}}}})");
        return true;
    }));
    kinds.push_back(file("ResourceBroken", {"resource.unreadable"}, Cure::from, [](const Patient& p) {
        const auto resource = first_json(p.world() / "resources");
        if (!resource) return false;
        fs::remove(resource->string() + ".bak");
        put(*resource, "{");
        return true;
    }));
    return kinds;
}

} // namespace orbis::jobs::damage
