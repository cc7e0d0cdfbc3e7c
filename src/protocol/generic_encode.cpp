#include "bytes/utf8.hpp"
#include "bytes/writer.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/map_keys.hpp"
#include "protocol/varint.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace orbis::protocol {

namespace {

class GenericEncoder {
public:
    explicit GenericEncoder(Buffer& out) : out_(out), writer_(out) {}

    Result<void> structure(const Layout& layout, const Value& value) {
        const auto* record = value.as<Value::Record>();
        if (record == nullptr || record->layout != &layout || record->fields.size() != layout.fields.size())
            return fail(Errc::bad_value, "expected a record of {}, found another value", layout.name);
        if (layout.var_count > 0 && ++depth_ > k_depth_limit)
            return fail(Errc::too_deep, "expected at most {} nested structs, found more", k_depth_limit);

        const auto start = out_.size();
        writer_.zeros(layout.var_start);
        for (std::size_t index = 0; index < layout.fields.size(); ++index) {
            const auto& field = layout.fields[index];
            auto written = this->field(layout, field, record->fields[index], start);
            if (!written) return fail(std::move(written).error().about(layout.name + "." + field.name));
        }
        if (layout.var_count > 0) --depth_;
        return {};
    }

private:
    Result<void> field(const Layout& layout, const Field& field, const Value& value, std::size_t start) {
        auto* const slot = field.slot_at >= 0 ? out_.data() + start + field.slot_at : nullptr;
        if (value.is_absent()) {
            if (!field.is_nullable()) return fail(Errc::bad_value, "the value is missing");
            if (slot != nullptr) store_le<std::int32_t>(slot, -1);
            return {};
        }
        if (field.is_nullable())
            out_[start + static_cast<std::size_t>(field.null_bit / 8)] |=
                static_cast<std::uint8_t>(1 << (field.null_bit % 8));
        if (field.is_fixed()) return fixed(field, value, start + static_cast<std::size_t>(field.at));
        if (slot != nullptr) {
            const auto offset = out_.size() - start - layout.var_start;
            if (offset > k_largest_payload)
                return fail(Errc::too_large, "expected at most {} bytes before the field, found {}",
                            k_largest_payload, offset);
            store_le(slot, static_cast<std::int32_t>(offset));
        }
        return this->value(field.type, value);
    }

    /// Writes a field into the fixed block: appended first, then moved to its place.
    Result<void> fixed(const Field& field, const Value& value, std::size_t at) {
        if (!is_in_range(field, value)) return out_of_range(field, value);
        if (field.is_packed()) return packed(field, value, at);
        const auto end = out_.size();
        TRY_DO(this->value(field.type, value));
        std::copy(out_.begin() + static_cast<std::ptrdiff_t>(end), out_.end(),
                  out_.begin() + static_cast<std::ptrdiff_t>(at));
        out_.resize(end);
        return {};
    }

    /// One bit of a byte that it shares with others.
    Result<void> packed(const Field& field, const Value& value, std::size_t at) {
        const auto* flag = value.as<bool>();
        if (flag == nullptr) return fail(Errc::bad_value, "expected a boolean, found another value");
        if (*flag) out_[at] |= static_cast<std::uint8_t>(1 << field.packed_bit);
        return {};
    }

    static Result<void> out_of_range(const Field& field, const Value& value) {
        double found = 0;
        if (const auto* number = value.as<std::int64_t>()) found = static_cast<double>(*number);
        if (const auto* number = value.as<float>()) found = double{*number};
        if (const auto* number = value.as<double>()) found = *number;
        if (field.min_value && found < *field.min_value)
            return fail(Errc::out_of_range, "expected at least {}, found {}", *field.min_value, found);
        return fail(Errc::out_of_range, "expected at most {}, found {}", *field.max_value, found);
    }

    Result<void> value(const Type& type, const Value& value) {
        switch (type.kind) {
        case Kind::boolean: return flag(value);
        case Kind::i8: return integer<std::int8_t>(value);
        case Kind::i16: return integer<std::int16_t>(value);
        case Kind::i32: return integer<std::int32_t>(value);
        case Kind::i64: return integer<std::int64_t>(value);
        case Kind::f32: return real<float>(type, value);
        case Kind::f64: return real<double>(type, value);
        case Kind::uuid: return uuid(value);
        case Kind::enumeration: return symbol(type, value);
        case Kind::flags: return flags(*type.enumeration, value);
        case Kind::structure: return structure(*type.layout, value);
        case Kind::choice: return choice(*type.choice, value);
        case Kind::text: return text(type, value);
        case Kind::fixed_text: return fixed_text(type, value);
        case Kind::list: return list(type, value);
        case Kind::fixed_list: return fixed_list(type, value);
        case Kind::sparse_list: return sparse_list(type, value);
        case Kind::map: return map(type, value);
        }
        return fail(Errc::bad_value, "expected a known kind of type, found another");
    }

    Result<void> flag(const Value& value) {
        const auto* flag = value.as<bool>();
        if (flag == nullptr) return fail(Errc::bad_value, "expected a boolean, found another value");
        writer_.u8(*flag ? 1 : 0);
        return {};
    }

    template <typename T>
    Result<void> integer(const Value& value) {
        const auto* number = value.as<std::int64_t>();
        if (number == nullptr) return fail(Errc::bad_value, "expected an integer, found another value");
        if (!std::in_range<T>(*number))
            return fail(Errc::out_of_range, "expected an integer of {} bits, found {}", 8 * sizeof(T),
                        *number);
        writer_.le(static_cast<T>(*number));
        return {};
    }

    template <typename T>
    Result<void> real(const Type& type, const Value& value) {
        const auto* number = value.as<T>();
        if (number == nullptr)
            return fail(Errc::bad_value, "expected a float of {} bits, found another value", 8 * sizeof(T));
        if (type.finite && !is_finite(*number))
            return fail(Errc::out_of_range, "expected a finite number, found {}", *number);
        writer_.le(*number);
        return {};
    }

    Result<void> uuid(const Value& value) {
        const auto* uuid = value.as<Uuid>();
        if (uuid == nullptr) return fail(Errc::bad_value, "expected a UUID, found another value");
        writer_.bytes(*uuid);
        return {};
    }

    Result<void> symbol(const Type& type, const Value& value) {
        const auto* symbol = value.as<Value::Symbol>();
        if (symbol == nullptr || symbol->index >= type.enumeration->values.size())
            return fail(Errc::bad_value, "expected a value of {}, found another", type.enumeration->name);
        if (type.wide)
            writer_.le(std::uint32_t{symbol->index});
        else
            writer_.u8(symbol->index);
        return {};
    }

    Result<void> flags(const Enumeration& enumeration, const Value& value) {
        const auto* list = value.as<Value::List>();
        if (list == nullptr) return fail(Errc::bad_value, "expected a list of flags, found another value");
        std::uint8_t byte = 0;
        for (const auto& each : *list) {
            const auto* symbol = each.as<Value::Symbol>();
            if (symbol == nullptr || symbol->index >= enumeration.bits.size())
                return fail(Errc::bad_value, "expected a value of {}, found another", enumeration.name);
            byte |= enumeration.bits[symbol->index];
        }
        writer_.u8(byte);
        return {};
    }

    Result<void> choice(const Union& choice, const Value& value) {
        const auto* record = value.as<Value::Record>();
        const auto id = record != nullptr ? choice.id_of(record->layout) : std::nullopt;
        if (!id) return fail(Errc::bad_value, "expected a member of {}, found another value", choice.name);
        varint(static_cast<std::uint32_t>(*id));
        return structure(*record->layout, value);
    }

    Result<void> text(const Type& type, const Value& value) {
        TRY(const auto* text, checked_text(type, value));
        varint(static_cast<std::uint32_t>(text->size()));
        writer_.bytes(as_bytes(*text));
        return {};
    }

    Result<void> fixed_text(const Type& type, const Value& value) {
        TRY(const auto* text, checked_text(type, value));
        writer_.bytes(as_bytes(*text));
        writer_.zeros(type.limit - text->size());
        return {};
    }

    static Result<const std::string*> checked_text(const Type& type, const Value& value) {
        const auto* text = value.as<std::string>();
        if (text == nullptr) return fail(Errc::bad_value, "expected text, found another value");
        if (text->size() > type.limit)
            return fail(Errc::too_large, "expected at most {} bytes of text, found {}", type.limit,
                        text->size());
        if (type.ascii && std::ranges::any_of(*text, [](char c) { return (c & 0x80) != 0; }))
            return fail(Errc::bad_text, "expected ASCII text, found other characters");
        return text;
    }

    Result<void> count(const Type& type, std::size_t count) {
        if (count > type.limit && !type.unchecked_write)
            return fail(Errc::too_large, "expected at most {} elements, found {}", type.limit, count);
        if (!std::in_range<std::int32_t>(count))
            return fail(Errc::too_large, "expected fewer than 2^31 elements, found {}", count);
        varint(static_cast<std::uint32_t>(count));
        return {};
    }

    Result<void> list(const Type& type, const Value& value) {
        if (type.is_bytes()) {
            const auto* bytes = value.as<Buffer>();
            if (bytes == nullptr) return fail(Errc::bad_value, "expected bytes, found another value");
            TRY_DO(count(type, bytes->size()));
            writer_.bytes(*bytes);
            return {};
        }
        const auto* list = value.as<Value::List>();
        if (list == nullptr) return fail(Errc::bad_value, "expected a list, found another value");
        TRY_DO(count(type, list->size()));
        for (const auto& element : *list) TRY_DO(this->value(*type.element, element));
        return {};
    }

    Result<void> fixed_list(const Type& type, const Value& value) {
        const auto* bytes = value.as<Buffer>();
        const auto* list = value.as<Value::List>();
        if (type.is_bytes() ? bytes == nullptr : list == nullptr)
            return fail(Errc::bad_value, "expected {}, found another value", type.text());
        const auto size = type.is_bytes() ? bytes->size() : list->size();
        if (size != type.limit)
            return fail(Errc::bad_value, "expected {} elements, found {}", type.limit, size);
        if (type.is_bytes())
            writer_.bytes(*bytes);
        else
            for (const auto& element : *list) TRY_DO(this->value(*type.element, element));
        return {};
    }

    Result<void> sparse_list(const Type& type, const Value& value) {
        const auto* list = value.as<Value::List>();
        if (list == nullptr) return fail(Errc::bad_value, "expected a list, found another value");
        TRY_DO(count(type, list->size()));
        const auto bits = out_.size();
        writer_.zeros((list->size() + 7) / 8);
        for (std::size_t index = 0; index < list->size(); ++index)
            if (!(*list)[index].is_absent()) {
                out_[bits + index / 8] |= static_cast<std::uint8_t>(1 << (index % 8));
                TRY_DO(this->value(*type.element, (*list)[index]));
            }
        return {};
    }

    Result<void> map(const Type& type, const Value& value) {
        const auto* entries = value.as<Value::Entries>();
        if (entries == nullptr) return fail(Errc::bad_value, "expected a map, found another value");
        TRY_DO(count(type, entries->size()));
        std::set<std::string> keys;
        for (const auto& [key, mapped] : *entries) {
            if (!keys.insert(comparable_key(key)).second)
                return fail(Errc::bad_value, "expected every key once, found one twice");
            TRY_DO(this->value(*type.key, key));
            TRY_DO(this->value(*type.element, mapped));
        }
        return {};
    }

    void varint(std::uint32_t value) {
        std::array<std::uint8_t, 5> bytes{};
        const auto* end = write_varint(bytes.data(), value);
        writer_.bytes(Bytes(bytes.data(), end));
    }

    Buffer& out_;
    Writer writer_;
    int depth_ = 0;
};

} // namespace

Result<void> encode(const Layout& layout, const Value& value, Buffer& out) {
    const auto before = out.size();
    auto written = GenericEncoder(out).structure(layout, value);
    if (written && out.size() - before > layout.max)
        written = fail(error(Errc::too_large, "expected at most {} bytes of payload, found {}", layout.max,
                             out.size() - before)
                           .about(layout.name));
    if (!written) out.resize(before);
    return written;
}

} // namespace orbis::protocol
