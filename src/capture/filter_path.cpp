#include "bytes/json_writer.hpp"
#include "bytes/near_names.hpp"
#include "capture/filter_node.hpp"
#include "protocol/uuid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace orbis::capture {

namespace {

using protocol::Kind;
using protocol::Layout;
using protocol::Type;

bool has_elements(const Type& type) {
    return type.kind == Kind::list || type.kind == Kind::fixed_list || type.kind == Kind::sparse_list
           || type.kind == Kind::map;
}

/// Walks all ways that a path can take through the types: unions fork.
class PathWalk {
public:
    PathWalk(const std::vector<FilterStep>& path, FilterPath& out) : path_(path), out_(out) {}

    void into(const Layout& layout, std::size_t step) {
        if (step == path_.size() || !seen_.emplace(&layout, step).second) return;
        const auto& wanted = path_[step];
        if (wanted.kind == FilterStep::Kind::type) return end_with_type(step);
        if (wanted.kind == FilterStep::Kind::field)
            if (const auto* field = layout.find(wanted.name)) return into(field->type, step + 1);
        miss(step);
        if (out_.bad_step == step)
            for (const auto& field : layout.fields) out_.names.push_back(field.name);
    }

private:
    void into(const Type& type, std::size_t step) {
        if (step == path_.size()) {
            if (std::ranges::find(out_.types, &type) == out_.types.end()) out_.types.push_back(&type);
            return;
        }
        const auto kind = path_[step].kind;
        if (has_elements(type) && !type.is_bytes()) // `[]` may be left out
            return into(*type.element,
                        kind == FilterStep::Kind::any || kind == FilterStep::Kind::element ? step + 1 : step);
        if (type.kind == Kind::structure) return into(*type.layout, step);
        if (type.kind == Kind::choice) {
            if (kind == FilterStep::Kind::type) return end_with_type(step);
            for (const auto& [id, member] : type.choice->types) into(*member, step);
            return;
        }
        miss(step);
    }

    void end_with_type(std::size_t step) {
        if (step + 1 == path_.size())
            out_.is_type_name = true;
        else
            miss(step + 1);
    }

    void miss(std::size_t step) {
        if (step <= out_.bad_step) return;
        out_.bad_step = step;
        out_.names.clear();
    }

    const std::vector<FilterStep>& path_;
    FilterPath& out_;
    std::set<std::pair<const Layout*, std::size_t>> seen_; ///< unions can lead back to themselves
};

const Type& innermost(const Type& type) {
    const auto* at = &type;
    while (has_elements(*at) && !at->is_bytes()) at = at->element;
    return *at;
}

bool is_order(Compare compare) {
    return compare == Compare::less || compare == Compare::at_most || compare == Compare::more
           || compare == Compare::at_least;
}

} // namespace

FilterPath follow(const Layout& packet, const std::vector<FilterStep>& path) {
    FilterPath out;
    PathWalk(path, out).into(packet, 0);
    return out;
}

std::string why_not(const Type& type, Compare compare, const FilterWord& word) {
    if (compare == Compare::present || word.is_null) {
        if (compare == Compare::present || compare == Compare::equal || compare == Compare::unequal)
            return {};
        return "null can be compared with = and != only";
    }
    const auto& inner = innermost(type);
    switch (inner.kind) {
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64:
    case Kind::f32:
    case Kind::f64:
        if (compare == Compare::like || compare == Compare::unlike)
            return "this is a number: use =, !=, <, <=, > or >=";
        return word.number ? "" : fmt::format("this is a number, {} is none", json_quoted(word.text));
    case Kind::boolean:
        if (compare != Compare::equal && compare != Compare::unequal)
            return "this is true or false: use = or !=";
        return word.text == "true" || word.text == "false"
                   ? ""
                   : fmt::format("expected true or false, found {}", json_quoted(word.text));
    case Kind::enumeration:
    case Kind::flags: {
        if (is_order(compare)) return "these are names: use =, !=, ~ or !~";
        if (compare == Compare::like || compare == Compare::unlike) return {};
        const auto& values = inner.enumeration->values;
        if (std::ranges::find(values, word.text) != values.end()) return {};
        const std::vector<std::string_view> names(values.begin(), values.end());
        auto near = did_you_mean(word.text, names);
        if (near.empty()) {
            near = "; there are ";
            for (std::size_t at = 0; at < std::min<std::size_t>(names.size(), 12); ++at)
                near += fmt::format("{}{}", at == 0 ? "" : ", ", names[at]);
            if (names.size() > 12) near += " and more";
        }
        return fmt::format("{} has no value {}{}", inner.enumeration->name, json_quoted(word.text), near);
    }
    case Kind::uuid:
        if (is_order(compare)) return "this is a UUID: use =, !=, ~ or !~";
        if (compare == Compare::like || compare == Compare::unlike || protocol::parse_uuid(word.text))
            return {};
        return fmt::format("expected a UUID, found {}", json_quoted(word.text));
    case Kind::structure:
    case Kind::choice: return "this has fields: name one of them, or leave the comparison out";
    default: return is_order(compare) ? "this is text: use =, !=, ~ or !~" : "";
    }
}

} // namespace orbis::capture
