#include "capture/capture_reader.hpp"
#include "capture/filter.hpp"
#include "capture/made_records_test.hpp"
#include "harness.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace orbis::bench {

namespace {

/// A capture as a server writes one: movements, some entities, chunks. In a file of its own.
class CaptureFile {
public:
    CaptureFile()
        : path_(std::filesystem::temp_directory_path()
                / ("orbis-bench-capture-" + std::to_string(getpid()))) {
        capture::made::Records records;
        for (std::uint64_t number = 0; number < 40; ++number)
            records.add(capture::Side::server, "ClientMovement", R"({"mountedTo":0})", 1 + number % 8);
        for (int number = 0; number < 4; ++number)
            records.add(capture::Side::server, "ChatMessage", R"({"message":"hello"})");
        std::string bytes;
        unsigned state = 1;
        for (int number = 0; number < 3000;
             ++number) { // as large as a chunk of the game when it is compressed
            state = state * 1'103'515'245 + 12'345;
            for (const auto shift : {16U, 20U}) bytes += "0123456789abcdef"[state >> shift & 15U];
        }
        for (int number = 0; number < 4; ++number)
            records.add(capture::Side::client, "SetChunk",
                        R"({"x":1,"y":2,"z":3,"localLight":null,"globalLight":null,"data":")" + bytes
                            + R"("})");
        Buffer some;
        for (const auto& record : records.all()) capture::append_record(some, record);
        Buffer start;
        capture::append_file_start(start, "bench");
        std::ofstream out(path_, std::ios::binary);
        out << as_text(start);
        const std::size_t wanted = is_quick() ? some.size() : 256'000'000;
        for (size_ = start.size(); size_ < wanted; size_ += some.size()) out << as_text(some);
    }
    ~CaptureFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    CaptureFile(const CaptureFile&) = delete;
    CaptureFile& operator=(const CaptureFile&) = delete;

    [[nodiscard]] double size() const { return static_cast<double>(size_); }

    void read(capture::Matcher* matcher) const {
        auto reader = capture::CaptureReader::open(path_).value();
        std::uint64_t found = 0;
        for (;;) {
            const auto next = reader.next();
            if (!next) throw std::runtime_error(next.error().text());
            if (!*next) break;
            if (matcher == nullptr || matcher->matches(**next)) ++found;
        }
        benchmark::DoNotOptimize(found);
    }

private:
    std::filesystem::path path_;
    std::size_t size_ = 0;
};

void add_capture_rows() {
    const auto file = std::make_shared<std::optional<CaptureFile>>();
    const auto rate = [file](const char* filter) {
        return [file, filter] {
            if (!*file) file->emplace(); // when the row runs, not for others
            std::optional<capture::Matcher> matcher;
            if (filter != nullptr) matcher.emplace(capture::Filter::parse(filter).value());
            double best = 0;
            for (int turn = 0; turn < (is_quick() ? 1 : 5); ++turn) {
                const auto start = std::chrono::steady_clock::now();
                (*file)->read(matcher ? &*matcher : nullptr);
                const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
                best = std::max(best, (*file)->size() / took.count() / 1e6);
            }
            return best;
        };
    };
    add_value({"capture: reading", "MB/s", 200, Better::higher}, rate(nullptr));
    add_value({"capture: reading, a filter on headers", "MB/s", 200, Better::higher},
              rate("to server and size > 1000"));
    add_value({"capture: reading, a filter on a field of one packet in 12", "MB/s", 200, Better::higher},
              rate("ChatMessage.message ~ nobody"));
}

const Registration k_capture_registered(add_capture_rows);

} // namespace

} // namespace orbis::bench
