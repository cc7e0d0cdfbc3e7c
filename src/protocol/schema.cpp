#include "protocol/schema.hpp"

namespace orbis::protocol {

std::optional<std::int32_t> Union::id_of(const Layout* member) const {
    for (const auto& [id, layout] : types)
        if (layout == member) return id;
    return std::nullopt;
}

std::uint8_t Enumeration::all_bits() const {
    std::uint8_t all = 0;
    for (const auto bit : bits) all |= bit;
    return all;
}

std::uint32_t Type::width() const {
    switch (kind) {
    case Kind::boolean:
    case Kind::i8:
    case Kind::flags: return 1;
    case Kind::enumeration: return wide ? 4 : 1;
    case Kind::i16: return 2;
    case Kind::i32:
    case Kind::f32: return 4;
    case Kind::i64:
    case Kind::f64: return 8;
    case Kind::uuid: return 16;
    case Kind::fixed_text: return limit;
    case Kind::structure: return layout->var_count == 0 ? layout->fixed : 0;
    case Kind::fixed_list: return limit * element->width();
    case Kind::choice:
    case Kind::text:
    case Kind::list:
    case Kind::sparse_list:
    case Kind::map: break;
    }
    return 0;
}

std::uint32_t Type::least() const {
    if (kind == Kind::structure) return layout->fixed;
    const auto fixed = width();
    return fixed > 0 ? fixed : 1;
}

std::string Type::text() const {
    switch (kind) {
    case Kind::boolean: return "bool";
    case Kind::i8: return "i8";
    case Kind::i16: return "i16";
    case Kind::i32: return "i32";
    case Kind::i64: return "i64";
    case Kind::f32: return "f32";
    case Kind::f64: return "f64";
    case Kind::uuid: return "uuid";
    case Kind::enumeration: return wide ? enumeration->name + ", four bytes" : enumeration->name;
    case Kind::flags: return "flags of " + enumeration->name;
    case Kind::structure: return layout->name;
    case Kind::choice: return choice->name;
    case Kind::text: return fmt::format("{} text, up to {} bytes", ascii ? "ASCII" : "UTF-8", limit);
    case Kind::fixed_text: return fmt::format("ASCII text of {} bytes", limit);
    case Kind::list:
        if (is_bytes()) return fmt::format("bytes, up to {}", limit);
        return fmt::format("list of {}, up to {}", element->text(), limit);
    case Kind::fixed_list:
        return is_bytes() ? fmt::format("{} bytes", limit)
                          : fmt::format("fixed list of {} {}", limit, element->text());
    case Kind::sparse_list: return fmt::format("sparse list of {}, up to {}", element->text(), limit);
    case Kind::map: return fmt::format("map from {} to {}, up to {}", key->text(), element->text(), limit);
    }
    return {};
}

const Field* Layout::find(std::string_view field) const {
    for (const auto& each : fields)
        if (each.name == field) return &each;
    return nullptr;
}

const Layout* Schema::layout(std::string_view name) const {
    const auto found = layouts_.find(name);
    return found != layouts_.end() ? &found->second : nullptr;
}

const Layout* Schema::packet(std::int32_t id) const {
    const auto* info = registry_.find(id);
    return info != nullptr ? layout(info->name) : nullptr;
}

const Layout* Schema::packet(std::string_view name) const {
    return registry_.find(name) != nullptr ? layout(name) : nullptr;
}

} // namespace orbis::protocol
