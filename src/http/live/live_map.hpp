#pragma once

#include "http/live/live_clock.hpp"
#include "http/live/live_world.hpp"
#include "http/map_files.hpp"
#include "watch/location_watch.hpp"

#include <thread>

namespace orbis::http {

struct LiveOptions {
    std::filesystem::path cache; ///< of this location alone (`lock_cache`)
    std::size_t threads = 2;     ///< for what requests wait for
    std::string program;         ///< name and version
    LiveClock* clock = &LiveClock::system();
    std::chrono::milliseconds fill_in{120}; ///< to render what is missing below a tile that was asked for
    std::size_t tiles_per_event = 1000;     ///< that a page is told of at once
};

/// Everything that `orbis up` shows: the page, the worlds of a location, and answers about them
/// (docs/formats/map.md). Two threads of its own look for changes and bring the maps up to date. Worlds come
/// and go with the universe.
class LiveMap {
public:
    /// `location` and `assets` must outlive this. Why worlds cannot be opened goes to `problems`; they are
    /// tried again.
    static Result<std::unique_ptr<LiveMap>> open(const world::Location& location, const world::Assets& assets,
                                                 LiveOptions options, std::vector<Error>& problems);
    LiveMap(const LiveMap&) = delete;
    LiveMap& operator=(const LiveMap&) = delete;
    ~LiveMap();

    /// The server's handler.
    void answer(const Request& request, Responder responder);

private:
    using Path = std::span<const std::string>;

    struct Entry {
        world::World world;
        std::string folder;
        std::shared_ptr<LiveWorld> live; ///< null while it cannot be opened
        Error problem;                   ///< then: why
        LiveClock::Time again;           ///< then: when it is tried
    };

    LiveMap(const world::Location& location, const world::Assets& assets, LiveOptions options,
            MapFiles files);
    void answer_page(Path path, Responder responder) const;
    void answer_file(Path path, Responder responder);
    void answer_api(const Request& request, Responder responder);
    void answer_world(LiveWorld& world, const Target& target, Responder responder);
    void answer_tile(LiveWorld& world, Path rest, Responder responder);
    void answer_mesh(LiveWorld& world, const Target& target, Responder responder);
    void answer_search(LiveWorld& world, const Target& target, Responder responder);
    void answer_events(const std::string& client, Responder responder);
    /// A world by its folder or name; null if there is none that can be shown, and `problem` says why.
    std::shared_ptr<LiveWorld> find(std::string_view name, std::optional<Response>& problem);
    [[nodiscard]] std::vector<std::shared_ptr<LiveWorld>> open_worlds() const;
    [[nodiscard]] std::string script() const;
    [[nodiscard]] std::string status() const;
    void settle(const world::Location& location);
    void open_missing(std::vector<Error>* problems);
    void tell_status();
    void watch(const std::stop_token& stop);
    void update(const std::stop_token& stop);

    const world::Location& location_;
    const world::Assets& assets_;
    LiveOptions options_;
    MapFiles files_;
    std::string title_;
    std::atomic<bool> stopping_ = false;
    EventHub events_;
    map::Colours colours_;
    watch::LocationWatch location_watch_;                     ///< for the watcher
    std::map<std::string, std::weak_ptr<LiveWorld>> retired_; ///< by folder; for the watcher
    std::string told_;                                        ///< the last status; for the watcher
    mutable std::mutex worlds_mutex_;                         ///< guards the next one
    std::vector<Entry> worlds_;                               ///< by folder
    TileWorkers workers_;                                     ///< after the worlds: its jobs use them
    std::jthread watcher_;
    std::jthread updater_;
};

} // namespace orbis::http
