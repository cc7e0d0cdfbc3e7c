#pragma once

#include "chunk/chunk.hpp"
#include "game/chunks/chunk_encoder.hpp"
#include "game/chunks/encoded_chunk_cache.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

/// Worlds and workers without a disk and without a network, for tests.
namespace orbis::game::test_serve {

using namespace std::chrono_literals;

struct StillClock final : net::Clock {
    net::Time time{1000s};
    [[nodiscard]] net::Time now() const override { return time; }
};

/// A world in memory that counts who reads it.
class ImaginedSource final : public ChunkSource {
public:
    void put(ChunkPos pos, const std::string& block = "Rock_Stone") {
        const auto document = document_of(block);
        const std::lock_guard lock(mutex_);
        chunks_[pos] = document;
    }
    void put_square(int radius) {
        for (int x = -radius; x <= radius; ++x)
            for (int z = -radius; z <= radius; ++z) put({x, z});
    }
    void remove(ChunkPos pos) {
        const std::lock_guard lock(mutex_);
        chunks_.erase(pos);
    }
    void fail(ChunkPos pos, bool fails) {
        const std::lock_guard lock(mutex_);
        if (fails)
            broken_.insert(pos);
        else
            broken_.erase(pos);
    }
    [[nodiscard]] int loads(ChunkPos pos) const {
        const std::lock_guard lock(mutex_);
        const auto found = loads_.find(pos);
        return found == loads_.end() ? 0 : found->second;
    }
    [[nodiscard]] int all_loads() const {
        const std::lock_guard lock(mutex_);
        int sum = 0;
        for (const auto& [pos, count] : loads_) sum += count;
        return sum;
    }

    Result<std::optional<LoadedChunk>> load(ChunkPos pos, storage::ReadContext& context) override {
        const std::lock_guard lock(mutex_);
        ++loads_[pos];
        if (broken_.contains(pos)) return orbis::fail(Errc::bad_value, "{} is broken", pos);
        const auto found = chunks_.find(pos);
        if (found == chunks_.end()) return std::nullopt;
        context.held = found->second;
        return LoadedChunk{*found->second};
    }

private:
    using Document = std::shared_ptr<const Buffer>;

    /// A chunk of air with one block; made once.
    static Document document_of(const std::string& block) {
        static std::map<std::string, Document> made;
        auto& document = made[block];
        if (document) return document;
        auto chunk = chunk::Chunk::create();
        (void)chunk.set_block({0, 0, 0}, {.key = block, .rotation = {}, .filler = {}});
        Buffer out;
        const auto bytes = chunk.encode(out).value();
        return document = std::make_shared<const Buffer>(bytes.begin(), bytes.end());
    }

    mutable std::mutex mutex_;
    std::map<ChunkPos, Document> chunks_;
    std::map<ChunkPos, int> loads_;
    std::set<ChunkPos> broken_;
};

/// A cache with a real worker; what it hands back runs when the test says so.
struct Workshop {
    explicit Workshop(ChunkCacheRules rules = {})
        : cache(workers, source, ids, clock, [this](auto task) { post(std::move(task)); }, rules) {}

    void post(std::move_only_function<void()> task) {
        const std::lock_guard lock(mutex);
        posted.push_back(std::move(task));
        wake.notify_all();
    }
    /// Runs all that workers have to do and hand back.
    void settle() {
        while (cache.counters().pending > 0) {
            std::vector<std::move_only_function<void()>> tasks;
            {
                std::unique_lock lock(mutex);
                wake.wait(lock, [this] { return !posted.empty(); });
                tasks.swap(posted);
            }
            for (auto& task : tasks) task();
        }
    }

    StillClock clock;
    std::shared_ptr<ImaginedSource> source = std::make_shared<ImaginedSource>();
    WireIds ids;
    std::mutex mutex;
    std::condition_variable wake;
    std::vector<std::move_only_function<void()>> posted;
    EncodeWorkers workers{1};
    EncodedChunkCache cache;
};

/// Notes what it hears.
struct Listener final : ChunkUser {
    std::vector<std::pair<ChunkPos, ChunkAnswer>> heard;
    void on_chunk(ChunkPos pos, const ChunkAnswer& answer) override { heard.emplace_back(pos, answer); }
};

} // namespace orbis::game::test_serve
