#pragma once

#include <chrono>
#include <thread>
#include <utility>

namespace orbis::test {

/// How long a test waits for something that must happen: far more than the slowest machine needs, because
/// only a test that fails anyway waits so long.
inline constexpr std::chrono::minutes k_patience{2};

/// Waits until a condition holds and asks for it every few milliseconds. Whether it came to hold.
template <typename Condition>
[[nodiscard]] bool wait_for(Condition&& holds) {
    const auto end = std::chrono::steady_clock::now() + k_patience;
    while (!std::forward<Condition>(holds)()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

} // namespace orbis::test
