#include "chunk/health.hpp"

#include "bytes/writer.hpp"

namespace orbis::chunk {

namespace {

constexpr std::size_t k_damaged_bytes = 24;
constexpr std::size_t k_fragile_bytes = 16;

BlockPos read_pos(Reader& in) {
    const auto x = in.be<std::int32_t>();
    const auto y = in.be<std::int32_t>();
    const auto z = in.be<std::int32_t>();
    return {x, y, z};
}

void write_pos(Writer& out, BlockPos pos) {
    out.be(pos.x);
    out.be(pos.y);
    out.be(pos.z);
}

/// A count that the bytes after it can hold.
bool read_count(Reader& in, std::size_t entry_bytes, std::size_t& count, Error& problem) {
    const auto at = in.position();
    const auto stored = in.be<std::int32_t>();
    if (!in.ok() || stored < 0 || static_cast<std::size_t>(stored) > in.remaining() / entry_bytes) {
        problem =
            error(Errc::truncated, "{} entries of {} bytes in {} bytes", stored, entry_bytes, in.remaining())
                .at(at);
        return false;
    }
    count = static_cast<std::size_t>(stored);
    return true;
}

} // namespace

void BlockHealth::reset() {
    version_ = k_version;
    changed_ = false;
    raw_ = {};
    damaged_.clear();
    fragile_.clear();
}

bool BlockHealth::read(Reader& in, Error& problem) {
    reset();
    const auto before = in.rest();
    const auto start = in.position();
    const auto version = in.u8();
    if (!in.ok() || version > k_version) {
        problem = error(in.ok() ? Errc::unsupported : Errc::truncated,
                        "block health of version {}, expected at most {}", version, k_version)
                      .at(start);
        return false;
    }
    std::size_t damaged = 0;
    std::size_t fragile = 0;
    if (!read_count(in, k_damaged_bytes, damaged, problem)) return false;
    for (std::size_t i = 0; i < damaged; ++i) {
        const auto pos = read_pos(in);
        const auto health = in.be<float>();
        damaged_.push_back({pos, health, in.be<std::int64_t>()});
    }
    if (version > 1) {
        if (!read_count(in, k_fragile_bytes, fragile, problem)) {
            reset();
            return false;
        }
        for (std::size_t i = 0; i < fragile; ++i) {
            const auto pos = read_pos(in);
            fragile_.push_back({pos, in.be<float>()});
        }
    }
    version_ = version;
    raw_ = before.first(in.position() - start);
    return true;
}

void BlockHealth::set(std::vector<Damaged> damaged, std::vector<Fragile> fragile) {
    damaged_ = std::move(damaged);
    fragile_ = std::move(fragile);
    changed_ = true;
}

bool BlockHealth::forget(BlockPos pos) {
    const auto here = [&](const auto& entry) { return entry.pos == pos; };
    const auto gone = std::erase_if(damaged_, here) + std::erase_if(fragile_, here);
    changed_ = changed_ || gone > 0;
    return gone > 0;
}

void BlockHealth::append_to(Buffer& buffer) const {
    Writer out(buffer);
    if (!changed_ && !raw_.empty()) return out.bytes(raw_);
    out.u8(k_version);
    out.be(static_cast<std::int32_t>(damaged_.size()));
    for (const auto& entry : damaged_) {
        write_pos(out, entry.pos);
        out.be(entry.health);
        out.be(entry.last_damage);
    }
    out.be(static_cast<std::int32_t>(fragile_.size()));
    for (const auto& entry : fragile_) {
        write_pos(out, entry.pos);
        out.be(entry.seconds);
    }
}

} // namespace orbis::chunk
