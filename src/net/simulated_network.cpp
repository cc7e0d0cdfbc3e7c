#include "net/simulated_network.hpp"

namespace orbis::net {

void SimulatedNetwork::attach(const Address& address, QuicEndpoint& endpoint) {
    endpoints_.push_back({address, &endpoint});
}

void SimulatedNetwork::detach(const Address& address) {
    std::erase_if(endpoints_, [&](const Attached& attached) { return attached.address == address; });
}

void SimulatedNetwork::inject(const Address& from, const Address& to, Bytes datagram) {
    send(from, to, datagram);
}

void SimulatedNetwork::send(const Address& from, const Address& to, Bytes datagram) {
    if (observer) observer(from, to, datagram);
    if (datagram.size() > conditions.largest || chance(conditions.loss)) return;
    const int copies = chance(conditions.duplicate) ? 2 : 1;
    for (int copy = 0; copy < copies; ++copy) {
        auto delay = conditions.delay;
        if (chance(conditions.reorder)) delay *= std::uniform_int_distribution(2, 4)(random_);
        Buffer bytes(datagram.begin(), datagram.end());
        if (!bytes.empty() && chance(conditions.corrupt))
            bytes[random_() % bytes.size()] ^= static_cast<std::uint8_t>(1u << (random_() % 8));
        under_way_.push({now_ + delay, order_++, from, to, std::move(bytes)});
    }
}

void SimulatedNetwork::flush() {
    const DatagramSink sink = [this](const DatagramBatch& batch) {
        for (auto rest = batch.bytes; !rest.empty();) {
            const auto size = std::min(batch.segment, rest.size());
            send(batch.path.local, batch.path.remote, rest.first(size));
            rest = rest.subspan(size);
        }
    };
    for (const auto& attached : endpoints_)
        while (attached.endpoint->flush(sink, now_)) {
        }
}

bool SimulatedNetwork::step(Time limit) {
    flush();
    auto next = under_way_.empty() ? k_never : under_way_.top().time;
    for (const auto& attached : endpoints_) next = std::min(next, attached.endpoint->deadline());
    if (ticker) next = std::min(next, next_tick_);
    if (next > limit) {
        now_ = std::max(now_, limit);
        return false;
    }
    now_ = std::max(now_, next);
    while (!under_way_.empty() && under_way_.top().time <= now_) {
        const auto delivery = under_way_.top();
        under_way_.pop();
        const auto at = std::ranges::find(endpoints_, delivery.to, &Attached::address);
        if (at != endpoints_.end())
            at->endpoint->receive({delivery.to, delivery.from}, 0, delivery.datagram, now_);
        else if (stranger)
            stranger(delivery.from, delivery.to, delivery.datagram);
    }
    for (const auto& attached : endpoints_) attached.endpoint->expire(now_);
    if (ticker && now_ >= next_tick_) {
        next_tick_ = now_ + std::chrono::milliseconds(50);
        ticker();
    }
    return true;
}

bool SimulatedNetwork::run_until(const std::function<bool()>& condition, Duration limit) {
    const auto end = now_ + limit;
    flush();
    while (!condition())
        if (!step(end)) return condition();
    return true;
}

void SimulatedNetwork::run_for(Duration time) {
    run_until([] { return false; }, time);
}

} // namespace orbis::net
