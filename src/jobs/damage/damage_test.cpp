#include "bytes/file.hpp"
#include "bytes/joined.hpp"
#include "jobs/damage/corpus_test.hpp"
#include "jobs/repair/repair.hpp"
#include "jobs/undo/undo.hpp"
#include "jobs/verify/verify.hpp"
#include "storage/region_store.hpp"
#include "support/amount.hpp"
#include "support/shared.hpp"
#include "world/sample/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace orbis::jobs::damage {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    return read_text(*open_file(path, FileMode::read).value(), 64 << 20).value();
}

std::map<std::string, std::string> all_files(const fs::path& root) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.is_regular_file()) files.emplace(entry.path().string(), content_of(entry.path()));
    return files;
}

struct Found {
    VerifyReport report;
    std::set<std::string> codes;
    std::set<ChunkPos> damaged;
};

Found examine(const fs::path& universe) {
    Found found;
    NoProgress quiet;
    const auto location = world::find_location(universe).value();
    found.report = verify(
        location, world::Assets::built_in(), {.quick = false, .threads = 2},
        [&](const Finding& finding) {
            found.codes.emplace(code_info(finding.code).name);
            if (finding.severity() == Severity::damage && finding.chunk) found.damaged.insert(*finding.chunk);
        },
        quiet);
    return found;
}

std::vector<std::string> treat(const fs::path& universe, RepairOptions options, RepairReport& report) {
    std::vector<std::string> steps;
    NoProgress quiet;
    options.threads = 2;
    options.force = true; // nobody else has these files
    using Outcome = RepairStep::Outcome;
    std::map<Outcome, std::set<ChunkPos>> chunks;
    std::map<Outcome, std::uint64_t> files;
    std::uint64_t left = 0;
    auto done = repair(
        world::find_location(universe).value(), world::Assets::built_in(), options,
        [&](const RepairStep& step) {
            steps.push_back(to_text(step));
            if (step.outcome == Outcome::left)
                ++left;
            else if (step.chunk)
                chunks[step.outcome].insert(*step.chunk);
            else
                ++files[step.outcome];
        },
        quiet);
    EXPECT_TRUE(done) << done.error().text();
    if (!done) return steps;
    report = *done;
    // The sums are those of what was told.
    EXPECT_EQ(report.left, left);
    EXPECT_EQ(report.chunks_repaired, chunks[Outcome::repaired].size());
    EXPECT_EQ(report.chunks_restored, chunks[Outcome::restored].size());
    EXPECT_EQ(report.chunks_removed, chunks[Outcome::removed].size());
    EXPECT_EQ(report.files, files[Outcome::repaired] + files[Outcome::restored] + files[Outcome::removed]);
    return steps;
}

/// Documents of all chunks that can be read.
std::map<ChunkPos, Buffer> documents(const fs::path& region_file) {
    std::map<ChunkPos, Buffer> found;
    const auto store = storage::open_single_region(region_file, {});
    if (!store) return found;
    const auto cursor = (*store)->chunks();
    storage::ReadContext context;
    while (true) {
        const auto pos = cursor->next();
        if (!pos || !*pos) return found;
        const auto document = (*store)->read(**pos, context);
        if (document && *document) found[**pos] = Buffer((*document)->begin(), (*document)->end());
    }
}

/// Light that a repair has dropped must count as stale: else the game would leave the chunk dark forever.
void expect_light_to_be_computed(const Buffer& before, const Buffer& after) {
    const auto healthy = chunk::Chunk::decode(Bytes(before));
    const auto repaired = chunk::Chunk::decode(Bytes(after));
    if (!healthy || !repaired) return;
    for (int y = 0; y < k_sections; ++y) {
        const auto& had = healthy->section(y);
        const auto& has = repaired->section(y);
        if (had.local_light.present() && !has.local_light.present()) {
            EXPECT_FALSE(has.local_light_valid()) << "section " << y;
        }
        if (had.global_light.present() && !has.global_light.present()) {
            EXPECT_FALSE(has.global_light_valid()) << "section " << y;
        }
    }
}

/// Good worlds to break: a part of the sample world and, where it is there, a real one. Both are repaired
/// first, so that everything that is found later comes from the damage.
class Bases {
public:
    static const fs::path* get(const std::string& name) {
        static Bases bases;
        auto& path = bases.paths_[name];
        if (!path) path = name == "sample" ? bases.make_sample() : bases.copy_real();
        return path->empty() ? nullptr : &*path;
    }

private:
    static constexpr std::size_t k_chunks = 10;

    fs::path make_sample() {
        const auto sample = folder_ / "sample";
        EXPECT_TRUE(
            world::sample::write_sample(folder_ / "whole", {.seed = 1, .threads = 2, .on_progress = {}}));
        fs::copy(folder_ / "whole", sample, fs::copy_options::recursive);
        const auto location = world::find_location(folder_ / "whole").value();
        const auto& world = location.worlds.at(0);
        if (world.name != "default")
            fs::rename(sample / "worlds" / world.name, sample / "worlds" / "default");
        put_richest(world, sample / "worlds" / "default" / "chunks");
        return repaired(sample);
    }

    /// Empty if the real worlds are not beside the checkout.
    fs::path copy_real() {
        const auto shared = test::shared_folder();
        if (!shared) return {};
        const auto real = folder_ / "real";
        const auto from = *shared / "worlds" / "farmland";
        fs::create_directories(real / "worlds" / "default" / "chunks");
        for (const auto& entry : fs::recursive_directory_iterator(from))
            if (entry.is_regular_file())
                fs::copy_file(entry.path(), real / "worlds" / "default" / fs::relative(entry.path(), from));
        fs::permissions(real, fs::perms::owner_write, fs::perm_options::add);
        for (const auto& entry : fs::recursive_directory_iterator(real))
            fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
        return repaired(real);
    }

    static fs::path repaired(const fs::path& universe) {
        RepairReport report;
        treat(universe, {}, report);
        fs::remove_all(universe / "worlds" / "default" / "orbis-undo");
        const auto state = examine(universe);
        EXPECT_EQ(state.report.damage + state.report.wrong, 0U) << universe;
        return universe;
    }

    /// The chunks of a world, those with most in them first.
    static std::vector<ChunkPos> by_content(const storage::Store& store) {
        storage::ReadContext context;
        std::vector<std::pair<std::size_t, ChunkPos>> richest;
        const auto cursor = store.chunks();
        while (const auto pos = cursor->next().value()) {
            const auto chunk = chunk::Chunk::decode(store.read(*pos, context).value().value()).value();
            richest.emplace_back(
                chunk.entities().holders().size() * 100 + chunk.block_components().entries().size(), *pos);
        }
        std::ranges::sort(richest, std::greater{});
        std::vector<ChunkPos> chunks;
        for (const auto& [score, pos] : richest) chunks.push_back(pos);
        return chunks;
    }

    /// Some chunks of one region and no others: those with most in them.
    static void put_richest(const world::World& world, const fs::path& chunks) {
        fs::remove_all(chunks);
        const auto store = world.open({}).value();
        const auto richest = by_content(*store);
        const auto region = richest.front().region();
        storage::ReadContext context;
        storage::StoreOptions how;
        how.write = how.create = how.force = true;
        const auto target =
            storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)), how).value();
        std::size_t copied = 0;
        for (const auto pos : richest) {
            if (pos.region() != region || copied == k_chunks) continue;
            EXPECT_TRUE(target->write(pos, store->read(pos, context).value().value()));
            ++copied;
        }
    }

    test::TemporaryFolder folder_;
    std::map<std::string, std::optional<fs::path>> paths_;
};

struct Case {
    std::string base;
    Kind kind;
};

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const auto* base : {"sample", "real"})
        for (auto make : {container_kinds, document_kinds, cell_kinds, file_kinds})
            for (auto& kind : make()) cases.push_back({base, std::move(kind)});
    int number = 0;
#if defined(__SANITIZE_THREAD__) // the same threads in every case, ten times slower
    std::erase_if(cases, [&](const Case&) { return number++ % 12 != 0; });
#else // the sample has something of everything, so that each kind stays
    std::erase_if(cases, [&](const Case& at) { return at.base == "real" && number++ % test::step() != 0; });
#endif
    return cases;
}

void PrintTo(const Case& test, std::ostream* out) { *out << test.kind.name; }

class Damage : public testing::TestWithParam<Case> {};

TEST_P(Damage, IsFoundAndRepairedAndNothingElseIsTouched) {
    const auto& [base, kind] = GetParam();
    const auto* good = Bases::get(base);
    if (good == nullptr) GTEST_SKIP() << "the real worlds are not beside the checkout";
    const test::TemporaryFolder folder;
    const auto universe = folder / "universe";
    fs::copy(*good, universe, fs::copy_options::recursive);
    const Patient patient(universe);
    const auto healthy = documents(patient.region_file());

    const auto affected = kind.apply(patient);
    if (!affected) {
        ASSERT_EQ(base, "real") << "the sample has something of everything";
        GTEST_SKIP() << "this world has nothing to break like that";
    }
    // Found, in the right chunks.
    const auto sick = examine(universe);
    for (const auto& code : kind.codes) EXPECT_TRUE(sick.codes.contains(code)) << code << " was not reported";
    for (const auto pos : sick.damaged)
        EXPECT_TRUE(affected->contains(pos)) << "chunk " << pos.x << "," << pos.z << " is not concerned";

    // Told before it is done, exactly.
    RepairOptions options;
    if (kind.cure == Cure::from) options.from = {good->string()};
    options.from_orphans = kind.cure == Cure::orphans;
    options.remove_unreadable = kind.cure == Cure::remove;
    const auto before = all_files(universe);
    options.dry_run = true;
    RepairReport planned;
    const auto announced = treat(universe, options, planned);
    EXPECT_TRUE(all_files(universe) == before) << "a dry run changed something";
    const auto broken = documents(patient.region_file());
    options.dry_run = false;
    RepairReport done;
    EXPECT_EQ(treat(universe, options, done), announced);
    EXPECT_EQ(done.left, planned.left);
    EXPECT_LE(done.chunks, healthy.size() + affected->size()) << "each is looked at once";
    if (kind.cure == Cure::none) {
        EXPECT_EQ(done.chunks_restored + done.chunks_removed + done.files, 0U);
    }

    // Repaired, and the others untouched.
    const auto cured = examine(universe);
    if (!kind.stays_damaged) {
        EXPECT_EQ(cured.report.damage, 0U) << joined(announced, "\n");
    }
    if (kind.cure == Cure::repair) {
        for (const auto& code : kind.codes)
            EXPECT_FALSE(cured.codes.contains(code)) << code << " is still there";
    }
    const auto after = documents(patient.region_file());
    for (const auto& [pos, document] : healthy) {
        if (affected->contains(pos)) continue;
        const auto found = after.find(pos);
        ASSERT_TRUE(found != after.end()) << "chunk " << pos.x << "," << pos.z << " is gone";
        EXPECT_TRUE(found->second == document) << "chunk " << pos.x << "," << pos.z << " was touched";
    }
    for (const auto pos : *affected)
        if (healthy.contains(pos) && after.contains(pos))
            expect_light_to_be_computed(healthy.at(pos), after.at(pos));
    if (kind.cure == Cure::repair) {
        RepairReport again;
        EXPECT_EQ(treat(universe, options, again), std::vector<std::string>()) << "not all was done at once";
    }
    if ((kind.cure == Cure::from && kind.codes.front() != "component.unreadable")
        || kind.codes.front() == "component.misspelt") {
        for (const auto pos : *affected)
            EXPECT_TRUE(after.contains(pos) && after.at(pos) == healthy.at(pos)) << "not as in the backup";
    }

    // And undone.
    std::vector<Error> problems;
    const auto location = world::find_location(universe).value();
    NoProgress quiet;
    const auto changes = past_changes(location, problems).value();
    for (const auto& change : changes) {
        const auto undone = undo_change(change, {.force = true}, quiet);
        ASSERT_TRUE(undone) << undone.error().text();
        EXPECT_TRUE(undone->changed.empty());
        for (const auto& problem : undone->problems) ADD_FAILURE() << problem.text();
    }
    EXPECT_TRUE(problems.empty());
    EXPECT_TRUE(documents(patient.region_file()) == broken) << "undo left something else";
}

INSTANTIATE_TEST_SUITE_P(Corpus, Damage, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.base + "_" + test.param.kind.name; });

TEST(DamageCorpus, HasAtLeastFortyKinds) {
    EXPECT_GE(container_kinds().size() + document_kinds().size() + cell_kinds().size() + file_kinds().size(),
              40U);
}

} // namespace
} // namespace orbis::jobs::damage
