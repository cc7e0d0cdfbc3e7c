#include "map/image.hpp"

#include "bytes/png_stream.hpp"
#include "map/painters.hpp"
#include "storage/walk.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace orbis::map {

namespace {

/// What the walk makes of a chunk.
struct Drawn {
    std::unique_ptr<UnshadedChunk> unshaded; ///< nothing if the chunk cannot be read
    bool unreadable = false;
    std::vector<Error> problems;
};

struct Placed {
    std::int32_t x = 0;
    std::unique_ptr<UnshadedChunk> unshaded; ///< gone once the row is written
    Edges edges;
};

/// The chunks of one z, from the west.
struct TileRow {
    std::int64_t z = 0;
    std::vector<Placed> chunks;

    [[nodiscard]] const Edges* edges(std::int64_t x) const {
        const auto found = std::ranges::lower_bound(chunks, x, {}, &Placed::x);
        return found == chunks.end() || found->x != x ? nullptr : &found->edges;
    }
};

Drawn draw_chunk(const storage::Store& store, ChunkPos pos, storage::ReadContext& context, Layer layer,
                 ChunkPainter& painter) {
    Drawn drawn;
    const auto note = [&](Error&& problem) {
        drawn.problems.push_back(std::move(problem).in_file(store.file_of(pos)).at(pos));
    };
    auto document = store.read(pos, context);
    if (!document) {
        note(std::move(document).error());
        drawn.unreadable = true;
        return drawn;
    }
    if (!*document) return drawn; // removed by another program meanwhile
    if (auto read = painter.read(**document, parts_of(layer)); !read) {
        note(std::move(read).error());
        drawn.unreadable = true;
        return drawn;
    }
    for (const auto& problem : painter.chunk().problems()) note(problem.as_error());
    drawn.unshaded = std::make_unique<UnshadedChunk>();
    painter.draw(layer, *drawn.unshaded);
    return drawn;
}

/// Takes chunks row by row and writes the pixels of a row when the one below it is known.
class Assembler {
public:
    Assembler(PictureRows& rows, const ImageOptions& options, ImageReport& report)
        : rows_(rows),
          options_(options),
          report_(report),
          pixels_(std::size_t{report.width} * k_side),
          next_z_(report.first.z) {}

    Result<void> add(ChunkPos pos, Drawn& drawn) {
        if (pos.z != below_.z || !started_) TRY_DO(start(pos.z));
        if (!drawn.unshaded) return {};
        auto edges = drawn.unshaded->edges();
        below_.chunks.push_back({pos.x, std::move(drawn.unshaded), edges});
        return {};
    }

    Result<void> end() {
        TRY_DO(start(std::int64_t{below_.z} + 1));
        TRY_DO(start(std::int64_t{below_.z} + 1));
        return blank_until(std::int64_t{report_.first.z} + report_.height / k_side);
    }

private:
    /// All of `below_` is known: the row above it can be finished.
    Result<void> start(std::int64_t z) {
        if (started_) {
            if (!current_.chunks.empty()) TRY_DO(write_current());
            above_ = std::move(current_);
            current_ = std::move(below_);
            if (current_.z + 1 < z && !current_.chunks.empty()) { // nothing is right below it
                below_ = {current_.z + 1, {}};
                TRY_DO(write_current());
                above_ = {};
                current_ = {};
            }
        }
        started_ = true;
        below_ = {z, {}};
        return {};
    }

    Result<void> write_current() {
        if (!std::ranges::any_of(current_.chunks, [&](const Placed& chunk) { return is_shown(chunk); }))
            return {};
        TRY_DO(blank_until(current_.z));
        std::ranges::fill(pixels_, Rgba{});
        static const TileRow none;
        const auto& above = above_.z == current_.z - 1 ? above_ : none;
        const auto& below = below_.z == current_.z + 1 ? below_ : none;
        for (auto& chunk : current_.chunks) {
            if (is_shown(chunk)) {
                const std::int64_t x = chunk.x;
                const Neighbours around{above.edges(x),        above.edges(x + 1), current_.edges(x + 1),
                                        below.edges(x + 1),    below.edges(x),     below.edges(x - 1),
                                        current_.edges(x - 1), above.edges(x - 1)};
                const auto column = static_cast<std::size_t>((x - report_.first.x) * k_side);
                shade(*chunk.unshaded, around, &pixels_[column], report_.width);
                if (!is_bright(chunk)) fade(&pixels_[column]);
            }
            chunk.unshaded.reset();
        }
        for (std::size_t line = 0; line < k_side; ++line)
            TRY_DO(rows_.row(bytes_of(&pixels_[line * report_.width])));
        next_z_ = current_.z + 1;
        return {};
    }

    [[nodiscard]] bool is_shown(const Placed& chunk) const {
        return chunk.unshaded
               && (options_.only == nullptr
                   || options_.only->contains({chunk.x, static_cast<std::int32_t>(current_.z)}));
    }

    [[nodiscard]] bool is_bright(const Placed& chunk) const {
        return options_.bright == nullptr
               || options_.bright->contains({chunk.x, static_cast<std::int32_t>(current_.z)});
    }

    /// Half as bright and without colour.
    void fade(Rgba* first) const {
        for (std::size_t i = 0; i < k_columns; ++i) {
            auto& pixel = first[i / k_side * report_.width + i % k_side];
            const auto grey = static_cast<std::uint8_t>((pixel.r * 3 + pixel.g * 6 + pixel.b) / 20);
            pixel = {grey, grey, grey, pixel.a};
        }
    }

    Result<void> blank_until(std::int64_t z) {
        if (next_z_ < z) std::ranges::fill(pixels_, Rgba{});
        for (; next_z_ < z; ++next_z_)
            for (int line = 0; line < k_side; ++line) TRY_DO(rows_.row(bytes_of(pixels_.data())));
        return {};
    }

    [[nodiscard]] Bytes bytes_of(const Rgba* first) const {
        return {&first->r, std::size_t{report_.width} * sizeof(Rgba)};
    }

    PictureRows& rows_;
    const ImageOptions& options_;
    const ImageReport& report_;
    std::vector<Rgba> pixels_; ///< of a row of chunks
    TileRow above_;
    TileRow current_;
    TileRow below_;
    bool started_ = false;
    std::int64_t next_z_; ///< the row of chunks that the next line of the file belongs to
};

class PngRows final : public PictureRows {
public:
    explicit PngRows(const std::filesystem::path& path) : path_(path) {}
    Result<void> begin(std::uint32_t width, std::uint32_t height) override {
        TRY(auto created, PngStream::create(path_, width, height));
        png_.emplace(std::move(created));
        return {};
    }
    Result<void> row(Bytes pixels) override { return png_->row(pixels); }
    /// Nothing happens if there was nothing to draw.
    Result<void> finish() {
        if (png_) return png_->finish();
        return {};
    }

private:
    const std::filesystem::path& path_;
    std::optional<PngStream> png_;
};

/// The chunks to read, from the north and in each row from the west: those that are shown, and those whose
/// heights these need.
std::vector<ChunkPos> list_chunks(const storage::Store& store, const ImageOptions& options,
                                  ImageReport& report) {
    std::vector<ChunkPos> chunks;
    bool any_shown = false;
    ChunkPos least{INT32_MAX, INT32_MAX};
    ChunkPos most{INT32_MIN, INT32_MIN};
    const auto cursor = store.chunks();
    while (true) {
        auto next = cursor->next();
        if (!next) {
            report.problems.push_back(std::move(next).error());
            continue;
        }
        if (!*next) break;
        const auto pos = **next;
        if (options.only == nullptr || options.only->near(pos, 1)) chunks.push_back(pos);
        if (options.only != nullptr && !options.only->contains(pos)) continue;
        any_shown = true;
        least = {std::min(least.x, pos.x), std::min(least.z, pos.z)};
        most = {std::max(most.x, pos.x), std::max(most.z, pos.z)};
    }
    if (!any_shown) return {};
    std::ranges::sort(chunks, {}, [](ChunkPos pos) { return std::pair(pos.z, pos.x); });
    report.first = least;
    const auto width = (std::int64_t{most.x} - least.x + 1) * k_side;
    const auto height = (std::int64_t{most.z} - least.z + 1) * k_side;
    constexpr std::int64_t k_too_long = UINT32_MAX;
    report.width = static_cast<std::uint32_t>(std::min(width, k_too_long));
    report.height = static_cast<std::uint32_t>(std::min(height, k_too_long));
    return chunks;
}

} // namespace

Result<ImageReport> draw_rows(const storage::Store& store, const Colours& colours,
                              const ImageOptions& options, PictureRows& rows, Progress& progress) {
    ImageReport report;
    const auto chunks = list_chunks(store, options, report);
    if (chunks.empty() && !report.problems.empty()) return report;
    if (chunks.empty())
        return fail(error(Errc::not_found, "there is no chunk to draw")
                        .in_file(store.name())
                        .advise(options.only == nullptr ? "" : "check the selection"));
    if (report.width > k_longest_side || report.height > k_longest_side
        || std::int64_t{report.width} * report.height > k_most_picture_bytes / 4)
        return fail(
            error(Errc::too_large, "the picture would have {} × {} pixels", report.width, report.height)
                .in_file(store.name())
                .advise("choose a part with --chunks, or create a map of tiles: orbis map PATH OUT"));
    TRY_DO(rows.begin(report.width, report.height));
    Painters painters(colours);
    Assembler assembler(rows, options, report);
    std::optional<Error> failure;
    progress.begin("Drawing", chunks.size());
    storage::walk<Drawn>(*storage::make_list_cursor(chunks), options.threads,
                         {.work =
                              [&](ChunkPos pos, storage::ReadContext& context) {
                                  return painters.use([&](ChunkPainter& painter) {
                                      return draw_chunk(store, pos, context, options.layer, painter);
                                  });
                              },
                          .emit =
                              [&](ChunkPos pos, Drawn& drawn) {
                                  for (auto& problem : drawn.problems)
                                      report.problems.push_back(std::move(problem));
                                  progress.step();
                                  if (options.only == nullptr || options.only->contains(pos)) {
                                      report.chunks += drawn.unshaded ? 1 : 0;
                                      report.unreadable += drawn.unreadable ? 1 : 0;
                                  }
                                  auto added = assembler.add(pos, drawn);
                                  if (!added) failure = std::move(added).error();
                                  return !failure;
                              },
                          .on_error = [](const Error&) {}});
    if (failure) return fail(*std::move(failure));
    TRY_DO(assembler.end());
    return report;
}

Result<ImageReport> write_image(const storage::Store& store, const Colours& colours,
                                const ImageOptions& options, const std::filesystem::path& path,
                                Progress& progress) {
    PngRows rows(path);
    TRY(auto report, draw_rows(store, colours, options, rows, progress));
    TRY_DO(rows.finish());
    return report;
}

} // namespace orbis::map
