#pragma once

#include "http/address.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orbis::http {

/// Says which `Host` headers a server answers to.
///
/// A page of a stranger can let its own name lead to 127.0.0.1, and the visitor's browser then takes this
/// server for a part of that page. What the browser sends as `Host` is still the stranger's name, so names
/// are refused: only addresses, the names of this machine itself and those that were allowed are answered.
class HostCheck {
public:
    explicit HostCheck(Address address, std::vector<std::string> allowed = {});

    /// `value` as it stands in the header: a host and perhaps a port.
    [[nodiscard]] bool allows(std::string_view value) const;

private:
    Address address_;
    std::string machine_; ///< its own name, where it listens beyond loopback
    std::vector<std::string> allowed_;
};

/// An error for what is not the name of a host, such as a URL or a name with a port.
Result<void> check_host_name(std::string_view name);

} // namespace orbis::http
