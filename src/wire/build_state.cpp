#include "bytes/json_writer.hpp"
#include "bytes/near_names.hpp"
#include "wire/inside.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

namespace orbis::wire {

namespace {

/// Some letters of a text, which has as many.
template <typename Number>
Number letters_at(const char* first) {
    Number letters = 0;
    std::memcpy(&letters, first, sizeof(letters));
    return letters;
}

} // namespace

BuildState::Marks::Marks(std::string_view name) : size(name.size()) {
    if (size >= 8) {
        begin = letters_at<std::uint64_t>(name.data());
        end = letters_at<std::uint64_t>(name.data() + size - 8);
    } else if (size >= 4) {
        begin = letters_at<std::uint32_t>(name.data());
        end = letters_at<std::uint32_t>(name.data() + size - 4);
    } else {
        for (const auto letter : name) begin = begin << 8 | static_cast<unsigned char>(letter);
    }
}

std::size_t BuildState::Marks::hash() const {
    return static_cast<std::size_t>(((begin ^ std::rotl(end, 23) ^ size) * 0x9E3779B97F4A7C15ULL) >> 32);
}

BuildState::BuildState(const protocol::Schema& parsed) : schema(parsed), rules(parsed.read_rules()) {
    const auto packets = schema.registry().packets();
    entries.reserve(packets.size());
    places_.resize(std::bit_ceil(2 * packets.size() + 1));
    for (const auto& info : packets) {
        entries.push_back({this, &info, schema.packet(info.id)});
        const Marks marks(info.name);
        auto place = marks.hash() & (places_.size() - 1);
        while (places_[place].entry != nullptr) place = (place + 1) & (places_.size() - 1);
        places_[place] = {marks, &entries.back()};
    }
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
    const Marks marks(name);
    for (auto at = marks.hash() & (places_.size() - 1);; at = (at + 1) & (places_.size() - 1)) {
        const auto& place = places_[at];
        if (place.entry == nullptr) return nullptr;
        if (place.marks == marks && (name.size() <= 16 || place.entry->info->name == name))
            return place.entry;
    }
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
