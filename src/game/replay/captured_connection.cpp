#include "game/replay/captured_connection.hpp"

#include "bytes/shell_quote.hpp"
#include "capture/capture_reader.hpp"
#include "capture/no_join.hpp"
#include "capture/record_decoder.hpp"
#include "game/replay/login_packets.hpp"
#include "protocol/frame.hpp"

#include <map>

namespace orbis::game {

namespace {

/// Of which it is remembered that they have begun; a capture may claim any number of them.
constexpr std::size_t k_most_connections = 100'000;

CapturedConnection connection_of(const capture::Record& record, std::uint64_t number) {
    CapturedConnection out;
    out.player = record.session;
    out.build = record.build;
    out.build_name = record.build_name;
    out.connect = number;
    out.start = record.time;
    if (out.build_name.empty() && record.is_whole() && record.left_out != capture::LeftOut::payload) {
        auto said = capture::build_of_connect(record.frame.subspan(protocol::k_frame_header));
        out.build = said.build;
        out.build_name = std::move(said.name);
    }
    return out;
}

void take_name(CapturedConnection& connection, const capture::Record& record,
               capture::RecordDecoder& decoder) {
    const auto value = decoder.value(record);
    const auto* name = value ? (*value)->find("username") : nullptr;
    const auto* text = name != nullptr ? name->as<std::string>() : nullptr;
    if (text != nullptr) connection.name = *text;
}

Error missing(const ConnectionWanted& wanted, bool is_there, bool is_damaged) {
    const auto file = wanted.capture.string();
    if (!wanted.player) return capture::no_join(wanted.capture, {}, is_damaged);
    if (!is_there)
        return error(Errc::not_found, "there is no player {} in this capture", *wanted.player)
            .in_file(file)
            .advise("orbis capture info " + shell_quoted(file) + " lists the players");
    return error(Errc::not_found, "the connection of player {} began before this capture", *wanted.player)
        .in_file(file)
        .advise("a client has to log in first: use the file in which that player connects");
}

} // namespace

Result<CapturedConnection> find_connection(const ConnectionWanted& wanted) {
    TRY(auto reader, capture::CaptureReader::open(wanted.capture));
    reader.set_usual_build(wanted.build);
    capture::RecordDecoder decoder;
    std::map<std::uint64_t, CapturedConnection> begun;
    bool is_there = false;
    bool is_damaged = false;
    for (;;) {
        auto next = reader.next();
        if (!next && reader.facts().bytes == 0) return fail(std::move(next).error());
        is_damaged = !next;
        if (!next || !*next) break;
        const auto& record = **next;
        if (wanted.player && record.session != *wanted.player) continue;
        is_there = true;
        const auto id = record.id();
        const auto known = begun.find(record.session);
        if (record.to == protocol::Side::server && id == login::k_connect) {
            // With a second one of the same number another connection begins.
            if (known != begun.end() && wanted.player) break;
            if (known == begun.end() && begun.size() >= k_most_connections) continue;
            auto& connection = begun[record.session];
            connection = connection_of(record, reader.facts().records);
            take_name(connection, record, decoder);
        } else if (known == begun.end()) {
            continue;
        } else if (record.to == protocol::Side::server && id == login::k_player_answer) {
            take_name(known->second, record, decoder);
        } else if (record.to == protocol::Side::client && (id == login::k_join_world || record.stream > 0)) {
            return known->second;
        }
    }
    if (wanted.player && !begun.empty()) return begun.begin()->second; // it does not come into a world
    return fail(missing(wanted, is_there, is_damaged));
}

} // namespace orbis::game
