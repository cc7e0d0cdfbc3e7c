#include "game/bot/crowd.hpp"
#include "game/codec/wire_position.hpp"
#include "game/serve/game_server_test.hpp"
#include "packets/connection.hpp"
#include "packets/interaction.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "support/amount.hpp"

#include <malloc.h>

/// Clients that mean harm, in the middle of a healthy crowd on a whole server.
namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using net::Channel;
using net::ClientSession;
using Random = std::mt19937_64;

// Under a sanitizer memory is counted otherwise.
using test::k_is_sanitized;

constexpr std::size_t k_healthy = 20;
/// Each villain has come and done harm so often, at least.
constexpr std::size_t k_least_acts = 3;
constexpr std::size_t k_most_growth = 64 << 20;

packets::Position position(double x, double y, double z) {
    packets::Position out;
    out.x = x;
    out.y = y;
    out.z = z;
    return out;
}

void place(ClientSession& session, BlockPos pos, std::int32_t block) {
    packets::ClientPlaceBlock packet;
    packet.position = wire_position(pos);
    packet.placed_block_id = block;
    (void)session.send(packet);
}

// What they do, about twenty times a second.

void say_it_is_nowhere(ClientSession& session, Random& random) {
    constexpr std::array k_values = {std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::infinity(), -1e308};
    packets::ClientMovement movement;
    movement.absolute_position = position(k_values[random() % k_values.size()], 70, 0);
    (void)session.send(movement);
}

void jump_far(ClientSession& session, Random& random) {
    packets::ClientMovement movement;
    movement.absolute_position = position(static_cast<double>(random() % 4'000'000'000) - 2e9, 70, 1e300);
    (void)session.send(movement);
}

void acknowledge_what_was_not_asked(ClientSession& session, Random& random) {
    packets::ClientMovement movement;
    packets::TeleportAck ack;
    ack.teleport_id = static_cast<std::int8_t>(random());
    movement.teleport_ack = ack;
    movement.absolute_position = position(0, 70, 0);
    (void)session.send(movement);
}

void place_what_there_is_not(ClientSession& session, Random& random) {
    constexpr std::array k_ids = {-1, INT32_MIN, INT32_MAX, 123'456, 1};
    constexpr std::array k_places = {INT32_MIN, INT32_MAX, -1, 0, 400};
    for (int i = 0; i < 20; ++i)
        place(session,
              {k_places[random() % k_places.size()], k_places[random() % k_places.size()],
               k_places[random() % k_places.size()]},
              k_ids[random() % k_ids.size()]);
}

void edit_thousands(ClientSession& session, Random& random) {
    for (int i = 0; i < 3000; ++i)
        place(session, {static_cast<int>(random() % 32), 90, static_cast<int>(random() % 32)},
              static_cast<std::int32_t>(random() % 100));
}

void break_with_long_lists(ClientSession& session, Random& random) {
    constexpr std::array<std::uint8_t, 1> bits{7};
    std::array<packets::InteractionSyncData, 3> steps;
    for (auto& step : steps) {
        step.operation_counter = static_cast<std::int32_t>(random() % 3);
        step.root_interaction = static_cast<std::int32_t>(random() % 3);
        step.block_position = packets::BlockPosition{static_cast<int>(random() % 64), INT32_MIN, INT32_MAX};
    }
    std::vector<packets::SyncInteractionChain> chains(200);
    for (auto& chain : chains) {
        packets::BlockPosition at;
        at.x = static_cast<int>(random() % 64);
        at.y = static_cast<int>(random() % 400) - 40;
        packets::InteractionChainData data;
        data.block_position = at;
        chain.initial = true;
        chain.interaction_type = static_cast<packets::InteractionType>(random() % 14);
        chain.active_utility_slot = -1;
        chain.chain_id = static_cast<std::int32_t>(random() % 1'000'000);
        chain.operation_base_index = random() % 4 == 0 ? INT32_MAX : 0;
        chain.interaction_data = protocol::Sparse<packets::InteractionSyncData>{
            3, Bytes(bits), protocol::List<packets::InteractionSyncData>(steps)};
        chain.data = data;
    }
    packets::SyncInteractionChains packet;
    packet.updates = protocol::List<packets::SyncInteractionChain>(chains);
    (void)session.send(packet);
}

void talk_all_the_time(ClientSession& session, Random& random) {
    const std::string text(random() % 2000, 'x');
    packets::ChatMessage message;
    message.message = protocol::Text(text);
    for (int i = 0; i < 100; ++i) (void)session.send(message);
}

void change_radius(ClientSession& session, Random& random) {
    constexpr std::array k_values = {0, -1, 64, 192, INT32_MAX, INT32_MIN};
    packets::ViewRadius radius;
    for (int i = 0; i < 5; ++i) {
        radius.value = k_values[random() % k_values.size()];
        (void)session.send(radius);
    }
}

/// Never reads, and asks for the same chunks again and again.
void stop_reading(ClientSession& session, Random& random) {
    session.link().pause(Channel::chunks);
    session.link().pause(Channel::world_map);
    packets::ViewRadius radius;
    radius.value = random() % 2 == 0 ? 64 : 256;
    (void)session.send(radius);
}

void write_garbage(ClientSession& session, Random& random) {
    Buffer bytes(random() % 4000);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    session.link().forward(Channel::normal, bytes);
}

/// A frame that says it is large and goes on forever.
void claim_much(ClientSession& session, Random&) {
    Buffer bytes(20'000);
    const std::int32_t length = 3 << 20;
    const std::int32_t id = packets::RequestAssets::k_info.id;
    std::memcpy(bytes.data(), &length, sizeof length);
    std::memcpy(bytes.data() + sizeof length, &id, sizeof id);
    session.link().forward(Channel::normal, bytes);
}

void go_without_a_word(ClientSession& session, Random&) {
    session.link().close(net::Close::application(net::CloseCode::none));
}

using Act = void (*)(ClientSession&, Random&);
constexpr std::array<Act, 12> k_acts = {
    say_it_is_nowhere,       jump_far,          acknowledge_what_was_not_asked,
    place_what_there_is_not, edit_thousands,    change_radius,
    break_with_long_lists,   talk_all_the_time, stop_reading,
    write_garbage,           claim_much,        go_without_a_word,
};

/// One of them: it comes again whenever it is sent away.
struct Villain {
    Act act;
    net::ClientRules rules;
    ClientSession* session = nullptr;
    bool is_in_world = false;
    std::size_t visits = 0;
    std::size_t acts = 0;
};

class VillainHandler final : public net::ClientHandler {
public:
    explicit VillainHandler(Villain& villain) : villain_(villain) {}

private:
    void on_packet(ClientSession& session, const protocol::Frame& frame) override {
        if (frame.id != packets::JoinWorld::k_info.id) return;
        packets::ClientReady ready;
        ready.ready_for_chunks = true;
        ready.ready_for_gameplay = true;
        (void)session.send(ready);
        villain_.is_in_world = true;
    }
    void on_closed(ClientSession&, const net::Close&, const std::optional<std::string>&) override {
        villain_.session = nullptr;
        villain_.is_in_world = false;
    }

    Villain& villain_;
};

/// All of them, as long as this lives.
class Villains {
public:
    Villains(const std::shared_ptr<net::Loop>& loop, const net::Address& server)
        : clients_(loop), settings_{.server = server, .server_name = "localhost", .tls = clients_.tls} {
        for (std::size_t i = 0; i < 2 * k_acts.size(); ++i)
            all.push_back({k_acts[i % k_acts.size()], net::test::player(100 + i)});
        turn();
    }
    ~Villains() {
        clients_.loop->cancel(timer_);
        for (auto& villain : all)
            if (villain.session) villain.session->link().close(net::Close::application(net::CloseCode::none));
    }
    Villains(const Villains&) = delete;
    Villains& operator=(const Villains&) = delete;

    std::deque<Villain> all;

private:
    void turn() {
        timer_ = clients_.loop->after(50ms, [this] { turn(); });
        for (auto& villain : all) {
            if (villain.session == nullptr) {
                ++villain.visits;
                villain.session = net::join(clients_.driver, clients_.context, settings_, villain.rules,
                                            std::make_unique<VillainHandler>(villain))
                                      .value_or(nullptr);
            } else if (villain.is_in_world) {
                ++villain.acts;
                villain.act(*villain.session, random_);
            }
        }
    }

    net::test::Clients clients_;
    net::ClientSettings settings_;
    Random random_{8};
    net::Loop::Timer timer_;
};

class HostileCrowdTest : public test_server::GameServerTest {
protected:
    HostileCrowdTest() : GameServerTest({"default"}) {}

    void start() {
        auto rules = unlimited();
        rules.can_edit = true;
        rules.editing.saving.every = 20ms; // of real time
        GameServerTest::start(rules, events_);
    }
};

TEST_F(HostileCrowdTest, HealthyPlayersDoNotNotice) {
    start();
    CrowdRules rules;
    rules.server = {"127.0.0.1", address().port()};
    rules.count = k_healthy;
    rules.walk.kind = WalkRules::Kind::random;
    rules.place_block = "Rock_Stone";
    rules.time = 1h;
    const auto crowd = Crowd::make(rules, loop_).value();
    const auto before = mallinfo2();
    const Villains villains(loop_, address());
    const auto report = crowd->run({}, {}, [&, end = loop_->now() + 10min] {
        const bool have_all_acted = std::ranges::all_of(
            villains.all, [](const Villain& villain) { return villain.acts >= k_least_acts; });
        return loop_->now() > end || (have_all_acted && crowd->report().edits_confirmed > 2 * k_healthy);
    });
    ASSERT_TRUE(report) << report.error().text();
    for (const auto& line : report->lines()) SCOPED_TRACE(line);
    EXPECT_EQ(report->joined, k_healthy);
    EXPECT_TRUE(report->errors.empty()) << report->errors.begin()->first;
    EXPECT_GT(report->edits_confirmed, k_healthy);
    // Somebody may break a block in the tick in which it was placed.
    EXPECT_LE(report->edits_refused, report->edits_confirmed / 10);
    for (std::size_t i = 0; i < villains.all.size(); ++i) {
        EXPECT_GE(villains.all[i].acts, k_least_acts)
            << "number " << i % k_acts.size() << " was never let in";
        EXPECT_LT(villains.all[i].visits, 1000u);
    }
    EXPECT_GT(game_->counters().ticks, 30u);
    if (k_is_sanitized) return;
    EXPECT_LT(mallinfo2().uordblks, before.uordblks + k_most_growth);
}

TEST_F(HostileCrowdTest, OtherBuildsAreToldWithTheCodeOfTheGame) {
    start();
    net::test::Clients clients(loop_);
    for (const int difference : {-1, 1}) {
        auto rules = net::test::player(1);
        rules.build.crc ^= 1;
        rules.build.number = net::spoken_builds().back()->build_number + difference;
        auto& visit = clients.join(address(), rules);
        ASSERT_TRUE(wait([&] { return visit.close.has_value(); }));
        EXPECT_EQ(visit.close->kind, net::Close::Kind::application);
        EXPECT_EQ(visit.close->code, difference < 0 ? 5u : 6u) << visit.close->text();
        EXPECT_EQ(visit.close->reason, net::names_of(net::spoken_builds()));
    }
    EXPECT_EQ(game_->counters().joined, 0u);
}

TEST_F(HostileCrowdTest, AClientOfTheFirstProtocolIsTold) {
    start();
    net::test::Clients clients(loop_);
    net::test::Raw raw;
    const auto tls = net::TlsContext::client(&net::test::identity(), {"hytale/1"}).value();
    ASSERT_TRUE(clients.driver.connect(address(), tls, net::QuicSettings::client(), "localhost",
                                       std::make_unique<net::test::RawHandler>(raw)));
    ASSERT_TRUE(wait([&] { return raw.close || raw.connection; }));
    if (raw.connection) {
        packets::Connect connect;
        connect.uuid[0] = 1;
        connect.username = "early";
        raw.connection->open_bidi();
        raw.connection->write(0, as_bytes(net::test::frame_text<net::Side::client>(connect)));
        ASSERT_TRUE(wait([&] { return raw.close.has_value(); }));
    }
    EXPECT_TRUE(raw.close->by_peer);
    EXPECT_EQ(raw.close->kind, net::Close::Kind::application) << raw.close->text();
    EXPECT_EQ(raw.close->code, 5u) << raw.close->text();
    EXPECT_EQ(game_->counters().joined, 0u);
}

} // namespace
} // namespace orbis::game
