#include "bytes/hex.hpp"
#include "capture/filter.hpp"
#include "capture/filter_node.hpp"
#include "protocol/uuid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::capture {

namespace {

using protocol::Value;

char small_of(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// `*` for any characters, `?` for one; the whole text.
bool fits_glob(std::string_view text, std::string_view pattern) {
    std::size_t at = 0;
    std::size_t in_pattern = 0;
    auto star = std::string_view::npos;
    std::size_t after_star = 0;
    while (at < text.size()) {
        if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            after_star = at;
        } else if (in_pattern < pattern.size()
                   && (pattern[in_pattern] == '?' || pattern[in_pattern] == small_of(text[at]))) {
            ++at;
            ++in_pattern;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            at = ++after_star;
        } else {
            return false;
        }
    }
    while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
    return in_pattern == pattern.size();
}

bool compare_texts(std::string_view text, Compare compare, const FilterWord& word) {
    if (compare == Compare::equal) return text == word.text;
    return compare == Compare::like && is_like(text, word.pattern);
}

/// The key of a map as it is written in brackets.
std::string key_text(const Value& key) {
    if (const auto* text = key.as<std::string>()) return *text;
    if (const auto* number = key.as<std::int64_t>()) return fmt::format("{}", *number);
    if (const auto* uuid = key.as<protocol::Uuid>()) return protocol::uuid_text(*uuid);
    if (const auto* symbol = key.as<Value::Symbol>()) return symbol->enumeration->values[symbol->index];
    return {};
}

/// Whether a value that the path leads to compares so.
class ValueWalk {
public:
    explicit ValueWalk(const FilterTest& test) : test_(test), compare_(test.compare) {
        if (compare_ == Compare::unequal) compare_ = Compare::equal;
        if (compare_ == Compare::unlike) compare_ = Compare::like;
    }

    [[nodiscard]] bool any(const Value& value, std::size_t step = 0) const {
        if (step == test_.path.size()) return end(value);
        const auto& wanted = test_.path[step];
        if (const auto* list = value.as<Value::List>()) return in_list(*list, wanted, step);
        if (const auto* entries = value.as<Value::Entries>()) return in_entries(*entries, wanted, step);
        const auto* record = value.as<Value::Record>();
        if (record == nullptr) return false;
        if (wanted.kind == FilterStep::Kind::type)
            return test_.compare == Compare::present
                   || compare_texts(record->layout->name, compare_, test_.word);
        const auto* field = wanted.kind == FilterStep::Kind::field ? value.find(wanted.name) : nullptr;
        return field != nullptr && any(*field, step + 1);
    }

private:
    [[nodiscard]] bool end(const Value& value) const {
        if (test_.compare == Compare::present) return !value.is_absent();
        if (test_.word.is_null) return value.is_absent();
        return compares(value, compare_, test_.word);
    }

    [[nodiscard]] bool in_list(const Value::List& list, const FilterStep& wanted, std::size_t step) const {
        if (wanted.kind == FilterStep::Kind::element) {
            for (std::size_t at = 0; at < list.size(); ++at)
                if (wanted.name == fmt::format("{}", at)) return any(list[at], step + 1);
            return false;
        }
        const auto next = wanted.kind == FilterStep::Kind::any ? step + 1 : step;
        return std::ranges::any_of(list, [&](const Value& each) { return any(each, next); });
    }

    [[nodiscard]] bool in_entries(const Value::Entries& entries, const FilterStep& wanted,
                                  std::size_t step) const {
        if (wanted.kind == FilterStep::Kind::element)
            return std::ranges::any_of(entries, [&](const auto& each) {
                return key_text(each.first) == wanted.name && any(each.second, step + 1);
            });
        const auto next = wanted.kind == FilterStep::Kind::any ? step + 1 : step;
        return std::ranges::any_of(entries, [&](const auto& each) { return any(each.second, next); });
    }

    const FilterTest& test_;
    Compare compare_;
};

enum class Answer : std::uint8_t { no, yes, open };

Answer answer(bool yes) { return yes ? Answer::yes : Answer::no; }

/// A record and what is known of it.
struct Asked {
    const Record& record;
    const protocol::PacketInfo* packet;
    const Value* value = nullptr;
    bool was_opened = false; ///< fields are known, or cannot be
    std::map<std::pair<const FilterTest*, const protocol::PacketInfo*>, bool>& has_path;
};

/// Whether packets of this kind have what is asked for; looked up once for each kind.
bool has_path(const Asked& asked, const FilterTest& test) {
    const auto [found, is_new] = asked.has_path.try_emplace({&test, asked.packet});
    if (is_new) {
        const auto* layout = protocol::schema_of(*asked.record.build).packet(asked.packet->id);
        found->second = layout != nullptr && follow(*layout, test.path).exists();
    }
    return found->second;
}

bool ask_text(std::string_view text, const FilterTest& test) {
    switch (test.compare) {
    case Compare::equal: return text == test.word.text;
    case Compare::unequal: return text != test.word.text;
    case Compare::like: return is_like(text, test.word.pattern);
    case Compare::unlike: return !is_like(text, test.word.pattern);
    default: return false;
    }
}

bool ask_number(double number, const FilterTest& test) {
    return test.word.number && compare_numbers(number, test.compare, *test.word.number);
}

bool ask_build(const Record& record, const FilterTest& test) {
    if (test.compare == Compare::like || test.compare == Compare::unlike)
        return ask_text(record.build_name, test);
    const auto* wanted = protocol::find_build(test.word.text);
    const bool is_same = wanted != nullptr ? wanted == record.build : test.word.text == record.build_name;
    return is_same == (test.compare == Compare::equal);
}

Answer ask_field(const Asked& asked, const FilterTest& test) {
    if (asked.packet == nullptr || (test.packet != "*" && asked.packet->name != test.packet))
        return Answer::no;
    if (!has_path(asked, test)) return Answer::no;
    if (!asked.was_opened) return Answer::open;
    if (asked.value == nullptr) return Answer::no;
    const bool is_turned = test.compare == Compare::unequal || test.compare == Compare::unlike;
    return answer(ValueWalk(test).any(*asked.value) != is_turned);
}

Answer ask(const Asked& asked, const FilterTest& test) {
    const auto& record = asked.record;
    switch (test.subject) {
    case Subject::packet:
        if (test.word.integer) return answer(ask_number(record.id(), test));
        return answer(ask_text(asked.packet != nullptr ? asked.packet->name : std::string_view(), test));
    case Subject::id: return answer(ask_number(record.id(), test));
    case Subject::category:
        return answer(ask_text(asked.packet != nullptr ? asked.packet->category : std::string_view(), test));
    case Subject::size: return answer(ask_number(static_cast<double>(record.length), test));
    case Subject::channel: {
        if (!record.channel)
            return answer(test.compare == Compare::unequal || test.compare == Compare::unlike);
        const auto name = protocol::name(*record.channel);
        if (test.compare == Compare::like || test.compare == Compare::unlike)
            return answer(ask_text(name, test));
        const bool is_same = std::ranges::equal(name, test.word.pattern, {}, small_of);
        return answer(is_same == (test.compare == Compare::equal));
    }
    case Subject::to: {
        const bool is_same = record.to && (*record.to == Side::server) == (test.word.text == "server");
        return answer(is_same == (test.compare == Compare::equal));
    }
    case Subject::player: return answer(ask_number(static_cast<double>(record.session), test));
    case Subject::build: return answer(ask_build(record, test));
    case Subject::field: return ask_field(asked, test);
    }
    return Answer::no;
}

Answer ask(const Asked& asked, const FilterNode& node) {
    switch (node.kind) {
    case FilterNode::Kind::test: return ask(asked, node.test);
    case FilterNode::Kind::no: {
        const auto inner = ask(asked, node.parts.front());
        return inner == Answer::open ? inner : answer(inner == Answer::no);
    }
    case FilterNode::Kind::all:
    case FilterNode::Kind::any: {
        const auto decides = node.kind == FilterNode::Kind::all ? Answer::no : Answer::yes;
        auto all = decides == Answer::no ? Answer::yes : Answer::no;
        for (const auto& part : node.parts) {
            const auto one = ask(asked, part);
            if (one == decides) return one;
            if (one == Answer::open) all = one;
        }
        return all;
    }
    }
    return Answer::no;
}

} // namespace

bool is_like(std::string_view text, std::string_view pattern) {
    if (pattern.find_first_of("*?") != std::string_view::npos) return fits_glob(text, pattern);
    return !std::ranges::search(text, pattern, {}, small_of).empty() || pattern.empty();
}

bool compare_numbers(double left, Compare compare, double right) {
    switch (compare) {
    case Compare::equal: return left == right;
    case Compare::unequal: return left != right;
    case Compare::less: return left < right;
    case Compare::at_most: return left <= right;
    case Compare::more: return left > right;
    case Compare::at_least: return left >= right;
    default: return false;
    }
}

bool compares(const Value& value, Compare compare, const FilterWord& word) {
    if (const auto* integer = value.as<std::int64_t>()) {
        if (word.integer && compare == Compare::equal)
            return *integer == *word.integer; // where doubles are not exact
        return word.number && compare_numbers(static_cast<double>(*integer), compare, *word.number);
    }
    if (const auto* number = value.as<float>()) // as people write it: 0.1 is the float that is nearest
        return word.number && compare_numbers(*number, compare, static_cast<float>(*word.number));
    if (const auto* number = value.as<double>())
        return word.number && compare_numbers(*number, compare, *word.number);
    if (const auto* flag = value.as<bool>())
        return compare == Compare::equal && word.text == (*flag ? "true" : "false");
    if (const auto* text = value.as<std::string>()) return compare_texts(*text, compare, word);
    if (const auto* symbol = value.as<Value::Symbol>())
        return compare_texts(symbol->enumeration->values[symbol->index], compare, word);
    if (const auto* uuid = value.as<protocol::Uuid>()) {
        if (compare == Compare::equal) return protocol::parse_uuid(word.text) == *uuid;
        return compare_texts(protocol::uuid_text(*uuid), compare, word);
    }
    if (const auto* bytes = value.as<Buffer>()) {
        const auto hex = to_hex(*bytes);
        return compare == Compare::equal ? hex == word.pattern : compare_texts(hex, compare, word);
    }
    if (const auto* list = value.as<Value::List>())
        return std::ranges::any_of(*list, [&](const Value& each) { return compares(each, compare, word); });
    if (const auto* entries = value.as<Value::Entries>())
        return std::ranges::any_of(*entries,
                                   [&](const auto& each) { return compares(each.second, compare, word); });
    return false;
}

bool Matcher::matches(const Record& record) {
    Asked asked{record, packet_of(record), nullptr, false, has_path_};
    const auto first = ask(asked, filter_.root());
    if (first != Answer::open) return first == Answer::yes;
    ++decoded_;
    const auto value = decoder_.value(record);
    asked.was_opened = true;
    if (value) asked.value = *value;
    return ask(asked, filter_.root()) == Answer::yes;
}

} // namespace orbis::capture
