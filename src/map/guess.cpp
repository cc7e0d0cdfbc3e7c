#include "map/guess.hpp"

#include "bytes/fnv.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace orbis::map {

namespace {

using world::Colour;

/// A word of a name and the colour it stands for. Of several in a name, the one that comes first in the
/// table wins, so what tells most stands first.
struct Word {
    std::string_view word; ///< lower case; also matches with an `s` after it
    Colour colour;
};

constexpr std::array<Word, 74> k_block_words{{
    // colours
    {"red", {190, 45, 40}},
    {"crimson", {160, 25, 45}},
    {"orange", {224, 122, 36}},
    {"yellow", {228, 196, 58}},
    {"lime", {130, 200, 50}},
    {"green", {76, 140, 52}},
    {"cyan", {50, 165, 175}},
    {"teal", {40, 130, 125}},
    {"blue", {52, 88, 190}},
    {"azure", {80, 150, 220}},
    {"purple", {128, 62, 170}},
    {"violet", {128, 62, 170}},
    {"magenta", {190, 70, 170}},
    {"pink", {230, 140, 170}},
    {"white", {232, 232, 228}},
    {"black", {36, 36, 40}},
    {"gray", {128, 128, 128}},
    {"grey", {128, 128, 128}},
    {"brown", {112, 76, 46}},
    // what is more special than the material around it
    {"gold", {238, 196, 70}},
    {"silver", {190, 196, 204}},
    {"copper", {190, 110, 70}},
    {"bronze", {165, 110, 60}},
    {"iron", {170, 165, 160}},
    {"steel", {140, 146, 152}},
    {"cobalt", {62, 85, 120}},
    {"coal", {48, 46, 46}},
    {"ruby", {200, 30, 60}},
    {"emerald", {40, 180, 90}},
    {"sapphire", {40, 80, 200}},
    {"diamond", {120, 220, 225}},
    {"crystal", {150, 200, 230}},
    {"glass", {190, 220, 230}},
    {"lava", {249, 78, 17}},
    {"magma", {170, 60, 25}},
    {"volcanic", {70, 52, 50}},
    {"water", {50, 110, 190}},
    {"ice", {160, 200, 235}},
    {"snow", {238, 243, 248}},
    {"leaves", {70, 115, 45}},
    {"leaf", {70, 115, 45}},
    {"moss", {95, 125, 55}},
    {"grass", {100, 150, 60}},
    {"fern", {80, 130, 55}},
    {"vine", {70, 115, 45}},
    {"bush", {75, 120, 50}},
    {"flower", {200, 120, 150}},
    {"mushroom", {170, 120, 100}},
    {"crop", {170, 160, 70}},
    {"wheat", {210, 185, 90}},
    {"hay", {205, 175, 75}},
    {"sapling", {90, 135, 60}},
    {"plant", {85, 135, 55}},
    {"wood", {134, 98, 58}},
    {"plank", {160, 120, 75}},
    {"trunk", {105, 78, 50}},
    {"log", {105, 78, 50}},
    {"branch", {105, 78, 50}},
    {"sandstone", {205, 180, 125}},
    {"sand", {220, 200, 145}},
    {"clay", {160, 115, 95}},
    {"mud", {95, 75, 58}},
    {"dirt", {115, 85, 58}},
    {"soil", {115, 85, 58}},
    {"gravel", {125, 120, 115}},
    {"brick", {150, 85, 70}},
    {"marble", {222, 218, 210}},
    {"basalt", {66, 66, 70}},
    {"slate", {84, 90, 98}},
    {"shale", {88, 88, 96}},
    {"stone", {128, 126, 122}},
    {"rock", {128, 126, 122}},
    {"bone", {220, 212, 190}},
    {"cloth", {200, 190, 180}},
}};

constexpr std::array<Word, 40> k_environment_words{{
    {"void", {44, 36, 60}},        {"oasis", {60, 175, 140}},      {"desert", {226, 196, 122}},
    {"savanna", {196, 180, 84}},   {"scrub", {176, 150, 88}},      {"plateau", {198, 124, 74}},
    {"scarak", {150, 110, 50}},    {"feran", {214, 156, 90}},      {"volcanic", {150, 52, 36}},
    {"volcanoe", {170, 58, 36}},   {"volcano", {170, 58, 36}},     {"crucible", {205, 85, 40}},
    {"waste", {120, 90, 104}},     {"jungle", {38, 140, 60}},      {"sewer", {92, 104, 66}},
    {"swamp", {94, 112, 72}},      {"glacial", {176, 214, 236}},   {"tundra", {190, 200, 190}},
    {"hedera", {70, 110, 66}},     {"mountain", {150, 146, 142}},  {"forest", {56, 118, 58}},
    {"autumn", {208, 120, 48}},    {"azure", {70, 140, 200}},      {"plain", {136, 190, 82}},
    {"shore", {232, 214, 160}},    {"graveyard", {98, 98, 112}},   {"kweebec", {120, 200, 110}},
    {"trork", {150, 90, 90}},      {"outlander", {110, 130, 170}}, {"goblin", {110, 150, 70}},
    {"spider", {110, 80, 130}},    {"rat", {140, 120, 100}},       {"dungeon", {120, 80, 150}},
    {"temple", {200, 170, 220}},   {"tower", {150, 110, 200}},     {"mineshaft", {130, 104, 80}},
    {"encounter", {210, 90, 110}}, {"portal", {190, 90, 210}},     {"cold", {96, 140, 190}},
    {"warm", {60, 150, 190}},
}};

constexpr std::array<std::string_view, 13> k_plant_words{"leaves", "leaf",    "wood", "trunk",    "log",
                                                         "branch", "plank",   "vine", "mushroom", "plant",
                                                         "bush",   "sapling", "fern"};

/// The colours are part of the format, so the hash must never change.
std::uint32_t hash_of(std::string_view text) {
    const auto hash = fnv1a_32(text);
    return hash ^ hash >> 15;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || static_cast<std::uint8_t>(c) >= 128; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// Calls `visit(word)` for the words of a key: `Rock_StoneBrick` has Rock, Stone and Brick.
template <typename Visit>
void for_each_word(std::string_view key, Visit&& visit) {
    for (std::size_t i = 0; i < key.size();) {
        if (!is_letter(key[i])) {
            ++i;
            continue;
        }
        auto end = i + 1;
        while (end < key.size() && is_letter(key[end]) && !(is_upper(key[end]) && !is_upper(key[end - 1])))
            ++end;
        visit(key.substr(i, end - i));
        i = end;
    }
}

bool matches(std::string_view text, std::string_view word) {
    if (text.size() == word.size() + 1 && lower(text.back()) == 's') text.remove_suffix(1);
    return std::ranges::equal(text, word, {}, lower);
}

/// The colour of the foremost word of the table that the key has; null if it has none.
const Colour* find_word(std::string_view key, std::span<const Word> words) {
    const Word* best = nullptr;
    for_each_word(key, [&](std::string_view text) {
        for (const auto& word :
             words.first(best == nullptr ? words.size() : static_cast<std::size_t>(best - words.data())))
            if (matches(text, word.word)) {
                best = &word;
                break;
            }
    });
    return best == nullptr ? nullptr : &best->colour;
}

std::uint8_t clamp_channel(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

/// A little lighter or darker and of another hue, so that two names with the same word can be told apart.
Colour varied(Colour colour, std::uint32_t hash) {
    const auto step = [&](unsigned shift) { return static_cast<int>(hash >> shift & 15) - 8; };
    const int all = step(0);
    return {clamp_channel(colour.red + all + step(4)), clamp_channel(colour.green + all + step(8)),
            clamp_channel(colour.blue + all + step(12))};
}

/// Any hue, of middling brightness, so that it neither shines nor vanishes.
Colour from_hash(std::uint32_t hash) {
    const int hue = static_cast<int>(hash % 360);
    const int high = 150 + static_cast<int>(hash >> 9 & 63);
    const int low = 50 + static_cast<int>(hash >> 15 & 63);
    const int part = hue % 60;
    const int up = low + (high - low) * part / 60;
    const int down = high - (high - low) * part / 60;
    const auto colour = [](int r, int g, int b) {
        return Colour{clamp_channel(r), clamp_channel(g), clamp_channel(b)};
    };
    switch (hue / 60) {
    case 0: return colour(high, up, low);
    case 1: return colour(down, high, low);
    case 2: return colour(low, high, up);
    case 3: return colour(low, down, high);
    case 4: return colour(up, low, high);
    default: return colour(high, low, down);
    }
}

bool has_word(std::string_view key, std::string_view wanted) {
    bool found = false;
    for_each_word(key, [&](std::string_view text) { found = found || matches(text, wanted); });
    return found;
}

} // namespace

std::string_view base_of_state(std::string_view key) {
    if (!key.starts_with('*')) return key;
    key.remove_prefix(std::min(key.find_first_not_of('*'), key.size()));
    return key.substr(0, key.find("_State_Definitions_"));
}

Colour guess_block_colour(std::string_view key) {
    const auto base = base_of_state(key);
    const auto hash = hash_of(base);
    const auto* word = find_word(base, k_block_words);
    return word == nullptr ? from_hash(hash) : varied(*word, hash);
}

Colour environment_colour(std::string_view key) {
    const auto hash = hash_of(key);
    if (key.empty() || key == "Unknown" || key == "Default") return {128, 128, 128};
    const auto* word = find_word(key, k_environment_words);
    auto colour = word == nullptr ? from_hash(hash) : varied(*word, hash);
    if (has_word(key, "cave") || has_word(key, "underground")) // the same land below the ground
        colour = {static_cast<std::uint8_t>(colour.red * 5 / 8),
                  static_cast<std::uint8_t>(colour.green * 5 / 8),
                  static_cast<std::uint8_t>(colour.blue * 5 / 8)};
    return colour;
}

bool names_a_plant(std::string_view key) {
    bool found = false;
    for_each_word(key, [&](std::string_view text) {
        for (const auto word : k_plant_words) found = found || matches(text, word);
    });
    return found;
}

} // namespace orbis::map
