#include "bytes/result.hpp"

namespace orbis {

std::string_view name(Errc code) {
    switch (code) {
    case Errc::not_found: return "not_found";
    case Errc::exists: return "exists";
    case Errc::io: return "io";
    case Errc::no_space: return "no_space";
    case Errc::busy: return "busy";
    case Errc::read_only: return "read_only";
    case Errc::unknown_kind: return "unknown_kind";
    case Errc::unsupported: return "unsupported";
    case Errc::truncated: return "truncated";
    case Errc::bad_magic: return "bad_magic";
    case Errc::bad_value: return "bad_value";
    case Errc::out_of_range: return "out_of_range";
    case Errc::overlap: return "overlap";
    case Errc::bad_frame: return "bad_frame";
    case Errc::too_large: return "too_large";
    case Errc::too_deep: return "too_deep";
    case Errc::bad_text: return "bad_text";
    case Errc::mismatch: return "mismatch";
    case Errc::usage: return "usage";
    }
    return "unknown";
}

Error&& Error::in_file(std::string_view path) && {
    if (file.empty()) file = path;
    return std::move(*this);
}

Error&& Error::at(RegionPos pos) && {
    if (!region) region = pos;
    return std::move(*this);
}

Error&& Error::at(ChunkPos pos) && {
    if (!chunk) chunk = pos;
    return std::move(*this);
}

Error&& Error::in_section(int y) && {
    if (!section) section = y;
    return std::move(*this);
}

Error&& Error::about(std::string_view what) && {
    if (part.empty()) part = what;
    return std::move(*this);
}

Error&& Error::at(std::uint64_t byte_offset) && {
    if (!offset) offset = byte_offset;
    return std::move(*this);
}

Error&& Error::advise(std::string_view next_step) && {
    if (advice.empty()) advice = next_step;
    return std::move(*this);
}

std::string Error::subject() const {
    std::string text;
    const auto add = [&](std::string_view more) {
        if (!text.empty() && !more.empty()) text += ", ";
        text += more;
    };
    if (region) add(fmt::format("{}", *region));
    if (chunk) add(fmt::format("{}", *chunk));
    if (section) add(fmt::format("section {}", *section));
    add(part);
    return text;
}

std::string Error::text() const {
    std::string line = file;
    const auto place = [&](std::string_view more) {
        if (more.empty()) return;
        if (!line.empty()) line += line.size() == file.size() ? ": " : ", ";
        line += more;
    };
    place(subject());
    if (offset) place(fmt::format("offset {}", *offset));
    if (!line.empty()) line += ": ";
    line += problem;
    if (!advice.empty()) line += fmt::format(" ({})", advice);
    return line;
}

} // namespace orbis
