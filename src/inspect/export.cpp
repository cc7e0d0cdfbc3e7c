#include "inspect/export.hpp"

#include "bytes/system_error.hpp"
#include "capture/pcapng.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace orbis::inspect {

namespace {

constexpr std::size_t k_written_together = 1 << 20;

/// A new file that no name leads to.
Result<Descriptor> open_nameless() {
    std::error_code ignored;
    auto folder = std::filesystem::temp_directory_path(ignored);
    if (folder.empty()) folder = "/tmp";
    Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
    auto name = (folder / "orbis-export-XXXXXX").string(); // some file systems have none without a name
    file = Descriptor(mkostemp(name.data(), O_CLOEXEC));
    if (!file) return fail(system_error("create a temporary file").in_file(folder.string()));
    (void)unlink(name.c_str());
    return file;
}

Result<void> write_all(const Descriptor& file, Bytes bytes) {
    while (!bytes.empty()) {
        const auto wrote = write(file.number(), bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return fail(system_error("write a temporary file"));
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    }
    return {};
}

} // namespace

Result<Exported> export_packets(const PacketBook& book, const FilterView& view, const Export& wanted,
                                PacketJson& packets, const std::function<bool()>& is_wanted) {
    Exported made;
    TRY(made.file, open_nameless());
    Buffer out;
    JsonWriter json;
    Result<void> written;
    const auto write_out = [&]() -> Result<void> {
        made.size += out.size();
        if (made.size > wanted.largest)
            return fail(error(Errc::too_large, "these packets take more than {} bytes", wanted.largest)
                            .advise("choose fewer packets, or use orbis capture filter"));
        TRY_DO(write_all(made.file, out));
        out.clear();
        return {};
    };
    if (wanted.format == Export::Format::pcapng) capture::append_file_start(out, "orbis");
    TRY_DO(view.read(book, view.rank(wanted.from),
                     [&](std::uint64_t, std::uint64_t number, const capture::Record& record) {
                         if (number > wanted.to) return false;
                         if (number < wanted.from) return true;
                         ++made.packets;
                         if (wanted.format == Export::Format::pcapng) {
                             capture::append_record(out, record);
                         } else {
                             json.clear();
                             packets.line(json, number, record);
                             const auto line = as_bytes(json.text());
                             out.insert(out.end(), line.begin(), line.end());
                             out.push_back('\n');
                         }
                         if (out.size() < k_written_together) return true;
                         written = write_out();
                         if (written && !is_wanted()) written = fail(Errc::busy, "nobody waits any more");
                         return written.has_value();
                     }));
    TRY_DO(written);
    TRY_DO(write_out());
    if (lseek(made.file.number(), 0, SEEK_SET) < 0) return fail(system_error("seek in a temporary file"));
    return made;
}

} // namespace orbis::inspect
