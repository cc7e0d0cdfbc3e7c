#include "http/response.hpp"

#include "bytes/json_writer.hpp"

namespace orbis::http {

Response Response::text(int status, std::string type, std::string body) {
    Response response;
    response.status = status;
    response.type = std::move(type);
    const auto kept = std::make_shared<const std::string>(std::move(body));
    response.bytes = as_bytes(*kept);
    response.owner = kept;
    return response;
}

Response Response::nothing() {
    Response response;
    response.status = 204;
    return response;
}

std::string to_json(const Error& error) {
    auto message =
        error.subject().empty() ? error.problem : fmt::format("{}: {}", error.subject(), error.problem);
    JsonWriter json;
    json.object().member("error", name(error.code)).member("message", message);
    json.member("advice", error.advice).end();
    return json.take();
}

Response Response::problem(int status, const Error& error) {
    return text(status, "application/json", to_json(error));
}

Response Response::problem(const Error& error) {
    switch (error.code) {
    case Errc::not_found: return problem(404, error);
    case Errc::usage:
    case Errc::bad_text:
    case Errc::out_of_range: return problem(400, error);
    case Errc::busy: return problem(503, error);
    default: return problem(500, error);
    }
}

} // namespace orbis::http
