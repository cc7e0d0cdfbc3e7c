#pragma once

#include "net/time.hpp"

#include <array>
#include <cstddef>

namespace orbis::game {

/// How often times of different lengths occurred.
class Histogram {
public:
    /// Upper bounds of the buckets; above the last there is one more.
    static constexpr std::array<net::Duration, 12> k_bounds = {
        std::chrono::microseconds(100), std::chrono::microseconds(250), std::chrono::microseconds(500),
        std::chrono::milliseconds(1),   std::chrono::milliseconds(2),   std::chrono::milliseconds(5),
        std::chrono::milliseconds(10),  std::chrono::milliseconds(20),  std::chrono::milliseconds(33),
        std::chrono::milliseconds(66),  std::chrono::milliseconds(133), std::chrono::milliseconds(1000)};

    void add(net::Duration time) {
        std::size_t bucket = 0;
        while (bucket < k_bounds.size() && time > k_bounds[bucket]) ++bucket;
        ++counts_[bucket];
        ++count_;
        sum_ += time;
    }

    /// A bound that this part of all values does not exceed; the longest possible time if none is large
    /// enough.
    [[nodiscard]] net::Duration bound_of(double part) const {
        std::uint64_t below = 0;
        for (std::size_t bucket = 0; bucket < k_bounds.size(); ++bucket) {
            below += counts_[bucket];
            if (static_cast<double>(below) >= part * static_cast<double>(count_)) return k_bounds[bucket];
        }
        return net::Duration::max();
    }

    [[nodiscard]] const std::array<std::uint64_t, k_bounds.size() + 1>& counts() const { return counts_; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] net::Duration sum() const { return sum_; }

private:
    std::array<std::uint64_t, k_bounds.size() + 1> counts_{};
    std::uint64_t count_ = 0;
    net::Duration sum_{};
};

} // namespace orbis::game
