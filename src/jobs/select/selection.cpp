#include "jobs/select/selection.hpp"

#include <charconv>
#include <limits>

namespace orbis::jobs {
namespace {

using Kind = SelectionTerm::Kind;

constexpr std::int64_t k_least_block = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t k_most_block = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t k_largest_margin = 1 << 20;

/// Reads one term from its start.
class TermReader {
public:
    explicit TermReader(std::string_view text) : whole_(text), rest_(text) {}

    Result<SelectionTerm> read() {
        if (rest_.starts_with('!')) {
            term_.inverted = true;
            rest_.remove_prefix(1);
        }
        TRY_DO(take_margin());
        if (const auto colon = rest_.find(':'); colon != std::string_view::npos) {
            const auto word = rest_.substr(0, colon);
            rest_.remove_prefix(colon + 1);
            TRY_DO(read_place(word));
        } else if (!rest_.empty() && (rest_[0] == '-' || (rest_[0] >= '0' && rest_[0] <= '9'))) {
            TRY_DO(read_shape(1));
        } else {
            TRY_DO(read_word());
        }
        return term_;
    }

private:
    [[nodiscard]] std::unexpected<Error> refuse(std::string_view expected) const {
        return fail(
            error(Errc::usage, "expected {} in the selection {}, found {}", expected, whole_,
                  rest_.empty() ? "the end" : rest_)
                .at(static_cast<std::uint64_t>(rest_.data() - whole_.data()))
                .advise("such as 3,-4, blocks:0,0~500, region:-1,0 or inhabited+2; docs/selections.md "
                        "has them all"));
    }

    /// `+N` at the end.
    Result<void> take_margin() {
        const auto plus = rest_.rfind('+');
        if (plus == std::string_view::npos) return {};
        const auto digits = rest_.substr(plus + 1);
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return {};
        const auto shape = rest_.substr(0, plus);
        rest_ = digits;
        TRY(const auto margin, number(0, k_largest_margin));
        term_.margin = static_cast<std::int32_t>(margin);
        rest_ = shape;
        return {};
    }

    Result<std::int64_t> number(std::int64_t least, std::int64_t most) {
        std::int64_t value = 0;
        const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (code == std::errc::invalid_argument) return refuse("a whole number");
        if (code != std::errc() || value < least || value > most)
            return refuse(fmt::format("a number from {} to {}", least, most));
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }

    Result<void> sign(std::string_view text) {
        if (!rest_.starts_with(text)) return refuse(text);
        rest_.remove_prefix(text.size());
        return {};
    }

    Result<ChunkPos> pair(std::int64_t least, std::int64_t most) {
        TRY(const auto x, number(least, most));
        TRY_DO(sign(","));
        TRY(const auto z, number(least, most));
        return ChunkPos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)};
    }

    /// `X,Z`, `X1,Z1..X2,Z2` or `X,Z~R`, where a unit has `blocks` blocks.
    Result<void> read_shape(int blocks) {
        const bool in_blocks = blocks > 1;
        TRY(const auto first, pair(k_least_block, k_most_block));
        auto second = first;
        term_.kind = Kind::rectangle;
        if (rest_.starts_with('~')) {
            rest_.remove_prefix(1);
            TRY(const auto radius, number(0, k_most_block));
            term_.kind = in_blocks ? Kind::block_circle : Kind::chunk_circle;
            term_.block_circle = {{first.x, 0, first.z}, radius};
            term_.chunk_circle = {first, radius};
        } else if (rest_.starts_with('.')) {
            TRY_DO(sign(".."));
            TRY(second, pair(k_least_block, k_most_block));
        }
        if (!rest_.empty()) return refuse("the end, .. or ~");
        const auto chunk = [blocks](std::int32_t value) { return blocks > 1 ? value >> 5 : value; };
        term_.rectangle = {{chunk(std::min(first.x, second.x)), chunk(std::min(first.z, second.z))},
                           {chunk(std::max(first.x, second.x)), chunk(std::max(first.z, second.z))}};
        return {};
    }

    Result<void> read_place(std::string_view word) {
        if (word == "chunks") return read_shape(1);
        if (word == "blocks") return read_shape(k_side);
        if (word == "region") {
            TRY(const auto region, pair(k_least_block >> 5, k_most_block >> 5));
            if (!rest_.empty()) return refuse("the end");
            const RegionPos pos{region.x, region.z};
            term_.kind = Kind::rectangle;
            term_.rectangle = {pos.chunk(Slot{0}), pos.chunk(Slot{k_columns - 1})};
            return {};
        }
        if (word == "block") {
            if (rest_.empty()) return refuse("a block key");
            term_.kind = Kind::block;
            term_.key = rest_;
            return {};
        }
        rest_ = std::string_view(word.data(), word.size() + 1 + rest_.size());
        return refuse("chunks:, blocks:, region: or block:");
    }

    Result<void> read_word() {
        const auto tilde = rest_.find('~');
        const auto word = rest_.substr(0, tilde);
        if (word == "spawn" || word == "players") {
            term_.kind = word == "spawn" ? Kind::spawn : Kind::players;
            if (tilde == std::string_view::npos) return {};
            rest_.remove_prefix(tilde + 1);
            TRY(term_.radius, number(0, k_most_block));
            if (!rest_.empty()) return refuse("the end");
            return {};
        }
        constexpr std::pair<std::string_view, Kind> k_words[] = {
            {"all", Kind::all},
            {"containers", Kind::containers},
            {"benches", Kind::benches},
            {"beds", Kind::beds},
            {"placed", Kind::placed},
            {"entities", Kind::entities},
            {"inhabited", Kind::inhabited},
        };
        for (const auto& [name, kind] : k_words)
            if (rest_ == name) {
                term_.kind = kind;
                return {};
            }
        return refuse("coordinates, a place such as blocks:, or a word such as inhabited");
    }

    std::string_view whole_;
    std::string_view rest_;
    SelectionTerm term_;
};

constexpr std::string_view k_blanks = " \t\r\n";

/// Whether a text is a statement: `sql:SELECT …`, `!sql+2:SELECT …`.
bool is_statement(std::string_view text) {
    if (text.starts_with('!')) text.remove_prefix(1);
    return text.starts_with("sql:") || text.starts_with("sql+");
}

/// The margin stands before the colon: after a statement it could be a part of it.
Result<SelectionTerm> read_statement(std::string_view text) {
    SelectionTerm term;
    term.kind = Kind::statement;
    const auto colon = text.find(':');
    auto head = text.substr(0, colon);
    if (head.starts_with('!')) {
        term.inverted = true;
        head.remove_prefix(1);
    }
    head.remove_prefix(std::string_view("sql").size());
    if (head.starts_with('+')) {
        head.remove_prefix(1);
        const auto [end, code] = std::from_chars(head.data(), head.data() + head.size(), term.margin);
        if (head.empty() || head.front() == '-' || code != std::errc() || end != head.data() + head.size()
            || term.margin > k_largest_margin)
            return fail(
                error(Errc::usage, "{} is no margin; a whole number from 0 to {} is", head, k_largest_margin)
                    .advise("such as sql+2:SELECT x, z FROM chunks"));
    }
    if (colon != std::string_view::npos) term.statement = text.substr(colon + 1);
    if (term.statement.find_first_not_of(k_blanks) == std::string::npos)
        return fail(error(Errc::usage, "there is no statement after sql")
                        .advise("give one with two columns, such as sql:SELECT x, z FROM chunks"));
    return term;
}

Result<void> add_terms(std::string_view text, std::vector<SelectionTerm>& out) {
    text.remove_prefix(std::min(text.find_first_not_of(k_blanks), text.size()));
    if (is_statement(text)) {
        TRY(auto term, read_statement(text));
        out.push_back(std::move(term));
        return {};
    }
    while (true) {
        const auto first = text.find_first_not_of(k_blanks);
        if (first == std::string_view::npos) return {};
        text.remove_prefix(first);
        const auto length = std::min(text.find_first_of(k_blanks), text.size());
        if (is_statement(text))
            return fail(error(Errc::usage, "a statement cannot stand behind other terms")
                            .advise("give the option again, with the statement alone: --chunks 'sql:SELECT "
                                    "x, z FROM chunks'"));
        TRY(auto term, TermReader(text.substr(0, length)).read());
        out.push_back(std::move(term));
        text.remove_prefix(length);
    }
}

} // namespace

Result<Selection> Selection::parse(std::string_view text) { return parse(std::vector{std::string(text)}); }

Result<Selection> Selection::parse(const std::vector<std::string>& texts) {
    Selection selection;
    for (const auto& text : texts) TRY_DO(add_terms(text, selection.terms_));
    if (selection.empty())
        return fail(error(Errc::usage, "expected a selection of chunks, found nothing")
                        .advise("such as 3,-4, blocks:0,0~500 or inhabited+2; all for every chunk"));
    return selection;
}

chunk::Parts Selection::parts() const {
    chunk::Parts parts;
    for (const auto& term : terms_) {
        if (term.kind == Kind::block) parts = parts | chunk::k_blocks;
        if (term.kind == Kind::entities) parts = parts | chunk::k_entities;
        if (term.needs_chunks() && term.kind != Kind::block && term.kind != Kind::entities)
            parts = parts | chunk::k_block_components;
    }
    return parts;
}

bool matches_wildcard(std::string_view pattern, std::string_view text) {
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    std::size_t p = 0;
    std::size_t t = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) { // let the last * take one more
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

} // namespace orbis::jobs
