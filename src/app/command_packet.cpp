#include "app/command.hpp"
#include "app/command_packet_hex.hpp"
#include "app/install_dissector.hpp"
#include "app/table.hpp"
#include "bytes/near_names.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/describe.hpp"
#include "protocol/dissector.hpp"
#include "protocol/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

namespace orbis::app {

namespace {

namespace protocol = orbis::protocol;

class CommandPacket final : public Command {
    void declare(Options& options) override {
        options.choice("ACTION", action_, {"list", "show", "decode", "encode", "dissector"}, "What to do")
            .text_argument("PACKET", name_,
                           "show: name or id of a packet, or a type. list: part of a name. decode: name or "
                           "id of the packet whose payload HEX is",
                           false)
            .words("HEX", hex_, "decode: the bytes (default: stdin), such as 2a000000 or 2a:00:00:00")
            .text("--build BUILD", build_, "Game build, CRC or hash (default: 2026.02.17)")
            .flag("--frame", line_.frame, "decode, encode: whole frames (frame_hex) instead of payloads")
            .choice("--to", to_, {"client", "server", "any"},
                    "decode --frame: the side that receives the frame (default: any)")
            .flag("--strict", line_.strict, "decode: refuse what no real writer would write")
            .flag("--keep", line_.keep, "decode: keep unreadable parts as $bytes")
            .text("--category CATEGORY", category_, "list: only packets of this category")
            .choice("--direction", direction_, {"ToClient", "ToServer", "Both"},
                    "list: only packets of this direction")
            .choice("--channel", channel_, {"Default", "Chunks", "WorldMap", "Voice"},
                    "list: only packets of this channel")
            .flag("--compressed", compressed_, "list: only compressed packets")
            .flag("--install", install_, "dissector: put it where Wireshark looks, instead of printing it")
            .footer(
                "decode takes a payload in hex: orbis packet decode SetClientId 2a000000, or whole "
                "frames, which name their packets: orbis packet decode --frame HEX.\n"
                "Without PACKET and HEX, decode and encode read JSON lines from stdin and answer each with "
                "one line:\n"
                "  {\"packet\" or \"id\", \"payload_hex\"} becomes {\"packet\",\"id\",\"value\"} or "
                "{\"error\",\"at\"}\n"
                "  {\"packet\" or \"id\", \"value\"} becomes {\"payload_hex\"}\n"
                "dissector prints a Lua script for Wireshark: orbis packet dissector > hytale.lua, or "
                "orbis packet dissector --install.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto* schema, protocol::find_schema(build_));
        if (install_ && action_ != "dissector")
            return fail(error(Errc::usage, "--install can only be used with `orbis packet dissector`")
                            .advise("orbis packet --help"));
        const bool takes_hex = action_ == "decode";
        if ((!hex_.empty() && !takes_hex)
            || (!name_.empty() && action_ != "list" && action_ != "show" && !takes_hex))
            return fail(
                error(Errc::usage, "unexpected argument {}", takes_hex || hex_.empty() ? name_ : hex_.front())
                    .advise("orbis packet --help"));
        if (action_ == "list") return list(console, *schema);
        if (action_ == "show") return show(console, *schema);
        if (action_ == "decode" || action_ == "encode") return lines(console, *schema);
        if (install_) {
            TRY_DO(install_dissector(console, protocol::dissector(*schema)));
            return Outcome::fine;
        }
        console.bytes(as_bytes(protocol::dissector(*schema)));
        return Outcome::fine;
    }

    [[nodiscard]] bool wanted(const protocol::PacketInfo& packet) const {
        return (category_.empty() || packet.category == category_)
               && (direction_.empty() || protocol::name(packet.direction) == direction_)
               && (channel_.empty() || protocol::name(packet.channel) == channel_)
               && (!compressed_ || packet.compressed) && packet.name.find(name_) != std::string_view::npos;
    }

    Result<Outcome> list(Console& console, const protocol::Schema& schema) const {
        if (!common.json)
            print_packet(console, {"id", "packet", "category", "direction", "channel", "zstd", "bytes"},
                         Tone::heading);
        for (const auto& packet : schema.registry().packets()) {
            if (!wanted(packet)) continue;
            const bool stated = packet.direction != protocol::Direction::unstated;
            const auto channel = stated ? protocol::name(packet.channel) : std::string_view();
            if (common.json) {
                JsonWriter json;
                json.object()
                    .member("id", packet.id)
                    .member("packet", packet.name)
                    .member("category", packet.category);
                if (stated)
                    json.member("direction", protocol::name(packet.direction)).member("channel", channel);
                json.member("compressed", packet.compressed).member("fixed", packet.fixed);
                json.member("smallest", packet.smallest).member("largest", packet.largest).end();
                console.line(json.text());
                continue;
            }
            const auto size = packet.smallest == packet.largest
                                  ? fmt::format("{}", packet.largest)
                                  : fmt::format("{} to {}", packet.smallest, packet.largest);
            print_packet(console,
                         {fmt::format("{}", packet.id), std::string(packet.name),
                          std::string(packet.category), std::string(protocol::name(packet.direction)),
                          std::string(channel), packet.compressed ? "zstd" : "", size},
                         Tone::plain);
        }
        return Outcome::fine;
    }

    static void print_packet(Console& console, const std::array<std::string, 7>& texts, Tone tone) {
        print_row(console, {{texts[0], 4, tone, true},
                            {texts[1], 44, tone, false, 1},
                            {texts[2], 12, tone, false, 2},
                            {texts[3], 9, tone},
                            {texts[4], 8, tone},
                            {texts[5], 4, tone},
                            {texts[6], 0, tone}});
    }

    Result<Outcome> show(Console& console, const protocol::Schema& schema) const {
        if (name_.empty())
            return fail(error(Errc::usage, "PACKET is missing: show needs a packet or type")
                            .advise("orbis packet list"));
        const auto lines = protocol::describe(schema, name_);
        if (lines.empty())
            return fail(error(Errc::not_found, "build {} has no packet or type {}{}", schema.build(),
                              json_quoted(name_), did_you_mean(name_, packet_names(schema, true)))
                            .advise("orbis packet list; another --build may have it"));
        const auto name = lines.front().substr(0, lines.front().find(':'));
        const auto history = schema.layout(name) != nullptr ? protocol::changes_between_builds(name)
                                                            : std::vector<protocol::BuildChange>();
        if (common.json) {
            JsonWriter json;
            json.object().member("build", schema.build());
            (void)protocol::describe(json, schema, name);
            json.key("builds").array();
            for (const auto& each : history) {
                json.object()
                    .member("build", each.build)
                    .member("present", each.present)
                    .key("changes")
                    .array();
                for (const auto& change : each.changes) json.string(change);
                json.end().end();
            }
            json.end().end();
            console.line(json.text());
            return Outcome::fine;
        }
        for (const auto& line : lines) // a sentence, or a row of the table of fields
            line.starts_with(' ') ? print_cut(console, {{line}}) : print_sentence(console, line);
        if (history.empty()) return Outcome::fine;
        console.line("");
        bool before = false;
        for (const auto& each : history) {
            const auto* state = !each.present          ? "absent"
                                : !before              ? "present"
                                : each.changes.empty() ? "the same"
                                                       : "changed";
            print_cut(console, {{fmt::format("{:<12} ", each.build), Tone::faint}, {state}});
            for (const auto& change : each.changes) print_sentence(console, change, Tone::plain, 13);
            before = before || each.present;
        }
        return Outcome::fine;
    }

    Result<Outcome> lines(Console& console, const protocol::Schema& schema) {
        if (to_ == "client") line_.receiver = protocol::Side::client;
        if (to_ == "server") line_.receiver = protocol::Side::server;
        if (action_ == "decode" && (!name_.empty() || (line_.frame && stdin_has_plain_hex())))
            return decode_plain_hex(console, schema, name_, hex_, line_);
        protocol::PayloadFramer framer;
        std::size_t lines = 0;
        std::size_t refused = 0;
        std::string line;
        while (std::getline(std::cin, line)) {
            if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
            const auto result = action_ == "decode"
                                    ? protocol::decode_line(schema, line, line_)
                                    : protocol::encode_line(schema, line, line_.frame, framer);
            console.line(result.json);
            ++lines;
            if (result.refused) ++refused;
        }
        if (refused == 0) return Outcome::fine;
        console.note(
            fmt::format("{} of {} lines could not be converted", human_count(refused), human_count(lines)));
        return Outcome::damage;
    }

    std::string action_;
    std::string name_;
    std::vector<std::string> hex_;
    std::string build_{protocol::k_default_build};
    std::string to_ = "any";
    std::string category_;
    std::string direction_;
    std::string channel_;
    bool compressed_ = false;
    bool install_ = false;
    protocol::LineOptions line_;
};

} // namespace

std::unique_ptr<Command> make_command_packet() { return std::make_unique<CommandPacket>(); }

} // namespace orbis::app
