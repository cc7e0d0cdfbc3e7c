#include "game/replay/server_play.hpp"

#include "game/replay/login_packets.hpp"
#include "net/farewell.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

/// What a client says is small.
constexpr std::uint32_t k_largest_heard = 4 << 20;
/// More kinds of packets than any build has.
constexpr std::size_t k_most_heard_kinds = 4096;
/// As much may wait for a client.
constexpr std::size_t k_most_held = 4 << 20;
/// A connection that says nothing of the game is none of a client.
constexpr net::Duration k_connect_time = 10s;
/// How long last words may take.
constexpr net::Duration k_last_words = 2s;

std::string build_text(const std::string& name) {
    return name.empty() ? "an unknown build" : "build " + name;
}

} // namespace

void ServerPlayContext::tick() {
    const auto now = all; // connections that end leave it later, but others may come
    for (auto* play : now) play->tick();
}

void ServerPlayContext::stop() {
    const auto now = all;
    for (auto* play : now) play->end("it was interrupted", {}, "The replay was stopped.");
}

ServerPlay::ServerPlay(ServerPlayContext& context, net::QuicConnection& connection)
    : context_(context),
      connection_(connection),
      decoder_(protocol::Registry(std::span<const protocol::PacketInfo>()),
               {.receiver = {}, .channel = {}, .largest = k_largest_heard, .decompresses = false}),
      begin_(context.loop.now()),
      base_(begin_) {
    context_.all.push_back(this);
}

ServerPlay::~ServerPlay() { std::erase(context_.all, this); }

void ServerPlay::on_data(net::QuicConnection& connection, net::StreamId stream, Bytes bytes, bool is_end) {
    connection.consume(stream, bytes.size());
    if (is_closing_) return;
    decoder_.feed(bytes);
    while (connection_.is_open() && !is_closing_) {
        const auto next = decoder_.next();
        if (!next) {
            report_.problem = "the client sent something that is no frame of the game";
            report_.advice = "connect a client of the game, or orbis bot";
            return connection_.close(net::Close::transport(net::k_protocol_violation));
        }
        if (!*next) break;
        on_frame(**next);
    }
    if (is_end) leave();
    advance();
}

void ServerPlay::leave() {
    if (!connection_.is_open() || is_closing_) return;
    has_left_ = true;
    connection_.close(net::Close::application(net::CloseCode::none));
}

void ServerPlay::on_frame(const protocol::Frame& frame) {
    if (!script_) {
        if (frame.id == login::k_connect) return on_connect(frame.payload);
        return connection_.close(net::Close::transport(net::k_protocol_violation));
    }
    ++report_.received;
    if (frame.id == login::k_goodbye) return leave();
    if (heard_.contains(frame.id) || heard_.size() < k_most_heard_kinds) ++heard_[frame.id];
}

void ServerPlay::on_connect(Bytes payload) {
    const auto& wanted = context_.connection;
    const auto client = capture::build_of_connect(payload);
    const bool is_same =
        wanted.build != nullptr ? client.build == wanted.build : client.name == wanted.build_name;
    const auto& from = connection_.path().remote;
    if (!is_same && !wanted.build_name.empty()) {
        context_.events.on_refused(from, fmt::format("its client is of {}, the capture is of {}",
                                                     build_text(client.name), build_text(wanted.build_name)));
        const bool is_newer = client.build != nullptr && wanted.build != nullptr
                              && client.build->build_number > wanted.build->build_number;
        return connection_.close(net::Close::application(
            is_newer ? net::CloseCode::server_outdated : net::CloseCode::client_outdated, wanted.build_name));
    }
    has_connect_ = true;
    if (context_.let_in >= context_.rules.clients) {
        context_.events.on_refused(from, "enough clients have come");
        return send_away("This replay has its players already.");
    }
    auto script = ServerScript::open(context_.rules.connection, wanted);
    if (!script) {
        context_.events.on_refused(from, script.error().text());
        return send_away("The capture cannot be read any more.");
    }
    ++context_.let_in;
    script_ = *std::move(script);
    report_.address = from.text();
    report_.received = 1;
    heard_[login::k_connect] = 1;
    begin_ = base_ = context_.loop.now();
    base_time_ = wanted.start;
}

void ServerPlay::send_away(std::string_view why) {
    if (is_closing_ || !connection_.is_open()) return;
    // All frames before are whole, so there is place for one more.
    const auto* build = context_.connection.build;
    if (build != nullptr && has_connect_ && !is_goodbye_said_)
        if (const auto frame = net::disconnect_frame(*build, why)) connection_.write(0, *frame);
    is_closing_ = true;
    close_ = net::Close::application(net::CloseCode::none, std::string(why));
    close_by_ = context_.loop.now() + k_last_words;
}

void ServerPlay::end(std::string problem, std::string advice, std::string_view told) {
    if (is_playing()) {
        report_.problem = std::move(problem);
        report_.advice = std::move(advice);
    }
    send_away(told);
}

std::size_t ServerPlay::held() const {
    auto sum = connection_.held(0);
    for (std::int64_t at = 0; at < open_streams_; ++at) sum += connection_.held(at * 4 + 3);
    return sum;
}

void ServerPlay::tick() {
    if (!connection_.is_open()) return;
    const auto now = context_.loop.now();
    if (is_closing_) {
        if (now >= close_by_ || held() == 0) connection_.close(close_);
        return;
    }
    if (!script_) {
        if (now - begin_ >= k_connect_time)
            connection_.close(net::Close::application(net::CloseCode::timeout));
        return;
    }
    advance();
    if (!is_playing() || !all_said_) return;
    if (!all_heard_ && held() > 0) return; // a slow client gets all of it
    if (!all_heard_) all_heard_ = now;
    if (is_goodbye_said_ || now - *all_heard_ >= context_.rules.stay) send_away("The capture ends here.");
}

net::Time ServerPlay::due(std::int64_t time) const {
    // In unsigned numbers: the times of a damaged file may be anything.
    const auto passed =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(base_time_));
    constexpr net::Duration k_longest = std::chrono::hours(24 * 365);
    return base_ + std::clamp(net::Duration(passed), net::Duration::zero(), k_longest);
}

void ServerPlay::advance() {
    // Writing may tell of what has arrived, and so come here again.
    if (!is_playing() || all_said_ || std::exchange(is_advancing_, true)) return;
    while (is_playing()) {
        if (!next_) next_ = script_->next();
        if (!next_) {
            finish();
            break;
        }
        if (!(next_->kind == ServerStep::Kind::wait ? hear(*next_) : say(*next_))) break;
        next_.reset();
        if (is_goodbye_said_) {
            finish();
            break;
        }
    }
    is_advancing_ = false;
}

bool ServerPlay::hear(const ServerStep& step) {
    const auto now = context_.loop.now();
    const auto found = heard_.find(step.packet);
    const bool has_come = found != heard_.end() && found->second >= step.count;
    // At once nobody waits for what a client may say or not: it would not come faster than it did.
    const bool is_waited_for =
        step.is_required || (!context_.rules.is_at_once && !given_up_.contains(step.packet));
    if (!has_come && is_waited_for) {
        const auto expected = context_.rules.is_at_once ? now : due(step.time);
        if (!waiting_since_) waiting_since_ = std::max(now, expected);
        const auto limit = step.is_required ? context_.rules.required_wait : context_.rules.usual_wait;
        if (now - *waiting_since_ < limit) return false;
        const auto name = script_->packet_name(step.packet);
        if (step.is_required) {
            end(fmt::format("the client did not send {} within {:.0f} s", name, net::seconds_of(limit)),
                "it may be of another kind than the captured one; orbis bot and orbis download send it",
                "The replay waits for something that this client does not say.");
            return false;
        }
        given_up_.insert(step.packet);
        report_.unanswered.push_back(name);
    }
    // What follows keeps its distance from what was waited for.
    if (std::exchange(waiting_since_, {}) && now > due(step.time)) {
        base_ = now;
        base_time_ = step.time;
    }
    return true;
}

bool ServerPlay::may_follow(const ServerStep& step) const {
    if (step.is_world) return held() == 0;
    return step.stream == 0 || connection_.added(0) - connection_.held(0) >= names_end_;
}

bool ServerPlay::open_streams(std::int64_t up_to) {
    for (; open_streams_ <= up_to; ++open_streams_) {
        const auto stream = connection_.open_uni();
        if (stream != open_streams_ * 4 + 3) return false;
        connection_.set_priority(*stream, static_cast<int>(open_streams_) + 1);
    }
    return true;
}

bool ServerPlay::say(const ServerStep& step) {
    if (!context_.rules.is_at_once && due(step.time) > context_.loop.now()) return false;
    if (step.stream > 0 && step.stream / 4 >= open_streams_) {
        names_end_ = connection_.added(0); // who a player is and where, at least
        if (!open_streams(step.stream / 4)) {
            end("the client does not allow the streams that the server had",
                "connect a client of the captured build",
                "Your client does not allow the streams for chunks and map.");
            return false;
        }
    }
    if (held() > k_most_held || !may_follow(step)) return false;
    connection_.write(step.stream, step.frame);
    if (step.stream == 0 && (step.is_named || step.is_world)) names_end_ = connection_.added(0);
    ++report_.sent;
    report_.bytes += step.frame.size();
    is_goodbye_said_ = step.is_goodbye;
    return true;
}

void ServerPlay::finish() {
    all_said_ = context_.loop.now();
    report_.is_complete = true;
    report_.damage = script_->damage();
}

void ServerPlay::report() {
    report_.seconds = net::seconds_of(all_said_.value_or(context_.loop.now()) - begin_);
    report_.left_out = script_->left_out();
    report_.has_referral = script_->has_referral();
    context_.events.on_played(report_);
}

void ServerPlay::on_closed(net::QuicConnection&, const net::Close& close) {
    if (!script_) return;
    const bool is_said = close.kind == net::Close::Kind::application && close.code == 0;
    if (!is_closing_ && !has_left_ && !is_said && !report_.problem) {
        report_.problem = fmt::format("the connection ended: {}", close.text());
        report_.advice = "look at what the client says about it";
    }
    report();
    script_.reset();
    ++context_.over;
}

} // namespace orbis::game
