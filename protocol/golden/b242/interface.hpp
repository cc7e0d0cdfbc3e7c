// Made by protocol/generate.py from the schema of b242; not to be edited.
#pragma once

#include "packets/vb242/fwd.hpp"
#include "protocol/packet_info.hpp"
#include "protocol/types.hpp"

#include <variant>

namespace orbis::protocol::vb242 {

enum class EventTitleStyle : std::uint8_t { default_, major, goblin_breach, void_eviction };
constexpr std::uint32_t value_count(EventTitleStyle) { return 4; }

using ParamValue = std::variant<StringParamValue, BoolParamValue, DoubleParamValue, IntParamValue,
    LongParamValue>;
std::size_t read_union(Decoder& in, std::size_t at, ParamValue& v);
std::size_t measure_union(Encoder& out, const ParamValue& v);
std::uint8_t* write_union(Encoder& out, std::uint8_t* p, const ParamValue& v);

struct BoolParamValue {
    bool value = false;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct DoubleParamValue {
    double value = 0;

    static constexpr std::uint32_t k_fixed = 8, k_var_start = 8;
    static constexpr bool k_bulk = false, k_any_bytes = false;
};

struct FormattedMessageImage {
    std::int32_t width = 0;
    std::int32_t height = 0;
    Text file_path;

    static constexpr std::uint32_t k_fixed = 8, k_var_start = 8;
    static std::size_t read(Decoder& in, std::size_t at, FormattedMessageImage& v);
    static std::size_t measure(Encoder& out, const FormattedMessageImage& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const FormattedMessageImage& v);
};

struct FormattedMessage {
    Opt<bool> bold;
    Opt<bool> italic;
    Opt<bool> monospace;
    Opt<bool> underlined;
    Opt<bool> strikethrough;
    bool markup_enabled = false;
    Opt<Text> raw_text;
    Opt<Text> message_id;
    Opt<List<FormattedMessage>> children;
    Opt<Map<Text, ParamValue>> params;
    Opt<Map<Text, FormattedMessage>> message_params;
    Opt<Text> color;
    Opt<Text> link;
    Opt<FormattedMessageImage> image;

    static constexpr std::uint32_t k_fixed = 8, k_var_start = 40;
    static std::size_t read(Decoder& in, std::size_t at, FormattedMessage& v);
    static std::size_t measure(Encoder& out, const FormattedMessage& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const FormattedMessage& v);
};

struct IntParamValue {
    std::int32_t value = 0;

    static constexpr std::uint32_t k_fixed = 4, k_var_start = 4;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(IntParamValue) == 4);

struct LongParamValue {
    std::int64_t value = 0;

    static constexpr std::uint32_t k_fixed = 8, k_var_start = 8;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(LongParamValue) == 8);

struct ShowEventTitle {
    float fade_in_duration = 0;
    float fade_out_duration = 0;
    float duration = 0;
    EventTitleStyle style{};
    Opt<Text> icon;
    Opt<FormattedMessage> primary_title;
    Opt<FormattedMessage> secondary_title;

    static constexpr std::uint32_t k_fixed = 17, k_var_start = 29;
    static constexpr PacketInfo k_info{214, "ShowEventTitle", "interface",
                                       protocol::Direction::to_client, protocol::Channel{0}, false,
                                       17, 29, 1677721600};
    static constexpr bool k_bounded = true;
    static constexpr bool k_canonical = true;
    static std::size_t read(Decoder& in, std::size_t at, ShowEventTitle& v);
    static std::size_t measure(Encoder& out, const ShowEventTitle& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const ShowEventTitle& v);
};

struct StringParamValue {
    Opt<Text> value;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static std::size_t read(Decoder& in, std::size_t at, StringParamValue& v);
    static std::size_t measure(Encoder& out, const StringParamValue& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const StringParamValue& v);
};

} // namespace orbis::protocol::vb242
