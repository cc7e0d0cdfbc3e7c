#include "capture/capture_reader.hpp"
#include "capture/made_records_test.hpp"
#include "capture/record_decoder.hpp"
#include "capture/recorder.hpp"
#include "support/shared.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <thread>

namespace orbis::capture {
namespace {

struct Recorded {
    std::vector<Record> records;
    std::vector<Buffer> frames;
    std::vector<std::string> values; ///< as JSON; why not, where it cannot be decoded
    CaptureFacts facts;
};

Recorded recorded(const std::filesystem::path& path) {
    auto reader = CaptureReader::open(path).value();
    RecordDecoder decoder;
    Recorded out;
    for (;;) {
        auto next = reader.next();
        EXPECT_TRUE(next) << next.error().text();
        if (!next || !*next) break;
        const auto& record = out.records.emplace_back(**next);
        out.frames.emplace_back(record.frame.begin(), record.frame.end());
        const auto value = decoder.strict_value(record);
        JsonWriter json;
        if (value) protocol::write_json(json, **value);
        out.values.push_back(value ? json.take() : value.error().problem);
    }
    out.facts = reader.facts();
    return out;
}

RecorderSettings settings_for(const std::filesystem::path& file) {
    RecorderSettings settings;
    settings.file = file;
    settings.keeps_personal = true;
    return settings;
}

TEST(Recorder, KeepsFramesByteForByte) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    auto recorder = Recorder::start(settings_for(folder / "a.pcapng")).value();
    EXPECT_EQ(recorder->begin_session(), 1U);
    EXPECT_EQ(recorder->begin_session(), 2U);
    for (const auto& record : visit.all()) recorder->record(record);
    const auto counts = recorder->finish();
    ASSERT_TRUE(counts) << counts.error().text();
    EXPECT_EQ(counts->records, visit.all().size());
    EXPECT_EQ(counts->dropped, 0U);
    EXPECT_EQ(counts->bytes, std::filesystem::file_size(folder / "a.pcapng"));
    const auto read = recorded(folder / "a.pcapng");
    ASSERT_EQ(read.frames.size(), visit.all().size());
    for (std::size_t at = 0; at < read.frames.size(); ++at) {
        const auto& was = visit.all()[at];
        EXPECT_EQ(read.frames[at], Buffer(was.frame.begin(), was.frame.end()));
        EXPECT_EQ(read.records[at].time, was.time);
        EXPECT_EQ(read.records[at].session, was.session);
    }
}

TEST(Recorder, WritesWithoutBeingAsked) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    auto recorder = Recorder::start(settings_for(folder / "a.pcapng")).value();
    recorder->record(visit.all()[0]);
    EXPECT_TRUE(test::wait_for([&] { return recorder->counts().records == 1; }));
    EXPECT_EQ(recorded(folder / "a.pcapng").records.size(), 1U) << "a kill now would lose nothing";
}

TEST(Recorder, LeavesOutPersonalData) {
    const test::TemporaryFolder folder;
    auto settings = settings_for(folder / "a.pcapng");
    settings.keeps_personal = false;
    auto visit = made::visit();
    auto& later =
        visit.add(Side::server, "AuthToken",
                  R"({"accessToken":"an-access-token","serverAuthorizationGrant":"a-grant"})", 3, "0.5.1");
    later.source = {{203, 0, 113, 9}, 4, 1234};
    auto& foreign = visit.add(Side::server, "Connect", made::k_connect_json, 4);
    foreign.build = nullptr;
    foreign.build_name = "12345";
    const auto sizes = foreign.frame.size();
    auto recorder = Recorder::start(settings).value();
    for (const auto& record : visit.all()) recorder->record(record);
    ASSERT_TRUE(recorder->finish());

    const auto read = recorded(folder / "a.pcapng");
    ASSERT_EQ(read.records.size(), visit.all().size());
    EXPECT_EQ(read.values[0],
              R"({"protocolCrc":-1356075132,"protocolBuildNumber":20,"clientVersion":"2026.02.17",)"
              R"("clientType":"Game","uuid":"00112233-4455-6677-8899-aabbccddeeff","username":"Ada",)"
              R"("identityToken":"xxxxxxxxxxxxxxxxxxx","language":"en-US","referralData":"000000",)"
              R"("referralSource":null})");
    EXPECT_EQ(read.records[0].left_out, LeftOut::fields);
    EXPECT_EQ(read.records[0].length, visit.all()[0].length);
    EXPECT_EQ(read.values[1], R"({"passwordChallenge":"0000000000000000"})");
    EXPECT_EQ(read.values[2], R"({"hash":"00000000"})");
    EXPECT_EQ(read.values[4], R"({"message":"Hello world"})");
    EXPECT_EQ(read.records[4].left_out, LeftOut::nothing);
    EXPECT_EQ(read.values[8], R"({"accessToken":"xxxxxxxxxxxxxxx","serverAuthorizationGrant":"xxxxxxx"})");
    EXPECT_EQ(read.records[8].source.text(), "10.0.0.3:49152");
    EXPECT_EQ(read.frames[9].size(), 8U) << "of an unknown build only the header is kept";
    EXPECT_EQ(read.records[9].left_out, LeftOut::payload);
    EXPECT_EQ(read.records[9].length, sizes);

    std::ifstream in(folder / "a.pcapng", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    for (const auto* secret : {"secret.token", "an-access-token", "a-grant", "\xc0\xff\xee"})
        EXPECT_EQ(bytes.find(secret), std::string::npos) << secret;
}

TEST(Recorder, BeginsAnotherFileWhenOneIsLargeEnough) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    auto settings = settings_for(folder / "join.pcapng");
    settings.rotate_size = 1500;
    for (int turn = 0; turn < 2; ++turn) {
        auto recorder = Recorder::start(settings).value();
        for (int times = 0; times < 3; ++times)
            for (const auto& record : visit.all()) recorder->record(record);
        const auto counts = recorder->finish();
        ASSERT_TRUE(counts);
        EXPECT_GT(counts->files, 2U);
    }
    std::vector<Buffer> frames;
    std::size_t files = 0;
    for (;; ++files) {
        const auto path = folder / fmt::format("join-{:06}.pcapng", files + 1);
        if (!std::filesystem::exists(path)) break;
        EXPECT_LT(std::filesystem::file_size(path), 2500U);
        for (auto& frame : recorded(path).frames) frames.push_back(std::move(frame));
    }
    ASSERT_EQ(frames.size(), visit.all().size() * 6) << "a second run goes on after the first";
    for (std::size_t at = 0; at < frames.size(); ++at) {
        const auto& was = visit.all()[at % visit.all().size()].frame;
        EXPECT_EQ(frames[at], Buffer(was.begin(), was.end()));
    }
}

TEST(Recorder, BeginsAnotherFileWhenItsTimeIsOver) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    auto settings = settings_for(folder / "a.b.pcapng");
    settings.rotate_every = std::chrono::seconds(1);
    auto recorder = Recorder::start(settings).value();
    EXPECT_TRUE(test::wait_for([&] {
        recorder->record(visit.all()[4]);
        return std::filesystem::exists(folder / "a.b-000002.pcapng");
    }));
}

TEST(Recorder, DropsAndCountsWhatTheDiskDoesNotTake) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    auto settings = settings_for(folder / "a.pcapng");
    settings.most_waiting = 1000;
    auto recorder = Recorder::start(settings).value();
    constexpr std::uint64_t k_times = 20'000;
    for (std::uint64_t times = 0; times < k_times; ++times) recorder->record(visit.all()[4]);
    const auto counts = recorder->finish();
    ASSERT_TRUE(counts);
    EXPECT_GT(counts->dropped, 0U);
    EXPECT_EQ(counts->records + counts->dropped, k_times);
    const auto read = recorded(folder / "a.pcapng");
    EXPECT_EQ(read.records.size(), counts->records);
    EXPECT_EQ(read.facts.dropped, counts->dropped) << "the file says so too";
}

TEST(Recorder, AFolderThatTakesNoMoreFilesLosesRecordsAndNothingElse) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    std::filesystem::create_directory(folder / "in");
    auto settings = settings_for(folder / "in/a.pcapng");
    settings.rotate_size = 1;
    auto recorder = Recorder::start(settings).value();
    recorder->record(visit.all()[0]);
    ASSERT_TRUE(test::wait_for([&] { return recorder->counts().records == 1; }));
    std::filesystem::remove_all(folder / "in");
    recorder->record(visit.all()[0]);
    ASSERT_TRUE(test::wait_for([&] { return recorder->counts().dropped == 1; }));
    ASSERT_TRUE(recorder->failure());
    std::filesystem::create_directory(folder / "in");
    recorder->record(visit.all()[0]);
    ASSERT_TRUE(test::wait_for([&] { return recorder->counts().records == 2; })) << "it is tried again";
    EXPECT_FALSE(recorder->failure());
}

/// Files may not grow beyond this; the end of it is no full disk, but looks like one.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t most) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit now = before_;
        now.rlim_cur = most;
        setrlimit(RLIMIT_FSIZE, &now);
    }
    ~SmallFiles() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST(Recorder, AFullDiskLeavesAFileOfWholeRecords) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    auto recorder = Recorder::start(settings_for(folder / "a.pcapng")).value();
    {
        const SmallFiles small(1000);
        for (const auto& record : visit.all()) recorder->record(record);
        ASSERT_TRUE(test::wait_for([&] { return recorder->counts().dropped == visit.all().size(); }));
        ASSERT_TRUE(recorder->failure());
        EXPECT_TRUE(recorded(folder / "a.pcapng").records.empty()) << "nothing of a part is left";
    }
    for (const auto& record : visit.all()) recorder->record(record);
    ASSERT_TRUE(test::wait_for([&] { return recorder->counts().records == visit.all().size(); }));
    ASSERT_TRUE(recorder->finish());
    const auto read = recorded(folder / "a.pcapng");
    EXPECT_EQ(read.records.size(), visit.all().size());
    EXPECT_EQ(read.facts.dropped, visit.all().size());
}

TEST(Recorder, ReplacesNoFile) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(Recorder::start(settings_for(folder / "a.pcapng")));
    const auto second = Recorder::start(settings_for(folder / "a.pcapng"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::exists);
    EXPECT_FALSE(Recorder::start(settings_for(folder / "none/a.pcapng")));
}

TEST(Recorder, ManyThreadsRecordAtOnce) {
    const test::TemporaryFolder folder;
    const auto visit = made::visit();
    auto recorder = Recorder::start(settings_for(folder / "a.pcapng")).value();
    constexpr std::size_t k_threads = 4;
    constexpr std::size_t k_each = 500;
    {
        std::vector<std::jthread> threads;
        for (std::size_t thread = 0; thread < k_threads; ++thread)
            threads.emplace_back([&] {
                auto record = visit.all()[4];
                record.session = recorder->begin_session();
                for (std::size_t times = 0; times < k_each; ++times) recorder->record(record);
            });
    }
    ASSERT_TRUE(recorder->finish());
    std::array<std::size_t, k_threads + 1> of{};
    for (const auto& record : recorded(folder / "a.pcapng").records) ++of.at(record.session);
    EXPECT_EQ(of, (std::array<std::size_t, k_threads + 1>{0, k_each, k_each, k_each, k_each}));
}

} // namespace
} // namespace orbis::capture
