#include "jobs/convert/copy_tree.hpp"

#include "bytes/copy_file.hpp"
#include "bytes/inner_path.hpp"

#include <algorithm>
#include <iterator>

namespace orbis::jobs {

namespace {

namespace fs = std::filesystem;
using storage::Folder;

/// Of folders in one another. A world has five.
constexpr int k_deepest_copy = 100;

/// Makes the folder and those above it that are missing, one after another.
Result<void> make_folders(const fs::path& target, const std::string& path,
                          std::optional<fs::perms> permissions) {
    TRY_DO(inner_folder(target, path));
    auto at = target;
    const fs::path steps(path);
    for (auto part = steps.begin(); part != steps.end(); ++part) {
        at /= *part;
        TRY_DO(copy_folder(at, std::next(part) == steps.end() ? permissions : std::nullopt));
    }
    return {};
}

class TreeCopy {
public:
    TreeCopy(const fs::path& target, ConvertReport& report) : target_(target), report_(report) {}

    Result<void> folder(const Folder& from, const std::string& path,
                        const std::vector<std::string_view>& except, int depth) {
        TRY(const auto entries, from.list());
        TRY_DO(make_folders(target_, path, from.permissions()));
        for (const auto& entry : entries) {
            if (std::ranges::find(except, entry.name) != except.end()) continue;
            const auto below = path.empty() ? entry.name : path + "/" + entry.name;
            if (!entry.is_folder) {
                other(from, entry, below);
            } else if (depth == k_deepest_copy) {
                miss(error(Errc::too_deep, "folders are nested more than {} levels deep", k_deepest_copy)
                         .in_file(from.shown(entry.name))
                         .advise("move this folder out of the world"));
            } else {
                TRY_DO(folder(from.sub(entry.name), below, {}, depth + 1));
            }
        }
        return {};
    }

private:
    void other(const Folder& from, const storage::TreeEntry& entry, const std::string& below) {
        if (entry.is_special) {
            report_.problems.push_back(
                error(Errc::unknown_kind, "not copied: this is a device, a pipe or a socket, not a file")
                    .in_file(from.shown(entry.name)));
            return;
        }
        auto copied =
            entry.is_link ? link(from, entry.name, below) : copy_file_of(from, entry.name, target_, below);
        if (copied)
            ++report_.files_copied;
        else
            miss(std::move(copied).error());
    }

    Result<void> link(const Folder& from, const std::string& name, const std::string& below) {
        TRY(const auto text, from.read_link(name));
        return copy_link(text, target_ / below);
    }

    void miss(Error problem) {
        report_.problems.push_back(std::move(problem));
        ++report_.missing;
    }

    const fs::path& target_;
    ConvertReport& report_;
};

} // namespace

Result<void> copy_tree(const Folder& from, const fs::path& target, const std::string& path,
                       const std::vector<std::string_view>& except, ConvertReport& report) {
    return TreeCopy(target, report).folder(from, path, except, 0);
}

Result<void> copy_file_of(const Folder& from, const std::string& name, const fs::path& target,
                          const std::string& path) {
    TRY(const auto to, inner_file(target, path));
    TRY(const auto file, from.open(name));
    return copy_file(*file, to, from.permissions(name));
}

} // namespace orbis::jobs
