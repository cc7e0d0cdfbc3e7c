#include "bench_world.hpp"
#include "game/chunks/chunk_encoder.hpp"
#include "harness.hpp"
#include "net/game_build.hpp"
#include "net/interpreter.hpp"
#include "protocol/catalogue.hpp"
#include "world/assets.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <gnutls/crypto.h>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace orbis::bench {

namespace {

using namespace game;

/// Encrypts as QUIC does: AES-128-GCM, a datagram's worth at a time.
class Cipher {
public:
    Cipher() {
        std::array<std::uint8_t, 16> key{};
        const gnutls_datum_t datum{key.data(), key.size()};
        if (gnutls_aead_cipher_init(&handle_, GNUTLS_CIPHER_AES_128_GCM, &datum) != 0)
            throw std::runtime_error("GnuTLS has no AES-128-GCM");
    }
    ~Cipher() { gnutls_aead_cipher_deinit(handle_); }
    Cipher(const Cipher&) = delete;
    Cipher& operator=(const Cipher&) = delete;

    void encrypt(Bytes bytes) {
        constexpr std::array<std::uint8_t, 12> k_nonce{};
        constexpr std::array<std::uint8_t, 20> k_header{};
        while (!bytes.empty()) {
            const auto part = bytes.first(std::min<std::size_t>(bytes.size(), 1'400));
            bytes = bytes.subspan(part.size());
            std::size_t size = out_.size();
            gnutls_aead_cipher_encrypt(handle_, k_nonce.data(), k_nonce.size(), k_header.data(),
                                       k_header.size(), 16, part.data(), part.size(), out_.data(), &size);
        }
        benchmark::DoNotOptimize(out_.data());
    }

private:
    gnutls_aead_cipher_hd_t handle_{};
    std::array<std::uint8_t, 1'600> out_{};
};

/// The chunks of a world on the disk, and the payloads that clients get of them.
struct Work {
    std::shared_ptr<storage::Store> store;
    std::vector<ChunkPos> positions;
    StoreSource source;
    WireIds ids{world::Assets::built_in()};
    ChunkEncoder maker;
    Compressor compressor{Compressor::k_game_level};
    Cipher cipher;
    storage::ReadContext context;
    std::vector<Buffer> payloads;

    explicit Work(const BenchWorld& world)
        : store(
              storage::open_region_store(storage::Folder(storage::open_disk_tree(world.chunks)), {}).value()),
          positions(world.positions),
          source(store) {
        chunk::Chunk chunk;
        ChunkPackets packets;
        protocol::PayloadWriter writer;
        for (const auto pos : positions) {
            if (!chunk.read(store->read(pos, context).value().value(), k_sent_parts)
                || !packets.make(pos, chunk, ids))
                throw std::runtime_error("a chunk cannot be sent");
            packets.for_each([&](const auto& packet) {
                const auto payload = writer.write(packet).value();
                payloads.emplace_back(payload.begin(), payload.end());
            });
        }
    }
    /// For players of these builds; null, as none, for the usual one.
    EncodedChunkPtr column(ChunkPos pos, std::span<const protocol::Dialect* const> words = {}) {
        return maker.make(source, pos, ids, nullptr, nullptr, words).value();
    }
};

void make_columns(Work& work) {
    for (const auto pos : work.positions) {
        const auto column = work.column(pos);
        for (const auto& part : column->parts) work.cipher.encrypt(part.frame.frame().bytes());
    }
}

/// Columns in the words of a build, made for the first of its clients; the others get the same frames.
class ColumnsOf {
public:
    ColumnsOf(std::shared_ptr<Work> work, const protocol::BuildInfo& build, bool has_usual_players = false)
        : work_(std::move(work)),
          interpreter_(*protocol::Dialect::of(build), protocol::Side::server, false, framer_, decompressor_,
                       [](protocol::Channel, Bytes) {}) {
        words_.push_back(&interpreter_.dialect());
        if (has_usual_players) words_.push_back(nullptr);
    }

    void make() {
        for (const auto pos : work_->positions) {
            const auto column = work_->column(pos, words_);
            const auto& parts = column->parts;
            for (std::size_t at = 0; at < parts.size(); ++at) {
                const auto& frame = parts[at].frame;
                if (at + 1 < parts.size() && interpreter_.says_as_one(frame, parts[at + 1].frame))
                    encrypt(interpreter_.render_as_one(frame, parts[++at].frame).value());
                else if (interpreter_.as_it_is(frame.info().id))
                    work_->cipher.encrypt(frame.frame().bytes());
                else
                    encrypt(interpreter_.render(frame).value());
            }
        }
    }

private:
    void encrypt(const net::Renderings::Frames& frames) {
        for (const auto& [channel, frame] : frames) work_->cipher.encrypt(frame.bytes());
    }

    std::shared_ptr<Work> work_;
    protocol::PayloadFramer framer_;
    Decompressor decompressor_;
    net::Interpreter interpreter_;
    std::vector<const protocol::Dialect*> words_;
};

void send_payloads(Work& work) {
    for (const auto& payload : work.payloads) work.cipher.encrypt(*work.compressor.compress(payload));
}

void add_rows() {
    const auto& world = world_for(Terrain::dense);
    const auto work = std::make_shared<Work>(world);
    add_ratio(
        {"game: columns from the disk, encrypted, " + world.name, "× zstd + AES", 1.3, Better::lower},
        [work] { make_columns(*work); }, [work] { send_payloads(*work); });
    // What nobody can leave out who starts from the disk: to decompress the chunk.
    add_ratio(
        {"game: the same, against all that zstd and AES do, " + world.name, "×", 1.3, Better::lower},
        [work] { make_columns(*work); },
        [work] {
            for (const auto pos : work->positions)
                benchmark::DoNotOptimize(work->store->read(pos, work->context)->value().data());
            send_payloads(*work);
        });
    for (const auto* build : net::spoken_builds())
        if (build->build != protocol::k_default_build)
            add_ratio(
                {fmt::format("game: columns from the disk for players of {}, {}", build->build, world.name),
                 fmt::format("× {}", protocol::k_default_build), 1.1, Better::lower},
                [columns = std::make_shared<ColumnsOf>(work, *build)] { columns->make(); },
                [work] { make_columns(*work); });
    // Both are made, and one is encrypted.
    const auto& apart = *protocol::find_build("b242");
    add_ratio(
        {fmt::format("game: the same for {} beside {}, {}", apart.build, protocol::k_default_build,
                     world.name),
         fmt::format("× {}", protocol::k_default_build), std::nullopt, Better::lower},
        [columns = std::make_shared<ColumnsOf>(work, apart, true)] { columns->make(); },
        [work] { make_columns(*work); });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
