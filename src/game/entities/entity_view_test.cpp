#include "game/entities/entity_view.hpp"
#include "packets/entities.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/packet_codec.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <random>
#include <set>

namespace orbis::game {
namespace {

using Components = std::map<ComponentType, Buffer>;

/// A client that knows what packets told it.
class EntityClient {
public:
    std::map<NetworkId, Components> entities;
    std::size_t packets = 0;
    std::size_t own_echoes = 0; ///< own transforms or movement states after the first appearance

    void apply(Bytes payload, NetworkId own = NetworkId::none) {
        if (payload.empty()) return;
        ++packets;
        protocol::Arena arena;
        packets::EntityUpdates packet;
        const auto read = protocol::decode(payload, arena, packet, true);
        ASSERT_TRUE(read) << read.error().error().text();
        if (packet.removed) {
            for (const auto id : *packet.removed)
                EXPECT_EQ(entities.erase(static_cast<NetworkId>(id)), 1U) << "removed and never seen";
        }
        if (!packet.updates) return;
        std::set<NetworkId> updated;
        for (const auto& update : *packet.updates) {
            const auto id = static_cast<NetworkId>(update.network_id);
            EXPECT_TRUE(updated.insert(id).second) << "twice in one packet";
            const bool is_new = !entities.contains(id);
            auto& components = entities[id];
            if (update.removed)
                for (const auto type : *update.removed) components.erase(type);
            if (!update.updates) continue;
            for (const auto& component : *update.updates) {
                const auto made = make_component(component).value();
                if (id == own && !is_new
                    && (made.type == ComponentType::transform || made.type == ComponentType::movement_states))
                    ++own_echoes;
                components[made.type] = made.bytes;
            }
        }
    }
};

Transform transform_at(double x, double y, double z) { return {.position = {x, y, z}}; }

Component named(std::string_view text) {
    std::vector<Component> made;
    add_nameplate(made, text);
    return made.at(0);
}

Component transform_of(const Transform& transform) {
    packets::TransformUpdate update;
    update.transform.position = transform.position;
    update.transform.body_orientation = transform.body;
    update.transform.look_orientation = transform.look;
    return make_component(update).value();
}

TEST(EntityViews, FirstUpdateHasEverythingAndLaterOnesWhatChanged) {
    EntityTable table;
    EntityUpdater updater;
    EntityView view;
    EntityState state{.transform = transform_at(1, 2, 3), .movement = packets::MovementStates{}};
    add_nameplate(state.components, "Kweebec");
    add_model(state.components, "Kweebec_Sapling", 1);
    const auto id = table.add(std::move(state));
    EXPECT_EQ(std::to_underlying(id), 1);
    table.end_tick();

    const Eye eye{.radius = 64};
    EntityClient client;
    client.apply(updater.payload(view, table, eye));
    ASSERT_EQ(client.entities.size(), 1U);
    EXPECT_EQ(client.entities.at(id).size(), 4U);
    EXPECT_EQ(client.entities.at(id).at(ComponentType::transform), transform_of(transform_at(1, 2, 3)).bytes);
    EXPECT_TRUE(updater.payload(view, table, eye).empty());
    table.end_tick();
    EXPECT_TRUE(updater.payload(view, table, eye).empty());

    table.move(id, transform_at(4, 5, 6));
    table.end_tick();
    const auto moved = updater.payload(view, table, eye);
    EXPECT_EQ(moved.size(), 9 + 1 + 13 + 1 + 50U);
    client.apply(moved);
    EXPECT_EQ(client.entities.at(id).at(ComponentType::transform), transform_of(transform_at(4, 5, 6)).bytes);

    table.unset(id, ComponentType::nameplate);
    table.end_tick();
    client.apply(updater.payload(view, table, eye));
    EXPECT_FALSE(client.entities.at(id).contains(ComponentType::nameplate));

    table.remove(id);
    table.end_tick();
    client.apply(updater.payload(view, table, eye));
    EXPECT_TRUE(client.entities.empty());
    EXPECT_EQ(client.packets, 4U);
}

TEST(EntityViews, OwnMovementIsToldOnce) {
    EntityTable table;
    EntityUpdater updater;
    EntityView view;
    const auto own = table.add({.movement = packets::MovementStates{}});
    table.end_tick();
    const Eye eye{.radius = 64, .own = own};
    EntityClient client;
    client.apply(updater.payload(view, table, eye), own);
    EXPECT_EQ(client.entities.at(own).size(), 1U) << "its place, and not how it moves";
    table.move(own, transform_at(1, 0, 0), {.running = true});
    table.end_tick();
    EXPECT_TRUE(updater.payload(view, table, eye).empty());
    table.move(own, transform_at(2, 0, 0), {.running = true});
    table.set(own, named("Now with a name"));
    table.end_tick();
    client.apply(updater.payload(view, table, eye), own);
    EXPECT_EQ(client.own_echoes, 0U);
    EXPECT_EQ(client.entities.at(own).at(ComponentType::nameplate), named("Now with a name").bytes);
}

TEST(EntityViews, SmallThingsVanishBeforeLargeOnes) {
    EXPECT_TRUE(is_near_enough(99.0 * 99, 0.35F, 384));
    EXPECT_FALSE(is_near_enough(101.0 * 101, 0.35F, 384));
    EXPECT_TRUE(is_near_enough(384.0 * 384, 6, 384));
    EXPECT_FALSE(is_near_enough(385.0 * 385, 100, 384));
}

TEST(EntityViews, MarkersAreForBuilders) {
    EntityTable table;
    EntityUpdater updater;
    EntityView view;
    const auto marker = table.add({.is_for_builders = true});
    table.end_tick();
    EntityClient client;
    Eye eye{.radius = 64};
    client.apply(updater.payload(view, table, eye));
    EXPECT_TRUE(client.entities.empty());
    eye.is_builder = true;
    client.apply(updater.payload(view, table, eye));
    EXPECT_TRUE(client.entities.contains(marker));
    eye.is_builder = false;
    client.apply(updater.payload(view, table, eye));
    EXPECT_TRUE(client.entities.empty());
}

TEST(EntityViews, FramesDecompressToThePayload) {
    EntityTable table;
    EntityUpdater updater;
    std::vector<NetworkId> ids;
    for (int i = 0; i < 50; ++i)
        ids.push_back(table.add(
            {.transform = transform_at(i, 1.0 / (i + 1), 3), .movement = packets::MovementStates{}}));
    table.end_tick();
    EntityView one;
    EntityView other;
    const Eye eye{.radius = 64};
    const auto payload = updater.payload(one, table, eye);
    const Buffer expected(payload.begin(), payload.end());
    const auto frame = updater.frame(other, table, eye).value();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->packet(), 161);
    Decompressor decompressor;
    const auto content = decompressor.decompress(frame->frame().bytes().subspan(8), expected.size(), 1 << 20);
    ASSERT_TRUE(content);
    EXPECT_TRUE(std::ranges::equal(*content, expected));
    EXPECT_FALSE(updater.frame(other, table, eye).value());
}

/// A world whose truth is kept beside the table, and players who look at it.
class History {
public:
    explicit History(std::uint32_t seed) : random_(seed) {}

    void run(int ticks) {
        for (int tick = 0; tick < ticks; ++tick) {
            const auto changes = pick(30);
            for (int i = 0; i < changes; ++i) change();
            table_.end_tick();
            for (auto& viewer : viewers_)
                if (pick(4) > 0) look(viewer); // others fall behind
        }
        for (auto& viewer : viewers_) look(viewer);
    }

    std::size_t seen = 0; ///< entities compared

private:
    struct Truth {
        Transform transform;
        float box_side = 1;
        Components components{};
    };
    struct Viewer {
        EntityView view{};
        EntityClient client{};
        Eye eye;
    };

    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    packets::Position place() { return {pick(900) - 450.0, pick(320) + 0.5, pick(900) - 450.0}; }
    NetworkId any() { return std::next(truth_.begin(), pick(static_cast<int>(truth_.size())))->first; }
    bool is_own(NetworkId id) {
        return std::ranges::any_of(viewers_, [&](const Viewer& viewer) { return viewer.eye.own == id; });
    }

    void add() {
        Truth truth{.transform = {.position = place()}, .box_side = 0.25F * static_cast<float>(pick(12))};
        EntityState state{.transform = truth.transform, .box_side = truth.box_side};
        if (pick(2) == 0) {
            state.movement = packets::MovementStates{.walking = true};
            truth.components[ComponentType::movement_states] =
                make_component(packets::MovementStatesUpdate{*state.movement}).value().bytes;
        }
        if (pick(2) == 0) {
            state.components.push_back(named("A"));
            truth.components[ComponentType::nameplate] = named("A").bytes;
        }
        truth.components[ComponentType::transform] = transform_of(truth.transform).bytes;
        const auto id = table_.add(std::move(state));
        EXPECT_TRUE(truth_.empty() || truth_.rbegin()->first < id);
        truth_[id] = truth;
    }

    void change() {
        if (truth_.size() < 20 || pick(12) == 0) return add();
        const auto id = any();
        auto& truth = truth_.at(id);
        switch (pick(6)) {
        case 0:
            if (is_own(id)) return;
            table_.remove(id);
            truth_.erase(id);
            return;
        case 1: {
            const auto text = std::to_string(pick(5));
            table_.set(id, named(text));
            truth.components[ComponentType::nameplate] = named(text).bytes;
            return;
        }
        case 2:
            table_.unset(id, ComponentType::nameplate);
            truth.components.erase(ComponentType::nameplate);
            return;
        case 3:
            if (viewers_.size() < 6 && !is_own(id))
                viewers_.push_back({.eye = {.radius = 64.0 + 32 * pick(10), .own = id}});
            return;
        default:
            truth.transform = {.position = place(), .body = {.yaw = 1}, .look = {.pitch = 0.5F}};
            truth.components[ComponentType::transform] = transform_of(truth.transform).bytes;
            if (pick(2) == 0) return table_.move(id, truth.transform);
            packets::MovementStates movement{.jumping = pick(2) == 0};
            truth.components[ComponentType::movement_states] =
                make_component(packets::MovementStatesUpdate{movement}).value().bytes;
            table_.move(id, truth.transform, movement);
        }
    }

    void look(Viewer& viewer) {
        if (pick(3) > 0) viewer.eye.at = truth_.at(viewer.eye.own).transform.position;
        viewer.client.apply(updater_.payload(viewer.view, table_, viewer.eye), viewer.eye.own);
        EXPECT_EQ(viewer.client.own_echoes, 0U);
        std::map<NetworkId, Components> expected;
        for (const auto& [id, truth] : truth_) {
            const auto dx = truth.transform.position.x - viewer.eye.at.x;
            const auto dy = truth.transform.position.y - viewer.eye.at.y;
            const auto dz = truth.transform.position.z - viewer.eye.at.z;
            const auto distance2 = dx * dx + dy * dy + dz * dz;
            const auto visible =
                distance2 <= viewer.eye.radius * viewer.eye.radius && truth.box_side >= 3.5e-5 * distance2;
            if (visible || id == viewer.eye.own) expected[id] = truth.components;
        }
        // A player knows where it is itself: what it was told first stays.
        auto got = viewer.client.entities;
        for (auto* own : {&expected[viewer.eye.own], &got[viewer.eye.own]}) {
            own->erase(ComponentType::transform);
            own->erase(ComponentType::movement_states);
        }
        EXPECT_EQ(got, expected);
        EXPECT_EQ(viewer.view.size(), expected.size());
        seen += expected.size();
    }

    std::mt19937 random_;
    EntityTable table_;
    EntityUpdater updater_;
    std::map<NetworkId, Truth> truth_;
    std::vector<Viewer> viewers_;
};

TEST(EntityViews, AnyHistoryLeavesClientsWithExactlyWhatTheySee) {
    std::size_t seen = 0;
    for (std::uint32_t seed = 0; seed < 40 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        History history(seed);
        history.run(60);
        seen += history.seen;
    }
    EXPECT_GT(seen, 10'000U);
}

/// All dialects of builds that servers speak.
std::vector<const protocol::Dialect*> spoken_dialects() {
    std::vector<const protocol::Dialect*> found;
    for (const auto& build : protocol::builds())
        if (build.is_spoken && build.build != protocol::k_default_build)
            found.push_back(protocol::Dialect::of(build));
    return found;
}

TEST(EntityTable, PlacesAreFiniteWhateverAWorldHolds) {
    EntityTable table;
    EntityUpdater updater;
    EntityView view;
    constexpr auto k_none = std::numeric_limits<double>::quiet_NaN();
    constexpr auto k_far = std::numeric_limits<float>::infinity();
    const auto id = table.add({.transform = {.position = {k_none, 70, 5}, .body = {.yaw = k_far}}});
    table.end_tick();
    EntityClient client;
    client.apply(updater.payload(view, table, {.at = {0, 70, 0}, .radius = 500, .own = id}), id);
    const auto same = table.add({.transform = {.position = {0, 70, 5}}});
    table.end_tick();
    client.apply(updater.payload(view, table, {.at = {0, 70, 0}, .radius = 500, .own = id}), id);
    EXPECT_EQ(client.entities.at(id).at(ComponentType::transform),
              client.entities.at(same).at(ComponentType::transform));
}

TEST(Wording, UpdatesForOtherBuildsAreThoseThatATranslationWouldGive) {
    std::size_t with_wording = 0;
    std::size_t with_same_transforms = 0;
    for (const auto* dialect : spoken_dialects()) {
        SCOPED_TRACE(dialect->build().build);
        const auto* wording = Wording::of(*dialect);
        EXPECT_EQ(wording, Wording::of(*dialect)) << "made once";
        if (wording == nullptr) continue;
        ++with_wording;
        EXPECT_TRUE(wording->differs(ComponentType::movement_states));
        with_same_transforms += wording->differs(ComponentType::transform) ? 0U : 1U;
        std::mt19937 random(7);
        EntityTable table;
        EntityUpdater updater;
        std::array<EntityView, 2> usual;
        std::array<EntityView, 2> other{EntityView(wording), EntityView(wording)};
        std::vector<NetworkId> ids;
        const auto& word = *dialect->said_by(protocol::Side::server, packets::EntityUpdates::k_info.id);
        int translated = 0;
        for (int tick = 0; tick < 120; ++tick) {
            if (ids.size() < 12) {
                EntityState state{.transform = transform_at(static_cast<double>(random() % 50), 70, 0)};
                if (random() % 3 > 0) state.movement.emplace();
                add_nameplate(state.components, "Somebody");
                if (random() % 2 > 0) add_model(state.components, "Player", 1);
                ids.push_back(table.add(std::move(state)));
            }
            for (const auto id : ids) {
                packets::MovementStates states;
                states.jumping = random() % 4 == 0;
                states.sprinting = random() % 4 == 0;
                auto to = transform_at(static_cast<double>(random() % 50), 70, 1.0 / 3);
                to.body.yaw = -static_cast<float>(random() % 700) / 100;
                to.look.pitch = static_cast<float>(random() % 300) / 100;
                if (random() % 2 > 0) table.move(id, to, states);
            }
            if (random() % 5 == 0) table.set(ids[random() % ids.size()], named(fmt::format("{}", tick)));
            if (random() % 5 == 0) table.unset(ids[random() % ids.size()], ComponentType::model);
            if (random() % 7 == 0) {
                table.remove(ids.back());
                ids.pop_back();
            }
            if (random() % 9 > 0) table.end_tick(); // else two ticks are told at once
            const Eye eye{.at = {0, 70, 0}, .radius = 500, .own = ids.empty() ? NetworkId::none : ids[0]};
            if (random() % 6 == 0) continue; // a viewer that was not asked in this tick
            for (std::size_t viewer = 0; viewer < 2;
                 ++viewer) { // the second gets what the first has asked for
                auto eyes = eye;
                if (viewer == 1) eyes.own = NetworkId::none;
                const auto plain = updater.payload(usual[viewer], table, eyes);
                const Buffer said_plainly(plain.begin(), plain.end());
                const auto said = updater.payload(other[viewer], table, eyes);
                Buffer expected;
                if (!said_plainly.empty()) {
                    ASSERT_TRUE(dialect->say(word, said_plainly, expected));
                }
                ASSERT_EQ(Buffer(said.begin(), said.end()), expected) << "tick " << tick;
                translated += expected != said_plainly ? 1 : 0;
            }
        }
        EXPECT_GT(translated, 30) << "what differs was there";
    }
    EXPECT_EQ(with_wording, spoken_dialects().size());
    EXPECT_EQ(with_same_transforms, with_wording - 2) << "the first builds have one struct for all";
}

} // namespace
} // namespace orbis::game
