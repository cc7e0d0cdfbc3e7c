#include "capture/made_records_test.hpp"
#include "game/bot/test_server_test.hpp"
#include "game/replay/server_side.hpp"
#include "net/client.hpp"
#include "packets/interface.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <fstream>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using capture::Side;
using capture::made::Records;

/// What a client heard, and when.
struct Heard {
    std::vector<std::string> packets;
    std::vector<net::Duration> times; ///< since the first
    std::optional<net::Close> close;
    std::optional<std::string> reason;
    net::ClientSession* session = nullptr;

    [[nodiscard]] net::Duration time_of(std::string_view packet) const {
        const auto at = std::ranges::find(packets, packet);
        EXPECT_NE(at, packets.end()) << packet;
        return at != packets.end() ? times[static_cast<std::size_t>(at - packets.begin())] : net::Duration{};
    }
};

class HearingHandler final : public net::ClientHandler {
public:
    HearingHandler(Heard& heard, net::Loop& loop, bool chats, std::string leaves_after)
        : heard_(heard), loop_(loop), chats_(chats), leaves_after_(std::move(leaves_after)) {}

    void on_packet(net::ClientSession& session, const protocol::Frame& frame) override {
        if (heard_.packets.empty()) first_ = loop_.now();
        heard_.packets.emplace_back(frame.packet->name);
        heard_.times.push_back(loop_.now() - first_);
        if (chats_ && frame.packet->name == "SetClientId") {
            packets::ChatMessage chat;
            chat.message = protocol::Text("Something else");
            EXPECT_TRUE(session.send(chat));
        }
        if (frame.packet->name == leaves_after_) session.leave();
    }
    void on_closed(net::ClientSession&, const net::Close& close,
                   const std::optional<std::string>& reason) override {
        heard_.close = close;
        heard_.reason = reason;
        heard_.session = nullptr;
    }

private:
    Heard& heard_;
    net::Loop& loop_;
    bool chats_;
    std::string leaves_after_;
    net::Time first_{};
};

/// A replay and its clients in a loop in which nobody waits for anything.
class ServerReplays : public testing::Test, public ServerSideEvents {
protected:
    struct Guest {
        net::ClientRules rules{};
        bool chats = true;
        std::string leaves_after{};
    };

    void play(const Records& records, std::size_t cut = 0) {
        const auto bytes = records.file();
        rules.connection.capture = folder / "file.pcapng";
        std::ofstream(rules.connection.capture, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size() - cut));
        rules.addresses = {net::Address::loopback_v4(0)};
        const auto done = replay_server_side(
            rules, test_server::identity(), *this, [this] { return is_stopped && is_stopped(); }, loop);
        ASSERT_TRUE(done) << done.error().text();
        let_in = *done;
        // What was said last is still on its way.
        loop->run_until(
            [&] {
                return std::ranges::all_of(heard, [](const Heard& one) { return one.close.has_value(); });
            },
            10s);
    }

    void on_ready(const CapturedConnection&, const std::vector<net::Address>& addresses) override {
        for (std::size_t at = 0; at < guests.size(); ++at) {
            auto& guest = guests[at];
            guest.rules.uuid[0] = static_cast<std::uint8_t>(at + 1);
            auto tls =
                net::TlsContext::client(&test_server::identity(), {guest.rules.build.protocol}).value();
            const net::ClientSettings settings{
                .server = addresses.front(), .server_name = {}, .tls = std::move(tls)};
            heard[at].session =
                net::join(driver, context, settings, guest.rules,
                          std::make_unique<HearingHandler>(heard[at], *loop, guest.chats, guest.leaves_after))
                    .value();
        }
        ticks();
    }
    void on_refused(const net::Address&, const std::string& why) override { refused.push_back(why); }
    void on_played(const PlayedReport& report) override { played.push_back(report); }

    void ticks() {
        context.tick();
        loop->after(50ms, [this] { ticks(); });
    }

    /// Everything that the server of the capture said, but for the password.
    static std::vector<std::string> all() {
        return {"ConnectAccept", "WorldSettings", "WorldLoadFinished", "JoinWorld",
                "SetClientId",   "SetChunk",      "ServerMessage",     "Disconnect"};
    }

    orbis::test::TemporaryFolder folder;
    std::shared_ptr<net::SimulatedLoop> loop = test_server::make_loop();
    net::ClientContext context{*loop};
    net::UdpDriver driver{*loop, {}};
    ServerSideRules rules;
    std::vector<Guest> guests = std::vector<Guest>(1);
    std::vector<Heard> heard = std::vector<Heard>(3);
    std::function<bool()> is_stopped;
    std::vector<std::string> refused;
    std::vector<PlayedReport> played;
    std::size_t let_in = 0;

    void SetUp() override { heard.resize(guests.size()); }
    void invite(std::size_t count) {
        guests.resize(count);
        heard.resize(count);
    }
};

/// The frames after each other by so much.
Records slow_join(std::chrono::nanoseconds step) {
    auto records = capture::made::join();
    Records out;
    for (const auto& record : records.all()) {
        auto& copy = out.add(*record.to, "SetClientId", R"({"clientId":0})");
        const auto number = static_cast<std::int64_t>(out.all().size() - 1);
        copy = record;
        copy.time = Records::k_start + number * step.count();
    }
    // The frames belong to what goes now.
    static std::deque<Records> kept;
    kept.push_back(std::move(records));
    return out;
}

TEST_F(ServerReplays, SayAllThatTheServerSaid) {
    play(capture::made::join());
    ASSERT_EQ(played.size(), 1U);
    const auto& report = played[0];
    EXPECT_TRUE(report.is_fine()) << report.problem.value_or("");
    EXPECT_TRUE(report.is_complete);
    EXPECT_EQ(report.sent, all().size());
    EXPECT_EQ(report.left_out, 1U);
    EXPECT_TRUE(report.unanswered.empty());
    auto packets = heard[0].packets;
    // Another stream may be faster or slower.
    EXPECT_EQ(std::erase(packets, "SetChunk"), 1);
    auto expected = all();
    std::erase(expected, "SetChunk");
    EXPECT_EQ(packets, expected);
    EXPECT_EQ(heard[0].reason, "good night");
    EXPECT_EQ(heard[0].close->code, 0U);
}

TEST_F(ServerReplays, KeepTheTimesOfTheCapture) {
    play(slow_join(1s));
    ASSERT_EQ(played.size(), 1U);
    EXPECT_TRUE(played[0].is_fine());
    // JoinWorld is the tenth record, SetClientId the twelfth, ServerMessage the fifteenth.
    const auto between = heard[0].time_of("SetClientId") - heard[0].time_of("JoinWorld");
    EXPECT_NEAR(net::seconds_of(between), 2, 0.1);
    EXPECT_NEAR(net::seconds_of(heard[0].time_of("ServerMessage") - heard[0].time_of("SetClientId")), 3, 0.1);
    EXPECT_NEAR(played[0].seconds, 15, 0.3);
}

TEST_F(ServerReplays, OrAreAsFastAsTheClient) {
    rules.is_at_once = true;
    play(slow_join(1h));
    ASSERT_EQ(played.size(), 1U);
    EXPECT_TRUE(played[0].is_fine());
    EXPECT_EQ(played[0].sent, all().size());
    EXPECT_LT(played[0].seconds, 1);
}

TEST_F(ServerReplays, WaitForWhatAClientMustSayAndNotForever) {
    guests[0].rules.joins = false;
    rules.is_at_once = true;
    play(capture::made::join());
    ASSERT_EQ(played.size(), 1U);
    EXPECT_EQ(played[0].problem, "the client did not send RequestAssets within 30 s");
    EXPECT_FALSE(played[0].advice.empty());
    EXPECT_FALSE(played[0].is_complete);
    EXPECT_EQ(heard[0].packets, (std::vector<std::string>{"ConnectAccept", "WorldSettings", "Disconnect"}));
    EXPECT_EQ(heard[0].reason, "The replay waits for something that this client does not say.");
}

TEST_F(ServerReplays, GoOnWithoutWhatAClientNeedNotSay) {
    guests[0].chats = false;
    play(slow_join(100ms));
    ASSERT_EQ(played.size(), 1U);
    EXPECT_TRUE(played[0].is_fine());
    EXPECT_EQ(played[0].unanswered, (std::vector<std::string>{"ChatMessage"}));
    const auto between = heard[0].time_of("ServerMessage") - heard[0].time_of("SetClientId");
    EXPECT_NEAR(net::seconds_of(between), 2.3, 0.1);
}

TEST_F(ServerReplays, SayNothingOfAWorldBeforeTheClientIsReady) {
    loop->delay = 400ms; // much slower than the captured one
    play(capture::made::join());
    ASSERT_EQ(played.size(), 1U);
    EXPECT_TRUE(played[0].is_fine());
    EXPECT_GE(heard[0].time_of("SetClientId") - heard[0].time_of("JoinWorld"), 800ms) << "there and back";
    EXPECT_GE(heard[0].time_of("SetChunk") - heard[0].time_of("JoinWorld"), 800ms);
}

TEST_F(ServerReplays, RefuseClientsOfOtherBuilds) {
    invite(2);
    guests[0].rules.build = net::GameBuild::find("0.5.1").value();
    play(capture::made::join());
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0], "its client is of build 0.5.1, the capture is of build 2026.02.17");
    EXPECT_EQ(heard[0].close->code, static_cast<std::uint64_t>(net::CloseCode::server_outdated));
    EXPECT_EQ(heard[0].close->reason, "2026.02.17");
    EXPECT_TRUE(heard[0].packets.empty());
    EXPECT_EQ(heard[1].packets.size(), all().size()) << "the right one is still let in";
}

TEST_F(ServerReplays, PlayToSeveralClientsEachFromTheStart) {
    invite(3);
    rules.clients = 2;
    play(slow_join(10ms));
    EXPECT_EQ(let_in, 2U);
    ASSERT_EQ(played.size(), 2U);
    for (const auto& report : played) EXPECT_EQ(report.sent, all().size());
    EXPECT_EQ(refused, (std::vector<std::string>{"enough clients have come"}));
    EXPECT_EQ(std::ranges::count(heard, std::optional<std::string>("This replay has its players already."),
                                 &Heard::reason),
              1);
}

TEST_F(ServerReplays, LetAClientLeaveWhenItWants) {
    guests[0].leaves_after = "JoinWorld";
    play(slow_join(1s));
    ASSERT_EQ(played.size(), 1U);
    EXPECT_TRUE(played[0].is_fine()) << played[0].problem.value_or("");
    EXPECT_FALSE(played[0].is_complete);
    EXPECT_EQ(played[0].sent, 4U);
}

TEST_F(ServerReplays, TellClientsThatTheyAreStopped) {
    is_stopped = [this] { return !heard[0].packets.empty() && heard[0].packets.back() == "JoinWorld"; };
    play(slow_join(1s));
    ASSERT_EQ(played.size(), 1U);
    EXPECT_EQ(played[0].problem, "it was interrupted");
    EXPECT_EQ(heard[0].reason, "The replay was stopped.");
}

TEST_F(ServerReplays, PlayADamagedCaptureUpToTheDamage) {
    rules.stay = 3s;
    play(slow_join(1ms), 10);
    ASSERT_EQ(played.size(), 1U);
    EXPECT_FALSE(played[0].is_fine());
    ASSERT_TRUE(played[0].damage);
    EXPECT_EQ(played[0].damage->code, Errc::truncated);
    EXPECT_EQ(played[0].sent, all().size() - 1);
    EXPECT_EQ(heard[0].reason, "The capture ends here.");
    EXPECT_GE(heard[0].time_of("Disconnect") - heard[0].time_of("ServerMessage"), 3s)
        << "it may stay a while";
}

TEST_F(ServerReplays, AreNotKeptWaitingByTimesThatCannotBe) {
    auto records = capture::made::join();
    for (const auto time : {INT64_MIN, INT64_MAX, std::int64_t{0}})
        records.add(Side::client, "SetClientId", R"({"clientId":1})").time = time;
    guests[0].leaves_after = "ServerMessage";
    play(records);
    ASSERT_EQ(played.size(), 1U);
    EXPECT_TRUE(played[0].is_fine());
}

TEST_F(ServerReplays, EndWhereThereIsNothingToPlay) {
    rules.connection.capture = folder / "missing.pcapng";
    const auto done = replay_server_side(rules, test_server::identity(), *this, {}, loop);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::not_found);
}

} // namespace
} // namespace orbis::game
