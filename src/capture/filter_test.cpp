#include "capture/filter.hpp"
#include "capture/made_records_test.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

namespace orbis::capture {
namespace {

/// The numbers of the records of a visit that a filter takes.
std::vector<std::size_t> taken(std::string_view text) {
    static const auto visit = made::visit();
    auto filter = Filter::parse(text);
    EXPECT_TRUE(filter) << filter.error().text();
    std::vector<std::size_t> out;
    if (!filter) return out;
    Matcher matcher(*filter);
    for (std::size_t at = 0; at < visit.all().size(); ++at)
        if (matcher.matches(visit.all()[at])) out.push_back(at);
    return out;
}

using Numbers = std::vector<std::size_t>;

TEST(Filter, AsksAboutHeaders) {
    EXPECT_EQ(taken("packet = ChatMessage"), (Numbers{4, 5}));
    EXPECT_EQ(taken("ChatMessage"), (Numbers{4, 5}));
    EXPECT_EQ(taken("packet ~ set*"), (Numbers{3, 6}));
    EXPECT_EQ(taken("packet ~ Mess"), (Numbers{4, 5}));
    EXPECT_EQ(taken("packet = 131"), (Numbers{6}));
    EXPECT_EQ(taken("id < 3"), (Numbers{0}));
    EXPECT_EQ(taken("category = auth"), (Numbers{1, 2}));
    EXPECT_EQ(taken("to client"), (Numbers{1, 3, 6}));
    EXPECT_EQ(taken("from client"), (Numbers{0, 2, 4, 5, 7}));
    EXPECT_EQ(taken("to = server"), (Numbers{0, 2, 4, 5, 7}));
    EXPECT_EQ(taken("to != server"), (Numbers{1, 3, 6}));
    EXPECT_EQ(taken("channel = chunks"), (Numbers{6}));
    EXPECT_EQ(taken("channel != Default"), (Numbers{6}));
    EXPECT_EQ(taken("player = 2"), (Numbers{5}));
    EXPECT_EQ(taken("session >= 2"), (Numbers{5}));
    EXPECT_EQ(taken("size > 100"), (Numbers{0}));
    EXPECT_EQ(taken("build = 2026.02.17"), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(taken("build = -1356075132 and player = 2"), (Numbers{5}));
    EXPECT_EQ(taken("build = 0.5.1"), Numbers{});
}

TEST(Filter, AsksAboutFields) {
    EXPECT_EQ(taken(R"(ChatMessage.message ~ "hello")"), (Numbers{4}));
    EXPECT_EQ(taken(R"(ChatMessage.message = "Hello world")"), (Numbers{4}));
    EXPECT_EQ(taken(R"(ChatMessage.message = "hello world")"), Numbers{});
    EXPECT_EQ(taken(R"(ChatMessage.message ~ "h*d")"), (Numbers{4}));
    EXPECT_EQ(taken(R"(ChatMessage.message ~ "?ye")"), (Numbers{5}));
    EXPECT_EQ(taken(R"(ChatMessage.message != bye)"), (Numbers{4}));
    EXPECT_EQ(taken(R"(ChatMessage.message !~ bye)"), (Numbers{4}));
    EXPECT_EQ(taken(R"(not ChatMessage.message ~ bye and packet ~ chat)"), (Numbers{4}));
    EXPECT_EQ(taken("SetClientId.clientId = 42"), (Numbers{3}));
    EXPECT_EQ(taken("SetClientId.clientId > 41.5"), (Numbers{3}));
    EXPECT_EQ(taken("SetChunk.z = -3"), (Numbers{6}));
    EXPECT_EQ(taken("SetChunk.z < -3"), Numbers{});
    EXPECT_EQ(taken("SetChunk.localLight"), Numbers{});
    EXPECT_EQ(taken("SetChunk.localLight = null"), (Numbers{6}));
    EXPECT_EQ(taken("SetChunk.data != null"), (Numbers{6}));
    EXPECT_EQ(taken("SetChunk.data ~ 0000"), (Numbers{6}));
    EXPECT_EQ(taken("Connect.clientType = Game"), (Numbers{0}));
    EXPECT_EQ(taken("Connect.uuid = 00112233-4455-6677-8899-AABBCCDDEEFF"), (Numbers{0}));
    EXPECT_EQ(taken("Connect.uuid ~ aabb"), (Numbers{0}));
    EXPECT_EQ(taken("SendWindowAction.action.slot = 3"), (Numbers{7}));
    EXPECT_EQ(taken("SendWindowAction.action.$type = SelectSlotAction"), (Numbers{7}));
    EXPECT_EQ(taken("SendWindowAction.action.$type = SortItemsAction"), Numbers{});
    EXPECT_EQ(taken("*.username = Ada"), (Numbers{0}));
    EXPECT_EQ(taken("*.id = 12"), (Numbers{7}));
}

TEST(Filter, JoinsQuestions) {
    EXPECT_EQ(taken("to server and size > 100"), (Numbers{0}));
    EXPECT_EQ(taken("player = 2 or SetClientId or to client and channel = chunks"), (Numbers{3, 5, 6}));
    EXPECT_EQ(taken("(player = 2 or SetClientId) and to client"), (Numbers{3}));
    EXPECT_EQ(taken("!(to server)"), (Numbers{1, 3, 6}));
    EXPECT_EQ(taken("not not to server && player=2"), (Numbers{5}));
    EXPECT_EQ(taken("SetClientId||SetChunk"), (Numbers{3, 6}));
}

TEST(Filter, LooksIntoListsAndMaps) {
    made::Records records;
    records.add(Side::client, "ServerTags", R"({"tags":[["red",1],["blue",2]]})");
    records.add(Side::client, "EntityUpdates",
                R"({"removed":[5,7],"updates":[{"networkId":9,"removed":null,"updates":null},)"
                R"({"networkId":11,"removed":["Nameplate"],"updates":null}]})");
    const auto matches = [&](std::string_view text, std::size_t at) {
        auto filter = Filter::parse(text);
        EXPECT_TRUE(filter) << filter.error().text();
        return filter && Matcher(*filter).matches(records.all()[at]);
    };
    EXPECT_TRUE(matches("ServerTags.tags[blue] = 2", 0));
    EXPECT_FALSE(matches("ServerTags.tags[red] = 2", 0));
    EXPECT_TRUE(matches("ServerTags.tags[] = 2", 0));
    EXPECT_TRUE(matches("EntityUpdates.removed = 7", 1));
    EXPECT_TRUE(matches("EntityUpdates.removed[1] = 7", 1));
    EXPECT_FALSE(matches("EntityUpdates.removed[0] = 7", 1));
    EXPECT_TRUE(matches("EntityUpdates.updates[].networkId = 11", 1));
    EXPECT_TRUE(matches("EntityUpdates.updates.networkId = 9", 1));
    EXPECT_FALSE(matches("EntityUpdates.updates[0].networkId = 11", 1));
    EXPECT_FALSE(matches("EntityUpdates.updates.networkId != 11", 1)) << "one of them is";
    EXPECT_TRUE(matches("EntityUpdates.updates.removed = Nameplate", 1));
    EXPECT_TRUE(matches("*.updates.networkId > 10", 1));
    EXPECT_FALSE(matches("*.updates.networkId > 10", 0));
}

TEST(Filter, DecodesOnlyWhatItMust) {
    const auto visit = made::visit();
    const auto decoded = [&](std::string_view text) {
        Matcher matcher(Filter::parse(text).value());
        for (const auto& record : visit.all()) (void)matcher.matches(record);
        return matcher.decoded();
    };
    EXPECT_EQ(decoded("to server and size > 3"), 0U);
    EXPECT_EQ(decoded("ChatMessage.message ~ hello"), 2U);
    EXPECT_EQ(decoded("player = 2 and ChatMessage.message ~ hello"), 1U);
    EXPECT_EQ(decoded("player = 1 or ChatMessage.message ~ hello"), 1U);
    EXPECT_EQ(decoded("*.username = Ada"), 1U) << "no other packet has the field";
}

TEST(Filter, KnowsThePacketsOfEachBuild) {
    made::Records records;
    records.add(Side::server, "ClientDisconnect", R"({"reason":"Crash","type":"Crash"})", 1, "2026.03.26");
    auto& unknown = records.add(Side::server, "ChatMessage", R"({"message":"a"})");
    unknown.build = nullptr;
    unknown.build_name = "777";
    const auto matches = [&](std::string_view text, std::size_t at) {
        return Matcher(Filter::parse(text).value()).matches(records.all()[at]);
    };
    EXPECT_TRUE(matches("ClientDisconnect.reason = Crash", 0));
    EXPECT_FALSE(matches("Disconnect", 0)) << "which the usual build calls that id";
    EXPECT_FALSE(matches("ChatMessage", 1)) << "nobody knows what packets this build has";
    EXPECT_TRUE(matches("id = 211 and build = 777", 1));
}

TEST(Filter, MistakesSayWhatIsPossible) {
    const auto said = [](std::string_view text) {
        const auto filter = Filter::parse(text);
        EXPECT_FALSE(filter) << text;
        return filter ? "" : filter.error().text();
    };
    EXPECT_EQ(said("packet = ChatMesage"),
              "filter, column 10: unknown packet ChatMesage; did you mean ChatMessage?");
    EXPECT_EQ(said("to server and ChatMesage.message ~ a"),
              "filter, column 15: unknown packet ChatMesage; did you mean ChatMessage?");
    EXPECT_EQ(said("ChatMessage.mesage ~ a"),
              "filter, column 13: ChatMessage has no field mesage here; did you mean message?");
    EXPECT_EQ(said("SetChunk.zzzzzzz = 1"), "filter, column 10: SetChunk has no field zzzzzzz here; there "
                                            "are data, globalLight, localLight, x, y, z");
    EXPECT_EQ(said("SetClientId.clientId.x = 1"),
              "filter, column 22: SetClientId has nothing inside at this place");
    EXPECT_EQ(said("*.nothingHasThis = 1"), "filter, column 3: no packet has a field nothingHasThis");
    EXPECT_EQ(said("SetClientId.clientId = many"), "filter, column 22: this is a number, \"many\" is none");
    EXPECT_EQ(said("SetClientId.clientId ~ 4"),
              "filter, column 22: this is a number: use =, !=, <, <=, > or >=");
    EXPECT_EQ(said("ChatMessage.message < a"), "filter, column 21: this is text: use =, !=, ~ or !~");
    EXPECT_EQ(said("Connect.clientType = Gane"),
              "filter, column 20: ClientType has no value \"Gane\"; did you mean Game?");
    EXPECT_EQ(said("size > big"), "filter, column 8: size is a number, \"big\" is none");
    EXPECT_EQ(said("channel = chonks"),
              "filter, column 11: unknown channel \"chonks\"; there are Default, Chunks, WorldMap and Voice");
    EXPECT_EQ(
        said("build = 1.0"),
        "filter, column 9: unknown build \"1.0\"; there are 2026.01.17, 2026.02.06, 2026.02.17, 2026.03.26, "
        "2026.05.07, 0.5.0-pre.8, 0.5.1, 0.6.0-pre.1, b242");
    EXPECT_EQ(said("to nowhere"), "filter, column 4: expected server or client, found \"nowhere\"");
    EXPECT_EQ(said("(to server"), "filter, column 11: expected `)` for the one in column 1, found the end");
    EXPECT_EQ(said("to server to client"),
              "filter, column 11: expected `and`, `or` or the end, found \"to\"");
    EXPECT_EQ(said("size 5"),
              "filter, column 6: expected a comparison such as = or > after size, found \"5\"");
    EXPECT_EQ(said("size >"), "filter, column 7: expected a value after >, found the end");
    EXPECT_EQ(said("ChatMessage = 3"),
              "filter, column 13: a packet has no value: write ChatMessage alone, or ChatMessage.FIELD = …");
    EXPECT_EQ(said("a = \"open"), "filter, column 5: the quote is not closed");
    EXPECT_EQ(said("size > 3 ; x"), "filter, column 10: \";\" means nothing here");
    EXPECT_EQ(said(""), "filter, column 1: the filter is empty; try `packet = ChatMessage` or `size > 1000`");
    EXPECT_EQ(said(std::string(100, '(') + "to server"), "filter, column 65: nested deeper than 64 times");
    EXPECT_EQ(said("ChatMessage.message[ = a"), "filter, column 20: the bracket is not closed");
}

TEST(Filter, AnyTextIsNoHarm) {
    SEEDED_RANDOM(random);
    const std::array<std::string_view, 24> words{"and",
                                                 "or",
                                                 "not",
                                                 "(",
                                                 ")",
                                                 "ChatMessage",
                                                 ".message",
                                                 "[",
                                                 "]",
                                                 "[]",
                                                 "=",
                                                 "~",
                                                 "!",
                                                 "\"",
                                                 "*",
                                                 ".",
                                                 "$type",
                                                 "to",
                                                 "server",
                                                 "size",
                                                 "5",
                                                 "null",
                                                 "EntityUpdates.updates.updates",
                                                 "'"};
    const auto visit = made::visit();
    for (int turn = 0; turn < 3000; ++turn) {
        std::string text;
        for (auto count = random() % 12; count > 0; --count) {
            text += words.at(random() % words.size());
            if (random() % 2 == 0) text += ' ';
        }
        const auto filter = Filter::parse(text);
        if (!filter) continue;
        Matcher matcher(*filter);
        for (const auto& record : visit.all()) (void)matcher.matches(record);
    }
}

} // namespace
} // namespace orbis::capture
