#include "orbis/count.hpp"

#include "bytes/parallel.hpp"
#include "jobs/inspect/count_blocks.hpp"
#include "library/world_state.hpp"

namespace orbis {
namespace {

/// A job's progress for a function.
class ToldProgress final : public Progress {
public:
    explicit ToldProgress(const std::function<void(std::uint64_t done, std::uint64_t total)>& told)
        : told_(told) {}
    void begin(std::string_view, std::uint64_t total) override {
        total_ = total;
        done_ = 0;
        if (told_) told_(0, total_);
    }
    void step() override {
        ++done_;
        if (told_) told_(done_, total_);
    }

private:
    const std::function<void(std::uint64_t done, std::uint64_t total)>& told_;
    std::uint64_t done_ = 0;
    std::uint64_t total_ = 0;
};

} // namespace

BlockCounts count_blocks(const World& world, const CountOptions& options) {
    ToldProgress progress(options.on_progress);
    const auto threads = options.threads == 0 ? default_threads() : options.threads;
    auto counts = jobs::count_blocks(*world.state()->store(), options.by_y, threads, progress);
    for (auto& problem : counts.problems) world.state()->note(std::move(problem));
    return BlockCounts(std::move(counts));
}

} // namespace orbis
