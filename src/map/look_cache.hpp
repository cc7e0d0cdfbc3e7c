#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace orbis::map {

/// What was found out about keys, for one thread. Its size is fixed, whatever a world's keys are: a key
/// pushes out another one that falls on its place, and very long keys are not kept.
template <typename Look>
class LookCache {
public:
    LookCache() : slots_(std::make_unique<Slots>()) {}

    /// What `make()` says about the key; `salt` tells apart what depends on more than the key. The answer is
    /// valid until the next question.
    template <typename Make>
    const Look& get(std::string_view key, std::size_t salt, Make&& make) {
        if (key.size() > k_longest) return spare_ = make();
        auto& slot = (*slots_)[(std::hash<std::string_view>{}(key) + salt) % k_slots];
        if (!slot.used || slot.salt != salt || slot.key != key) {
            slot.look = make();
            slot.key = key;
            slot.salt = salt;
            slot.used = true;
        }
        return slot.look;
    }

private:
    static constexpr std::size_t k_slots = 4096;
    static constexpr std::size_t k_longest = 200;
    struct Slot {
        std::string key;
        std::size_t salt = 0;
        Look look;
        bool used = false;
    };
    using Slots = std::array<Slot, k_slots>;
    std::unique_ptr<Slots> slots_;
    Look spare_;
};

} // namespace orbis::map
