#include "jobs/undo/archive.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace orbis::jobs {

namespace {

constexpr std::string_view k_magic = "OrbisUndoArchive";
constexpr std::uint32_t k_version = 1;
constexpr std::size_t k_start = k_magic.size() + 4;
/// u8 kind, u64 length; and after the payload the first bytes of a digest of everything before.
constexpr std::size_t k_record_head = 9;
constexpr std::size_t k_record_check = 8;

enum class RecordKind : std::uint8_t {
    title = 'T',
    chunk = 'C',
    file = 'F',
    patch = 'P',
    move = 'M',
    end = 'E'
};

void put_text(Writer& out, std::string_view text) {
    out.be(static_cast<std::uint32_t>(text.size()));
    out.bytes(as_bytes(text));
}

void put_bytes(Writer& out, Bytes bytes) {
    out.be(static_cast<std::uint64_t>(bytes.size()));
    out.bytes(bytes);
}

void put_digest(Writer& out, const std::optional<Sha256>& digest) {
    out.u8(digest ? 1 : 0);
    if (digest) out.bytes(*digest);
}

std::string get_text(Reader& in) { return std::string(as_text(in.take(in.be<std::uint32_t>()))); }
Bytes get_bytes(Reader& in) { return in.take(in.be<std::uint64_t>()); }

std::optional<Sha256> get_digest(Reader& in) {
    if (in.u8() == 0) return std::nullopt;
    Sha256 digest{};
    const auto bytes = in.take(digest.size());
    std::copy(bytes.begin(), bytes.end(), digest.begin());
    return digest;
}

RecordKind write_payload(Writer& out, const ChunkRecord& record) {
    out.be(record.pos.x);
    out.be(record.pos.z);
    out.u8(static_cast<std::uint8_t>(record.before));
    out.be(record.raw_size);
    out.be(record.entry);
    put_digest(out, record.after);
    put_bytes(out, record.bytes);
    return RecordKind::chunk;
}

RecordKind write_payload(Writer& out, const FileRecord& record) {
    put_text(out, record.path);
    put_digest(out, record.after);
    out.u8(record.before ? 1 : 0);
    if (record.before) put_bytes(out, *record.before);
    return RecordKind::file;
}

RecordKind write_payload(Writer& out, const PatchRecord& record) {
    put_text(out, record.path);
    out.be(record.offset);
    put_bytes(out, record.before);
    put_bytes(out, record.after);
    return RecordKind::patch;
}

RecordKind write_payload(Writer& out, const MoveRecord& record) {
    put_text(out, record.from);
    put_text(out, record.to);
    return RecordKind::move;
}

RecordKind write_payload(Writer& out, const UndoTitle& title) {
    for (const auto* text : {&title.run, &title.time, &title.verb, &title.command, &title.world})
        put_text(out, *text);
    return RecordKind::title;
}

template <typename Payload>
void append_record(Buffer& out, const Payload& payload) {
    const auto start = out.size();
    Writer writer(out);
    writer.zeros(k_record_head);
    const auto kind = write_payload(writer, payload);
    out[start] = static_cast<std::uint8_t>(kind);
    store_be(out.data() + start + 1, static_cast<std::uint64_t>(out.size() - start - k_record_head));
    const auto digest = sha256(Bytes(out).subspan(start));
    writer.bytes(Bytes(digest).first(k_record_check));
}

struct End {};
RecordKind write_payload(Writer&, const End&) { return RecordKind::end; }

std::optional<UndoRecord> read_chunk(Reader& in) {
    ChunkRecord record;
    record.pos.x = in.be<std::int32_t>();
    record.pos.z = in.be<std::int32_t>();
    const auto before = in.u8();
    record.before = static_cast<ChunkRecord::PriorState>(before);
    record.raw_size = in.be<std::uint32_t>();
    record.entry = in.be<std::int32_t>();
    record.after = get_digest(in);
    record.bytes = get_bytes(in);
    if (!in.ok() || before > 2) return std::nullopt;
    return record;
}

std::optional<UndoRecord> read_record(RecordKind kind, Reader& in) {
    switch (kind) {
    case RecordKind::chunk: return read_chunk(in);
    case RecordKind::file: {
        FileRecord record{get_text(in), std::nullopt, get_digest(in)};
        if (in.u8() != 0) record.before = get_bytes(in);
        if (in.ok()) return record;
        break;
    }
    case RecordKind::patch: {
        PatchRecord record{get_text(in), in.be<std::uint64_t>(), {}, {}};
        record.before = get_bytes(in);
        record.after = get_bytes(in);
        if (in.ok()) return record;
        break;
    }
    case RecordKind::move: {
        MoveRecord record{get_text(in), {}};
        record.to = get_text(in);
        if (in.ok()) return record;
        break;
    }
    case RecordKind::title:
    case RecordKind::end: break;
    }
    return std::nullopt;
}

struct RawRecord {
    RecordKind kind;
    Bytes payload;
    Bytes check;
};

/// The next record as its head tells; nothing if the bytes end before it does.
std::optional<RawRecord> next_head(Reader& in) {
    Reader probe(in.rest());
    const auto kind = probe.u8();
    const auto length = probe.be<std::uint64_t>();
    if (!probe.ok() || length > probe.remaining()) return std::nullopt;
    const auto payload = probe.take(length);
    const auto check = probe.take(k_record_check);
    if (!probe.ok()) return std::nullopt;
    return RawRecord{static_cast<RecordKind>(kind), payload, check};
}

void skip(Reader& in, const RawRecord& record) {
    in.skip(k_record_head + record.payload.size() + k_record_check);
}

/// The next record; nothing if no whole one follows.
std::optional<RawRecord> next_record(Reader& in) {
    const auto record = next_head(in);
    if (!record) return std::nullopt;
    const auto digest = sha256(in.rest().first(k_record_head + record->payload.size()));
    if (!std::equal(record->check.begin(), record->check.end(), digest.begin())) return std::nullopt;
    skip(in, *record);
    return record;
}

/// What every archive begins with.
Result<UndoTitle> read_title(Reader& in, const std::string& file) {
    const auto damaged = [&](std::uint64_t offset, std::string_view expected) {
        return fail(error(Errc::bad_value, "expected {}, found something else", expected)
                        .in_file(file)
                        .about("undo archive")
                        .at(offset)
                        .advise("this file cannot undo the change; use a backup"));
    };
    if (as_text(in.take(k_magic.size())) != k_magic) return damaged(0, "an undo archive");
    if (in.be<std::uint32_t>() != k_version || !in.ok()) return damaged(k_magic.size(), "version 1");
    const auto record = next_record(in);
    if (!record || record->kind != RecordKind::title) return damaged(k_start, "a title");
    Reader text(record->payload);
    UndoTitle title;
    for (auto* field : {&title.run, &title.time, &title.verb, &title.command, &title.world})
        *field = get_text(text);
    if (!text.ok()) return damaged(k_start, "a title of five texts");
    return title;
}

} // namespace

Result<UndoOutline> outline_of(const std::filesystem::path& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    TRY(const auto size, file->size());
    TRY(const auto view, file->view(0, size));
    Reader in(view.bytes());
    UndoOutline outline;
    TRY(outline.title, read_title(in, file->name()));
    while (const auto record = next_head(in)) {
        if (record->kind == RecordKind::end) {
            outline.complete = true;
            break;
        }
        ++(record->kind == RecordKind::chunk ? outline.chunks : outline.files);
        skip(in, *record);
    }
    TRY_DO(file->check(view));
    return outline;
}

Result<UndoWriter> UndoWriter::create(const std::filesystem::path& path, const UndoTitle& title) {
    Buffer start;
    Writer out(start);
    out.bytes(as_bytes(k_magic));
    out.be(k_version);
    append_record(start, title);
    auto temporary = path;
    temporary += k_temporary_suffix;
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    {
        TRY(auto file, open_file(temporary, FileMode::create));
        TRY_DO(file->write(0, start));
        TRY_DO(file->sync());
    }
    TRY_DO(place_file(temporary, path));
    TRY(auto file, open_file(path, FileMode::write));
    return UndoWriter(std::move(file), start.size());
}

Result<void> UndoWriter::append(const UndoRecord& record) {
    scratch_.clear();
    std::visit([&](const auto& payload) { append_record(scratch_, payload); }, record);
    TRY_DO(file_->write(end_, scratch_));
    end_ += scratch_.size();
    return {};
}

Result<void> UndoWriter::finish() {
    scratch_.clear();
    append_record(scratch_, End{});
    TRY_DO(file_->write(end_, scratch_));
    end_ += scratch_.size();
    return file_->sync();
}

Result<UndoArchive> UndoArchive::open(const std::filesystem::path& path) {
    TRY(auto file, open_file(path, FileMode::read));
    return read(std::move(file));
}

Result<UndoArchive> UndoArchive::read(std::unique_ptr<File> file) {
    UndoArchive archive;
    archive.file_ = std::move(file);
    TRY(const auto size, archive.file_->size());
    TRY(archive.view_, archive.file_->view(0, size));
    Reader in(archive.view_.bytes());
    TRY(archive.title_, read_title(in, archive.file_->name()));
    std::size_t skipped = 0; // damaged records of which nothing shows yet that others follow
    while (!archive.complete_) {
        const auto next = next_record(in);
        if (!next) {
            Reader head(in.rest());
            (void)head.u8();
            const auto length = head.be<std::uint64_t>();
            if (!head.ok() || length > head.remaining() || head.remaining() - length <= k_record_check) break;
            in.skip(k_record_head + length + k_record_check);
            ++skipped;
            continue;
        }
        archive.damaged_ += std::exchange(skipped, 0);
        if (next->kind == RecordKind::end) {
            archive.complete_ = true;
            break;
        }
        Reader payload(next->payload);
        auto record = read_record(next->kind, payload);
        if (record)
            archive.records_.push_back(*std::move(record));
        else
            ++archive.damaged_;
    }
    archive.unread_ = skipped;
    archive.unread_ += in.remaining();
    TRY_DO(archive.file_->check(archive.view_));
    return archive;
}

} // namespace orbis::jobs
