#pragma once

#include "game/content/content_pack.hpp"
#include "packets/fwd.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace orbis::net {
class ServerSession;
}

namespace orbis::game {

/// Sends a player the assets that it has asked for, a few parts at a time: `pump` goes on as far as the
/// client reads, so that one that does not read costs no memory.
class AssetTransfer {
public:
    /// Called for files that are left out because they are gone or not what they were.
    using Tell = std::function<void(const Error&)>;

    /// The pack must outlive this; null offers nothing.
    explicit AssetTransfer(const ContentPack* pack, Tell tell = {}) : pack_(pack), tell_(std::move(tell)) {}

    /// Queues what a request names: all of the pack without a list, each asset once however often it is
    /// named. An error for a hash that is not offered; nothing is queued then.
    Result<void> request(const packets::RequestAssets& request);

    /// Sends what there is room for; true when everything that was asked for has been sent. To be called
    /// after a request and whenever something on Default was delivered. Disconnects the player when a file
    /// changes in the middle of its transfer, because half of it was sent already.
    bool pump(net::ServerSession& session);

    [[nodiscard]] bool is_done() const { return place_ == queue_.size() && !file_; }

private:
    enum class Step : std::uint8_t { sent, skipped, broken };
    Step send_part(net::ServerSession& session);
    /// Copies the next part and compares it with what the list says of it.
    Result<void> read_part();
    void leave_out(const Error& why);
    [[nodiscard]] std::vector<bool>::reference mark_of(const ContentPack::Asset& asset);
    void end_asset();
    /// Lets go of the memory that only a transfer needs.
    void rest();

    const ContentPack* pack_;
    Tell tell_;
    std::vector<const ContentPack::Asset*> queue_;
    std::vector<bool> queued_; ///< and not yet sent, by the place in the pack's list
    std::size_t place_ = 0;
    std::unique_ptr<File> file_; ///< of the asset that is under way
    std::uint64_t offset_ = 0;   ///< in it
    Buffer part_;
    std::uint64_t wanted_ = 0; ///< bytes of all that was asked for
    std::uint64_t sent_ = 0;
    bool has_asked_for_all_ = false;
    bool has_sent_ = false; ///< an asset since the client was last told to take them up
};

} // namespace orbis::game
