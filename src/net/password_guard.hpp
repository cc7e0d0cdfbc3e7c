#pragma once

#include "net/address.hpp"
#include "net/time.hpp"
#include "protocol/types.hpp"

#include <array>
#include <map>
#include <mutex>
#include <optional>

namespace orbis::net {

/// What a wrong password led to, or one that was not looked at because it came too early.
struct PasswordTrouble {
    std::uint64_t failures = 0; ///< of this address so far
    Duration wait{};            ///< until the next password is looked at; zero: at once
    bool was_refused = false;   ///< it came too early
    bool is_news = true;        ///< false for all but the first that came too early: not worth a line each
};

/// Slows those who guess passwords: counts wrong ones for each address (IPv6: each network of 64 bits) and
/// each account, and lets them wait twice as long each time. The first few cost nothing, so that those who
/// mistype notice nothing. Remembers a limited number of each. For any number of threads.
class PasswordGuard {
public:
    /// Wrong passwords that cost nothing. An account waits later and shorter than an address: on a server
    /// that asks for no Hytale account everyone can claim to be someone else, and must not be able to lock
    /// them out.
    static constexpr std::uint64_t k_free_of_address = 5;
    static constexpr std::uint64_t k_free_of_account = 10;
    static constexpr Duration k_longest_of_address = std::chrono::minutes(15);
    static constexpr Duration k_longest_of_account = std::chrono::seconds(8);
    /// Without another wrong password, all is forgotten.
    static constexpr Duration k_memory = std::chrono::hours(1);
    static constexpr std::size_t k_most_remembered = 4096; ///< of addresses, and of accounts

    /// Whether a password may be looked at now; if not, until when not.
    std::optional<PasswordTrouble> refuse(const Address& from, const protocol::Uuid& account, Time now);
    /// It was wrong.
    PasswordTrouble failed(const Address& from, const protocol::Uuid& account, Time now);
    /// It was right.
    void passed(const Address& from, const protocol::Uuid& account);

    [[nodiscard]] std::size_t remembered() const;

private:
    struct Record {
        std::uint64_t failures = 0;
        Time last{};
        Time next{}; ///< nothing is looked at before
        bool has_refused = false;
    };
    using AddressKey = std::array<std::uint8_t, 9>; ///< family and the bytes that count

    static AddressKey key_of(const Address& address);
    static void count(Record& record, std::uint64_t free, Duration longest, Time now);
    template <typename Map>
    static Record& record_of(Map& records, const typename Map::key_type& key, Time now);

    mutable std::mutex mutex_;
    std::map<AddressKey, Record> addresses_;
    std::map<protocol::Uuid, Record> accounts_;
};

} // namespace orbis::net
