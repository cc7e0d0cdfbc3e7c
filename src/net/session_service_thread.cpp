#include "net/session_service_thread.hpp"

#include "net/key_cache.hpp"

#include <algorithm>

namespace orbis::net {

/// The keys that all threads share. While one asks for them the others that want them wait for its answer.
class SessionServiceThread::Keys {
public:
    Result<std::shared_ptr<const KeySet>> get(SessionServiceClient& client, std::string_view key_id, Time now,
                                              const std::stop_token& stop) {
        const std::lock_guard lock(mutex_);
        if (cache_.wants_keys(key_id, now)) cache_.answered(client.keys(stop), now);
        return cache_.keys(now);
    }

private:
    std::mutex mutex_;
    KeyCache cache_;
};

SessionServiceThread::SessionServiceThread(std::string issuer, Post post)
    : issuer_(std::move(issuer)), post_(std::move(post)), keys_(std::make_unique<Keys>()) {}

Result<std::unique_ptr<SessionServiceThread>>
SessionServiceThread::start(const SessionServiceSettings& settings, Post post, std::size_t threads) {
    std::vector<SessionServiceClient> clients;
    while (clients.size() < std::max<std::size_t>(threads, 1)) {
        TRY(auto client, SessionServiceClient::make(settings));
        clients.push_back(std::move(client));
    }
    auto issuer = settings.issuer.empty() ? settings.url : settings.issuer;
    std::unique_ptr<SessionServiceThread> made(new SessionServiceThread(std::move(issuer), std::move(post)));
    for (auto& client : clients)
        made->threads_.emplace_back([self = made.get(), own = std::move(client)](
                                        const std::stop_token& stop) mutable { self->work(own, stop); });
    return made;
}

SessionServiceThread::~SessionServiceThread() {
    // All at once: each may need a moment to end its request.
    for (auto& thread : threads_) thread.request_stop();
}

void SessionServiceThread::work(SessionServiceClient& client, const std::stop_token& stop) {
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
            if (stop.stop_requested()) return;
            job = std::move(waiting_.front());
            waiting_.pop_front();
        }
        job(client, stop);
    }
}

template <typename T, typename Question>
void SessionServiceThread::ask(Answered<T> answered, Question question) {
    const auto deliver = [](const Post& post, Answered<T> to, Result<T> answer) {
        post([to = std::move(to), answer = std::move(answer)]() mutable { to(std::move(answer)); });
    };
    std::unique_lock lock(mutex_);
    if (waiting_.size() >= k_most_waiting) {
        lock.unlock();
        deliver(
            post_, std::move(answered),
            fail(Errc::busy, "more than {} requests are waiting for the session service", k_most_waiting));
        return;
    }
    waiting_.emplace_back([this, deliver, answered = std::move(answered), question = std::move(question)](
                              SessionServiceClient& client, const std::stop_token& stop) mutable {
        auto answer = question(client, stop);
        if (!stop.stop_requested()) deliver(post_, std::move(answered), std::move(answer));
    });
    lock.unlock();
    changed_.notify_one();
}

void SessionServiceThread::keys(std::string key_id, Time now,
                                Answered<std::shared_ptr<const KeySet>> answered) {
    ask(std::move(answered),
        [this, key_id = std::move(key_id), now](SessionServiceClient& client, const std::stop_token& stop) {
            return keys_->get(client, key_id, now, stop);
        });
}

void SessionServiceThread::grant(std::string identity_token, std::string audience,
                                 Answered<std::string> answered) {
    ask(std::move(answered), [token = std::move(identity_token), audience = std::move(audience)](
                                 SessionServiceClient& client, const std::stop_token& stop) {
        return client.grant(token, audience, stop);
    });
}

void SessionServiceThread::exchange(std::string grant, Fingerprint certificate,
                                    Answered<std::string> answered) {
    ask(std::move(answered),
        [grant = std::move(grant), certificate](SessionServiceClient& client, const std::stop_token& stop) {
            return client.exchange(grant, certificate, stop);
        });
}

} // namespace orbis::net
