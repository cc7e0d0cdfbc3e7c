#include "game/codec/light_codec.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <algorithm>

namespace orbis::game {

namespace {

/// Nodes at this level have single cells as children; below it there is nothing.
constexpr int k_last_level = 4;

/// Copies one node of a tree that was checked when it was read.
void copy_node(const std::uint8_t*& from, std::uint8_t*& to) {
    const unsigned mask = *to++ = *from++;
    for (unsigned i = 0; i < 8; ++i) {
        if ((mask >> i & 1) != 0) {
            copy_node(from, to);
            continue;
        }
        store_le(to, load_be<std::uint16_t>(from));
        from += 2;
        to += 2;
    }
}

/// Reads one node into the values of its `8 * span` cells.
bool read_node(Reader& in, int level, std::uint16_t* out, Error& problem) {
    const std::size_t span = std::size_t{1} << (3 * (k_last_level - level));
    const auto at = in.position();
    const unsigned mask = in.u8();
    if (mask != 0 && level == k_last_level) {
        problem = error(Errc::too_deep, "a node of the light tree lies below the fifth level").at(at);
        return false;
    }
    for (unsigned i = 0; i < 8; ++i, out += span) {
        if ((mask >> i & 1) != 0) {
            if (!read_node(in, level + 1, out, problem)) return false;
        } else {
            std::fill_n(out, span, in.le<std::uint16_t>());
        }
    }
    if (in.ok()) return true;
    problem = error(Errc::truncated, "the light tree ends early").at(in.position());
    return false;
}

} // namespace

void append_light(const chunk::Light& light, Buffer& out) {
    out.push_back(light.present() ? 1 : 0);
    if (!light.present()) return;
    const auto* from = light.tree().data();
    auto* to = Writer(out).grow(light.tree().size());
    copy_node(from, to);
}

Result<ReceivedLight> read_light(Bytes bytes) {
    Reader in(bytes);
    const auto has = in.u8();
    if (!in.ok()) return fail(error(Errc::truncated, "the light has no flag").at(0));
    if (has > 1)
        return fail(error(Errc::bad_value, "the flag of the light is {}, expected 0 or 1", has).at(0));
    ReceivedLight out;
    if (has == 1) {
        Error problem;
        out.emplace(k_cells);
        if (!read_node(in, 0, out->data(), problem)) return fail(std::move(problem));
    }
    if (in.remaining() > 0)
        return fail(error(Errc::bad_value, "{} bytes follow the light", in.remaining()).at(in.position()));
    return out;
}

} // namespace orbis::game
