#include "query/table.hpp"

#include "query/cell_tables.hpp"
#include "query/count_tables.hpp"
#include "query/holder_tables.hpp"
#include "query/place_tables.hpp"

namespace orbis::query {

std::span<const Table> tables() {
    static const auto all = [] {
        auto made = place_tables();
        auto holders = holder_tables();
        made.push_back(std::move(holders.front())); // chunks, then what is in them
        for (auto& table : count_tables()) made.push_back(std::move(table));
        for (auto& table : cell_tables()) made.push_back(std::move(table));
        for (std::size_t i = 1; i < holders.size(); ++i) made.push_back(std::move(holders[i]));
        return made;
    }();
    return all;
}

} // namespace orbis::query
