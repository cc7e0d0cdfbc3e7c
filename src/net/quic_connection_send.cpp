#include "net/quic_library.hpp"

#include <array>

/// The sending half of a connection: which stream is next, datagrams in batches, the last word.
namespace orbis::net {

QuicConnection::Stream* QuicConnection::next_stream() {
    Stream* best = nullptr;
    std::size_t best_at = 0;
    auto at = last_stream_;
    for (std::size_t step = 0; step < streams_.size(); ++step) {
        if (++at >= streams_.size()) at = 0; // by hand: a division for each stream of each datagram shows
        auto& stream = streams_[at];
        if (!stream.wants_to_send() || (best && best->priority <= stream.priority)) continue;
        best = &stream;
        best_at = at;
    }
    if (best) last_stream_ = best_at;
    return best;
}

/// One datagram; its size, 0 when there is nothing to send now, or an error of the library.
long QuicConnection::write_packet(MutableBytes out, Path& path, std::uint8_t& ecn, Time now) {
    ngtcp2_path_storage storage;
    ngtcp2_path_storage_zero(&storage);
    ngtcp2_pkt_info info{};
    for (;;) {
        auto* stream = next_stream();
        std::array<Bytes, 4> pieces; // what does not fit comes with the next round
        std::array<ngtcp2_vec, pieces.size()> vectors;
        std::size_t count = 0;
        std::uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_NONE;
        std::size_t offered = 0;
        if (stream) {
            count = stream->queue.pieces(pieces, k_largest_datagram);
            for (std::size_t at = 0; at < count; ++at) {
                vectors[at] = {const_cast<std::uint8_t*>(pieces[at].data()), pieces[at].size()};
                offered += pieces[at].size();
            }
            flags = NGTCP2_WRITE_STREAM_FLAG_MORE;
            if (stream->is_finished && offered == stream->queue.unsent())
                flags |= NGTCP2_WRITE_STREAM_FLAG_FIN;
        }
        ngtcp2_ssize taken = -1;
        const auto written =
            ngtcp2_conn_writev_stream(connection_.get(), &storage.path, &info, out.data(), out.size(), &taken,
                                      flags, stream ? stream->id : -1, vectors.data(), count, stamp(now));
        if (stream && taken >= 0) {
            stream->queue.mark_sent(static_cast<std::size_t>(taken));
            stream->is_announced = false;
            if ((flags & NGTCP2_WRITE_STREAM_FLAG_FIN) && static_cast<std::size_t>(taken) == offered)
                stream->is_end_sent = true;
        }
        if (written > 0) {
            ecn = static_cast<std::uint8_t>(info.ecn);
            if (!is_at(storage.path.remote, path.remote)) path.remote = Address(storage.path.remote.addr);
            if (!is_at(storage.path.local, path.local)) path.local = Address(storage.path.local.addr);
            return written;
        }
        switch (written) {
        case NGTCP2_ERR_WRITE_MORE: continue;
        case NGTCP2_ERR_STREAM_DATA_BLOCKED: stream->is_blocked = true; continue;
        case NGTCP2_ERR_STREAM_SHUT_WR:
            // Of others the library tells the code when they are gone.
            if (ngtcp2_is_bidi_stream(stream->id)) refused_.push_back(stream->id);
            [[fallthrough]];
        case NGTCP2_ERR_STREAM_NOT_FOUND:
            stream->queue.clear();
            stream->is_announced = false;
            stream->is_finished = stream->is_end_sent = true;
            continue;
        default: return written;
        }
    }
}

bool QuicConnection::send_close(MutableBytes buffer, const DatagramSink& sink, Time now) {
    if (close_packet_.empty()) {
        ngtcp2_path_storage storage;
        ngtcp2_path_storage_zero(&storage);
        ngtcp2_pkt_info info{};
        ngtcp2_connection_close_error reason;
        ngtcp2_connection_close_error_default(&reason);
        const auto* text = reinterpret_cast<const std::uint8_t*>(close_->reason.data());
        if (close_->kind == Close::Kind::application)
            ngtcp2_connection_close_error_set_application_error(&reason, close_->code, text,
                                                                close_->reason.size());
        else
            ngtcp2_connection_close_error_set_transport_error(&reason, close_->code, text,
                                                              close_->reason.size());
        const auto written = ngtcp2_conn_write_connection_close(
            connection_.get(), &storage.path, &info, buffer.data(), k_largest_datagram, &reason, stamp(now));
        if (written <= 0) {
            state_ = State::gone;
            return false;
        }
        close_packet_.assign(buffer.begin(), buffer.begin() + written);
        // The client may have moved since the first packet.
        if (!is_at(storage.path.remote, path_.remote)) path_.remote = Address(storage.path.remote.addr);
        if (!is_at(storage.path.local, path_.local)) path_.local = Address(storage.path.local.addr);
    }
    sink({path_, close_packet_, close_packet_.size(), 0});
    state_ = State::closing;
    if (end_ == k_never)
        end_ = now + Duration(3 * static_cast<std::int64_t>(ngtcp2_conn_get_pto(connection_.get())));
    return false;
}

bool QuicConnection::send(MutableBytes buffer, const DatagramSink& sink, Time now) {
    if (state_ == State::close_pending || state_ == State::closing) return send_close(buffer, sink, now);
    if (state_ != State::open) return false;

    answer_by_ = k_never;
    unanswered_ = 0;
    consumed_ = 0;
    for (auto& stream : streams_) stream.is_blocked = false;
    const auto packet = ngtcp2_conn_get_max_tx_udp_payload_size(connection_.get());
    const auto quantum = ngtcp2_conn_get_send_quantum(connection_.get());
    std::size_t filled = 0;
    std::size_t total = 0;
    std::size_t segment = 0;
    std::uint8_t ecn = 0;
    auto path = path_;
    const auto flush = [&] {
        if (filled > 0) sink({path, buffer.first(filled), segment, ecn});
        filled = segment = 0;
    };
    bool has_more = false;
    for (;;) {
        if (total >= quantum && total > 0) {
            has_more = true;
            break;
        }
        if (filled + packet > buffer.size()) flush();
        auto next_path = path_;
        std::uint8_t next_ecn = 0;
        const auto written = write_packet(buffer.subspan(filled, packet), next_path, next_ecn, now);
        if (written < 0) {
            flush();
            fail_with(static_cast<int>(written), now);
            break;
        }
        if (written == 0) break;
        const auto size = static_cast<std::size_t>(written);
        total += size;
        // The kernel sends equal datagrams at once: one that is larger or goes elsewhere starts a new batch.
        if (filled > 0 && (size > segment || next_ecn != ecn || next_path != path)) {
            const auto start = filled;
            flush();
            std::memmove(buffer.data(), buffer.data() + start, size);
        }
        if (filled == 0) {
            segment = size;
            ecn = next_ecn;
            path = next_path;
        }
        filled += size;
        if (size < segment) flush();
    }
    flush();
    if (total > 0 && is_open()) ngtcp2_conn_update_pkt_tx_time(connection_.get(), stamp(now));
    // Nothing of the library may be called while a packet is being written.
    for (const auto id : std::exchange(refused_, {}))
        if (is_open() && handler_) handler_->on_stop_sending(*this, id, 0);
    // Where sending is paced, the timer says when to go on.
    return has_more && is_open() && (!is_paced_ || deadline() <= now);
}

} // namespace orbis::net
