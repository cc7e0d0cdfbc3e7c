#include "bytes/hex.hpp"
#include "capture/capture_reader.hpp"
#include "capture/made_records_test.hpp"
#include "http/live/held_clock_test.hpp"
#include "http/raw_client_test.hpp"
#include "inspect/inspector.hpp"
#include "protocol/json_tree.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orbis::inspect {
namespace {

using namespace std::chrono_literals;
using namespace orbis::http::test;
using capture::Side;
using capture::made::Records;

class InspectorTest : public testing::Test {
protected:
    /// The inspector of a capture with these records, all of it read.
    void serve(const Records& records, bool keeps_personal = false) {
        const auto path = folder_ / "file.pcapng";
        std::ofstream(path, std::ios::binary) << as_text(records.file());
        auto book = FileBook::open(path, {.keeps_personal = keeps_personal}).value();
        desk_ = std::make_unique<Desk>(std::move(book), DeskSettings{.keeps_personal = keeps_personal});
        start();
        EXPECT_TRUE(orbis::test::wait_for([&] { return desk_->book().extent().is_complete; }));
    }
    /// That of a proxy; packets come through the inbox.
    void serve_proxy(DeskSettings settings = {}) {
        desk_ = std::make_unique<Desk>(settings);
        start();
    }
    ~InspectorTest() override {
        server_.reset();
        inspector_.reset();
        desk_.reset();
    }

    std::string request(std::string_view target) { return ask(server_->address(), get(target)); }
    std::string body(std::string_view target) {
        const auto answer = request(target);
        EXPECT_EQ(status_of(answer), 200) << target << ": " << answer;
        return body_of(answer);
    }
    protocol::JsonTree json(std::string_view target) {
        return protocol::JsonTree::parse(body(target)).value();
    }
    static bool contains(std::string_view text, std::string_view part) {
        return text.find(part) != std::string_view::npos;
    }

    orbis::test::TemporaryFolder folder_;
    HeldClock clock_{1}; ///< for the desk of a proxy
    std::unique_ptr<Desk> desk_;
    std::unique_ptr<Inspector> inspector_;
    std::unique_ptr<http::Server> server_;

private:
    void start() {
        desk_->set_title("the title", "orbis test");
        inspector_ = std::make_unique<Inspector>(*desk_);
        server_ = http::Server::start(*http::parse_address("127.0.0.1:0"),
                                      [this](const http::Request& request, http::Responder responder) {
                                          inspector_->answer(request, std::move(responder));
                                      },
                                      {.silent = 2048, .head = 1h, .idle = 1h, .send = 1h, .newcomer = 1h})
                      .value();
    }
};

TEST_F(InspectorTest, TellsWhatThereIs) {
    serve(capture::made::visit());
    const auto state = json("/api/state");
    EXPECT_EQ(state.text("source"), "capture");
    EXPECT_EQ(state.text("title"), "the title");
    EXPECT_EQ(state.integer("first"), 1);
    EXPECT_EQ(state.integer("end"), 9);
    EXPECT_EQ(state.text("start"), std::to_string(Records::k_start));
    EXPECT_TRUE(contains(body("/api/state"), R"("complete":true)"));
    EXPECT_TRUE(contains(body("/api/state"), R"({"player":1,"name":"Ada","build":"2026.02.17")"));
}

TEST_F(InspectorTest, HandsOutRowsInPages) {
    serve(capture::made::visit());
    const auto all = body("/api/rows?from=0&count=100");
    EXPECT_TRUE(
        contains(all, R"({"first":0,"end":8,"scanned":8,"complete":true,"rows":[[0,1,0,1,0,1,"Connect",)"))
        << all;
    EXPECT_TRUE(contains(all, R"([4,5,4000,1,0,1,"ChatMessage",)")) << all;
    EXPECT_TRUE(contains(all, R"("message: \"Hello world\""])")) << all;
    const auto some = body("/api/rows?from=4&count=2");
    EXPECT_TRUE(contains(some, R"("rows":[[4,)")) << some;
    EXPECT_FALSE(contains(some, R"([6,7,)")) << some;
    EXPECT_TRUE(contains(body("/api/rows?from=8&count=2"), R"("rows":[])"));
}

TEST_F(InspectorTest, FiltersAndSearches) {
    serve(capture::made::visit());
    const auto found = body("/api/rows?filter=ChatMessage.message%20~%20%22bye%22");
    EXPECT_TRUE(contains(found, R"("end":1)")) << found;
    EXPECT_TRUE(contains(found, R"("rows":[[0,6,)")) << found;
    EXPECT_EQ(json("/api/rank?filter=ChatMessage&number=6").integer("rank"), 1);
    EXPECT_EQ(json("/api/find?q=HELLO&from=0").integer("found"), 4);
    EXPECT_EQ(json("/api/find?q=chatmess&from=7&back=1").integer("found"), 5);
    EXPECT_TRUE(contains(body("/api/find?q=nowhere&from=0"), R"({"found":null,"at":8)"));
    EXPECT_EQ(json("/api/find?filter=ChatMessage&q=bye").integer("found"), 1);
}

TEST_F(InspectorTest, RefusesWhatItDoesNotUnderstand) {
    serve(capture::made::visit());
    const auto filter = request("/api/rows?filter=packet%20%3D%20ChatMesage");
    EXPECT_EQ(status_of(filter), 400);
    EXPECT_TRUE(contains(filter, "column 10: unknown packet ChatMesage; did you mean ChatMessage?"))
        << filter;
    for (const auto* target :
         {"/api/rows?count=0", "/api/rows?count=501", "/api/rows?from=-1",
          "/api/rows?from=99999999999999999999", "/api/find", "/api/find?q=", "/api/packet/x",
          "/api/packet/1/other", "/api/export?format=exe", "/api/scene/x", "/api/tile/1/surface/1/0.0",
          "/api/tile/1/surface/0/0.0.0", "/api/tile/1/slice@4/0/0.0"})
        EXPECT_EQ(status_of(request(target)), 400) << target;
    for (const auto* target : {"/api", "/api/nothing", "/api/packet/9", "/api/packet/0", "/api/scene/77",
                               "/worlds/a", "/index.html", "/api/rows/1"})
        EXPECT_EQ(status_of(request(target)), 404) << target;
    EXPECT_EQ(status_of(ask(server_->address(), "GET /api/state HTTP/1.1\r\nHost: evil.example\r\n\r\n")),
              403);
}

TEST_F(InspectorTest, ShowsAPacketWithTheBytesOfItsFields) {
    serve(capture::made::visit());
    const auto chat = body("/api/packet/5");
    EXPECT_TRUE(contains(chat, R"("packet":"ChatMessage")")) << chat;
    EXPECT_TRUE(
        contains(chat, R"("payload":{"size":13,"compressed":false,"hex":"010b48656c6c6f20776f726c64"})"))
        << chat;
    EXPECT_TRUE(
        contains(chat, R"([-1,0,13,"value","ChatMessage","",null,-1],[0,0,1,"presence","","",null,-1])"))
        << chat;
    EXPECT_TRUE(contains(chat, R"([0,1,12,"value","message",)")) << chat;
    EXPECT_TRUE(contains(chat, R"("\"Hello world\"")")) << chat;
    const auto window = body("/api/packet/8");
    EXPECT_TRUE(contains(window, R"("SelectSlotAction")")) << window;
    EXPECT_TRUE(contains(window, R"("slot","i32","3",-1])")) << window;
    EXPECT_EQ(body("/api/packet/5/bytes?from=2&count=5"), R"({"from":2,"size":13,"hex":"48656c6c6f"})");
}

TEST_F(InspectorTest, ShowsPersonalDataOnlyWhenAskedFor) {
    serve(capture::made::visit());
    EXPECT_FALSE(contains(body("/api/packet/1"), "secret.token"));
    EXPECT_TRUE(contains(body("/api/packet/1"), R"("left_out":"fields")"));
    EXPECT_FALSE(contains(body("/api/rows"), "secret.token"));
    EXPECT_FALSE(contains(body("/api/export?format=json"), "secret.token"));
    EXPECT_FALSE(contains(body("/api/export"), "secret.token"));
    EXPECT_TRUE(contains(body("/api/find?q=secret.token"), R"("found":null)"));
    server_.reset();
    inspector_.reset();
    serve(capture::made::visit(), true);
    EXPECT_TRUE(contains(body("/api/packet/1"), "secret.token.of-ada"));
}

TEST_F(InspectorTest, ExportsWhatIsSelected) {
    serve(capture::made::visit());
    const auto file = body("/api/export?filter=ChatMessage");
    capture::CaptureReader reader(capture::source_of(as_bytes(file)), "export");
    std::vector<std::string> names;
    while (const auto record = reader.next().value()) names.push_back(capture::packet_name(*record));
    EXPECT_EQ(names, (std::vector<std::string>{"ChatMessage", "ChatMessage"}));
    const auto lines = body("/api/export?format=json&from=4&to=6");
    EXPECT_EQ(std::ranges::count(lines, '\n'), 3);
    EXPECT_TRUE(lines.starts_with(R"({"number":4,)")) << lines;
    EXPECT_TRUE(contains(lines, R"("value":{"message":"bye"}})")) << lines;
}

TEST_F(InspectorTest, DrawsRatesLatencyAndScenes) {
    serve(capture::made::visit());
    const auto rates = body("/api/rates");
    EXPECT_TRUE(contains(rates, R"({"start":0,"width":10000,"count":1,"series":[)")) << rates;
    EXPECT_TRUE(contains(rates, R"({"packet":"ChatMessage","to":1,"channel":0,"frames":[2],)")) << rates;
    EXPECT_EQ(body("/api/latency"), R"({"players":[]})");
    const auto scene = body("/api/scene/1");
    EXPECT_TRUE(contains(scene, R"("bounds":{"min":[32,-96],"max":[64,-64]},"chunks":1)")) << scene;
    EXPECT_EQ(status_of(request("/api/tile/1/surface/0/0.-1")), 204);
}

TEST_F(InspectorTest, DrawsFewPlayersAndThoseWhoComeInPlaceOfThoseWhoLeft) {
    serve_proxy({.clock = &clock_});
    const auto visit = capture::made::visit();
    std::uint64_t sent = 0;
    const auto hear = [&](std::uint64_t player, std::int64_t seconds) {
        auto record = visit.all()[6];
        record.session = player;
        record.time = Records::k_start + seconds * 1'000'000'000;
        desk_->inbox().add(record);
        ++sent;
    };
    const auto is_drawn = [&](std::uint64_t player) {
        return contains(body(fmt::format("/api/scene/{}", player)), R"("chunks":1,"drawn":0)");
    };
    for (std::uint64_t player = 1; player <= Desk::k_most_drawn + 1; ++player) hear(player, 0);
    for (std::uint64_t player = 2; player <= Desk::k_most_drawn; ++player) hear(player, 10);
    clock_.pass(1s);
    ASSERT_TRUE(orbis::test::wait_for([&] { return desk_->book().extent().end == sent + 1; }));
    EXPECT_TRUE(is_drawn(1));
    EXPECT_TRUE(is_drawn(Desk::k_most_drawn));
    EXPECT_FALSE(is_drawn(Desk::k_most_drawn + 1));
    EXPECT_TRUE(contains(body("/api/scene/5"), R"("drawn":null)"));
    hear(77, 10);
    clock_.pass(1s);
    ASSERT_TRUE(orbis::test::wait_for([&] { return desk_->book().extent().end == sent + 1; }));
    EXPECT_FALSE(is_drawn(1)) << "it was silent for ten seconds";
    EXPECT_TRUE(is_drawn(2));
    EXPECT_TRUE(is_drawn(77));
}

TEST_F(InspectorTest, TellsPagesWhatComesThroughAProxy) {
    serve_proxy({.clock = &clock_});
    const auto visit = capture::made::visit();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    EXPECT_TRUE(contains(page.read_until("\"end\":1,"), R"("source":"proxy")"));
    for (const auto& record : visit.all()) desk_->inbox().add(record);
    clock_.pass(1s);
    EXPECT_TRUE(contains(page.read_until("\"end\":9,"), "\"end\":9,"));
    EXPECT_FALSE(contains(body("/api/packet/1"), "secret.token"));
    EXPECT_TRUE(contains(body("/api/rows?filter=ChatMessage"), R"("end":2)"));
    desk_->inbox().add(visit.all()[5]);
    clock_.pass(1s);
    EXPECT_TRUE(contains(page.read_until("\"end\":10,"), "\"end\":10,"));
    EXPECT_TRUE(contains(body("/api/rows?filter=ChatMessage"), R"("end":3)"));
    EXPECT_TRUE(contains(body("/api/rows?filter=ChatMessage"), R"("complete":false)"));
}

TEST_F(InspectorTest, SaysWhatAProxyForgot) {
    serve_proxy({.ring_bytes = 4000, .clock = &clock_});
    const auto visit = capture::made::visit();
    for (int i = 0; i < 10; ++i)
        for (const auto& record : visit.all()) desk_->inbox().add(record);
    clock_.pass(1s);
    EXPECT_TRUE(orbis::test::wait_for([&] { return desk_->book().extent().end == 81; }));
    const auto state = json("/api/state");
    EXPECT_GT(state.integer("forgotten"), 50);
    EXPECT_EQ(state.integer("first"), state.integer("forgotten") + 1);
    const auto gone = request("/api/packet/1");
    EXPECT_EQ(status_of(gone), 404);
    EXPECT_TRUE(contains(gone, "not there any more"));
    EXPECT_TRUE(contains(body("/api/rows?from=0&count=1"), R"("rows":[])"));
    EXPECT_TRUE(contains(body("/api/rows?from=0&count=100"),
                         fmt::format(R"("rows":[[{},)", state.integer("first") - 1)));
}

TEST_F(InspectorTest, ShowsLargeContentsAsBytesOnly) {
    using protocol::Value;
    const auto& schema = protocol::schema_of(*protocol::find_build(protocol::k_default_build));
    const auto& layout = *schema.packet("SetChunk");
    Value packet{Value::Record{&layout, std::vector<Value>(layout.fields.size())}};
    for (auto& field : std::get<Value::Record>(packet.content).fields) field.content = Buffer(4'000'000);
    for (std::size_t axis = 0; axis < 3; ++axis)
        std::get<Value::Record>(packet.content).fields[axis].content = std::int64_t{1};
    Buffer payload;
    ASSERT_TRUE(protocol::encode(layout, packet, payload));
    protocol::PayloadFramer framer;
    capture::Record record;
    record.to = Side::client;
    record.session = 1;
    record.set_build(protocol::k_default_build);
    record.frame = framer.frame(*schema.registry().find("SetChunk"), payload).value();
    record.length = record.frame.size();
    ASSERT_LT(record.length, 100'000U) << "it must be small on its way";
    serve_proxy({.clock = &clock_});
    desk_->inbox().add(record);
    clock_.pass(1s);
    EXPECT_TRUE(contains(body("/api/rows"), fmt::format(R"("SetChunk",{},0,""]])", record.length)));
    const auto shown = body("/api/packet/1");
    EXPECT_TRUE(contains(shown, fmt::format(R"("payload":{{"size":{},"compressed":true)", payload.size())));
    EXPECT_TRUE(contains(shown, R"("spans":[],"cut":false)"));
    EXPECT_TRUE(contains(shown, "only packets of up to 8388608 are taken apart"));
    EXPECT_TRUE(contains(body("/api/packet/1/bytes?from=11999000&count=4"), R"("hex":"00000000")"));
    EXPECT_TRUE(contains(body("/api/find?q=localLight"), R"("found":null)"));
    EXPECT_TRUE(contains(body("/api/rows?filter=SetChunk.x%20%3D%201"), R"("end":0,"scanned":1)"));
    EXPECT_TRUE(contains(body("/api/rows?filter=SetChunk"), R"("end":1,"scanned":1)"));
}

} // namespace
} // namespace orbis::inspect
