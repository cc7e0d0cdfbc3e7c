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

/// Whether a condition can be asked of counts in the same words: it has nothing but these columns, and does
/// not name air, of which `blocks` has rows only then.
bool fits_counts(const Token& token) {
    static constexpr std::array<std::string_view, 12> k_words{
        "key", "world", "chunk_x", "chunk_z", "and", "or", "not", "in", "glob", "like", "between", "is"};
    if (token.kind == Token::Kind::word) return std::ranges::find(k_words, token.lower) != k_words.end();
    return token.spelling != "'Empty'" && token.spelling != ";";
}

} // namespace

std::optional<std::string> count_by_sections(std::string_view sql) {
    const auto found = tokens_of(sql);
    if (!found) return std::nullopt;
    Tokens tokens(*found);
    if (!tokens.take_word("select")) return std::nullopt;
    const bool is_grouped = tokens.take_word("key");
    if (is_grouped && !tokens.take_sign(",")) return std::nullopt;
    if (!tokens.take_word("count") || !tokens.take_sign("(") || !tokens.take_sign("*")
        || !tokens.take_sign(")") || !tokens.take_word("from"))
        return std::nullopt;
    const bool of_blocks = tokens.take_word("blocks");
    if (!of_blocks && !tokens.take_word("fluids")) return std::nullopt;
    std::string argument;
    if (tokens.take_sign("(")) {
        if (tokens.at_end() || tokens.peek().kind != Token::Kind::text) return std::nullopt;
        argument = fmt::format("({})", tokens.take().spelling);
        if (!tokens.take_sign(")")) return std::nullopt;
    }
    std::string condition;
    if (tokens.take_word("where")) {
        while (!tokens.at_end() && tokens.peek().lower != "group") {
            const auto& token = tokens.take();
            if (!fits_counts(token)) return std::nullopt;
            // Signs of two characters are in two tokens: they stay together.
            const bool is_sign = token.kind == Token::Kind::sign;
            const bool joins = is_sign && (token.spelling == "=" || token.spelling == ">")
                               && !condition.empty()
                               && std::string_view("<>!=").find(condition.back()) != std::string_view::npos;
            if (!condition.empty() && !joins) condition += ' ';
            condition += token.spelling;
        }
        if (condition.empty()) return std::nullopt;
    }
    if (is_grouped != (tokens.take_word("group") && tokens.take_word("by") && tokens.take_word("key")))
        return std::nullopt;
    if (!tokens.at_end()) return std::nullopt;
    return fmt::format("SELECT {}coalesce(sum(cells), 0) AS \"count(*)\" FROM {}{} WHERE {}key <> 'Empty'{}",
                       is_grouped ? "key, " : "", of_blocks ? "block_counts" : "fluid_counts", argument,
                       condition.empty() ? "" : fmt::format("({}) AND ", condition),
                       is_grouped ? " GROUP BY key" : "");
}

} // namespace orbis::query
