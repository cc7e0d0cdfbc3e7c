#include "protocol/dialect.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/schema_test_support.hpp"
#include "protocol/transcoder.hpp"
#include "support/amount.hpp"
#include "support/random_value.hpp"

#include <gtest/gtest.h>

namespace orbis::protocol {
namespace {

/// One packet from one build to another, both ways of translating it.
struct BothWays {
    const Layout& from;
    const Layout& to;
    ReadRules rules;
    Transcoder quick;

    BothWays(const Layout& one, const Layout& other, ReadRules read, bool trusts)
        : from(one), to(other), rules(read), quick(one, other, Translation(), trusts) {}

    /// What the translation makes of it; nothing when it refuses.
    [[nodiscard]] std::optional<Buffer> slowly(Bytes payload) const {
        const auto value = decode(from, payload, rules);
        Buffer out;
        if (!value || !encode(to, Translation().record(*value, to), out)) return std::nullopt;
        return out;
    }
    /// Whether it did not give up. If so it is what the translation makes.
    [[nodiscard]] bool agrees(Bytes payload, std::string_view build) const {
        Buffer out{1, 2, 3}; // it appends
        if (!quick.run(payload, out)) {
            EXPECT_EQ(out, (Buffer{1, 2, 3}));
            return false;
        }
        const auto expected = slowly(payload);
        EXPECT_TRUE(expected) << build << " " << from.name << " is refused the other way";
        if (expected) {
            EXPECT_EQ(Buffer(out.begin() + 3, out.end()), *expected) << build << " " << from.name;
        }
        return true;
    }
};

TEST(Transcoder, DoesWhatTheTranslationDoes) {
    test::RandomValue random(7);
    std::size_t quick = 0;
    std::size_t all = 0;
    for (const auto& build : builds()) {
        if (build.build == k_default_build) continue;
        const auto& other = schema_of(build);
        for (const auto& packet : usual_schema().registry().packets()) {
            const auto* usual = usual_schema().packet(packet.id);
            const auto* there = other.packet(packet.name);
            if (there == nullptr) continue;
            const BothWays said(*usual, *there, usual_schema().read_rules(), true);
            const BothWays heard(*there, *usual, other.read_rules(), false);
            for (int round = 0; round < test::amount(8); ++round)
                for (const auto* way : {&said, &heard}) {
                    Buffer payload;
                    ASSERT_TRUE(encode(way->from, random.record(way->from), payload));
                    ++all;
                    if (way->agrees(payload, build.build)) ++quick;
                    if (way == &said || payload.empty()) continue;
                    // And of what strangers send.
                    payload[random.below(payload.size())] ^= static_cast<std::uint8_t>(1U << random.below(8));
                    (void)way->agrees(payload, build.build);
                    payload.resize(random.below(payload.size() + 1));
                    (void)way->agrees(payload, build.build);
                }
        }
    }
    EXPECT_GT(quick, all / 2) << "of " << all;
}

TEST(Transcoder, NeverGivesUpOnWhatMovesInEachTick) {
    const auto* movement = usual_schema().packet("ClientMovement");
    const auto* entities = usual_schema().packet("EntityUpdates");
    test::RandomValue random(9);
    for (const auto& build : builds()) {
        if (build.build == k_default_build || !build.is_spoken) continue;
        const auto& other = schema_of(build);
        const BothWays heard(*other.packet("ClientMovement"), *movement, other.read_rules(), false);
        for (int round = 0; round < 20; ++round) {
            Buffer payload;
            ASSERT_TRUE(encode(heard.from, random.record(heard.from), payload));
            EXPECT_TRUE(heard.agrees(payload, build.build)) << build.build;
        }
        if (!other.unions().contains("ComponentUpdate")) continue; // one struct for all: from values
        const BothWays said(*entities, *other.packet("EntityUpdates"), {}, true);
        const auto* update = usual_schema().layout("EntityUpdate");
        Value::List updates;
        for (int i = 0; i < 5; ++i) {
            Value::Record record{update, {}};
            Value::List components{random.record(*usual_schema().layout("TransformUpdate")),
                                   random.record(*usual_schema().layout("MovementStatesUpdate")),
                                   random.record(*usual_schema().layout("EquipmentUpdate"))};
            for (const auto& field : update->fields) {
                if (field.name == "networkId")
                    record.fields.push_back(Value{std::int64_t{i}});
                else if (field.name == "updates")
                    record.fields.push_back(Value{components});
                else
                    record.fields.emplace_back();
            }
            updates.push_back(Value{std::move(record)});
        }
        Value::Record packet{entities, {}};
        for (const auto& field : entities->fields)
            packet.fields.push_back(field.name == "updates" ? Value{updates} : Value{});
        Buffer payload;
        ASSERT_TRUE(encode(*entities, Value{std::move(packet)}, payload));
        EXPECT_TRUE(said.agrees(payload, build.build)) << build.build;
    }
}

} // namespace
} // namespace orbis::protocol
