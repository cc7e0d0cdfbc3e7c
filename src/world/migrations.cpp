#include "world/migrations.hpp"

#include <utility>

namespace orbis::world {

void Migrations::put(unsigned number, Migration&& migration) {
    if (number > k_last_migration) return;
    if (number >= steps_.size()) steps_.resize(number + 1U);
    auto& step = steps_[number];
    step.present = true;
    for (auto& [from, to] : migration.direct) step.renames.direct.insert_or_assign(from, std::move(to));
    for (auto& [from, to] : migration.names) step.renames.names.insert_or_assign(from, std::move(to));
}

std::size_t Migrations::count() const {
    std::size_t count = 0;
    while (count < steps_.size() && steps_[count].present) ++count;
    return count;
}

std::string_view Migrations::apply(std::string_view key, std::size_t stored) const {
    for (auto number = stored; number < steps_.size() && steps_[number].present; ++number) {
        const auto& renames = steps_[number].renames;
        if (const auto direct = renames.direct.find(key); direct != renames.direct.end())
            key = direct->second;
        else if (const auto named = renames.names.find(key); named != renames.names.end())
            key = named->second;
    }
    return key;
}

chunk::Migrations Migrations::for_chunks() const {
    return {.count = static_cast<int>(count()), .apply = [this](std::string_view key, int stored) {
                return apply(key, stored < 0 ? 0 : static_cast<std::size_t>(stored));
            }};
}

} // namespace orbis::world
