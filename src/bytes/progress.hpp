#pragma once

#include "bytes/result.hpp"

#include <cstdint>
#include <string_view>

namespace orbis {

/// Told by a job how far it is. Called from one thread at a time.
class Progress {
public:
    virtual ~Progress() = default;
    /// A new part of the job begins; `total` steps are ahead.
    virtual void begin(std::string_view part, std::uint64_t total) = 0;
    virtual void step() = 0;
    /// What the user should know before the job goes on, though it is no failure.
    virtual void warn(const Error& /*what*/) {}
};

/// For callers that do not care.
class NoProgress final : public Progress {
public:
    void begin(std::string_view, std::uint64_t) override {}
    void step() override {}
};

} // namespace orbis
