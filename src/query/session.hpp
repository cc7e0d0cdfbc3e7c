#pragma once

#include "bytes/progress.hpp"
#include "bytes/result.hpp"
#include "chunk/chunk_reader.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

namespace orbis::query {

/// A world that statements read.
struct OpenWorld {
    world::World world;
    std::shared_ptr<const storage::Store> store;
};

struct SessionOptions {
    std::size_t threads = 1;
    /// Told of what cannot be read, each once, by one thread at a time; statements go on.
    std::function<void(const Error& problem)> on_problem{};
    /// Told how many chunks of a scan are done, of how many.
    std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
};

/// The locations that the statements of a database read, each opened once.
class Session {
public:
    Session(world::Location location, SessionOptions options);
    /// One world that is open already; the store must outlive the session.
    Session(const world::World& world, const storage::Store& store, SessionOptions options);

    /// The worlds of a location in the order of their names; those of the database itself for no path.
    Result<const std::vector<OpenWorld>*> worlds(const std::string& path);

    [[nodiscard]] std::size_t threads() const { return options_.threads; }
    void problem(const Error& problem);
    void progress(std::uint64_t done, std::uint64_t total);

    /// Readers with the memory of scans before, which is expensive to get again. Any thread.
    std::unique_ptr<chunk::ChunkReader> take_reader();
    void keep_reader(std::unique_ptr<chunk::ChunkReader> reader);

    /// Ends what runs as soon as possible. Any thread and signal handlers may call it.
    void stop() { is_stopped_ = true; }
    void go_on() { is_stopped_ = false; }
    [[nodiscard]] bool is_stopped() const { return is_stopped_; }

private:
    struct Opened {
        world::Location location;
        std::vector<OpenWorld> worlds;
        bool is_open = false;
    };
    Result<Opened*> opened(const std::string& path);

    SessionOptions options_;
    std::map<std::string, Opened, std::less<>> locations_;
    std::mutex mutex_;
    std::unordered_set<std::uint64_t> problems_; ///< hashes of the texts of those that were told
    std::vector<std::unique_ptr<chunk::ChunkReader>> readers_;
    std::atomic<bool> is_stopped_ = false;
};

} // namespace orbis::query
