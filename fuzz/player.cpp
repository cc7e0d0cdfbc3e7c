// What the client of a player sends to a whole game, through a session without a network: any packets with
// any payloads, in any order, while columns come from the disk and ticks pass. The first byte says how far a
// good client has gone before. Whatever comes, the player is somewhere, it is the only one, and nothing of it
// is left when its connection is gone.

#include "game/player/player.hpp"

#include "game/codec/wire_position.hpp"
#include "game/download/world_writer.hpp"
#include "game/serve/served_game.hpp"
#include "game/serve/served_world.hpp"
#include "net/server_session.hpp"
#include "protocol/packets.hpp"
#include "support/imagined_link.hpp"
#include "target.hpp"

#include <cmath>
#include <filesystem>
#include <unistd.h>

using namespace orbis;
using namespace orbis::game;
using namespace std::chrono_literals;
using net::Side;
using test::ImaginedLink;

namespace {

constexpr std::array k_packets = {
    &packets::RequestAssets::k_info,    &packets::ViewRadius::k_info,
    &packets::PlayerOptions::k_info,    &packets::ClientReady::k_info,
    &packets::ClientMovement::k_info,   &packets::ChatMessage::k_info,
    &packets::ClientPlaceBlock::k_info, &packets::SyncInteractionChains::k_info,
    &packets::MouseInteraction::k_info, &packets::Pong::k_info,
    &packets::Connect::k_info,          &packets::SyncPlayerPreferences::k_info,
    &packets::Disconnect::k_info,
};

/// A world of nine chunks that players may change, in a folder that goes with the program.
class Folder {
public:
    Folder() {
        auto path = (std::filesystem::temp_directory_path() / "orbis-fuzz-XXXXXX").string();
        fuzz::require(mkdtemp(path.data()) != nullptr);
        path_ = path;
        const auto writer = WorldWriter::open(path_ / "world", false).value();
        fuzz::require(writer->write_config("fuzz", protocol::Uuid{1}, {5, 40, 5}).has_value());
        for (int i = 0; i < 9; ++i) {
            auto chunk = chunk::Chunk::create();
            for (int cell = 0; cell < 1024; ++cell)
                (void)chunk.set_block({cell % 32, 30, cell / 32}, {"Rock_Stone", {}, {}});
            fuzz::require(writer->put({i % 3 - 1, i / 3 - 1}, chunk).has_value());
        }
        fuzz::require(writer->sync().has_value());
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::filesystem::path world() const { return path_ / "world"; }

private:
    std::filesystem::path path_;
};

/// The game, which goes on from input to input as a server does from player to player.
struct Game {
    Game() {
        GameRules game;
        game.is_unlimited = true;
        game.has_map = false;
        game.facts.view_radius = 4;
        game.can_edit = true;
        served.emplace(*loop, game, events);
        worlds = world::find_location(folder.world()).value().worlds;
        fuzz::require(served->open(worlds).has_value());
        context.emplace(*loop, tools, rules, *served, roster,
                        [this](auto task) { loop->post(std::move(task)); });
    }
    /// What other threads have done, and timers.
    void turn(net::Duration time = 0ms) {
        loop->run_until([] { return false; }, time);
    }

    Folder folder;
    std::unique_ptr<net::Loop> loop = net::Loop::make().value();
    GameEvents events;
    std::vector<world::World> worlds;
    std::optional<ServedGame> served;
    net::ServerRules rules;
    net::FrameTools<Side::server> tools;
    net::Roster roster;
    std::optional<net::ServerContext> context;
};

/// A frame with these bytes as its payload, compressed where the packet is.
void feed(ImaginedLink& link, const protocol::PacketInfo& packet, Bytes payload) {
    static protocol::PayloadFramer framer;
    if (const auto frame = framer.frame(packet, payload)) link.feed(*frame);
}

template <typename P>
Buffer payload_of(const P& packet) {
    protocol::PayloadWriter writer;
    const Bytes written = writer.write(packet).value();
    return {written.begin(), written.end()};
}

packets::RequestAssets no_assets() {
    packets::RequestAssets request;
    request.assets = protocol::List<packets::Asset>();
    return request;
}

packets::ClientReady ready() {
    packets::ClientReady out;
    out.ready_for_chunks = out.ready_for_gameplay = true;
    return out;
}

/// A good client up to here: connected, with registries, in a world, with a column.
void join(Game& game, ImaginedLink& link, int stage) {
    packets::Connect connect;
    const auto build = net::GameBuild::current();
    connect.protocol_crc = build.crc;
    connect.client_version = build.version;
    connect.uuid[0] = 1;
    connect.username = "fuzz";
    connect.language = "en";
    feed(link, packets::Connect::k_info, payload_of(connect));
    if (stage >= 1) feed(link, packets::RequestAssets::k_info, payload_of(no_assets()));
    if (stage >= 2) feed(link, packets::PlayerOptions::k_info, payload_of(packets::PlayerOptions{}));
    if (stage < 3) return;
    feed(link, packets::ClientReady::k_info, payload_of(ready()));
    for (int turn = 0; turn < 1000 && link.is_open(); ++turn) {
        auto* player = game.served->players().empty() ? nullptr : game.served->players().front();
        if (player == nullptr || player->has_chunk({0, 0})) break;
        game.turn(1ms);
    }
}

void check(Game& game) {
    fuzz::require(game.served->players().size() <= 1);
    for (const auto* player : game.served->players()) {
        const auto& at = player->movement().position();
        fuzz::require(std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z));
    }
}

template <typename P>
void add_step(Buffer& out, const P& packet) {
    const auto payload = payload_of(packet);
    out.push_back(static_cast<std::uint8_t>(std::ranges::find(k_packets, &P::k_info) - k_packets.begin()));
    out.push_back(static_cast<std::uint8_t>(payload.size()));
    out.push_back(static_cast<std::uint8_t>(payload.size() >> 8));
    out.insert(out.end(), payload.begin(), payload.end());
}

constexpr std::uint8_t k_tick = 0xFF;

} // namespace

std::vector<Buffer> fuzz::seeds() {
    Buffer joining{0};
    add_step(joining, no_assets());
    packets::PlayerOptions options;
    options.skin = packets::PlayerSkin{};
    options.skin->haircut = protocol::Text("Long");
    add_step(joining, options);
    add_step(joining, ready());
    joining.push_back(k_tick);
    Buffer playing{3};
    packets::ClientMovement movement;
    movement.absolute_position = packets::Position{};
    movement.absolute_position->y = 31;
    add_step(playing, movement);
    packets::ViewRadius radius;
    radius.value = 64;
    add_step(playing, radius);
    packets::ChatMessage chat;
    chat.message = protocol::Text("hello");
    add_step(playing, chat);
    playing.push_back(k_tick);
    packets::ClientPlaceBlock place;
    place.position = wire_position({3, 31, 3});
    place.placed_block_id = 3;
    add_step(playing, place);
    packets::InteractionChainData data;
    data.block_position = wire_position({3, 30, 3});
    packets::SyncInteractionChain chain;
    chain.initial = true;
    chain.interaction_type = packets::InteractionType::primary;
    chain.data = data;
    packets::SyncInteractionChains chains;
    chains.updates = protocol::List<packets::SyncInteractionChain>(&chain, 1);
    add_step(playing, chains);
    playing.push_back(k_tick);
    return {joining, playing, {1, k_tick}, {2, k_tick, k_tick}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Game game;
    if (size == 0) return 0;
    game.turn();
    {
        ImaginedLink link(Side::server, *game.loop, game.tools.decompressor);
        link.set_user(std::make_unique<net::ServerSession>(*game.context, link));
        link.start();
        join(game, link, data[0] % 4);
        int ticks = 0;
        for (std::size_t at = 1; at < size && link.is_open();) {
            const auto step = data[at++];
            if (step == k_tick) {
                if (++ticks > 8) break;
                game.turn();
                for (const auto& world : game.served->worlds())
                    world->tick(game.loop->now(), game.served->updater(), game.tools);
            } else if (at + 2 <= size) {
                const auto length = std::min(data[at] + std::size_t{data[at + 1]} * 256, size - at - 2);
                feed(link, *k_packets[step % k_packets.size()], {data + at + 2, length});
                at += 2 + length;
            } else {
                break;
            }
            check(game);
        }
        link.close(net::Close::application(net::CloseCode::none));
    }
    fuzz::require(game.served->players().empty() && game.roster.size() == 0);
    for (const auto& world : game.served->worlds()) fuzz::require(world->players().empty());
    return 0;
}
