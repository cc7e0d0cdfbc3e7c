#include "http/live/live_clock.hpp"

#include <condition_variable>
#include <mutex>

namespace orbis::http {

namespace {

class SystemClock final : public LiveClock {
public:
    [[nodiscard]] Time now() const override { return std::chrono::steady_clock::now(); }
    bool rest(const std::stop_token& stop, std::chrono::milliseconds time) override {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        wake.wait_for(lock, stop, time, [] { return false; });
        return !stop.stop_requested();
    }
};

} // namespace

LiveClock& LiveClock::system() {
    static SystemClock clock;
    return clock;
}

} // namespace orbis::http
