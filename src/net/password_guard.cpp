#include "net/password_guard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace orbis::net {

using namespace std::chrono_literals;

PasswordGuard::AddressKey PasswordGuard::key_of(const Address& address) {
    AddressKey key{};
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(address.data());
    if (address.family() == AF_INET) {
        key[0] = 4;
        std::memcpy(key.data() + 1, bytes + offsetof(sockaddr_in, sin_addr), 4);
    } else if (address.family() == AF_INET6) {
        const auto* v6 = bytes + offsetof(sockaddr_in6, sin6_addr);
        constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
        const bool is_mapped = std::equal(mapped.begin(), mapped.end(), v6); // IPv4 on a socket of IPv6
        key[0] = is_mapped ? 4 : 6;
        std::memcpy(key.data() + 1, is_mapped ? v6 + mapped.size() : v6, is_mapped ? 4 : 8);
    }
    return key;
}

template <typename Map>
PasswordGuard::Record& PasswordGuard::record_of(Map& records, const typename Map::key_type& key, Time now) {
    if (const auto found = records.find(key); found != records.end()) {
        if (now - found->second.last > k_memory) found->second = {};
        return found->second;
    }
    if (records.size() >= k_most_remembered) {
        std::erase_if(records, [&](const auto& entry) { return now - entry.second.last > k_memory; });
        if (records.size() >= k_most_remembered)
            records.erase(std::ranges::min_element(records, {}, [](const auto& entry) {
                return std::pair(entry.second.next, entry.second.last);
            }));
    }
    return records[key];
}

void PasswordGuard::count(Record& record, std::uint64_t free, Duration longest, Time now) {
    ++record.failures;
    record.last = now;
    record.has_refused = false;
    if (record.failures <= free) return;
    const auto doublings = std::min<std::uint64_t>(record.failures - free - 1, 20);
    record.next = now + std::min<Duration>(1s * (std::int64_t{1} << doublings), longest);
}

std::optional<PasswordTrouble> PasswordGuard::refuse(const Address& from, const protocol::Uuid& account,
                                                     Time now) {
    const std::lock_guard lock(mutex_);
    const auto address = addresses_.find(key_of(from));
    const auto player = accounts_.find(account);
    auto* waiting = address != addresses_.end() && address->second.next > now ? &address->second
                    : player != accounts_.end() && player->second.next > now  ? &player->second
                                                                              : nullptr;
    if (waiting == nullptr) return {};
    const bool is_first = !std::exchange(waiting->has_refused, true);
    return PasswordTrouble{waiting->failures, waiting->next - now, true, is_first};
}

PasswordTrouble PasswordGuard::failed(const Address& from, const protocol::Uuid& account, Time now) {
    const std::lock_guard lock(mutex_);
    auto& address = record_of(addresses_, key_of(from), now);
    count(address, k_free_of_address, k_longest_of_address, now);
    auto& player = record_of(accounts_, account, now);
    count(player, k_free_of_account, k_longest_of_account, now);
    return {address.failures, std::max({address.next - now, player.next - now, Duration::zero()}), false,
            true};
}

void PasswordGuard::passed(const Address& from, const protocol::Uuid& account) {
    const std::lock_guard lock(mutex_);
    addresses_.erase(key_of(from));
    accounts_.erase(account);
}

std::size_t PasswordGuard::remembered() const {
    const std::lock_guard lock(mutex_);
    return addresses_.size() + accounts_.size();
}

} // namespace orbis::net
