#pragma once

#include "storage/region_store.hpp"
#include "support/amount.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace orbis::test {

/// Calls `visit` with the documents of a region file of a real world.
template <typename Visit>
void for_each_real_chunk(const std::filesystem::path& file, Visit&& visit) {
    const auto store = storage::open_single_region(file, {});
    ASSERT_TRUE(store) << store.error().text();
    storage::ReadContext context;
    const auto cursor = (*store)->chunks();
    for (int number = 0;; ++number) {
        const auto pos = cursor->next();
        ASSERT_TRUE(pos) << pos.error().text();
        if (!*pos) break;
        if (number % step() != 0) continue;
        const auto document = (*store)->read(**pos, context);
        SCOPED_TRACE(fmt::format("{}, {}", file.string(), **pos));
        ASSERT_TRUE(document && *document);
        ASSERT_NO_FATAL_FAILURE(visit(**document));
    }
}

} // namespace orbis::test
