#pragma once

#include "bytes/descriptor.hpp"
#include "inspect/filter_view.hpp"
#include "inspect/packet_json.hpp"

#include <functional>
#include <limits>

namespace orbis::inspect {

/// Which packets are exported, and how.
struct Export {
    enum class Format : std::uint8_t { pcapng, json } format = Format::pcapng;
    std::uint64_t from = 1;                                       ///< number of the first
    std::uint64_t to = std::numeric_limits<std::uint64_t>::max(); ///< of the last
    std::uint64_t largest = std::uint64_t{2} << 30;               ///< bytes of the file
};

struct Exported {
    Descriptor file; ///< without a name: it goes with this
    std::uint64_t size = 0;
    std::uint64_t packets = 0;
};

/// Writes packets into a temporary file. `is_wanted` is asked now and then; when it is not, or the file would
/// become too large, that is an error.
Result<Exported> export_packets(const PacketBook& book, const FilterView& view, const Export& wanted,
                                PacketJson& packets, const std::function<bool()>& is_wanted);

} // namespace orbis::inspect
