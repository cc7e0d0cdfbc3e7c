#pragma once

#include "bytes/worker_pool.hpp"
#include "http/server.hpp"
#include "inspect/desk.hpp"
#include "inspect/packet_json.hpp"

#include <atomic>
#include <functional>
#include <span>

namespace orbis::inspect {

/// Answers the requests of the inspector's page (docs/design/inspector.md).
class Inspector {
public:
    static constexpr std::int32_t k_most_rows = 500;
    static constexpr std::size_t k_longest_filter = 1'000;
    static constexpr std::size_t k_longest_search = 200;
    static constexpr std::uint64_t k_largest_export = std::uint64_t{2} << 30;

    /// `desk` must outlive this.
    explicit Inspector(Desk& desk);
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;
    ~Inspector();

    /// The server's handler.
    void answer(const http::Request& request, http::Responder responder);

private:
    /// What a thread that answers keeps.
    struct Worker {
        PacketJson packets;
        std::unique_ptr<map::TilePixels> pixels;
        map::TileEncoder encoder;
    };
    using Path = std::span<const std::string>;
    using Make = std::move_only_function<http::Response(Worker&)>;

    void answer_page(Path path, http::Responder responder) const;
    void answer_api(const http::Request& request, http::Responder responder);
    /// Answers later, in a thread of the pool.
    static void later(WorkerPool<Worker>& pool, http::Responder responder, Make make);

    http::Response events(const std::string& client);
    http::Response rows(const http::Target& target, Worker& worker);
    http::Response rank(const http::Target& target);
    http::Response find(const http::Target& target, Worker& worker);
    http::Response packet(Path path, const http::Target& target, Worker& worker);
    http::Response rates() const;
    http::Response latency() const;
    http::Response scene(std::uint64_t player) const;
    http::Response tile(Path path, Worker& worker) const;
    http::Response export_file(const http::Target& target, Worker& worker);

    Desk& desk_;
    std::atomic<bool> is_stopping_ = false;
    WorkerPool<Worker> workers_; ///< of what the page waits for
    WorkerPool<Worker> slow_;    ///< of exports
};

} // namespace orbis::inspect
