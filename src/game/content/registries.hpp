#pragma once

#include "game/codec/wire_ids.hpp"
#include "game/content/weather.hpp"
#include "net/outgoing_frame.hpp"
#include "packets/fwd.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orbis::game {

class BlockEntries;
class ContentPack;
class PackRegistries;
class RegistryFrames;

/// What a client has to know before it can show a world: the 42 registries and the translations, made once
/// and sent to everybody (docs/formats/registries.md). For one thread; only `WireIds` is shared with others.
class Registries {
public:
    /// All of these must outlive it.
    Registries(const world::Assets& assets, WireIds& ids, const ContentPack* pack = nullptr);
    ~Registries();
    Registries(const Registries&) = delete;
    Registries& operator=(const Registries&) = delete;

    /// Makes all frames, with the names that have numbers by now. To be called once, after the weathers that
    /// worlds name were given numbers.
    Result<void> prepare(net::FrameTools<protocol::Side::server>& tools);

    /// For a player in setup, in the order in which they are to be sent: every registry with type Init, the
    /// translations, then what `news` has made since.
    [[nodiscard]] std::span<const net::OutgoingFrame> frames() const { return frames_; }

    /// What to tell players who had `frames` before: blocks, environments and fluids that were given numbers
    /// since. Packets with such a number may be sent afterwards only. Almost always empty, and cheap then.
    std::vector<net::OutgoingFrame> news(net::FrameTools<protocol::Side::server>& tools);

    /// The texts of a language; null for one that has none of its own: those in `frames` are for it.
    [[nodiscard]] const net::OutgoingFrame* texts(std::string_view language) const;

    /// What the files of the pack say, after `prepare`; null without any.
    [[nodiscard]] PackRegistries* from_pack() { return from_pack_.get(); }

    [[nodiscard]] Weathers& weathers() { return weathers_; }
    [[nodiscard]] const Weathers& weathers() const { return weathers_; }

private:
    /// How far the tables have been announced.
    struct Ends {
        std::int32_t blocks = 0;
        std::int32_t fluids = 0;
        std::int32_t environments = 0;
        friend bool operator==(const Ends&, const Ends&) = default;
    };
    [[nodiscard]] Ends ends() const;
    /// Adds the packets of the three tables for the ids between two ends; those without new ones only where
    /// all are wanted.
    void add_tables(const Ends& from, const Ends& to, packets::UpdateType type, RegistryFrames& out) const;

    const world::Assets& assets_;
    WireIds& ids_;
    const ContentPack* pack_;
    std::unique_ptr<BlockEntries> entries_;
    Weathers weathers_;
    std::unique_ptr<PackRegistries> from_pack_;
    std::map<std::string, net::OutgoingFrame, std::less<>> texts_; ///< by language
    Ends prepared_;                                                ///< what the first frames have
    Ends announced_;
    std::vector<net::OutgoingFrame> frames_;
    std::size_t init_frames_ = 0; ///< of them, before the news
};

} // namespace orbis::game
