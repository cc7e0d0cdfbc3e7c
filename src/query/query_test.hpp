#pragma once

#include "library/library_worlds_test.hpp"
#include "query/database.hpp"
#include "world/location.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace orbis::query {

using namespace library_tests;

/// A world in a folder of its own, as a database.
class QueryTest : public testing::Test {
protected:
    Database& open(const std::filesystem::path& path, std::size_t threads = 1) {
        auto location = world::find_location(path);
        EXPECT_TRUE(location) << location.error().text();
        SessionOptions options;
        options.threads = threads;
        options.on_problem = [this](const Error& problem) { problems_.push_back(problem.text()); };
        options.on_progress = [this](std::uint64_t done, std::uint64_t) { done_ = done; };
        auto database = Database::open(*std::move(location), std::move(options));
        EXPECT_TRUE(database) << database.error().text();
        database_ = *std::move(database);
        return *database_;
    }
    Database& open_world(const std::vector<Buffer>& chunks, std::size_t threads = 1) {
        make_world(folder_ / "world", chunks);
        return open(folder_ / "world", threads);
    }

    /// All rows, the values of each with `|` between them; the error as the only row.
    std::vector<std::string> ask(const std::string& sql) {
        auto statement = database_->prepare(sql);
        if (!statement) return {"error: " + statement.error().text()};
        std::vector<std::string> rows;
        while (true) {
            const auto next = statement->next();
            if (!next) return {"error: " + next.error().text()};
            if (!*next) return rows;
            std::string row;
            for (std::size_t i = 0; i < statement->columns().size(); ++i) {
                const auto field = statement->field(i);
                if (i != 0) row += '|';
                if (const auto* integer = std::get_if<std::int64_t>(&field)) row += std::to_string(*integer);
                if (const auto* real = std::get_if<double>(&field)) row += fmt::format("{}", *real);
                if (const auto* text = std::get_if<std::string_view>(&field)) row += *text;
                if (std::holds_alternative<std::monostate>(field)) row += "NULL";
            }
            rows.push_back(row);
        }
    }
    std::string ask_one(const std::string& sql) {
        const auto rows = ask(sql);
        return rows.size() == 1 ? rows.front() : fmt::format("{} rows", rows.size());
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
    std::vector<std::string> problems_;
    std::uint64_t done_ = 0;
};

} // namespace orbis::query
