#include "game/codec/wire_ids.hpp"

#include "bytes/reader.hpp"
#include "world/assets.hpp"

#include <algorithm>
#include <array>
#include <mutex>

namespace orbis::game {

namespace {

constexpr std::string_view k_unknown = "Unknown";
constexpr std::array<std::string_view, 2> k_reserved = {"Empty", k_unknown};
/// Two debug blocks follow, whose names the server gives.
constexpr std::int32_t k_first_block = 4;
constexpr std::int32_t k_first_fluid = 2;
constexpr std::int32_t k_first_environment = 1;
constexpr std::int32_t k_highest_environment = 0xFFFF;

constexpr char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

/// Eight characters at a time. The bit that tells cases apart is set in all of them, letters or not: a few
/// different names may have one hash.
std::size_t FoldedHash::operator()(std::string_view name) const {
    constexpr std::uint64_t k_lower_case = 0x2020202020202020ULL;
    constexpr std::uint64_t k_odd = 0x9E3779B97F4A7C15ULL;
    const auto* at = reinterpret_cast<const std::uint8_t*>(name.data());
    std::uint64_t hash = name.size();
    const auto mix = [&](std::uint64_t part) {
        hash = (hash ^ (part | k_lower_case)) * k_odd;
        hash ^= hash >> 32;
    };
    auto left = name.size();
    for (; left > 8; left -= 8, at += 8) mix(load_le<std::uint64_t>(at));
    std::array<std::uint8_t, 8> last{};
    std::copy_n(at, left, last.begin());
    mix(load_le<std::uint64_t>(last.data()));
    return hash;
}

bool FoldedEqual::operator()(std::string_view a, std::string_view b) const {
    if (a == b) return true; // nearly always, where the hashes are equal
    return std::ranges::equal(a, b, [](char x, char y) { return folded(x) == folded(y); });
}

IdTable::IdTable(std::span<const std::string_view> reserved, std::int32_t first_free, std::int32_t highest)
    : end_(0), highest_(highest) {
    for (const auto name : reserved) {
        if (name == k_unknown) unknown_ = end_;
        add(end_, name);
    }
    end_ = std::max(end_, first_free);
}

std::uint32_t IdTable::next_edition() {
    static std::atomic<std::uint32_t> last{0};
    return ++last;
}

void IdTable::add(std::int32_t id, std::string_view name) {
    const std::string_view kept = names_.emplace_back(name);
    by_name_.insert_or_assign(kept, id); // of a name with two numbers the later one
    by_id_.insert_or_assign(id, kept);
    end_ = std::max(end_, id + 1);
}

std::int32_t IdTable::id_of(std::string_view name) {
    if (const auto known = find(name)) return *known;
    const std::unique_lock lock(mutex_);
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second; // meanwhile
    if (full()) return unknown_;
    const auto id = end_;
    add(id, name);
    return id;
}

std::optional<std::int32_t> IdTable::find(std::string_view name) const {
    const std::shared_lock lock(mutex_);
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) return std::nullopt;
    return known->second;
}

std::optional<std::string_view> IdTable::name(std::int32_t id) const {
    const std::shared_lock lock(mutex_);
    const auto known = by_id_.find(id);
    if (known == by_id_.end()) return std::nullopt;
    return known->second;
}

std::int32_t IdTable::end() const {
    const std::shared_lock lock(mutex_);
    return end_;
}

Result<void> IdTable::put(std::int32_t id, std::string_view name) {
    const std::unique_lock lock(mutex_);
    if (id < 0 || id > highest_)
        return fail(Errc::out_of_range, "'{}' has the id {}, expected 0 to {}", name, id, highest_);
    if (const auto former = by_id_.find(id); former != by_id_.end()) {
        if (former->second == name) return {};
        if (const auto known = by_name_.find(former->second); known != by_name_.end() && known->second == id)
            by_name_.erase(known);
        by_id_.erase(former);
    }
    if (names_.size() >= k_most_names)
        return fail(Errc::too_large, "more than {} names of one kind", k_most_names);
    add(id, name);
    edition_.store(next_edition(), std::memory_order_release);
    return {};
}

WireIds::WireIds()
    : blocks(k_reserved, k_first_block),
      fluids(k_reserved, k_first_fluid),
      environments({&k_unknown, 1}, k_first_environment, k_highest_environment) {}

WireIds::WireIds(const world::Assets& assets) : WireIds() {
    for (const auto& type : assets.blocks.all()) blocks.id_of(type.key);
    for (const auto& type : assets.fluids.all()) fluids.id_of(type.key);
    for (const auto& type : assets.environments.all()) environments.id_of(type.key);
}

} // namespace orbis::game
