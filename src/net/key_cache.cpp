#include "net/key_cache.hpp"

namespace orbis::net {

bool KeyCache::wants_keys(std::string_view key_id, Time now) const {
    if (!asked_) return true;
    if (failure_ && now - *asked_ < k_retry_pause) return false;
    if (!keys_ || now - fetched_ >= k_fresh) return true;
    return keys_->find(key_id) == nullptr && now - *asked_ >= k_unknown_key_pause;
}

void KeyCache::answered(Result<KeySet> keys, Time now) {
    asked_ = now;
    if (!keys) {
        failure_ = std::move(keys.error());
        return;
    }
    failure_.reset();
    keys_ = std::make_shared<const KeySet>(*std::move(keys));
    fetched_ = now;
}

Result<std::shared_ptr<const KeySet>> KeyCache::keys(Time now) const {
    if (keys_ && (!failure_ || now - fetched_ < k_usable)) return keys_;
    if (failure_) return fail(Error(*failure_));
    return fail(Errc::not_found, "the keys of the session service were not requested yet");
}

} // namespace orbis::net
