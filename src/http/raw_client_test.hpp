#pragma once

#include "http/address.hpp"
#include "support/wait_for.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace orbis::http::test {

/// A client that says exactly what it is told, byte for byte.
class RawClient {
public:
    explicit RawClient(const Address& address, int receive_buffer = 0)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (receive_buffer > 0)
            setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in where{};
        where.sin_family = AF_INET;
        where.sin_port = htons(address.port);
        std::memcpy(&where.sin_addr, address.bytes.data(), 4);
        connected_ = connect(socket_.number(), reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    }

    [[nodiscard]] bool connected() const { return connected_; }

    bool send(std::string_view text) {
        while (!text.empty()) {
            const auto sent = ::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    /// Reads once; false when nothing comes, or the other end closed.
    bool read_some(std::chrono::milliseconds patience = orbis::test::k_patience) {
        pollfd waiting{socket_.number(), POLLIN, 0};
        if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
        char buffer[65536];
        const auto got = recv(socket_.number(), buffer, sizeof buffer, 0);
        if (got > 0) {
            read_.append(buffer, static_cast<std::size_t>(got));
            received_ += static_cast<std::size_t>(got);
        }
        closed_ = got <= 0;
        return got > 0;
    }

    /// What was read, as soon as `until` is in it or the other end closed.
    std::string read_until(std::string_view until) {
        while (read_.find(until) == std::string::npos && read_some()) {
        }
        return read_;
    }

    /// One whole answer with a Content-Length, taken off what was read.
    std::string read_answer(bool has_body = true) {
        read_until("\r\n\r\n");
        const auto head = read_.find("\r\n\r\n");
        if (head == std::string::npos) return std::exchange(read_, {});
        std::size_t size = head + 4;
        if (const auto at = read_.find("Content-Length: "); has_body && at < head)
            size += std::stoul(read_.substr(at + 16));
        while (read_.size() < size && read_some()) {
        }
        auto answer = read_.substr(0, size);
        read_.erase(0, answer.size());
        return answer;
    }

    void forget() { read_.clear(); }
    /// Bytes in all, forgotten ones too.
    [[nodiscard]] std::size_t received() const { return received_; }

    /// Reads until the other end closes. Whether it did.
    bool reads_to_the_end() {
        while (read_some()) {
        }
        return closed_;
    }
    /// What has come by now and was not taken.
    const std::string& read_now() {
        while (read_some(std::chrono::milliseconds(0))) {
        }
        return read_;
    }

    [[nodiscard]] int socket() const { return socket_.number(); }

private:
    Descriptor socket_;
    bool connected_ = false;
    bool closed_ = false;
    std::string read_;
    std::size_t received_ = 0;
};

inline std::string get(std::string_view target, std::string_view more = "") {
    return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", target, more);
}

inline std::string ask(const Address& address, std::string_view request) {
    RawClient client(address);
    client.send(request);
    return client.read_answer();
}

inline int status_of(std::string_view answer) {
    if (!answer.starts_with("HTTP/1.1 ") || answer.size() < 12) return 0;
    return std::stoi(std::string(answer.substr(9, 3)));
}

inline std::string body_of(std::string_view answer) {
    const auto head = answer.find("\r\n\r\n");
    return std::string(head == answer.npos ? "" : answer.substr(head + 4));
}

} // namespace orbis::http::test
