#pragma once

#include "protocol/catalogue.hpp"
#include "protocol/generic_codec.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string_view>

/// Packets as a client reads them, compared with lists of what has to be in them.
namespace orbis::game::expected {

/// A value somewhere in a packet. The path has the names of fields, keys of maps, places in lists, and `*`
/// for all entries. A member of a union that has no such field is skipped.
struct Row {
    std::string_view packet;
    std::string_view path;
    std::string_view text{}; ///< what is there; empty: anything but null
};

inline std::string to_text(const protocol::Value& value) {
    if (value.is_absent()) return "null";
    // As people write it: 0.3, not the double that is nearest to the float.
    if (const auto* number = value.as<float>()) return fmt::format("{}", *number);
    if (const auto* list = value.as<protocol::Value::List>(); list != nullptr && list->empty()) return "[]";
    if (const auto* entries = value.as<protocol::Value::Entries>(); entries != nullptr && entries->empty())
        return "{}";
    if (const auto* text = value.as<std::string>()) return *text;
    if (const auto* number = value.as<double>()) return fmt::format("{}", *number);
    if (const auto* number = value.as<std::int64_t>()) return fmt::format("{}", *number);
    if (const auto* is = value.as<bool>()) return *is ? "true" : "false";
    if (const auto* symbol = value.as<protocol::Value::Symbol>())
        return symbol->enumeration->values.at(symbol->index);
    return "something";
}

/// Compares all that the path leads to; how many values that were.
inline std::size_t compare(const protocol::Value& value, std::string_view path, const Row& row) {
    if (path.empty()) {
        const auto text = to_text(value);
        if (row.text.empty()) {
            EXPECT_NE(text, "null") << row.packet << " " << row.path;
        } else {
            EXPECT_EQ(text, row.text) << row.packet << " " << row.path;
        }
        return 1;
    }
    const auto dot = path.find('.');
    const auto step = path.substr(0, dot);
    const auto rest = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    std::size_t compared = 0;
    if (const auto* entries = value.as<protocol::Value::Entries>()) {
        for (const auto& [key, entry] : *entries)
            if (step == "*" || to_text(key) == step) compared += compare(entry, rest, row);
    } else if (const auto* list = value.as<protocol::Value::List>()) {
        for (std::size_t i = 0; i < list->size(); ++i)
            if (step == "*" || std::to_string(i) == step) compared += compare((*list)[i], rest, row);
    } else if (const auto* field = value.find(step)) {
        compared += compare(*field, rest, row);
    } else if (!value.as<protocol::Value::Record>()) {
        ADD_FAILURE() << row.packet << " " << row.path << ": nothing is at " << step;
    }
    return compared;
}

/// Reads a packet with all checks; nothing where that fails.
inline protocol::Value read(std::string_view packet, Bytes payload) {
    const auto& schema = **protocol::find_schema(protocol::k_default_build);
    const auto* layout = schema.packet(packet);
    auto value = layout == nullptr ? std::unexpected(protocol::Failure{})
                                   : protocol::decode(*layout, payload, schema.read_rules(true));
    if (value) return *std::move(value);
    ADD_FAILURE() << packet << " cannot be read";
    return {};
}

inline void check(const Row& row, const protocol::Value& packet) {
    EXPECT_GT(compare(packet, row.path, row), 0U) << row.packet << " " << row.path << " leads nowhere";
}

} // namespace orbis::game::expected
