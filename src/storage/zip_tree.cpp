#include "bytes/system_error.hpp"
#include "storage/tree.hpp"
#include "storage/zip_directory.hpp"

#include <zip.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <unistd.h>

namespace orbis::storage {

namespace {

namespace fs = std::filesystem;

/// What the compressed entries of a zip may take on the disk: this much in any case, and this many times the
/// size of the zip. Chunks are compressed already, so those of a world hardly shrink.
constexpr std::uint64_t k_small_expansion = 128 << 20;
constexpr std::uint64_t k_largest_expansion = 50;
constexpr std::array<std::uint8_t, 1> k_zero{};

/// A new file that has no name any more and goes away with its last user.
Result<std::unique_ptr<File>> make_nameless_file(std::shared_ptr<MappingBudget> budget) {
    std::error_code code;
    auto name = (fs::temp_directory_path(code) / "orbis-XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) return fail(system_error("create a temporary file").in_file(name));
    close(descriptor);
    auto file = open_file(name, FileMode::write, std::move(budget));
    unlink(name.c_str());
    return file;
}

/// The same file under the name that people know.
class NamedFile final : public File {
public:
    NamedFile(std::unique_ptr<File> file, std::string name)
        : file_(std::move(file)), name_(std::move(name)) {}
    const std::string& name() const override { return name_; }
    Result<std::uint64_t> size() const override { return file_->size(); }
    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        auto view = file_->view(offset, length);
        if (!view) view.error().file = name_;
        return view;
    }
    Result<Extent> next_data(std::uint64_t offset) const override { return file_->next_data(offset); }
    Result<void> check(const FileView& view) const override { return file_->check(view); }
    Result<void> write(std::uint64_t, std::span<const Bytes>) override {
        return fail(error(Errc::read_only, "a file in a zip cannot be written").in_file(name_));
    }
    Result<void> sync() override { return {}; }

private:
    std::unique_ptr<File> file_;
    std::string name_;
};

class ZipTree final : public Tree {
public:
    explicit ZipTree(fs::path path)
        : path_(std::move(path)), budget_(make_mapping_budget(k_mapping_budget)) {}
    ~ZipTree() override {
        if (zip_ != nullptr) zip_discard(zip_);
    }
    ZipTree(const ZipTree&) = delete;
    ZipTree& operator=(const ZipTree&) = delete;

    Result<void> open() {
        TRY(auto file, open_file(path_, FileMode::read, budget_));
        file_ = std::move(file);
        TRY(directory_, read_zip_directory(*file_));
        TRY_DO(check_expansion());
        for (std::size_t i = 0; i < directory_.entries.size(); ++i) {
            const auto& path = directory_.entries[i].path;
            if (path.empty()) continue;
            add_parents(path);
            places_[path] = directory_.entries[i].is_folder ? k_folder : i;
        }
        return {};
    }

    Result<std::vector<TreeEntry>> list(const std::string& folder) const override {
        if (const auto found = find(folder); !found || !found->is_folder)
            return fail(error(Errc::not_found, "there is no such folder in the zip").in_file(shown(folder)));
        const auto prefix = folder.empty() ? std::string() : folder + "/";
        std::vector<TreeEntry> entries;
        for (auto at = places_.lower_bound(prefix); at != places_.end() && at->first.starts_with(prefix);
             ++at)
            if (at->first.find('/', prefix.size()) == std::string::npos) entries.push_back(describe(*at));
        return entries;
    }

    std::optional<TreeEntry> find(const std::string& path) const override {
        if (path.empty()) return TreeEntry{{}, true, 0};
        const auto found = places_.find(path);
        if (found == places_.end()) return std::nullopt;
        return describe(*found);
    }

    Result<std::unique_ptr<File>> open(const std::string& path) const override {
        const auto found = places_.find(path);
        if (found == places_.end() || found->second == k_folder)
            return fail(error(Errc::not_found, "there is no such file in the zip").in_file(shown(path)));
        const auto& entry = directory_.entries[found->second];
        if (!entry.is_stored()) return unpack(path, found->second);
        TRY(const auto offset, zip_data_offset(*file_, entry));
        TRY(const auto size, file_->size());
        if (offset > size || entry.size > size - offset)
            return fail(
                error(Errc::truncated, "expected {} bytes, found the end of the zip at {}", entry.size, size)
                    .in_file(shown(path))
                    .at(offset)
                    .advise("the zip may be cut off; use another backup"));
        return open_window(file_, offset, entry.size, shown(path));
    }

    std::string shown(const std::string& path) const override {
        return path.empty() ? path_.string() : path_.string() + ":" + path;
    }
    std::string comment() const override { return directory_.comment; }
    std::optional<fs::path> on_disk(const std::string&) const override { return std::nullopt; }

private:
    static constexpr auto k_folder = static_cast<std::size_t>(-1);

    [[nodiscard]] TreeEntry describe(const std::pair<const std::string, std::size_t>& place) const {
        const auto& [path, index] = place;
        const auto slash = path.rfind('/');
        auto name = slash == std::string::npos ? path : path.substr(slash + 1);
        if (index == k_folder) return {std::move(name), true, 0};
        return {std::move(name), false, directory_.entries[index].size};
    }

    /// Checked before anything is unpacked: an entry that is larger than it says is refused while it is.
    [[nodiscard]] Result<void> check_expansion() const {
        TRY(const auto size, file_->size());
        std::uint64_t unpacked = 0;
        for (const auto& entry : directory_.entries)
            if (!entry.is_stored() && !entry.path.empty())
                unpacked = entry.size > UINT64_MAX - unpacked ? UINT64_MAX : unpacked + entry.size;
        if (unpacked <= std::max(k_small_expansion, size * k_largest_expansion)) return {};
        return fail(
            error(Errc::too_large,
                  "the files would be more than {} times the size of the zip: {} bytes in a zip of {}",
                  k_largest_expansion, unpacked, size)
                .in_file(path_.string())
                .advise("no backup of a world shrinks that much; if you trust this one, unpack it and give "
                        "the folder"));
    }

    void add_parents(const std::string& path) {
        for (auto slash = path.rfind('/'); slash != std::string::npos && slash > 0;
             slash = path.rfind('/', slash - 1))
            if (!places_.try_emplace(path.substr(0, slash), k_folder).second) return;
    }

    Result<std::unique_ptr<File>> unpack(const std::string& path, std::size_t index) const {
        const std::lock_guard lock(mutex_);
        int code = 0;
        if (zip_ == nullptr) zip_ = zip_open(path_.c_str(), ZIP_RDONLY, &code);
        if (zip_ == nullptr)
            return fail(
                error(Errc::bad_value, "cannot read the zip: libzip error {}", code).in_file(path_.string()));
        const auto problem = [&] {
            return fail(error(Errc::bad_value, "cannot unpack the entry: {}", zip_strerror(zip_))
                            .in_file(shown(path)));
        };
        zip_file_t* in = zip_fopen_index(zip_, index, 0);
        if (in == nullptr) return problem();
        const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> closer(in, zip_fclose);
        TRY(auto out, make_nameless_file(budget_));
        std::array<std::uint8_t, 65536> buffer{};
        std::uint64_t at = 0;
        bool ends_in_hole = false;
        while (true) {
            const auto got = zip_fread(in, buffer.data(), buffer.size());
            if (got < 0)
                return fail(error(Errc::bad_value, "cannot unpack the entry: {}", zip_file_strerror(in))
                                .in_file(shown(path)));
            if (got == 0) break;
            const auto part = Bytes(buffer).first(static_cast<std::size_t>(got));
            // Zeros that are not written take no space.
            ends_in_hole = std::ranges::all_of(part, [](std::uint8_t byte) { return byte == 0; });
            if (!ends_in_hole) TRY_DO(out->write(at, part));
            at += part.size();
            if (at > directory_.entries[index].size)
                return fail(
                    error(Errc::too_large, "expected {} bytes, found more", directory_.entries[index].size)
                        .in_file(shown(path)));
        }
        if (at != directory_.entries[index].size)
            return fail(
                error(Errc::truncated, "expected {} bytes, found {}", directory_.entries[index].size, at)
                    .in_file(shown(path)));
        if (ends_in_hole) TRY_DO(out->write(at - 1, k_zero));
        return std::make_unique<NamedFile>(std::move(out), shown(path));
    }

    fs::path path_;
    std::shared_ptr<MappingBudget> budget_;
    std::shared_ptr<const File> file_;
    ZipDirectory directory_;
    std::map<std::string, std::size_t> places_; ///< path to the place in the directory
    mutable zip_t* zip_ = nullptr;              ///< opened when the first compressed entry is
    mutable std::mutex mutex_;                  ///< libzip is not for several threads
};

} // namespace

Result<std::shared_ptr<const Tree>> open_zip_tree(const fs::path& path) {
    auto tree = std::make_shared<ZipTree>(path);
    TRY_DO(tree->open());
    return std::shared_ptr<const Tree>(std::move(tree));
}

} // namespace orbis::storage
