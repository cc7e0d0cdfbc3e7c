#include "bytes/reader.hpp"
#include "bytes/utf8.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/map_keys.hpp"
#include "protocol/spans.hpp"
#include "protocol/varint.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace orbis::protocol {

namespace {

constexpr std::size_t k_nowhere = std::numeric_limits<std::size_t>::max();

class GenericDecoder {
public:
    /// `spans`, if there are any, are told where each part is.
    GenericDecoder(Bytes payload, ReadRules rules, bool keep_unreadable, SpanLog* spans = nullptr)
        : payload_(payload),
          rules_(rules),
          keep_unreadable_(keep_unreadable),
          spans_(spans),
          work_(work_limit(payload.size())) {
        if (keep_unreadable) rules_.canonical = false; // after an unreadable field nobody knows what is next
    }

    /// Reads a struct that starts at `at`; `end` becomes the first byte after it.
    bool structure(const Layout& layout, std::size_t at, Value& out, std::size_t& end) {
        auto& record = record_of(layout, out);
        if (layout.var_count > 0 && ++depth_ > k_depth_limit) return refuse(Fault::recursion, at);
        if (!spend(layout.var_start + 1, at)) return false;
        if ((rules_.bounded || rules_.canonical) && !has(at, layout.var_start))
            return refuse(Fault::read_range, at);
        if (!has(at, layout.null_bytes)) return refuse(Fault::read_range, at);

        record.fields.resize(layout.fields.size());
        end = at + layout.var_start;
        if (layout.null_bytes > 0) note(Part::presence, at, layout.null_bytes);
        for (std::size_t index = 0; index < layout.fields.size(); ++index) {
            const auto& field = layout.fields[index];
            const auto spans_before = spans_ != nullptr ? spans_->spans().size() : 0;
            if (field.slot_at >= 0) note(Part::slot, at + static_cast<std::size_t>(field.slot_at), 4, index);
            if (field.is_nullable() && !present(at, field.null_bit)) {
                if (field.is_fixed())
                    note(Part::absent, at + static_cast<std::size_t>(field.at), field.type.width(), index,
                         field.packed_bit);
                if (absent_slot(field, at)) continue;
                add_to_path(field.name);
                return false;
            }
            if (!this->field(layout, field, at, record.fields[index], end, index)) {
                if (!keep_unreadable_ || elements_ > 0 || failure_.fault == Fault::work) {
                    add_to_path(field.name);
                    return false;
                }
                if (spans_ != nullptr) spans_->cut_back(spans_before);
                keep(layout, field, at, record.fields[index], index);
            }
        }
        if (layout.var_count > 0) --depth_;
        return true;
    }

    /// Everything of a top-level value that no field could be read from.
    Value::Unreadable whole() const { return {Buffer(payload_.begin(), payload_.end()), failure_.fault}; }

    [[nodiscard]] Failure failure(const Layout& layout) && {
        failure_.field = failure_.field.empty() ? layout.name : layout.name + "." + failure_.field;
        return std::move(failure_);
    }

private:
    /// A record without fields, in the memory of one that was there.
    static Value::Record& record_of(const Layout& layout, Value& out) {
        auto* const before = std::get_if<Value::Record>(&out.content);
        if (before == nullptr) return out.content.emplace<Value::Record>(Value::Record{&layout, {}});
        before->layout = &layout;
        before->fields.clear();
        return *before;
    }

    bool field(const Layout& layout, const Field& field, std::size_t at, Value& out, std::size_t& end,
               std::size_t index) {
        const auto depth = depth_;
        std::size_t field_end = 0;
        bool read = false;
        if (field.is_fixed()) {
            read = fixed(field, at + static_cast<std::size_t>(field.at), out, field_end, index);
        } else {
            const auto start = start_of(layout, field, at);
            read = start != k_nowhere && in_turn(field, at, start, end)
                   && value(field.type, start, field.is_inline(), out, field_end, {Part::value, index});
            end = std::max(end, field_end);
        }
        if (!read) depth_ = depth; // a watcher goes on with the next field
        return read;
    }

    bool fixed(const Field& field, std::size_t at, Value& out, std::size_t& end, std::size_t index) {
        if (!value(field.type, at, false, out, end, {Part::value, index, field.packed_bit})) return false;
        if (field.is_packed()) out.content = (payload_[at] >> field.packed_bit & 1) != 0;
        return is_in_range(field, out) || refuse(Fault::value_range, at);
    }

    /// Canonical payloads have every variable field where the one before it ended.
    bool in_turn(const Field& field, std::size_t at, std::size_t start, std::size_t end) {
        return !rules_.canonical || start == end
               || refuse(Fault::not_canonical, at + static_cast<std::size_t>(field.slot_at));
    }

    /// And -1 in the slots of absent fields.
    bool absent_slot(const Field& field, std::size_t at) {
        if (!rules_.canonical || field.slot_at < 0) return true;
        const auto slot = at + static_cast<std::size_t>(field.slot_at);
        return load_le<std::int32_t>(payload_.data() + slot) == -1 || refuse(Fault::not_canonical, slot);
    }

    /// Where a variable field starts, or k_nowhere after a refusal.
    std::size_t start_of(const Layout& layout, const Field& field, std::size_t at) {
        const auto base = at + layout.var_start;
        if (field.is_inline()) return base;
        const auto slot = at + static_cast<std::size_t>(field.slot_at);
        if (!has(slot, 4)) {
            refuse(Fault::read_range, slot);
            return k_nowhere;
        }
        const auto offset = load_le<std::int32_t>(payload_.data() + slot);
        const auto start = static_cast<std::int64_t>(base) + offset;
        const bool outside =
            rules_.bounded && (offset < 0 || start > static_cast<std::int64_t>(payload_.size()));
        if (start < 0 || start > std::numeric_limits<std::int32_t>::max() || outside) {
            refuse(rules_.canonical ? Fault::not_canonical
                   : rules_.bounded ? Fault::offset_range
                                    : Fault::read_range,
                   slot);
            return k_nowhere;
        }
        return static_cast<std::size_t>(start);
    }

    /// What a value is in the one around it.
    struct Role {
        Part part = Part::value;
        std::size_t index = 0;
        std::int32_t bit = -1;
    };

    bool value(const Type& type, std::size_t at, bool is_inline, Value& out, std::size_t& end,
               const Role& role) {
        if (spans_ == nullptr) [[likely]]
            return content(type, at, is_inline, out, end);
        const auto around = around_;
        const auto own =
            spans_->add({static_cast<std::uint32_t>(at), 0, around, static_cast<std::uint32_t>(role.index),
                         &type, role.part, static_cast<std::int8_t>(role.bit)});
        around_ = own != SpanLog::k_none ? own : around;
        const bool read = content(type, at, is_inline, out, end);
        around_ = around;
        if (read) spans_->set_end(own, std::min(end, payload_.size())); // a block may be cut off
        return read;
    }

    /// A part that is no value: it is noted as far as it is inside of the payload.
    void note(Part part, std::size_t at, std::size_t size, std::size_t index = 0, std::int32_t bit = -1) {
        if (spans_ == nullptr || !has(at, size)) [[likely]]
            return;
        spans_->add({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(size), around_,
                     static_cast<std::uint32_t>(index), nullptr, part, static_cast<std::int8_t>(bit)});
    }

    bool content(const Type& type, std::size_t at, bool is_inline, Value& out, std::size_t& end) {
        switch (type.kind) {
        case Kind::structure: return structure(*type.layout, at, out, end);
        case Kind::choice: return choice(*type.choice, at, out, end);
        case Kind::text: return text(type, at, out, end);
        case Kind::list: return list(type, at, is_inline, out, end);
        case Kind::fixed_list: return fixed_list(type, at, out, end);
        case Kind::sparse_list: return sparse_list(type, at, is_inline, out, end);
        case Kind::map: return map(type, at, is_inline, out, end);
        default: break;
        }
        const auto width = type.width();
        if (!has(at, width)) return refuse(Fault::read_range, at);
        end = at + width;
        const auto* bytes = payload_.data() + at;
        auto& content = out.content;
        switch (type.kind) {
        case Kind::boolean: content = *bytes != 0; break;
        case Kind::i8: content = std::int64_t{static_cast<std::int8_t>(*bytes)}; break;
        case Kind::i16: content = std::int64_t{load_le<std::int16_t>(bytes)}; break;
        case Kind::i32: content = std::int64_t{load_le<std::int32_t>(bytes)}; break;
        case Kind::i64: content = load_le<std::int64_t>(bytes); break;
        case Kind::f32: return real<float>(type, at, out);
        case Kind::f64: return real<double>(type, at, out);
        case Kind::uuid: std::copy_n(bytes, 16, content.emplace<Uuid>().begin()); break;
        case Kind::enumeration: {
            const auto index = type.wide ? load_le<std::uint32_t>(bytes) : *bytes;
            if (index >= type.enumeration->values.size()) return refuse(Fault::enum_bad, at);
            content = Value::Symbol{type.enumeration, static_cast<std::uint8_t>(index)};
            break;
        }
        case Kind::flags: return flags(*type.enumeration, at, out);
        default: { // fixed text
            const auto* zero = std::find(bytes, bytes + width, 0);
            content = std::string(bytes, zero);
            return sound_text(type, out, at);
        }
        }
        return true;
    }

    template <typename T>
    bool real(const Type& type, std::size_t at, Value& out) {
        const auto number = load_le<T>(payload_.data() + at);
        out.content = number;
        return !type.finite || is_finite(number) || refuse(Fault::not_finite, at);
    }

    bool flags(const Enumeration& enumeration, std::size_t at, Value& out) {
        const auto byte = payload_[at];
        if ((byte & ~enumeration.all_bits()) != 0) return refuse(Fault::enum_bad, at);
        auto& list = out.content.emplace<Value::List>();
        for (std::size_t index = 0; index < enumeration.bits.size(); ++index)
            if ((byte & enumeration.bits[index]) != 0)
                list.emplace_back(Value::Symbol{&enumeration, static_cast<std::uint8_t>(index)});
        return true;
    }

    bool choice(const Union& choice, std::size_t at, Value& out, std::size_t& end) {
        Varint id;
        if (!varint(at, id)) return refuse(Fault::type_unknown, at);
        const auto member = choice.types.find(id.value);
        if (member == choice.types.end()) return refuse(Fault::type_unknown, at);
        note(Part::type_id, at, id.length);
        return structure(*member->second, at + id.length, out, end);
    }

    bool text(const Type& type, std::size_t at, Value& out, std::size_t& end) {
        Varint length;
        if (!varint(at, length)) return false;
        const auto size = static_cast<std::size_t>(length.value);
        if (size > type.limit) return refuse(Fault::too_long, at);
        if (!has(at + length.length, size)) return refuse(Fault::read_range, at);
        if (!spend(size, at)) return false;
        note(Part::count, at, length.length);
        const auto* first = payload_.data() + at + length.length;
        out.content = std::string(first, first + size);
        end = at + length.length + size;
        return sound_text(type, out, at);
    }

    /// Builds from 2026.05.07 on refuse bytes over 127 in ASCII text; strict readers all malformed text.
    bool sound_text(const Type& type, const Value& value, std::size_t at) {
        const auto& text = std::get<std::string>(value.content);
        const bool checked = rules_.strict || (rules_.bounded && type.ascii && type.kind == Kind::text);
        if (!checked) return true;
        const bool sound =
            type.ascii ? std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; }) : is_utf8(text);
        return sound || refuse(Fault::text_bad, at);
    }

    struct Count {
        std::size_t count;
        std::size_t first; ///< where the elements start
        std::size_t skew;  ///< how far the reader of an inline field is off after a count in a longer form
    };

    bool count(const Type& type, std::size_t at, bool is_inline, Count& out) {
        Varint count;
        if (!varint(at, count)) return false;
        out.count = static_cast<std::size_t>(count.value);
        if (out.count > type.limit) return refuse(Fault::too_long, at);
        const auto step = is_inline ? varint_size(static_cast<std::uint32_t>(count.value)) : count.length;
        out.first = at + step;
        out.skew = count.length - step;
        if (out.skew > 0 && rules_.canonical) return refuse(Fault::length_bad, at);
        note(Part::count, at, step);
        // Where elements differ in size, the game reads them in one place and steps over them in another;
        // what follows inside a list is then anybody's guess.
        return out.skew == 0 || elements_ == 0 || type.element->width() > 0 || refuse(Fault::length_bad, at);
    }

    bool list(const Type& type, std::size_t at, bool is_inline, Value& out, std::size_t& end) {
        Count head{};
        if (!count(type, at, is_inline, head)) return false;
        const auto least = type.element->least();
        if (!has(head.first, head.count * least)) return refuse(Fault::overrun, at);
        if (!spend(head.count, at)) return false;
        if (type.is_bytes()) {
            const auto* first = payload_.data() + head.first;
            out.content = Buffer(first, first + head.count);
            end = head.first + head.count + head.skew;
            return true;
        }
        auto& list = out.content.emplace<Value::List>();
        auto next = head.first;
        for (std::size_t index = 0; index < head.count; ++index)
            if (!element(*type.element, list.emplace_back(), next, {Part::value, index})) return false;
        end = next + head.skew;
        return true;
    }

    bool fixed_list(const Type& type, std::size_t at, Value& out, std::size_t& end) {
        if (!has(at, type.width())) return refuse(Fault::read_range, at);
        if (!spend(type.limit, at)) return false;
        if (type.is_bytes()) {
            const auto* first = payload_.data() + at;
            out.content = Buffer(first, first + type.limit);
            end = at + type.limit;
            return true;
        }
        auto& list = out.content.emplace<Value::List>();
        end = at;
        for (std::uint32_t index = 0; index < type.limit; ++index)
            if (!element(*type.element, list.emplace_back(), end, {Part::value, index})) return false;
        return true;
    }

    bool sparse_list(const Type& type, std::size_t at, bool is_inline, Value& out, std::size_t& end) {
        Count head{};
        if (!count(type, at, is_inline, head)) return false;
        const auto bits = head.first;
        if (!has(bits, (head.count + 7) / 8)) return refuse(Fault::read_range, at);
        if (!spend(head.count, at)) return false;
        if (head.count > 0) note(Part::presence, bits, (head.count + 7) / 8);
        auto next = bits + (head.count + 7) / 8;
        auto& list = out.content.emplace<Value::List>();
        for (std::size_t index = 0; index < head.count; ++index) {
            auto& made = list.emplace_back();
            if ((payload_[bits + index / 8] >> (index % 8) & 1) == 0) continue;
            if (!element(*type.element, made, next, {Part::value, index})) return false;
        }
        end = next + head.skew;
        return true;
    }

    bool map(const Type& type, std::size_t at, bool is_inline, Value& out, std::size_t& end) {
        Count head{};
        if (!count(type, at, is_inline, head)) return false;
        auto& entries = out.content.emplace<Value::Entries>();
        std::set<std::string> keys;
        auto next = head.first;
        for (std::size_t index = 0; index < head.count; ++index) {
            auto& [key, mapped] = entries.emplace_back();
            if (!spend(1, next)) return false;
            if (!element(*type.key, key, next, {Part::key, index})
                || !element(*type.element, mapped, next, {Part::value, index}))
                return false;
            if (!keys.insert(comparable_key(key)).second) return refuse(Fault::key_duplicate, at);
        }
        end = next + head.skew;
        return true;
    }

    bool element(const Type& type, Value& out, std::size_t& next, const Role& role) {
        std::size_t end = 0;
        ++elements_;
        const bool read = value(type, next, false, out, end, role);
        --elements_;
        next = end;
        return read;
    }

    bool varint(std::size_t at, Varint& out) {
        if (at > payload_.size()) return refuse(Fault::length_bad, at);
        out = read_varint(payload_.data() + at, payload_.size() - at);
        return out.value >= 0 || refuse(Fault::length_bad, at);
    }

    [[nodiscard]] bool has(std::size_t at, std::size_t size) const {
        return at <= payload_.size() && size <= payload_.size() - at;
    }

    [[nodiscard]] bool present(std::size_t at, std::int32_t bit) const {
        return (payload_[at + static_cast<std::size_t>(bit / 8)] >> (bit % 8) & 1) != 0;
    }

    bool spend(std::size_t amount, std::size_t at) {
        work_ -= static_cast<std::int64_t>(amount);
        return work_ >= 0 || refuse(Fault::work, at);
    }

    bool refuse(Fault fault, std::size_t at) {
        failure_ = {fault, at, {}};
        return false;
    }

    void add_to_path(const std::string& name) {
        failure_.field = failure_.field.empty() ? name : name + "." + failure_.field;
    }

    /// Puts the bytes of an unreadable field into its value: up to the next field that starts after it.
    void keep(const Layout& layout, const Field& field, std::size_t at, Value& out, std::size_t index) {
        std::size_t first = at;
        std::size_t last = payload_.size();
        if (field.is_fixed()) {
            first += static_cast<std::size_t>(field.at);
            last = first + field.type.width();
        } else {
            const auto fault = failure_;
            first = start_of(layout, field, at);
            for (const auto& other : layout.fields) {
                if (other.slot_at < 0 || (other.is_nullable() && !present(at, other.null_bit))) continue;
                const auto start = start_of(layout, other, at);
                if (start != k_nowhere && start > first) last = std::min(last, start);
            }
            failure_ = fault;
        }
        first = std::min(first, payload_.size());
        last = std::clamp(last, first, payload_.size());
        const auto bytes = payload_.subspan(first, last - first);
        out.content = Value::Unreadable{Buffer(bytes.begin(), bytes.end()), failure_.fault};
        failure_ = {};
        if (field.slot_at >= 0) note(Part::slot, at + static_cast<std::size_t>(field.slot_at), 4, index);
        note(Part::unreadable, first, last - first, index, field.packed_bit);
    }

    Bytes payload_;
    ReadRules rules_;
    bool keep_unreadable_;
    SpanLog* spans_;
    std::uint32_t around_ = 0; ///< the span of what is being read
    std::int64_t work_;
    int depth_ = 0;
    int elements_ =
        0; ///< lists and maps that are being read: after an unreadable element nothing can be found
    Failure failure_;
};

} // namespace

std::optional<Failure> decode_into(Value& out, const Layout& layout, Bytes payload, ReadRules rules) {
    GenericDecoder decoder(payload, rules, false);
    std::size_t end = 0;
    if (!decoder.structure(layout, 0, out, end)) return std::move(decoder).failure(layout);
    if (rules.canonical && end != payload.size()) return Failure{Fault::not_canonical, end, layout.name};
    if (!rules.strict) return std::nullopt;
    Buffer canonical;
    const auto written = encode(layout, out, canonical);
    const auto same = std::ranges::mismatch(canonical, payload);
    if (written && same.in1 == canonical.end() && same.in2 == payload.end()) return std::nullopt;
    return Failure{Fault::not_canonical, static_cast<std::size_t>(same.in2 - payload.begin()), layout.name};
}

std::expected<Value, Failure> decode(const Layout& layout, Bytes payload, ReadRules rules) {
    std::expected<Value, Failure> read;
    if (auto failure = decode_into(*read, layout, payload, rules))
        read = std::unexpected(*std::move(failure));
    return read;
}

Value decode_what_parses(const Layout& layout, Bytes payload, ReadRules rules) {
    GenericDecoder decoder(payload, rules, true);
    Value value;
    std::size_t end = 0;
    if (!decoder.structure(layout, 0, value, end)) value.content = decoder.whole();
    return value;
}

Value decode_what_parses(const Layout& layout, Bytes payload, ReadRules rules, SpanLog& spans) {
    const Span packet{.size = static_cast<std::uint32_t>(payload.size())};
    spans.clear();
    spans.add(packet);
    GenericDecoder decoder(payload, rules, true, &spans);
    Value value;
    std::size_t end = 0;
    if (!decoder.structure(layout, 0, value, end)) {
        value.content = decoder.whole();
        spans.cut_back(1); // nothing of it is in the value
    }
    return value;
}

} // namespace orbis::protocol
