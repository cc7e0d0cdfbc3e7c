#include "app/history_file.hpp"

#include "bytes/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_most_remembered = 1000;
constexpr std::size_t k_longest_remembered = 10'000;
constexpr std::size_t k_largest_history = 4 << 20;

fs::path history_folder() {
    // Relative paths in the variable are to be ignored, says the XDG base directory specification.
    if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && fs::path(state).is_absolute())
        return fs::path(state) / "orbis";
    if (const char* home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute())
        return fs::path(home) / ".local" / "state" / "orbis";
    return {};
}

/// Only what is a file: a device or a pipe would keep us waiting.
Descriptor open_file(const fs::path& path, int flags) {
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    struct stat status{};
    if (file && (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))) return {};
    return file;
}

bool write_all(const Descriptor& file, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(file.number(), text.data(), text.size());
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string read_all(const Descriptor& file) {
    std::string text;
    std::array<char, 65536> part{};
    while (text.size() < k_largest_history) {
        const auto count = ::read(file.number(), part.data(), part.size());
        if (count <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(count));
    }
    return text;
}

} // namespace

HistoryFile::HistoryFile(const char* name) {
    const auto folder = history_folder();
    std::error_code problem;
    if (folder.empty()) return;
    fs::create_directories(folder.parent_path(), problem);
    if (::mkdir(folder.c_str(), S_IRWXU) == 0 || fs::is_directory(folder, problem)) path_ = folder / name;
}

std::vector<std::string> HistoryFile::load() const {
    if (path_.empty()) return {};
    const auto file = open_file(path_, O_RDONLY);
    if (!file) return {};
    const auto text = read_all(file);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        if (end > at && end - at <= k_longest_remembered && text.find('\0', at) >= end)
            lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    if (lines.size() <= k_most_remembered) return lines;
    const bool is_long = lines.size() > 2 * k_most_remembered || text.size() >= k_largest_history;
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(k_most_remembered));
    if (!is_long) return lines;
    std::string kept;
    for (const auto& line : lines) kept += line + '\n';
    auto growing = path_;
    growing += ".new";
    ::unlink(growing.c_str());
    const auto out = open_file(growing, O_WRONLY | O_CREAT | O_EXCL);
    if (out && write_all(out, kept)) ::rename(growing.c_str(), path_.c_str());
    return lines;
}

void HistoryFile::add(std::string line) const {
    if (path_.empty() || line.size() > k_longest_remembered) return;
    std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
    // Several prompts may be open at once: each adds its lines at the end.
    const auto file = open_file(path_, O_WRONLY | O_CREAT | O_APPEND);
    if (!file) return;
    ::fchmod(file.number(), S_IRUSR | S_IWUSR);
    write_all(file, line + '\n');
}

} // namespace orbis::app
