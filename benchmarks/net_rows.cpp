#include "bare_quic.hpp"
#include "bench_world.hpp"
#include "harness.hpp"
#include "net/client.hpp"
#include "net/identity.hpp"
#include "net/server.hpp"
#include "net/simulated_loop.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace orbis::bench {

namespace {

using namespace net;
using namespace std::chrono_literals;

const Identity& identity() {
    static const auto made =
        make_self_signed(KeyKind::ecdsa_p256, std::chrono::sys_seconds(1'770'000'000s)).value();
    return made;
}

/// Frames with the bytes of chunks: a tenth of a document as the data of a section each, compressed.
std::vector<OutgoingFrame> chunk_frames(const BenchWorld& world) {
    std::vector<OutgoingFrame> frames;
    protocol::FrameWriter<Side::server> writer;
    Decompressor decompressor;
    for (std::size_t at = 0; at < std::min<std::size_t>(world.frames.size(), 500); ++at) {
        const auto document =
            decompressor.decompress(world.frames[at], world.raw_sizes[at], storage::k_largest_document)
                .value();
        for (std::size_t part = 0; part < 10; ++part) {
            packets::SetChunk chunk;
            chunk.y = static_cast<std::int32_t>(part);
            const auto size = document.size() / 10;
            chunk.data = document.subspan(part * size, size);
            frames.push_back(OutgoingFrame::make(writer, chunk).value());
        }
    }
    return frames;
}

/// Lets players in as far as play; a world without a world.
class Door final : public SessionHandler {
public:
    explicit Door(ServerSession& session) : session_(session) {
        (void)session_.send(packets::WorldSettings{});
    }
    bool on_packet(const protocol::Frame& frame) override {
        if (frame.id == packets::RequestAssets::k_info.id) (void)session_.send(packets::WorldLoadFinished{});
        if (frame.id == packets::PlayerOptions::k_info.id && session_.begin_play())
            (void)session_.send(packets::JoinWorld{});
        if (frame.id == packets::ClientReady::k_info.id) begin();
        if (frame.id == packets::ClientMovement::k_info.id) {
            protocol::Arena arena;
            packets::ClientMovement movement;
            if (!protocol::decode(frame.payload, arena, movement)) return false;
            ++movements;
        }
        return true;
    }
    void on_delivered(Channel channel) override {
        if (channel == Channel::chunks) fill();
    }

    static inline const std::vector<OutgoingFrame>* frames =
        nullptr; ///< to be sent to everybody who is ready
    static inline std::size_t bytes = 0;
    static inline std::size_t movements = 0; ///< that were read

private:
    void begin() {
        if (frames == nullptr || left_ > 0) return;
        left_ = bytes;
        fill();
    }
    void fill() {
        // A little ahead of the network, as a server that has its frames ready does.
        while (left_ > 0 && session_.link().unsent(Channel::chunks) < (1 << 20)) {
            const auto& frame = (*frames)[next_++ % frames->size()];
            (void)session_.send(frame);
            left_ -= std::min(left_, frame.frame().bytes().size());
        }
    }

    ServerSession& session_;
    std::size_t left_ = 0;
    std::size_t next_ = 0;
};

class DoorHandler final : public ServerHandler {
public:
    std::unique_ptr<SessionHandler> welcome(ServerSession& session) override {
        return std::make_unique<Door>(session);
    }
};

std::unique_ptr<Server> start_server(std::size_t threads) {
    ServerSettings settings;
    settings.addresses = {Address::loopback_v4(0)};
    settings.threads = threads;
    settings.rules.rate_limit.is_enabled = false;
    return Server::start(settings, identity(),
                         [](Loop&, std::size_t) { return std::make_unique<DoorHandler>(); })
        .value();
}

/// What clients count.
struct Seen {
    std::size_t in_play = 0;
    std::vector<ClientSession*> players;
    std::size_t closed = 0;
    std::size_t frames = 0;
    std::size_t bytes = 0;
};

class Counter final : public ClientHandler {
public:
    explicit Counter(Seen& seen) : seen_(seen) {}
    void on_phase(ClientSession& session) override {
        if (session.phase() != ClientSession::Phase::play) return;
        ++seen_.in_play;
        seen_.players.push_back(&session);
    }
    void on_packet(ClientSession&, const protocol::Frame& frame) override {
        if (frame.packet->channel != Channel::chunks) return;
        ++seen_.frames;
        seen_.bytes += frame.length;
    }
    void on_closed(ClientSession&, const Close&, const std::optional<std::string>&) override {
        ++seen_.closed;
    }

private:
    Seen& seen_;
};

struct Clients {
    std::shared_ptr<Loop> loop;
    ClientContext context{*loop};
    Seen seen;
    GameBuild build;
    std::shared_ptr<TlsContext> tls = TlsContext::client(&identity(), {build.protocol}).value();
    std::uint32_t joined = 0;
    Loop::Timer timer;
    UdpDriver driver{*loop, {}};

    explicit Clients(GameBuild of = GameBuild::current(), std::shared_ptr<Loop> shared = Loop::make().value())
        : loop(std::move(shared)), build(std::move(of)) {
        tick();
    }
    ~Clients() { loop->cancel(timer); }
    Clients(const Clients&) = delete;
    Clients& operator=(const Clients&) = delete;
    void tick() {
        context.tick();
        timer = loop->after(100ms, [this] { tick(); });
    }
    void join(const Address& server) {
        const auto number = joined++;
        ClientRules rules;
        rules.build = build;
        std::memcpy(rules.uuid.data(), &number, sizeof number);
        rules.uuid[15] = 1;
        const ClientSettings settings{.server = server, .server_name = "localhost", .tls = tls};
        net::join(driver, context, settings, std::move(rules), std::make_unique<Counter>(seen)).value();
    }
};

/// The same bytes as `send_bare`, as frames on the Chunks stream between two sessions.
Transfer send_ours(const std::vector<OutgoingFrame>& frames, std::size_t bytes) {
    Door::frames = &frames;
    Door::bytes = bytes;
    const auto server = start_server(1);
    Clients clients;
    clients.join(server->addresses().front());
    if (!clients.loop->run_until([&] { return clients.seen.bytes > 0; }, 20s))
        throw std::runtime_error("no chunk came");
    const auto start = std::chrono::steady_clock::now();
    const auto cpu = process_seconds();
    if (!clients.loop->run_until([&] { return clients.seen.bytes >= bytes || clients.seen.closed > 0; }, 120s)
        || clients.seen.closed > 0)
        throw std::runtime_error("the chunks did not come");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const auto used = process_seconds() - cpu;
    Door::frames = nullptr;
    return {took.count(), used};
}

std::size_t transfer_size() { return amount<std::size_t>(256 << 20, 4 << 20); }

/// Both in turn, several times; the best of each.
std::pair<Transfer, Transfer> compare(const BenchWorld& world) {
    const auto frames = chunk_frames(world);
    Buffer words;
    for (const auto& frame : frames) {
        const auto bytes = frame.frame().bytes();
        words.insert(words.end(), bytes.begin(), bytes.end());
    }
    Transfer ours{1e9, 1e9};
    Transfer bare{1e9, 1e9};
    const auto better = [](Transfer& best, const Transfer& next) {
        best.seconds = std::min(best.seconds, next.seconds);
        best.cpu_seconds = std::min(best.cpu_seconds, next.cpu_seconds);
    };
    for (int turn = 0; turn < amount(5, 1); ++turn) {
        better(bare, send_bare(words, transfer_size()));
        better(ours, send_ours(frames, transfer_size()));
    }
    return {ours, bare};
}

std::size_t resident_kib(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
    throw std::runtime_error("the system does not tell the memory of a process");
}

/// A server in a process of its own, so that its memory is its alone.
struct ServerProcess {
    pid_t process = 0;
    Address address;

    ServerProcess() {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        process = fork();
        if (process == 0) {
            const auto server = start_server(2);
            const auto port = server->addresses().front().port();
            if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
            pause();
            _exit(0);
        }
        std::uint16_t port = 0;
        if (read(ends[0], &port, sizeof port) != sizeof port) throw std::runtime_error("no server");
        close(ends[0]);
        close(ends[1]);
        address = Address::loopback_v4(port);
    }
    ~ServerProcess() {
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
    }
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;
};

double kib_per_idle_connection() {
    const auto count = amount<std::uint32_t>(2'000, 50);
    const ServerProcess server;
    Clients clients;
    const auto join_until = [&](std::uint32_t joined) {
        for (auto number = clients.joined; number < joined; ++number) {
            clients.join(server.address);
            if (number % 50 == 49
                && !clients.loop->run_until([&] { return clients.seen.in_play > number; }, 60s))
                throw std::runtime_error("a client was not let in");
        }
    };
    join_until(50); // what the first ones bring with them is not theirs alone
    const auto before = resident_kib(server.process);
    join_until(50 + count);
    clients.loop->run_until([] { return false; }, amount(3'000ms, 100ms));
    if (clients.seen.closed > 0) throw std::runtime_error("a connection was lost");
    return static_cast<double>(resident_kib(server.process) - before) / count;
}

double storm_seconds() {
    const auto count = amount<std::uint32_t>(500, 20);
    const ServerProcess server;
    Clients clients;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t number = 0; number < count; ++number) clients.join(server.address);
    clients.loop->run_until([&] { return clients.seen.in_play == count || clients.seen.closed > 0; }, 60s);
    if (clients.seen.in_play != count) throw std::runtime_error("a client of the storm was not let in");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What fifty players and their server take for a thousand movements of each, sent, received and read. Both
/// are in one thread with imagined sockets: what the system takes for real ones is the same for all builds,
/// and differs more from one time to the next than builds do.
double movement_seconds(const protocol::BuildInfo& build) {
    constexpr std::uint32_t k_players = 50;
    const std::shared_ptr<Loop> loop = SimulatedLoop::make().value();
    ServerSettings settings;
    settings.rules.rate_limit.is_enabled = false;
    DoorHandler handler;
    Roster roster;
    ServerShard server(*loop, settings, TlsContext::server(identity()).value(), handler, roster);
    server.listen(Address::loopback_v4(5520)).value();
    Clients clients(GameBuild::of(build), loop);
    for (std::uint32_t i = 0; i < k_players; ++i) clients.join(server.addresses().front());
    if (!loop->run_until([&] { return clients.seen.in_play == k_players; }, 60s))
        throw std::runtime_error("a client was not let in");
    packets::ClientMovement movement;
    movement.movement_states = packets::MovementStates{};
    movement.movement_states->walking = true;
    movement.absolute_position = packets::Position{1, 70, 2};
    movement.body_orientation = movement.look_orientation = packets::Direction{};
    const auto want = Door::movements + k_players * amount<std::size_t>(1'000, 5);
    std::function<void()> step = [&] {
        movement.absolute_position->x += 0.1;
        for (auto* player : clients.seen.players) (void)player->send(movement);
        if (Door::movements + k_players < want) loop->after(33ms, step);
    };
    const auto before = thread_seconds();
    step();
    if (!loop->run_until([&] { return clients.seen.closed > 0 || Door::movements >= want; }, 600s)
        || clients.seen.closed > 0)
        throw std::runtime_error("the movements did not arrive");
    return thread_seconds() - before;
}

/// All builds in turn, several times; the best of each.
std::map<std::string_view, double> movement_times() {
    std::map<std::string_view, double> best;
    for (int turn = 0; turn < amount(7, 1); ++turn)
        for (const auto* build : spoken_builds()) {
            const auto [at, is_first] = best.try_emplace(build->build, 1e9);
            at->second = std::min(at->second, movement_seconds(*build));
        }
    return best;
}

void add_rows() {
    const auto& world = world_for(Terrain::dense);
    const auto measured = std::make_shared<std::optional<std::pair<Transfer, Transfer>>>();
    const auto once = [&world, measured] {
        if (!*measured) *measured = compare(world);
        return **measured;
    };
    const auto row = [&](const char* name, const char* unit, double goal, Better better) {
        return Row{fmt::format("net: {}, {}", name, world.name), unit, goal, better};
    };
    add_value(row("chunks on one connection, loopback", "× bare ngtcp2", 0.9, Better::higher),
              [once] { return once().second.seconds / once().first.seconds; });
    add_value(row("processor time of both ends for a gigabyte", "s", 4.0, Better::lower),
              [once] { return once().first.cpu_seconds * 1e9 / static_cast<double>(transfer_size()); });
    add_value(row("processor time for chunks", "× bare ngtcp2", 1.25, Better::lower),
              [once] { return once().first.cpu_seconds / once().second.cpu_seconds; });
    add_value(row("chunks on one connection, loopback", "MB/s", 200, Better::higher),
              [once] { return static_cast<double>(transfer_size()) / 1e6 / once().first.seconds; });
    add_value({"net: memory of one of 2,000 idle connections", "KiB", 64, Better::lower},
              kib_per_idle_connection);
    add_value({"net: 500 clients at once, until all are in the world", "s", 10, Better::lower},
              storm_seconds);
    const auto movements = std::make_shared<std::optional<std::map<std::string_view, double>>>();
    for (const auto* build : spoken_builds())
        if (build->build != protocol::k_default_build)
            add_value({fmt::format("net: movements of players of {}, sent and read", build->build),
                       fmt::format("× {}", protocol::k_default_build), 1.1, Better::lower},
                      [build, movements] {
                          if (!*movements) *movements = movement_times();
                          return (**movements).at(build->build) / (**movements).at(protocol::k_default_build);
                      });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
