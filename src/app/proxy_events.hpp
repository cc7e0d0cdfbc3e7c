#pragma once

#include "app/console.hpp"
#include "app/line_output.hpp"
#include "proxy/proxy_settings.hpp"

namespace orbis::app {

/// Prints what happens at a proxy: a line for people, or a JSON object, for each event. Any thread may print
/// through it.
class ProxyPrinter final : public proxy::ProxyEvents {
public:
    explicit ProxyPrinter(Console& console) : console_(console), output_(console) {}

    struct Ready {
        std::vector<std::string> addresses;
        std::string target; ///< as it was typed
        std::vector<std::string> targets;
        std::string certificate; ///< fingerprint
        std::string metrics{};   ///< URL; empty for none
        std::string inspector{}; ///< URL; empty for none
    };
    void on_ready(const Ready& ready);
    void on_stopping(std::string_view why, std::size_t players);
    void on_stopped(std::chrono::seconds uptime, std::uint64_t joined, std::uint64_t bytes);

    void on_join(const proxy::PlayerFacts& player) override;
    void on_leave(const proxy::PlayerFacts& player, const proxy::Leave& leave) override;
    void on_refused(const proxy::PlayerFacts& player, const std::string& why) override;
    void on_referral(const proxy::PlayerFacts& player, const net::HostPort& to,
                     const std::optional<net::HostPort>& back) override;
    void on_shown(const proxy::PlayerFacts& player, const proxy::ShownFrame& frame) override;
    void on_rule_problem(const proxy::PlayerFacts& player, const std::string& problem) override;

private:
    void print(std::string text, JsonWriter& json);

    Console& console_;
    LineOutput output_;
};

} // namespace orbis::app
