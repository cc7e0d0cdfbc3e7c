#pragma once

#include "bytes/result.hpp"
#include "map/map_files.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace orbis::map {

/// A list of JSON values that is gathered bit by bit. What does not fit in some memory goes into a temporary
/// file without a name, so that it may become as long as it likes.
class JsonColumn {
public:
    /// A number or other JSON text.
    void add(std::string_view json);
    void add(std::int64_t number);
    /// Rounded to hundredths, which is enough for a place on a map.
    void add_coordinate(double number);

    /// Calls `put(std::string_view)` with parts of the list, without brackets. An error if the temporary
    /// file could not be written or read.
    template <typename Put>
    Result<void> for_each_part(Put&& put) {
        if (file_) {
            TRY_DO(spill());
            std::rewind(file_.get());
            std::string part(k_part, '\0');
            while (const auto got = std::fread(part.data(), 1, part.size(), file_.get()))
                put(std::string_view(part).substr(0, got));
            if (std::ferror(file_.get()) != 0) return fail(Errc::io, "cannot read a temporary file");
        } else {
            put(text_);
        }
        return {};
    }

private:
    static constexpr std::size_t k_part = 1 << 18;
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    Result<void> spill();

    std::string text_;
    bool empty_ = true;
    bool failed_ = false;
    std::unique_ptr<std::FILE, Close> file_;
};

/// Writes a data file of the page, `orbis("kind/HASH",VALUE);`, where the hash is that of the value's text.
/// The file is written as the parts come and gets its name at the end.
class ScriptFile {
public:
    /// `folder` is the one of the kind: `…/facts`.
    static Result<ScriptFile> create(std::filesystem::path folder, std::string_view kind);

    void put(std::string_view json);
    Result<void> put_column(std::string_view key, JsonColumn& column, bool last = false);

    /// The hash; the file is then there. With `known`, the hash of a file that need not be written again.
    Result<std::uint64_t> finish(MapFiles& files, std::uint64_t known);

    ScriptFile(ScriptFile&&) noexcept;
    ScriptFile& operator=(ScriptFile&&) = delete;
    ~ScriptFile();

private:
    struct Output;
    explicit ScriptFile(std::unique_ptr<Output> output);
    std::unique_ptr<Output> output_;
};

} // namespace orbis::map
