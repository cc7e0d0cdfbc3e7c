#include "protocol/catalogue.hpp"
#include "protocol/json_tree.hpp"
#include "support/both_codecs.hpp"
#include "support/vectors.hpp"

#include <gtest/gtest.h>

// The builds that have no C++ packets in the program are generated for this test, and checked against the
// schema-driven codec, which knows them all. The list comes from cmake/protocol.cmake.
#define ORBIS_BUILD(text, space)                                                                             \
    namespace orbis::protocol::space {                                                                       \
    Registry registry();                                                                                     \
    std::span<const PacketCode> packet_codes();                                                              \
    }
#include "all_builds.inc"
#undef ORBIS_BUILD

namespace orbis::protocol {

namespace {

struct Build {
    std::string_view name;
    std::span<const PacketCode> codes;
};

std::vector<Build> generated_builds() {
    return {
#define ORBIS_BUILD(text, space) {text, space::packet_codes()},
#include "all_builds.inc"
#undef ORBIS_BUILD
    };
}

} // namespace

TEST(AllBuilds, AreGenerated) {
    EXPECT_EQ(generated_builds().size() + 1, builds().size()) << "all but the one that the program has";
    for (const auto& build : generated_builds())
        EXPECT_EQ(build.codes.size(), find_schema(build.name).value()->registry().packets().size())
            << build.name;
}

TEST(AllBuilds, EveryVectorIsReadAndWrittenAgain) {
    for (const auto& build : generated_builds()) {
        const auto rules = find_schema(build.name).value()->read_rules();
        for (const auto& line : test::vector_lines("vectors-" + std::string(build.name), "")) {
            const auto vector = JsonTree::parse(line).value();
            const auto code = std::ranges::find(build.codes, vector.text("packet"),
                                                [](const PacketCode& each) { return each.info.name; });
            ASSERT_NE(code, build.codes.end()) << build.name << " " << vector.text("packet");
            const auto payload = from_hex(vector.text("payload_hex")).value();
            const auto reading = test::read_and_write(*code, payload, rules);
            ASSERT_EQ(reading.fault, Fault::none) << build.name << " " << code->info.name;
            ASSERT_EQ(to_hex(reading.again), vector.text("payload_hex"))
                << build.name << " " << code->info.name << " " << vector.integer("n");
        }
    }
}

TEST(AllBuilds, GeneratedCodeAgreesWithTheSchemaCodecOnRandomValues) {
    test::RandomValue random(15);
    for (const auto& build : generated_builds()) {
        const auto& schema = *find_schema(build.name).value();
        for (const auto& code : build.codes)
            for (int round = 0; round < 4; ++round) {
                const auto& layout = *schema.packet(code.info.id);
                Buffer payload;
                ASSERT_TRUE(encode(layout, random.record(layout), payload));
                const auto reading = test::read_and_write(code, payload, schema.read_rules());
                ASSERT_EQ(reading.fault, Fault::none) << build.name << " " << code.info.name;
                ASSERT_EQ(to_hex(reading.again), to_hex(payload)) << build.name << " " << code.info.name;
            }
    }
}

TEST(AllBuilds, GeneratedCodeAgreesWithTheSchemaCodecOnDamagedBytes) {
    test::RandomValue random(16);
    for (const auto& build : generated_builds()) {
        const auto& schema = *find_schema(build.name).value();
        for (const auto& code : build.codes) {
            const auto& layout = *schema.packet(code.info.id);
            Buffer payload;
            ASSERT_TRUE(encode(layout, random.record(layout), payload));
            for (int damage = 0; damage < 25; ++damage)
                ASSERT_NO_FATAL_FAILURE(
                    test::expect_same(code, layout, test::damaged(payload, random), schema.read_rules()))
                    << build.name;
        }
    }
}

} // namespace orbis::protocol
