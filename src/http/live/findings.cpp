#include "http/live/findings.hpp"

#include "bytes/json_writer.hpp"
#include "http/live/background.hpp"

#include <exception>

namespace orbis::http {

/// Counts chunks, and ends the walk when its answer is not needed any more.
class Findings::Count final : public Progress {
public:
    explicit Count(Findings& findings) : findings_(findings) {}
    void begin(std::string_view, std::uint64_t) override {}
    void step() override {
        if (findings_.stopping_) throw Stopped();
        const std::lock_guard lock(findings_.mutex_);
        ++findings_.checked_;
    }

private:
    Findings& findings_;
};

Findings::~Findings() { stopping_ = true; }

std::string Findings::json(std::uint64_t version, std::uint64_t chunks) {
    const std::lock_guard lock(mutex_);
    if (!running_ && (!started_ || version_ != version)) {
        if (thread_.joinable()) thread_.join(); // it has ended
        started_ = running_ = true;
        version_ = version;
        checked_ = left_out_ = 0;
        lines_.clear();
        thread_ = std::jthread([this] { run(); });
    }
    JsonWriter json;
    json.object().member("state", running_ ? "running" : "done");
    json.member("checked", running_ ? std::min(checked_, chunks) : chunks).member("chunks", chunks);
    json.key("findings").array();
    for (const auto& line : lines_) json.raw(line);
    json.end().member("left_out", left_out_).end();
    return json.take();
}

void Findings::run() {
    lower_thread_priority();
    try {
        Count count(*this);
        const auto target = jobs::help_target(location_);
        jobs::verify(
            location_, assets_, {.quick = false, .threads = 1},
            [&](const jobs::Finding& finding) {
                auto line = jobs::to_json(finding, target);
                const std::lock_guard lock(mutex_);
                if (lines_.size() < k_most_lines)
                    lines_.push_back(std::move(line));
                else
                    ++left_out_;
            },
            count);
    } catch (const Stopped&) {
        return;
    }
    const std::lock_guard lock(mutex_);
    running_ = false;
}

} // namespace orbis::http
