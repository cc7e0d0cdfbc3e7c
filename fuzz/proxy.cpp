// What a proxy reads of others. Text up to a zero byte are rules, then comes a stream of one side, whose
// lowest bit of the first byte says which. No byte is lost however the stream is cut; what is said of a frame
// can be said again.

#include "bytes/reader.hpp"
#include "protocol/frame.hpp"
#include "proxy/frame_scanner.hpp"
#include "proxy/game_words.hpp"
#include "proxy/rules.hpp"
#include "target.hpp"

#include <algorithm>
#include <cstring>
#include <string>

using namespace orbis;
using namespace orbis::proxy;

namespace {

class Keeper final : public FrameScanner::User {
public:
    bool wants(std::int32_t id, std::uint32_t length) override { return id % 5 != 4 && length < 4096; }
    void on_frame(Bytes frame) override {
        fuzz::require(frame.size() >= protocol::k_frame_header);
        fuzz::require(load_le<std::uint32_t>(frame.data()) + protocol::k_frame_header == frame.size());
        frames.emplace_back(frame.begin(), frame.end());
        all.insert(all.end(), frame.begin(), frame.end());
    }
    void on_rest(Bytes bytes, bool) override { all.insert(all.end(), bytes.begin(), bytes.end()); }
    std::vector<Buffer> frames;
    Buffer all;
};

Keeper read(Bytes stream, std::size_t piece) {
    FrameScanner scanner;
    Keeper keeper;
    for (std::size_t at = 0; at < stream.size(); at += piece)
        scanner.feed(stream.subspan(at, std::min(piece, stream.size() - at)), keeper);
    scanner.finish(keeper);
    return keeper;
}

void look_at(PlayerFacts& player, End from, const Buffer& frame, RuleJudge* judge) {
    (void)is_telling(player, from, load_le<std::int32_t>(frame.data() + 4));
    learn(player, from, frame);
    (void)disconnect_text(player, from, frame);
    const net::HostPort elsewhere{"proxy.example", 50'000};
    if (from == End::server && referral_of(player, frame)) {
        if (const auto changed = with_referral(player, frame, elsewhere)) {
            const auto place = referral_of(player, *changed);
            fuzz::require(place && place->host == elsewhere.host && place->port == elsewhere.port);
        }
    }
    if (judge == nullptr) return;
    const Sighting sighting{player, from, 0, Sighting::Kind::frame, frame, {}};
    const auto ruling = judge->judge(sighting);
    (void)shown_frame(sighting);
    const auto is_whole = [](Bytes made) {
        return made.size() >= protocol::k_frame_header
               && load_le<std::uint32_t>(made.data()) + protocol::k_frame_header == made.size();
    };
    fuzz::require(!ruling.changed || is_whole(*ruling.changed));
    for (const auto& injection : ruling.injections) fuzz::require(is_whole(injection.frame));
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> made;
    PlayerFacts player;
    player.protocol = "hytale/2";
    const auto goodbye = disconnect_frame(player, "The proxy is full.").value();
    for (const std::string_view rules :
         {"", "when: to client\n  show\n",
          "when: Disconnect.reason ~ full\n  set: reason = \"x\"\n  delay: 2s\n",
          "when: to server\n  drop\n  inject: to client Ping {\"id\": 1}\n"}) {
        Buffer input(rules.begin(), rules.end());
        input.push_back(0);
        input.push_back(static_cast<std::uint8_t>(made.size()));
        input.insert(input.end(), goodbye.begin(), goodbye.end());
        made.push_back(std::move(input));
    }
    // A referral to port 1 of `ab`, as the game writes it.
    Buffer referral{0, 1, 21, 0, 0, 0, 18, 0, 0, 0, 1, 0, 0, 0, 0, 255, 255, 255, 255, 1, 0, 2, 'a', 'b'};
    const auto length = static_cast<std::uint32_t>(referral.size() - 10);
    std::memcpy(referral.data() + 2, &length, 4);
    made.push_back(std::move(referral));
    return made;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes input(data, size);
    const auto end = std::ranges::find(input, 0);
    const auto rules = input.first(static_cast<std::size_t>(end - input.begin()));
    const auto book = RuleBook::parse(as_text(rules));
    if (!book) fuzz::require(!book.error().problem.empty());
    auto stream = input.subspan(std::min(rules.size() + 1, input.size()));
    if (stream.empty()) return 0;
    const auto from = (stream.front() & 1) != 0 ? End::server : End::client;
    stream = stream.subspan(1);

    const auto whole = read(stream, std::max<std::size_t>(stream.size(), 1));
    fuzz::require(std::ranges::equal(whole.all, stream));
    for (const std::size_t piece : {1U, 7U, 13U}) {
        const auto cut = read(stream, piece);
        fuzz::require(cut.frames == whole.frames && cut.all == whole.all);
    }
    PlayerFacts player;
    player.protocol = "hytale/2";
    if (from == End::server) player.build = protocol::find_build(protocol::k_default_build);
    std::optional<RuleJudge> judge;
    if (book) judge.emplace(*book);
    for (const auto& frame : whole.frames) look_at(player, from, frame, judge ? &*judge : nullptr);
    return 0;
}
