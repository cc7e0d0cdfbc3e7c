#pragma once

#include "jobs/verify/verify.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace orbis::http {

/// Checks a world in the background, once a page asks for it.
class Findings {
public:
    /// Lines beyond this are only counted: a world that was cut off has one for each chunk.
    static constexpr std::size_t k_most_lines = 20'000;

    /// `location` has the one world and must outlive this, as must `assets`.
    Findings(const world::Location& location, const world::Assets& assets)
        : location_(location), assets_(assets) {}
    Findings(const Findings&) = delete;
    Findings& operator=(const Findings&) = delete;
    ~Findings();

    /// What is known now, as JSON. Starts the check, and a new one where the last saw another world:
    /// `version` counts the changes of the world.
    std::string json(std::uint64_t version, std::uint64_t chunks);

private:
    class Count;
    void run();

    const world::Location& location_;
    const world::Assets& assets_;
    std::atomic<bool> stopping_ = false;

    std::mutex mutex_;
    bool started_ = false;
    bool running_ = false;
    std::uint64_t version_ = 0;
    std::uint64_t checked_ = 0;
    std::uint64_t left_out_ = 0;
    std::vector<std::string> lines_;
    std::jthread thread_;
};

} // namespace orbis::http
