#include "http/event_queue.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace orbis::http {

void EventQueue::push(std::string_view event, std::string_view json) {
    push_text(fmt::format("event: {}\ndata: {}\n\n", event, json));
}

void EventQueue::push_comment(std::string_view text) { push_text(fmt::format(": {}\n\n", text)); }

void EventQueue::push_text(std::string text) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    if (waiting_.size() + text.size() > k_most_bytes)
        drop_locked();
    else
        waiting_ += text;
    wake_locked();
}

void EventQueue::drop() {
    const std::lock_guard lock(mutex_);
    drop_locked();
    wake_locked();
}

void EventQueue::drop_locked() {
    closed_ = true;
    waiting_.clear();
    if (sender_.drop) sender_.drop();
}

void EventQueue::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_locked();
}

void EventQueue::wake_locked() {
    if (!paused_) return;
    paused_ = false;
    if (sender_.wake) sender_.wake();
}

std::optional<std::size_t> EventQueue::take(std::span<char> out, const std::function<void()>& pause) {
    const std::lock_guard lock(mutex_);
    const auto count = std::min(out.size(), waiting_.size());
    if (count == 0) {
        if (closed_) return std::nullopt;
        paused_ = true;
        pause();
        return 0;
    }
    std::memcpy(out.data(), waiting_.data(), count);
    waiting_.erase(0, count);
    return count;
}

void EventQueue::attach(Sender sender) {
    const std::lock_guard lock(mutex_);
    sender_ = std::move(sender);
}

void EventQueue::detach() {
    const std::lock_guard lock(mutex_);
    sender_ = {};
    closed_ = true;
    waiting_.clear();
}

std::shared_ptr<EventQueue> EventHub::connect(std::string client) {
    std::shared_ptr<EventQueue> lost;
    auto queue = std::make_shared<EventQueue>();
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return nullptr;
        std::erase_if(clients_, [](const Client& known) { return known.queue.expired(); });
        if (clients_.size() >= k_most_clients) lost = take_place_locked();
        clients_.push_back({std::move(client), queue});
    }
    if (lost) lost->drop();
    return queue;
}

std::shared_ptr<EventQueue> EventHub::take_place_locked() {
    std::map<std::string_view, std::size_t> counts;
    for (const auto& client : clients_) ++counts[client.address];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
    const auto oldest = std::ranges::find(clients_, most->first, &Client::address);
    auto queue = oldest->queue.lock();
    clients_.erase(oldest);
    return queue;
}

std::vector<std::shared_ptr<EventQueue>> EventHub::living() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<EventQueue>> found;
    for (const auto& client : clients_)
        if (auto alive = client.queue.lock()) found.push_back(std::move(alive));
    return found;
}

void EventHub::publish(std::string_view event, std::string_view json) {
    for (const auto& queue : living()) queue->push(event, json);
}

std::size_t EventHub::clients() { return living().size(); }

void EventHub::keep_alive() {
    for (const auto& queue : living()) queue->push_comment("still here");
}

void EventHub::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    for (const auto& queue : living()) queue->close();
}

} // namespace orbis::http
