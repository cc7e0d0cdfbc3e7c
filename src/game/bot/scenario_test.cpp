#include "game/bot/scenario.hpp"
#include "game/bot/test_server_test.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

TEST(Scenario, ReadsEveryKindOfStep) {
    const auto read = Scenario::parse(R"(# a meeting
bots 50
join within 5s
group 50 at 0 80 0
at 1 2.5 3
walk random 10s speed 4
walk to 10 80 -5 within 3s
look 90 -10
bot 2 chat "hello # all"
place Rock_Stone at 1 80 1
break at 1 80 1
wait 250ms
wait chunks 100 within 10s
expect block 1 80 1 is Rock_Stone within 2s
expect chat "hello"
expect players >= 2
expect ping p95 < 50ms
expect time-to-last-chunk <= 1s
leave
)",
                                      "meeting.txt");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->bots, 50U);
    ASSERT_EQ(read->steps.size(), 17U);
    EXPECT_EQ(read->steps[0].within, 5s);
    EXPECT_EQ(std::get<Step::WalkOn>(read->steps[3].act).time, 10s);
    EXPECT_EQ(std::get<Step::WalkOn>(read->steps[3].act).rules.speed, 4);
    EXPECT_EQ(std::get<Step::Chat>(read->steps[6].act).text, "hello # all");
    EXPECT_EQ(read->steps[6].bot, 1U);
    EXPECT_EQ(read->steps[6].line, 9);
    EXPECT_EQ(std::get<Measure>(read->steps[14].act).percentile, 95);
    EXPECT_EQ(std::get<Measure>(read->steps[14].act).value, 50);
}

TEST(Scenario, SaysWhatWasExpectedAndWhatToWrite) {
    const auto text = [](std::string_view scenario) {
        return Scenario::parse(scenario, "a.txt").error().text();
    };
    EXPECT_EQ(text("join\nfly 3\n"),
              "a.txt:2: expected bots, join, group, at, walk, look, chat, place, break, wait, expect or "
              "leave, found 'fly' (docs/formats/scenario.md lists all steps)");
    EXPECT_EQ(text("walk randomly"), "a.txt:1: expected still, straight, random, circle or to, found "
                                     "'randomly' (such as: walk random 10s speed 4, or: walk to 10 80 -5)");
    EXPECT_EQ(text("wait 5"), "a.txt:1: expected a time or 'chunks' such as 500ms, 10s or 2m, found '5' "
                              "(such as: wait 2s, or: wait chunks 100 within 10s)");
    EXPECT_EQ(text("break at 1 2"),
              "a.txt:1: expected Z, found the end of the line (such as: break at 10 80 -5)");
    EXPECT_EQ(text("chat \"x"), "a.txt:1: a text has no end (write a second \")");
    EXPECT_EQ(text("bots 2\nbot 3 leave\n"),
              "a.txt:2: expected a bot from 1 to 2, found 3 (make more with: bots N)");
    EXPECT_EQ(text("join\nbots 2\n"), "a.txt:2: expected 'bots' once, before all steps (such as: bots 50)");
    EXPECT_EQ(text("leave now"), "a.txt:1: expected the end of the line, found 'now' "
                                 "(docs/formats/scenario.md lists all steps)");
    EXPECT_EQ(text("bots 2\nwait 1s\n"), "a.txt: no join step, so no bot would connect "
                                         "(such as: join within 10s)");
    EXPECT_FALSE(Scenario::parse("", "a.txt"));
    EXPECT_FALSE(Scenario::parse("expect ping p200 < 5ms", "a.txt"));
    EXPECT_FALSE(Scenario::parse("place X at 1.5 2 3", "a.txt"));
}

template <typename Act>
Act act_of(const std::string& line, net::Duration within = {}) {
    const auto read = Scenario::parse("join\n" + line + "\n", "a.txt");
    EXPECT_TRUE(read) << line << read.error().text();
    if (!read) return {};
    const auto& step = read->steps.at(1);
    EXPECT_EQ(step.within, within) << line;
    EXPECT_EQ(step.line, 2) << line;
    EXPECT_TRUE(std::holds_alternative<Act>(step.act)) << line;
    return std::holds_alternative<Act>(step.act) ? std::get<Act>(step.act) : Act{};
}

TEST(Scenario, EachStepHasItsValues) {
    EXPECT_EQ(Scenario::parse("join", "a")->steps[0].within, 60s);
    EXPECT_EQ(Scenario::parse("join within 2m", "a")->steps[0].within, 120s);
    EXPECT_FALSE(Scenario::parse("join", "a")->bots);
    EXPECT_EQ(Scenario::parse("join\nbot 3 leave\nbot 2 leave", "a")->bots, 3U);
    EXPECT_EQ(Scenario::parse("join\n \t leave # now\r\n", "a")->steps[1].text, "leave # now");
    const auto group = act_of<Step::Group>("group 7 at 1 2.5 -3");
    EXPECT_EQ(group.count, 7U);
    EXPECT_EQ(group.place, (Point{1, 2.5, -3}));
    EXPECT_EQ(act_of<Step::GoTo>("at 100000000 -2 1e8").place, (Point{1e8, -2, 1e8}));
    const auto look = act_of<Step::Look>("look 90 -45");
    EXPECT_FLOAT_EQ(look.yaw, 1.5707964F);
    EXPECT_FLOAT_EQ(look.pitch, -0.7853982F);
    EXPECT_EQ(act_of<Step::BreakBlock>("break at 1 -2 3").pos, (BlockPos{1, -2, 3}));
    const auto place = act_of<Step::PlaceBlock>("place A_B at 4 5 6");
    EXPECT_EQ(place.name, "A_B");
    EXPECT_EQ(place.pos, (BlockPos{4, 5, 6}));
    EXPECT_EQ(act_of<Step::Wait>("wait 250ms").time, 250ms);
    EXPECT_EQ(act_of<Step::Wait>("wait 1440m").time, 24h);
    EXPECT_EQ(act_of<Step::WaitForChunks>("wait chunks 1048576 within 10s", 10s).count, 1U << 20);
    const auto block = act_of<Step::ExpectBlock>("expect block 1 2 3 is Empty within 1s", 1s);
    EXPECT_EQ(block.pos, (BlockPos{1, 2, 3}));
    EXPECT_EQ(block.name, "Empty");
    EXPECT_EQ(act_of<Step::ExpectChat>("expect chat hi within 1.5s", 1500ms).text, "hi");
    const auto aim = act_of<Step::WalkOn>("walk to 1 2 3", 60s);
    EXPECT_EQ(aim.rules.kind, WalkRules::Kind::to);
    EXPECT_EQ(aim.rules.points, (std::vector<Point>{{1, 2, 3}}));
    EXPECT_EQ(aim.rules.speed, 5.5);
    EXPECT_FALSE(aim.time);
    EXPECT_EQ(act_of<Step::WalkOn>("walk to 1 2 3 speed 1000 within 2s", 2s).rules.speed, 1000);
    EXPECT_FALSE(act_of<Step::WalkOn>("walk circle").time);
    EXPECT_EQ(act_of<Step::WalkOn>("walk still 1m").time, 60s);
    EXPECT_EQ(act_of<Step::WalkOn>("walk still").rules.kind, WalkRules::Kind::still);
    EXPECT_EQ(act_of<Step::WalkOn>("walk straight").rules.kind, WalkRules::Kind::straight);
}

TEST(Scenario, EachMeasureIsItsOwn) {
    using What = Measure::What;
    for (const auto& [name, what, is_time] : std::vector<std::tuple<std::string, What, bool>>{
             {"players", What::players, false},
             {"entities", What::entities, false},
             {"chunks", What::chunks, false},
             {"edits-confirmed", What::edits_confirmed, false},
             {"edits-refused", What::edits_refused, false},
             {"errors", What::errors, false},
             {"ping", What::ping, true},
             {"time-to-join", What::time_to_join, true},
             {"time-to-first-chunk", What::time_to_first_chunk, true},
             {"time-to-last-chunk", What::time_to_last_chunk, true}})
        for (const auto& [sign, comparison] :
             std::vector<std::pair<std::string, Comparison>>{{"<", Comparison::less},
                                                             {"<=", Comparison::at_most},
                                                             {"=", Comparison::equal},
                                                             {">=", Comparison::at_least},
                                                             {">", Comparison::more}}) {
            const auto line = fmt::format("expect {} {} {} within 3s", name, sign, is_time ? "2s" : "2");
            const auto measure = act_of<Measure>(line, 3s);
            EXPECT_EQ(measure.what, what) << line;
            EXPECT_EQ(measure.comparison, comparison) << line;
            EXPECT_EQ(measure.value, is_time ? 2000 : 2) << line;
            EXPECT_EQ(measure.percentile, 99) << line;
        }
    EXPECT_EQ(act_of<Measure>("expect ping p100 < 5ms").percentile, 100);
    EXPECT_EQ(act_of<Measure>("expect ping p0.5 < 5ms").percentile, 0.5);
}

TEST(Scenario, RefusesWhatIsNoStep) {
    const std::string times = " such as 500ms, 10s or 2m, found '";
    for (const auto& [line, problem] : std::vector<std::pair<std::string, std::string>>{
             {"bots 0", "expected at least 1 bot"},
             {"bots 100001", "expected a number of bots, 0 to 100000, found 100001"},
             {"bots 1.5", "expected a number of bots, 0 to 100000, found 1.5"},
             {"bots -1", "expected a number of bots, 0 to 100000, found -1"},
             {"bots 2 3", "expected the end of the line, found '3'"},
             {"bots 2x", "expected a number of bots, found '2x'"},
             {"bot 0 leave", "expected the number of a bot, from 1 on"},
             {"bot 100001 leave", "expected the number of a bot, 0 to 100000, found 100001"},
             {"bot 1", "expected a step, found the end of the line"},
             {"group 2 in 1 2 3", "expected 'at', found 'in'"},
             {"at 1 2 inf", "expected Z, found 'inf'"},
             {"at 1 2 nan", "expected Z, found 'nan'"},
             {"at 100000001 2 3", "expected coordinates up to 100000000"},
             {"at 1 -100000001 3", "expected coordinates up to 100000000"},
             {"at 1 2 100000001", "expected coordinates up to 100000000"},
             {"break at 1 2 3.5", "expected whole numbers for the block's X Y Z"},
             {"break at 1 2.5 3", "expected whole numbers for the block's X Y Z"},
             {"walk random 10", "expected the end of the line, found '10'"},
             {"walk random speed 0", "expected a speed above 0, up to 1000"},
             {"walk random speed 1000.5", "expected a speed above 0, up to 1000"},
             {"walk random within 3s", "expected the end of the line, found 'within'"},
             {"wait 86401s", "expected a time or 'chunks'" + times + "86401s'"},
             {"wait -1s", "expected a time or 'chunks'" + times + "-1s'"},
             {"wait 1h", "expected a time or 'chunks'" + times + "1h'"},
             {"wait chunks 1048577 within 1s", "expected a number of chunks, 0 to 1048576, found 1048577"},
             {"wait chunks 5", "expected 'within', found the end of the line"},
             {"expect", "expected what to expect, found the end of the line"},
             {"expect players p50 > 2", "expected <, <=, =, >= or >, found 'p50'"},
             {"expect ping p0 < 5ms", "expected a percentile such as p99, found 'p0'"},
             {"expect ping p100.5 < 5ms", "expected a percentile such as p99, found 'p100.5'"},
             {"expect ping p9x < 5ms", "expected a percentile such as p99, found 'p9x'"},
             {"expect ping < 5", "expected a time" + times + "5'"},
             {"expect players == 5", "expected <, <=, =, >= or >, found '=='"},
             {"expect players > many", "expected a number, found 'many'"},
             {"expect peace",
              "expected block, chat, players, entities, chunks, ping, time-to-join, time-to-first-chunk, "
              "time-to-last-chunk, edits-confirmed, edits-refused or errors, found 'peace'"}}) {
        const auto read = Scenario::parse(line, "a.txt");
        ASSERT_FALSE(read) << line;
        EXPECT_EQ(read.error().problem, problem) << line;
        EXPECT_EQ(read.error().file, "a.txt:1") << line;
    }
    EXPECT_EQ(Scenario::parse("# nothing\n\n", "a.txt").error().text(),
              "a.txt: the scenario has no steps (docs/formats/scenario.md lists all steps)");
    EXPECT_TRUE(Scenario::parse("bots 100000\njoin", "a.txt"));
}

TEST(Scenario, HasAHundredThousandStepsAtMost) {
    std::string text = "join\n";
    for (int i = 1; i < 100'000; ++i) text += "leave\n";
    EXPECT_TRUE(Scenario::parse(text, "a.txt"));
    EXPECT_EQ(Scenario::parse(text + "leave", "a.txt").error().problem, "more than 100000 steps");
}

struct BotCrowd : testing::Test {
    std::shared_ptr<net::SimulatedLoop> loop = test_server::make_loop();
    test_server::World world;
    std::optional<test_server::Server> server;

    void SetUp() override {
        for (int x = -3; x <= 3; ++x)
            for (int z = -3; z <= 3; ++z) world.add_flat({x, z});
        server.emplace(*loop, world);
    }
    CrowdRules rules(std::size_t count) {
        CrowdRules out;
        out.server = server->place();
        out.count = count;
        out.per_second = 1000;
        out.time = 1500ms;
        return out;
    }
    std::unique_ptr<Crowd> make(const CrowdRules& asked) { return Crowd::make(asked, loop).value(); }
    /// Until it is so, or for twenty seconds.
    static Result<CrowdReport> run_until(Crowd& crowd, const std::function<bool(const CrowdReport&)>& is_so) {
        const auto begin = crowd.now();
        return crowd.run(
            [&](Crowd& all) {
                all.allow_joining();
                return is_so(all.report()) || all.now() - begin > 20s;
            },
            {}, {});
    }
    Result<CrowdReport> play(std::string_view text, std::unique_ptr<Crowd>& crowd) {
        const auto scenario = Scenario::parse(text, "test");
        EXPECT_TRUE(scenario) << scenario.error().text();
        auto made = rules(scenario->bots.value_or(1));
        made.keeps_chat = true;
        crowd = make(made);
        ScenarioRun run(*scenario);
        auto report = crowd->run([&](Crowd& all) { return run.tick(all); }, {}, {});
        if (report) run.complete(*report);
        return report;
    }
};

TEST_F(BotCrowd, KeepsWhatItAskedToSeeAndCountsWhatIsTooMuch) {
    for (int x = -12; x <= 12; ++x)
        for (int z = -12; z <= 12; ++z)
            if (std::abs(x) > 3 || std::abs(z) > 3) world.add_flat({x, z});
    world.radius = 12; // whatever players ask for
    auto asked = rules(1);
    asked.view_radius = 64;
    const auto crowd = make(asked);
    std::size_t kept = 0;
    const auto report = run_until(*crowd, [&](const CrowdReport& so_far) {
        kept = crowd->bots()[0]->world().chunks().size();
        return so_far.chunks == 441;
    });
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, 441U);
    EXPECT_EQ(kept, WorldLimits::of_view(64).chunks);
    EXPECT_GT(report->bad_packets, 0U);
    ASSERT_EQ(report->errors.size(), 1U);
    EXPECT_NE(report->errors.begin()->first.find("more than the 49 chunks"), std::string::npos)
        << report->errors.begin()->first;
}

TEST_F(BotCrowd, JoinsGetsTheWorldOnceWalksAndLeaves) {
    auto asked = rules(10);
    asked.walk.kind = WalkRules::Kind::circle;
    const auto crowd = make(asked);
    const auto report = run_until(*crowd, [](const CrowdReport& so_far) {
        return so_far.last_chunk.sorted.size() == 10 && so_far.moves > 100;
    });
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->joined, 10U);
    EXPECT_TRUE(report->errors.empty()) << report->errors.begin()->first;
    EXPECT_EQ(report->chunks, 10U * 49);
    EXPECT_EQ(report->last_chunk.sorted.size(), 10U);
    EXPECT_GT(report->moves, 100U);
    // Nine of ten did not decode: 49 chunks of 13 packets and those with fluids, and three of names.
    EXPECT_LE(crowd->pool().made(), 49U * 23 + 3);
    EXPECT_GE(crowd->pool().shared(), 9 * crowd->pool().made());
    for (const auto& bot : crowd->bots()) EXPECT_EQ(bot->place()->y, 3);
}

TEST_F(BotCrowd, SeesEditsOfOthersAndHearsThem) {
    std::unique_ptr<Crowd> crowd;
    const auto report = play(R"(bots 3
join within 5s
wait chunks 49 within 5s
expect block 5 2 5 is rock_stone
expect players = 3 within 2s
bot 1 place Wood_Oak at 5 3 5
expect block 5 3 5 is Wood_Oak within 2s
bot 2 break at 5 3 5
expect block 5 3 5 is Empty within 2s
expect edits-confirmed = 2 within 2s
bot 3 chat "hello there"
expect chat "bot3: hello there" within 2s
expect errors = 0
)",
                             crowd);
    ASSERT_TRUE(report) << report.error().text();
    for (const auto& each : report->unmet) ADD_FAILURE() << each.place << ": " << each.text;
    EXPECT_EQ(report->expectations, 9U);
    EXPECT_EQ(report->edits_confirmed, 2U);
    EXPECT_TRUE(report->is_fine());
}

TEST_F(BotCrowd, GroupsMeetWhereTheyAreToldBeforeTheyJoin) {
    std::unique_ptr<Crowd> crowd;
    const auto report = play(R"(bots 3
group 2 at 40 3 40
group 1 at -40 3 -40
join within 5s
wait chunks 40 within 5s
)",
                             crowd);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->is_fine());
    EXPECT_EQ(*crowd->bots()[0]->place(), (Point{40, 3, 40}));
    EXPECT_EQ(*crowd->bots()[1]->place(), (Point{42, 3, 40}));
    EXPECT_EQ(*crowd->bots()[2]->place(), (Point{-40, 3, -40}));
    EXPECT_EQ(report->moves, 3U);
}

TEST_F(BotCrowd, NotesWhatIsNotMetAndGoesOn) {
    std::unique_ptr<Crowd> crowd;
    const auto report = play(R"(join within 5s
wait chunks 49 within 5s
expect block 5 2 5 is Wood_Oak
place No_Such_Block at 0 9 0
expect players > 7 within 100ms
)",
                             crowd);
    ASSERT_TRUE(report) << report.error().text();
    ASSERT_EQ(report->unmet.size(), 3U);
    EXPECT_EQ(report->unmet[0].place, "test:3");
    EXPECT_EQ(report->unmet[0].text, "expect block 5 2 5 is Wood_Oak: found Rock_Stone");
    EXPECT_EQ(report->unmet[1].text, "the server has no block 'No_Such_Block'");
    EXPECT_EQ(report->unmet[2].text, "expect players > 7 within 100ms: found 1");
    EXPECT_FALSE(report->is_fine());
}

TEST_F(BotCrowd, NotesWhatTheRunDoesNotComeTo) {
    const auto scenario =
        Scenario::parse("join\nwait 1s\nexpect players > 0\nleave\nexpect chat x\n", "test");
    const ScenarioRun run(*scenario);
    CrowdReport report;
    run.complete(report);
    EXPECT_EQ(report.expectations, 3U);
    ASSERT_EQ(report.unmet.size(), 3U);
    EXPECT_EQ(report.unmet[1].place, "test:3");
    EXPECT_EQ(report.unmet[1].text, "expect players > 0: the run ended first");
}

TEST_F(BotCrowd, SaysHowFarEachBotCame) {
    auto asked = rules(4);
    asked.per_second = 1;
    asked.time = 1500ms;
    std::vector<CrowdStatus> told;
    const auto crowd = make(asked);
    const auto report = crowd->run({}, [&](const CrowdStatus& status) { told.push_back(status); }, {});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->bots, 4U);
    EXPECT_EQ(report->joined, 2U);
    EXPECT_EQ(report->errors, (std::map<std::string, std::uint64_t>{{"not started when the run ended", 2}}));
    EXPECT_FALSE(report->is_fine());
    ASSERT_GE(told.size(), 1U);
    EXPECT_GE(told[0].seconds, 1);
    EXPECT_LT(told[0].seconds, 1.1);
    EXPECT_EQ(told[0].started, 2U);
    EXPECT_EQ(told[0].in_world, 1U);
    EXPECT_EQ(told[0].over, 0U);
    EXPECT_EQ(told[0].errors, 0U);
    EXPECT_EQ(told[0].chunks, 49U);
    EXPECT_NEAR(told[0].chunks_per_second, 49 / told[0].seconds, 0.1);
    EXPECT_GT(told[0].bytes_per_second, 1000);
    EXPECT_GE(report->best_chunks_per_second, told[0].chunks_per_second);
}

TEST_F(BotCrowd, TicksAsOftenAsTheGame) {
    const auto crowd = make(rules(1));
    const auto begin = crowd->now();
    int ticks = 0;
    ASSERT_TRUE(crowd->run(
        [&](Crowd& all) {
            ++ticks;
            return all.now() - begin >= 3s;
        },
        {}, {}));
    EXPECT_NEAR(ticks, 91, 1);
}

TEST_F(BotCrowd, SpeaksOnceAndBuildsEachSecond) {
    auto asked = rules(2);
    asked.time = 3500ms;
    asked.chat = "hello";
    asked.place_block = "Wood_Oak";
    asked.keeps_chat = true;
    const auto crowd = make(asked);
    const auto report = crowd->run({}, {}, {});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->is_fine());
    EXPECT_EQ(report->edits, 6U);
    EXPECT_GE(report->chats, 3U) << "its own and those of who came before";
    EXPECT_LE(report->chats, 4U);
    EXPECT_EQ(crowd->bots()[0]->rules().client.name, "bot1");
    EXPECT_EQ(make(rules(1))->bots()[0]->rules().client.name, "bot");
}

TEST_F(BotCrowd, FollowsReferrals) {
    test_server::World lobby;
    lobby.refer_to = server->place();
    const test_server::Server door(*loop, lobby);
    auto asked = rules(2);
    asked.server = door.place();
    const auto crowd = make(asked);
    const auto report = run_until(*crowd, [](const CrowdReport& so_far) { return so_far.chunks == 2 * 49; });
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->referrals, 2U);
    EXPECT_EQ(report->joined, 2U);
    EXPECT_EQ(report->chunks, 2U * 49);
    EXPECT_TRUE(report->errors.empty());
}

TEST_F(BotCrowd, SaysWhichServerHasSentItOn) {
    const test_server::Referrals way(*loop, server->place());
    auto asked = rules(2);
    asked.server = way.door->place();
    const std::vector<std::uint16_t> first(2, asked.server.port);
    const std::vector<std::uint16_t> second(2, way.lobby.refer_to->port);
    const auto crowd = make(asked);
    const auto report = run_until(*crowd, [](const CrowdReport& so_far) { return so_far.joined == 2; });
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->referrals, 4U);
    EXPECT_TRUE(way.lobby.referred_by.empty());
    EXPECT_EQ(way.hall.referred_by, first);
    EXPECT_EQ(world.referred_by, second);
}

TEST_F(BotCrowd, IsOverWhereItIsSentToNowhere) {
    for (const auto* nowhere : {"255.255.255.255", "no such name"}) {
        test_server::World lobby;
        lobby.refer_to = net::HostPort{nowhere, 5520};
        const test_server::Server door(*loop, lobby);
        auto asked = rules(2);
        asked.server = door.place();
        asked.time = 20s;
        const auto report = make(asked)->run({}, {}, {});
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_LT(report->seconds, 15) << "nobody waits for them";
        ASSERT_EQ(report->errors.size(), 1U) << nowhere;
        EXPECT_EQ(report->errors.begin()->second, 2U);
        EXPECT_NE(report->errors.begin()->first.find("referral: "), std::string::npos);
        EXPECT_NE(report->errors.begin()->first.find(nowhere), std::string::npos)
            << report->errors.begin()->first;
    }
}

TEST_F(BotCrowd, SaysWhenNobodyListens) {
    auto asked = rules(1);
    server.reset();
    asked.time = 5s;
    const auto report = make(asked)->run({}, {}, {});
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().problem.find("nothing listens"), std::string::npos);
}

TEST_F(BotCrowd, GivesUpAtOnceWhereItIsStillConnecting) {
    auto asked = rules(20);
    asked.time = 60s;
    const auto crowd = make(asked);
    const auto begin = crowd->now();
    int turns = 0; // it is stopped while some are in the middle of the handshake
    const auto report = crowd->run({}, {}, [&] { return ++turns == 2; });
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_LT(crowd->now() - begin, net::Duration(3s));
    for (const auto& bot : crowd->bots()) EXPECT_FALSE(bot->is_in_world());
    EXPECT_TRUE(loop->run_until([&] { return server->connections() == 0; }, 10s))
        << "nobody stays behind on the server";
}

TEST_F(BotCrowd, CountsWhatItDoesNotKeep) {
    auto asked = rules(2);
    asked.keeps_world = false;
    asked.time = 700ms;
    const auto crowd = make(asked);
    const auto report = crowd->run({}, {}, {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->chunks, 2U * 49);
    EXPECT_EQ(crowd->pool().made(), 1U); // the names of blocks
    EXPECT_TRUE(crowd->bots()[0]->place());
}

TEST(Scenario, KnowsWhichStepNeedsAWorld) {
    EXPECT_EQ(Scenario::parse("join\nwalk circle 1s\nexpect ping p99 < 1s\n", "s")->step_with_world(),
              nullptr);
    for (const auto* line : {"wait chunks 3 within 1s", "expect chunks > 2", "expect entities > 2",
                             "expect block 1 2 3 is Empty"}) {
        const auto scenario = Scenario::parse(std::string("join\n") + line + "\n", "s");
        ASSERT_TRUE(scenario) << line;
        ASSERT_NE(scenario->step_with_world(), nullptr) << line;
        EXPECT_EQ(scenario->step_with_world()->line, 2);
    }
}

} // namespace
} // namespace orbis::game
