#pragma once

#include "protocol/catalogue.hpp"
#include "protocol/translation.hpp"

#include <array>
#include <memory>
#include <unordered_map>

namespace orbis::protocol {

class Transcoder;

/// How a build says what programs say with the typed packets, which are those of the usual build: made from
/// the differences of the two schemas and one small file of the build (docs/design/builds.md).
class Dialect {
public:
    /// The dialect of a build: made at the first call, kept for the life of the program. Threads may call it
    /// at the same time. Null for the usual build, which needs none.
    static const Dialect* of(const BuildInfo& build);
    /// From a schema and the text of its file; `usual` and `other` must outlive it.
    static Result<std::unique_ptr<const Dialect>> make(const Schema& usual, const Schema& other,
                                                       const BuildInfo& build, std::string_view manners,
                                                       std::span<const Dialect* const> older = {});

    /// A packet in both builds.
    struct Word {
        const PacketInfo* usual;
        const PacketInfo* other;
        bool is_said_alike = false;  ///< what the usual build writes needs no change
        bool is_heard_alike = false; ///< nor what the other does
        const Layout* usual_layout;
        const Layout* other_layout;
        Translation::Renamed names_there{};              ///< theirs, ours
        Translation::Renamed names_here{};               ///< ours, theirs
        std::shared_ptr<const Transcoder> quick_there{}; ///< where names are the same
        std::shared_ptr<const Transcoder> quick_here{};
    };
    /// How a side says a packet of the usual build; null when the build has no such packet.
    [[nodiscard]] const Word* said_by(Side side, std::int32_t usual_id) const;
    /// What a packet of the build means; null when it means nothing to the usual build.
    [[nodiscard]] const Word* heard_from(Side side, std::int32_t other_id) const;

    /// Appends the payload of the build that says what one of the usual build says, both decompressed.
    Result<void> say(const Word& word, Bytes payload, Buffer& out) const;
    /// The other way.
    Result<void> hear(const Word& word, Bytes payload, Buffer& out) const;

    /// A record of one build as one of the other, by the names of its fields.
    [[nodiscard]] Value there(const Value& usual, const Layout& to) const { return there_.record(usual, to); }
    [[nodiscard]] Value here(const Value& other, const Layout& to) const { return here_.record(other, to); }

    /// Packets that only this build has, and that a server sends before one of the usual build.
    struct Extra {
        const PacketInfo* packet;
        Buffer payload;
    };
    [[nodiscard]] std::span<const Extra> before(std::int32_t usual_id) const;

    /// The oldest dialect whose bytes for what a server says by this packet are the same: frames that were
    /// made for one of its clients can be sent to those of all.
    [[nodiscard]] const Dialect& first_to_say(std::int32_t usual_id) const;

    [[nodiscard]] const BuildInfo& build() const { return build_; }
    [[nodiscard]] const Schema& schema() const { return other_; }
    [[nodiscard]] const Schema& usual_schema() const { return usual_; }
    /// What a client offers in TLS.
    [[nodiscard]] const std::string& protocol() const { return protocol_; }
    /// Connect has neither uuid nor name: the server asks for them.
    [[nodiscard]] bool asks_for_player() const { return asks_for_player_; }
    /// Everything travels on Default.
    [[nodiscard]] bool has_one_stream() const { return has_one_stream_; }
    /// What the usual build says of a column in one packet is in several here, and the other way.
    [[nodiscard]] bool has_columns_apart() const { return has_columns_apart_; }

private:
    Dialect(const Schema& usual, const Schema& other, const BuildInfo& build)
        : usual_(usual), other_(other), build_(build) {}
    Result<void> read(std::string_view manners);
    [[nodiscard]] Result<void> check_columns() const;
    void learn(Side side, std::string_view usual, std::string_view other, Translation::Renamed names);
    Result<void> learn_extra(std::string_view before, std::string_view packet);
    void find_likes(std::span<const Dialect* const> older);
    void make_transcoders();
    [[nodiscard]] bool says_like(const Dialect& other, std::int32_t usual_id) const;

    const Schema& usual_;
    const Schema& other_;
    const BuildInfo& build_;
    std::string protocol_ = "hytale/2";
    bool asks_for_player_ = false;
    bool has_columns_apart_ = false;
    bool has_one_stream_ = false;
    Translation there_;
    Translation here_;
    std::array<std::unordered_map<std::int32_t, std::shared_ptr<Word>>, 2> said_; ///< by side, usual id
    std::array<std::unordered_map<std::int32_t, std::shared_ptr<const Word>>, 2>
        heard_; ///< by side, other id
    std::unordered_map<std::int32_t, std::vector<Extra>> extras_;
    std::unordered_map<std::int32_t, const Dialect*> first_; ///< by usual id; none: this one
    bool has_values_ = false;                                ///< of its own, which others may not have
};

} // namespace orbis::protocol
