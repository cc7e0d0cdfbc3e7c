#include "protocol/transcoder.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "protocol/fault.hpp"
#include "protocol/varint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

namespace orbis::protocol {
namespace {

constexpr std::uint8_t k_no_symbol = 0xff;

bool is_plain(Kind kind) { return (kind >= Kind::i8 && kind <= Kind::f64) || kind == Kind::uuid; }

bool has_high_bytes(Bytes text) {
    return std::ranges::any_of(text, [](std::uint8_t byte) { return byte > 127; });
}

} // namespace

/// Outside the source's own namespace, since a class of the header has them.
namespace transcoding {

struct StructPlan;

/// How a value of one type becomes one of another.
struct TypePlan {
    enum class Do : std::uint8_t {
        give_up,
        copy,     ///< `width` bytes as they are
        booleans, ///< `width` of them
        bit,      ///< a boolean that is one bit of a byte, here or there
        finite,   ///< floats of `width` bytes that must be finite
        symbol,
        flags,
        structure,
        choice,
        text,
        fixed_text,
        bytes,
        list,
        fixed_list,
        sparse_list,
        map,
    };
    Do act = Do::give_up;
    const Type* from = nullptr;
    const Type* to = nullptr;
    std::uint32_t width = 0;
    std::vector<std::uint8_t> symbols{}; ///< by index there; k_no_symbol: the other has no such name
    const StructPlan* structure = nullptr;
    std::map<std::int32_t, std::pair<std::int32_t, const StructPlan*>> members{}; ///< by id: theirs, and how
    const TypePlan* element = nullptr;
    const TypePlan* key = nullptr;
};

struct FieldPlan {
    const Field* from = nullptr;
    const Field* to = nullptr;
    TypePlan type;
};

struct StructPlan {
    const Layout* from = nullptr;
    const Layout* to = nullptr;
    bool gives_up = false;
    bool is_flat = false;                   ///< nothing but a fixed block, in which everything is present
    Buffer block{};                         ///< the fixed block and the slots with nothing in them
    std::vector<FieldPlan> fixed{};         ///< in both
    std::vector<FieldPlan> variable{};      ///< in both, in the order of both
    std::vector<const Field*> only_there{}; ///< variable fields that must be absent
};

} // namespace transcoding

using transcoding::FieldPlan;
using transcoding::StructPlan;
using transcoding::TypePlan;

/// All plans of one packet, each made once.
struct Transcoder::Plans {
    const Translation& translation; ///< while they are made
    bool trusts;
    std::map<std::pair<const Layout*, const Layout*>, std::unique_ptr<StructPlan>> structs{};
    std::vector<std::unique_ptr<TypePlan>> types{};
    const StructPlan* top = nullptr;

    const StructPlan* plan(const Layout& from, const Layout& to);
    TypePlan type(const Type& from, const Type& to);
    const TypePlan* kept(TypePlan plan) {
        return types.emplace_back(std::make_unique<TypePlan>(std::move(plan))).get();
    }
    void add_field(StructPlan& plan, const Field& to);
    static bool keeps_order(const StructPlan& plan);
};

const StructPlan* Transcoder::Plans::plan(const Layout& from, const Layout& to) {
    auto& made = structs[{&from, &to}];
    if (made) return made.get(); // perhaps not done yet, when it contains itself
    made = std::make_unique<StructPlan>(StructPlan{.from = &from, .to = &to});
    auto& plan = *made;
    if (from.name == "MapImage" && (from.find("data") == nullptr) != (to.find("data") == nullptr))
        plan.gives_up = true;
    plan.block.resize(to.var_start);
    for (const auto& field : to.fields) add_field(plan, field);
    for (const auto& field : from.fields) {
        if (to.find(field.name) != nullptr) continue;
        if (!field.is_fixed())
            plan.only_there.push_back(&field);
        else if (!trusts) // what is not said there is still looked at, unless all bytes will do
            plan.gives_up |= field.type.finite || field.min_value || field.max_value
                             || (field.type.kind != Kind::boolean && !is_plain(field.type.kind));
    }
    plan.gives_up |= !keeps_order(plan);
    plan.is_flat = !plan.gives_up && from.var_count == 0 && to.var_count == 0 && from.null_bytes == 0
                   && to.null_bytes == 0;
    return &plan;
}

void Transcoder::Plans::add_field(StructPlan& plan, const Field& to) {
    if (to.slot_at >= 0 && to.is_nullable()) store_le(plan.block.data() + to.slot_at, std::int32_t{-1});
    const auto* from = plan.from->find(to.name);
    if (from == nullptr) {
        // Zero is the plainest of all that has a fixed size, but for structs that say what they have.
        const bool is_zero = to.is_fixed() && to.type.kind != Kind::structure && to.type.kind != Kind::choice
                             && !to.min_value && !to.max_value;
        plan.gives_up |= translation.decides(*plan.to, to) || (!to.is_nullable() && !is_zero);
        return;
    }
    FieldPlan field{from, &to, {}};
    const bool is_limited = to.min_value || to.max_value || from->min_value || from->max_value;
    const bool is_packed = to.is_packed() || from->is_packed();
    if (from->is_fixed() == to.is_fixed() && !is_limited && !is_packed)
        field.type = type(from->type, to.type);
    else if (is_packed && from->is_fixed() && to.is_fixed() && from->type.kind == Kind::boolean
             && to.type.kind == Kind::boolean)
        field.type.act = TypePlan::Do::bit;
    auto& fields = to.is_fixed() && from->is_fixed() ? plan.fixed : plan.variable;
    if (from->is_fixed() != to.is_fixed()) plan.gives_up = true;
    // Neighbours that are copied are copied at once.
    if (!fields.empty() && to.is_fixed() && !from->is_nullable() && !to.is_nullable()) {
        auto& last = fields.back();
        const auto width = static_cast<std::int32_t>(last.type.width);
        if (last.type.act == field.type.act
            && (field.type.act == TypePlan::Do::copy || field.type.act == TypePlan::Do::booleans)
            && !last.from->is_nullable() && !last.to->is_nullable() && last.from->at + width == from->at
            && last.to->at + width == to.at) {
            last.type.width += field.type.width;
            return;
        }
    }
    fields.push_back(std::move(field));
}

/// Variable fields are read one after the other, and written so.
bool Transcoder::Plans::keeps_order(const StructPlan& plan) {
    return std::ranges::is_sorted(plan.variable, {}, [](const FieldPlan& field) { return field.from; });
}

TypePlan Transcoder::Plans::type(const Type& from, const Type& to) {
    using Do = TypePlan::Do;
    TypePlan plan{.from = &from, .to = &to};
    if (from.kind != to.kind) return plan;
    if ((from.kind == Kind::f32 || from.kind == Kind::f64) && (from.finite || to.finite)) {
        plan.act = Do::finite;
        plan.width = from.width();
        return plan;
    }
    if (is_plain(from.kind)) {
        plan.act = Do::copy;
        plan.width = from.width();
        return plan;
    }
    const auto with_element = [&](Do act) {
        plan.element = kept(type(*from.element, *to.element));
        plan.act = act;
    };
    switch (from.kind) {
    case Kind::boolean:
        plan.act = Do::booleans;
        plan.width = 1;
        break;
    case Kind::enumeration:
        plan.act = Do::symbol;
        for (const auto& name : from.enumeration->values) {
            const auto at = std::ranges::find(to.enumeration->values, name);
            plan.symbols.push_back(at == to.enumeration->values.end()
                                       ? k_no_symbol
                                       : static_cast<std::uint8_t>(at - to.enumeration->values.begin()));
        }
        break;
    case Kind::flags:
        if (from.enumeration->values == to.enumeration->values
            && from.enumeration->bits == to.enumeration->bits)
            plan.act = Do::flags;
        break;
    case Kind::structure:
        plan.structure = this->plan(*from.layout, *to.layout);
        plan.act = Do::structure;
        break;
    case Kind::choice:
        plan.act = Do::choice;
        for (const auto& [id, member] : from.choice->types)
            for (const auto& [other_id, other] : to.choice->types)
                if (other->name == member->name)
                    plan.members.emplace(id, std::pair(other_id, this->plan(*member, *other)));
        break;
    case Kind::text: plan.act = Do::text; break;
    case Kind::fixed_text:
        if (from.limit == to.limit) plan.act = Do::fixed_text;
        break;
    case Kind::list:
        if (from.is_bytes() && to.is_bytes())
            plan.act = Do::bytes;
        else if (from.is_bytes() == to.is_bytes())
            with_element(Do::list);
        break;
    case Kind::fixed_list:
        if (from.limit == to.limit && from.is_bytes() == to.is_bytes()) with_element(Do::fixed_list);
        break;
    case Kind::sparse_list: with_element(Do::sparse_list); break;
    case Kind::map:
        if (!trusts) break;
        plan.key = kept(type(*from.key, *to.key));
        with_element(Do::map);
        break;
    default: break;
    }
    return plan;
}

namespace {

/// One payload on its way. Every function is false when it gives up.
class Run {
public:
    Run(Bytes in, Buffer& out) : in_(in), out_(out) {}

    [[nodiscard]] std::size_t cursor() const { return cursor_; }

    bool structure(const StructPlan& plan) {
        const auto& from = *plan.from;
        if (plan.gives_up || !has(from.var_start)) return false;
        if ((from.var_count > 0 || plan.to->var_count > 0) && ++depth_ > k_depth_limit) return false;
        const auto start = cursor_;
        const auto out_start = out_.size();
        out_.insert(out_.end(), plan.block.begin(), plan.block.end());
        for (const auto& field : plan.fixed) {
            if (!is_present(*field.from, start)) {
                if (!field.to->is_nullable()) return false;
                continue;
            }
            mark(*field.to, out_start);
            if (field.type.act == Do::bit) {
                bit(field, start, out_start);
                continue;
            }
            if (!fixed(field.type, start + static_cast<std::size_t>(field.from->at),
                       out_start + static_cast<std::size_t>(field.to->at)))
                return false;
        }
        for (const auto* field : plan.only_there)
            if (is_present(*field, start) || !is_empty_slot(*field, start)) return false;
        cursor_ = start + from.var_start;
        for (const auto& field : plan.variable)
            if (!variable(plan, field, start, out_start)) return false;
        if (from.var_count > 0 || plan.to->var_count > 0) --depth_;
        return true;
    }

private:
    using Do = TypePlan::Do;

    [[nodiscard]] bool has(std::size_t size) const { return size <= in_.size() - cursor_; }
    [[nodiscard]] bool is_present(const Field& field, std::size_t start) const {
        if (!field.is_nullable()) return true;
        const auto bit = static_cast<std::size_t>(field.null_bit);
        return (in_[start + bit / 8] >> (bit % 8) & 1) != 0;
    }
    /// As a writer leaves that of an absent field.
    [[nodiscard]] bool is_empty_slot(const Field& field, std::size_t start) const {
        return field.slot_at < 0
               || load_le<std::int32_t>(in_.data() + start + static_cast<std::size_t>(field.slot_at)) == -1;
    }
    void mark(const Field& field, std::size_t out_start) {
        if (!field.is_nullable()) return;
        const auto bit = static_cast<std::size_t>(field.null_bit);
        out_[out_start + bit / 8] |= static_cast<std::uint8_t>(1 << (bit % 8));
    }

    bool variable(const StructPlan& plan, const FieldPlan& field, std::size_t start, std::size_t out_start) {
        if (!is_present(*field.from, start))
            return field.to->is_nullable() && is_empty_slot(*field.from, start);
        if (field.from->slot_at >= 0) {
            // Other offsets may be right too, but no writer writes them.
            const auto offset =
                load_le<std::int32_t>(in_.data() + start + static_cast<std::size_t>(field.from->slot_at));
            if (offset < 0 || start + plan.from->var_start + static_cast<std::size_t>(offset) != cursor_)
                return false;
        }
        mark(*field.to, out_start);
        if (field.to->slot_at >= 0)
            store_le(out_.data() + out_start + static_cast<std::size_t>(field.to->slot_at),
                     static_cast<std::int32_t>(out_.size() - out_start - plan.to->var_start));
        return value(field.type);
    }

    void bit(const FieldPlan& field, std::size_t start, std::size_t out_start) {
        const auto byte = in_[start + static_cast<std::size_t>(field.from->at)];
        const bool is_set = field.from->is_packed() ? (byte >> field.from->packed_bit & 1) != 0 : byte != 0;
        if (is_set)
            out_[out_start + static_cast<std::size_t>(field.to->at)] |=
                static_cast<std::uint8_t>(1U << std::max(field.to->packed_bit, 0));
    }

    /// A struct inside the fixed block of another one, where there are zeros.
    bool flat(const StructPlan& plan, std::size_t at, std::size_t to) {
        for (const auto& field : plan.fixed) {
            if (field.type.act == Do::bit)
                bit(field, at, to);
            else if (!fixed(field.type, at + static_cast<std::size_t>(field.from->at),
                            to + static_cast<std::size_t>(field.to->at)))
                return false;
        }
        return true;
    }

    /// A value inside the fixed block.
    bool fixed(const TypePlan& type, std::size_t at, std::size_t to) {
        switch (type.act) {
        case Do::copy: std::memcpy(out_.data() + to, in_.data() + at, type.width); return true;
        case Do::booleans:
            for (std::uint32_t i = 0; i < type.width; ++i) out_[to + i] = in_[at + i] != 0 ? 1 : 0;
            return true;
        case Do::finite:
            if (!is_finite(type.width, at)) return false;
            std::memcpy(out_.data() + to, in_.data() + at, type.width);
            return true;
        case Do::structure:
            if (type.structure->is_flat) return flat(*type.structure, at, to);
            break;
        default: break;
        }
        // Written behind all else, and moved to its place.
        const auto cursor = std::exchange(cursor_, at);
        const auto end = out_.size();
        const bool is_done = value(type);
        cursor_ = cursor;
        if (!is_done) return false;
        std::memcpy(out_.data() + to, out_.data() + end, out_.size() - end);
        out_.resize(end);
        return true;
    }

    bool value(const TypePlan& type) {
        switch (type.act) {
        case Do::give_up:
        case Do::bit: return false; // bits are in fixed blocks only
        case Do::copy: return take(type.width);
        case Do::booleans:
            if (!has(type.width)) return false;
            for (std::uint32_t i = 0; i < type.width; ++i) out_.push_back(in_[cursor_++] != 0 ? 1 : 0);
            return true;
        case Do::finite: return finite(type.width);
        case Do::symbol: return symbol(type);
        case Do::flags: return has(1) && (in_[cursor_] & ~type.from->enumeration->all_bits()) == 0 && take(1);
        case Do::structure: return structure(*type.structure);
        case Do::choice: return choice(type);
        case Do::text: return text(type);
        case Do::fixed_text: return fixed_text(type);
        case Do::bytes: {
            std::size_t count = 0;
            return this->count(type, count) && take(count);
        }
        case Do::list: {
            std::size_t count = 0;
            return this->count(type, count) && elements(*type.element, count);
        }
        case Do::fixed_list: return elements(*type.element, type.from->limit);
        case Do::sparse_list: return sparse_list(type);
        case Do::map: {
            std::size_t count = 0;
            if (!this->count(type, count)) return false;
            for (std::size_t i = 0; i < count; ++i)
                if (!value(*type.key) || !value(*type.element)) return false;
            return true;
        }
        }
        return false;
    }

    bool take(std::size_t size) {
        if (!has(size)) return false;
        out_.insert(out_.end(), in_.begin() + static_cast<std::ptrdiff_t>(cursor_),
                    in_.begin() + static_cast<std::ptrdiff_t>(cursor_ + size));
        cursor_ += size;
        return true;
    }

    [[nodiscard]] bool is_finite(std::uint32_t width, std::size_t at) const {
        const auto* bytes = in_.data() + at;
        return width == 4 ? std::isfinite(load_le<float>(bytes)) : std::isfinite(load_le<double>(bytes));
    }
    bool finite(std::uint32_t width) { return has(width) && is_finite(width, cursor_) && take(width); }

    bool symbol(const TypePlan& type) {
        const std::size_t width = type.from->wide ? 4 : 1;
        if (!has(width)) return false;
        const auto index = type.from->wide ? load_le<std::uint32_t>(in_.data() + cursor_) : in_[cursor_];
        if (index >= type.symbols.size() || type.symbols[index] == k_no_symbol) return false;
        cursor_ += width;
        out_.push_back(type.symbols[index]);
        if (type.to->wide) out_.insert(out_.end(), 3, 0);
        return true;
    }

    bool choice(const TypePlan& type) {
        std::uint32_t id = 0;
        if (!varint(id)) return false;
        const auto member = type.members.find(static_cast<std::int32_t>(id));
        if (member == type.members.end()) return false;
        put_varint(static_cast<std::uint32_t>(member->second.first));
        return structure(*member->second.second);
    }

    bool text(const TypePlan& type) {
        std::uint32_t size = 0;
        if (!varint(size) || size > type.from->limit || size > type.to->limit || !has(size)) return false;
        if ((type.from->ascii || type.to->ascii) && has_high_bytes(in_.subspan(cursor_, size))) return false;
        put_varint(size);
        return take(size);
    }

    bool fixed_text(const TypePlan& type) {
        const auto size = type.from->limit;
        if (!has(size)) return false;
        const auto bytes = in_.subspan(cursor_, size);
        const auto zero = std::ranges::find(bytes, 0);
        if (std::any_of(zero, bytes.end(), [](std::uint8_t byte) { return byte != 0; })) return false;
        if (type.to->ascii && has_high_bytes(bytes)) return false;
        return take(size);
    }

    /// More than there are bytes are elements without any, which the other way counts.
    bool count(const TypePlan& type, std::size_t& count) {
        std::uint32_t number = 0;
        if (!varint(number) || number > type.from->limit || !has(number)) return false;
        if (number > type.to->limit && !type.to->unchecked_write) return false;
        put_varint(number);
        count = number;
        return true;
    }

    bool elements(const TypePlan& element, std::size_t count) {
        if (element.act == Do::copy) return take(count * element.width);
        for (std::size_t i = 0; i < count; ++i)
            if (!value(element)) return false;
        return true;
    }

    bool sparse_list(const TypePlan& type) {
        std::size_t count = 0;
        if (!this->count(type, count)) return false;
        const auto bits = cursor_;
        const auto size = (count + 7) / 8;
        if (!take(size)) return false;
        if (count % 8 != 0 && in_[bits + size - 1] >> (count % 8) != 0) return false;
        for (std::size_t i = 0; i < count; ++i)
            if ((in_[bits + i / 8] >> (i % 8) & 1) != 0 && !value(*type.element)) return false;
        return true;
    }

    /// In its shortest form only.
    bool varint(std::uint32_t& out) {
        const auto read = read_varint(in_.data() + cursor_, in_.size() - cursor_);
        if (read.value < 0) return false;
        out = static_cast<std::uint32_t>(read.value);
        cursor_ += read.length;
        return read.length == varint_size(out);
    }
    void put_varint(std::uint32_t value) {
        std::array<std::uint8_t, k_largest_varint> bytes{};
        out_.insert(out_.end(), bytes.data(), write_varint(bytes.data(), value));
    }

    Bytes in_;
    Buffer& out_;
    std::size_t cursor_ = 0;
    int depth_ = 0;
};

} // namespace

Transcoder::Transcoder(const Layout& from, const Layout& to, const Translation& translation, bool trusts)
    : plans_(std::make_unique<Plans>(Plans{.translation = translation, .trusts = trusts})), to_(to) {
    plans_->top = plans_->plan(from, to);
}

Transcoder::~Transcoder() = default;

bool Transcoder::run(Bytes payload, Buffer& out) const {
    const auto before = out.size();
    Run run(payload, out);
    if (run.structure(*plans_->top) && run.cursor() == payload.size() && out.size() - before <= to_.max)
        return true;
    out.resize(before);
    return false;
}

} // namespace orbis::protocol
