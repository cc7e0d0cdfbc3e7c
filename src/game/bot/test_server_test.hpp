#pragma once

#include "bytes/writer.hpp"
#include "game/codec/announce_test.hpp"
#include "game/codec/chunk_packets.hpp"
#include "net/identity.hpp"
#include "net/server_shard.hpp"
#include "net/simulated_loop.hpp"
#include "packets/entities.hpp"
#include "packets/interaction.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

/// A server with one small world in the loop of its clients, for tests of them. It has what a headless client
/// needs and no more.
namespace orbis::game::test_server {

struct World {
    /// By position; chunks of other positions do not exist.
    std::map<std::pair<int, int>, chunk::Chunk> chunks;
    WireIds ids;
    std::optional<net::HostPort> refer_to;
    packets::Position spawn;
    int radius = 6;                        ///< chunks
    net::Duration pause{};                 ///< after every eight chunks
    net::Duration pause_before_fluids{};   ///< of each chunk
    bool environments_as_the_game = false; ///< the lowest run from 0 also where it ends below the world
    bool tells_absent = false;             ///< says which chunks do not exist
    bool is_tall = false;                  ///< to players of b242, with a section of blocks at y 384
    std::optional<ChunkPos> unreadable;    ///< nothing is said of this one
    /// The servers by which players were sent here.
    std::vector<std::uint16_t> referred_by;
    std::vector<std::string> chat; ///< what players have said, with their names

    World() { spawn.y = 64; }
    /// As natural terrain has it in every column: the lowest environment ends below the world.
    static std::vector<chunk::EnvironmentRun> natural_runs() {
        return {{-1, "Env_Void"}, {60, "Env_Caves"}, {chunk::EnvironmentRun::k_no_end, "Env_Plains"}};
    }
    void add_natural(ChunkPos pos) {
        add_flat(pos);
        auto* environments = chunks.at({pos.x, pos.z}).edit_environments().value();
        for (int i = 0; i < k_columns; ++i) environments->set_runs(ColumnIndex(i), natural_runs());
    }
    /// Flat ground of stone with something that differs in every chunk.
    void add_flat(ChunkPos pos) {
        auto chunk = chunk::Chunk::create();
        for (int x = 0; x < 32; ++x)
            for (int z = 0; z < 32; ++z)
                for (int y = 0; y < 3; ++y) (void)chunk.set_block({x, y, z}, {"Rock_Stone", {}, {}});
        (void)chunk.set_block({pos.x & 31, 5, pos.z & 31}, {"Wood_Oak", {}, {}});
        (void)chunk.set_fluid({3, 40, 3}, {"Water", 7});
        auto* heights = chunk.edit_heights().value();
        auto* environments = chunk.edit_environments().value();
        const std::vector<chunk::EnvironmentRun> runs{{chunk::EnvironmentRun::k_no_end, "Env_Plains"}};
        for (int i = 0; i < k_columns; ++i) {
            heights->set(ColumnIndex(i), 2);
            environments->set_runs(ColumnIndex(i), runs);
        }
        chunks.emplace(std::pair{pos.x, pos.z}, std::move(chunk));
    }
};

class Player;

class Game final : public net::ServerHandler {
public:
    Game(World& served, net::Loop& own) : world(served), loop(own) {}
    std::unique_ptr<net::SessionHandler> welcome(net::ServerSession& session) override;

    World& world;
    net::Loop& loop;
    std::set<Player*> players;
    std::int32_t next_id = 1;
};

class Player final : public net::SessionHandler {
public:
    Player(Game& game, net::ServerSession& session) : game_(game), session_(session) {
        if (const auto& source = session_.player().referral_source)
            game_.world.referred_by.push_back(source->port);
        if (game_.world.refer_to) {
            (void)session_.refer(*game_.world.refer_to, {});
            return;
        }
        packets::WorldSettings settings;
        settings.world_height = 320;
        (void)session_.send(settings);
    }
    ~Player() override { game_.players.erase(this); }

    /// What the usual build has no words for, in those of b242.
    void say_there(net::Channel channel, std::string_view packet, Bytes payload) {
        protocol::PayloadFramer framer;
        const auto* there = session_.link().dialect()->schema().registry().find(packet);
        session_.link().forward(channel, framer.frame(*there, payload).value());
    }
    void join_tall_world() {
        Buffer join(26);
        join[0] = 3;                                  // the first and the last section follow
        store_le(join.data() + 22, std::int32_t{12}); // the last
        say_there(net::Channel::normal, "JoinWorld", join);
    }
    void send_high_section() {
        packets::SetChunk section;
        section.y = 12;
        section.data = as_bytes("blocks");
        protocol::PayloadWriter writer;
        say_there(net::Channel::chunks, "SetChunk", writer.write(section).value());
    }

    bool on_packet(const protocol::Frame& frame) override {
        switch (frame.id) {
        case packets::RequestAssets::k_info.id:
            test_names::announce(game_.world.ids, [&](const auto& packet) { (void)session_.send(packet); });
            return session_.send(packets::WorldLoadFinished{}).has_value();
        case packets::PlayerOptions::k_info.id:
            if (!session_.begin_play()) return false;
            if (!game_.world.is_tall) return session_.send(packets::JoinWorld{}).has_value();
            join_tall_world();
            return true;
        case packets::ViewRadius::k_info.id: return true;
        case packets::ClientReady::k_info.id: {
            const auto* ready = session_.read<packets::ClientReady>(frame);
            if (ready && !ready->ready_for_gameplay) {
                enter();
                if (game_.world.is_tall) send_high_section();
            }
            return true;
        }
        case packets::ClientMovement::k_info.id: {
            const auto* move = session_.read<packets::ClientMovement>(frame);
            if (move && move->absolute_position) stream(*move->absolute_position);
            return true;
        }
        case packets::SyncInteractionChains::k_info.id: {
            const auto* packet = session_.read<packets::SyncInteractionChains>(frame);
            if (packet && packet->updates.size() == 1) act(packet->updates[0]);
            return true;
        }
        case packets::ChatMessage::k_info.id: {
            const auto* packet = session_.read<packets::ChatMessage>(frame);
            if (!packet) return true;
            const auto text = fmt::format("{}: {}", session_.player().name, packet->message.value_or({}));
            game_.world.chat.push_back(text);
            packets::FormattedMessage message;
            message.raw_text = protocol::Text(text);
            packets::ServerMessage out;
            out.message = message;
            for (auto* player : game_.players) (void)player->session_.send(out);
            return true;
        }
        default: return true;
        }
    }

private:
    /// What the hands of a bot do: the last step of a chain says where, and which block.
    void act(const packets::SyncInteractionChain& chain) {
        if (!chain.interaction_data || chain.interaction_data->present.empty()) return;
        const auto& last = chain.interaction_data->present.back();
        if (chain.interaction_type == packets::InteractionType::secondary && last.block_position)
            change(*last.block_position, last.placed_block_id);
        if (chain.interaction_type == packets::InteractionType::primary && chain.data
            && chain.data->block_position)
            change(*chain.data->block_position, 0);
    }
    void enter() {
        game_.players.insert(this);
        packets::SetClientId id;
        id.client_id = game_.next_id++;
        (void)session_.send(id);
        packets::TransformUpdate transform;
        transform.transform.position = game_.world.spawn;
        const packets::ComponentUpdate component = transform;
        packets::EntityUpdate update;
        update.network_id = id.client_id;
        update.updates = protocol::List<packets::ComponentUpdate>(&component, 1);
        packets::EntityUpdates updates;
        updates.updates = protocol::List<packets::EntityUpdate>(&update, 1);
        (void)session_.send(updates);
        std::vector<packets::ServerPlayerListPlayer> listed;
        for (auto* player : game_.players) listed.emplace_back().uuid = player->session_.player().uuid;
        packets::AddToServerPlayerList list;
        list.players = protocol::List<packets::ServerPlayerListPlayer>(listed);
        for (auto* player : game_.players) (void)player->session_.send(list);
        stream(game_.world.spawn);
    }

    /// All chunks in the circle that it does not have; those outside are unloaded.
    void stream(const packets::Position& at) {
        const ChunkPos middle =
            BlockPos{static_cast<int>(std::floor(at.x)), 0, static_cast<int>(std::floor(at.z))}.chunk();
        const auto is_near = [&](std::pair<int, int> pos) {
            const auto dx = pos.first - middle.x;
            const auto dz = pos.second - middle.z;
            return dx * dx + dz * dz <= game_.world.radius * game_.world.radius;
        };
        std::erase_if(sent_, [&](const auto& pos) {
            if (is_near(pos)) return false;
            packets::UnloadChunk unload;
            unload.chunk_x = pos.first;
            unload.chunk_z = pos.second;
            (void)session_.send(unload);
            return true;
        });
        for (const auto& [pos, chunk] : game_.world.chunks)
            if (is_near(pos) && sent_.insert(pos).second) waiting_.push_back(pos);
        for (int x = -game_.world.radius; game_.world.tells_absent && x <= game_.world.radius; ++x)
            for (int z = -game_.world.radius; z <= game_.world.radius; ++z) {
                const std::pair pos{middle.x + x, middle.z + z};
                if (!is_near(pos) || game_.world.chunks.contains(pos)) continue;
                if (game_.world.unreadable == ChunkPos{pos.first, pos.second}) continue;
                packets::UnloadChunk none;
                none.chunk_x = pos.first;
                none.chunk_z = pos.second;
                (void)session_.send(none);
            }
        send_some();
    }

    void send_some() {
        for (int count = 0; !waiting_.empty() && (count < 8 || game_.world.pause == net::Duration{});
             ++count) {
            const auto pos = waiting_.front();
            waiting_.pop_front();
            if (!chunk_packets_.make({pos.first, pos.second}, game_.world.chunks.at(pos), game_.world.ids))
                continue;
            chunk_packets_.for_each([&]<typename P>(const P& packet) {
                if (std::is_same_v<P, packets::SetFluids>
                    && game_.world.pause_before_fluids > net::Duration{})
                    return;
                if constexpr (std::is_same_v<P, packets::SetChunkEnvironments>) {
                    if (game_.world.environments_as_the_game) return send_as_the_game(pos);
                }
                (void)session_.send(packet);
            });
            if (game_.world.pause_before_fluids > net::Duration{}) send_fluids_later(pos);
        }
        if (!waiting_.empty() && !is_pausing_) {
            is_pausing_ = true;
            game_.loop.after(game_.world.pause, [this, alive = std::weak_ptr(alive_)] {
                if (alive.expired()) return;
                is_pausing_ = false;
                send_some();
            });
        }
    }

    /// The environments of a chunk in the words of the game's own server.
    void send_as_the_game(std::pair<int, int> pos) {
        const auto& stored = game_.world.chunks.at(pos).environments();
        Buffer bytes;
        Writer out(bytes);
        for (int i = 0; i < k_columns; ++i) {
            const auto runs = stored.runs(ColumnIndex(i));
            out.le(static_cast<std::uint16_t>(runs.size()));
            std::int32_t from = 0;
            for (const auto& run : runs) {
                out.le(static_cast<std::uint16_t>(from));
                out.le(static_cast<std::uint16_t>(game_.world.ids.environments.id_of(run.key)));
                from = std::max(run.max_y, -1) + 1;
            }
        }
        (void)session_.send(packets::SetChunkEnvironments{pos.first, pos.second, Bytes(bytes)});
    }

    void send_fluids_later(std::pair<int, int> pos) {
        game_.loop.after(game_.world.pause_before_fluids, [this, pos, alive = std::weak_ptr(alive_)] {
            if (alive.expired()) return;
            if (!chunk_packets_.make({pos.first, pos.second}, game_.world.chunks.at(pos), game_.world.ids))
                return;
            for (const auto& packet : chunk_packets_.fluids()) (void)session_.send(packet);
        });
    }

    void change(const packets::BlockPosition& pos, std::int32_t id) {
        const auto found = game_.world.chunks.find({pos.x >> 5, pos.z >> 5});
        const auto name = game_.world.ids.blocks.name(id);
        if (found == game_.world.chunks.end() || !name) return;
        (void)found->second.set_block({pos.x, pos.y, pos.z}, {*name, {}, {}});
        packets::ServerSetBlock set;
        set.x = pos.x;
        set.y = pos.y;
        set.z = pos.z;
        set.block_id = id;
        for (auto* player : game_.players) (void)player->session_.send(set);
    }

    Game& game_;
    net::ServerSession& session_;
    std::set<std::pair<int, int>> sent_;
    std::deque<std::pair<int, int>> waiting_;
    bool is_pausing_ = false;
    std::shared_ptr<int> alive_ = std::make_shared<int>();
    ChunkPackets chunk_packets_;
};

inline std::unique_ptr<net::SessionHandler> Game::welcome(net::ServerSession& session) {
    return std::make_unique<Player>(*this, session);
}

inline const net::Identity& identity() {
    static const auto one =
        net::make_self_signed(net::KeyKind::ecdsa_p256, std::chrono::time_point_cast<std::chrono::seconds>(
                                                            std::chrono::system_clock::now()))
            .value();
    return one;
}

/// Serves the world on a port of its own. The loop and the world must outlive it.
class Server {
public:
    Server(net::Loop& loop, World& world, std::shared_ptr<capture::Recorder> capture = nullptr)
        : settings_{.capture = std::move(capture)},
          game_(world, loop),
          shard_(loop, settings_, net::TlsContext::server(identity()).value(), game_, roster_) {
        // Ids of all names are known before the first player comes.
        ChunkPackets chunk_packets;
        for (const auto& [pos, chunk] : world.chunks)
            (void)chunk_packets.make({pos.first, pos.second}, chunk, world.ids);
        EXPECT_TRUE(shard_.listen(net::Address::loopback_v4(0)));
    }

    [[nodiscard]] net::HostPort place() const { return {"127.0.0.1", shard_.addresses().front().port()}; }
    [[nodiscard]] std::size_t connections() const { return shard_.connections(); }

private:
    net::ServerSettings settings_;
    net::Roster roster_;
    Game game_;
    net::ServerShard shard_;
};

/// Where tests have their servers and their clients: nobody waits in it for anything.
inline std::shared_ptr<net::SimulatedLoop> make_loop() { return net::SimulatedLoop::make().value(); }

/// Two servers that send their players on, the second of them to another.
struct Referrals {
    Referrals(net::Loop& loop, net::HostPort to) {
        hall.refer_to = std::move(to);
        inner.emplace(loop, hall);
        lobby.refer_to = inner->place();
        door.emplace(loop, lobby);
    }
    World hall;
    World lobby;
    std::optional<Server> inner;
    std::optional<Server> door;
};

} // namespace orbis::game::test_server
