#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::http {

/// Server-sent events on their way to one client. Bounded: a client that does not read them is given up.
class EventQueue {
public:
    /// A client that has more than this ahead of it is gone or stuck.
    static constexpr std::size_t k_most_bytes = 256 << 10;

    /// The sender. `wake` is called when there is something again after `take` found nothing; `drop`
    /// when the client is given up. Both are called with the queue locked and must not call it.
    struct Sender {
        std::function<void()> wake;
        std::function<void()> drop;
    };

    /// Adds an event. What comes after the end, or after the client was given up, is dropped.
    void push(std::string_view event, std::string_view json);
    /// Adds a line that clients skip: it shows whether the connection is still open.
    void push_comment(std::string_view text);
    /// The client gets what is in the queue and then the end.
    void close();
    /// The client is given up: it is cut off at once, also when it does not read.
    void drop();

    /// Copies waiting bytes; nothing at the end. At 0 `pause` was called, and `wake` follows one day.
    std::optional<std::size_t> take(std::span<char> out, const std::function<void()>& pause);

    void attach(Sender sender);
    /// The client has gone: no callbacks after this.
    void detach();

private:
    void push_text(std::string text);
    void drop_locked();
    void wake_locked();

    std::mutex mutex_;
    std::string waiting_;
    Sender sender_;
    bool paused_ = false;
    bool closed_ = false;
};

/// All clients that want events.
class EventHub {
public:
    /// At once, so that streams cannot take all connections.
    static constexpr std::size_t k_most_clients = 256;

    /// A new stream to `client`, which is the address of a machine; null when the hub is closed. When all
    /// places are taken, the oldest stream of the address that has most of them is dropped: a client that
    /// opens many does not keep others out, and a page that lost its place opens another stream.
    std::shared_ptr<EventQueue> connect(std::string client);
    void publish(std::string_view event, std::string_view json);
    /// How many clients there are now.
    [[nodiscard]] std::size_t clients();
    /// Lets clients that have gone be noticed.
    void keep_alive();
    /// Ends all streams; no new ones are made.
    void close();

private:
    struct Client {
        std::string address;
        std::weak_ptr<EventQueue> queue;
    };

    std::vector<std::shared_ptr<EventQueue>> living();
    std::shared_ptr<EventQueue> take_place_locked();

    std::mutex mutex_;
    std::vector<Client> clients_; ///< oldest first
    bool closed_ = false;
};

} // namespace orbis::http
