#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"
#include "http/address.hpp"
#include "http/event_queue.hpp"

#include <memory>
#include <string>

namespace orbis::http {

/// How long a client may keep an answer.
enum class Keep : std::uint8_t {
    no,         ///< not at all
    revalidate, ///< and asks each time whether it is still the same
    forever,    ///< its name changes with its content
};

/// What a request is answered with: bytes, a file, or events without an end.
struct Response {
    int status = 200;
    std::string type;
    Keep keep = Keep::no;
    std::string etag; ///< without the quotes; empty for none

    Bytes bytes;
    std::shared_ptr<const void> owner; ///< keeps `bytes` alive; null for those that live forever
    Descriptor file;                   ///< instead of `bytes`
    std::uint64_t file_size = 0;
    std::shared_ptr<EventQueue> events; ///< instead of both

    static Response text(int status, std::string type, std::string body);
    static Response json(std::string body) { return text(200, "application/json", std::move(body)); }
    /// 204: what was asked for is empty.
    static Response nothing();
    /// Of an error of the library: `{"error": …, "message": …, "advice": …}`.
    static Response problem(int status, const Error& error);
    /// With the status that fits the code.
    static Response problem(const Error& error);
};

/// `{"error": …, "message": …, "advice": …}`, without the path of a file: a user of the map need not
/// know where it is on the server.
std::string to_json(const Error& error);

} // namespace orbis::http
