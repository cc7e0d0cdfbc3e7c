#pragma once

#include "net/key_set.hpp"
#include "net/time.hpp"

#include <memory>
#include <optional>

namespace orbis::net {

/// The service's keys for a while, and when to ask for them again. A key that is not in the set may be a new
/// one of the service, or invented by someone who wants us to ask it all the time.
class KeyCache {
public:
    static constexpr Duration k_fresh = std::chrono::hours(1);   ///< then they are asked for again
    static constexpr Duration k_usable = std::chrono::hours(24); ///< while the service is not there
    static constexpr Duration k_unknown_key_pause = std::chrono::seconds(30); ///< between two unknown keys
    static constexpr Duration k_retry_pause = std::chrono::seconds(5);        ///< after a failure

    /// Whether the service has to be asked before a token with this key can be checked.
    [[nodiscard]] bool wants_keys(std::string_view key_id, Time now) const;

    /// What the service answered.
    void answered(Result<KeySet> keys, Time now);

    /// The keys, or why there are none.
    [[nodiscard]] Result<std::shared_ptr<const KeySet>> keys(Time now) const;

private:
    std::shared_ptr<const KeySet> keys_;
    Time fetched_;                 ///< when `keys_` came
    std::optional<Time> asked_;    ///< the last time
    std::optional<Error> failure_; ///< of the last time
};

} // namespace orbis::net
