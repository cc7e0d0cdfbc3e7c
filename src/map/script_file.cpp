#include "map/script_file.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/content_hash.hpp"
#include "bytes/system_error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unistd.h>

namespace orbis::map {

namespace fs = std::filesystem;

void JsonColumn::add(std::string_view json) {
    if (!empty_) text_ += ',';
    empty_ = false;
    text_ += json;
    if (text_.size() >= k_part) failed_ = !spill() || failed_;
}

void JsonColumn::add(std::int64_t number) {
    const fmt::format_int text(number);
    add(std::string_view(text.data(), text.size()));
}

void JsonColumn::add_coordinate(double number) { add(fmt::format("{}", std::round(number * 100) / 100)); }

Result<void> JsonColumn::spill() {
    if (!file_) file_.reset(std::tmpfile());
    if (!file_) return fail(system_error("create a temporary file"));
    if (failed_ || std::fwrite(text_.data(), 1, text_.size(), file_.get()) != text_.size()
        || std::fflush(file_.get()) != 0)
        return fail(system_error("write a temporary file"));
    text_.clear();
    return {};
}

struct ScriptFile::Output {
    fs::path folder;
    fs::path part;
    std::string start; ///< up to the hash
    std::FILE* file = nullptr;
    std::unique_ptr<ContentHasher> hasher = std::make_unique<ContentHasher>();
    bool failed = false;

    void write(std::string_view text) {
        if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) failed = true;
    }
    ~Output() {
        if (file != nullptr) std::fclose(file);
        if (!part.empty()) unlink(part.c_str());
    }
};

ScriptFile::ScriptFile(std::unique_ptr<Output> output) : output_(std::move(output)) {}
ScriptFile::ScriptFile(ScriptFile&&) noexcept = default;
ScriptFile::~ScriptFile() = default;

Result<ScriptFile> ScriptFile::create(fs::path folder, std::string_view kind) {
    TRY_DO(create_folders(folder));
    auto output = std::make_unique<Output>();
    output->folder = std::move(folder);
    output->part = output->folder / fmt::format("new{}", k_unfinished);
    output->start = fmt::format("orbis(\"{}/", kind);
    output->file = std::fopen(output->part.c_str(), "we");
    if (output->file == nullptr) return fail(system_error("create the file").in_file(output->part.string()));
    output->write(output->start);
    output->write(hash_text(0)); // its place; the hash is known at the end
    output->write("\",");
    return ScriptFile(std::move(output));
}

void ScriptFile::put(std::string_view json) {
    output_->hasher->add(as_bytes(json));
    output_->write(json);
}

Result<void> ScriptFile::put_column(std::string_view key, JsonColumn& column, bool last) {
    put(fmt::format("\"{}\":[", key));
    TRY_DO(column.for_each_part([&](std::string_view part) { put(part); }));
    put(last ? "]" : "],");
    return {};
}

Result<std::uint64_t> ScriptFile::finish(MapFiles& files, std::uint64_t known) {
    auto& out = *output_;
    out.write(");\n");
    const auto hash = out.hasher->hash();
    if (std::fseek(out.file, static_cast<long>(out.start.size()), SEEK_SET) != 0) out.failed = true;
    out.write(hash_text(hash));
    const bool closed = std::fclose(std::exchange(out.file, nullptr)) == 0;
    if (out.failed || !closed) return fail(system_error("write the file").in_file(out.part.string()));
    if (hash == known) return hash;
    TRY_DO(files.place(out.part, out.folder / (hash_text(hash) + ".js")));
    out.part.clear();
    return hash;
}

} // namespace orbis::map
