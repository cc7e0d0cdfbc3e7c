#pragma once

#include "capture/filter.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/json_tree.hpp"
#include "proxy/frame_observer.hpp"

#include <span>

namespace orbis::proxy {

/// One thing that a rule does with the frames that it is for.
struct RuleAction {
    enum class Kind : std::uint8_t { show, drop, delay, set, inject };
    Kind kind = Kind::show;
    int line = 0;               ///< of the file
    net::Duration time{};       ///< of a delay
    std::string path{};         ///< of the field to set: `message`, `hostTo.port`
    protocol::JsonTree value{}; ///< of that field, or of the packet to inject
    End to = End::client;       ///< who gets what is injected
    std::string packet{};       ///< its name
};

struct Rule {
    capture::Filter when;
    std::vector<RuleAction> actions{};
};

/// The rules of a file (docs/proxy.md), in their order:
///
///     when: ChatMessage.message ~ "hello" and to server
///         show
///         set: message = "good-bye"
class RuleBook {
public:
    /// An error names the line.
    static Result<RuleBook> parse(std::string_view text);
    [[nodiscard]] std::span<const Rule> rules() const { return rules_; }

private:
    std::vector<Rule> rules_;
};

/// What the rules say about a frame.
struct Ruling {
    struct Injection {
        End to;
        net::StreamId stream;
        Buffer frame;
    };
    bool is_shown = false;
    bool is_dropped = false;
    net::Duration delay{};
    std::optional<Buffer> changed{};     ///< the frame to forward instead
    std::vector<Injection> injections{}; ///< after it
    std::vector<std::string> problems{}; ///< what could not be done
};

/// Applies rules to frames. Keeps its memory: one per thread.
class RuleJudge {
public:
    explicit RuleJudge(const RuleBook& book);

    Ruling judge(const Sighting& sighting);

private:
    Result<Buffer> changed(const PlayerFacts& player, Bytes frame, const RuleAction& action);
    Result<Ruling::Injection> injected(const PlayerFacts& player, const RuleAction& action);

    const RuleBook& book_;
    std::vector<capture::Matcher> matchers_; ///< one for each rule
    Decompressor decompressor_;
    protocol::PayloadFramer framer_;
};

/// A frame that a rule shows.
struct ShownFrame {
    End from;
    net::StreamId stream;
    std::string packet; ///< its name; `packet 9999` where the build does not have it
    std::string value;  ///< its fields as JSON; empty where they cannot be read
    std::size_t size;   ///< bytes, with the header
};
ShownFrame shown_frame(const Sighting& sighting);

} // namespace orbis::proxy
