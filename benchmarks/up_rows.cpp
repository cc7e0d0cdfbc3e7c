#include "bench_world.hpp"
#include "harness.hpp"
#include "http/live/live_map.hpp"
#include "http/raw_client_test.hpp"
#include "support/shared.hpp"

#include <stdexcept>

namespace orbis::bench {

namespace {

/// From the request to the last byte of the answer, of a server that has never seen the world before and
/// makes its map in the background meanwhile.
double first_tile_seconds(const BenchWorld& world) {
    const auto pos = world.fullest_tile();
    double slowest = 0;
    for (int run = 0; run < amount(3, 1); ++run) {
        const orbis::test::TemporaryFolder cache;
        const auto place = world::find_location(world.chunks).value();
        std::vector<Error> problems;
        const auto live =
            http::LiveMap::open(place, world::Assets::built_in(), {cache.path(), 2, "orbis"}, problems)
                .value();
        const auto server =
            http::Server::start(http::parse_address("127.0.0.1:0").value(), [&](const http::Request& request,
                                                                                http::Responder responder) {
                live->answer(request, std::move(responder));
            }).value();
        const auto begin = std::chrono::steady_clock::now();
        const auto answer = http::test::ask(
            server->address(),
            http::test::get(fmt::format("/api/tile/{}/surface/0/{}.{}", place.worlds[0].name, pos.x, pos.z)));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        if (http::test::status_of(answer) != 200) throw std::runtime_error("there was no tile");
        slowest = std::max(slowest, took.count());
    }
    return slowest;
}

void add_rows() {
    const auto& world = world_for(Terrain::dense);
    add_value({"map: first tile of orbis up, " + world.name, "s", 0.3, Better::lower},
              [&world] { return first_tile_seconds(world); });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
