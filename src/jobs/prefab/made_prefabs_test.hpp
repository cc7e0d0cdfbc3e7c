#pragma once

#include "bson/writer.hpp"
#include "jobs/prefab/json_format.hpp"
#include "jobs/prefab/lpf_format.hpp"
#include "support/shared.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// Prefabs that tests of several parts share.
namespace orbis::jobs::prefab::made {

inline std::string as_json(const Prefab& prefab) {
    std::string out;
    const auto done = write_json(prefab, [&](Bytes piece) -> Result<void> {
        out += as_text(piece);
        return {};
    });
    return done ? out : "an error: " + done.error().text();
}

inline Buffer chest(std::int32_t x, std::int32_t y, std::int32_t z) {
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components").document("container").document("Position");
    writer.int32("X", x).int32("Y", y).int32("Z", z).end().boolean("Custom", false);
    writer.document("ItemContainer").int32("Capacity", 18).document("Items").document("0");
    writer.string("Id", "Weapon_Sword").int32("Quantity", 1).real("Durability", 140.0);
    writer.end().end().end().end().end();
    writer.finish();
    return out;
}

inline Buffer entity(double x, double y, double z, double yaw) {
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components").document("Transform").document("Position");
    writer.real("X", x).real("Y", y).real("Z", z).end().document("Rotation");
    writer.real("Pitch", 0.0).real("Yaw", yaw).real("Roll", 0.0).end().end();
    writer.document("UUID").uuid("UUID", {1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10}).end().end();
    writer.finish();
    return out;
}

/// Cells in the game's order, as both formats list them; fluids only where blocks are.
inline Prefab any_prefab() {
    Prefab out;
    out.version = k_json_version;
    out.block_id_version = *rc::gen::element(8, 10, 11);
    out.anchor = {*rc::gen::inRange(-50, 50), *rc::gen::inRange(-9, 9), *rc::gen::inRange(-50, 50)};
    const auto places = *rc::gen::container<std::set<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(-4, 5), rc::gen::inRange(-4, 5), rc::gen::inRange(-4, 5)));
    for (const auto& [x, z, y] : places) {
        Prefab::Block block;
        block.at = {x, y, z};
        block.key = out.keys.id_of(*rc::gen::element<std::string>("Empty", "Rock_Stone", "Mod_Blöck \"x\"",
                                                                  "*Chest_State_Definitions_CloseWindow"));
        block.filler.stored = *rc::gen::element<std::uint16_t>(0, 0, 31744, 1);
        block.rotation.index = *rc::gen::element<std::uint8_t>(0, 0, 1, 35, 63);
        block.support = *rc::gen::element<std::uint8_t>(0, 0, 2, 15);
        if (*rc::gen::inRange(0, 4) == 0) {
            block.components = static_cast<std::int32_t>(out.components.size());
            out.components.push_back(chest(x, y, z));
        }
        out.blocks.push_back(block);
        if (*rc::gen::arbitrary<bool>())
            out.fluids.push_back({block.at,
                                  out.keys.id_of(*rc::gen::element<std::string>("Empty", "Water", "Poison")),
                                  *rc::gen::element<std::uint8_t>(0, 1, 8)});
    }
    for (int i = *rc::gen::inRange(0, 3), x = -3; i > 0; --i, ++x)
        out.entities.push_back(entity(x + 0.25, 1.5, 2.125, *rc::gen::element(0.0, 90.0, -1.25, 1e-5)));
    return out;
}

/// Real prefabs; none where they are not beside the project.
inline std::vector<std::filesystem::path> real_files() {
    std::vector<std::filesystem::path> out;
    const auto shared = test::shared_folder();
    std::error_code code;
    if (shared)
        for (const auto& entry : std::filesystem::directory_iterator(*shared / "prefabs", code))
            if (entry.path().string().ends_with(".prefab.json")) out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

} // namespace orbis::jobs::prefab::made
