#pragma once

#include <exception>

namespace orbis::http {

/// Thrown out of a long job when the server ends.
class Stopped final : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return "the server is shutting down"; }
};

/// From here on this thread yields to all others, so that it does not slow down answers.
void lower_thread_priority();

} // namespace orbis::http
