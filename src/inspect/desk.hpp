#pragma once

#include "capture/personal.hpp"
#include "http/event_queue.hpp"
#include "http/live/live_clock.hpp"
#include "inspect/chunk_pictures.hpp"
#include "inspect/file_book.hpp"
#include "inspect/filter_view.hpp"
#include "inspect/inbox.hpp"
#include "inspect/packet_json.hpp"
#include "inspect/rates.hpp"
#include "inspect/ring_book.hpp"
#include "inspect/scene.hpp"

#include <thread>

namespace orbis::inspect {

struct DeskSettings {
    bool keeps_personal = false;
    std::size_t ring_bytes = 128 << 20;
    std::size_t inbox_bytes = 64 << 20;
    http::LiveClock* clock = &http::LiveClock::system();
};

/// Takes packets as they come, or reads those of a capture, in a thread of its own, and keeps everything that
/// the page asks for: the book, filters, rates, latency and what players see. Any thread may ask.
class Desk {
public:
    static constexpr std::size_t k_most_players = 10'000; ///< that are listed
    static constexpr std::size_t k_most_scenes = 16;
    static constexpr std::size_t k_most_drawn = 4; ///< players whose chunks are drawn
    static constexpr std::size_t k_most_views = 8;

    /// For a proxy: packets come through `inbox`.
    explicit Desk(DeskSettings settings);
    /// For a capture.
    Desk(std::unique_ptr<FileBook> file, DeskSettings settings);
    ~Desk();
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    [[nodiscard]] Inbox& inbox() { return inbox_; }
    [[nodiscard]] const PacketBook& book() const { return *book_; }
    [[nodiscard]] bool is_of_file() const { return file_ != nullptr; }
    [[nodiscard]] bool keeps_personal() const { return settings_.keeps_personal; }
    [[nodiscard]] http::EventHub& events() { return events_; }

    struct Player {
        std::string name{}; ///< empty while it is not known
        std::string build{};
        std::uint64_t frames = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] std::map<std::uint64_t, Player> players() const;
    [[nodiscard]] Rates::Table rates(std::size_t most_series) const;
    [[nodiscard]] std::vector<Latency::Player> latency() const;

    /// The packets that a filter is true for; empty for all. An error is one of the filter.
    Result<std::shared_ptr<FilterView>> view(const std::string& filter);

    struct SceneFacts {
        std::vector<std::pair<std::int64_t, Scene::Entity>> entities{};
        std::optional<Scene::Place> place{};
        std::optional<ChunkPictures::Bounds>
            bounds{}; ///< of the pictures, or of all chunks if there are none
        std::size_t chunks = 0;
        std::optional<std::size_t> drawn{}; ///< chunks; nothing for a player who is not drawn
        std::uint64_t worlds = 0;
        std::uint64_t version = 0;
        std::uint64_t left_out = 0;
    };
    /// Nothing for a player who was never heard of, or too long ago.
    [[nodiscard]] std::optional<SceneFacts> scene(std::uint64_t player) const;
    /// Whether there is anything on this tile.
    bool paint(std::uint64_t player, TilePos tile, map::TilePixels& out) const;

    /// The text of the event `state` and of the answer to it.
    [[nodiscard]] std::string state_json() const;
    void set_title(std::string title, std::string program);

private:
    struct Session {
        Scene scene;
        std::shared_ptr<ChunkPictures> pictures; ///< null for those that are not drawn
        std::uint64_t worlds = 0;
        std::int64_t heard = 0; ///< time of the last packet
    };
    struct UsedView {
        std::shared_ptr<FilterView> view;
        http::LiveClock::Time used{};
    };

    void run(const std::stop_token& stop);
    /// Whether there is more to do at once.
    bool turn();
    bool take_letters();
    bool read_file();
    void feed(const capture::Record& record);
    void feed_player(const capture::Record& record);
    Session& session_of(const capture::Record& record);
    void make_room_to_draw(std::int64_t now);
    void draw(bool everything);
    void advance_views();
    void tell();

    const DeskSettings settings_;
    std::string title_;
    std::string program_;
    Inbox inbox_;
    std::unique_ptr<FileBook> file_; ///< of a capture
    std::unique_ptr<RingBook> ring_; ///< of a proxy
    const PacketBook* book_;
    http::EventHub events_;
    map::Colours colours_;

    capture::PersonalData personal_; ///< of the thread, as what follows up to the lock
    capture::RecordDecoder decoder_{PacketJson::k_largest_tree};
    Decompressor decompressor_; ///< of all pictures
    std::int64_t last_time_ = 0;
    http::LiveClock::Time told_at_{};
    std::string told_;
    bool was_drawn_to_end_ = false;

    mutable std::mutex mutex_; ///< guards what follows
    std::map<std::uint64_t, Player> players_;
    Rates rates_;
    Latency latency_;
    mutable RecentMap<std::uint64_t, Session> sessions_{RecentMap<std::uint64_t, Session>::k_unlimited,
                                                        k_most_scenes};
    std::size_t drawn_ = 0; ///< sessions that have pictures

    std::mutex views_mutex_; ///< guards the next one
    RecentMap<std::string, UsedView> views_{RecentMap<std::string, UsedView>::k_unlimited, k_most_views};

    std::jthread thread_; ///< last: it uses all others
};

} // namespace orbis::inspect
