#include "app/capture_tables.hpp"
#include "app/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace orbis::app {

namespace {

struct PacketSum {
    std::string packet{};
    std::string arrow{};
    std::string to{};
    std::string channel{};
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;
};

/// Packets of the same name are the same in all builds.
class PacketSums {
public:
    void add(const capture::Record& record) {
        const auto* packet = capture::packet_of(record);
        // Most records are like one before: no text is made for them.
        const Like like{packet, packet != nullptr ? 0 : record.id(), record.to, record.channel};
        if (quick_.size() > k_most_kinds) quick_.clear(); // ids of unknown packets can be anything
        auto& at = quick_[like];
        if (at == nullptr) at = &sum_of(record);
        auto& sum = *at;
        ++sum.count;
        sum.bytes += record.length;
        sum.largest = std::max<std::uint64_t>(sum.largest, record.length);
        ++all.count;
        all.bytes += record.length;
    }

    [[nodiscard]] std::vector<PacketSum> sorted() const {
        std::vector<PacketSum> out;
        for (const auto& [key, sum] : sums_) out.push_back(sum);
        if (others_.count > 0) out.push_back(others_);
        std::ranges::sort(out, [](const PacketSum& a, const PacketSum& b) {
            return std::tie(b.bytes, a.packet, a.arrow, a.channel)
                   < std::tie(a.bytes, b.packet, b.arrow, b.channel);
        });
        return out;
    }

    PacketSum all;

private:
    PacketSum& sum_of(const capture::Record& record) {
        const auto name = capture::packet_name(record);
        const auto arrow = std::string(arrow_of(record));
        const auto channel = record.channel ? std::string(protocol::name(*record.channel)) : "";
        const auto key = name + '\t' + arrow + '\t' + channel;
        if (sums_.size() >= k_most_kinds && !sums_.contains(key)) return others_;
        auto& sum = sums_[key];
        sum.packet = name;
        sum.arrow = arrow;
        sum.to = !record.to ? "" : *record.to == protocol::Side::server ? "server" : "client";
        sum.channel = channel;
        return sum;
    }

    static constexpr std::size_t k_most_kinds = 100'000;
    struct Like {
        const protocol::PacketInfo* packet;
        std::int32_t id;
        std::optional<protocol::Side> to;
        std::optional<protocol::Channel> channel;
        auto operator<=>(const Like&) const = default;
    };
    std::map<Like, PacketSum*> quick_;
    std::map<std::string, PacketSum> sums_;
    PacketSum others_{.packet = "others"};
};

} // namespace

Result<Outcome> print_capture_stats(Console& console, const CaptureInput& input) {
    PacketSums sums;
    TRY(const auto end, input.read([&](std::uint64_t, const capture::Record& record) -> Result<void> {
        sums.add(record);
        return {};
    }));
    const auto row = [&](std::array<std::string, 7> texts, Tone tone) {
        print_row(console, {{std::move(texts[0]), 10, tone, true},
                            {std::move(texts[1]), 12, tone, true},
                            {std::move(texts[2]), 6, tone, true},
                            {std::move(texts[3]), 10, tone, true, 2},
                            {std::move(texts[4]), 9, tone, false, 1},
                            {std::move(texts[5]), 2, tone},
                            {std::move(texts[6]), 0, tone}});
    };
    if (!console.json()) row({"frames", "bytes", "%", "largest", "channel", "", "packet"}, Tone::heading);
    for (const auto& sum : sums.sorted()) {
        if (console.json()) {
            JsonWriter json;
            json.object().member("packet", sum.packet);
            if (!sum.to.empty()) json.member("to", sum.to);
            if (!sum.channel.empty()) json.member("channel", sum.channel);
            json.member("frames", sum.count).member("bytes", sum.bytes).member("largest", sum.largest).end();
            console.line(json.text());
            continue;
        }
        const auto share = 100.0 * static_cast<double>(sum.bytes)
                           / static_cast<double>(std::max<std::uint64_t>(sums.all.bytes, 1));
        row({human_count(sum.count), human_count(sum.bytes), fmt::format("{:.1f}", share),
             human_count(sum.largest), sum.channel, sum.arrow, sum.packet},
            Tone::plain);
    }
    if (!console.json())
        row({human_count(sums.all.count), human_count(sums.all.bytes), "", "", "", "", "all"}, Tone::faint);
    if (end.damage) console.problem(*end.damage);
    return end.outcome();
}

} // namespace orbis::app
