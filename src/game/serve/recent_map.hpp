#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace orbis::game {

/// Values by key up to a sum of costs; those that were not asked for the longest go first.
template <typename Key, typename Value>
class RecentMap {
public:
    explicit RecentMap(std::size_t most) : most_(most) {}

    /// Null where there is none; valid until the next `put` or `erase`.
    const Value* find(const Key& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->value;
    }

    void put(const Key& key, Value value, std::size_t cost) {
        erase(key);
        entries_.push_front({key, std::move(value), cost});
        places_[key] = entries_.begin();
        sum_ += cost;
        while (sum_ > most_ && entries_.size() > 1) erase(Key(entries_.back().key));
    }

    void erase(const Key& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return;
        sum_ -= found->second->cost;
        entries_.erase(found->second);
        places_.erase(found);
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] std::size_t cost() const { return sum_; }

private:
    struct Entry {
        Key key;
        Value value;
        std::size_t cost;
    };
    std::list<Entry> entries_; ///< the latest first
    std::unordered_map<Key, typename std::list<Entry>::iterator> places_;
    std::size_t most_;
    std::size_t sum_ = 0;
};

} // namespace orbis::game
