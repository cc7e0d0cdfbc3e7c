// One end of a connection, spoken by this project: the other end is another QUIC library
// (docs/design/interop.md).
//
//     wire_peer setup FOLDER
//     wire_peer server FOLDER [OPTION…]
//     wire_peer client FOLDER PORT [OPTION…]

#include "interop/talk.hpp"
#include "net/identity.hpp"
#include "net/udp_driver.hpp"

#include <charconv>
#include <cstdio>
#include <fstream>

namespace orbis::test {
namespace {

using net::Identity;
using namespace std::chrono_literals;

constexpr auto k_limit = 110s;

struct Options {
    std::filesystem::path folder;
    std::uint16_t port = 0;
    std::vector<std::string> protocols;
    std::string key; ///< name of the identity in the folder, `none` for none
    std::uint64_t window = 0;
    TalkRules rules;
};

template <typename Number>
Result<Number> number(std::string_view text) {
    Number value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size())
        return fail(Errc::usage, "expected a number, found `{}`", text);
    return value;
}

/// `application:5:2026.02.17`, `transport:10:`
Result<net::Close> parse_close(std::string_view text) {
    const auto first = text.find(':');
    const auto second = text.find(':', first + 1);
    if (first == text.npos || second == text.npos) return fail(Errc::usage, "expected KIND:CODE:REASON");
    net::Close close;
    close.kind =
        text.starts_with("application") ? net::Close::Kind::application : net::Close::Kind::transport;
    TRY(close.code, number<std::uint64_t>(text.substr(first + 1, second - first - 1)));
    close.reason = text.substr(second + 1);
    return close;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    for (;;) {
        const auto comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        if (comma == text.npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

Result<void> parse_option(Options& options, std::string_view argument) {
    const auto equals = argument.find('=');
    const auto name = argument.substr(0, equals);
    const auto value = equals == argument.npos ? std::string_view() : argument.substr(equals + 1);
    if (name == "--alpn") {
        options.protocols = split(value);
    } else if (name == "--key") {
        options.key = value;
    } else if (name == "--window") {
        TRY(options.window, number<std::uint64_t>(value));
    } else if (name == "--close") {
        TRY(options.rules.close, parse_close(value));
    } else if (name == "--more-streams") {
        options.rules.wants_more_streams = true;
    } else if (name == "--early") {
        options.rules.is_early = true;
    } else {
        return fail(Errc::usage, "there is no option `{}`", argument);
    }
    return {};
}

Result<Options> parse(std::span<const std::string_view> arguments) {
    Options options;
    options.rules.is_server = arguments[0] == "server";
    options.folder = arguments[1];
    options.key = arguments[0];
    options.protocols =
        options.rules.is_server ? net::game_protocols() : std::vector<std::string>{"hytale/2"};
    std::size_t at = 2;
    if (!options.rules.is_server) {
        if (arguments.size() < 3) return fail(Errc::usage, "a client needs the port of its server");
        TRY(options.port, number<std::uint16_t>(arguments[at++]));
    }
    for (; at < arguments.size(); ++at) TRY_DO(parse_option(options, arguments[at]));
    return options;
}

net::QuicSettings settings_of(const Options& options) {
    auto settings = options.rules.is_server ? net::QuicSettings::server() : net::QuicSettings::client();
    if (options.window > 0) {
        settings.max_stream_data_bidi_local = settings.max_stream_data_uni = options.window;
        settings.max_data = 2 * options.window;
        settings.largest_stream_window = options.window;
        settings.largest_window = 2 * options.window;
    }
    return settings;
}

Result<void> run(const Options& options) {
    TRY(auto loop, net::Loop::make());
    TRY(auto frames, make_game_frames());
    Talk talk(*loop, options.rules, std::move(frames));
    net::UdpDriver driver(*loop, {});
    std::optional<Identity> identity;
    if (options.key != "none") {
        TRY(identity, net::load_identity(options.folder / (options.key + ".pem"),
                                         options.folder / (options.key + ".key")));
    }
    if (options.rules.is_server) {
        if (!identity) return fail(Errc::usage, "a server needs a certificate");
        TRY(auto tls, net::TlsContext::server(*identity, options.protocols));
        TRY(auto socket, net::UdpSocket::bind(net::Address::loopback_v4(0)));
        std::printf("{\"event\":\"listening\",\"port\":%d}\n", socket.address().port());
        std::fflush(stdout);
        driver.add(std::move(socket));
        driver.endpoint().listen(tls, settings_of(options),
                                 [&](net::QuicConnection&) { return talk.handler(); });
    } else {
        TRY(auto tls, net::TlsContext::client(identity ? &*identity : nullptr, options.protocols));
        TRY_DO(driver.connect(net::Address::loopback_v4(options.port), tls, settings_of(options), "localhost",
                              talk.handler()));
    }
    if (!loop->run_until([&] { return talk.is_over(); }, k_limit))
        return fail(Errc::io, "the connection did not end within {} s", k_limit.count());
    // What closes a connection is repeated for a while to a peer that has not heard it.
    loop->run_until([&] { return driver.endpoint().connections() == 0; }, 200ms);
    return {};
}

Result<void> set_up(const std::filesystem::path& folder) {
    TRY(const auto frames, make_game_frames());
    const std::pair<const char*, const Buffer&> files[] = {{"connect", frames.connect},
                                                           {"accept", frames.accept},
                                                           {"chunks", frames.chunks},
                                                           {"map", frames.map},
                                                           {"ready", frames.ready}};
    for (const auto& [name, bytes] : files) {
        std::ofstream out(folder / name, std::ios::binary);
        out << as_text(bytes);
        if (!out.flush()) return fail(Errc::io, "cannot write {}", (folder / name).string());
    }
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const std::pair<const char*, net::KeyKind> keys[] = {{"server", net::KeyKind::rsa2048},
                                                         {"client", net::KeyKind::ecdsa_p256},
                                                         {"rsa", net::KeyKind::rsa2048},
                                                         {"ed25519", net::KeyKind::ed25519}};
    for (const auto& [name, kind] : keys) {
        TRY(const auto made, net::make_self_signed(kind, now));
        TRY_DO(net::save_identity(made, folder / (std::string(name) + ".pem"),
                                  folder / (std::string(name) + ".key")));
    }
    return {};
}

Result<void> start(std::span<const std::string_view> arguments) {
    if (arguments.size() < 2)
        return fail(Errc::usage, "usage: wire_peer setup|server FOLDER, wire_peer client FOLDER PORT");
    if (arguments[0] == "setup") return set_up(arguments[1]);
    TRY(const auto options, parse(arguments));
    return run(options);
}

} // namespace
} // namespace orbis::test

int main(int count, char** values) {
    const std::vector<std::string_view> arguments(values + 1, values + count);
    const auto done = orbis::test::start(arguments);
    if (!done) std::fprintf(stderr, "wire_peer: %s\n", done.error().text().c_str());
    return done ? 0 : 1;
}
