#include "bson/extended_json.hpp"
#include "bson/writer.hpp"
#include "bytes/hex.hpp"
#include "bytes/json_fault.hpp"
#include "bytes/json_nesting.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <limits>

namespace orbis::bson {

namespace {

using Json = nlohmann::ordered_json;

Result<void> append_value(Writer& out, std::string_view key, const Json& value, int depth);

/// `{"$binary": …, "$type": …}` or the newer `{"$binary": {"base64": …, "subType": …}}`.
Result<void> append_binary(Writer& out, std::string_view key, const Json& value) {
    const auto& first = value["$binary"];
    const auto& text = first.is_object() ? first.value("base64", Json()) : first;
    const auto type = first.is_object() ? first.value("subType", Json()) : value.value("$type", Json("00"));
    if (!text.is_string() || !type.is_string())
        return fail(Errc::bad_value, "'{}': $binary needs base64 text and a hexadecimal $type", key);
    const auto data = from_base64(text.get_ref<const std::string&>());
    const auto& digits = type.get_ref<const std::string&>();
    const auto subtype = from_hex(digits.size() == 1 ? "0" + digits : digits);
    if (!data || !subtype || subtype->size() != 1)
        return fail(Errc::bad_value, "'{}': $binary is not base64 or $type not one hexadecimal byte", key);
    out.binary(key, *data, subtype->front());
    return {};
}

/// The wrappers with a dollar that stand for a value. False if the object is just an object.
Result<bool> append_wrapped(Writer& out, std::string_view key, const Json& value) {
    if (value.empty()) return false;
    const auto& name = value.items().begin().key();
    if (name.empty() || name.front() != '$') return false;
    const auto& inner = value.items().begin().value();
    if (name == "$binary") {
        TRY_DO(append_binary(out, key, value));
        return true;
    }
    if (name == "$numberDouble" && inner.is_string()) {
        const auto& text = inner.get_ref<const std::string&>();
        double number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem != std::errc{} || end != text.data() + text.size())
            return fail(Errc::bad_value, "'{}': '{}' is not a number", key, text);
        out.real(key, number);
        return true;
    }
    if ((name == "$numberLong" || name == "$numberInt") && inner.is_string()) {
        const auto& text = inner.get_ref<const std::string&>();
        std::int64_t number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool fits = name == "$numberLong" || std::in_range<std::int32_t>(number);
        if (problem != std::errc{} || end != text.data() + text.size() || !fits)
            return fail(Errc::bad_value, "'{}': '{}' is not a whole number that fits {}", key, text, name);
        name == "$numberLong" ? out.int64(key, number) : out.int32(key, static_cast<std::int32_t>(number));
        return true;
    }
    if (name == "$date" && inner.is_number_integer()) {
        out.datetime(key, inner.get<std::int64_t>());
        return true;
    }
    if (name == "$oid" && inner.is_string()) {
        const auto id = from_hex(inner.get_ref<const std::string&>());
        if (!id || id->size() != 12)
            return fail(Errc::bad_value, "'{}': $oid needs 24 hexadecimal digits", key);
        out.value(key, Type::object_id, *id);
        return true;
    }
    if (name == "$undefined" || name == "$minKey" || name == "$maxKey") {
        out.value(key,
                  name == "$undefined" ? Type::undefined
                  : name == "$minKey"  ? Type::min_key
                                       : Type::max_key,
                  {});
        return true;
    }
    return false;
}

Result<void> check_key(std::string_view key) {
    if (key.find('\0') != std::string_view::npos)
        return fail(Errc::bad_text, "cannot store a key that contains a zero character");
    return {};
}

Result<void> append_members(Writer& out, const Json& value, int depth) {
    if (depth > k_max_depth)
        return fail(Errc::too_deep, "the JSON is nested deeper than {} levels", k_max_depth);
    std::size_t index = 0;
    for (const auto& item : value.items()) {
        TRY_DO(check_key(item.key()));
        TRY_DO(append_value(out, value.is_array() ? index_key(index) : item.key(), item.value(), depth));
        ++index;
    }
    return {};
}

Result<void> append_value(Writer& out, std::string_view key, const Json& value, int depth) {
    switch (value.type()) {
    case Json::value_t::object: {
        TRY(const bool wrapped, append_wrapped(out, key, value));
        if (wrapped) return {};
        out.document(key);
        TRY_DO(append_members(out, value, depth + 1));
        out.end();
        return {};
    }
    case Json::value_t::array:
        out.array(key);
        TRY_DO(append_members(out, value, depth + 1));
        out.end();
        return {};
    case Json::value_t::string: out.string(key, value.get_ref<const std::string&>()); return {};
    case Json::value_t::boolean: out.boolean(key, value.get<bool>()); return {};
    case Json::value_t::number_float: out.real(key, value.get<double>()); return {};
    case Json::value_t::number_unsigned:
        if (value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return fail(Errc::out_of_range, "'{}': {} does not fit a signed 64-bit number", key,
                        value.get<std::uint64_t>());
        [[fallthrough]];
    case Json::value_t::number_integer: {
        const auto number = value.get<std::int64_t>();
        std::in_range<std::int32_t>(number) ? out.int32(key, static_cast<std::int32_t>(number))
                                            : out.int64(key, number);
        return {};
    }
    default: out.null(key); return {};
    }
}

} // namespace

Result<Buffer> from_extended_json(std::string_view text) {
    // Before the text becomes a tree. A callback of the parser could stop it too, but then the parser looks
    // at all elements of an array after each of them.
    if (find_deep_nesting(text, k_max_depth + 1))
        return fail(Errc::too_deep, "the JSON is nested deeper than {} levels", k_max_depth);
    if (const auto at = find_wide_object(text))
        return fail(error(Errc::too_large, "an object in the JSON has too many members").at(*at));
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::parse_error& problem) {
        return fail(json_fault(text, problem.byte));
    } catch (const Json::exception&) {
        return fail(Errc::out_of_range, "this JSON has a number that no double can hold");
    }
    if (!json.is_object()) return fail(Errc::bad_value, "expected a JSON object, found {}", json.type_name());
    Buffer out;
    Writer writer(out);
    TRY_DO(append_members(writer, json, 0));
    writer.finish();
    return out;
}

} // namespace orbis::bson
