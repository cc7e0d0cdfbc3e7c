#pragma once

#include "chunk/shape.hpp"
#include "game/codec/section_changes.hpp"
#include "game/content/interactions.hpp"
#include "net/time.hpp"
#include "packets/interaction.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace orbis::game {

class Inventory;
class ItemTable;

/// What chains do to the world of their player.
class ChainHost {
public:
    /// Asks for a block at a place, 0 to break what is there. The result comes later under the number that
    /// this returns; nothing if it cannot even be asked for.
    virtual std::optional<std::uint32_t> begin_edit(BlockPos pos, std::int32_t block,
                                                    chunk::Rotation rotation) = 0;

protected:
    ~ChainHost() = default;
};

/// What a player does with its hands. A client begins a chain of operations, runs them and says what came of
/// each; the server runs the same ones and answers (docs/formats/interactions.md).
class InteractionChains {
public:
    /// Chains that may run at the same time; a player who builds fast has a few.
    static constexpr std::size_t k_most_running = 4096;
    /// How long one side waits for the other, without twice the round trip.
    static constexpr net::Duration k_patience = std::chrono::seconds(3);
    /// How long a chain runs without a word of its client.
    static constexpr net::Duration k_longest_silence = std::chrono::minutes(1);

    /// All of these must outlive it.
    InteractionChains(Inventory& inventory, const ItemTable& items, ChainHost& host)
        : inventory_(inventory), items_(items), host_(host) {}

    void take(const packets::SyncInteractionChain& update, net::Time now);
    /// What became of an edit: what is there now, nothing if that is unknown.
    void on_edit(std::uint32_t ticket, const std::optional<WireBlock>& now_there);
    /// Ends all without a word: the player goes to another world.
    void clear() { running_.clear(), edits_.clear(); }

    /// What is to be sent.
    struct Answers {
        std::vector<packets::SyncInteractionChain> updates;
        std::vector<std::int32_t> cancelled;
        bool tells_hotbar_slot = false; ///< the client has another slot than the server
        bool tells_utility_slot = false;

        [[nodiscard]] bool empty() const { return updates.empty() && cancelled.empty(); }
    };
    /// Goes on with all chains. The answers point into this, and are valid until anything else is called.
    const Answers& tick(net::Time now, net::Duration round_trip);

private:
    /// What a client says of one of its operations.
    struct ClientStep {
        packets::InteractionState state{};
        std::int32_t counter = 0;
        std::int32_t root = 0;
        std::optional<BlockPos> pos;
        chunk::Rotation rotation{};
        std::int32_t block = 0;
    };
    struct Chain {
        std::int32_t id = 0;
        packets::InteractionType type{};
        Root root{};
        packets::InteractionChainData data{};
        std::string hit_detail; ///< that `data` points to
        std::int32_t slot = 0;
        std::map<std::int32_t, ClientStep> steps; ///< of the client, by their index
        packets::InteractionState client_state{};

        packets::InteractionState state = packets::InteractionState::not_finished;
        std::int32_t index = 0;              ///< operations that have been run
        std::int32_t counter = 0;            ///< the one that is next
        std::optional<std::uint32_t> ticket; ///< of its edit
        bool has_result = false;
        std::optional<WireBlock> result;
        BlockPos target{};
        net::Time begun{};            ///< when the operation began
        bool has_told_result = false; ///< the client knows what its edit has become
        bool is_answered = false;
        std::optional<net::Time> alone_since; ///< one side is done
        net::Time heard{};                    ///< when its client said something about it

        // What is to be told of this tick.
        std::int32_t first_told = 0;
        std::vector<packets::InteractionSyncData> told;
        Buffer told_bits;
        bool is_told = false; ///< has been sent
    };

    /// Why a chain cannot begin is told by `answers_`.
    bool begin(const packets::SyncInteractionChain& update);
    void note_steps(Chain& chain, const packets::SyncInteractionChain& update);
    void run(Chain& chain, net::Time now);
    /// Nothing: it has to be waited for.
    std::optional<packets::InteractionState> run_step(Chain& chain, const Operation& operation,
                                                      const ClientStep* step, net::Time now);
    std::optional<packets::InteractionState> run_edit(Chain& chain, const Operation& operation,
                                                      const ClientStep& step, net::Time now);
    std::optional<std::uint32_t> begin_edit(Chain& chain, const Operation& operation, const ClientStep& step);
    void tell(Chain& chain, packets::InteractionState state, net::Time now);
    void cancel(std::int32_t chain) { next_.cancelled.push_back(chain); }
    void answer(Chain& chain);

    Inventory& inventory_;
    const ItemTable& items_;
    ChainHost& host_;
    std::int32_t last_id_ = 0;
    std::map<std::int32_t, Chain> running_;
    std::unordered_map<std::uint32_t, std::int32_t> edits_; ///< by their numbers: whose they are
    std::vector<Chain> over_;                               ///< whose last answer is being sent
    Answers next_;
    Answers answers_;
};

} // namespace orbis::game
