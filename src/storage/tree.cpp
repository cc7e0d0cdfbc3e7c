#include "storage/tree.hpp"

#include "bytes/inner_path.hpp"
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

Result<std::string> Tree::read_link(const std::string& path) const {
    return fail(error(Errc::not_found, "this is not a link").in_file(shown(path)));
}

std::optional<fs::perms> Tree::permissions(const std::string&) const { return std::nullopt; }

Result<void> Tree::check_folder(const std::string&) const { return {}; }

std::string Folder::join(std::string_view name) const {
    if (path_.empty() || name.empty()) return path_ + std::string(name);
    return path_ + "/" + std::string(name);
}

namespace {

class DiskTree final : public Tree {
public:
    DiskTree(fs::path root, std::string named)
        : root_(std::move(root)), named_(std::move(named)), budget_(make_mapping_budget(k_mapping_budget)) {}

    Result<std::vector<TreeEntry>> list(const std::string& folder) const override {
        TRY(const auto path, inner_folder(root_, folder));
        std::vector<TreeEntry> entries;
        std::error_code code;
        fs::directory_iterator at(path, code);
        for (; !code && at != fs::directory_iterator(); at.increment(code)) {
            std::error_code ignored;
            auto name = at->path().filename().string();
            const bool is_named = !named_.empty() && folder.empty() && name == named_;
            entries.push_back(describe(
                *at, std::move(name), kind_of(is_named ? at->status(ignored) : at->symlink_status(ignored))));
        }
        if (code) {
            errno = code.value();
            return fail(system_error("read the folder").in_file(shown(folder)));
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        return entries;
    }

    std::optional<TreeEntry> find(const std::string& path) const override {
        const auto kind = is_named(path) ? inner_kind(root_ / path, {}) : inner_kind(root_, path);
        if (kind == InnerKind::nothing) return std::nullopt;
        std::error_code code;
        const fs::directory_entry entry(root_ / path, code);
        return describe(entry, entry.path().filename().string(), kind);
    }

    Result<std::unique_ptr<File>> open(const std::string& path) const override {
        if (is_named(path)) return open_file(root_ / path, FileMode::read, budget_);
        TRY(const auto inside, inner_file(root_, path));
        return open_file(inside, FileMode::read, budget_);
    }

    Result<std::string> read_link(const std::string& path) const override {
        if (inner_kind(root_, path) != InnerKind::link) return Tree::read_link(path);
        std::error_code code;
        auto target = fs::read_symlink(root_ / path, code);
        if (!code) return target.string();
        errno = code.value();
        return fail(system_error("read the link").in_file(shown(path)));
    }

    std::optional<fs::perms> permissions(const std::string& path) const override {
        const auto kind = inner_kind(root_, path);
        if (kind != InnerKind::file && kind != InnerKind::folder) return std::nullopt;
        std::error_code code;
        const auto status = fs::status(root_ / path, code);
        if (code) return std::nullopt;
        return status.permissions() & fs::perms::all;
    }

    Result<void> check_folder(const std::string& path) const override {
        TRY_DO(inner_folder(root_, path));
        return {};
    }

    std::string shown(const std::string& path) const override {
        return (path.empty() ? root_ : root_ / path).string();
    }
    std::optional<fs::path> on_disk(const std::string& path) const override {
        return path.empty() ? root_ : root_ / path;
    }

private:
    [[nodiscard]] bool is_named(const std::string& path) const { return !named_.empty() && path == named_; }

    static InnerKind kind_of(const fs::file_status& status) {
        switch (status.type()) {
        case fs::file_type::directory: return InnerKind::folder;
        case fs::file_type::symlink: return InnerKind::link;
        case fs::file_type::regular:
        case fs::file_type::none:
            return InnerKind::file; // what cannot be looked at says so when it is opened
        default: return InnerKind::special;
        }
    }

    static TreeEntry describe(const fs::directory_entry& entry, std::string name, InnerKind kind) {
        std::error_code code;
        const auto size = kind == InnerKind::file ? entry.file_size(code) : 0;
        return {std::move(name), kind == InnerKind::folder, code ? 0 : size, kind == InnerKind::link,
                kind == InnerKind::special};
    }

    fs::path root_;
    std::string named_;
    std::shared_ptr<MappingBudget> budget_;
};

} // namespace

std::shared_ptr<const Tree> open_disk_tree(fs::path root, std::string named) {
    return std::make_shared<DiskTree>(std::move(root), std::move(named));
}

} // namespace orbis::storage
