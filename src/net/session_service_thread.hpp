#pragma once

#include "net/session_service.hpp"
#include "net/session_service_client.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace orbis::net {

/// The session service, asked by a few threads of its own, so that a loop never waits.
class SessionServiceThread final : public SessionService {
public:
    /// Runs a task in the caller's loop; called from other threads. The loop must outlive this object.
    using Post = std::function<void(std::move_only_function<void()>)>;

    /// This many requests may wait; more are refused at once with `busy`.
    static constexpr std::size_t k_most_waiting = 4096;

    /// Fails where the settings make no sense; whether the service is there shows with the first request.
    static Result<std::unique_ptr<SessionServiceThread>> start(const SessionServiceSettings& settings,
                                                               Post post, std::size_t threads = 4);
    /// Ends requests that are under way within a second. Callers that still wait get no answer.
    ~SessionServiceThread() override;

    [[nodiscard]] const std::string& issuer() const override { return issuer_; }
    void keys(std::string key_id, Time now, Answered<std::shared_ptr<const KeySet>> answered) override;
    void grant(std::string identity_token, std::string audience, Answered<std::string> answered) override;
    void exchange(std::string grant, Fingerprint certificate, Answered<std::string> answered) override;

private:
    class Keys;
    using Job = std::move_only_function<void(SessionServiceClient&, const std::stop_token&)>;

    SessionServiceThread(std::string issuer, Post post);
    void work(SessionServiceClient& client, const std::stop_token& stop);
    /// Lets a thread ask `question` and the loop take the answer.
    template <typename T, typename Question>
    void ask(Answered<T> answered, Question question);

    std::string issuer_;
    Post post_;
    std::unique_ptr<Keys> keys_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> waiting_;           ///< by `mutex_`
    std::vector<std::jthread> threads_; ///< last, so that they end before the rest goes
};

} // namespace orbis::net
