#pragma once

#include "net/address.hpp"

#include <utility>

namespace orbis::net {

/// A descriptor that is closed with its owner.
class Socket {
public:
    explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
    ~Socket();
    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    [[nodiscard]] int descriptor() const { return descriptor_; }

    /// Sets an option that makes things faster or safer, but is not needed: where the system does not know
    /// it, nothing happens.
    void set(int level, int option, int value = 1) const;
    /// Where it is bound, with the port that the system chose.
    [[nodiscard]] Address address() const;

private:
    int descriptor_;
};

/// What the system said, "cannot listen on UDP 127.0.0.1:5520: …" for example, and what to do.
Error socket_failure(std::string_view what, const Address& address);

} // namespace orbis::net
