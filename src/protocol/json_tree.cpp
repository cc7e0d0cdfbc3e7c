#include "protocol/json_tree.hpp"

#include "bytes/json_fault.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace orbis::protocol {

namespace {

/// Builds the tree from the parser's events, so that no second tree is made on the way.
class Builder {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    explicit Builder(JsonTree& root) : root_(root) {}

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(number_integer_t value) { return put(std::int64_t{value}); }
    bool number_unsigned(number_unsigned_t value) {
        if (std::in_range<std::int64_t>(value)) return number_integer(static_cast<std::int64_t>(value));
        return put(std::uint64_t{value});
    }
    bool number_float(number_float_t value, const string_t&) { return put(value); }
    bool string(string_t& value) { return put(std::move(value)); }
    bool binary(binary_t&) { return false; }
    bool start_object(std::size_t) { return open<JsonTree::Object>(); }
    bool start_array(std::size_t) { return open<JsonTree::Array>(); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(string_t& name) {
        key_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& problem) {
        position_ = position;
        if (dynamic_cast<const nlohmann::detail::out_of_range*>(&problem) != nullptr) number_ = token;
        return false;
    }

    [[nodiscard]] Error failure(std::string_view text) const {
        if (too_deep_)
            return error(Errc::too_deep, "expected at most {} levels of JSON, found more", JsonTree::k_depth);
        if (!number_.empty())
            return error(Errc::bad_text, "expected a number of 64 bits, found {}", number_).at(position_);
        return json_fault(text, position_);
    }

private:
    /// A new null where the next value belongs.
    JsonTree& add() {
        if (open_.empty()) return root_;
        auto& parent = open_.back()->content();
        if (auto* object = std::get_if<JsonTree::Object>(&parent)) {
            auto& [name, value] = object->emplace_back();
            name = std::move(key_);
            return value;
        }
        return std::get<JsonTree::Array>(parent).emplace_back();
    }

    template <typename T>
    bool put(T&& value) {
        add().content() = std::forward<T>(value);
        return true;
    }

    template <typename Container>
    bool open() {
        if (open_.size() >= JsonTree::k_depth) {
            too_deep_ = true;
            return false;
        }
        auto& made = add();
        made.content().emplace<Container>();
        open_.push_back(&made);
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    JsonTree& root_;
    std::vector<JsonTree*> open_; ///< the containers that are not closed; none of them moves while open
    std::string key_;
    std::string number_; ///< one that is too large
    std::size_t position_ = 0;
    bool too_deep_ = false;
};

} // namespace

JsonTree::JsonTree() = default;

Result<JsonTree> JsonTree::parse(std::string_view text) {
    JsonTree root;
    Builder builder(root);
    if (!nlohmann::json::sax_parse(text, &builder)) return fail(builder.failure(text));
    return root;
}

const JsonTree* JsonTree::find(std::string_view key) const {
    const auto* object = as<Object>();
    if (object == nullptr) return nullptr;
    for (auto member = object->rbegin(); member != object->rend(); ++member)
        if (member->first == key) return &member->second;
    return nullptr;
}

std::int64_t JsonTree::integer(std::string_view key, std::int64_t fallback) const {
    const auto* member = find(key);
    const auto* value = member != nullptr ? member->as<std::int64_t>() : nullptr;
    return value != nullptr ? *value : fallback;
}

std::string_view JsonTree::text(std::string_view key) const {
    const auto* member = find(key);
    const auto* value = member != nullptr ? member->as<std::string>() : nullptr;
    return value != nullptr ? std::string_view(*value) : std::string_view();
}

bool JsonTree::flag(std::string_view key) const {
    const auto* member = find(key);
    const auto* value = member != nullptr ? member->as<bool>() : nullptr;
    return value != nullptr && *value;
}

std::string_view JsonTree::kind() const {
    static constexpr std::array<std::string_view, 8> k_names{
        "null", "a boolean", "a number", "a number", "a number", "a string", "an array", "an object"};
    return k_names[content_.index()];
}

} // namespace orbis::protocol
