#include "game/content/asset_transfer.hpp"

#include "net/server_session.hpp"
#include "packets/setup.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

/// Bytes that may wait for a client or its acknowledgement before the next part is read. Reading happens in
/// the thread of the game, so a call must not read much: whatever is delivered calls again.
constexpr std::size_t k_most_held_ahead = ContentPack::k_part;

std::int32_t percent(std::uint64_t done, std::uint64_t all) {
    return all == 0 ? 100 : static_cast<std::int32_t>(done * 100 / all);
}

} // namespace

Result<void> AssetTransfer::request(const packets::RequestAssets& request) {
    std::vector<const ContentPack::Asset*> wanted;
    if (is_done()) has_asked_for_all_ = false;
    if (!request.assets) {
        if (std::exchange(has_asked_for_all_, true)) return {}; // they are on their way
        if (pack_ != nullptr)
            for (const auto& asset : pack_->assets()) wanted.push_back(&asset);
    } else {
        for (const auto& asked : *request.assets) {
            const auto* asset = pack_ == nullptr ? nullptr : pack_->find(asked.hash, asked.name);
            if (asset == nullptr)
                return fail(Errc::not_found, "no asset with the hash {} is offered", asked.hash);
            wanted.push_back(asset);
        }
    }
    if (wanted.empty()) return {};
    if (is_done()) { // nothing of an earlier request is left: its progress is over
        rest();
        wanted_ = 0;
        sent_ = 0;
    }
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(place_));
    place_ = 0;
    queued_.resize(pack_->assets().size());
    for (const auto* asset : wanted) {
        if (mark_of(*asset)) continue;
        mark_of(*asset) = true;
        queue_.push_back(asset);
        wanted_ += asset->size;
    }
    return {};
}

std::vector<bool>::reference AssetTransfer::mark_of(const ContentPack::Asset& asset) {
    return queued_[static_cast<std::size_t>(&asset - pack_->assets().data())];
}

bool AssetTransfer::pump(net::ServerSession& session) {
    auto& link = session.link();
    while (!is_done()) {
        if (!link.is_open() || link.is_closing()) return false;
        if (link.held(net::Channel::normal) >= k_most_held_ahead) return false;
        if (send_part(session) == Step::broken) return false;
    }
    if (std::exchange(has_sent_, false))
        if (!session.send(packets::RequestCommonAssetsRebuild{})) return false;
    rest();
    return true;
}

AssetTransfer::Step AssetTransfer::send_part(net::ServerSession& session) {
    const auto& asset = *queue_[place_];
    const bool begins = file_ == nullptr;
    if (begins) {
        offset_ = 0;
        auto file = pack_->open(asset);
        if (!file) {
            leave_out(file.error());
            return Step::skipped;
        }
        file_ = *std::move(file);
    }
    if (const auto read = read_part(); !read) {
        if (begins) {
            leave_out(read.error());
            return Step::skipped;
        }
        if (tell_) tell_(read.error());
        session.disconnect("An asset changed while it was being sent. Please join again.");
        return Step::broken;
    }
    const auto send = [&](const auto& packet) { return session.send(packet).has_value(); };
    if (begins) {
        packets::AssetInitialize start;
        start.size = static_cast<std::int32_t>(asset.size);
        start.asset = {.hash = asset.hash, .name = asset.name};
        if (!send(start)) return Step::broken;
    }
    packets::StringParamValue name;
    name.value = protocol::Text(asset.name);
    const protocol::Entry<protocol::Text, packets::ParamValue> param{"assetName", name};
    packets::FormattedMessage status;
    status.message_id = protocol::Text("client.general.worldLoad.loadingAsset");
    status.params = protocol::Map<protocol::Text, packets::ParamValue>(&param, 1);
    packets::WorldLoadProgress progress;
    progress.percent_complete = percent(sent_, wanted_);
    progress.percent_complete_subitem = percent(offset_, asset.size);
    progress.status = status;
    packets::AssetPart part;
    part.part = Bytes(part_);
    if (!part_.empty() && (!send(progress) || !send(part))) return Step::broken;
    offset_ += part_.size();
    sent_ += part_.size();
    if (offset_ < asset.size) return Step::sent;
    if (!send(packets::AssetFinalize{})) return Step::broken;
    has_sent_ = true;
    end_asset();
    return Step::sent;
}

Result<void> AssetTransfer::read_part() {
    const auto& asset = *queue_[place_];
    TRY(const auto size, file_->size());
    if (size != asset.size)
        return fail(error(Errc::bad_value,
                          "expected {} bytes, found {}: it has changed since the server started", asset.size,
                          size)
                        .in_file(file_->name()));
    TRY(const auto view,
        file_->view(offset_, std::min<std::uint64_t>(ContentPack::k_part, asset.size - offset_)));
    part_.assign(view.bytes().begin(), view.bytes().end());
    TRY_DO(file_->check(view));
    const bool same = asset.parts.empty() ? sha256_hex(Bytes(part_)) == asset.hash
                                          : sha256(part_) == asset.parts[offset_ / ContentPack::k_part];
    if (!same)
        return fail(error(Errc::bad_value, "it has changed since the server started").in_file(file_->name()));
    return {};
}

void AssetTransfer::leave_out(const Error& why) {
    if (tell_) tell_(why);
    wanted_ -= queue_[place_]->size;
    end_asset();
}

void AssetTransfer::end_asset() {
    file_.reset();
    mark_of(*queue_[place_]) = false;
    ++place_;
}

void AssetTransfer::rest() {
    queue_ = {};
    place_ = 0;
    queued_ = {};
    part_ = {};
}

} // namespace orbis::game
