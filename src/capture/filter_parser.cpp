#include "bytes/json_writer.hpp"
#include "bytes/near_names.hpp"
#include "capture/filter.hpp"
#include "capture/filter_node.hpp"
#include "protocol/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace orbis::capture {

namespace {

constexpr std::size_t k_longest_filter = 64 * 1024;
constexpr int k_deepest_filter = 64;
constexpr std::size_t k_longest_path = 32;

/// A word, a text in quotes, an operator or a bracket.
struct FilterToken {
    enum class Kind : std::uint8_t { word, text, sign, end };
    Kind kind = Kind::end;
    std::string text{};
    std::size_t column = 0; ///< from 1 on

    [[nodiscard]] bool is(std::string_view what) const { return kind != Kind::text && text == what; }
};

bool is_word_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || std::string_view("_.$*?[]+-").find(c) != std::string_view::npos;
}

Error filter_error(std::size_t column, std::string problem) {
    Error made;
    made.code = Errc::usage;
    made.problem = fmt::format("filter, column {}: {}", column, problem);
    return made;
}

Result<std::vector<FilterToken>> split_filter(std::string_view text) {
    std::vector<FilterToken> out;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto start = at;
        const char c = text[at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at;
        } else if (c == '"' || c == '\'') {
            FilterToken token{FilterToken::Kind::text, {}, start + 1};
            for (++at; at < text.size() && text[at] != c; ++at) {
                if (text[at] == '\\' && at + 1 < text.size()) ++at;
                token.text += text[at];
            }
            if (at == text.size()) return fail(filter_error(start + 1, "the quote is not closed"));
            ++at;
            out.push_back(std::move(token));
        } else if (is_word_letter(c)) {
            while (at < text.size() && is_word_letter(text[at])) ++at;
            out.push_back({FilterToken::Kind::word, std::string(text.substr(start, at - start)), start + 1});
        } else {
            constexpr auto k_signs = std::to_array<std::string_view>(
                {"==", "!=", "!~", "<=", ">=", "&&", "||", "=", "<", ">", "~", "!", "(", ")"});
            const auto sign =
                std::ranges::find_if(k_signs, [&](auto each) { return text.substr(at).starts_with(each); });
            if (sign == k_signs.end())
                return fail(filter_error(
                    start + 1, fmt::format("{} means nothing here", json_quoted(text.substr(at, 1)))));
            at += sign->size();
            out.push_back({FilterToken::Kind::sign, std::string(*sign), start + 1});
        }
    }
    out.push_back({FilterToken::Kind::end, {}, text.size() + 1});
    return out;
}

constexpr auto k_subjects = std::to_array<std::pair<std::string_view, Subject>>({
    {"packet", Subject::packet},
    {"id", Subject::id},
    {"category", Subject::category},
    {"size", Subject::size},
    {"channel", Subject::channel},
    {"to", Subject::to},
    {"from", Subject::to},
    {"player", Subject::player},
    {"session", Subject::player},
    {"build", Subject::build},
});

constexpr auto k_compares = std::to_array<std::pair<std::string_view, Compare>>({
    {"=", Compare::equal},
    {"==", Compare::equal},
    {"!=", Compare::unequal},
    {"<", Compare::less},
    {"<=", Compare::at_most},
    {">", Compare::more},
    {">=", Compare::at_least},
    {"~", Compare::like},
    {"!~", Compare::unlike},
});

constexpr auto k_channel_names = std::to_array<std::string_view>({"default", "chunks", "worldmap", "voice"});

std::string small(std::string_view text) {
    std::string out(text);
    for (auto& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

FilterWord word_of(const FilterToken& token) {
    FilterWord word;
    word.text = token.text;
    word.pattern = small(token.text);
    word.is_quoted = token.kind == FilterToken::Kind::text;
    word.is_null = !word.is_quoted && word.text == "null";
    if (word.is_quoted) return word;
    const auto* end = word.text.data() + word.text.size();
    std::int64_t integer = 0;
    if (const auto [stop, fault] = std::from_chars(word.text.data(), end, integer);
        fault == std::errc() && stop == end)
        word.integer = integer;
    double number = 0;
    if (const auto [stop, fault] = std::from_chars(word.text.data(), end, number);
        fault == std::errc() && stop == end)
        word.number = number;
    return word;
}

/// Builds in the order in which they are asked for names: the usual one, then the newest first.
std::vector<const protocol::BuildInfo*> builds_to_ask() {
    std::vector<const protocol::BuildInfo*> out{protocol::find_build(protocol::k_default_build)};
    const auto all = protocol::builds();
    for (auto at = all.rbegin(); at != all.rend(); ++at)
        if (&*at != out.front()) out.push_back(&*at);
    return out;
}

class FilterParser {
public:
    explicit FilterParser(std::vector<FilterToken> tokens) : tokens_(std::move(tokens)) {}

    Result<FilterNode> parse() {
        if (now().kind == FilterToken::Kind::end)
            return fail(filter_error(1, "the filter is empty; try `packet = ChatMessage` or `size > 1000`"));
        TRY(auto root, any_of());
        if (now().kind != FilterToken::Kind::end)
            return fail(
                filter_error(now().column, fmt::format("expected `and`, `or` or the end, found {}", seen())));
        return root;
    }

private:
    [[nodiscard]] const FilterToken& now() const { return tokens_[at_]; }
    FilterToken take() { return tokens_[now().kind == FilterToken::Kind::end ? at_ : at_++]; }
    [[nodiscard]] std::string seen() const {
        return now().kind == FilterToken::Kind::end ? "the end" : json_quoted(now().text);
    }

    Result<FilterNode> any_of() { return chain(FilterNode::Kind::any, "or", "||"); }
    Result<FilterNode> all_of() { return chain(FilterNode::Kind::all, "and", "&&"); }

    Result<FilterNode> chain(FilterNode::Kind kind, std::string_view word, std::string_view sign) {
        const bool is_any = kind == FilterNode::Kind::any;
        TRY(auto first, is_any ? all_of() : one());
        if (!now().is(word) && !now().is(sign)) return first;
        FilterNode node{kind};
        node.parts.push_back(std::move(first));
        while (now().is(word) || now().is(sign)) {
            take();
            TRY(auto next, is_any ? all_of() : one());
            node.parts.push_back(std::move(next));
        }
        return node;
    }

    Result<FilterNode> one() {
        if (++depth_ > k_deepest_filter)
            return fail(
                filter_error(now().column, fmt::format("nested deeper than {} times", k_deepest_filter)));
        auto made = deeper();
        --depth_;
        return made;
    }

    Result<FilterNode> deeper() {
        if (now().is("not") || now().is("!")) {
            take();
            FilterNode node{FilterNode::Kind::no};
            TRY(auto inner, one());
            node.parts.push_back(std::move(inner));
            return node;
        }
        if (now().is("(")) {
            const auto open = take();
            TRY(auto inner, any_of());
            if (!now().is(")"))
                return fail(
                    filter_error(now().column, fmt::format("expected `)` for the one in column {}, found {}",
                                                           open.column, seen())));
            take();
            return inner;
        }
        return test();
    }

    Result<FilterNode> test() {
        if (now().kind != FilterToken::Kind::word)
            return fail(
                filter_error(now().column, fmt::format("expected a packet, a field or one of {}, found {}",
                                                       subject_names(), seen())));
        const auto subject = take();
        const auto known =
            std::ranges::find(k_subjects, subject.text, &std::pair<std::string_view, Subject>::first);
        FilterNode node;
        node.test.subject = known != k_subjects.end() ? known->second : Subject::field;
        if (node.test.subject == Subject::field) {
            TRY_DO(field(subject, node.test));
            return node;
        }
        if (node.test.subject == Subject::to) {
            TRY_DO(direction(subject.text == "from", node.test));
            return node;
        }
        const auto sign = now();
        if (!comparison(node.test.compare))
            return fail(filter_error(sign.column,
                                     fmt::format("expected a comparison such as = or > after {}, found {}",
                                                 subject.text, seen())));
        TRY(const auto word, operand(sign.text));
        node.test.word = word_of(word);
        TRY_DO(check_subject(subject.text, word, node.test));
        return node;
    }

    bool comparison(Compare& out) {
        const auto found =
            std::ranges::find(k_compares, now().text, &std::pair<std::string_view, Compare>::first);
        if (now().kind != FilterToken::Kind::sign || found == k_compares.end()) return false;
        take();
        out = found->second;
        return true;
    }

    Result<FilterToken> operand(std::string_view sign) {
        if (now().kind != FilterToken::Kind::word && now().kind != FilterToken::Kind::text)
            return fail(
                filter_error(now().column, fmt::format("expected a value after {}, found {}", sign, seen())));
        return take();
    }

    Result<void> direction(bool is_from, FilterTest& out) {
        out.compare = Compare::equal;
        const auto sign = now();
        if (comparison(out.compare) && out.compare != Compare::equal && out.compare != Compare::unequal)
            return fail(filter_error(sign.column, "directions can only be compared with = and !="));
        const auto side = now();
        if (side.text != "server" && side.text != "client")
            return fail(
                filter_error(side.column, fmt::format("expected server or client, found {}", seen())));
        take();
        out.word.text = is_from == (side.text == "server") ? "client" : "server";
        return {};
    }

    static Result<void> check_subject(std::string_view subject, const FilterToken& word,
                                      const FilterTest& test) {
        const bool is_order = test.compare == Compare::less || test.compare == Compare::at_most
                              || test.compare == Compare::more || test.compare == Compare::at_least;
        const bool is_text = test.subject == Subject::packet || test.subject == Subject::category
                             || test.subject == Subject::channel || test.subject == Subject::build;
        const bool is_like = test.compare == Compare::like || test.compare == Compare::unlike;
        if (is_text && is_order)
            return fail(
                filter_error(word.column, fmt::format("{} can be compared with =, !=, ~ and !~", subject)));
        if (!is_text && is_like)
            return fail(
                filter_error(word.column, fmt::format("{} is a number: use =, !=, <, <=, > or >=", subject)));
        if (!is_text && !test.word.number)
            return fail(filter_error(
                word.column, fmt::format("{} is a number, {} is none", subject, json_quoted(word.text))));
        if (is_like) return {};
        if (test.subject == Subject::packet && !test.word.integer)
            return check_packet(word.text, word.column);
        if (test.subject == Subject::channel
            && std::ranges::find(k_channel_names, test.word.pattern) == k_channel_names.end())
            return fail(filter_error(
                word.column, fmt::format("unknown channel {}; there are Default, Chunks, WorldMap and Voice",
                                         json_quoted(word.text))));
        if (test.subject == Subject::build && protocol::find_build(word.text) == nullptr
            && !test.word.integer) {
            std::vector<std::string_view> names;
            for (const auto& build : protocol::builds()) names.push_back(build.build);
            return fail(
                filter_error(word.column, fmt::format("unknown build {}; there are {}",
                                                      json_quoted(word.text), fmt::join(names, ", "))));
        }
        return {};
    }

    static std::string subject_names() {
        std::string out;
        for (const auto& [name, subject] : k_subjects) out += (out.empty() ? "" : ", ") + std::string(name);
        return out;
    }

    static Result<void> check_packet(std::string_view name, std::size_t column) {
        for (const auto* build : builds_to_ask())
            if (protocol::schema_of(*build).registry().find(name) != nullptr) return {};
        std::vector<std::string_view> names;
        for (const auto* build : builds_to_ask())
            for (const auto& packet : protocol::schema_of(*build).registry().packets())
                names.push_back(packet.name);
        std::ranges::sort(names); // most are in all builds
        names.erase(std::ranges::unique(names).begin(), names.end());
        for (const auto& [subject, kind] : k_subjects) names.push_back(subject);
        return fail(
            filter_error(column, fmt::format("unknown packet {}{}", name, did_you_mean(name, names))));
    }

    /// `ChatMessage`, `ChatMessage.message`, `*.networkId`, each alone or with a comparison.
    Result<void> field(const FilterToken& token, FilterTest& out) {
        TRY_DO(split_path(token, out));
        if (out.packet != "*") {
            TRY_DO(check_packet(out.packet, token.column));
        }
        const auto sign = now();
        if (comparison(out.compare)) {
            TRY(const auto word, operand(sign.text));
            out.word = word_of(word);
            if (out.path.empty())
                return fail(filter_error(
                    sign.column, fmt::format("a packet has no value: write {} alone, or {}.FIELD {} …",
                                             out.packet, out.packet, sign.text)));
        } else if (out.path.empty() && out.packet == "*") {
            return fail(filter_error(token.column, "* needs a field, such as *.networkId"));
        } else if (out.path.empty()) { // a packet alone
            out.subject = Subject::packet;
            out.compare = Compare::equal;
            out.word.text = out.packet;
            return {};
        }
        return check_path(sign, out);
    }

    static Result<void> split_path(const FilterToken& token, FilterTest& out) {
        const std::string_view text = token.text;
        const auto end_of_name = [&](std::size_t from) {
            return std::min(text.find_first_of(".[", from), text.size());
        };
        auto at = end_of_name(0);
        out.packet = text.substr(0, at);
        while (at < text.size()) {
            const auto column = token.column + at;
            if (out.path.size() == k_longest_path) return fail(filter_error(column, "this path is too long"));
            if (text[at] == '.') {
                const auto end = end_of_name(at + 1);
                FilterStep step{FilterStep::Kind::field, std::string(text.substr(at + 1, end - at - 1)),
                                column + 1};
                if (step.name.empty())
                    return fail(filter_error(column, "expected the name of a field after the dot"));
                if (step.name == "$type") step.kind = FilterStep::Kind::type;
                out.path.push_back(std::move(step));
                at = end;
                continue;
            }
            const auto close = text.find(']', at);
            if (close == std::string_view::npos)
                return fail(filter_error(column, "the bracket is not closed"));
            FilterStep step{FilterStep::Kind::element, std::string(text.substr(at + 1, close - at - 1)),
                            column};
            if (step.name.empty() || step.name == "*") step.kind = FilterStep::Kind::any;
            out.path.push_back(std::move(step));
            at = close + 1;
            if (at < text.size() && text[at] != '.' && text[at] != '[')
                return fail(filter_error(token.column + at, "expected a dot or a bracket after ]"));
        }
        return {};
    }

    /// A path must lead somewhere in one build at least, and to something that can be compared so.
    static Result<void> check_path(const FilterToken& sign, const FilterTest& test) {
        std::optional<FilterPath> nearest_path;
        std::string reason;
        for (const auto* build : builds_to_ask()) {
            const auto& schema = protocol::schema_of(*build);
            for (const auto& packet : schema.registry().packets()) {
                if (test.packet != "*" && packet.name != test.packet) continue;
                auto path = follow(*schema.packet(packet.id), test.path);
                if (!path.exists()) {
                    if (!nearest_path || path.bad_step > nearest_path->bad_step)
                        nearest_path = std::move(path);
                    continue;
                }
                if (path.is_type_name) return {};
                for (const auto* type : path.types) {
                    auto why = why_not(*type, test.compare, test.word);
                    if (why.empty()) return {};
                    if (reason.empty()) reason = std::move(why);
                }
            }
        }
        if (!reason.empty()) return fail(filter_error(sign.column, reason));
        const auto& step = test.path[nearest_path ? nearest_path->bad_step : 0];
        if (test.packet == "*")
            return fail(filter_error(step.column, fmt::format("no packet has a field {}", step.name)));
        auto& names = nearest_path->names;
        const auto near = did_you_mean(step.name, names);
        if (names.empty() || step.kind != FilterStep::Kind::field)
            return fail(
                filter_error(step.column, fmt::format("{} has nothing inside at this place", test.packet)));
        std::ranges::sort(names);
        return fail(filter_error(
            step.column,
            fmt::format("{} has no field {} here{}", test.packet, step.name,
                        near.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : near)));
    }

    std::vector<FilterToken> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

Result<Filter> Filter::parse(std::string_view text) {
    if (text.size() > k_longest_filter)
        return fail(Errc::usage, "a filter may have {} characters; this one has {}", k_longest_filter,
                    text.size());
    TRY(auto tokens, split_filter(text));
    TRY(auto root, FilterParser(std::move(tokens)).parse());
    Filter filter;
    filter.text_ = text;
    filter.root_ = std::make_shared<const FilterNode>(std::move(root));
    return filter;
}

} // namespace orbis::capture
