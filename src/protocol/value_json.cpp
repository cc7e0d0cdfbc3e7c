#include "protocol/value_json.hpp"

#include "bytes/hex.hpp"
#include "protocol/uuid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orbis::protocol {

namespace {

class JsonOfValue {
public:
    explicit JsonOfValue(JsonWriter& json) : json_(json) {}

    void operator()(std::monostate) { json_.null(); }
    void operator()(bool value) { json_.boolean(value); }
    void operator()(std::int64_t value) { json_.number(value); }
    void operator()(float value) { real(double{value}); }
    void operator()(double value) { real(value); }
    void operator()(const Uuid& value) { json_.string(uuid_text(value)); }
    void operator()(const Value::Symbol& value) { json_.string(value.enumeration->values[value.index]); }
    void operator()(const std::string& value) { json_.string(value); }
    void operator()(const Buffer& value) { json_.string(to_hex(value)); }
    void operator()(const Value::List& list) {
        json_.array();
        for (const auto& element : list) write(element);
        json_.end();
    }
    void operator()(const Value::Entries& entries) {
        json_.array();
        for (const auto& [key, value] : entries) {
            json_.array();
            write(key);
            write(value);
            json_.end();
        }
        json_.end();
    }
    void operator()(const Value::Record& record) { members(record, false); }
    void operator()(const Value::Unreadable& bytes) {
        json_.object().member("$bytes", to_hex(bytes.bytes)).member("$error", name(bytes.fault)).end();
    }

    /// Members of unions have the name of their struct; only the type says that a record is one.
    void typed(const Type& type, const Value& value) {
        const auto* record = value.as<Value::Record>();
        const auto* list = value.as<Value::List>();
        const auto* entries = value.as<Value::Entries>();
        if (type.kind == Kind::choice && record != nullptr) {
            members(*record, true);
        } else if (list != nullptr && type.element != nullptr) {
            json_.array();
            for (const auto& element : *list) typed(*type.element, element);
            json_.end();
        } else if (entries != nullptr && type.kind == Kind::map) {
            json_.array();
            for (const auto& [key, mapped] : *entries) {
                json_.array();
                typed(*type.key, key);
                typed(*type.element, mapped);
                json_.end();
            }
            json_.end();
        } else {
            write(value);
        }
    }

private:
    void write(const Value& value) { std::visit(*this, value.content); }

    void real(double value) {
        if (value == 0 && std::signbit(value))
            json_.raw("-0.0"); // parsers take -0 for an integer and lose the sign
        else
            json_.real(value);
    }

    void members(const Value::Record& record, bool with_type) {
        json_.object();
        if (with_type) json_.member("$type", record.layout->name);
        for (std::size_t at = 0; at < record.fields.size(); ++at) {
            const auto& field = record.layout->fields[at];
            json_.key(field.name);
            typed(field.type, record.fields[at]);
        }
        json_.end();
    }

    JsonWriter& json_;
};

std::unexpected<Error> unsuitable(std::string_view expected, const JsonTree& found) {
    return fail(Errc::bad_value, "expected {}, found {}", expected, found.kind());
}

Result<Value> value_of(const Type& type, const JsonTree& tree);

Result<std::int64_t> integer_of(const JsonTree& tree, int bits) {
    const auto* number = tree.as<std::int64_t>();
    if (number == nullptr) return unsuitable("an integer", tree);
    const auto limit = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    if (*number > limit || *number < -limit - 1)
        return fail(Errc::out_of_range, "expected an integer of {} bits, found {}", bits, *number);
    return *number;
}

Result<double> real_of(const JsonTree& tree) {
    if (const auto* number = tree.as<double>()) return *number;
    if (const auto* number = tree.as<std::int64_t>()) return static_cast<double>(*number);
    if (const auto* number = tree.as<std::uint64_t>()) return static_cast<double>(*number);
    if (const auto* text = tree.as<std::string>()) {
        if (*text == "NaN") return std::numeric_limits<double>::quiet_NaN();
        if (*text == "Infinity") return std::numeric_limits<double>::infinity();
        if (*text == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    return unsuitable("a number", tree);
}

Result<Value> symbol_of(const Enumeration& enumeration, const JsonTree& tree) {
    const auto* name = tree.as<std::string>();
    if (name == nullptr) return unsuitable("a name of " + enumeration.name, tree);
    const auto found = std::ranges::find(enumeration.values, *name);
    if (found == enumeration.values.end())
        return fail(Errc::bad_value, "expected a name of {}, found '{}'", enumeration.name, *name);
    return Value{Value::Symbol{&enumeration, static_cast<std::uint8_t>(found - enumeration.values.begin())}};
}

Result<Value> choice_of(const Union& choice, const JsonTree& tree) {
    const auto type = tree.text("$type");
    for (const auto& [id, member] : choice.types)
        if (member->name == type) return read_json(*member, tree);
    return fail(Errc::bad_value, "expected a member of {} as $type, found '{}'", choice.name, type);
}

Result<Value> list_of(const Type& type, const JsonTree& tree) {
    if (type.is_bytes()) {
        const auto* text = tree.as<std::string>();
        auto bytes = text != nullptr ? from_hex(*text) : std::nullopt;
        if (!bytes) return unsuitable("bytes in hex", tree);
        return Value{*std::move(bytes)};
    }
    const auto* array = tree.as<JsonTree::Array>();
    if (array == nullptr) return unsuitable("a list", tree);
    Value::List list;
    for (const auto& each : *array) {
        if (type.kind == Kind::sparse_list && each.is_null()) {
            list.emplace_back();
            continue;
        }
        auto element = value_of(*type.element, each);
        if (!element) return fail(std::move(element).error().about(fmt::format("element {}", list.size())));
        list.push_back(*std::move(element));
    }
    return Value{std::move(list)};
}

Result<Value> map_of(const Type& type, const JsonTree& tree) {
    const auto* array = tree.as<JsonTree::Array>();
    if (array == nullptr) return unsuitable("a list of [key, value]", tree);
    Value::Entries entries;
    for (const auto& each : *array) {
        const auto* pair = each.as<JsonTree::Array>();
        if (pair == nullptr || pair->size() != 2) return unsuitable("[key, value]", each);
        TRY(auto key, value_of(*type.key, (*pair)[0]));
        TRY(auto value, value_of(*type.element, (*pair)[1]));
        entries.emplace_back(std::move(key), std::move(value));
    }
    return Value{std::move(entries)};
}

Result<Value> text_of(const JsonTree& tree) {
    const auto* text = tree.as<std::string>();
    if (text == nullptr) return unsuitable("text", tree);
    return Value{*text};
}

Result<Value> value_of(const Type& type, const JsonTree& tree) {
    switch (type.kind) {
    case Kind::boolean: {
        const auto* flag = tree.as<bool>();
        if (flag == nullptr) return unsuitable("a boolean", tree);
        return Value{*flag};
    }
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64: {
        TRY(const auto number, integer_of(tree, static_cast<int>(8 * type.width())));
        return Value{number};
    }
    case Kind::f32: {
        TRY(const auto number, real_of(tree));
        return Value{static_cast<float>(number)};
    }
    case Kind::f64: {
        TRY(const auto number, real_of(tree));
        return Value{number};
    }
    case Kind::uuid: {
        const auto* text = tree.as<std::string>();
        const auto uuid = text != nullptr ? parse_uuid(*text) : std::nullopt;
        if (!uuid) return unsuitable("a UUID", tree);
        return Value{*uuid};
    }
    case Kind::enumeration: return symbol_of(*type.enumeration, tree);
    case Kind::structure: return read_json(*type.layout, tree);
    case Kind::choice: return choice_of(*type.choice, tree);
    case Kind::text:
    case Kind::fixed_text: return text_of(tree);
    case Kind::flags:
    case Kind::list:
    case Kind::fixed_list:
    case Kind::sparse_list: return list_of(type, tree);
    case Kind::map: return map_of(type, tree);
    }
    return fail(Errc::bad_value, "expected a known kind of type, found another");
}

} // namespace

void write_json(JsonWriter& json, const Value& value) { std::visit(JsonOfValue(json), value.content); }

void write_json(JsonWriter& json, const Type& type, const Value& value) {
    JsonOfValue(json).typed(type, value);
}

Result<Value> read_json(const Type& type, const JsonTree& tree) { return value_of(type, tree); }

Result<Value> read_json(const Layout& layout, const JsonTree& tree) {
    const auto* object = tree.as<JsonTree::Object>();
    if (object == nullptr) return unsuitable("an object for " + layout.name, tree);
    Value::Record record{&layout, std::vector<Value>(layout.fields.size())};
    for (const auto& [key, member] : *object) {
        if (key == "$type") continue;
        const auto* field = layout.find(key);
        if (field == nullptr)
            return fail(error(Errc::bad_value, "unknown field '{}'", key).about(layout.name));
        if (member.is_null()) continue;
        auto value = value_of(field->type, member);
        if (!value) return fail(std::move(value).error().about(layout.name + "." + key));
        record.fields[static_cast<std::size_t>(field - layout.fields.data())] = *std::move(value);
    }
    return Value{std::move(record)};
}

} // namespace orbis::protocol
