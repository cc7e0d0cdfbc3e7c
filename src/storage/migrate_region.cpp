#include "storage/migrate_region.hpp"

#include "bytes/atomic_file.hpp"
#include "storage/region_file.hpp"

#include <algorithm>
#include <vector>

namespace orbis::storage {

namespace {

namespace fs = std::filesystem;

Result<void> copy_blobs(const Region& from, RegionFile& to) {
    TRY(const auto slots, from.slots());
    Buffer gathered;
    for (const auto slot : slots) {
        TRY(const auto blob, from.blob(slot, gathered));
        if (blob) TRY_DO(to.write(slot, blob->frame, blob->raw_size));
    }
    return to.sync();
}

Result<void> compare_blobs(const Region& from, const Region& to) {
    TRY(const auto slots, from.slots());
    TRY(const auto copied, to.slots());
    if (slots != copied)
        return fail(error(Errc::mismatch, "the new file should have {} chunks, but has {}", slots.size(),
                          copied.size())
                        .in_file(to.name()));
    Buffer gathered;
    Buffer other;
    for (const auto slot : slots) {
        TRY(const auto before, from.blob(slot, gathered));
        TRY(const auto after, to.blob(slot, other));
        if (!before || !after || before->raw_size != after->raw_size
            || !std::equal(before->frame.begin(), before->frame.end(), after->frame.begin(),
                           after->frame.end()))
            return fail(error(Errc::mismatch, "slot {} does not read back as it was written", slot.value)
                            .in_file(to.name())
                            .advise("the original is untouched; check the disk"));
    }
    return {};
}

} // namespace

Result<void> migrate_region_file(const fs::path& path, RegionPos position) {
    auto temporary = path;
    temporary += k_temporary_suffix;
    std::error_code ignored;
    fs::remove(temporary, ignored);
    const auto migrate = [&]() -> Result<void> {
        TRY(auto old_file, open_file(path, FileMode::read));
        TRY(const auto from, open_region(std::move(old_file), position));
        TRY_DO(check_rewritable(*from));
        {
            TRY(auto file, open_file(temporary, FileMode::create));
            TRY_DO(RegionFile::format(*file));
            TRY(const auto to,
                RegionFile::open(std::move(file), position, RegionAccess::write, SyncPolicy::batch));
            TRY_DO(copy_blobs(*from, *to));
        }
        TRY(auto file, open_file(temporary, FileMode::read));
        TRY(const auto to, open_region(std::move(file), position));
        return compare_blobs(*from, *to);
    };
    if (auto done = migrate(); !done) {
        fs::remove(temporary, ignored);
        return done;
    }
    return replace_file(temporary, path);
}

void remove_unfinished_files(const fs::path& folder) {
    std::error_code code;
    std::vector<fs::path> unfinished;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        const auto name = at->path().filename().string();
        std::error_code unknown;
        if (name.ends_with(k_temporary_suffix) && !at->is_symlink(unknown) && at->is_regular_file(unknown)
            && parse_region_file_name(name.substr(0, name.size() - k_temporary_suffix.size())))
            unfinished.push_back(at->path());
    }
    for (const auto& path : unfinished) fs::remove(path, code);
}

} // namespace orbis::storage
