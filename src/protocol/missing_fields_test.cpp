#include "protocol/catalogue.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/missing_fields.hpp"

#include <gtest/gtest.h>

namespace orbis::protocol {
namespace {

TEST(MissingFields, ThePlainestPacketOfEveryKindOfEveryBuildCanBeWritten) {
    for (const auto& build : builds()) {
        const auto& schema = schema_of(build);
        for (const auto& info : schema.registry().packets()) {
            const auto& layout = *schema.packet(info.id);
            Buffer payload;
            const auto written = encode(layout, plainest_value(layout), payload);
            ASSERT_TRUE(written) << build.build << ": " << written.error().text();
            const auto read = decode(layout, payload, schema.read_rules(true));
            ASSERT_TRUE(read) << build.build << ": " << read.error().error().text();
            EXPECT_EQ(*read, plainest_value(layout)) << build.build << " " << info.name;
        }
    }
}

TEST(MissingFields, OnlyFieldsThatCannotBeAbsentAreFilled) {
    for (const auto& build : builds()) {
        const auto& schema = schema_of(build);
        for (const auto& info : schema.registry().packets()) {
            const auto& layout = *schema.packet(info.id);
            Value empty{Value::Record{&layout, std::vector<Value>(layout.fields.size())}};
            fill_missing_fields(empty);
            EXPECT_EQ(empty, plainest_value(layout)) << build.build << " " << info.name;
            const auto& fields = empty.as<Value::Record>()->fields;
            for (std::size_t at = 0; at < fields.size(); ++at)
                EXPECT_EQ(fields[at].is_absent(), layout.fields[at].is_nullable()) << info.name;
        }
    }
}

} // namespace
} // namespace orbis::protocol
