#pragma once

#include "capture/record.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orbis::inspect {

/// How many frames and bytes of each kind of packet came when. Not for several threads at once.
class Rates {
public:
    struct Settings {
        std::int64_t width = 1'000'000'000; ///< nanoseconds of a bucket
        std::size_t buckets = 600;
        /// When time runs out of the buckets: two of them become one; else the oldest go.
        bool widens = false;
        std::size_t kinds = 512; ///< more count as one
    };
    /// The last ten minutes, or all of a capture.
    static Settings recent() { return {}; }
    static Settings whole() { return {.width = 10'000'000, .buckets = 1024, .widens = true}; }

    explicit Rates(Settings settings) : settings_(settings), width_(settings.width) {}

    void add(const capture::Record& record);

    struct Series {
        std::string packet;                         ///< empty for all others
        std::optional<protocol::Side> to{};         ///< none for all others
        std::optional<protocol::Channel> channel{}; ///< none for all others
        std::uint64_t all_bytes = 0;
        std::vector<std::uint64_t> frames{}; ///< by bucket
        std::vector<std::uint64_t> bytes{};
    };
    struct Table {
        std::int64_t start = 0; ///< of the first bucket, nanoseconds since 1970
        std::int64_t width = 0;
        std::size_t count = 0; ///< buckets
        std::vector<Series> series{};
    };
    /// The kinds with most bytes, the largest first, and all others as one.
    [[nodiscard]] Table table(std::size_t most_series) const;

private:
    struct Kind {
        std::string packet;
        std::optional<protocol::Side> to;
        std::optional<protocol::Channel> channel;
        auto operator<=>(const Kind&) const = default;
    };
    struct Sum {
        std::uint32_t kind;
        std::uint64_t frames;
        std::uint64_t bytes;
    };
    using Bucket = std::vector<Sum>;

    std::uint32_t kind_of(const capture::Record& record);
    /// The bucket of a time; null if it is too long ago.
    Bucket* bucket_at(std::int64_t time);
    void widen();
    static void add_to(Bucket& bucket, const Sum& sum);

    const Settings settings_;
    std::int64_t width_;
    std::optional<std::int64_t> start_;
    std::deque<Bucket> buckets_;
    std::map<Kind, std::uint32_t> numbers_;
    std::vector<Kind> kinds_{Kind{}}; ///< the first stands for all that do not fit
};

} // namespace orbis::inspect
