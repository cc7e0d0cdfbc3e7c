#pragma once

#include "http/live/live_world.hpp"
#include "http/map_files.hpp"

#include <condition_variable>

namespace orbis::http {

struct LiveOptions {
    std::filesystem::path cache; ///< of this place alone (`lock_cache`)
    std::size_t threads = 2;     ///< for what somebody waits for
    std::string program;         ///< name and version
};

/// Everything that `orbis up` shows: the page, the worlds of a place, and answers about them
/// (docs/formats/map.md). Two threads of its own look for changes and bring the maps up to date.
class LiveMap {
public:
    /// `place` and `assets` must live as long. Worlds that cannot be opened go to `problems`.
    static Result<std::unique_ptr<LiveMap>> open(const world::Place& place, const world::Assets& assets,
                                                 LiveOptions options, std::vector<Error>& problems);
    LiveMap(const LiveMap&) = delete;
    LiveMap& operator=(const LiveMap&) = delete;
    ~LiveMap();

    /// The server's handler.
    void answer(const Request& request, Responder responder);

private:
    using Path = std::span<const std::string>;

    LiveMap(const world::Assets& assets, LiveOptions options, MapFiles files);
    void answer_page(Path path, Responder responder) const;
    void answer_file(Path path, Responder responder);
    void answer_api(const Target& target, Responder responder);
    void answer_tile(LiveWorld& world, Path rest, Responder responder);
    void answer_search(LiveWorld& world, const Target& target, Responder responder);
    void answer_events(Responder responder);
    LiveWorld* find(std::string_view name);
    void watch(const std::stop_token& stop);
    void update(const std::stop_token& stop);
    bool rest(const std::stop_token& stop, std::chrono::milliseconds time);

    LiveOptions options_;
    MapFiles files_;
    std::string script_; ///< map.js
    std::atomic<bool> stopping_ = false;
    EventHub events_;
    map::Colours colours_;
    std::vector<std::unique_ptr<LiveWorld>> worlds_;
    WorkQueue queue_; ///< after the worlds: its jobs use them
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread watcher_;
    std::jthread updater_;
};

} // namespace orbis::http
