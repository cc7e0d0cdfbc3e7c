#include "world/sample/holders.hpp"

#include "bson/writer.hpp"
#include "world/sample/noise.hpp"

#include <fmt/format.h>

namespace orbis::world::sample {
namespace {

/// A holder: the components that `write` adds.
template <typename Write>
Buffer holder(Write&& write) {
    Buffer out;
    bson::Writer document(out);
    document.document("Components");
    write(document);
    document.end();
    document.finish();
    return out;
}

void item(bson::Writer& out, std::string_view key, const Item& item) {
    out.document(key).string("Id", item.id).int32("Quantity", item.quantity);
    out.real("Durability", item.durability).real("MaxDurability", item.durability);
    out.boolean("OverrideDroppedItemAnimation", false).end();
}

void items(bson::Writer& out, std::span<const Item> list) {
    out.document("Items");
    for (std::size_t i = 0; i < list.size(); ++i) item(out, fmt::format("{}", i * 2), list[i]);
    out.end();
}

void simple_container(bson::Writer& out, std::string_view key, int capacity, std::span<const Item> list) {
    out.document(key).string("Id", "Simple").int32("Capacity", capacity);
    items(out, list);
    out.end();
}

void vector(bson::Writer& out, std::string_view key, double x, double y, double z) {
    out.document(key).real("X", x).real("Y", y).real("Z", z).end();
}

void rotation(bson::Writer& out, std::string_view key, double yaw) {
    out.document(key).real("Pitch", 0).real("Yaw", yaw).real("Roll", 0).end();
}

} // namespace

Uuid make_uuid(std::uint64_t seed, int number) {
    Uuid uuid{};
    for (std::size_t i = 0; i < uuid.size(); ++i)
        uuid[i] = static_cast<std::uint8_t>(hash(seed, number, static_cast<int>(i), 900) >> 20);
    uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x40);
    uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
    return uuid;
}

Buffer chest(int capacity, std::span<const Item> list) {
    return holder([&](bson::Writer& out) {
        out.document("ItemContainerBlock").document("ItemContainer").int32("Capacity", capacity);
        items(out, list);
        out.end().int32("Capacity", capacity).end();
    });
}

Buffer bench() {
    return holder([](bson::Writer& out) {
        out.document("BenchBlock").int32("TierLevel", 1).array("UpgradeItems").end().end();
    });
}

Buffer processing_bench(std::span<const Item> input, std::span<const Item> fuel) {
    return holder([&](bson::Writer& out) {
        out.document("BenchBlock").int32("TierLevel", 1).array("UpgradeItems").end().end();
        out.document("ProcessingBenchBlock");
        simple_container(out, "InputContainer", 1, input);
        simple_container(out, "FuelContainer", 1, fuel);
        simple_container(out, "OutputContainer", 2, {});
        out.real("Progress", 0).real("FuelTime", 0).boolean("Active", false).int32("NextExtra", 4).end();
    });
}

Buffer farming(int growth_percent) {
    return holder([&](bson::Writer& out) {
        out.document("FarmingBlock").real("SpreadRate", 0);
        if (growth_percent >= 0) {
            out.real("GrowthProgress", growth_percent / 100.0);
            out.string("LastTickGameTime", "0001-01-03T08:00:00Z");
        }
        out.end();
    });
}

Buffer respawn() {
    return holder([](bson::Writer& out) { out.document("RespawnBlock").end(); });
}

Buffer figure(const Figure& figure, const Uuid& uuid) {
    return holder([&](bson::Writer& out) {
        const double yaw = figure.yaw_tenths / 10.0;
        out.document("UUID").uuid("UUID", uuid).end();
        out.document("Transform");
        vector(out, "Position", figure.x, figure.y, figure.z);
        rotation(out, "Rotation", yaw);
        out.end();
        out.document("HeadRotation");
        rotation(out, "Rotation", yaw);
        out.end();
        out.document("Model").document("Model").string("Id", figure.model);
        out.real("Scale", 1).boolean("Static", false).end().end();
        if (!figure.name.empty()) out.document("Nameplate").string("Text", figure.name).end();
        out.document("Prop").end().document("PrefabCopyable").end();
    });
}

Buffer dropped_item(double x, double y, double z, const Item& dropped, const Uuid& uuid) {
    return holder([&](bson::Writer& out) {
        out.document("UUID").uuid("UUID", uuid).end();
        out.document("Transform");
        vector(out, "Position", x, y, z);
        rotation(out, "Rotation", 0);
        out.end();
        out.document("Item");
        item(out, "Item", dropped);
        out.real("StackDelay", 1.5).real("PickupDelay", 0.5).real("PickupThrottle", 0);
        out.boolean("RemovedByPlayerPickup", false).end();
        out.document("EntityScale").real("Scale", 1).end();
    });
}

} // namespace orbis::world::sample
