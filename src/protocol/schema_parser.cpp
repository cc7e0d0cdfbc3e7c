#include "protocol/json_tree.hpp"
#include "protocol/schema.hpp"

#include <array>
#include <charconv>

namespace orbis::protocol {

namespace {

constexpr std::uint32_t k_largest_block = 8192; ///< no fixed block is near it; keeps damaged schemas harmless

Error wrong(std::string_view part, std::string_view problem) {
    return error(Errc::bad_value, "{}", problem).about(part);
}

std::optional<Kind> primitive(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Kind>, 8> k_primitives{{{"bool", Kind::boolean},
                                                                                    {"i8", Kind::i8},
                                                                                    {"i16", Kind::i16},
                                                                                    {"i32", Kind::i32},
                                                                                    {"i64", Kind::i64},
                                                                                    {"f32", Kind::f32},
                                                                                    {"f64", Kind::f64},
                                                                                    {"uuid", Kind::uuid}}};
    for (const auto& [text, kind] : k_primitives)
        if (text == name) return kind;
    return std::nullopt;
}

Result<const JsonTree::Object*> object_of(const JsonTree& tree, std::string_view key) {
    const auto* member = tree.find(key);
    const auto* object = member != nullptr ? member->as<JsonTree::Object>() : nullptr;
    if (object == nullptr) return fail(wrong(key, "an object is missing"));
    return object;
}

/// The limit of a field's values.
std::optional<double> limit_of(const JsonTree& field, std::string_view key) {
    const auto* limit = field.find(key);
    if (limit == nullptr) return std::nullopt;
    if (const auto* real = limit->as<double>()) return *real;
    return static_cast<double>(field.integer(key));
}

bool is_number(Kind kind) { return kind >= Kind::i8 && kind <= Kind::f64; }

} // namespace

/// Turns the JSON into layouts in two steps: first every name, so that types can point at each other, then
/// what they hold.
class SchemaParser {
public:
    SchemaParser(Schema& schema, const JsonTree& root) : schema_(schema), root_(root) {}

    Result<void> run() {
        if (const auto format = root_.text("format"); format != "hytale-wire/1" && format != "hytale-wire/2")
            return fail(Errc::unsupported,
                        "expected the schema format hytale-wire/1 or hytale-wire/2, found '{}'", format);
        schema_.build_ = root_.text("build");
        if (const auto* protocol = root_.find("protocol")) {
            schema_.version_ = static_cast<std::int32_t>(protocol->integer("version"));
            schema_.build_number_ = static_cast<std::int32_t>(protocol->integer("buildNumber"));
        }
        TRY_DO(declare());
        for (const auto* group : {"structs", "packets"}) {
            TRY(const auto* layouts, object_of(root_, group));
            for (const auto& [name, tree] : *layouts) TRY_DO(fill(schema_.layouts_.find(name)->second, tree));
        }
        TRY_DO(fill_unions());
        for (const auto& [name, layout] : schema_.layouts_) TRY_DO(check(layout));
        return register_packets();
    }

private:
    Result<void> declare() {
        TRY(const auto* enums, object_of(root_, "enums"));
        for (const auto& [name, tree] : *enums) {
            auto& made = schema_.enumerations_[name];
            made.name = name;
            const auto* values =
                tree.find("values") != nullptr ? tree.find("values")->as<JsonTree::Array>() : nullptr;
            if (values == nullptr || values->size() > 128)
                return fail(wrong(name, "there must be 1 to 128 values"));
            for (const auto& value : *values) {
                if (value.as<std::string>() == nullptr) return fail(wrong(name, "the values must be names"));
                made.values.push_back(*value.as<std::string>());
            }
            if (const auto* flags = tree.find("flags")) TRY_DO(declare_flags(made, *flags));
        }
        TRY(const auto* unions, object_of(root_, "unions"));
        for (const auto& [name, tree] : *unions) schema_.unions_[name].name = name;
        for (const auto* group : {"structs", "packets"}) {
            TRY(const auto* layouts, object_of(root_, group));
            for (const auto& [name, tree] : *layouts) {
                auto [at, fresh] = schema_.layouts_.try_emplace(name);
                if (!fresh) return fail(wrong(name, "the name is there twice"));
                at->second.name = name;
            }
        }
        return {};
    }

    /// Each value has its bit; names for none and all of them may stand beside.
    static Result<void> declare_flags(Enumeration& made, const JsonTree& flags) {
        if (flags.text("wire") != "i8") return fail(wrong(made.name, "flags must be one byte"));
        for (const auto& value : made.values) {
            const auto bit = flags.integer(value);
            if (bit <= 0 || bit > 0x80 || (bit & (bit - 1)) != 0 || (made.all_bits() & bit) != 0)
                return fail(wrong(made.name, "every flag needs a bit of its own"));
            made.bits.push_back(static_cast<std::uint8_t>(bit));
        }
        return {};
    }

    Result<void> fill(Layout& layout, const JsonTree& tree) {
        const auto number = [&](std::string_view key) {
            return static_cast<std::uint32_t>(std::clamp<std::int64_t>(tree.integer(key), 0, UINT32_MAX));
        };
        layout.category = tree.text("package");
        layout.unused = tree.flag("unused");
        layout.null_bytes = number("nullBytes");
        layout.fixed = number("fixed");
        layout.var_count = number("varCount");
        layout.var_start = number("varStart");
        layout.max = number("max");
        const auto* fields =
            tree.find("fields") != nullptr ? tree.find("fields")->as<JsonTree::Array>() : nullptr;
        if (fields == nullptr) return fail(wrong(layout.name, "the fields are missing"));
        for (const auto& each : *fields) {
            Field field;
            field.name = each.text("name");
            field.null_bit = static_cast<std::int32_t>(each.integer("null", -1));
            field.at = static_cast<std::int32_t>(each.integer("at", -1));
            field.slot_at = static_cast<std::int32_t>(each.integer("slotAt", -1));
            field.packed_bit = static_cast<std::int32_t>(each.integer("bit", -1));
            field.min_value = limit_of(each, "minValue");
            field.max_value = limit_of(each, "maxValue");
            const auto* type = each.find("type");
            if (type == nullptr || field.name.empty())
                return fail(wrong(layout.name, "every field needs a name and a type"));
            auto made = type_of(*type);
            if (!made) return fail(std::move(made).error().about(layout.name + "." + field.name));
            field.type = *made;
            layout.fields.push_back(std::move(field));
        }
        return {};
    }

    Result<Type> type_of(const JsonTree& tree) {
        Type type;
        if (const auto* name = tree.as<std::string>()) {
            const auto kind = primitive(*name);
            if (!kind) return fail(Errc::bad_value, "expected a primitive type, found '{}'", *name);
            type.kind = *kind;
            type.finite = (type.kind == Kind::f32 || type.kind == Kind::f64)
                          && wants_finite_floats(schema_.build_number_);
            return type;
        }
        type.limit = static_cast<std::uint32_t>(
            std::clamp<std::int64_t>(tree.integer("max", INT32_MAX), 0, INT32_MAX));
        if (const auto name = tree.text("enum"); !name.empty()) {
            type.kind = Kind::enumeration;
            TRY(type.enumeration, named(schema_.enumerations_, name));
            const auto wire = tree.text("wire");
            if (!wire.empty() && wire != "i32")
                return fail(Errc::unsupported, "expected an enum of one byte or an i32, found '{}'", wire);
            type.wide = wire == "i32";
            if (type.enumeration->is_flags()) TRY_DO(make_flags(type));
        } else if (const auto layout = tree.text("struct"); !layout.empty()) {
            type.kind = Kind::structure;
            TRY(type.layout, named(schema_.layouts_, layout));
        } else if (const auto choice = tree.text("union"); !choice.empty()) {
            type.kind = Kind::choice;
            TRY(type.choice, named(schema_.unions_, choice));
        } else if (const auto text = tree.text("string"); !text.empty()) {
            type.kind = Kind::text;
            type.ascii = text == "ascii";
        } else if (!tree.text("fixedString").empty()) {
            type.kind = Kind::fixed_text;
            type.ascii = true;
            type.limit = fixed_length(tree);
        } else if (const auto* each = tree.find("fixedArray")) {
            type.kind = Kind::fixed_list;
            type.limit = fixed_length(tree);
            TRY(type.element, stored(*each));
        } else if (const auto* element = tree.find("array")) {
            type.kind = tree.flag("sparse") ? Kind::sparse_list : Kind::list;
            type.unchecked_write = tree.flag("encodeUnchecked");
            TRY(type.element, stored(*element));
        } else if (const auto* map = tree.find("map");
                   map != nullptr && map->as<JsonTree::Array>() != nullptr) {
            const auto& both = *map->as<JsonTree::Array>();
            if (both.size() != 2)
                return fail(Errc::bad_value, "expected a key and a value, found {} types", both.size());
            type.kind = Kind::map;
            TRY(type.key, stored(both[0]));
            if (type.key->kind == Kind::fixed_list)
                return fail(Errc::unsupported, "lists as keys of a map are not supported");
            TRY(type.element, stored(both[1]));
        } else {
            return fail(Errc::unsupported,
                        "expected a type of hytale-wire/1 or hytale-wire/2, found another");
        }
        return type;
    }

    static std::uint32_t fixed_length(const JsonTree& tree) {
        return static_cast<std::uint32_t>(std::clamp<std::int64_t>(tree.integer("len"), 0, k_largest_block));
    }

    /// The flags that are set are a list of values of the enum.
    Result<void> make_flags(Type& type) {
        if (type.wide) return fail(Errc::unsupported, "flags of four bytes are not supported");
        type.element = &schema_.types_.emplace_back(type);
        type.kind = Kind::flags;
        return {};
    }

    Result<const Type*> stored(const JsonTree& tree) {
        TRY(auto type, type_of(tree));
        return &schema_.types_.emplace_back(type);
    }

    template <typename Map>
    static Result<const typename Map::mapped_type*> named(const Map& map, std::string_view name) {
        const auto found = map.find(name);
        if (found == map.end())
            return fail(Errc::bad_value, "expected a type of this schema, found '{}'", name);
        return &found->second;
    }

    Result<void> fill_unions() {
        TRY(const auto* unions, object_of(root_, "unions"));
        for (const auto& [name, tree] : *unions) {
            TRY(const auto* types, object_of(tree, "types"));
            for (const auto& [id, member] : *types) {
                std::int32_t number = -1;
                std::from_chars(id.data(), id.data() + id.size(), number);
                if (number < 0 || member.as<std::string>() == nullptr)
                    return fail(wrong(name, "type ids must name structs"));
                TRY(schema_.unions_[name].types[number], named(schema_.layouts_, *member.as<std::string>()));
            }
        }
        return {};
    }

    /// What the codecs rely on: everything is inside its block.
    static Result<void> check(const Layout& layout) {
        if (layout.var_start > k_largest_block || layout.fixed > layout.var_start
            || layout.null_bytes > layout.fixed)
            return fail(
                wrong(layout.name,
                      "the null bytes must be inside the fixed block, and that before the variable block"));
        if (layout.var_start != layout.fixed + (layout.var_count > 1 ? 4 * layout.var_count : 0))
            return fail(wrong(layout.name, "the variable block must start after the offset slots"));
        std::uint32_t variable = 0;
        for (const auto& field : layout.fields) {
            const auto part = layout.name + "." + field.name;
            if (field.null_bit >= static_cast<std::int32_t>(layout.null_bytes * 8))
                return fail(wrong(part, "the presence bit must be inside the null bytes"));
            if (!field.is_fixed()) ++variable;
            if (field.slot_at >= 0 && static_cast<std::uint32_t>(field.slot_at) + 4 > layout.var_start)
                return fail(wrong(part, "the offset slot must be before the variable block"));
            if (field.is_inline() && layout.var_count != 1)
                return fail(wrong(part, "an offset slot is missing: this is not the only variable field"));
            if (field.is_fixed()
                && (field.type.width() == 0
                    && !(field.type.kind == Kind::structure && field.type.layout->var_count == 0)))
                return fail(wrong(part, "a field in the fixed block must have a fixed width"));
            if (field.is_fixed() && static_cast<std::uint32_t>(field.at) + field.type.width() > layout.fixed)
                return fail(wrong(part, "the field must be inside the fixed block"));
            if (field.is_packed()
                && (field.packed_bit > 7 || field.type.kind != Kind::boolean || !field.is_fixed()
                    || field.is_nullable()))
                return fail(wrong(part, "only a boolean that is always there can be one bit of a byte"));
            if ((field.min_value || field.max_value) && !(field.is_fixed() && is_number(field.type.kind)))
                return fail(wrong(part, "only a number in the fixed block can have limits"));
        }
        if (variable != layout.var_count)
            return fail(wrong(layout.name, "the stated number of variable fields is wrong"));
        return {};
    }

    Result<void> register_packets() {
        TRY(const auto* packets, object_of(root_, "packets"));
        for (const auto& [name, tree] : *packets) {
            const auto& layout = schema_.layouts_.find(name)->second;
            PacketInfo info;
            info.id = static_cast<std::int32_t>(tree.integer("id", -1));
            info.name = layout.name;
            info.category = layout.category;
            info.compressed = tree.flag("compressed");
            info.fixed = layout.fixed;
            info.smallest = smallest(layout);
            info.largest = layout.max;
            const auto direction = tree.text("direction");
            info.direction = direction == "ToClient"   ? Direction::to_client
                             : direction == "ToServer" ? Direction::to_server
                             : direction == "Both"     ? Direction::both
                                                       : Direction::unstated;
            if (const auto* channels = root_.find("channels"))
                info.channel = static_cast<Channel>(channels->integer(tree.text("channel")));
            schema_.infos_.push_back(info);
        }
        std::ranges::sort(schema_.infos_, {}, &PacketInfo::id);
        schema_.registry_ = Registry(schema_.infos_);
        return {};
    }

    /// The smallest payload: every nullable field absent, every text and list empty.
    static std::uint32_t smallest(const Layout& layout, int depth = 0) {
        auto size = layout.var_start;
        if (depth > 8) return size; // a required field leads back to itself: no value is finite
        for (const auto& field : layout.fields) {
            if (field.is_fixed() || field.is_nullable()) continue;
            if (field.type.kind == Kind::structure)
                size += smallest(*field.type.layout, depth + 1);
            else if (field.type.kind == Kind::choice) {
                auto least = UINT32_MAX;
                for (const auto& [id, member] : field.type.choice->types)
                    least = std::min(least, 1 + smallest(*member, depth + 1));
                size += least;
            } else {
                size += std::max(field.type.width(), 1U);
            }
        }
        return size;
    }

    Schema& schema_;
    const JsonTree& root_;
};

Result<std::unique_ptr<const Schema>> Schema::parse(std::string_view json) {
    TRY(const auto root, JsonTree::parse(json));
    std::unique_ptr<Schema> schema(new Schema());
    TRY_DO(SchemaParser(*schema, root).run());
    return std::unique_ptr<const Schema>(std::move(schema));
}

} // namespace orbis::protocol
