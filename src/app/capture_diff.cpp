#include "app/capture_tables.hpp"
#include "app/table.hpp"
#include "bytes/content_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace orbis::app {

namespace {

/// What keeps its order: one direction of one stream of one player.
struct CaptureFlow {
    std::uint64_t player;
    std::optional<protocol::Side> to;
    std::optional<protocol::Channel> channel;
    auto operator<=>(const CaptureFlow&) const = default;

    [[nodiscard]] std::string text() const {
        return fmt::format("player {}, {}{}", player,
                           !to                             ? "direction unknown"
                           : *to == protocol::Side::server ? "to the server"
                                                           : "to the client",
                           channel ? fmt::format(", {}", protocol::name(*channel)) : "");
    }
};

constexpr std::size_t k_most_compared = 8'000'000; ///< frames of a capture, 8 bytes each
constexpr std::size_t k_most_flows = 100'000;

struct CaptureHashes {
    std::map<CaptureFlow, std::vector<std::uint64_t>> flows;
    std::size_t count = 0;
    bool is_complete = true;
    std::optional<Error> damage;
};

CaptureFlow flow_of(const capture::Record& record) { return {record.session, record.to, record.channel}; }

Result<CaptureHashes> hash_capture(const CaptureInput& input) {
    CaptureHashes out;
    TRY(auto end, input.read([&](std::uint64_t, const capture::Record& record) -> Result<void> {
        const auto flow = flow_of(record);
        const bool has_room = out.flows.size() < k_most_flows || out.flows.contains(flow);
        if (out.count == k_most_compared || !has_room) {
            out.is_complete = false;
            return {};
        }
        ++out.count;
        out.flows[flow].push_back(content_hash(record.frame));
        return {};
    }));
    out.damage = std::move(end.damage);
    return out;
}

/// Where a flow differs first.
struct FlowDifference {
    CaptureFlow flow;
    std::array<std::size_t, 2> counts{};
    std::size_t first = 0;
    std::array<std::string, 2> lines{}; ///< the frame there, in each capture
};

/// Finds the frames themselves, in a second pass.
Result<void> describe_differences(const CaptureInput& input, std::size_t which,
                                  std::vector<FlowDifference>& found) {
    std::map<CaptureFlow, std::size_t> at;
    capture::RecordDecoder decoder;
    TRY_DO(input.read([&](std::uint64_t number, const capture::Record& record) -> Result<void> {
        const auto flow = flow_of(record);
        const auto difference = std::ranges::lower_bound(found, flow, {}, &FlowDifference::flow);
        if (difference == found.end() || difference->flow != flow) return {};
        if (at[flow]++ == difference->first)
            difference->lines[which] = fmt::format("record {}: {} {}", number, capture::packet_name(record),
                                                   short_value(record, decoder));
        return {};
    }));
    return {};
}

} // namespace

Result<Outcome> print_capture_diff(Console& console, const CaptureInput& a, const CaptureInput& b) {
    TRY(const auto one, hash_capture(a));
    TRY(const auto other, hash_capture(b));
    std::map<CaptureFlow, std::array<const std::vector<std::uint64_t>*, 2>> both;
    for (const auto& [flow, hashes] : one.flows) both[flow][0] = &hashes;
    for (const auto& [flow, hashes] : other.flows) both[flow][1] = &hashes;
    std::vector<FlowDifference> found;
    const std::vector<std::uint64_t> none;
    for (const auto& [flow, hashes] : both) {
        const auto& left = hashes[0] != nullptr ? *hashes[0] : none;
        const auto& right = hashes[1] != nullptr ? *hashes[1] : none;
        if (left == right) continue;
        const auto first = std::ranges::mismatch(left, right).in1 - left.begin();
        found.push_back({flow, {left.size(), right.size()}, static_cast<std::size_t>(first)});
    }
    TRY_DO(describe_differences(a, 0, found));
    TRY_DO(describe_differences(b, 1, found));
    for (const auto& each : found) {
        if (console.json()) {
            JsonWriter json;
            json.object().member("player", each.flow.player);
            if (each.flow.to)
                json.member("to", *each.flow.to == protocol::Side::server ? "server" : "client");
            if (each.flow.channel) json.member("channel", protocol::name(*each.flow.channel));
            json.key("frames").array().number(each.counts[0]).number(each.counts[1]).end();
            json.member("first_difference", each.first).key("there").array();
            for (const auto& line : each.lines) line.empty() ? json.null() : json.string(line);
            json.end().end();
            console.line(json.text());
            continue;
        }
        console.line(fmt::format("{}: {} and {}; {}", each.flow.text(), counted(each.counts[0], "frame"),
                                 counted(each.counts[1], "frame"),
                                 each.first == 0
                                     ? "they differ from the start"
                                     : fmt::format("the first {} are the same", human_count(each.first))));
        for (std::size_t side = 0; side < 2; ++side)
            print_cut(console, {{side == 0 ? "  - " : "  + "},
                                {each.lines[side].empty() ? "the end" : each.lines[side]}});
    }
    const bool is_complete = one.is_complete && other.is_complete;
    if (found.empty() && !console.json())
        console.line(is_complete ? "All frames are the same."
                                 : "All frames that were compared are the same.");
    if (!is_complete)
        console.note(fmt::format("only the first {} frames of each capture and {} streams were compared",
                                 human_count(k_most_compared), human_count(k_most_flows)));
    if (one.damage) console.problem(*one.damage);
    if (other.damage) console.problem(*other.damage);
    return found.empty() && !one.damage && !other.damage ? Outcome::fine : Outcome::damage;
}

} // namespace orbis::app
