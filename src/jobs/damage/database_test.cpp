#include "bytes/file.hpp"
#include "jobs/repair/repair.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/verify/verify.hpp"
#include "storage/rocksdb_store.hpp"

#include <map>
#include <random>

/// Damage of RocksDB worlds: what verify must say, and that repair fixes it or leaves everything as it is.
namespace orbis::jobs {
namespace {

namespace fs = std::filesystem;
using namespace test_worlds;

constexpr int k_chunks = 40;
constexpr int k_in_log = 6; ///< of these, not yet in a table

using Chunks = std::map<ChunkPos, Buffer>;

/// A chunk that can be read and does not compress to nothing.
Buffer chunk_document(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<test::SectionImage> sections(k_sections);
    sections[0].blocks.assign(k_cells, "Rock_Stone");
    for (std::size_t i = 0; i < k_cells; ++i)
        if (random() % 2 == 0) sections[0].blocks[i] = "Soil_Dirt";
    return documents::document(sections);
}

std::map<fs::path, std::string> files_of(const fs::path& folder) {
    std::map<fs::path, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename() != "LOCK") {
            const auto in = open_file(entry.path(), FileMode::read).value();
            files[fs::relative(entry.path(), folder)] = read_text(*in, 1 << 30).value();
        }
    return files;
}

/// A sound world, made once for all tests; it is not there in a program without RocksDB.
class SoundDatabase {
public:
    static const SoundDatabase& get() {
        static const SoundDatabase made;
        return made;
    }

    [[nodiscard]] bool is_there() const { return is_there_; }
    [[nodiscard]] const Chunks& chunks() const { return chunks_; }
    void copy_to(const fs::path& world) const {
        fs::create_directories(world.parent_path());
        fs::copy(world_, world, fs::copy_options::recursive);
    }

private:
    SoundDatabase() {
        put(world_ / "config.json", as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "RocksDb"}})"));
        is_there_ = write(0, k_chunks - k_in_log);
        if (!is_there_) return;
        EXPECT_TRUE(storage::compact_rocksdb(world_ / "db", false, false));
        EXPECT_TRUE(write(k_chunks - k_in_log, k_chunks));
    }

    bool write(int from, int to) {
        storage::StoreOptions writing;
        writing.write = writing.create = true;
        const auto store = storage::open_rocksdb_store(world_ / "db", writing);
        if (!store) return false;
        for (int i = from; i < to; ++i) {
            const ChunkPos pos{i / 8, i % 8};
            chunks_[pos] = chunk_document(static_cast<std::uint64_t>(i));
            EXPECT_TRUE((*store)->write(pos, chunks_[pos]));
        }
        return true;
    }

    test::TemporaryFolder folder_;
    fs::path world_ = folder_ / "world";
    Chunks chunks_;
    bool is_there_ = false;
};

class DatabaseDamage : public testing::Test {
protected:
    void SetUp() override {
        const auto& sound = SoundDatabase::get();
        if (!sound.is_there()) GTEST_SKIP() << "built without RocksDB";
        sound.copy_to(world_);
        sound.copy_to(backup_);
    }

    /// The largest file of that kind.
    [[nodiscard]] fs::path file(const std::string& extension) const {
        fs::path found;
        for (const auto& entry : fs::directory_iterator(world_ / "db"))
            if (entry.path().filename().string().find(extension) != std::string::npos
                && (found.empty() || entry.file_size() > fs::file_size(found)))
                found = entry.path();
        EXPECT_FALSE(found.empty()) << extension;
        return found;
    }

    static void flip(const fs::path& path, std::uint64_t at) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(at));
        const auto byte = static_cast<char>(file.get() ^ 0x55);
        file.seekp(static_cast<std::streamoff>(at));
        file.put(byte);
    }

    [[nodiscard]] std::map<std::string, std::uint64_t> codes() const {
        std::map<std::string, std::uint64_t> found;
        const auto report = verify(
            world::find_location(world_).value(), world::Assets::built_in(), {false, 2},
            [](const Finding& finding) {
                if (finding.severity() == Severity::damage) {
                    const HelpTarget place{"PATH"};
                    EXPECT_TRUE(!help_for(finding.code, place).empty()
                                || finding.help.find("backup") != std::string::npos)
                        << "no next step: " << to_text(finding);
                    EXPECT_EQ(finding.text.find('\n'), std::string::npos) << to_text(finding);
                    if (finding.code == Code::store_unreadable) {
                        EXPECT_NE(finding.help.find("--to rocksdb"), std::string::npos) << to_text(finding);
                    }
                }
            },
            quiet_);
        unreadable_worlds_ = report.unreadable_worlds;
        for (std::size_t i = 0; i < report.by_code.size(); ++i)
            if (report.by_code[i] > 0
                && (all_codes()[i].severity == Severity::damage || all_codes()[i].name.starts_with("store.")))
                found[std::string(all_codes()[i].name)] = report.by_code[i];
        return found;
    }

    [[nodiscard]] Result<RepairReport> run_repair(bool dry_run, std::vector<std::string>& steps) const {
        RepairOptions options;
        options.dry_run = dry_run;
        options.damage_only = true; // the heights of these chunks are made up
        options.threads = 2;
        options.force = true; // nobody else has these files
        options.from = {backup_.string()};
        return repair(
            world::find_location(world_).value(), world::Assets::built_in(), options,
            [&](const RepairStep& step) { steps.push_back(to_text(step)); }, quiet_);
    }

    /// How many chunks are as they were; one that is another is an error.
    [[nodiscard]] std::size_t good_chunks() const {
        const auto store = storage::open_rocksdb_store(world_ / "db", {});
        if (!store) return 0;
        storage::ReadContext context;
        std::size_t good = 0;
        for (const auto& [pos, content] : chunks_) {
            const auto found = (*store)->read(pos, context);
            if (!found || !*found) continue;
            EXPECT_TRUE(std::ranges::equal(**found, content)) << pos.x << "," << pos.z;
            ++good;
        }
        return good;
    }

    /// Everything that only looks changes nothing, and a dry run says what the real run does.
    void expect(const std::map<std::string, std::uint64_t>& wanted, bool is_repaired) {
        const auto before = files_of(world_);
        EXPECT_EQ(codes(), wanted);
        std::vector<std::string> planned;
        const auto plan = run_repair(true, planned);
        EXPECT_EQ(files_of(world_), before) << "only looked at";
        const auto good = good_chunks();
        std::vector<std::string> steps;
        const auto done = run_repair(false, steps);
        EXPECT_EQ(plan.has_value(), done.has_value());
        EXPECT_EQ(planned, steps);
        EXPECT_GE(good_chunks(), good) << "nothing becomes worse";
        if (is_repaired) {
            ASSERT_TRUE(done) << done.error().text();
            EXPECT_EQ(done->left, 0U);
            EXPECT_EQ(codes(), (std::map<std::string, std::uint64_t>()));
            EXPECT_EQ(good_chunks(), chunks_.size());
        } else if (!done) {
            EXPECT_FALSE(done.error().advice.empty()) << done.error().text();
            EXPECT_EQ(files_of(world_), before) << "refused, so nothing is touched";
        } else {
            // What a log lost is not in the world: the backup names it.
            EXPECT_EQ(done->left > 0,
                      wanted.contains("store.unreadable") || wanted.contains("store.log-cut"));
        }
    }

    test::TemporaryFolder folder_;
    fs::path world_ = folder_ / "world";
    fs::path backup_ = folder_ / "backup" / "world";
    const Chunks& chunks_ = SoundDatabase::get().chunks();
    mutable NoProgress quiet_;
    mutable std::uint64_t unreadable_worlds_ = 0; ///< of the last look
};

using Codes = std::map<std::string, std::uint64_t>;

TEST_F(DatabaseDamage, ASoundDatabaseHasNone) { expect({}, true); }

TEST_F(DatabaseDamage, ALogThatEndsInsideOfARecordIsTold) {
    const auto log = file(".log");
    fs::resize_file(log, fs::file_size(log) - 100);
    expect({{"store.log-cut", 1}}, false);
    EXPECT_EQ(good_chunks(), chunks_.size() - 1) << "the last change is lost, the others are not";
}

TEST_F(DatabaseDamage, DamageInsideOfTheLogIsRefused) {
    flip(file(".log"), 100);
    expect({{"store.unreadable", 1}}, false);
}

TEST_F(DatabaseDamage, ADamagedPartOfATableIsToldAndLeft) {
    flip(file(".sst"), 20);
    expect({{"store.unreadable", 1}}, false);
    EXPECT_EQ(unreadable_worlds_, 0U) << "only a part of it";
    EXPECT_GE(good_chunks(), static_cast<std::size_t>(k_in_log)) << "those of the log";
}

TEST_F(DatabaseDamage, ACutOrMissingTableIsRefused) {
    const auto table = file(".sst");
    fs::resize_file(table, 60);
    expect({{"store.unreadable", 1}}, false);
    fs::remove(table);
    expect({{"store.unreadable", 1}}, false);
}

TEST_F(DatabaseDamage, ADamagedValueIsTakenFromTheBackup) {
    const auto blob = file(".blob");
    flip(blob, fs::file_size(blob) / 2);
    expect({{"frame.broken", 1}}, true);
}

TEST_F(DatabaseDamage, AllValuesOfAMissingFileAreTakenFromTheBackup) {
    fs::remove(file(".blob"));
    expect({{"frame.broken", k_chunks - k_in_log}}, true);
}

TEST_F(DatabaseDamage, WithoutCurrentOrManifestItIsRefused) {
    const auto current = world_ / "db" / "CURRENT";
    fs::rename(current, folder_ / "CURRENT");
    expect({{"store.unreadable", 1}}, false);
    EXPECT_EQ(unreadable_worlds_, 1U);
    put(current, as_bytes("nonsense"));
    expect({{"store.unreadable", 1}}, false);
    fs::rename(folder_ / "CURRENT", current);
    flip(file("MANIFEST-"), 30);
    expect({{"store.unreadable", 1}}, false);
    fs::remove(file("MANIFEST-"));
    expect({{"store.unreadable", 1}}, false);
}

} // namespace
} // namespace orbis::jobs
