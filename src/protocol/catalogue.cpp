#include "protocol/catalogue.hpp"

#include <charconv>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace orbis::protocol {

namespace {

bool lists(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        const auto space = names.find(' ');
        if (names.substr(0, space) == name) return true;
        names.remove_prefix(space == std::string_view::npos ? names.size() : space + 1);
    }
    return false;
}

/// A CRC as a signed or unsigned decimal number, or as 0x and hex digits.
std::optional<std::int32_t> crc_of(std::string_view text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    std::int64_t number = 0;
    const auto [end, problem] =
        std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (number < INT32_MIN || number > std::int64_t{UINT32_MAX}) return std::nullopt;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
}

} // namespace

const BuildInfo* find_build(std::string_view text) {
    const auto crc = crc_of(text);
    for (const auto& each : builds()) {
        if (each.build == text || lists(each.same_layout, text)) return &each;
        if (!each.hash.empty() && each.hash == text) return &each;
        if (crc && each.crc == crc) return &each;
    }
    return nullptr;
}

const Schema& schema_of(const BuildInfo& build) {
    static std::mutex guard;
    static std::vector<std::unique_ptr<const Schema>> parsed(builds().size());
    const auto index = static_cast<std::size_t>(&build - builds().data());
    const std::lock_guard lock(guard);
    if (!parsed[index]) {
        auto schema = Schema::parse(build.json);
        if (!schema) throw std::logic_error("a schema of the program is damaged: " + schema.error().text());
        parsed[index] = *std::move(schema);
    }
    return *parsed[index];
}

Result<const Schema*> find_schema(std::string_view text) {
    if (const auto* build = find_build(text)) return &schema_of(*build);
    std::string known;
    for (const auto& each : builds()) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.build);
    return fail(
        error(Errc::unknown_kind, "unknown build, CRC or hash '{}'", text).advise("known builds: " + known));
}

} // namespace orbis::protocol
