#include "net/quic_library.hpp"
#include "net/wire_test_support.hpp"
#include "packets/auth.hpp"
#include "packets/connection.hpp"
#include "packets/player.hpp"
#include "packets/registry.hpp"
#include "packets/setup.hpp"
#include "support/token_signer.hpp"

#include <gtest/gtest.h>

namespace orbis::net {

/// Gives up both directions of a stream. Strangers may do so; our own sides never do.
struct StreamReset {
    static void send(QuicConnection& connection, StreamId id, std::uint64_t code) {
        ngtcp2_conn_shutdown_stream(connection.connection_.get(), id, code);
        connection.touch();
    }
};

namespace {

using namespace test;
using Phase = ClientSession::Phase;

TEST(Session, GoesFromConnectToTheWorld) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_player();
    EXPECT_EQ(visit.phases, (std::vector{Phase::connect_sent, Phase::setup, Phase::joining, Phase::play}));
    EXPECT_EQ(visit.packets, (std::vector<std::int32_t>{14, 20, 22, 104}));
    ASSERT_TRUE(wire.network.run_until([&] { return wire.world.packets.size() == 4; }));
    EXPECT_EQ(wire.world.packets, (std::vector<std::int32_t>{23, 32, 33, 105}));
    auto& session = wire.session();
    EXPECT_EQ(session.player().name, "orbis");
    EXPECT_EQ(session.link().peer().certificate, identity().fingerprint());

    // It stays for as long as pings are answered.
    wire.network.run_for(300s);
    ASSERT_TRUE(visit.session);
    EXPECT_GT(session.pings().last(0), 5ms);
    EXPECT_GT(session.pings().last(2), 5ms);
    visit.session->leave();
    ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }));
    wire.network.run_for(10s);
    EXPECT_EQ(wire.server.connections(), 0u);
    EXPECT_EQ(wire.roster.size(), 0u);
}

TEST(Session, WorksOnABadWire) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Wire wire(seed);
        wire.network.conditions = {
            .loss = 0.15, .duplicate = 0.05, .reorder = 0.1, .corrupt = 0.02, .delay = 40ms};
        wire.start();
        auto& visit = wire.new_visit();
        wire.join(visit);
        ASSERT_TRUE(wire.network.run_until([&] { return visit.reached(Phase::play); }, 60s)) << seed;
        wire.network.run_for(30s);
        ASSERT_TRUE(visit.session) << seed << ": " << visit.close->text();
        visit.session->leave();
        EXPECT_TRUE(wire.network.run_until([&] { return wire.world.closes.size() == 1; }, 90s)) << seed;
    }
}

TEST(Session, ClientsOfOtherBuildsAreToldWhichServerThisIs) {
    for (const int difference : {-1, 0, 1}) {
        Wire wire;
        wire.start();
        auto& visit = wire.new_visit();
        ClientRules rules;
        rules.build.crc ^= 1;
        rules.build.number = wire.rules.builds.back()->build_number + difference;
        wire.join(visit, rules);
        ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }));
        EXPECT_EQ(visit.close->kind, Close::Kind::application);
        EXPECT_EQ(visit.close->code, difference < 0 ? 5u : 6u);
        EXPECT_EQ(visit.close->reason, names_of(wire.rules.builds));
        EXPECT_FALSE(visit.reason);
    }
}

TEST(Session, ClientsOfTheFirstProtocolAreToldThatTheyAreOutdated) {
    Wire wire;
    wire.rules.builds = find_spoken_builds("2026.02.17").value();
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw, {"hytale/1"});
    ASSERT_TRUE(raw.connection);
    wire.network.run_for(1s);
    EXPECT_FALSE(raw.close); // until its first stream
    wire.write(raw, std::string_view("\1\2\3"));
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 2s));
    EXPECT_EQ(raw.close->kind, Close::Kind::application);
    EXPECT_EQ(raw.close->code, 5u);
    EXPECT_NE(raw.disconnect_reason().value_or("").find("outdated"), std::string::npos);
}

TEST(Session, ClientsOfTheFirstProtocolWithAnotherHashAreOutdatedToo) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw, {"hytale/1"});
    std::string frame(8 + 120, 'z'); // where later builds have their number
    store_le(reinterpret_cast<std::uint8_t*>(frame.data()), std::int32_t{120});
    store_le(reinterpret_cast<std::uint8_t*>(frame.data()) + 4, packets::Connect::k_info.id);
    wire.write(raw, std::string_view(frame));
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 2s));
    EXPECT_EQ(raw.close->code, 5u);
    EXPECT_EQ(raw.close->reason, names_of(spoken_builds()));
}

TEST(Session, RefusalsAreDelivered) {
    const auto refused = [](const std::function<void(Wire&, ClientRules&)>& prepare) {
        Wire wire;
        ClientRules rules;
        prepare(wire, rules);
        wire.start();
        auto& visit = wire.new_visit();
        wire.join(visit, rules);
        EXPECT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }));
        EXPECT_EQ(visit.close->kind, Close::Kind::application);
        EXPECT_EQ(visit.close->code, 0u);
        return visit.reason.value_or("");
    };
    EXPECT_EQ(refused([](Wire& wire, ClientRules&) { wire.world.closed_because = "starting"; }), "starting");
    EXPECT_EQ(refused([](Wire& wire, ClientRules&) { wire.world.refusal = "full"; }), "full");
    EXPECT_NE(refused([](Wire&, ClientRules& rules) { rules.name = ""; }).find("name"), std::string::npos);
    EXPECT_NE(refused([](Wire&, ClientRules& rules) { rules.name = "a\nb"; }).find("name"),
              std::string::npos);
    EXPECT_NE(refused([](Wire&, ClientRules& rules) { rules.is_editor = true; }).find("editor"),
              std::string::npos);
    EXPECT_NE(refused([](Wire&, ClientRules& rules) { rules.referral_data = {1}; }).find("Referral"),
              std::string::npos);
    EXPECT_NE(refused([](Wire& wire, ClientRules&) { wire.rules.auth = AuthMode::offline; }).find("owner"),
              std::string::npos);
    EXPECT_NE(refused([](Wire& wire, ClientRules&) {
                  wire.rules.auth = AuthMode::authenticated;
              }).find("requires authentication"),
              std::string::npos);
}

TEST(Session, OfflineLetsTheOwnerIn) {
    Wire wire;
    wire.rules.auth = AuthMode::offline;
    wire.rules.is_singleplayer = true;
    wire.rules.owner = uuid_of(1);
    wire.rules.password = "not for the owner";
    wire.start();
    auto& owner = wire.new_visit();
    auto& other = wire.new_visit();
    wire.join(owner);
    wire.join(other, {.uuid = uuid_of(2)});
    EXPECT_TRUE(wire.network.run_until([&] { return owner.reached(Phase::play) && other.close; }));
}

TEST(Session, APasswordHasThreeAttempts) {
    const auto visit_with = [](std::string first, std::deque<std::string> further) {
        Wire wire;
        wire.rules.password = "secret";
        wire.start();
        auto& visit = wire.new_visit();
        visit.passwords = std::move(further);
        wire.join(visit, {.password = std::move(first)});
        wire.network.run_until([&] { return visit.close || visit.reached(Phase::play); });
        return std::pair(visit.reached(Phase::play), visit.reason.value_or(""));
    };
    EXPECT_TRUE(visit_with("secret", {}).first);
    EXPECT_TRUE(visit_with("a", {"b", "secret"}).first);
    const auto [let_in, reason] = visit_with("a", {"b", "c", "secret"});
    EXPECT_FALSE(let_in);
    EXPECT_NE(reason.find("Too many failed password attempts"), std::string::npos);
    EXPECT_FALSE(visit_with("", {}).first);
}

TEST(Session, WhoGuessesPasswordsHasToWaitAlsoWithTheRightOne) {
    Wire wire;
    wire.rules.password = "secret";
    wire.start();
    const auto visit_with = [&](std::string first, std::deque<std::string> further) {
        auto& visit = wire.new_visit();
        visit.passwords = std::move(further);
        wire.join(visit, {.password = std::move(first)});
        wire.network.run_until([&] { return visit.close || visit.reached(Phase::play); });
        return visit.reached(Phase::play) ? std::string("let in") : visit.reason.value_or("");
    };
    EXPECT_NE(visit_with("a", {"b", "c"}).find("Too many failed password attempts"), std::string::npos);
    EXPECT_NE(visit_with("d", {"e", "f"}).find("Too many failed password attempts"), std::string::npos);
    EXPECT_EQ(wire.world.password_troubles.size(), 6U);
    EXPECT_EQ(wire.world.password_troubles.back().failures, 6U);
    EXPECT_GT(wire.world.password_troubles.back().wait, Duration::zero());
    EXPECT_NE(visit_with("secret", {}).find("Wait a second and connect again"), std::string::npos);
    EXPECT_TRUE(wire.world.password_troubles.back().was_refused);
    wire.network.run_for(2s);
    EXPECT_EQ(visit_with("secret", {}), "let in");
    EXPECT_EQ(wire.world.password_troubles.size(), 7U);
}

TEST(Session, PasswordsAreAskedForOnlyWithAChallenge) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    packets::PasswordResponse response;
    const Buffer hash(32);
    response.hash = Bytes(hash);
    wire.write(raw, response);
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }));
    EXPECT_EQ(raw.close->code, 0u);
    EXPECT_TRUE(raw.disconnect_reason());
}

TEST(Session, EveryStageEndsInItsTime) {
    const auto seconds_until_close = [](const std::function<void(Wire&)>& prepare, std::uint64_t code,
                                        std::string_view words, bool speaks = true) {
        Wire wire;
        wire.client_settings.keep_alive = 20s; // else QUIC itself ends the long ones
        prepare(wire);
        wire.start();
        auto& raw = wire.new_raw();
        wire.connect_raw(raw);
        const auto start = wire.network.now();
        if (speaks)
            wire.write(raw, wire.joining_frames());
        else if (words != "initial")
            wire.write(raw, wire.connect_frame());
        wire.network.run_until([&] { return raw.close.has_value(); }, 400s);
        EXPECT_TRUE(raw.close) << words;
        EXPECT_EQ(raw.close->code, code) << words;
        if (words != "initial") {
            EXPECT_NE(raw.disconnect_reason().value_or("").find(words), std::string::npos)
                << words << ": " << raw.disconnect_reason().value_or("-");
        }
        return std::chrono::duration<double>(wire.network.now() - start).count();
    };
    const auto nothing = [](Wire&) {};
    EXPECT_NEAR(seconds_until_close(nothing, 0, "initial", false), 15, 1.5);
    EXPECT_NEAR(seconds_until_close([](Wire& w) { w.rules.password = "x"; }, 4, "password", false), 45, 1.5);
    EXPECT_NEAR(
        seconds_until_close([](Wire& w) { w.world.sends_settings = false; }, 0, "world settings", false), 15,
        1.5);
    EXPECT_NEAR(seconds_until_close(nothing, 0, "assets request", false), 120, 1.5);
    EXPECT_NEAR(seconds_until_close([](Wire& w) { w.world.adds_players = false; }, 0, "add to universe"), 60,
                1.5);
    EXPECT_NEAR(seconds_until_close(nothing, 0, "not ready"), 30, 1.5);
    EXPECT_NEAR(seconds_until_close([](Wire& w) { w.world.joins_world = false; }, 4, "play"), 60, 1.5);
    EXPECT_NEAR(seconds_until_close(
                    [](Wire& w) {
                        w.rules.times.play = 120s;
                        w.settings.idle_timeout = 120s;
                        w.client_settings.idle_timeout = 300s;
                        w.world.joins_world = false;
                    },
                    4, "play"),
                120, 1.5);
}

TEST(Session, OnlyWhoIsReadyForChunksIsReadyInTime) {
    for (const bool chunks : {false, true}) {
        Wire wire;
        wire.start();
        auto& raw = wire.new_raw();
        wire.connect_raw(raw);
        wire.write(raw, wire.joining_frames());
        wire.network.run_for(100ms);
        packets::ClientReady ready;
        ready.ready_for_chunks = chunks;
        ready.ready_for_gameplay = !chunks;
        for (int i = 0; i < 10; ++i) { // so that it is not silent
            wire.write(raw, ready);
            wire.network.run_for(4s);
        }
        EXPECT_EQ(raw.close.has_value(), !chunks);
        if (!chunks) {
            EXPECT_NE(raw.disconnect_reason().value_or("").find("not ready"), std::string::npos);
        }
    }
}

TEST(Session, WhoHasLoadedMustSayWhatItWants) {
    Wire wire;
    wire.client_settings.keep_alive = 20s;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    wire.network.run_for(60s); // of the two minutes for the request: the next stage has its own
    wire.write(raw, packets::RequestAssets{});
    const auto start = wire.network.now();
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 300s));
    EXPECT_NEAR(std::chrono::duration<double>(wire.network.now() - start).count(), 120, 1.5);
    EXPECT_NE(raw.disconnect_reason().value_or("").find("player options"), std::string::npos)
        << raw.disconnect_reason().value_or("");
}

TEST(Session, EveryAttemptAtAPasswordHasItsTimeAndARightOneForgetsTheOthers) {
    Wire wire;
    wire.rules.password = "secret";
    wire.client_settings.keep_alive = 20s;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    const Buffer wrong(32);
    packets::PasswordResponse response;
    response.hash = Bytes(wrong);
    for (int i = 0; i < 2; ++i) {
        wire.network.run_for(40s); // of 45
        ASSERT_FALSE(raw.close) << i;
        wire.write(raw, response);
    }
    wire.network.run_for(40s);
    EXPECT_FALSE(raw.close);
    EXPECT_EQ(wire.world.password_troubles.size(), 2U);
    wire.new_player({.uuid = uuid_of(7), .password = "secret"});
    EXPECT_EQ(wire.roster.passwords().remembered(), 1U) << "of the address nothing, of the other account two";
}

TEST(Session, WordsOfAConnectAreLookedAtOneByOne) {
    const auto reason_for = [](
                                const std::function<void(ClientRules&)>& change, std::string_view wanted,
                                const std::function<void(ServerRules&)>& rule = [](ServerRules&) {}) {
        Wire wire;
        rule(wire.rules);
        wire.start();
        auto& visit = wire.new_visit();
        ClientRules rules;
        change(rules);
        wire.join(visit, rules);
        wire.network.run_until([&] { return visit.close || visit.reached(Phase::play); });
        const auto found = visit.reached(Phase::play) ? "let in" : visit.reason.value_or("");
        EXPECT_NE(found.find(wanted), std::string::npos) << found;
    };
    reason_for([](ClientRules& rules) { rules.name = "~!"; }, "let in");
    reason_for([](ClientRules& rules) { rules.name = "a\x7f"; }, "characters");
    reason_for([](ClientRules& rules) { rules.name = "a b"; }, "characters");
    reason_for([](ClientRules& rules) { rules.name = "\u00fc"; }, "");
    reason_for(
        [](ClientRules& rules) {
            rules.referral_data = {1};
            rules.referral_source = HostPort{"", 5520};
        },
        "Referral data");
    const auto editors = [](ServerRules& rules) { rules.lets_editors_in = true; };
    reason_for([](ClientRules& rules) { rules.is_editor = true; }, "let in", editors);
    // Without singleplayer nobody is the owner, whatever its id.
    const auto offline = [](ServerRules& rules) {
        rules.auth = AuthMode::offline;
        rules.owner = uuid_of(1);
    };
    reason_for([](ClientRules&) {}, "owner only", offline);
    const auto with_password = [](ServerRules& rules) {
        rules.owner = uuid_of(1);
        rules.password = "secret";
    };
    reason_for([](ClientRules& rules) { rules.password = "wrong"; }, "", with_password);
    reason_for([](ClientRules& rules) { rules.password = "secret"; }, "let in", with_password);
    Wire wire;
    with_password(wire.rules);
    wire.start();
    auto& visit = wire.new_visit();
    wire.join(visit);
    wire.network.run_until([&] { return visit.close || visit.reached(Phase::play); });
    EXPECT_FALSE(visit.reached(Phase::play)) << "the owner of no singleplayer game is asked like all others";
}

TEST(Session, PingsTellHowLongTheLastOnesTook) {
    Wire wire;
    wire.network.conditions.delay = 30ms;
    wire.start();
    auto& raw = wire.new_raw();
    ASSERT_TRUE(wire.play_raw(raw));
    std::size_t read = 0;
    std::optional<packets::Ping> last;
    for (int turn = 0; turn < 60; ++turn) { // answers each kind later than the one before
        wire.network.run_for(100ms);
        protocol::FrameDecoder decoder(packets::registry(), {Side::client, {}});
        decoder.feed(as_bytes(raw.data[0]));
        std::size_t seen = 0;
        for (auto next = decoder.next(); next && *next; next = decoder.next()) {
            if ((**next).id != packets::Ping::k_info.id || ++seen <= read) continue;
            read = seen;
            protocol::Arena arena;
            packets::Ping ping;
            ASSERT_TRUE(protocol::decode((**next).payload, arena, ping));
            last = ping;
            for (const auto type :
                 {packets::PongType::raw, packets::PongType::direct, packets::PongType::tick}) {
                packets::Pong pong;
                pong.id = ping.id;
                pong.type = type;
                wire.write(raw, pong);
                wire.network.run_for(80ms);
            }
        }
    }
    ASSERT_TRUE(last);
    EXPECT_GE(last->last_ping_value_raw, 60'000);
    EXPECT_GE(last->last_ping_value_direct, last->last_ping_value_raw + 60'000);
    EXPECT_GE(last->last_ping_value_tick, last->last_ping_value_direct + 60'000);
}

TEST(Session, AClientWaitsForTheCloseAfterADisconnectButNotForEver) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_player();
    packets::Disconnect farewell;
    farewell.reason = protocol::Text("bye");
    wire.session().link().forward(Channel::normal, as_bytes(frame_text<Side::server>(farewell)));
    const auto start = wire.network.now();
    ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }, 20s));
    EXPECT_EQ(visit.reason, "bye");
    EXPECT_NEAR(std::chrono::duration<double>(wire.network.now() - start).count(), 3, 0.5);
}

TEST(Session, AReasonThatNobodyTakesDoesNotKeepAConnection) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    ASSERT_TRUE(wire.play_raw(raw));
    wire.network.conditions.loss = 1;
    wire.session().disconnect("go");
    wire.network.run_for(2s);
    EXPECT_TRUE(wire.world.closes.empty()) << "it may still arrive";
    wire.network.run_for(2s);
    EXPECT_EQ(wire.world.closes.size(), 1U);
}

TEST(Session, AClientSaysWhatItWaitedForInVain) {
    Wire wire;
    wire.start();
    wire.network.detach(k_server_address);
    auto& visit = wire.new_visit();
    wire.join(visit, {.silence_limit = 3s});
    const auto start = wire.network.now();
    ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }, 60s));
    EXPECT_EQ(visit.reason, "the server could not be reached in time");
    EXPECT_NEAR(std::chrono::duration<double>(wire.network.now() - start).count(), 3, 0.5);
}

TEST(Session, AClientLeavesAServerThatFallsSilent) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_visit();
    wire.join(visit, {.silence_limit = 3s});
    wire.network.run_for(2s);
    ASSERT_FALSE(visit.close);
    wire.network.detach(k_server_address);
    const auto start = wire.network.now();
    ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }, 60s));
    EXPECT_EQ(visit.reason, "the server was silent for too long");
    EXPECT_NEAR(std::chrono::duration<double>(wire.network.now() - start).count(), 3, 1.1);
}

TEST(Session, PingsAreAnsweredThreeTimes) {
    Wire wire;
    wire.start();
    wire.new_player();
    wire.network.run_for(5s);
    const auto& pings = wire.session().pings();
    for (const std::size_t kind : {0U, 1U, 2U}) EXPECT_GT(pings.last(kind), Duration::zero()) << kind;
}

/// Refuses everything.
class UnwillingService final : public SessionService {
public:
    [[nodiscard]] const std::string& issuer() const override { return issuer_; }
    void keys(std::string, Time, Answered<std::shared_ptr<const KeySet>> answered) override {
        answered(fail(Errc::io, "no keys"));
    }
    void grant(std::string, std::string, Answered<std::string> answered) override {
        answered(fail(Errc::io, "no grant"));
    }
    void exchange(std::string, Fingerprint, Answered<std::string> answered) override {
        answered(fail(Errc::io, "no token"));
    }

private:
    std::string issuer_;
};

TEST(Session, TheFirstOfTwoFailuresIsTheAnswer) {
    UnwillingService service;
    std::vector<std::string> answers;
    answer_grant(service, {"grant", "token", identity().fingerprint(), "audience"},
                 [&](const Result<GrantAnswer>& answer) { answers.push_back(answer.error().problem); });
    EXPECT_EQ(answers, std::vector<std::string>{"no token"});
}

TEST(Session, WhoSaysGoodbyeHasLeft) {
    for (const bool says_so : {true, false}) {
        Wire wire;
        wire.start();
        auto& raw = wire.new_raw();
        ASSERT_TRUE(wire.play_raw(raw));
        auto& session = wire.session();
        bool has_left = false;
        if (says_so) {
            wire.write(raw, packets::Disconnect{});
            wire.network.run_for(7ms); // so that the session is still there
            has_left = session.has_left();
        } else {
            session.disconnect("go");
            has_left = session.has_left();
        }
        EXPECT_EQ(has_left, says_so);
    }
}

TEST(Session, ALoadThatIsNeverDoneEnds) {
    Wire wire;
    wire.client_settings.keep_alive = 20s;
    wire.world.finishes_loading = false;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    wire.write(raw, packets::RequestAssets{});
    const auto start = wire.network.now();
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 200s));
    EXPECT_NEAR(std::chrono::duration<double>(wire.network.now() - start).count(), 120, 1.5);
    EXPECT_NE(raw.disconnect_reason().value_or("").find("send assets"), std::string::npos);
}

/// A session service that answers as far as it is told to.
class SlowService final : public SessionService {
public:
    int answers = 0;
    [[nodiscard]] const std::string& issuer() const override { return issuer_; }
    void keys(std::string, Time, Answered<std::shared_ptr<const KeySet>> answered) override {
        if (answers > 0)
            answered(std::make_shared<const KeySet>(KeySet::parse(signer.key_set_json()).value()));
    }
    void grant(std::string, std::string, Answered<std::string> answered) override {
        if (answers > 1) answered(std::string("grant"));
    }
    void exchange(std::string, Fingerprint, Answered<std::string>) override {}

    orbis::test::TokenSigner signer;

private:
    std::string issuer_ = "https://sessions.example";
};

TEST(Session, AServiceThatDoesNotAnswerIsWaitedForInEveryStage) {
    const auto ends_with = [](int answers, bool sends_token, double seconds, std::string_view stage) {
        Wire wire;
        wire.client_settings.keep_alive = 20s;
        SlowService service;
        service.answers = answers;
        wire.world.service = &service;
        wire.rules.auth = AuthMode::authenticated;
        wire.rules.authentication = {
            .audience = "server", .identity_token = "a.b.c", .certificate = identity().fingerprint()};
        wire.start();
        auto& raw = wire.new_raw();
        wire.connect_raw(raw);
        const auto wall =
            std::chrono::duration_cast<std::chrono::seconds>(wire.network.wall().time_since_epoch()).count();
        const auto claims = [&](std::string_view more) {
            return fmt::format(
                R"({{"iss":"{}","sub":"00000000-0000-0000-0000-000000000001","username":"raw","exp":{}{}}})",
                service.issuer(), wall + 1000, more);
        };
        const auto token = service.signer.sign(claims(R"(,"scope":"hytale:client")"));
        packets::Connect connect;
        const auto build = GameBuild::current();
        connect.protocol_crc = build.crc;
        connect.client_version = build.version;
        connect.uuid = uuid_of(1);
        connect.username = "raw";
        connect.language = "en";
        connect.identity_token = protocol::Text(token);
        wire.write(raw, connect);
        wire.network.run_for(1s);
        if (sends_token) {
            const auto access = service.signer.sign(claims(fmt::format(
                R"(,"aud":["server"],"cnf":{{"x5t#S256":"{}"}})", identity().fingerprint().text())));
            packets::AuthToken answer;
            answer.access_token = protocol::Text(access);
            answer.server_authorization_grant = protocol::Text("grant");
            wire.write(raw, answer);
        }
        const auto start = wire.network.now();
        EXPECT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 200s));
        EXPECT_NEAR(std::chrono::duration<double>(wire.network.now() - start).count(), seconds, 1.5) << stage;
        EXPECT_EQ(raw.close.value_or(Close{}).code, 0u);
        EXPECT_NE(raw.disconnect_reason().value_or("").find(stage), std::string::npos)
            << raw.disconnect_reason().value_or("-");
    };
    ends_with(0, false, 29, "grant");
    ends_with(1, false, 29, "grant");
    ends_with(2, false, 29, "token");
    ends_with(2, true, 15, "exchange");
}

TEST(Session, AStageThatDragsOnEndsThoughPacketsCome) {
    Wire wire;
    wire.world.adds_players = false;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.joining_frames());
    for (int turn = 0; turn < 20 && !raw.close; ++turn) {
        wire.write(raw, packets::ViewRadius{});
        wire.network.run_for(5s);
    }
    ASSERT_TRUE(raw.close);
    EXPECT_EQ(raw.close->code, 0u);
    EXPECT_NE(raw.disconnect_reason().value_or("").find("took too long"), std::string::npos);
}

TEST(Session, PacketsOfOtherPhasesEndIt) {
    const auto close_of = [](const std::function<void(Wire&, Raw&)>& speak) {
        Wire wire;
        wire.start();
        auto& raw = wire.new_raw();
        wire.connect_raw(raw);
        speak(wire, raw);
        wire.network.run_until([&] { return raw.close.has_value(); }, 5s);
        return std::pair(raw.close.value_or(Close{}), raw.disconnect_reason());
    };
    // Before Connect: without a word.
    auto [close, reason] = close_of([](Wire& wire, Raw& raw) { wire.write(raw, packets::ViewRadius{}); });
    EXPECT_EQ(close.kind, Close::Kind::transport);
    EXPECT_EQ(close.code, k_protocol_violation);
    EXPECT_FALSE(reason);
    // In setup.
    std::tie(close, reason) = close_of([](Wire& wire, Raw& raw) {
        wire.write(raw, wire.connect_frame());
        wire.write(raw, packets::ClientReady{});
    });
    EXPECT_EQ(close.kind, Close::Kind::application);
    EXPECT_EQ(close.code, 0u);
    EXPECT_TRUE(reason);
    std::tie(close, reason) = close_of([](Wire& wire, Raw& raw) {
        wire.write(raw, wire.connect_frame());
        wire.write(raw, packets::PlayerOptions{}); // before RequestAssets
    });
    EXPECT_EQ(close.code, 0u);
    EXPECT_TRUE(reason);
    std::tie(close, reason) = close_of([](Wire& wire, Raw& raw) {
        wire.world.finishes_loading = false;
        wire.write(raw, wire.connect_frame());
        wire.write(raw, packets::RequestAssets{});
        wire.write(raw, packets::RequestAssets{}); // twice
    });
    EXPECT_EQ(close.code, 0u);
    EXPECT_TRUE(reason);
    // In play: what the program does not handle.
    std::tie(close, reason) = close_of([](Wire& wire, Raw& raw) {
        wire.world.unknown = {packets::ClientMovement::k_info.id};
        wire.write(raw, wire.joining_frames());
        wire.network.run_for(100ms);
        wire.write(raw, packets::ClientMovement{});
    });
    EXPECT_EQ(close.code, 4u);
    EXPECT_TRUE(reason);
}

TEST(Session, FloodsEndWithTheirOwnCode) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    ASSERT_TRUE(wire.play_raw(raw));
    const auto movement = frame_text<Side::client>(packets::ClientMovement{});
    // As many as are allowed, for a long time.
    for (int turn = 0; turn < 100; ++turn) {
        for (int count = 0; count < 95; ++count) wire.write(raw, movement);
        wire.network.run_for(50ms);
    }
    ASSERT_FALSE(raw.close);
    for (int count = 0; count < 1000; ++count) wire.write(raw, movement);
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 2s));
    EXPECT_EQ(raw.close->kind, Close::Kind::application);
    EXPECT_EQ(raw.close->code, 1u);
    EXPECT_FALSE(raw.disconnect_reason());
}

TEST(Session, PingsAreAnsweredInOrderOrNever) {
    const auto answer =
        [](const std::function<std::vector<std::int32_t>(std::vector<std::int32_t>)>& choose) {
            Wire wire;
            wire.start();
            auto& raw = wire.new_raw();
            EXPECT_TRUE(wire.play_raw(raw));
            wire.network.run_for(3500ms);
            protocol::FrameDecoder decoder(packets::registry(), {Side::client, {}});
            decoder.feed(as_bytes(raw.data[0]));
            std::vector<std::int32_t> ids;
            for (auto next = decoder.next(); next && *next; next = decoder.next()) {
                if ((**next).id != packets::Ping::k_info.id) continue;
                protocol::Arena arena;
                packets::Ping ping;
                EXPECT_TRUE(protocol::decode((**next).payload, arena, ping));
                ids.push_back(ping.id);
            }
            EXPECT_GE(ids.size(), 3u);
            for (const auto id : choose(ids)) {
                packets::Pong pong;
                pong.id = id;
                pong.type = packets::PongType::direct;
                wire.write(raw, pong);
            }
            wire.network.run_for(2s);
            return raw.close ? std::optional(raw.close->code) : std::nullopt;
        };
    using Ids = std::vector<std::int32_t>;
    EXPECT_EQ(answer([](Ids ids) { return ids; }), std::nullopt);
    EXPECT_EQ(answer([](Ids) { return Ids{}; }), std::nullopt);
    EXPECT_EQ(answer([](Ids ids) { return Ids{ids[1]}; }), 4u);
    EXPECT_EQ(answer([](Ids ids) { return Ids{ids[0], ids[0]}; }), 4u);
    EXPECT_EQ(answer([](Ids ids) { return Ids{ids[0], ids[2]}; }), 4u);
}

TEST(Session, ASecondLoginFromTheSameHostReplacesTheFirst) {
    Wire wire;
    wire.start();
    auto& first = wire.new_visit();
    auto& second = wire.new_visit();
    wire.join(first);
    ASSERT_TRUE(wire.network.run_until([&] { return first.reached(Phase::play); }));
    wire.join(second);
    ASSERT_TRUE(wire.network.run_until([&] { return second.reached(Phase::play) && first.close; }));
    EXPECT_NE(first.reason.value_or("").find("logged in again"), std::string::npos);
    wire.network.run_for(5s);
    EXPECT_TRUE(second.session);
    EXPECT_EQ(wire.roster.size(), 1u);
}

TEST(Session, ASecondLoginFromAnotherHostIsRefused) {
    Wire wire;
    wire.start();
    auto& first = wire.new_visit();
    auto& second = wire.new_visit();
    wire.join(first);
    ASSERT_TRUE(wire.network.run_until([&] { return first.reached(Phase::play); }));
    wire.join(second, {}, resolve({"192.0.2.7", 9})->front());
    ASSERT_TRUE(wire.network.run_until([&] { return second.close.has_value(); }));
    EXPECT_NE(second.reason.value_or("").find("already logged in"), std::string::npos);
    wire.network.run_for(5s);
    EXPECT_TRUE(first.session);
}

TEST(Session, ReasonsArriveBeforeTheCloseOnSlowAndBadWires) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Wire wire(seed);
        wire.network.conditions = {.loss = 0.2, .delay = 60ms};
        wire.world.refusal = "The server is full.";
        wire.start();
        auto& visit = wire.new_visit();
        wire.join(visit);
        ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }, 120s)) << seed;
        EXPECT_EQ(visit.reason, "The server is full.") << seed << visit.close->text();
    }
}

TEST(Session, ReferralsReachTheClient) {
    Wire wire;
    wire.world.refers_to = HostPort{"example.org", 60'000};
    wire.start();
    auto& visit = wire.new_visit();
    wire.join(visit);
    ASSERT_TRUE(wire.network.run_until([&] { return visit.referral.has_value(); }));
    EXPECT_EQ(visit.referral->host, "example.org");
    EXPECT_EQ(visit.referral->port, 60'000);

    Wire next;
    next.start();
    next.new_player({.referral_data = {1, 2, 3}, .referral_source = HostPort{"first.example.org", 5520}});
    const auto& player = next.session().player();
    EXPECT_EQ(player.referral_data, (Buffer{1, 2, 3}));
    EXPECT_EQ(player.referral_source->host, "first.example.org");
}

TEST(Session, ReferralsCarryNoMoreThanTheProtocolAllows) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_player();
    auto& session = wire.session();
    EXPECT_FALSE(session.refer({"example.org", 5520}, Buffer(4097)));
    wire.network.run_for(1s);
    EXPECT_FALSE(visit.referral) << "what cannot be said is not sent in part";
    EXPECT_TRUE(session.refer({"example.org", 5520}, Buffer(4096)));
    ASSERT_TRUE(wire.network.run_until([&] { return visit.referral.has_value(); }));

    for (const std::size_t size : {std::size_t{4096}, std::size_t{4097}}) {
        Wire next;
        next.start();
        auto& again = next.new_visit();
        next.join(again,
                  {.referral_data = Buffer(size), .referral_source = HostPort{"first.example.org", 5520}});
        next.network.run_until([&] { return again.reached(Phase::play) || again.close.has_value(); });
        EXPECT_EQ(again.reached(Phase::play), size == 4096);
    }
}

TEST(Session, AClientThatEndsItsStreamIsGone) {
    for (const bool abandons : {false, true}) {
        Wire wire;
        wire.start();
        auto& raw = wire.new_raw();
        ASSERT_TRUE(wire.play_raw(raw));
        if (abandons)
            StreamReset::send(*raw.connection, 0, 7);
        else
            raw.connection->finish(0);
        ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 5s));
        EXPECT_EQ(raw.close->kind, Close::Kind::application);
        EXPECT_EQ(raw.close->code, 0u);
        EXPECT_EQ(wire.roster.size(), 0u);
    }
}

} // namespace
} // namespace orbis::net
