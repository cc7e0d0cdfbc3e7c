#include "game/serve/metrics_text.hpp"

#include "bytes/append_format.hpp"

#include <fmt/format.h>

#include <cmath>

namespace orbis::game {

namespace {

/// The shortest form that reads back as the same number.
std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

/// A name of a player may hold anything.
void append_escaped(std::string& out, std::string_view text, bool is_label) {
    for (const char c : text) {
        if (c == '\\')
            out += "\\\\";
        else if (c == '\n')
            out += "\\n";
        else if (c == '"' && is_label)
            out += "\\\"";
        else
            out += c;
    }
}

} // namespace

void MetricsText::family(std::string_view name, std::string_view help, std::string_view type) {
    if (name == last_family_) return;
    last_family_ = name;
    append_format(text_, "# HELP {} ", name);
    append_escaped(text_, help, false);
    append_format(text_, "\n# TYPE {} {}\n", name, type);
}

void MetricsText::line(std::string_view name, std::string_view suffix, double value, Labels labels) {
    text_ += name;
    text_ += suffix;
    char before = '{';
    for (const auto& [key, text] : labels) {
        text_ += before;
        text_ += key;
        text_ += "=\"";
        append_escaped(text_, text, true);
        text_ += '"';
        before = ',';
    }
    if (labels.size() > 0) text_ += '}';
    text_ += ' ';
    text_ += number(value);
    text_ += '\n';
}

void MetricsText::sample(std::string_view name, std::string_view help, std::string_view type, double value,
                         Labels labels) {
    family(name, help, type);
    line(name, "", value, labels);
}

void MetricsText::histogram(std::string_view name, std::string_view help, std::span<const Bucket> buckets,
                            std::uint64_t above, double sum) {
    family(name, help, "histogram");
    std::uint64_t count = 0;
    for (const auto& bucket : buckets) {
        count += bucket.count;
        line(name, "_bucket", static_cast<double>(count), {{"le", number(bucket.bound)}});
    }
    count += above;
    line(name, "_bucket", static_cast<double>(count), {{"le", "+Inf"}});
    line(name, "_sum", sum, {});
    line(name, "_count", static_cast<double>(count), {});
}

} // namespace orbis::game
