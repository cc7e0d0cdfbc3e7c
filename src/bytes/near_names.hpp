#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbis {

/// The name that somebody most likely meant who wrote `word`; empty where none is close. Upper and lower case
/// count as the same, so that `rock_stone` finds `Rock_Stone`; among equally near names the first is taken.
/// The result is one of `names`. A word that is itself a name has no near name.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names);

/// `; did you mean Rock_Stone?` to append to a sentence; empty where no name is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

} // namespace orbis
