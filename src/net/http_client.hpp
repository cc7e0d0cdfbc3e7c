#pragma once

#include "bytes/result.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace orbis::net {

/// How a client of a web service behaves.
struct HttpOptions {
    std::chrono::milliseconds connect{5'000}; ///< for the connection
    std::chrono::milliseconds total{10'000};  ///< for the whole of a request
    std::size_t largest_answer = 262'144;     ///< bytes of an answer's body
    /// PEM file with the certificates to trust instead of the system's; for services of one's own.
    std::filesystem::path authorities;
};

struct HttpRequest {
    std::string url;
    std::string bearer;              ///< what authorises it, empty for nothing
    std::optional<std::string> json; ///< POST with this body; without it GET
};

struct HttpAnswer {
    long status = 0;
    std::string body;
};

/// The base of a service's addresses without a slash at the end. It must be `https`, or `http` on this
/// machine alone, because tokens cross it; names, passwords, queries and fragments have no place in it.
Result<std::string> service_base(std::string_view url);

/// Asks a web service and waits for the answer. Follows no redirects, checks certificates and keeps
/// connections for the next request. For one thread at a time.
class HttpClient {
public:
    explicit HttpClient(HttpOptions options = {});
    ~HttpClient();
    HttpClient(HttpClient&&) noexcept;
    HttpClient& operator=(HttpClient&&) noexcept;

    /// Any status is an answer. `stop` ends it early, within a second.
    Result<HttpAnswer> send(const HttpRequest& request, const std::stop_token& stop = {});

private:
    class Handle;
    std::unique_ptr<Handle> handle_;
};

} // namespace orbis::net
