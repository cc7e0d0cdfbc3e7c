#include "bytes/png_stream.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/file.hpp"
#include "bytes/png.hpp"

#include <optional>
#include <spng.h>

namespace orbis {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_gathered = 1 << 18;

} // namespace

struct PngStream::State {
    struct Free {
        void operator()(spng_ctx* made) const { spng_ctx_free(made); }
    };

    fs::path path;
    fs::path temporary;
    std::unique_ptr<File> file;
    std::uint64_t size = 0;
    Buffer gathered; ///< what is not in the file yet
    std::uint32_t rows_left = 0;
    std::optional<Error> problem; ///< of the file
    std::unique_ptr<spng_ctx, Free> context{spng_ctx_new(SPNG_CTX_ENCODER)};

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (!file) return;
        file.reset();
        std::error_code ignored;
        fs::remove(temporary, ignored);
    }

    Result<void> flush() {
        TRY_DO(file->write(size, Bytes(gathered)));
        size += gathered.size();
        gathered.clear();
        return {};
    }

    Result<void> check(int code) {
        if (problem) return fail(Error(*problem));
        if (code == 0 || code == SPNG_EOI) return {};
        return fail(error(Errc::bad_value, "cannot encode the picture: {}", spng_strerror(code))
                        .in_file(path.string()));
    }

    static int take(spng_ctx*, void* user, void* bytes, std::size_t length) {
        auto& state = *static_cast<State*>(user);
        const auto* first = static_cast<const std::uint8_t*>(bytes);
        state.gathered.insert(state.gathered.end(), first, first + length);
        if (state.gathered.size() < k_gathered) return 0;
        auto written = state.flush();
        if (written) return 0;
        state.problem = std::move(written).error();
        return SPNG_IO_ERROR;
    }
};

PngStream::PngStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
PngStream::PngStream(PngStream&&) noexcept = default;
PngStream& PngStream::operator=(PngStream&&) noexcept = default;
PngStream::~PngStream() = default;

Result<PngStream> PngStream::create(const fs::path& path, std::uint32_t width, std::uint32_t height) {
    TRY_DO(check_picture_place(path));
    auto state = std::make_unique<State>();
    if (!state->context) return fail(Errc::too_large, "not enough memory for a picture");
    state->path = path;
    state->temporary = path;
    state->temporary += ".orbis-tmp";
    state->rows_left = height;
    std::error_code ignored;
    fs::remove(state->temporary, ignored); // left by a run that was killed
    TRY(state->file, open_file(state->temporary, FileMode::create));
    auto* context = state->context.get();
    spng_ihdr header{};
    header.width = width;
    header.height = height;
    header.bit_depth = 8;
    header.color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
    int code = spng_set_png_stream(context, &State::take, state.get());
    if (code == 0) code = spng_set_ihdr(context, &header);
    if (code == 0) code = spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, k_png_level);
    if (code == 0) code = spng_set_option(context, SPNG_FILTER_CHOICE, SPNG_FILTER_CHOICE_NONE);
    if (code == 0)
        code = spng_encode_image(context, nullptr, 0, SPNG_FMT_PNG,
                                 SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE);
    TRY_DO(state->check(code));
    return PngStream(std::move(state));
}

Result<void> PngStream::row(Bytes pixels) {
    if (state_->rows_left == 0) return fail(Errc::usage, "a picture got more rows than it has");
    --state_->rows_left;
    return state_->check(spng_encode_row(state_->context.get(), pixels.data(), pixels.size()));
}

Result<void> PngStream::finish() {
    if (state_->rows_left > 0)
        return fail(Errc::usage, "{} rows of a picture are missing", state_->rows_left);
    TRY_DO(state_->flush());
    TRY_DO(state_->file->sync());
    TRY_DO(replace_file(state_->temporary, state_->path));
    state_->file.reset();
    return {};
}

} // namespace orbis
