#pragma once

#include "http/live/held_clock_test.hpp"
#include "http/live/live_map.hpp"
#include "http/raw_client_test.hpp"
#include "map/tile_renderer.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace orbis::http::test {

/// A live map of a made world, on a port of its own, whose clock stands still until it is told.
class LiveMapTest : public testing::Test {
protected:
    LiveMapTest() : world_(folder_ / "a world") {}

    void open() {
        // As if they were written long ago: hashes of fresh ones are learnt later.
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "a world/chunks"))
            std::filesystem::last_write_time(entry.path(), std::filesystem::file_time_type::clock::now()
                                                               - std::chrono::hours(1));
        place_ = world::find_location(folder_ / "a world").value();
        std::vector<Error> problems;
        serve(problems);
        EXPECT_TRUE(problems.empty());
    }
    void serve(std::vector<Error>& problems) {
        map_ =
            LiveMap::open(place_, world::Assets::built_in(),
                          {folder_ / "cache", 2, "orbis test", &clock_, fill_in_, tiles_per_event_}, problems)
                .value();
        server_ = Server::start(*parse_address("127.0.0.1:0"),
                                [this](const Request& request, Responder responder) {
                                    map_->answer(request, std::move(responder));
                                },
                                {.silent = 2048,
                                 .head = std::chrono::hours(1),
                                 .idle = std::chrono::hours(1),
                                 .send = std::chrono::hours(1),
                                 .newcomer = std::chrono::hours(1)})
                      .value();
    }
    ~LiveMapTest() override {
        server_.reset();
        map_.reset();
    }

    std::string request(std::string_view target, std::string_view more = "") {
        return ask(server_->address(), get(target, more));
    }
    std::string tile(std::string_view rest) { return request(fmt::format("/api/tile/a%2520world/{}", rest)); }

    /// Long enough for the map to be made or brought up to date, and for the hashes of a region to be learnt.
    void make_map() {
        clock_.pass(std::chrono::seconds(2));
        EXPECT_TRUE(contains(request("/worlds/a%2520world/world.js"), "\"state\":"));
    }
    /// What the page has read when this text is in it.
    static bool reads(RawClient& page, std::string_view text) {
        return contains(page.read_until(text), text);
    }
    static bool contains(std::string_view text, std::string_view part) {
        return text.find(part) != std::string_view::npos;
    }

    /// As it must be: rendered here, from the store as it is now.
    static std::string expected_tile(const storage::Store& store, map::Layer layer, TilePos pos) {
        const map::Colours colours(world::Assets::built_in());
        map::TileRenderer renderer(store, colours);
        map::TilePixels pixels;
        EXPECT_TRUE(renderer.render(layer, pos, pixels).value());
        map::TileEncoder encoder;
        return std::string(as_text(encoder.encode(pixels)));
    }

    /// The same for a tile of level 1.
    static std::string expected_parent(const storage::Store& store, map::Layer layer, TilePos pos) {
        const map::Colours colours(world::Assets::built_in());
        map::TileRenderer renderer(store, colours);
        map::TilePixels child;
        map::TilePixels pixels;
        pixels.clear();
        for (int i = 0; i < 4; ++i)
            if (const TilePos part{pos.x * 2 + i % 2, pos.z * 2 + i / 2};
                renderer.render(layer, part, child).value())
                map::shrink_into(child, part, pixels);
        map::TileEncoder encoder;
        return std::string(as_text(encoder.encode(pixels)));
    }
    /// Which state of the map pages see.
    std::string generation() {
        const auto index = body_of(request("/worlds/a%2520world/world.js"));
        std::smatch found;
        return std::regex_search(index, found, std::regex(R"("generation":(\d+))")) ? found[1].str() : "none";
    }

    orbis::test::TemporaryFolder folder_;
    world::made::MadeWorld world_;
    HeldClock clock_;
    std::chrono::milliseconds fill_in_ = std::chrono::hours(1); ///< coarse tiles are whole at once
    std::size_t tiles_per_event_ = 1000;
    world::Location place_;
    std::unique_ptr<LiveMap> map_;
    std::unique_ptr<Server> server_;
};

inline constexpr map::Layer k_surface{map::LayerKind::surface, 0};

inline std::string header_of(const std::string& answer, const std::string& name) {
    const auto at = answer.find(name + ": ");
    return at == std::string::npos
               ? ""
               : answer.substr(at + name.size() + 2, answer.find('\r', at) - at - name.size() - 2);
}

} // namespace orbis::http::test
