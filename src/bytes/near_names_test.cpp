#include "bytes/near_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace orbis {
namespace {

const std::vector<std::string_view> k_names{"Rock_Stone", "Rock_Stone_Cobble", "Soil_Dirt", "--json"};

TEST(NearNames, OneOrTwoWrongLettersAreForgiven) {
    EXPECT_EQ(nearest("Rock_Stoen", k_names), "Rock_Stone");
    EXPECT_EQ(nearest("Soil_Drt", k_names), "Soil_Dirt");
    EXPECT_EQ(nearest("--jsn", k_names), "--json");
}

TEST(NearNames, TwoLettersInTheWrongOrderAreOneMistake) {
    EXPECT_EQ(nearest("Pign", {"Pong", "Ping", "Sign"}), "Ping");
    EXPECT_EQ(nearest("verfiy", {"verify"}), "verify");
    EXPECT_EQ(nearest("nigp", {"ping"}), "") << "only with the next letter";
    EXPECT_EQ(nearest("qeqrfy", {"verify"}), "") << "and only with each other";
}

TEST(NearNames, CaseDoesNotMatter) {
    EXPECT_EQ(nearest("rock_stone", k_names), "Rock_Stone");
    EXPECT_EQ(nearest("ROCK_STONE_COBBLE", k_names), "Rock_Stone_Cobble");
}

TEST(NearNames, WhatIsFarFromEveryNameHasNoneNear) {
    EXPECT_EQ(nearest("Wood_Oak", k_names), "");
    EXPECT_EQ(nearest("", k_names), "");
    EXPECT_EQ(nearest("x", k_names), "");
    EXPECT_EQ(nearest(std::string(100'000, 'R'), k_names), "");
    EXPECT_EQ(nearest("Rock_Stone", {}), "");
}

TEST(NearNames, AWordMayHaveSixtyFourLetters) {
    const std::string word(64, 'R');
    const auto near = word + "S";
    EXPECT_EQ(nearest(word, {near}), near);
    EXPECT_EQ(nearest(near, {word}), "");
}

TEST(NearNames, ANameItselfHasNoOtherNearIt) { EXPECT_EQ(nearest("Soil_Dirt", k_names), ""); }

TEST(NearNames, TheNearestOfSeveralIsTaken) {
    EXPECT_EQ(nearest("abce", {"abcde", "abce_", "abcf"}), "abcde");
    EXPECT_EQ(nearest("abcd", {"abxx", "abcx"}), "abcx");
}

TEST(NearNames, TheQuestionCanBeAppendedToASentence) {
    EXPECT_EQ(did_you_mean("Rock_Ston", k_names), "; did you mean Rock_Stone?");
    EXPECT_EQ(did_you_mean("Glass", k_names), "");
}

} // namespace
} // namespace orbis
