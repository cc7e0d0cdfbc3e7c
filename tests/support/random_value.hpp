#pragma once

#include "protocol/map_keys.hpp"
#include "protocol/value.hpp"

#include <random>
#include <set>
#include <string>

namespace orbis::test {

/// Makes values for every type of a schema, the same ones for the same seed.
class RandomValue {
public:
    explicit RandomValue(std::uint64_t seed) : engine_(seed) {}

    protocol::Value record(const protocol::Layout& layout) {
        ++depth_;
        protocol::Value::Record record{&layout, {}};
        for (const auto& field : layout.fields) {
            const bool absent = field.is_nullable() && (depth_ > k_deepest || below(3) == 0);
            record.fields.push_back(absent ? protocol::Value{} : value(field.type));
            protocol::put_in_range(field, record.fields.back());
        }
        --depth_;
        return {std::move(record)};
    }

    std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

private:
    static constexpr int k_deepest = 5;

    protocol::Value value(const protocol::Type& type) {
        using protocol::Kind;
        switch (type.kind) {
        case Kind::boolean: return {below(2) == 1};
        case Kind::i8: return {std::int64_t{static_cast<std::int8_t>(bits())}};
        case Kind::i16: return {std::int64_t{static_cast<std::int16_t>(bits())}};
        case Kind::i32: return {std::int64_t{static_cast<std::int32_t>(bits())}};
        case Kind::i64: return {static_cast<std::int64_t>(bits())};
        case Kind::f32: return {static_cast<float>(real())};
        case Kind::f64: return {real()};
        case Kind::uuid: {
            protocol::Uuid uuid;
            for (auto& byte : uuid) byte = static_cast<std::uint8_t>(engine_());
            return {uuid};
        }
        case Kind::enumeration:
            return {protocol::Value::Symbol{
                type.enumeration, static_cast<std::uint8_t>(below(type.enumeration->values.size()))}};
        case Kind::flags: return flags(*type.enumeration);
        case Kind::structure: return record(*type.layout);
        case Kind::choice:
            return record(*std::next(type.choice->types.begin(),
                                     static_cast<std::ptrdiff_t>(below(type.choice->types.size())))
                               ->second);
        case Kind::text:
        case Kind::fixed_text: return {text(type)};
        case Kind::list:
        case Kind::fixed_list:
        case Kind::sparse_list: return list(type);
        case Kind::map: return map(type);
        }
        return {};
    }

    /// Small numbers as often as large ones.
    std::uint64_t bits() {
        const auto all = engine_();
        return below(2) == 0 ? all : (std::uint64_t{0} - (all & 1)) ^ (all >> 58);
    }

    double real() { return static_cast<double>(static_cast<std::int64_t>(engine_())) / 65536.0; }

    std::string text(const protocol::Type& type) {
        static constexpr std::string_view k_parts[] = {
            "a", "Z", "7", " ", "\"", "\xc3\xa9", "\xe6\x9c\xaa", "\xf0\x9f\x8c\x8d"};
        std::string text;
        const auto parts = below(16) == 0 ? 150 : below(12);
        for (std::uint64_t part = 0; part < parts; ++part) {
            const auto next = k_parts[below(type.ascii ? 5 : 8)];
            if (text.size() + next.size() <= type.limit) text += next;
        }
        return text;
    }

    std::uint64_t count(const protocol::Type& type) {
        if (depth_ > k_deepest) return 0;
        const auto most = type.element->width() > 0 ? 20 : depth_ > 2 ? 2 : 4;
        return std::min<std::uint64_t>(below(static_cast<std::uint64_t>(most)), type.limit);
    }

    protocol::Value flags(const protocol::Enumeration& enumeration) {
        protocol::Value::List set;
        for (std::size_t index = 0; index < enumeration.bits.size(); ++index)
            if (below(2) == 0)
                set.emplace_back(protocol::Value::Symbol{&enumeration, static_cast<std::uint8_t>(index)});
        return {std::move(set)};
    }

    protocol::Value list(const protocol::Type& type) {
        const bool fixed = type.kind == protocol::Kind::fixed_list;
        const auto size = fixed ? type.limit : count(type);
        if (type.is_bytes()) {
            Buffer bytes(!fixed && below(8) == 0 ? std::min<std::size_t>(300, type.limit) : size);
            for (auto& byte : bytes) byte = static_cast<std::uint8_t>(engine_());
            return {std::move(bytes)};
        }
        protocol::Value::List list;
        while (list.size() < size) {
            const bool missing = type.kind == protocol::Kind::sparse_list && below(3) == 0;
            list.push_back(missing ? protocol::Value{} : value(*type.element));
        }
        return {std::move(list)};
    }

    protocol::Value map(const protocol::Type& type) {
        protocol::Value::Entries entries;
        std::set<std::string> keys;
        for (auto left = count(type); left > 0; --left) {
            auto key = value(*type.key);
            if (keys.insert(protocol::comparable_key(key)).second)
                entries.emplace_back(std::move(key), value(*type.element));
        }
        return {std::move(entries)};
    }

    std::mt19937_64 engine_;
    int depth_ = 0;
};

} // namespace orbis::test
