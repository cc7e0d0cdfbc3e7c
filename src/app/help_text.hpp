#pragma once

#include "app/parameters.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orbis::app {

/// Text in lines of at most `width` characters, broken at blanks. Lines that begin with a blank stay as they
/// are: examples and tables. All lines but the first begin with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

/// `region or rocksdb`, `rsa, ecdsa or ed25519`.
std::string either(const std::vector<std::string>& words);

/// What `orbis VERB --help` and `orbis help VERB` print.
std::string help_of(const VerbText& verb);

/// What `orbis --help` and `orbis help` print.
std::string help_of_program();

/// The exit codes of verbs that have none of their own.
extern const char* const k_exit_codes;

/// What the program is, and the options that it has without a verb.
extern const char* const k_program_summary;
const std::vector<Parameter>& program_options();

} // namespace orbis::app
