#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::test {

/// A folder of protocol vectors beside the checkout: empty where there is none. `kind` is empty for encoded
/// packets, "negative-" for damaged ones, "frames" for frames; `folder` is "vectors" or "vectors-BUILD".
/// Each line is one JSON object.
std::vector<std::string> vector_lines(std::string_view folder, std::string_view kind);

} // namespace orbis::test
