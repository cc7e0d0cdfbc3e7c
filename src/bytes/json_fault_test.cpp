#include "bytes/json_fault.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orbis {

namespace {

TEST(JsonFault, ShowsTheWordThatIsNotJson) {
    const auto fault = json_fault("nonsense", 2);
    EXPECT_EQ(fault.problem, R"(expected JSON, found "nonsense")");
    EXPECT_EQ(fault.offset, 0U);
    EXPECT_EQ(json_fault(R"({"a": tru, "b": 1})", 10).problem, R"(expected JSON, found "tru, \"b\": 1}")");
    EXPECT_EQ(json_fault(R"({"a": tru, "b": 1})", 10).offset, 6U);
    EXPECT_EQ(json_fault("[1}", 3).problem, R"(expected JSON, found "}")");
}

TEST(JsonFault, SaysThatTheTextEnds) {
    EXPECT_EQ(json_fault("[1, 2", 6).problem, "the JSON ends too early");
    EXPECT_EQ(json_fault("[1, 2  \n", 9).offset, 8U);
    for (const std::string text : {"", "  \r\n"})
        EXPECT_EQ(json_fault(text, text.size() + 1).problem, "expected JSON, found nothing");
}

TEST(JsonFault, RepeatsLittleOfWhatStrangersWrote) {
    EXPECT_EQ(json_fault(std::string(1000, 'x'), 1).problem,
              R"(expected JSON, found "xxxxxxxxxxxxxxxxxxxx" …)");
    EXPECT_EQ(json_fault("!\x1b\x01", 1).problem, R"(expected JSON, found "!\u001b\u0001")");
    EXPECT_EQ(json_fault("!234567890123456789äö", 1).problem,
              R"(expected JSON, found "!234567890123456789" …)")
        << "letters are not cut";
    for (std::size_t read = 0; read < 300; ++read)
        EXPECT_LT(json_fault(std::string(200, '\x80'), read).problem.size(), 200U);
}

} // namespace

} // namespace orbis
