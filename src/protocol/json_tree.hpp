#pragma once

#include "bytes/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace orbis::protocol {

/// A JSON document in memory: what schemas and values are read from. Members keep their order.
class JsonTree {
public:
    using Array = std::vector<JsonTree>;
    using Object = std::vector<std::pair<std::string, JsonTree>>;
    using Content =
        std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

    // In the source file: the type contains itself, and not every compiler can make it here.
    JsonTree();

    /// Documents nested deeper than this are refused.
    static constexpr std::size_t k_depth = 256;

    static Result<JsonTree> parse(std::string_view text);

    [[nodiscard]] const Content& content() const { return content_; }
    [[nodiscard]] Content& content() { return content_; }
    template <typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&content_);
    }
    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(content_); }

    /// The member of that name; null when this is not an object or has none. Of several the last.
    [[nodiscard]] const JsonTree* find(std::string_view key) const;

    /// Shorthands for members that are optional: the fallback stands for a missing or different kind.
    [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t fallback = 0) const;
    [[nodiscard]] std::string_view text(std::string_view key) const;
    [[nodiscard]] bool flag(std::string_view key) const;

    /// What kind of value this is, for messages: "a number", "null" and so on.
    [[nodiscard]] std::string_view kind() const;

private:
    Content content_ = nullptr;
};

} // namespace orbis::protocol
