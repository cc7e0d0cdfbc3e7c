#pragma once

#include <cstddef>
#include <iterator>
#include <limits>
#include <list>
#include <unordered_map>
#include <utility>

namespace orbis {

/// Values by key up to a sum of costs and a number; those that were not asked for the longest go first. The
/// last one stays, whatever it costs. `Places` is `std::map` for keys that have an order and no hash.
template <typename Key, typename Value, template <typename...> typename Places = std::unordered_map>
class RecentMap {
public:
    static constexpr std::size_t k_unlimited = std::numeric_limits<std::size_t>::max();

    explicit RecentMap(std::size_t most_cost = k_unlimited, std::size_t most_values = k_unlimited)
        : most_cost_(most_cost), most_values_(most_values) {}

    /// Null if there is none; valid until the next `put` or `erase`.
    Value* find(const Key& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->value;
    }

    /// In place of an older one with this key. `dropped(value)` is called for each that goes for it.
    template <typename Dropped>
    Value& put(const Key& key, Value value, std::size_t cost, Dropped&& dropped) {
        erase(key, dropped);
        entries_.push_front({key, std::move(value), cost});
        places_[key] = entries_.begin();
        cost_ += cost;
        while (entries_.size() > 1 && (cost_ > most_cost_ || entries_.size() > most_values_))
            erase(std::prev(entries_.end()), dropped);
        return entries_.front().value;
    }
    Value& put(const Key& key, Value value, std::size_t cost = 1) {
        return put(key, std::move(value), cost, [](const Value&) {});
    }

    template <typename Dropped>
    void erase(const Key& key, Dropped&& dropped) {
        if (const auto found = places_.find(key); found != places_.end()) erase(found->second, dropped);
    }
    void erase(const Key& key) {
        erase(key, [](const Value&) {});
    }

    /// Removes those for which `condition(key, value)` says so, from the oldest on, until at most `most` are
    /// left. It may change the values of the others.
    template <typename Condition>
    void erase_if(Condition&& condition, std::size_t most = 0) {
        for (auto at = entries_.end(); at != entries_.begin() && entries_.size() > most;) {
            const auto entry = std::prev(at);
            if (condition(std::as_const(entry->key), entry->value))
                erase(entry, [](const Value&) {});
            else
                at = entry;
        }
    }

    /// `visit(key, value)`, the latest first.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const auto& entry : entries_) visit(entry.key, entry.value);
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] std::size_t cost() const { return cost_; }

private:
    struct Entry {
        Key key;
        Value value;
        std::size_t cost;
    };
    using Entries = std::list<Entry>;

    template <typename Dropped>
    void erase(typename Entries::iterator entry, Dropped&& dropped) {
        dropped(entry->value);
        cost_ -= entry->cost;
        places_.erase(entry->key);
        entries_.erase(entry);
    }

    Entries entries_; ///< the latest first
    Places<Key, typename Entries::iterator> places_;
    std::size_t most_cost_;
    std::size_t most_values_;
    std::size_t cost_ = 0;
};

} // namespace orbis
