#include "capture/made_records_test.hpp"
#include "capture/personal.hpp"

#include <gtest/gtest.h>

namespace orbis::capture {
namespace {

/// Whether a field has something in it that nobody else should have, by its name and type.
bool sounds_personal(const protocol::Field& field) {
    const bool is_content = field.type.kind == protocol::Kind::text || field.type.is_bytes();
    const auto has = [&](std::string_view part) { return field.name.find(part) != std::string::npos; };
    return is_content
           && (has("Token") || has("Grant") || has("assword") || has("hallenge") || has("referralData"));
}

TEST(PersonalData, EveryFieldThatSoundsPersonalIsLeftOutInEveryBuild) {
    PersonalData personal;
    RecordDecoder decoder;
    for (const auto& build : protocol::builds()) {
        const auto& schema = protocol::schema_of(build);
        std::size_t found = 0;
        for (const auto& packet : schema.registry().packets()) {
            const auto* layout = schema.packet(packet.id);
            if (std::ranges::none_of(layout->fields, sounds_personal)) continue;
            ++found;
            // A packet with all of these, and with what else it must have.
            protocol::Value value = protocol::decode_what_parses(*layout, Buffer(layout->var_start), {});
            auto& record = std::get<protocol::Value::Record>(value.content);
            for (std::size_t at = 0; at < layout->fields.size(); ++at) {
                const auto& field = layout->fields[at];
                if (field.type.kind == protocol::Kind::text)
                    record.fields[at] = protocol::Value(std::string("secret"));
                else if (field.type.is_bytes() && field.type.kind == protocol::Kind::list)
                    record.fields[at] = protocol::Value(Buffer{'s', 'e', 'c', 'r', 'e', 't'});
                else if (field.is_nullable())
                    record.fields[at] = {};
                else if (field.type.kind == protocol::Kind::list)
                    record.fields[at] = protocol::Value(protocol::Value::List{});
            }
            Buffer payload;
            const auto encoded = protocol::encode(*layout, value, payload);
            ASSERT_TRUE(encoded) << build.build << " " << packet.name << ": " << encoded.error().text();
            protocol::PayloadFramer framer;
            const auto frame = framer.frame(packet, payload).value();
            Record captured;
            captured.set_build(build);
            captured.frame = frame;
            captured.length = frame.size();
            personal.leave_out(captured);
            EXPECT_EQ(captured.left_out, LeftOut::fields) << build.build << " " << packet.name;
            EXPECT_EQ(captured.frame.size(), frame.size());
            const auto read = decoder.strict_value(captured);
            ASSERT_TRUE(read) << build.build << " " << packet.name << ": " << read.error().text();
            for (const auto& field : layout->fields) {
                if (!sounds_personal(field)) continue;
                const auto* now = (*read)->find(field.name);
                const auto* text = now->as<std::string>();
                const auto* bytes = now->as<Buffer>();
                EXPECT_TRUE(text != nullptr ? *text == "xxxxxx" : bytes != nullptr && *bytes == Buffer(6))
                    << build.build << " " << packet.name << "." << field.name;
            }
        }
        EXPECT_GE(found, 6U) << build.build;
    }
}

TEST(PersonalData, OtherFramesStayAsTheyAre) {
    const auto visit = made::visit();
    PersonalData personal;
    for (const std::size_t at : {3U, 4U, 6U, 7U}) {
        auto record = visit.all()[at];
        personal.leave_out(record);
        EXPECT_EQ(record.left_out, LeftOut::nothing);
        EXPECT_EQ(record.frame.data(), visit.all()[at].frame.data());
    }
}

TEST(PersonalData, WhatCannotBeReadGoesAsAWhole) {
    PersonalData personal;
    auto frame = made::frame("AuthToken", R"({"accessToken":"secret","serverAuthorizationGrant":"grant"})");
    frame[16] = 0x7f; // a length that leads out of the payload
    frame[17] = 0x7f;
    for (const auto cut : {std::size_t{0}, frame.size() / 2}) {
        Record record;
        record.set_build("2026.02.17");
        record.frame = Bytes(frame).first(frame.size() - cut);
        record.length = frame.size();
        personal.leave_out(record);
        EXPECT_EQ(record.left_out, LeftOut::payload);
        EXPECT_EQ(record.frame.size(), 8U);
        EXPECT_EQ(record.length, frame.size());
    }
}

} // namespace
} // namespace orbis::capture
