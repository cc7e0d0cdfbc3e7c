#include "bson/extended_json.hpp"
#include "bytes/hex.hpp"
#include "bytes/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace orbis::bson {

namespace {

/// A double always has a point or an exponent, so that it reads back as a double.
void append_real(std::string& out, double value) {
    if (!std::isfinite(value)) {
        const auto* text = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
        out += fmt::format(R"({{"$numberDouble": "{}"}})", text);
        return;
    }
    auto text = fmt::to_string(value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    out += text;
}

/// As `Double.toString` of Java: plain from 0.001 on and below ten million, else with an exponent; always
/// with a point.
void append_java_real(std::string& out, double value) {
    if (!std::isfinite(value)) return append_real(out, value);
    const auto size = std::abs(value);
    std::array<char, 40> text{};
    const bool is_plain = value == 0 || (size >= 1e-3 && size < 1e7);
    const auto form = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto* end = std::to_chars(text.data(), text.data() + text.size(), value, form).ptr;
    std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
    std::string_view exponent;
    if (!is_plain) {
        const auto at = digits.find('e');
        exponent = digits.substr(at + 1); // -05 or +10
        digits = digits.substr(0, at);
    }
    out += digits;
    if (digits.find('.') == std::string_view::npos) out += ".0";
    if (is_plain) return;
    out += 'E';
    if (exponent.front() == '-') out += '-';
    exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
    out += exponent;
}

class JsonText {
public:
    explicit JsonText(JsonStyle style) : style_(style) {}

    Result<void> append(const Document& document, bool is_array, int depth) {
        if (depth > k_max_depth)
            return fail(error(Errc::too_deep, "documents are nested deeper than {} levels", k_max_depth)
                            .at(document.offset()));
        out_ += is_array ? '[' : '{';
        bool first = true;
        Cursor at(document);
        while (at.next()) {
            if (!first) out_ += style_.indent > 0 ? "," : ", ";
            first = false;
            line(depth + 1);
            if (!is_array) {
                append_json_string(out_, at->key());
                out_ += ": ";
            }
            TRY_DO(append(at.element(), depth));
        }
        if (!at.ok()) return fail(at.error());
        if (!first) line(depth);
        out_ += is_array ? ']' : '}';
        return {};
    }

    std::string take() { return std::move(out_); }

private:
    void line(int depth) {
        if (style_.indent <= 0) return;
        out_ += '\n';
        out_.append(static_cast<std::size_t>(style_.indent * (style_.level + depth)), ' ');
    }

    void append_binary(const Binary& binary, int depth) {
        if (style_.longest_binary >= 0
            && binary.data.size() > static_cast<std::size_t>(style_.longest_binary))
            out_ += fmt::format(R"({{"$binary_bytes": {}}})", binary.data.size());
        else if (style_.as_the_game)
            append_tall_binary(binary, depth + 1);
        else
            out_ += fmt::format(R"({{"$binary": "{}", "$type": "{:02x}"}})", to_base64(binary.data),
                                binary.subtype);
    }

    void append_tall_binary(const Binary& binary, int depth) {
        out_ += '{';
        line(depth + 1);
        out_ += fmt::format(R"("$binary": "{}",)", to_base64(binary.data));
        line(depth + 1);
        out_ += fmt::format(R"("$type": "{:02x}")", binary.subtype);
        line(depth);
        out_ += '}';
    }

    static std::string quoted(std::string_view text) {
        std::string out;
        append_json_string(out, text);
        return out;
    }

    Result<void> append(const Element& element, int depth) {
        const auto value = element.value();
        const auto text = [&] { return quoted(as_text(value.subspan(4, value.size() - 5))); };
        const auto wide = [&] { return load_le<std::int64_t>(value.data()); };
        switch (element.type()) {
        case Type::real:
            style_.as_the_game ? append_java_real(out_, *element.real()) : append_real(out_, *element.real());
            break;
        case Type::string: append_json_string(out_, *element.string()); break;
        case Type::document: return append(*element.document(), false, depth + 1);
        case Type::array: return append(*element.array(), true, depth + 1);
        case Type::binary: append_binary(*element.binary(), depth); break;
        case Type::undefined: out_ += R"({"$undefined": true})"; break;
        case Type::object_id: out_ += fmt::format(R"({{"$oid": "{}"}})", to_hex(value)); break;
        case Type::boolean: out_ += *element.boolean() ? "true" : "false"; break;
        case Type::datetime: out_ += fmt::format(R"({{"$date": {}}})", wide()); break;
        case Type::null: out_ += "null"; break;
        case Type::regex: {
            const auto all = as_text(value);
            const auto end = all.find('\0');
            const auto options = all.substr(end + 1, all.size() - end - 2);
            out_ += fmt::format(R"({{"$regex": {}, "$options": {}}})", quoted(all.substr(0, end)),
                                quoted(options));
            break;
        }
        case Type::db_pointer: {
            const auto name = as_text(value.subspan(4, value.size() - 17));
            out_ += fmt::format(R"({{"$ref": {}, "$id": "{}"}})", quoted(name), to_hex(value.last(12)));
            break;
        }
        case Type::code: out_ += fmt::format(R"({{"$code": {}}})", text()); break;
        case Type::symbol: out_ += fmt::format(R"({{"$symbol": {}}})", text()); break;
        case Type::code_with_scope: {
            const auto length = static_cast<std::size_t>(load_le<std::int32_t>(value.data() + 4));
            out_ +=
                fmt::format(R"({{"$code": {}, "$scope": )", quoted(as_text(value.subspan(8, length - 1))));
            TRY(const auto scope,
                Document::open(value.subspan(8 + length), element.value_offset() + 8 + length));
            TRY_DO(append(scope, false, depth + 1));
            out_ += '}';
            break;
        }
        case Type::int32: out_ += fmt::to_string(*element.int32()); break;
        case Type::timestamp:
            out_ +=
                fmt::format(R"({{"$timestamp": {{"t": {}, "i": {}}}}})",
                            load_le<std::uint32_t>(value.data() + 4), load_le<std::uint32_t>(value.data()));
            break;
        case Type::int64: out_ += fmt::to_string(wide()); break;
        case Type::decimal128: out_ += fmt::format(R"({{"$decimal128_bytes": "{}"}})", to_hex(value)); break;
        case Type::min_key: out_ += R"({"$minKey": 1})"; break;
        case Type::max_key: out_ += R"({"$maxKey": 1})"; break;
        }
        return {};
    }

    JsonStyle style_;
    std::string out_;
};

} // namespace

Result<std::string> to_extended_json(const Document& document, JsonStyle style) {
    JsonText text(style);
    TRY_DO(text.append(document, false, 0));
    return text.take();
}

} // namespace orbis::bson
