#include "query/count_rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace orbis::query {
namespace {

/// A word, a number, a text in single quotes or a sign. Anything else ends the attempt.
struct Token {
    enum class Kind : std::uint8_t { word, number, text, sign };
    Kind kind;
    std::string_view spelling;
    std::string lower;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<std::vector<Token>> tokens_of(std::string_view sql) {
    std::vector<Token> found;
    constexpr std::size_t k_most_tokens = 1000;
    for (std::size_t at = 0; at < sql.size();) {
        const char c = sql[at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at;
            continue;
        }
        auto end = at + 1;
        auto kind = Token::Kind::sign;
        if (is_letter(c)) {
            kind = Token::Kind::word;
            while (end < sql.size() && (is_letter(sql[end]) || is_digit(sql[end]))) ++end;
        } else if (is_digit(c)) {
            kind = Token::Kind::number;
            while (end < sql.size() && is_digit(sql[end])) ++end;
        } else if (c == '\'') {
            kind = Token::Kind::text;
            while (end < sql.size() && (sql[end] != '\'' || (end + 1 < sql.size() && sql[end + 1] == '\'')))
                end += sql[end] == '\'' ? 2U : 1U;
            if (end >= sql.size()) return std::nullopt;
            ++end;
        } else if (std::string_view("()*,=<>!-;").find(c) == std::string_view::npos) {
            return std::nullopt;
        }
        Token token{kind, sql.substr(at, end - at), {}};
        if (kind == Token::Kind::word) {
            token.lower = token.spelling;
            std::ranges::transform(token.lower, token.lower.begin(), [](char letter) {
                return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
            });
        }
        found.push_back(std::move(token));
        if (found.size() > k_most_tokens) return std::nullopt;
        at = end;
    }
    while (!found.empty() && found.back().spelling == ";") found.pop_back();
    return found;
}

/// Reads tokens one after another.
class Tokens {
public:
    explicit Tokens(const std::vector<Token>& tokens) : tokens_(tokens) {}

    [[nodiscard]] bool at_end() const { return at_ == tokens_.size(); }
    [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
    const Token& take() { return tokens_[at_++]; }
    bool take_word(std::string_view word) {
        if (at_end() || peek().kind != Token::Kind::word || peek().lower != word) return false;
        ++at_;
        return true;
    }
    bool take_sign(std::string_view sign) {
        if (at_end() || peek().kind != Token::Kind::sign || peek().spelling != sign) return false;
        ++at_;
        return true;
    }

private:
    const std::vector<Token>& tokens_;
    std::size_t at_ = 0;
};

/// The table after FROM, with its argument.
struct Source {
    const Token* name = nullptr;
    std::string argument; ///< such as `('backup.zip')`; empty for none
};

std::optional<Source> read_source(Tokens& tokens, std::string_view one, std::string_view other) {
    if (!tokens.take_word("from") || tokens.at_end()) return std::nullopt;
    Source source{&tokens.peek(), {}};
    if (!tokens.take_word(one) && !tokens.take_word(other)) return std::nullopt;
    if (tokens.take_sign("(")) {
        if (tokens.at_end() || tokens.peek().kind != Token::Kind::text) return std::nullopt;
        source.argument = fmt::format("({})", tokens.take().spelling);
        if (!tokens.take_sign(")")) return std::nullopt;
    }
    return source;
}

/// A condition that has nothing but columns that counts have too.
struct Condition {
    std::string text;       ///< empty where there is none
    bool of_chunks = false; ///< it looks at positions: totals of the world do not have them
    bool has_or = false; ///< SQLite may ask for its sides one by one, and then tells rows apart by their key
    bool names_air = false;
};

std::optional<Condition> read_condition(Tokens& tokens) {
    static constexpr std::array<std::string_view, 12> k_words{
        "key", "world", "chunk_x", "chunk_z", "and", "or", "not", "in", "glob", "like", "between", "is"};
    Condition found;
    if (!tokens.take_word("where")) return found;
    while (!tokens.at_end() && tokens.peek().lower != "group" && tokens.peek().lower != "order"
           && tokens.peek().lower != "limit") {
        const auto& token = tokens.take();
        if (token.kind == Token::Kind::word && std::ranges::find(k_words, token.lower) == k_words.end())
            return std::nullopt;
        if (token.spelling == ";") return std::nullopt;
        found.names_air = found.names_air || token.spelling == "'Empty'";
        found.of_chunks = found.of_chunks || token.lower == "chunk_x" || token.lower == "chunk_z";
        found.has_or = found.has_or || token.lower == "or";
        // Signs of two characters are in two tokens: they stay together.
        const bool joins = token.kind == Token::Kind::sign && (token.spelling == "=" || token.spelling == ">")
                           && !found.text.empty()
                           && std::string_view("<>!=").find(found.text.back()) != std::string_view::npos;
        if (!found.text.empty() && !joins) found.text += ' ';
        found.text += token.spelling;
    }
    if (found.text.empty()) return std::nullopt;
    return found;
}

/// `SELECT [key,] count(*) FROM blocks …`
std::optional<std::string> count_of_cells(Tokens tokens) {
    const bool is_grouped = tokens.take_word("key");
    if (is_grouped && !tokens.take_sign(",")) return std::nullopt;
    if (!tokens.take_word("count") || !tokens.take_sign("(") || !tokens.take_sign("*")
        || !tokens.take_sign(")"))
        return std::nullopt;
    const auto source = read_source(tokens, "blocks", "fluids");
    if (!source) return std::nullopt;
    const auto condition = read_condition(tokens);
    // Of air there are rows only where it is named.
    if (!condition || condition->names_air) return std::nullopt;
    if (is_grouped != (tokens.take_word("group") && tokens.take_word("by") && tokens.take_word("key")))
        return std::nullopt;
    if (!tokens.at_end()) return std::nullopt;
    const bool in_total = !condition->of_chunks && !condition->has_or;
    return fmt::format(
        "SELECT {}coalesce(sum(cells), 0) AS \"count(*)\" FROM {}{}{} WHERE {}key <> 'Empty'{}",
        is_grouped ? "key, " : "", source->name->lower == "blocks" ? "block" : "fluid",
        in_total ? "_totals" : "_counts", source->argument,
        condition->text.empty() ? "" : fmt::format("({}) AND ", condition->text),
        is_grouped ? " GROUP BY key" : "");
}

/// The columns `key`, `world` and `sum(cells)`, with other names if wished: whether the first two are there.
struct Columns {
    bool key = false;
    bool world = false;
};

std::optional<Columns> read_columns(Tokens& tokens) {
    Columns found;
    do {
        if (tokens.take_word("key")) {
            found.key = true;
        } else if (tokens.take_word("world")) {
            found.world = true;
        } else if (!tokens.take_word("sum") || !tokens.take_sign("(") || !tokens.take_word("cells")
                   || !tokens.take_sign(")")) {
            return std::nullopt;
        } else if (tokens.take_word("as")) {
            if (tokens.at_end() || tokens.peek().kind != Token::Kind::word) return std::nullopt;
            tokens.take();
        }
    } while (tokens.take_sign(","));
    return found;
}

/// Whether what is left is an order and a limit that look at nothing but these columns.
bool ends_in_order(Tokens& tokens) {
    static constexpr std::array<std::string_view, 10> k_refused{
        "select", "union", "except", "intersect", "having", "count", "section", "chunk_x", "chunk_z", "path"};
    bool after_sum = false;
    while (!tokens.at_end()) {
        const auto& token = tokens.take();
        if (token.kind == Token::Kind::text || token.spelling == ";"
            || std::ranges::find(k_refused, token.lower) != k_refused.end()
            || (token.spelling == "(" && !after_sum))
            return false;
        after_sum = token.lower == "sum";
    }
    return true;
}

/// `SELECT key, sum(cells) FROM block_counts … GROUP BY key …`: the same with another table.
std::optional<std::string> sum_of_counts(std::string_view sql, Tokens tokens) {
    const auto columns = read_columns(tokens);
    if (!columns) return std::nullopt;
    const auto source = read_source(tokens, "block_counts", "fluid_counts");
    if (!source) return std::nullopt;
    const auto condition = read_condition(tokens);
    if (!condition || condition->of_chunks || condition->has_or) return std::nullopt;
    Columns grouped;
    if (tokens.take_word("group")) {
        if (!tokens.take_word("by")) return std::nullopt;
        do {
            if (tokens.take_word("key"))
                grouped.key = true;
            else if (tokens.take_word("world"))
                grouped.world = true;
            else
                return std::nullopt;
        } while (tokens.take_sign(","));
    }
    if ((columns->key && !grouped.key) || (columns->world && !grouped.world)) return std::nullopt;
    if (!tokens.at_end() && (tokens.peek().lower != "order" && tokens.peek().lower != "limit"))
        return std::nullopt;
    if (!ends_in_order(tokens)) return std::nullopt;
    const auto at = static_cast<std::size_t>(source->name->spelling.data() - sql.data());
    return fmt::format("{}{}{}", sql.substr(0, at),
                       source->name->lower == "block_counts" ? "block_totals" : "fluid_totals",
                       sql.substr(at + source->name->spelling.size()));
}

} // namespace

std::optional<std::string> quicker_count(std::string_view sql) {
    const auto found = tokens_of(sql);
    if (!found) return std::nullopt;
    Tokens tokens(*found);
    if (!tokens.take_word("select")) return std::nullopt;
    if (auto quicker = count_of_cells(tokens)) return quicker;
    return sum_of_counts(sql, tokens);
}

} // namespace orbis::query
