#include "bson/patch.hpp"
#include "bytes/file.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "jobs/damage/corpus_test.hpp"
#include "storage/region_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace orbis::jobs::damage {

namespace fs = std::filesystem;

namespace {

std::vector<std::string_view> views(const std::vector<std::string>& path) {
    return {path.begin(), path.end()};
}

std::optional<bson::Element> find_element(const bson::Document& root, const std::vector<std::string>& path) {
    bson::Document at = root;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto element = at.find(path[i]);
        if (!element || i + 1 == path.size()) return element;
        if (const auto document = element->document())
            at = *document;
        else if (const auto array = element->array())
            at = *array;
        else
            return std::nullopt;
    }
    return std::nullopt;
}

} // namespace

std::vector<std::string> section_path(int y, const std::string& component) {
    return {"Components", "ChunkColumn", "Sections", std::to_string(y), "Components", component, "Data"};
}

Patient::Patient(fs::path universe) : universe_(std::move(universe)) {
    for (const auto& entry : fs::directory_iterator(world() / "chunks"))
        if (const auto pos = storage::parse_region_file_name(entry.path().filename().string())) {
            region_ = *pos;
            region_file_ = entry.path();
        }
}

Buffer Patient::file() const {
    const auto in = open_file(region_file_, FileMode::read).value();
    const auto text = read_text(*in, 64 << 20).value();
    return {text.begin(), text.end()};
}

void Patient::put_file(Bytes content) const {
    std::ofstream(region_file_, std::ios::binary | std::ios::trunc) << as_text(content);
}

void Patient::edit_file(const std::function<void(Buffer&)>& edit) const {
    auto content = file();
    edit(content);
    put_file(content);
}

std::size_t Patient::entry_offset(ChunkPos pos) const {
    return 32 + 4 * static_cast<std::size_t>(pos.slot().value);
}

std::int32_t Patient::entry(ChunkPos pos) const {
    return load_be<std::int32_t>(file().data() + entry_offset(pos));
}

std::size_t Patient::blob_offset(ChunkPos pos) const {
    return 32 + 4096 + (static_cast<std::size_t>(entry(pos)) - 1) * 4096;
}

std::uint32_t Patient::frame_size(ChunkPos pos) const {
    return load_be<std::uint32_t>(file().data() + blob_offset(pos) + 4);
}

void Patient::put_i32(std::size_t offset, std::int32_t value) const {
    edit_file([&](Buffer& bytes) { store_be(bytes.data() + offset, value); });
}

void Patient::set_entry(ChunkPos pos, std::int32_t first) const { put_i32(entry_offset(pos), first); }

std::vector<ChunkPos> Patient::chunks() const {
    const auto bytes = file();
    std::vector<std::pair<std::int32_t, ChunkPos>> found;
    for (int slot = 0; slot < 1024; ++slot)
        if (const auto first = load_be<std::int32_t>(bytes.data() + 32 + 4 * static_cast<std::size_t>(slot));
            first != 0)
            found.emplace_back(first, region_.chunk({slot}));
    std::ranges::sort(found);
    std::vector<ChunkPos> chunks;
    for (const auto& [first, pos] : found) chunks.push_back(pos);
    return chunks;
}

Buffer Patient::document(ChunkPos pos) const {
    const auto store = storage::open_single_region(region_file_, {}).value();
    storage::ReadContext context;
    const auto document = store->read(pos, context).value().value();
    return {document.begin(), document.end()};
}

void Patient::put_document(ChunkPos pos, Bytes document) const {
    storage::StoreOptions how;
    how.write = true;
    how.force = true;
    const auto store = storage::open_single_region(region_file_, how).value();
    ASSERT_TRUE(store->write(pos, document));
}

void Patient::edit_document(ChunkPos pos, const std::function<void(Buffer&)>& edit) const {
    auto bytes = document(pos);
    edit(bytes);
    put_document(pos, bytes);
}

void Patient::edit_chunk(ChunkPos pos, const std::function<void(chunk::Chunk&)>& edit) const {
    auto chunk = chunk::Chunk::decode(document(pos)).value();
    edit(chunk);
    Buffer out;
    put_document(pos, chunk.encode(out).value());
}

bool Patient::edit_blob(ChunkPos pos, const std::vector<std::string>& path,
                        const std::function<void(MutableBytes)>& edit) const {
    auto bytes = document(pos);
    const auto element = find_element(bson::Document::open(bytes).value(), path);
    const auto binary = element ? element->binary() : std::nullopt;
    if (!binary) return false;
    edit(MutableBytes(bytes).subspan(element->value_offset() + 5, binary->data.size()));
    put_document(pos, bytes);
    return true;
}

bool Patient::put_blob(ChunkPos pos, const std::vector<std::string>& path, Bytes data) const {
    const auto bytes = document(pos);
    bson::Patch patch(bson::Document::open(bytes).value());
    if (!find_element(bson::Document::open(bytes).value(), path)) return false;
    if (!patch.set(bson::Patch::Path(views(path)), bson::Value::binary(data))) return false;
    Buffer out;
    if (!patch.apply(out)) return false;
    put_document(pos, out);
    return true;
}

bool Patient::remove_element(ChunkPos pos, const std::vector<std::string>& path) const {
    const auto bytes = document(pos);
    bson::Patch patch(bson::Document::open(bytes).value());
    if (!patch.remove(bson::Patch::Path(views(path)))) return false;
    Buffer out;
    if (!patch.apply(out)) return false;
    put_document(pos, out);
    return true;
}

std::vector<ChunkPos> Patient::find_all(const std::function<bool(const chunk::Chunk&)>& wanted) const {
    std::vector<ChunkPos> found;
    const auto store = storage::open_single_region(region_file_, {}).value();
    storage::ReadContext context;
    for (const auto pos : chunks()) {
        const auto document = store->read(pos, context);
        if (!document || !*document) continue;
        const auto chunk = chunk::Chunk::decode(**document);
        if (chunk && wanted(*chunk)) found.push_back(pos);
    }
    return found;
}

std::optional<ChunkPos> Patient::find(const std::function<bool(const chunk::Chunk&)>& wanted) const {
    const auto all = find_all(wanted);
    if (all.empty()) return std::nullopt;
    return all.front();
}

} // namespace orbis::jobs::damage
