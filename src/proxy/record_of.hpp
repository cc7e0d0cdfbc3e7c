#pragma once

#include "capture/record.hpp"
#include "proxy/frame_observer.hpp"

namespace orbis::proxy {

/// A frame as captures and filters know it; a view of the sighting.
capture::Record record_of(const Sighting& sighting);

} // namespace orbis::proxy
