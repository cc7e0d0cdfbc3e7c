#pragma once

#include "protocol/arena.hpp"
#include "protocol/types.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

namespace orbis::game {

/// What the entries of registries point to until they are written. Packets are views: this keeps copies of
/// lists and texts that have no other owner.
class RegistryMemory {
public:
    template <typename T>
    protocol::List<T> list(std::span<const T> elements) {
        auto* kept = arena_.take<T>(elements.size());
        std::uninitialized_copy(elements.begin(), elements.end(), kept);
        return {kept, elements.size()};
    }
    template <typename T>
    protocol::List<T> list(std::initializer_list<T> elements) {
        return list(std::span<const T>(elements.begin(), elements.size()));
    }
    protocol::Text text(std::string_view made) {
        auto* kept = arena_.take<char>(made.size());
        std::ranges::copy(made, kept);
        return {kept, made.size()};
    }

private:
    protocol::Arena arena_;
};

} // namespace orbis::game
