#include "storage/tree.hpp"

#include "bytes/system_error.hpp"

#include <algorithm>

namespace orbis::storage {

namespace fs = std::filesystem;

bool Folder::has_folder(std::string_view name) const {
    const auto entry = find(name);
    return entry && entry->is_folder;
}

bool Folder::has_file(std::string_view name) const {
    const auto entry = find(name);
    return entry && !entry->is_folder;
}

std::string Folder::join(std::string_view name) const {
    if (path_.empty() || name.empty()) return path_ + std::string(name);
    return path_ + "/" + std::string(name);
}

namespace {

class DiskTree final : public Tree {
public:
    explicit DiskTree(fs::path root)
        : root_(std::move(root)), budget_(make_mapping_budget(k_mapping_budget)) {}

    Result<std::vector<TreeEntry>> list(const std::string& folder) const override {
        std::vector<TreeEntry> entries;
        std::error_code code;
        fs::directory_iterator at(root_ / folder, code);
        for (; !code && at != fs::directory_iterator(); at.increment(code)) entries.push_back(describe(*at));
        if (code) {
            errno = code.value();
            return fail(system_error("read the folder").in_file(shown(folder)));
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        return entries;
    }

    std::optional<TreeEntry> find(const std::string& path) const override {
        std::error_code code;
        const fs::directory_entry entry(root_ / path, code);
        if (code || !entry.exists(code)) return std::nullopt;
        return describe(entry);
    }

    Result<std::unique_ptr<File>> open(const std::string& path) const override {
        return open_file(root_ / path, FileMode::read, budget_);
    }

    std::string shown(const std::string& path) const override {
        return (path.empty() ? root_ : root_ / path).string();
    }
    std::optional<fs::path> on_disk(const std::string& path) const override {
        return path.empty() ? root_ : root_ / path;
    }

private:
    static TreeEntry describe(const fs::directory_entry& entry) {
        std::error_code ignored;
        const bool is_folder = entry.is_directory(ignored);
        const auto size = is_folder ? 0 : entry.file_size(ignored);
        return {entry.path().filename().string(), is_folder, ignored ? 0 : size};
    }

    fs::path root_;
    std::shared_ptr<MappingBudget> budget_;
};

} // namespace

std::shared_ptr<const Tree> open_disk_tree(fs::path root) {
    return std::make_shared<DiskTree>(std::move(root));
}

} // namespace orbis::storage
