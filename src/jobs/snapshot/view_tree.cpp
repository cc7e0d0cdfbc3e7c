#include "jobs/snapshot/view.hpp"
#include "storage/tree.hpp"

#include <algorithm>
#include <map>

namespace orbis::jobs::snapshot {

namespace {

using storage::TreeEntry;

const Key& key_of_hole() {
    static const Key key = key_of(Buffer(k_piece_size));
    return key;
}

/// What the files of a snapshot may take together without their holes: this much in any case, and this many
/// times what all packs have. A piece that is repeated takes no space in a store, but it does outside.
constexpr std::uint64_t k_small_expansion = std::uint64_t{1} << 30;
constexpr std::uint64_t k_largest_expansion = 1000;

std::uint64_t expanded_size(const std::vector<FileRecord>& files) {
    std::uint64_t size = 0;
    for (const auto& file : files)
        for (std::size_t i = 0; i < file.pieces.size(); ++i)
            if (file.pieces[i] != key_of_hole()) size += std::min(k_piece_size, file.size - i * k_piece_size);
    return size;
}

/// A file of a snapshot. It is put together in memory when it is looked at.
class SnapshotFile final : public File {
public:
    SnapshotFile(std::shared_ptr<const Contents> contents, FileRecord record, std::string name)
        : contents_(std::move(contents)), record_(std::move(record)), name_(std::move(name)) {}

    const std::string& name() const override { return name_; }
    Result<std::uint64_t> size() const override { return record_.size; }

    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        if (offset > record_.size || length > record_.size - offset)
            return fail(error(Errc::truncated, "expected {} bytes, found the end of the file at {}", length,
                              record_.size)
                            .in_file(name_)
                            .at(offset));
        // The memory grows with what the packs really have, whatever the manifest says.
        const auto out = std::make_shared<Buffer>();
        Decompressor decompressor;
        const auto last = length == 0 ? 0 : (offset + length - 1) / k_piece_size + 1;
        for (auto number = offset / k_piece_size; number < last; ++number) {
            auto piece = contents_->read(record_.pieces[number], decompressor);
            if (!piece) return fail(Error(std::move(piece).error()).about(name_));
            const auto start = number * k_piece_size;
            const auto expected = std::min(k_piece_size, record_.size - start);
            if (piece->bytes.size() != expected)
                return fail(error(Errc::bad_value, "expected a piece of {} bytes, found {}", expected,
                                  piece->bytes.size())
                                .in_file(name_)
                                .at(start));
            const auto from = std::max(offset, start) - start;
            const auto to = std::min(offset + length, start + expected) - start;
            const auto part = piece->bytes.subspan(from, to - from);
            out->insert(out->end(), part.begin(), part.end());
        }
        return FileView(*out, out);
    }
    Result<void> check(const FileView&) const override { return {}; }

    /// Pieces of nothing but zeros are holes: a file of a terabyte may be mostly that.
    Result<Extent> next_data(std::uint64_t offset) const override {
        TRY(auto rest, File::next_data(offset));
        if (rest.begin == rest.end || record_.pieces.size() < 2) return rest;
        const auto& hole = key_of_hole();
        auto first = rest.begin / k_piece_size;
        while (first < record_.pieces.size() && record_.pieces[first] == hole) ++first;
        auto last = first;
        while (last < record_.pieces.size() && record_.pieces[last] != hole) ++last;
        return Extent{std::min(rest.end, std::max(rest.begin, first * k_piece_size)),
                      std::min(rest.end, last * k_piece_size)};
    }

    Result<void> write(std::uint64_t, std::span<const Bytes>) override { return fail(refusal()); }
    Result<void> sync() override { return fail(refusal()); }

private:
    [[nodiscard]] Error refusal() const {
        return error(Errc::read_only, "a file of a snapshot cannot be written").in_file(name_);
    }

    std::shared_ptr<const Contents> contents_;
    FileRecord record_;
    std::string name_;
};

class SnapshotTree final : public storage::Tree {
public:
    SnapshotTree(std::shared_ptr<const Contents> contents, std::vector<FileRecord> files, std::string name)
        : contents_(std::move(contents)), name_(std::move(name)), expanded_(expanded_size(files)) {
        for (const auto& pack : contents_->packs()) packed_ += pack->header().length;
        folders_[""];
        for (auto& file : files) {
            const auto path = file.path.substr(0, file.path.size() - (file.is_folder() ? 1 : 0));
            if (file.permissions) permissions_[path] = *file.permissions;
            add(path, {base(path), file.is_folder(), file.size, file.is_link, false});
            if (!file.is_folder()) files_.emplace(path, std::move(file));
        }
    }

    Result<std::vector<TreeEntry>> list(const std::string& folder) const override {
        const auto found = folders_.find(folder);
        if (found == folders_.end())
            return fail(error(Errc::not_found, "there is no such folder").in_file(shown(folder)));
        std::vector<TreeEntry> entries;
        for (const auto& [name, entry] : found->second) entries.push_back(entry);
        return entries;
    }

    std::optional<TreeEntry> find(const std::string& path) const override {
        if (path.empty()) return TreeEntry{"", true, 0};
        const auto folder = folders_.find(parent(path));
        if (folder == folders_.end()) return std::nullopt;
        const auto found = folder->second.find(base(path));
        if (found == folder->second.end()) return std::nullopt;
        return found->second;
    }

    Result<std::unique_ptr<File>> open(const std::string& path) const override {
        const auto found = files_.find(path);
        if (found == files_.end())
            return fail(error(Errc::not_found, "there is no such file").in_file(shown(path)));
        if (found->second.is_link)
            return fail(error(Errc::bad_value, "this is a link, not a file").in_file(shown(path)));
        TRY_DO(check_expansion());
        return std::make_unique<SnapshotFile>(contents_, found->second, shown(path));
    }

    Result<std::string> read_link(const std::string& path) const override {
        const auto found = files_.find(path);
        if (found == files_.end() || !found->second.is_link) return Tree::read_link(path);
        return read_text(SnapshotFile(contents_, found->second, shown(path)), k_longest_link);
    }

    std::optional<std::filesystem::perms> permissions(const std::string& path) const override {
        const auto found = permissions_.find(path);
        if (found == permissions_.end()) return std::nullopt;
        return found->second;
    }

    std::string shown(const std::string& path) const override {
        return path.empty() ? name_ : name_ + ":" + path;
    }
    std::optional<std::filesystem::path> on_disk(const std::string&) const override { return std::nullopt; }

private:
    static constexpr std::uint64_t k_longest_link = 4096;

    [[nodiscard]] Result<void> check_expansion() const {
        if (expanded_ <= std::max(k_small_expansion, packed_ * k_largest_expansion)) return {};
        return fail(
            error(Errc::too_large,
                  "the files would be more than {} times the size of the store: {} bytes in a store of {}",
                  k_largest_expansion, expanded_, packed_)
                .in_file(name_)
                .advise("orbis never makes such a snapshot: do not trust this store"));
    }

    static std::string parent(const std::string& path) {
        const auto slash = path.rfind('/');
        return slash == std::string::npos ? std::string() : path.substr(0, slash);
    }
    static std::string base(const std::string& path) { return path.substr(path.rfind('/') + 1); }

    /// Puts an entry into its folder, and that into the one above.
    void add(const std::string& path, TreeEntry entry) {
        if (entry.is_folder) folders_[path];
        auto& folder = folders_[parent(path)];
        const bool is_known = folder.contains(entry.name);
        if (!is_known) folder.emplace(entry.name, std::move(entry));
        if (const auto above = parent(path); !is_known && !above.empty()) add(above, {base(above), true, 0});
    }

    std::shared_ptr<const Contents> contents_;
    std::map<std::string, std::map<std::string, TreeEntry>> folders_;
    std::map<std::string, FileRecord> files_;
    std::map<std::string, std::filesystem::perms> permissions_;
    std::string name_;
    std::uint64_t expanded_ = 0;
    std::uint64_t packed_ = 0;
};

} // namespace

std::shared_ptr<const storage::Tree> make_snapshot_tree(std::shared_ptr<const Contents> contents,
                                                        std::vector<FileRecord> files, std::string name) {
    return std::make_shared<SnapshotTree>(std::move(contents), std::move(files), std::move(name));
}

} // namespace orbis::jobs::snapshot
