#pragma once

#include "bytes/file.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::storage {

/// One name in a folder.
struct TreeEntry {
    std::string name;
    bool is_folder = false;
    std::uint64_t size = 0;
    bool is_link = false;    ///< what it leads to is not part of the tree
    bool is_special = false; ///< a device, a pipe or a socket; it cannot be opened
};

/// Files and folders to read from: on disk, or inside a backup zip. Paths are relative, with `/`. Links are
/// entries of their own and are never followed: what is behind one can be anything, also this tree again.
class Tree {
public:
    Tree() = default;
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    virtual ~Tree() = default;

    /// What is in a folder, sorted by name; `not_found` when there is no such folder.
    [[nodiscard]] virtual Result<std::vector<TreeEntry>> list(const std::string& folder) const = 0;
    /// What is at a path, if anything.
    [[nodiscard]] virtual std::optional<TreeEntry> find(const std::string& path) const = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<File>> open(const std::string& path) const = 0;
    /// The text of a link.
    [[nodiscard]] virtual Result<std::string> read_link(const std::string& path) const;
    /// The permissions of a file or a folder, if they are known.
    [[nodiscard]] virtual std::optional<std::filesystem::perms> permissions(const std::string& path) const;
    /// An error when the path is a link, or behind one.
    [[nodiscard]] virtual Result<void> check_folder(const std::string& path) const;
    /// A path as it is shown to people.
    [[nodiscard]] virtual std::string shown(const std::string& path) const = 0;
    /// The comment of a zip file.
    [[nodiscard]] virtual std::string comment() const { return {}; }
    /// Where the path is on the disk; nothing inside a zip.
    [[nodiscard]] virtual std::optional<std::filesystem::path> on_disk(const std::string& path) const = 0;
};

/// A folder of a tree: the tree and the path in it. Cheap to copy.
class Folder {
public:
    Folder() = default;
    explicit Folder(std::shared_ptr<const Tree> tree, std::string path = {})
        : tree_(std::move(tree)), path_(std::move(path)) {}

    [[nodiscard]] Result<std::vector<TreeEntry>> list() const { return tree_->list(path_); }
    [[nodiscard]] std::optional<TreeEntry> find(std::string_view name) const {
        return tree_->find(join(name));
    }
    [[nodiscard]] bool has_folder(std::string_view name) const;
    /// Also true for links and devices: opening them tells what is wrong.
    [[nodiscard]] bool has_file(std::string_view name) const;
    [[nodiscard]] Result<std::unique_ptr<File>> open(std::string_view name) const {
        return tree_->open(join(name));
    }
    [[nodiscard]] Result<std::string> read_link(std::string_view name) const {
        return tree_->read_link(join(name));
    }
    [[nodiscard]] std::optional<std::filesystem::perms> permissions(std::string_view name = {}) const {
        return tree_->permissions(join(name));
    }
    [[nodiscard]] Result<void> check_folder(std::string_view name = {}) const {
        return tree_->check_folder(join(name));
    }
    [[nodiscard]] Folder sub(std::string_view name) const { return Folder(tree_, join(name)); }
    [[nodiscard]] std::string shown(std::string_view name = {}) const { return tree_->shown(join(name)); }
    [[nodiscard]] std::optional<std::filesystem::path> on_disk(std::string_view name = {}) const {
        return tree_->on_disk(join(name));
    }

private:
    [[nodiscard]] std::string join(std::string_view name) const;

    std::shared_ptr<const Tree> tree_;
    std::string path_;
};

/// How much mapped memory the readers of one tree may keep.
inline constexpr std::size_t k_mapping_budget = 8 << 20;

/// A folder on disk. It may be a link, since the user named it, and so may be `named`, a file in it.
std::shared_ptr<const Tree> open_disk_tree(std::filesystem::path root, std::string named = {});

/// A zip file. Entries that are stored are read in place; compressed ones are unpacked into a temporary file
/// that has no name. Names may use `\` as the game does on Windows.
Result<std::shared_ptr<const Tree>> open_zip_tree(const std::filesystem::path& path);

} // namespace orbis::storage
