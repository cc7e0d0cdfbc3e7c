#include "bson/extended_json.hpp"
#include "bytes/joined.hpp"
#include "bytes/json_reader.hpp"
#include "bytes/json_writer.hpp"
#include "jobs/prefab/json_format.hpp"

#include <set>

namespace orbis::jobs::prefab {

namespace {

/// The last version whose blocks have `state` where others have `components`.
constexpr int k_last_with_state = 2;
/// The last version whose entities are not holders.
constexpr int k_last_with_old_entities = 1;
constexpr std::size_t k_most_names_noted = 5;

/// One field of an object: where it goes, and whether it came already.
struct Field {
    std::string_view name;
    std::function<void()> read;
    bool is_needed = false;
    bool came = false;
};

class PrefabJsonReader {
public:
    explicit PrefabJsonReader(std::string_view text) : in_(text), text_(text) {}

    Result<Prefab> read() {
        std::vector<Field> fields{
            {"version", [&] { read_version(); }, true},
            {"blockIdVersion", [&] { out_.block_id_version = number(0, 4095); }},
            {"anchorX", [&] { out_.anchor.x = number(-k_farthest, k_farthest); }, true},
            {"anchorY", [&] { out_.anchor.y = number(k_lowest, k_highest); }, true},
            {"anchorZ", [&] { out_.anchor.z = number(-k_farthest, k_farthest); }, true},
            {"blocks", [&] { list("block", [&] { read_block(); }); }},
            {"fluids", [&] { list("fluid", [&] { read_fluid(); }); }},
            {"entities", [&] { list("entity", [&] { read_entity(); }); }},
            {"worldVersion",
             [&] { (void)number(INT32_MIN, INT32_MAX); }}, // of versions below 4; says nothing
            {"entityVersion", [&] { (void)number(INT32_MIN, INT32_MAX); }},
        };
        object(fields, "prefab");
        if (!in_.finish()) return fail(Error(in_.error()));
        TRY_DO(check_cells(out_));
        settle();
        return std::move(out_);
    }

    /// Which block, fluid or entity the error is in.
    [[nodiscard]] const std::string& place() const { return place_; }

private:
    std::int32_t number(std::int64_t least, std::int64_t most) {
        return static_cast<std::int32_t>(in_.integer(least, most));
    }

    void read_version() {
        const auto at = in_.offset();
        out_.version = number(INT32_MIN, INT32_MAX);
        if (out_.version < 1 || out_.version > k_json_version)
            in_.reject(error(Errc::unsupported, "expected prefab version 1 to {}, found {}", k_json_version,
                             out_.version),
                       at);
    }

    /// Reads the members of an object in any order. What is not known is stepped over, and noted.
    void object(std::vector<Field>& fields, std::string_view what) {
        const auto begin = in_.offset();
        for (auto& field : fields) field.came = false;
        in_.object();
        while (in_.next_member(key_)) {
            const auto at = in_.offset();
            auto field = fields.begin();
            while (field != fields.end() && field->name != key_) ++field;
            if (field == fields.end()) {
                (void)in_.skip();
                if (strangers_.size() <= k_most_names_noted) strangers_.insert(key_);
                continue;
            }
            if (std::exchange(field->came, true))
                in_.reject(error(Errc::bad_value, "the {} has two members called {}", what, field->name), at);
            field->read();
        }
        for (const auto& field : fields)
            if (field.is_needed && !field.came)
                in_.reject(error(Errc::bad_value, "the {} has no {}", what, field.name), begin);
    }

    template <typename Read>
    void list(std::string_view what, Read&& read) {
        in_.array();
        for (std::size_t count = 0; in_.next_element(); ++count) {
            if (count == k_most_cells)
                in_.reject(error(Errc::too_large, "a prefab may have {} of each kind at most, this has more",
                                 k_most_cells),
                           in_.offset());
            const bool was_fine = in_.ok();
            read();
            if (was_fine && !in_.ok()) place_ = fmt::format("{} {}", what, count);
        }
    }

    std::vector<Field> place_fields(BlockPos& at) {
        return {{"x", [&] { at.x = number(-k_farthest, k_farthest); }, true},
                {"y", [&] { at.y = number(k_lowest, k_highest); }, true},
                {"z", [&] { at.z = number(-k_farthest, k_farthest); }, true}};
    }

    void read_name(std::uint32_t& key) {
        const auto at = in_.offset();
        if (!in_.string(name_)) return;
        if (name_.empty() || name_.size() > UINT16_MAX || name_.find('\0') != std::string::npos)
            return in_.reject(error(Errc::bad_value, "expected a name of 1 to 65535 bytes, found {}",
                                    json_quoted(std::string_view(name_).substr(0, 40))),
                              at);
        key = out_.keys.id_of(name_);
    }

    void read_block() {
        if (block_fields_.empty()) {
            block_fields_ = place_fields(block_.at);
            block_fields_.push_back({"name", [&] { read_name(block_.key); }, true});
            block_fields_.push_back(
                {"components", [&] { block_.components = read_holder(out_.components); }});
            block_fields_.push_back({"state", [&] { state_ = read_holder(out_.components); }});
            block_fields_.push_back(
                {"support", [&] { block_.support = static_cast<std::uint8_t>(number(0, 15)); }});
            block_fields_.push_back(
                {"filler", [&] { block_.filler.stored = static_cast<std::uint16_t>(number(0, 32767)); }});
            block_fields_.push_back(
                {"rotation", [&] { block_.rotation.index = static_cast<std::uint8_t>(number(0, 63)); }});
        }
        block_ = {};
        state_ = Prefab::k_no_components;
        object(block_fields_, "block");
        if (state_ != Prefab::k_no_components) states_.emplace_back(out_.blocks.size(), state_);
        if (in_.ok()) out_.blocks.push_back(block_);
    }

    void read_fluid() {
        if (fluid_fields_.empty()) {
            fluid_fields_ = place_fields(fluid_.at);
            fluid_fields_.push_back({"name", [&] { read_name(fluid_.key); }, true});
            fluid_fields_.push_back(
                {"level", [&] { fluid_.level = static_cast<std::uint8_t>(number(0, 15)); }, true});
        }
        fluid_ = {};
        object(fluid_fields_, "fluid");
        if (in_.ok()) out_.fluids.push_back(fluid_);
    }

    void read_entity() { (void)read_holder(out_.entities); }

    /// A holder becomes BSON; its index in the list.
    std::int32_t read_holder(std::vector<Buffer>& out) {
        if (in_.peek() != JsonReader::Kind::object)
            return in_.object(), Prefab::k_no_components; // that fails
        const auto text = in_.skip();
        if (!in_.ok()) return Prefab::k_no_components;
        const auto begin = static_cast<std::size_t>(text.data() - text_.data());
        auto bson = bson::from_extended_json(text);
        if (!bson) {
            const auto at = begin + bson.error().offset.value_or(0);
            bson.error().offset.reset();
            in_.reject(std::move(bson.error()), at);
            return Prefab::k_no_components;
        }
        out.push_back(*std::move(bson));
        return static_cast<std::int32_t>(out.size() - 1);
    }

    /// What depends on the version, which may be the last member.
    void settle() {
        if (out_.version <= k_last_with_state)
            for (const auto& [block, state] : states_) out_.blocks[block].components = state;
        else if (!states_.empty())
            strangers_.insert("state");
        if (out_.version <= k_last_with_old_entities) drop_old_entities();
        if (!strangers_.empty()) {
            const std::vector<std::string> names(strangers_.begin(), strangers_.end());
            out_.notes.push_back(fmt::format("members that are not known: {}{}", joined(names, ", "),
                                             names.size() > k_most_names_noted ? " …" : ""));
        }
        take_names_apart(out_, out_.version);
    }

    void drop_old_entities() {
        const auto dropped = std::erase_if(out_.entities, [](const Buffer& entity) {
            const auto document = bson::Document::open(entity);
            return !document || !document->document("Components");
        });
        if (dropped > 0)
            out_.notes.push_back(
                fmt::format("{} of version 1 without components, which no game of today can read",
                            dropped == 1 ? "an entity" : fmt::format("{} entities", dropped)));
    }

    JsonReader in_;
    std::string_view text_;
    Prefab out_;
    std::string key_;
    std::string name_;
    std::string place_;
    std::set<std::string> strangers_;
    Prefab::Block block_;
    Prefab::Fluid fluid_;
    std::int32_t state_ = Prefab::k_no_components;
    std::vector<std::pair<std::size_t, std::int32_t>> states_;
    std::vector<Field> block_fields_;
    std::vector<Field> fluid_fields_;
};

} // namespace

Result<Prefab> read_json(std::string_view text) {
    PrefabJsonReader reader(text);
    auto prefab = reader.read();
    if (!prefab)
        return fail(reader.place().empty() ? std::move(prefab.error())
                                           : std::move(prefab.error()).about(reader.place()));
    prefab->format = Prefab::Format::json;
    if (prefab->version == k_json_version) prefab->source = text;
    return prefab;
}

} // namespace orbis::jobs::prefab
