#include "game/entities/entity_view.hpp"
#include "harness.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <memory>
#include <random>

namespace orbis::bench {

namespace {

using namespace game;

/// A thousand players in groups that see each other, all of them walking, with clients of the usual build or
/// of another one.
class Crowd {
public:
    explicit Crowd(int members, const Wording* wording = nullptr) {
        for (int group = 0; group < 1'000 / members; ++group) {
            for (int member = 0; member < members; ++member) {
                Walker walker;
                walker.at = {group % 32 * 2'000.0 + spread(), 100, group / 32 * 2'000.0 + spread()};
                EntityState state{.transform = {.position = walker.at},
                                  .movement = packets::MovementStates{.on_ground = true},
                                  .box_side = 1.8F};
                add_nameplate(state.components, "Somebody");
                add_model(state.components, "Player", 1);
                walker.id = table_.add(std::move(state));
                walker.view = EntityView(wording);
                walkers_.push_back(std::move(walker));
            }
        }
        tick();
        for (auto& walker : walkers_) (void)updater_.payload(walker.view, table_, eye(walker));
    }

    void tick() {
        for (auto& walker : walkers_) {
            walker.yaw += 0.1F * static_cast<float>(spread() / 20);
            walker.at.x += 0.15 * std::sin(walker.yaw);
            walker.at.z += 0.15 * std::cos(walker.yaw);
            const packets::Direction facing{.yaw = walker.yaw};
            table_.move(walker.id, {walker.at, facing, facing},
                        {.walking = true, .on_ground = random_() % 20 > 0});
        }
        table_.end_tick();
    }
    std::size_t decide() {
        std::size_t bytes = 0;
        for (auto& walker : walkers_) bytes += updater_.payload(walker.view, table_, eye(walker)).size();
        return bytes;
    }
    std::size_t send() {
        std::size_t bytes = 0;
        for (auto& walker : walkers_)
            bytes += updater_.frame(walker.view, table_, eye(walker)).value()->frame().bytes().size();
        return bytes;
    }

private:
    struct Walker {
        NetworkId id{};
        packets::Position at;
        float yaw = 0;
        EntityView view;
    };
    double spread() { return std::uniform_real_distribution<>(-20, 20)(random_); }
    static Eye eye(const Walker& walker) { return {.at = walker.at, .radius = 12 * 32, .own = walker.id}; }

    std::mt19937 random_{1};
    EntityTable table_;
    EntityUpdater updater_;
    std::vector<Walker> walkers_;
};

/// Milliseconds of processor time per tick, the median of many.
template <typename Work>
double milliseconds(int members, Work&& work) {
    Crowd crowd(members);
    std::vector<double> times;
    for (int tick = 0; tick < amount(90, 1); ++tick) {
        const auto begin = std::clock();
        crowd.tick();
        benchmark::DoNotOptimize(work(crowd));
        times.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

void add_rows() {
    add_value({"game: entity updates of 1,000 players, decided", "ms/tick", 5, Better::lower},
              [] { return milliseconds(50, [](Crowd& crowd) { return crowd.decide(); }); });
    add_value({"game: entity updates of 1,000 players, as frames", "ms/tick", 15, Better::lower},
              [] { return milliseconds(50, [](Crowd& crowd) { return crowd.send(); }); });
    add_value({"game: entity updates of 1,000 players, all alone", "ms/tick", 1.5, Better::lower},
              [] { return milliseconds(1, [](Crowd& crowd) { return crowd.decide(); }); });
    add_value({"game: entity updates of 1,000 players", "KiB each", 2, Better::lower}, [] {
        Crowd crowd(50);
        crowd.tick();
        return static_cast<double>(crowd.send()) / 1'000 / 1'024;
    });
    for (const auto& build : protocol::builds()) {
        if (!build.is_spoken || build.build == protocol::k_default_build) continue;
        const auto* wording = Wording::of(*protocol::Dialect::of(build));
        if (wording == nullptr) continue; // whole packets are translated
        // The first builds have one large struct for all components, and no goal.
        const bool is_flat = wording->differs(ComponentType::transform);
        const auto tells = [](const Wording* of) {
            return [crowd = std::make_shared<Crowd>(50, of)] {
                crowd->tick();
                benchmark::DoNotOptimize(crowd->send());
            };
        };
        add_ratio({fmt::format("game: entity updates of 1,000 players of {}, as frames", build.build),
                   fmt::format("× {}", protocol::k_default_build),
                   is_flat ? std::nullopt : std::optional(1.1), Better::lower},
                  tells(wording), tells(nullptr));
    }
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
