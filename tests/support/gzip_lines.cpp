#include "support/gzip_lines.hpp"

#include <array>
#include <stdexcept>
#include <zlib.h>

namespace orbis::test {

std::vector<std::string> gzip_lines(const std::filesystem::path& file) {
    gzFile opened = gzopen(file.c_str(), "rb");
    if (opened == nullptr) throw std::runtime_error("cannot open " + file.string());
    std::string text;
    std::array<char, 65536> part{};
    int got = 0;
    while ((got = gzread(opened, part.data(), part.size())) > 0)
        text.append(part.data(), static_cast<std::size_t>(got));
    gzclose(opened);
    if (got < 0) throw std::runtime_error("cannot read " + file.string());

    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const auto end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

} // namespace orbis::test
