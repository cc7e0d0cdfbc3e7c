#include "query/session.hpp"

#include "bytes/content_hash.hpp"
#include "jobs/snapshot/source.hpp"

#include <algorithm>

namespace orbis::query {

Session::Session(world::Location location, SessionOptions options) : options_(std::move(options)) {
    locations_[""].location = std::move(location);
}

Session::Session(const world::World& world, const storage::Store& store, SessionOptions options)
    : options_(std::move(options)) {
    auto& here = locations_[""];
    here.location.worlds.push_back(world);
    here.worlds.push_back({world, std::shared_ptr<const storage::Store>(std::shared_ptr<void>(), &store)});
    here.is_open = true;
}

Result<Session::Opened*> Session::opened(const std::string& path) {
    auto found = locations_.find(path);
    if (found == locations_.end()) {
        TRY(auto location, jobs::find_source(path));
        found = locations_.emplace(path, Opened{std::move(location), {}}).first;
    }
    return &found->second;
}

Result<const std::vector<OpenWorld>*> Session::worlds(const std::string& path) {
    TRY(auto* found, opened(path));
    if (!found->is_open) {
        for (const auto& world : found->location.worlds) {
            auto store = world.open({});
            if (!store && found->location.worlds.size() == 1)
                return std::unexpected(std::move(store).error());
            if (!store)
                problem(store.error());
            else
                found->worlds.push_back({world, *std::move(store)});
        }
        std::ranges::sort(found->worlds, {}, [](const auto& open) { return open.world.name; });
        found->is_open = true;
    }
    return &found->worlds;
}

void Session::problem(const Error& problem) {
    const std::lock_guard lock(mutex_);
    constexpr std::size_t k_most_known = 1 << 20; // beyond this, one may be told again
    if (problems_.size() >= k_most_known) problems_.clear();
    if (problems_.insert(content_hash(as_bytes(problem.text()))).second && options_.on_problem)
        options_.on_problem(problem);
}

std::unique_ptr<chunk::ChunkReader> Session::take_reader() {
    const std::lock_guard lock(mutex_);
    if (readers_.empty()) return std::make_unique<chunk::ChunkReader>();
    auto reader = std::move(readers_.back());
    readers_.pop_back();
    return reader;
}

void Session::keep_reader(std::unique_ptr<chunk::ChunkReader> reader) {
    const std::lock_guard lock(mutex_);
    if (readers_.size() < options_.threads * 4) readers_.push_back(std::move(reader));
}

void Session::progress(std::uint64_t done, std::uint64_t total) {
    if (options_.on_progress) options_.on_progress(done, total);
}

} // namespace orbis::query
