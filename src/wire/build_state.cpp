#include "bytes/json_writer.hpp"
#include "bytes/near_names.hpp"
#include "wire/inside.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

namespace orbis::wire {

BuildState::BuildState(const protocol::Schema& parsed)
    : schema(parsed), rules{parsed.bounded_reader(), false} {
    const auto packets = schema.registry().packets();
    entries.reserve(packets.size());
    starts_.reserve(packets.size() + 1);
    places_.resize(std::bit_ceil(4 * packets.size() + 1));
    for (const auto& info : packets) {
        entries.push_back({this, &info, schema.packet(info.id)});
        starts_.push_back(static_cast<std::uint32_t>(names_.size()));
        names_ += info.name;
        auto place = first_place(info.name);
        while (places_[place] != 0) place = (place + 1) & (places_.size() - 1);
        places_[place] = static_cast<std::uint16_t>(entries.size());
    }
    starts_.push_back(static_cast<std::uint32_t>(names_.size()));
}

std::size_t BuildState::first_place(std::string_view name) const {
    // Names differ in their length, their beginnings and their ends: no need to look at all of it.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const auto size = std::min(name.size(), sizeof(begin));
    std::memcpy(&begin, name.data(), size);
    std::memcpy(&end, name.data() + name.size() - size, size);
    const auto mixed = (begin ^ std::rotl(end, 23) ^ name.size()) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed >> 32) & (places_.size() - 1);
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
    for (auto place = first_place(name); places_[place] != 0; place = (place + 1) & (places_.size() - 1)) {
        const auto index = places_[place] - std::size_t{1};
        const auto start = starts_[index];
        if (name == std::string_view(names_).substr(start, starts_[index + 1] - start))
            return &entries[index];
    }
    return nullptr;
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
