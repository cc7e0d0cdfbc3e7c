#include "protocol/dialect.hpp"

#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/missing_fields.hpp"
#include "protocol/transcoder.hpp"
#include "protocol/value_json.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>
#include <stdexcept>

namespace orbis::protocol {
namespace {

constexpr int k_most_ancestors = 32; ///< files that say they are like another

constexpr Side other_side(Side side) { return side == Side::client ? Side::server : Side::client; }

Error wrong_manners(std::string_view part, std::string_view problem) {
    return error(Errc::bad_value, "{}", problem).about(part);
}

const JsonTree::Object& members(const JsonTree& tree, std::string_view key) {
    static const JsonTree::Object none;
    const auto* member = tree.find(key);
    const auto* object = member != nullptr ? member->as<JsonTree::Object>() : nullptr;
    return object != nullptr ? *object : none;
}

const JsonTree::Array& items(const JsonTree& tree) {
    static const JsonTree::Array none;
    const auto* array = tree.as<JsonTree::Array>();
    return array != nullptr ? *array : none;
}

Translation::Renamed renamed_fields(const JsonTree& packet) {
    Translation::Renamed names;
    for (const auto& [theirs, ours] : members(packet, "fields"))
        if (const auto* name = ours.as<std::string>()) names.emplace(theirs, *name);
    return names;
}

Translation::Renamed turned(const Translation::Renamed& names) {
    Translation::Renamed other;
    for (const auto& [theirs, ours] : names) other.emplace(ours, theirs);
    return other;
}

/// Adds what a file says that fields of a schema are.
Result<void> read_values(const JsonTree& file, std::string_view key, const Schema& schema,
                         Translation::Given& out) {
    for (const auto& [name, value] : members(file, key)) {
        const auto dot = name.find('.');
        const auto* layout = schema.layout(name.substr(0, dot));
        const auto* field =
            layout != nullptr && dot != std::string::npos ? layout->find(name.substr(dot + 1)) : nullptr;
        if (field == nullptr) return fail(wrong_manners(name, "the build has no such field"));
        TRY(auto said, read_json(field->type, value));
        out.insert_or_assign(name, std::move(said));
    }
    return {};
}

bool has_field(const Schema& schema, std::string_view field, Kind kind) {
    return std::ranges::any_of(schema.layouts(), [&](const auto& each) {
        const auto* found = each.second.find(field);
        return found != nullptr && found->type.kind == kind;
    });
}

/// Adds the booleans of the usual build that are enums here.
Result<void> read_switches(const JsonTree& file, const Schema& usual, const Schema& other,
                           std::vector<Translation::Switch>& out) {
    for (const auto& [flag, tree] : members(file, "switches")) {
        Translation::Switch each{flag, std::string(tree.text("here")), std::string(tree.text("off")),
                                 std::string(tree.text("on"))};
        if (!has_field(usual, each.flag, Kind::boolean) || !has_field(other, each.name, Kind::enumeration))
            return fail(wrong_manners(flag, "one of the builds has no such field"));
        out.push_back(std::move(each));
    }
    return {};
}

/// Each file and those that it is like, the oldest first.
Result<std::vector<JsonTree>> with_ancestors(std::string_view text) {
    std::vector<JsonTree> files;
    while (files.size() < k_most_ancestors) {
        TRY(auto tree, JsonTree::parse(text));
        const std::string like(tree.text("like"));
        files.push_back(std::move(tree));
        if (like.empty()) {
            std::ranges::reverse(files);
            return files;
        }
        const auto* build = find_build(like);
        if (build == nullptr) return fail(wrong_manners("like", "there is no build of that name"));
        text = build->manners;
    }
    return fail(wrong_manners("like", "builds that are like each other in a circle"));
}

} // namespace

const Dialect* Dialect::of(const BuildInfo& build) {
    if (build.build == k_default_build) return nullptr;
    static std::mutex guard;
    static std::vector<std::unique_ptr<const Dialect>> made(builds().size());
    const auto index = static_cast<std::size_t>(&build - builds().data());
    {
        const std::lock_guard lock(guard);
        if (made[index]) return made[index].get();
    }
    std::vector<const Dialect*> older;
    for (const auto& each : builds().first(index))
        if (each.is_spoken && each.build != k_default_build) older.push_back(of(each));
    const auto& usual = schema_of(*find_build(k_default_build));
    const auto& other = schema_of(build);
    const std::lock_guard lock(guard);
    if (!made[index]) {
        auto dialect = make(usual, other, build, build.manners, older);
        if (!dialect)
            throw std::logic_error("a dialect of the program is damaged: " + dialect.error().text());
        made[index] = *std::move(dialect);
    }
    return made[index].get();
}

Result<std::unique_ptr<const Dialect>> Dialect::make(const Schema& usual, const Schema& other,
                                                     const BuildInfo& build, std::string_view manners,
                                                     std::span<const Dialect* const> older) {
    std::unique_ptr<Dialect> dialect(new Dialect(usual, other, build));
    for (const auto side : {Side::client, Side::server})
        for (const auto& packet : usual.registry().packets())
            if (packet.may_reach(other_side(side)) && other.packet(packet.name) != nullptr)
                dialect->learn(side, packet.name, packet.name, {});
    TRY_DO(dialect->read(manners));
    dialect->find_likes(older);
    dialect->make_transcoders();
    return dialect;
}

void Dialect::make_transcoders() {
    for (const auto& words : said_)
        for (const auto& [id, word] : words) {
            if (!word->names_there.empty()) continue;
            if (!word->is_said_alike)
                word->quick_there = std::make_shared<const Transcoder>(*word->usual_layout,
                                                                       *word->other_layout, there_, true);
            if (!word->is_heard_alike)
                word->quick_here = std::make_shared<const Transcoder>(*word->other_layout,
                                                                      *word->usual_layout, here_, false);
        }
}

void Dialect::find_likes(std::span<const Dialect* const> older) {
    for (const auto& [usual_id, word] : said_[static_cast<std::size_t>(Side::server)]) {
        const auto like = std::ranges::find_if(
            older, [&, id = usual_id](const Dialect* each) { return says_like(*each, id); });
        if (like != older.end()) first_.emplace(usual_id, *like);
    }
}

bool Dialect::says_like(const Dialect& other, std::int32_t usual_id) const {
    const auto* own = said_by(Side::server, usual_id);
    const auto* theirs = other.said_by(Side::server, usual_id);
    return !has_values_ && !other.has_values_ && has_columns_apart_ == other.has_columns_apart_
           && theirs != nullptr && own->other->id == theirs->other->id
           && own->other->compressed == theirs->other->compressed
           && own->other->channel == theirs->other->channel && own->names_there == theirs->names_there
           && before(usual_id).empty() && other.before(usual_id).empty()
           && has_same_bytes(*own->other_layout, *theirs->other_layout)
           && has_same_bytes(*theirs->other_layout, *own->other_layout);
}

const Dialect& Dialect::first_to_say(std::int32_t usual_id) const {
    const auto found = first_.find(usual_id);
    return found == first_.end() ? *this : *found->second;
}

Result<void> Dialect::read(std::string_view manners) {
    TRY(const auto files, with_ancestors(manners));
    Translation::Given given;
    Translation::Given given_here;
    std::vector<Translation::Switch> switches;
    Translation::Renamed flat_fields;
    for (const auto& file : files) {
        if (const auto protocol = file.text("protocol"); !protocol.empty()) protocol_ = protocol;
        asks_for_player_ |= file.flag("asks_for_player");
        has_columns_apart_ |= file.flag("columns_apart");
        has_one_stream_ |= file.flag("one_stream");
        for (const auto& [ours, theirs] : members(file, "flat_fields"))
            if (const auto* name = theirs.as<std::string>()) flat_fields.insert_or_assign(ours, *name);
        TRY_DO(read_values(file, "values", other_, given));
        TRY_DO(read_values(file, "usual_values", usual_, given_here));
        TRY_DO(read_switches(file, usual_, other_, switches));
    }
    if (has_columns_apart_) TRY_DO(check_columns());
    has_values_ = !given.empty() || !switches.empty();
    there_ = Translation(std::move(given), switches, flat_fields);
    here_ = Translation(std::move(given_here), std::move(switches), std::move(flat_fields));
    for (const auto& file : files) {
        const auto* packets = file.find("packets");
        for (const auto& packet : packets != nullptr ? items(*packets) : JsonTree::Array()) {
            const auto sender = packet.text("from");
            const auto usual = packet.text("usual");
            const auto other = packet.text("here");
            if (sender != "client" && sender != "server")
                return fail(wrong_manners(usual, "a packet comes from a client or a server"));
            if (usual_.packet(usual) == nullptr || other_.packet(other) == nullptr)
                return fail(wrong_manners(usual, "one of the builds has no such packet"));
            learn(sender == "client" ? Side::client : Side::server, usual, other, renamed_fields(packet));
        }
        for (const auto& [before, packets_before] : members(file, "before"))
            for (const auto& packet : items(packets_before))
                if (const auto* name = packet.as<std::string>()) TRY_DO(learn_extra(before, *name));
    }
    return {};
}

void Dialect::learn(Side side, std::string_view usual, std::string_view other, Translation::Renamed names) {
    const auto* ours = usual_.packet(usual);
    const auto* theirs = other_.packet(other);
    const bool has_own_names = !names.empty();
    auto names_here = turned(names);
    const auto word = std::make_shared<Word>(Word{
        .usual = usual_.registry().find(usual),
        .other = other_.registry().find(other),
        .is_said_alike = !has_own_names && has_same_bytes(*ours, *theirs),
        .is_heard_alike = !has_own_names && has_same_bytes(*theirs, *ours),
        .usual_layout = ours,
        .other_layout = theirs,
        .names_there = std::move(names),
        .names_here = std::move(names_here),
    });
    said_[static_cast<std::size_t>(side)].insert_or_assign(word->usual->id, word);
    heard_[static_cast<std::size_t>(side)].insert_or_assign(word->other->id, word);
}

Result<void> Dialect::check_columns() const {
    for (const auto* name :
         {"SetColumn", "SetChunkHeightmap", "SetChunkEnvironments", "SetAbsentChunks", "ServerSetHeight",
          "ServerSetHeights", "UnloadChunk", "UnloadChunks", "ClearChunks"})
        if (other_.packet(name) == nullptr) return fail(wrong_manners(name, "the build has no such packet"));
    return {};
}

/// It says nothing but the values that the build gives it: its lists and maps are there and empty.
Result<void> Dialect::learn_extra(std::string_view before, std::string_view packet) {
    const auto* usual = usual_.registry().find(before);
    const auto* layout = other_.packet(packet);
    if (usual == nullptr || layout == nullptr)
        return fail(wrong_manners(packet, "one of the builds has no such packet"));
    auto value = plainest_value(*layout);
    auto& record = std::get<Value::Record>(value.content);
    for (std::size_t at = 0; at < layout->fields.size(); ++at) {
        const auto& field = layout->fields[at];
        if (field.type.kind == Kind::map || field.type.kind == Kind::list)
            record.fields[at] = plainest_value(field.type);
        if (const auto given = there_.given().find(layout->name + "." + field.name);
            given != there_.given().end())
            record.fields[at] = given->second;
    }
    Extra extra{other_.registry().find(packet), {}};
    TRY_DO(encode(*layout, value, extra.payload));
    extras_[usual->id].push_back(std::move(extra));
    return {};
}

const Dialect::Word* Dialect::said_by(Side side, std::int32_t usual_id) const {
    const auto& words = said_[static_cast<std::size_t>(side)];
    const auto found = words.find(usual_id);
    return found == words.end() ? nullptr : found->second.get();
}

const Dialect::Word* Dialect::heard_from(Side side, std::int32_t other_id) const {
    const auto& words = heard_[static_cast<std::size_t>(side)];
    const auto found = words.find(other_id);
    return found == words.end() ? nullptr : found->second.get();
}

Result<void> Dialect::say(const Word& word, Bytes payload, Buffer& out) const {
    if (word.quick_there && word.quick_there->run(payload, out)) return {};
    const auto said = decode(*word.usual_layout, payload, usual_.read_rules());
    if (!said) return fail(said.error().error());
    return encode(*word.other_layout, there_.record(*said, *word.other_layout, word.names_there), out);
}

Result<void> Dialect::hear(const Word& word, Bytes payload, Buffer& out) const {
    if (word.quick_here && word.quick_here->run(payload, out)) return {};
    const auto heard = decode(*word.other_layout, payload, other_.read_rules());
    if (!heard) return fail(heard.error().error());
    return encode(*word.usual_layout, here_.record(*heard, *word.usual_layout, word.names_here), out);
}

std::span<const Dialect::Extra> Dialect::before(std::int32_t usual_id) const {
    const auto found = extras_.find(usual_id);
    return found == extras_.end() ? std::span<const Extra>() : std::span<const Extra>(found->second);
}

} // namespace orbis::protocol
