#pragma once

#include "http/server.hpp"
#include "inspect/inspector.hpp"

#include <memory>
#include <string>
#include <vector>

namespace orbis::app {

/// The page of the inspector on an address, for `proxy` and `capture serve`.
class InspectPage {
public:
    /// `desk` must outlive this.
    static Result<std::unique_ptr<InspectPage>>
    start(const http::Address& address, const std::vector<std::string>& hosts, inspect::Desk& desk);

    /// Where a browser finds it.
    [[nodiscard]] std::string url() const;

private:
    explicit InspectPage(inspect::Desk& desk) : inspector_(desk) {}

    inspect::Inspector inspector_;
    std::unique_ptr<http::Server> server_; ///< after what it asks
};

} // namespace orbis::app
