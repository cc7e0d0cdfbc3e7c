#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbis::app {

/// Text in lines of at most `width` characters, broken at blanks. Lines that begin with a blank stay as they
/// are: examples and tables. All lines but the first begin with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

/// `region or rocksdb`, `rsa, ecdsa or ed25519`.
std::string either(const std::vector<std::string>& words);

} // namespace orbis::app
