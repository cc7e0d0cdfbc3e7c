#include "jobs/snapshot/last_seen.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <algorithm>

namespace orbis::jobs::snapshot {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_known_magic = "OrbisKno";
constexpr std::uint32_t k_known_version = 1;

void put(Writer& out, const FileStamp& stamp) {
    for (const auto number : {stamp.size, stamp.modified, stamp.changed, stamp.inode, stamp.device})
        out.be(number);
}

} // namespace

FileStamp stamp_of_database(const fs::path& folder) {
    std::map<std::string, FileStamp> files;
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        const auto name = at->path().filename().string();
        if (!name.starts_with("LOG") && name != "LOCK")
            files[name] = stamp_of(at->path()).value_or(FileStamp{});
    }
    if (code) return {};
    Buffer text;
    Writer out(text);
    FileStamp all;
    for (const auto& [name, stamp] : files) {
        out.bytes(as_bytes(name));
        put(out, stamp);
        all.modified = std::max(all.modified, stamp.modified);
        all.changed = std::max(all.changed, stamp.changed);
    }
    all.size = key_of(text).prefix();
    return all;
}

const FrameMark* SeenFile::mark(Slot slot) const {
    const auto found = std::ranges::lower_bound(frames, slot, {}, &FrameRecord::slot);
    return found != frames.end() && found->slot == slot ? &found->mark : nullptr;
}

Buffer LastSeen::encode() const {
    Buffer body;
    Writer out(body);
    const auto text = [&](std::string_view value) {
        out.be(static_cast<std::uint16_t>(value.size()));
        out.bytes(as_bytes(value));
    };
    text(snapshot);
    out.be(static_cast<std::uint32_t>(files.size()));
    for (const auto& [path, file] : files) {
        text(path);
        put(out, file.stamp);
        out.be(static_cast<std::uint32_t>(file.frames.size()));
        for (const auto& frame : file.frames) {
            out.be(static_cast<std::uint16_t>(frame.slot.value));
            out.bytes(frame.mark);
        }
    }
    Buffer bytes;
    Writer whole(bytes);
    whole.bytes(as_bytes(k_known_magic));
    whole.be(k_known_version);
    whole.be(static_cast<std::uint32_t>(body.size()));
    whole.bytes(key_of(body).bytes);
    whole.bytes(body);
    return bytes;
}

Result<LastSeen> LastSeen::decode(Bytes bytes) {
    Reader in(bytes);
    const auto magic = in.take(k_known_magic.size());
    const auto version = in.be<std::uint32_t>();
    const auto size = in.be<std::uint32_t>();
    const auto key = in.take(Key::k_size);
    if (!in.ok() || as_text(magic) != k_known_magic || version != k_known_version || size != in.remaining()
        || key_of(in.rest()) != Key::load(key.data()))
        return fail(Errc::bad_value, "not a record of the last snapshot");
    const auto text = [&] { return std::string(as_text(in.take(in.be<std::uint16_t>()))); };
    LastSeen known;
    known.snapshot = text();
    const auto files = in.be<std::uint32_t>();
    for (std::uint32_t i = 0; i < files && in.ok(); ++i) {
        auto& file = known.files[text()];
        for (auto* number : {&file.stamp.size, &file.stamp.modified, &file.stamp.changed, &file.stamp.inode,
                             &file.stamp.device})
            *number = in.be<std::uint64_t>();
        const auto frames = in.be<std::uint32_t>();
        for (std::uint32_t f = 0; f < frames && in.ok(); ++f) {
            FrameRecord frame;
            frame.slot.value = in.be<std::uint16_t>();
            const auto mark = in.take(frame.mark.size());
            std::ranges::copy(mark, frame.mark.begin());
            file.frames.push_back(frame);
        }
    }
    if (!in.ok() || in.remaining() != 0)
        return fail(Errc::truncated, "expected the end of the last file, found {} bytes left",
                    in.remaining());
    return known;
}

} // namespace orbis::jobs::snapshot
