#include "bytes/hex.hpp"
#include "protocol/schema_test_support.hpp"
#include "protocol/spans.hpp"
#include "protocol/value_json.hpp"
#include "support/random_value.hpp"
#include "support/vectors.hpp"

#include <gtest/gtest.h>

#include <map>

namespace orbis::protocol {

namespace {

/// Whether the bytes of a span are all in spans inside of it.
bool is_made_of_parts(const Span& span) {
    if (span.part != Part::value && span.part != Part::key) return false;
    if (span.type == nullptr) return true; // the packet
    switch (span.type->kind) {
    case Kind::structure:
    case Kind::choice:
    case Kind::map:
    case Kind::sparse_list: return true;
    case Kind::list:
    case Kind::fixed_list: return !span.type->is_bytes();
    default: return false;
    }
}

/// What is wrong with the spans of a payload that is as the game writes it; empty if nothing is.
std::string fault_of(const SpanLog& log, std::size_t payload) {
    const auto& spans = log.spans();
    if (spans.empty() || spans[0].at != 0 || spans[0].size != payload) return "the packet is not everything";
    std::map<std::uint32_t, std::vector<const Span*>> inside;
    for (std::uint32_t number = 1; number < spans.size(); ++number) {
        if (spans[number].parent >= number) return fmt::format("span {} is before its parent", number);
        inside[spans[number].parent].push_back(&spans[number]);
    }
    for (std::uint32_t number = 0; number < spans.size(); ++number) {
        const auto& span = spans[number];
        auto parts = inside[number];
        std::ranges::stable_sort(parts, {}, &Span::at);
        auto next = span.at;
        std::map<std::uint32_t, unsigned> bits; // by byte: those that have been
        for (const auto* part : parts) {
            if (part->bit >= 0 && part->at + 1 == next && (bits[part->at] >> part->bit & 1U) == 0
                && bits[part->at] != 0) {
                bits[part->at] |= 1U << part->bit;
                continue;
            }
            if (part->bit >= 0) bits[part->at] |= 1U << part->bit;
            if (part->at != next)
                return fmt::format("span {} ({} to {}): a part begins at {}, not {}", number, span.at,
                                   span.end(), part->at, next);
            next = part->end();
        }
        if (next > span.end()) return fmt::format("a part of span {} leads out of it", number);
        if (is_made_of_parts(span) && next != span.end())
            return fmt::format("span {} ({} to {}) is covered up to {} only", number, span.at, span.end(),
                               next);
    }
    return {};
}

/// Every value has a span, and the other way round.
void expect_all_values(const SpanLog& log, const Value& packet, std::string_view name) {
    std::size_t wanted = 0;
    const auto count = [&](const auto& self, const Value& value) -> void {
        if (value.is_absent()) return;
        ++wanted;
        if (const auto* record = value.as<Value::Record>())
            for (const auto& field : record->fields) self(self, field);
        if (const auto* list = value.as<Value::List>())
            for (const auto& each : *list) // flags are one value
                if (each.as<Value::Symbol>() == nullptr || !each.as<Value::Symbol>()->enumeration->is_flags())
                    self(self, each);
        if (const auto* entries = value.as<Value::Entries>())
            for (const auto& [key, mapped] : *entries) {
                self(self, key);
                self(self, mapped);
            }
    };
    count(count, packet);
    const auto values = values_of(log, packet);
    std::size_t found = 0;
    for (std::size_t number = 0; number < values.size(); ++number) {
        const auto part = log.spans()[number].part;
        const bool is_value = part == Part::value || part == Part::key || part == Part::unreadable;
        EXPECT_EQ(values[number] != nullptr, is_value) << name << ", span " << number;
        if (values[number] != nullptr) ++found;
    }
    EXPECT_EQ(found, wanted) << name;
}

void expect_spans_of_vectors(std::string_view build, std::string_view folder) {
    const auto& schema = *find_schema(build).value();
    SpanLog log;
    for (const auto& line : test::vector_lines(folder, "")) {
        const auto tree = JsonTree::parse(line).value();
        const auto& layout = *schema.packet(tree.text("packet"));
        const auto payload = from_hex(tree.text("payload_hex")).value();
        const auto name = fmt::format("{} {} {}", tree.text("packet"), tree.integer("n"), tree.text("case"));
        const auto value = decode_what_parses(layout, payload, schema.read_rules(), log);
        ASSERT_EQ(value, decode_what_parses(layout, payload, schema.read_rules())) << name;
        if (log.is_cut()) continue;
        ASSERT_EQ(fault_of(log, payload.size()), "") << name;
        expect_all_values(log, value, name);
    }
}

/// `name at+size` of all spans of a payload.
std::string spans_text(const Layout& layout, std::string_view hex, ReadRules rules = {}) {
    SpanLog log;
    const auto payload = from_hex(hex).value();
    (void)decode_what_parses(layout, payload, rules, log);
    std::string text;
    for (const auto& span : log.spans())
        text += fmt::format("{}{} {}+{}", text.empty() ? "" : ", ", protocol::name(span.part), span.at,
                            span.size);
    return text;
}

} // namespace

TEST(Spans, NestAndCoverEveryVectorOf20260217) { expect_spans_of_vectors("2026.02.17", "vectors"); }
TEST(Spans, NestAndCoverEveryVectorOf20260326) {
    expect_spans_of_vectors("2026.03.26", "vectors-2026.03.26");
}
TEST(Spans, NestAndCoverEveryVectorOf20260507) {
    expect_spans_of_vectors("2026.05.07", "vectors-2026.05.07");
}
TEST(Spans, NestAndCoverEveryVectorOf051) { expect_spans_of_vectors("0.5.1", "vectors-0.5.1"); }
TEST(Spans, NestAndCoverEveryVectorOf060) { expect_spans_of_vectors("0.6.0-pre.1", "vectors-0.5.1"); }
TEST(Spans, NestAndCoverEveryVectorOfB242) { expect_spans_of_vectors("b242", "vectors-b242"); }

TEST(Spans, NestAndCoverRandomValuesOfEveryPacketOfEveryBuild) {
    for (const auto& build : builds()) {
        const auto& schema = schema_of(build);
        test::RandomValue random(20261118);
        SpanLog log;
        for (const auto& info : schema.registry().packets()) {
            const auto& layout = *schema.packet(info.id);
            Buffer payload;
            ASSERT_TRUE(encode(layout, random.record(layout), payload));
            const auto value = decode_what_parses(layout, payload, schema.read_rules(), log);
            ASSERT_EQ(fault_of(log, payload.size()), "") << build.build << " " << info.name;
            expect_all_values(log, value, info.name);
        }
    }
}

TEST(Spans, OfATextAreItsLengthAndItself) {
    const auto& layout = *usual_schema().packet("ChatMessage");
    EXPECT_EQ(spans_text(layout, "01026869"), "value 0+4, presence 0+1, value 1+3, count 1+1");
    EXPECT_EQ(spans_text(layout, "00"), "value 0+1, presence 0+1");
}

TEST(Spans, OfAbsentFieldsShowTheirPlace) {
    const auto& layout = *usual_schema().packet("Pong");
    EXPECT_EQ(spans_text(layout, "00"
                                 "01000000"
                                 "000000000000000000000000"
                                 "00"
                                 "0000"),
              "value 0+20, presence 0+1, value 1+4, absent 5+12, value 17+1, value 18+2");
}

TEST(Spans, OfFieldsThatDoNotParseReachToTheNext) {
    const auto& layout = *usual_schema().packet("Pong");
    EXPECT_EQ(spans_text(layout, "00"
                                 "01000000"
                                 "000000000000000000000000"
                                 "63"
                                 "0000"),
              "value 0+20, presence 0+1, value 1+4, absent 5+12, unreadable 17+1, value 18+2");
    EXPECT_EQ(spans_text(*usual_schema().packet("ChatMessage"), "01ff"),
              "value 0+2, presence 0+1, unreadable 1+1");
}

TEST(Spans, OfDamagedPayloadsStayInsideOfThem) {
    const auto& schema = usual_schema();
    test::RandomValue random(3);
    SpanLog log;
    for (const auto& info : schema.registry().packets()) {
        const auto& layout = *schema.packet(info.id);
        Buffer payload;
        ASSERT_TRUE(encode(layout, random.record(layout), payload));
        const auto most = std::min<std::size_t>(payload.size(), 200);
        for (std::size_t at = 0; at < most; ++at) {
            auto damaged = payload;
            damaged[at] ^= 0xFF;
            for (const auto bytes : {Bytes(damaged), Bytes(payload).first(at)}) {
                const auto value = decode_what_parses(layout, bytes, {}, log);
                (void)values_of(log, value);
                for (const auto& span : log.spans())
                    ASSERT_LE(std::size_t{span.at} + span.size, bytes.size()) << info.name << " " << at;
            }
        }
    }
}

TEST(Spans, EndAtTheirLimit) {
    const auto& layout = *usual_schema().packet("EntityUpdates");
    constexpr std::size_t k_count = 2 * SpanLog::k_most;
    Value packet{Value::Record{&layout, std::vector<Value>(2)}};
    std::get<Value::Record>(packet.content).fields[0].content =
        Value::List(k_count, Value(Value::Content(std::int64_t{7})));
    Buffer payload;
    ASSERT_TRUE(encode(layout, packet, payload));
    SpanLog log;
    const auto read = decode_what_parses(layout, payload, {}, log);
    EXPECT_EQ(read, packet);
    EXPECT_TRUE(log.is_cut());
    EXPECT_EQ(log.spans().size(), SpanLog::k_most);
    const auto list = std::ranges::find_if(
        log.spans(), [](const Span& span) { return span.type != nullptr && span.type->kind == Kind::list; });
    ASSERT_NE(list, log.spans().end());
    EXPECT_EQ(list->end(), payload.size());
}

} // namespace orbis::protocol
