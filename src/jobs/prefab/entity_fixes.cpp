#include "jobs/prefab/entity_fixes.hpp"

#include "bson/patch.hpp"
#include "bytes/writer.hpp"

#include <string_view>

namespace orbis::jobs::prefab {

namespace {

bson::Value real_value(double value) {
    bson::Value out{bson::Type::real, Buffer(sizeof value)};
    store_le(out.bytes.data(), value);
    return out;
}

Result<Buffer> applied(const bson::Patch& patch) {
    Buffer out;
    TRY_DO(patch.apply(out));
    return out;
}

} // namespace

Result<Buffer> with_angles_times(Bytes entity, double factor) {
    TRY(const auto document, bson::Document::open(entity));
    bson::Patch patch(document);
    for (const std::string_view component : {"Transform", "HeadRotation"})
        for (const std::string_view angle : {"Pitch", "Yaw", "Roll"}) {
            const auto found = document.find_path({"Components", component, "Rotation", angle});
            const auto value = found ? found->number() : std::nullopt;
            if (value && *value != 0)
                TRY_DO(patch.set({"Components", component, "Rotation", angle}, real_value(*value * factor)));
        }
    return applied(patch);
}

Result<Buffer> with_leash_at_its_place(Bytes entity) {
    TRY(const auto document, bson::Document::open(entity));
    bson::Patch patch(document);
    for (const std::string_view axis : {"X", "Y", "Z"}) {
        const auto leash = document.find_path({"Components", "NPC", "LeashPos", axis});
        const auto place = document.find_path({"Components", "Transform", "Position", axis});
        const auto value = place ? place->number() : std::nullopt;
        if (leash && leash->real() && value && *leash->real() != *value)
            TRY_DO(patch.set({"Components", "NPC", "LeashPos", axis}, real_value(*value)));
    }
    return applied(patch);
}

} // namespace orbis::jobs::prefab
