#pragma once

#include "game/content/pack_tables.hpp"
#include "protocol/value.hpp"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace orbis::game {

/// The numbers by which entries of registries name each other.
class PackNumbers {
public:
    using Names = std::unordered_map<std::string, std::int32_t>;

    Names& of(PackKind kind) { return names_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] const Names& of(PackKind kind) const { return names_[static_cast<std::size_t>(kind)]; }
    /// Nothing for a name that no entry has.
    [[nodiscard]] std::optional<std::int32_t> find(PackKind kind, std::string_view name) const;
    /// The number of a tag, a new one if it had none.
    std::int32_t tag(std::string_view name);

    std::map<std::string, std::int32_t, std::less<>> groups; ///< of blocks

private:
    std::array<Names, k_pack_kinds> names_;
    std::map<std::string, std::int32_t, std::less<>> tags_{{"Allows=Movement", 1}};
};

/// Makes values of packets from what asset files say, by the tables of pack_tables.hpp and the types of the
/// fields. What does not fit is reported and left as it was.
class PackValues {
public:
    /// The numbers must outlive it.
    PackValues(PackNumbers& numbers, std::vector<Error>& problems) : numbers_(numbers), problems_(problems) {}

    /// A struct with its defaults.
    static protocol::Value make(const protocol::Layout& layout);
    /// Puts what an object says into a struct.
    void put(const PackObject& object, protocol::Value& record);
    /// Puts one value where `out` is.
    bool put(const nlohmann::json& json, const protocol::Type& type, const PackRow& row,
             protocol::Value& out);
    /// The tags of an object, in its field for them if it has one.
    void put_tags(const PackObject& object, protocol::Value& record);

    /// Names the file in messages from now on.
    void in_file(std::string_view file) { file_ = file; }
    void report(std::string_view key, std::string_view problem);
    /// False, with one message, once the files have led to more values than a server can have.
    bool has_room();
    /// As many again.
    void begin_again() { made_ = 0; }

private:
    bool put_struct(const nlohmann::json& json, const protocol::Layout& layout, protocol::Value& out);
    bool put_list(const nlohmann::json& json, const protocol::Type& type, const PackRow& row,
                  protocol::Value& out);
    bool put_map(const nlohmann::json& json, const protocol::Type& type, const PackRow& row,
                 protocol::Value& out);
    bool put_hours(const nlohmann::json& json, const protocol::Type& type, protocol::Value& out);
    bool put_moons(const nlohmann::json& json, protocol::Value& out);
    bool put_textures(const nlohmann::json& json, const protocol::Type& type, protocol::Value& out);
    bool put_all_sides(const nlohmann::json& json, const protocol::Layout& layout, bool is_colour,
                       protocol::Value& out);
    bool put_number(double number, const protocol::Type& type, protocol::Value& out);
    bool put_member(const nlohmann::json& json, const PackRow& row, protocol::Value& record);
    std::optional<std::int32_t> number_of(const nlohmann::json& json, const PackRow& row);

    PackNumbers& numbers_;
    std::vector<Error>& problems_;
    std::string file_;
    std::string inline_id_; ///< of the object, by which the ids of inline interactions begin
    std::size_t made_ = 0;
    bool is_full_ = false;
};

/// The field of a struct; null if it has none.
protocol::Value* pack_field(protocol::Value& record, std::string_view name);

} // namespace orbis::game
