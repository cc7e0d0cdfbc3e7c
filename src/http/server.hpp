#pragma once

#include "http/address.hpp"
#include "http/response.hpp"
#include "http/target.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orbis::http {

/// A request that may be answered: GET or HEAD, with a target that was taken apart, of a client that may ask.
struct Request {
    Target target;
    std::string client; ///< the address of the machine that asks, as text
};

/// The one answer to a request, from any thread, now or later. A responder that goes without having answered
/// answers with status 500.
class Responder {
public:
    class Exchange; ///< of server.cpp

    explicit Responder(std::shared_ptr<Exchange> exchange);
    Responder(Responder&&) noexcept;
    Responder& operator=(Responder&&) noexcept;
    ~Responder();

    void answer(Response response);
    /// Whether the client has closed the connection: then no answer is needed.
    [[nodiscard]] bool is_abandoned() const;

private:
    std::shared_ptr<Exchange> exchange_;
};

/// Called on the one thread of the server: must not wait for anything, and hands work on to others.
using Handler = std::function<void(const Request& request, Responder responder)>;

struct ServerOptions {
    std::size_t connections = 2048; ///< at once; less when the system allows fewer files
    std::size_t silent = 100;       ///< of one address, that do not ask for anything; a browser has up to 6
    std::chrono::milliseconds head{10'000};    ///< for the head of a request
    std::chrono::milliseconds idle{20'000};    ///< between requests
    std::chrono::milliseconds send{120'000};   ///< for the client to take an answer
    std::chrono::milliseconds newcomer{1'000}; ///< to say what it wants, also when most places are taken
    std::chrono::milliseconds sweep{250};      ///< between looks at who takes too long
    std::vector<std::string> hosts{};          ///< names that it answers to beside its own
};

/// An HTTP/1.1 server for reading only.
///
/// One thread serves all connections and waits for none of them. Another looks now and then after those that
/// take too long: idle ones are closed when their time is over, and the oldest of them earlier when most
/// places are taken, or when one address has too many of them, so that a hostile client cannot keep others
/// out.
class Server {
public:
    static Result<std::unique_ptr<Server>> start(Address address, Handler handler,
                                                 ServerOptions options = {});
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    /// Ends streams, answers waiting requests with status 503, and closes everything.
    ~Server();

    /// With the real port.
    [[nodiscard]] const Address& address() const;
    /// Connections that are open now.
    [[nodiscard]] std::size_t connections() const;

private:
    class Daemon;
    explicit Server(std::unique_ptr<Daemon> daemon);

    std::unique_ptr<Daemon> daemon_;
};

} // namespace orbis::http
