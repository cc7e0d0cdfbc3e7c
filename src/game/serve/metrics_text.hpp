#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace orbis::game {

/// Writes figures in the text format of Prometheus (version 0.0.4). Samples of one family stand together: its
/// help and type are written when its name first comes.
class MetricsText {
public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    /// Something that only grows; the name should end in `_total`.
    void counter(std::string_view name, std::string_view help, double value, Labels labels = {}) {
        sample(name, help, "counter", value, labels);
    }
    void gauge(std::string_view name, std::string_view help, double value, Labels labels = {}) {
        sample(name, help, "gauge", value, labels);
    }

    /// How many values were at most `bound`, not counting those of the buckets before.
    struct Bucket {
        double bound;
        std::uint64_t count;
    };
    /// `above` values were larger than the last bound.
    void histogram(std::string_view name, std::string_view help, std::span<const Bucket> buckets,
                   std::uint64_t above, double sum);

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void family(std::string_view name, std::string_view help, std::string_view type);
    void sample(std::string_view name, std::string_view help, std::string_view type, double value,
                Labels labels);
    void line(std::string_view name, std::string_view suffix, double value, Labels labels);

    std::string text_;
    std::string last_family_;
};

} // namespace orbis::game
