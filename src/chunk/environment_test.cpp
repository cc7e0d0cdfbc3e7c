#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "chunk/environment.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <ctime>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::chunk {
namespace {

test::EnvironmentColumns random_environments(std::mt19937_64& random, bool uniform) {
    test::EnvironmentColumns columns(k_columns);
    for (auto& column : columns) {
        std::int32_t top = -20;
        for (auto runs = uniform ? 1 : 1 + random() % 4; runs > 0; --runs) {
            top += 1 + static_cast<std::int32_t>(random() % 120);
            column.emplace_back(top, "Env_" + std::to_string(random() % 7));
        }
    }
    return columns;
}

RC_GTEST_PROP(Environments, AgreeWithAPlainEncoder, (std::uint64_t seed, bool uniform)) {
    std::mt19937_64 random(seed);
    auto columns = random_environments(random, uniform);
    const auto stored = test::environment_image(columns);
    Environments environments;
    Error problem;
    Reader in(stored);
    RC_ASSERT(environments.read(in, problem));
    RC_ASSERT(environments.check().has_value());
    const auto expect_equal = [&](const Environments& read) {
        for (int i = 0; i < k_columns; ++i) {
            const auto& column = columns[static_cast<std::size_t>(i)];
            for (const int y : {-100, -1, 0, 31, 64, 100, 319, 1000}) {
                std::size_t run = 0;
                while (run + 1 < column.size() && y > column[run].first) ++run;
                RC_ASSERT(read.at(ColumnIndex(i), y) == column[run].second);
            }
        }
    };
    expect_equal(environments);
    Buffer out;
    environments.append_to(out);
    RC_ASSERT(out == stored);
    for (std::size_t cut = 0; cut < stored.size(); cut += 97) {
        Reader shorter(Bytes(stored).first(cut));
        Environments other;
        RC_ASSERT(!other.read(shorter, problem));
    }

    for (int step = 0; step < 20; ++step) {
        const auto column = random() % k_columns;
        columns[column] = {{40, "Env_New"}, {90, "Env_2"}, {0, "Env_Other"}};
        const std::array runs = {EnvironmentRun{40, "Env_New"}, EnvironmentRun{90, "Env_2"},
                                 EnvironmentRun{EnvironmentRun::k_no_end, "Env_Other"}};
        environments.set_runs(ColumnIndex(static_cast<int>(column)), runs);
    }
    expect_equal(environments);
    out.clear();
    environments.append_to(out);
    Environments again;
    Reader changed(out);
    RC_ASSERT(again.read(changed, problem));
    RC_ASSERT(again.check().has_value());
    expect_equal(again);
}

RC_GTEST_PROP(Environments, AreCheckedColumnByColumn, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    // Ids that share their lowest byte, and the first that have another one; or small ones, as real chunks
    // have.
    const auto ids = *rc::gen::element(std::vector<std::int32_t>{5, 5 + 256, 256, -1, 255, 70000, 1},
                                       std::vector<std::int32_t>{5, 255, 31, 32, 110, 256, 37},
                                       std::vector<std::int32_t>{5, 255, 31, 32, 110, -1, 37});
    const auto mapped = random() % (ids.size() + 1);
    const auto faults = random() % 3; // of each kind
    Buffer stored;
    Writer out(stored);
    out.be(static_cast<std::int32_t>(mapped));
    for (std::size_t i = 0; i < mapped; ++i) {
        out.be(ids[i]);
        out.be(std::uint16_t{1});
        out.u8('E');
    }
    bool right = true;
    for (int column = 0; column < k_columns; ++column) {
        const auto bounds = random() % 9;
        out.be(static_cast<std::int32_t>(bounds));
        std::int32_t below = -100;
        for (std::size_t i = 0; i < bounds; ++i) {
            const bool wrong = i > 0 && faults == 1 && random() % 3000 == 0;
            right = right && !wrong;
            below += wrong ? -static_cast<std::int32_t>(random() % 2)
                           : 1 + static_cast<std::int32_t>(random() % 40);
            out.be(below);
        }
        for (std::size_t i = 0; i <= bounds; ++i) {
            const bool wrong = mapped < ids.size() && faults == 2 && random() % 3000 == 0;
            right = right && !wrong;
            const auto any = random() % (mapped + 1);
            out.be(wrong ? ids[mapped] : any == mapped ? 0 : ids[any]);
        }
    }
    Environments environments;
    Error problem;
    Reader in(stored);
    RC_ASSERT(environments.read(in, problem));
    RC_ASSERT(environments.check().has_value() == right);
}

TEST(Environments, ManyMappingsAndManyRunsTakeLittleTime) {
    constexpr std::int32_t k_many = 300'000;
    Buffer stored;
    Writer out(stored);
    out.be(k_many);
    for (std::int32_t i = 0; i < k_many; ++i) {
        out.be(i % (k_many / 2) + 1); // each id twice: the last one counts
        out.be(std::uint16_t{1});
        out.u8(i < k_many / 2 ? 'a' : 'b');
    }
    out.be(k_many);
    for (std::int32_t i = 0; i < k_many; ++i) out.be(i);
    for (std::int32_t i = 0; i <= k_many; ++i) out.be(i % 2 == 0 ? 1 : k_many / 2);
    out.zeros((k_columns - 1) * 8);
    Environments environments;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(environments.read(in, problem)) << problem.text();
    const auto start = std::clock(); // what this process works, whatever others do meanwhile
    EXPECT_TRUE(environments.check());
    const auto runs = environments.runs(ColumnIndex(0));
    EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC) << "each with each takes minutes";
    ASSERT_EQ(runs.size(), std::size_t{k_many} + 1);
    for (const auto& run : runs) ASSERT_EQ(run.key, "b");
    EXPECT_EQ(environments.name(k_many), k_unknown_environment);
    EXPECT_EQ(environments.name(-1), k_unknown_environment);
    const EnvironmentRun other{EnvironmentRun::k_no_end, "New"};
    environments.set_runs(ColumnIndex(1), {&other, 1});
    EXPECT_EQ(environments.at(ColumnIndex(1), 5), "New");
}

TEST(Environments, OfTwoKeysWithOneIdTheLastOneCounts) {
    Buffer stored;
    Writer out(stored);
    out.be(std::int32_t{3}); // so few that they are searched one by one
    for (const auto& [id, letter] : {std::pair{7, 'a'}, {7, 'b'}, {8, 'c'}}) {
        out.be(std::int32_t{id});
        out.be(std::uint16_t{1});
        out.u8(static_cast<std::uint8_t>(letter));
    }
    for (int i = 0; i < k_columns; ++i) {
        out.be(std::int32_t{0});
        out.be(std::int32_t{7 + i % 2});
    }
    Environments environments;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(environments.read(in, problem)) << problem.text();
    EXPECT_EQ(environments.at(ColumnIndex(0), 64), "b");
    EXPECT_EQ(environments.at(ColumnIndex(1), 64), "c");
    EXPECT_EQ(environments.runs(ColumnIndex(2)).front().key, "b");
}

TEST(Environments, OfANewChunkAreUnknown) {
    Environments environments;
    environments.reset();
    EXPECT_EQ(environments.at(ColumnIndex(0), 64), k_unknown_environment);
    environments.fill("Zone");
    EXPECT_EQ(environments.at(ColumnIndex(1023), 319), "Zone");
    EXPECT_EQ(environments.mappings().size(), 1U);
}

TEST(Environments, ARunReachesUpToItsBoundAndAColumnHasARunPerBlockAtMost) {
    Environments environments;
    environments.reset();
    const std::array runs = {EnvironmentRun{40, "Low"}, EnvironmentRun{EnvironmentRun::k_no_end, "High"}};
    environments.set_runs(ColumnIndex(3), runs);
    EXPECT_EQ(environments.at(ColumnIndex(3), 40), "Low");
    EXPECT_EQ(environments.at(ColumnIndex(3), 41), "High");
    std::vector<EnvironmentRun> many(321, EnvironmentRun{0, "Many"});
    for (std::size_t i = 0; i < many.size(); ++i) many[i].max_y = static_cast<std::int32_t>(i);
    environments.set_runs(ColumnIndex(3), many);
    EXPECT_EQ(environments.runs(ColumnIndex(3)).size(), 2U) << "more than there are blocks";
    environments.set_runs(ColumnIndex(3), {});
    EXPECT_EQ(environments.runs(ColumnIndex(3)).size(), 2U);
    environments.set_runs(ColumnIndex(3), std::span(many).first(320));
    EXPECT_EQ(environments.runs(ColumnIndex(3)).size(), 320U);
}

TEST(Environments, ANewKeyIsNotTheNameOfWhatHasNone) {
    Environments environments;
    environments.reset();
    const std::array runs = {EnvironmentRun{40, "Low"}, EnvironmentRun{EnvironmentRun::k_no_end, "High"}};
    environments.set_runs(ColumnIndex(3), runs);
    EXPECT_EQ(environments.at(ColumnIndex(2), 40), k_unknown_environment) << "id 0";

    test::EnvironmentColumns columns(k_columns, {{0, "Env_A"}});
    auto stored = test::environment_image(columns);
    store_be(stored.data() + stored.size() - 4, std::int32_t{7}); // the last column: an id without a key
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(environments.read(in, problem));
    environments.set_runs(ColumnIndex(3), runs);
    EXPECT_EQ(environments.at(ColumnIndex(1023), 40), k_unknown_environment);
    EXPECT_EQ(environments.at(ColumnIndex(1022), 40), "Env_A");
    std::map<std::int32_t, std::string> ids;
    for (const auto& mapping : environments.mappings()) ids.emplace(mapping.id, mapping.key);
    const auto first = ids.begin()->first;
    EXPECT_EQ(ids, (std::map<std::int32_t, std::string>{{first, "Env_A"}, {8, "Low"}, {9, "High"}}));
}

TEST(Environments, KeysThatNoColumnUsesAreNotWritten) {
    test::EnvironmentColumns columns(k_columns, {{0, "Env_A"}});
    columns[5] = {{0, "Env_Gone"}};
    const auto stored = test::environment_image(columns);
    Environments environments;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(environments.read(in, problem));
    const EnvironmentRun run{EnvironmentRun::k_no_end, "Env_A"};
    environments.set_runs(ColumnIndex(5), {&run, 1});
    Buffer out;
    environments.append_to(out);
    EXPECT_EQ(as_text(out).find("Env_Gone"), std::string_view::npos);
    EXPECT_NE(as_text(out).find("Env_A"), std::string_view::npos);
    Environments again;
    Reader written(out);
    ASSERT_TRUE(again.read(written, problem));
    EXPECT_EQ(again.mappings().size(), 1U);
    EXPECT_TRUE(again.check());
}

TEST(Environments, NewKeysGetIdsOfTheirOwnBesideMany) {
    for (const std::int32_t count : {31, 32, 33, 40}) { // few are searched one by one, many in a table
        Buffer stored;
        Writer out(stored);
        out.be(count);
        for (std::int32_t i = 0; i < count; ++i) {
            out.be(i * 3);
            out.be(std::uint16_t{2});
            out.u8(static_cast<std::uint8_t>('A' + i / 26));
            out.u8(static_cast<std::uint8_t>('a' + i % 26));
        }
        out.zeros(k_columns * 8);
        Environments environments;
        Error problem;
        Reader in(stored);
        ASSERT_TRUE(environments.read(in, problem)) << problem.text();
        EXPECT_EQ(environments.name(3 * (count - 1)).size(), 2U);
        EXPECT_EQ(environments.name(1), k_unknown_environment);
        const EnvironmentRun first{EnvironmentRun::k_no_end, "First"};
        const EnvironmentRun second{EnvironmentRun::k_no_end, "Second"};
        environments.set_runs(ColumnIndex(1), {&first, 1});
        environments.set_runs(ColumnIndex(2), {&second, 1});
        environments.set_runs(ColumnIndex(3), {&first, 1});
        EXPECT_EQ(environments.at(ColumnIndex(1), 0), "First");
        EXPECT_EQ(environments.at(ColumnIndex(2), 0), "Second");
        EXPECT_EQ(environments.at(ColumnIndex(3), 0), "First");
        EXPECT_EQ(environments.mappings().size(), static_cast<std::size_t>(count) + 2) << "each key once";
        EXPECT_TRUE(environments.check());
    }
}

} // namespace
} // namespace orbis::chunk
