#include "bytes/json_writer.hpp"
#include "bytes/near_names.hpp"
#include "wire/inside.hpp"

#include <algorithm>
#include <mutex>

namespace orbis::wire {

BuildState::BuildState(const protocol::Schema& parsed) : schema(parsed) {
    const auto packets = schema.registry().packets();
    entries.reserve(packets.size());
    for (const auto& info : packets) entries.push_back({this, &info, schema.packet(info.id)});
    by_name.reserve(entries.size());
    for (const auto& entry : entries) by_name.emplace(entry.info->name, &entry);
}

const BuildState& BuildState::of(const protocol::BuildInfo& build) {
    static std::mutex guard;
    static std::vector<std::unique_ptr<const BuildState>> made(protocol::builds().size());
    const auto& schema = protocol::schema_of(build);
    const auto index = static_cast<std::size_t>(&build - protocol::builds().data());
    const std::lock_guard lock(guard);
    if (!made[index]) made[index] = std::make_unique<const BuildState>(schema);
    return *made[index];
}

const PacketEntry* BuildState::find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found != by_name.end() ? found->second : nullptr;
}

const PacketEntry* BuildState::find(std::int32_t id) const {
    const auto found =
        std::ranges::lower_bound(entries, id, {}, [](const PacketEntry& entry) { return entry.info->id; });
    return found != entries.end() && found->info->id == id ? &*found : nullptr;
}

Result<const PacketEntry*> BuildState::look_up(std::string_view name) const {
    if (const auto* entry = find(name)) return entry;
    std::vector<std::string_view> names;
    for (const auto& entry : entries) names.push_back(entry.info->name);
    return fail(Errc::not_found, "build {} has no packet {}{}", schema.build(), json_quoted(name),
                did_you_mean(name, names));
}

Result<const PacketEntry*> BuildState::look_up(std::int32_t id) const {
    if (const auto* entry = find(id)) return entry;
    return fail(Errc::not_found, "build {} has no packet with the id {}", schema.build(), id);
}

} // namespace orbis::wire
