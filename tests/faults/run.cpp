#include "faults/scenes.hpp"
#include "support/shared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/// faults ORBIS [SCENE…]: lets kills, torn writes, failing and full disks and power cuts come to every verb
/// that writes, and looks at what is left: every chunk and file old or new, no damage that was not there, the
/// change can be undone, and the same command again finishes. A few places each; all of them where
/// ORBIS_ALL_FAULTS is set (docs/design/testing.md).
namespace orbis::faults {
namespace {

namespace fs = std::filesystem;
using Fault = test::TracedFault;

class SceneRun {
public:
    SceneRun(fs::path orbis, const Scene& scene, bool all)
        : orbis_(std::move(orbis)), scene_(scene), all_(all) {
        fs::create_directories(work_);
        scene_.prepare(work_, beside_);
        start_ = test::read_folder(work_);
        before_ = look();
        damage_ = count_damage(work_ / scene_.place).value_or(0);
    }

    int run() {
        const auto clean = test::trace_run(work_, job());
        if (clean.exit_code != scene_.exit_code) {
            complain("without a fault", fmt::format("exit code {}", clean.exit_code));
            return failures_;
        }
        after_ = look();
        if (after_ == before_ && scene_.promise != Promise::rewrite)
            complain("without a fault", "nothing has changed");
        const auto places = all_ ? clean.count : std::min<std::size_t>(clean.count, 3);
        for (std::size_t i = 0; i < places && failures_ < 5; ++i) {
            // Spread over the whole, and for each kind elsewhere.
            const auto at = [&](std::size_t shift) {
                return all_ ? i : ((4 * i + shift) * clean.count / (4 * places)) % clean.count;
            };
            meet({Fault::Kind::kill, at(0), 0});
            meet({Fault::Kind::tear, at(1), 0});
            meet({Fault::Kind::fail, at(2), EIO});
            meet({Fault::Kind::full, at(3), 0});
            if (all_) meet({Fault::Kind::shorten, i, 0});
        }
        cut_power();
        return failures_;
    }

private:
    using State = std::map<std::string, Content>;

    /// What the promise is about.
    [[nodiscard]] State look() const {
        const auto place = work_ / scene_.place;
        if (scene_.promise == Promise::store) return read_snapshots(place);
        if (scene_.promise == Promise::new_file) return {{"", read_one_file(place)}};
        return {{"", read_content(place)}};
    }

    [[nodiscard]] std::vector<std::string> command() const {
        std::vector<std::string> out{orbis_.string()};
        for (auto argument : scene_.arguments) {
            for (const auto& [word, folder] : {std::pair("WORK", work_), std::pair("BESIDE", beside_)})
                if (const auto at = argument.find(word); at != std::string::npos)
                    argument.replace(at, std::string_view(word).size(), folder.string());
            out.push_back(std::move(argument));
        }
        out.insert(out.end(), {"--quiet", "--threads", "1"});
        return out;
    }

    [[nodiscard]] std::function<int()> job() const {
        return [this]() -> int {
            auto words = command();
            std::vector<char*> arguments;
            for (auto& word : words) arguments.push_back(word.data());
            arguments.push_back(nullptr);
            const int nowhere = open("/dev/null", O_RDWR);
            dup2(nowhere, STDOUT_FILENO);
            if (!is_loud_) dup2(nowhere, STDERR_FILENO);
            execv(orbis_.c_str(), arguments.data());
            return 127;
        };
    }

    [[nodiscard]] int run_plainly() const {
        const auto child = fork();
        if (child == 0) _exit(job()());
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    void complain(const std::string& when, const std::string& what) {
        ++failures_;
        fmt::print("{}, {}: {}\n", scene_.name, when, what);
    }

    void meet(const Fault& fault) {
        static constexpr std::array k_names{"nothing",  "killed at", "torn and killed at",
                                            "short at", "EIO at",    "full at"};
        const auto when =
            fmt::format("{} call {}", k_names.at(static_cast<std::size_t>(fault.kind)), fault.at);
        test::write_folder(work_, start_);
        const auto run = test::trace_run(work_, job(), fault);
        const bool is_killed = fault.kind == Fault::Kind::kill || fault.kind == Fault::Kind::tear;
        if (!run.faulted) return;
        if (run.exit_code < 0 && !is_killed) complain(when, "it crashed");
        // A snapshot has the time in its name, so that only its content can be compared.
        const bool says_done = !is_killed && run.exit_code == scene_.exit_code;
        if (says_done && scene_.promise != Promise::store && look() != after_)
            complain(when, "it says that all is done, and it is not");
        check(when, says_done && scene_.promise == Promise::store, true);
    }

    void cut_power() {
        test::write_folder(work_, start_);
        std::size_t number = 0;
        test::after_power_cuts(work_, job(), [&](const test::PowerCut& cut) {
            if (failures_ >= 5) return;
            // RocksDB takes a log with a hole for damaged and not for cut, and so does orbis: nothing behind
            // the hole shall be dropped in silence.
            if (cut.lost.starts_with("all but the last write to") && cut.lost.ends_with(".log")) return;
            const bool again = all_ || number % 16 == 5;
            const bool wanted = all_ || cut.finished || number % stride_ == 0;
            if (++number > 120) stride_ = 5; // the database makes hundreds
            if (wanted)
                check(fmt::format("power cut after {} calls, lost: {}", cut.calls, cut.lost), cut.finished,
                      again && !cut.finished);
        });
    }

    void check(const std::string& when, bool finished, bool again) {
        const auto state = test::read_folder(work_);
        switch (scene_.promise) {
        case Promise::in_place:
        case Promise::once:
        case Promise::rewrite:
        case Promise::undo: check_in_place(when, finished); break;
        case Promise::new_file: check_new_file(when, finished); break;
        case Promise::new_copy: check_new_copy(when, finished); break;
        case Promise::store: check_store(when, finished); break;
        }
        if (!again) return;
        test::write_folder(work_, state);
        if (scene_.promise == Promise::undo && !has_changes(work_ / scene_.place)) return;
        if (scene_.promise != Promise::store && look() == after_) return; // it is done
        if (scene_.promise == Promise::once)
            if (const auto wrong = undo_all(work_ / scene_.place); !wrong.empty())
                return complain(when, wrong);
        if (const auto code = run_plainly(); code != scene_.exit_code)
            return complain(when, fmt::format("the same command again ends with {}", code));
        if (scene_.promise != Promise::store && look() != after_)
            complain(when, "the same command again does not finish it");
        if (scene_.promise == Promise::store) check_store(when + ", then again", true);
    }

    /// Each thing of `now` is as in one of the two.
    template <typename Things>
    static std::string strangers(const Things& now, const Things& a, const Things& b) {
        const auto value = [](const Things& things, const auto& key) {
            const auto found = things.find(key);
            return found == things.end() ? std::optional<std::string>() : found->second;
        };
        Things all = now;
        all.insert(a.begin(), a.end());
        all.insert(b.begin(), b.end());
        for (const auto& [key, ignored] : all) {
            const auto is = value(now, key);
            if (is == value(a, key) || is == value(b, key)) continue;
            if constexpr (std::is_same_v<std::decay_t<decltype(key)>, std::string>)
                return key;
            else
                return fmt::format("{}", key.second);
        }
        return {};
    }

    void check_in_place(const std::string& when, bool finished) {
        const auto place = work_ / scene_.place;
        auto now = read_content(place);
        const auto whole = now;
        const auto& before = before_.at("");
        const auto& after = after_.at("");
        if (scene_.in_steps)
            std::erase_if(now.chunks, [&](const auto& chunk) {
                return chunk.second != "unreadable" && !before.chunks.contains(chunk.first);
            });
        if (const auto name = strangers(now.chunks, before.chunks, after.chunks); !name.empty())
            complain(when, name + " is neither old nor new");
        if (const auto name = strangers(now.files, before.files, after.files); !name.empty())
            complain(when, name + " is neither old nor new");
        if (finished && whole != after) complain(when, "what was said to be done is lost");
        if (count_damage(place).value_or(damage_ + 1) > damage_) complain(when, "there is new damage");
        if (scene_.promise == Promise::rewrite) return;
        if (const auto problem = undo_all(place); !problem.empty()) complain(when, "undo: " + problem);
        const auto& wanted = scene_.promise == Promise::undo ? after : before;
        if (scene_.promise == Promise::undo && finished) return;
        if (read_content(place) != wanted) complain(when, "undo does not bring everything back");
    }

    void check_new_file(const std::string& when, bool finished) {
        const auto now = look();
        if (now != before_ && now != after_) complain(when, "the file is there, and is not whole");
        if (finished && now != after_) complain(when, "what was said to be done is lost");
    }

    void check_new_copy(const std::string& when, bool finished) {
        const auto place = work_ / scene_.place;
        const auto damage = fs::exists(place) ? count_damage(place) : std::nullopt;
        const bool whole = damage == 0U && look() == after_;
        if (finished && !whole) complain(when, "what was said to be done is lost");
        if (damage && !whole) complain(when, "it is not whole and does not say so");
    }

    void check_store(const std::string& when, bool finished) {
        const auto now = look();
        for (const auto& [id, content] : now) {
            const auto old = before_.find(id);
            const auto made = after_.find(id);
            // A snapshot taken again has another time, and with it another name.
            const bool known =
                (old != before_.end() && old->second == content)
                || std::ranges::any_of(after_, [&](const auto& each) { return each.second == content; });
            if (!known && made == after_.end()) complain(when, id + " is there, and is not whole");
            if (made != after_.end() && made->second != content) complain(when, id + " is not whole");
        }
        for (const auto& [id, content] : after_)
            if (before_.contains(id) && !now.contains(id)) complain(when, id + " is lost");
        if (finished && now.size() < after_.size()) complain(when, "what was said to be done is lost");
        if (finished && after_.size() < before_.size() && now.size() != after_.size())
            complain(when, "what was said to be gone is there");
    }

    fs::path orbis_;
    const Scene& scene_;
    bool all_;
    test::TemporaryFolder folder_;
    fs::path work_ = folder_ / "work";
    fs::path beside_ = folder_ / "beside";
    test::FolderContent start_;
    State before_;
    State after_;
    std::uint64_t damage_ = 0;
    std::size_t stride_ = 2;
    int failures_ = 0;
    bool is_loud_ = std::getenv("ORBIS_FAULTS_LOUD") != nullptr; ///< orbis may say what went wrong
};

int run_all(const fs::path& orbis, const std::vector<std::string>& names) {
    const bool all = std::getenv("ORBIS_ALL_FAULTS") != nullptr;
    std::vector<Scene> scenes = all_scenes();
    if (!names.empty())
        std::erase_if(
            scenes, [&](const Scene& scene) { return std::ranges::find(names, scene.name) == names.end(); });
    // Processes and not threads: a process that follows another waits for all that it has started.
    constexpr std::size_t k_processes = 2;
    std::vector<pid_t> workers;
    for (std::size_t worker = 0; worker < k_processes; ++worker) {
        const auto child = fork();
        if (child != 0) {
            workers.push_back(child);
            continue;
        }
        int failures = 0;
        for (std::size_t i = worker; i < scenes.size(); i += k_processes)
            failures += SceneRun(orbis, scenes[i], all).run();
        std::fflush(stdout);
        _exit(failures > 0 ? 1 : 0);
    }
    int failed = 0;
    for (const auto worker : workers) {
        int status = 0;
        waitpid(worker, &status, 0);
        failed += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
    fmt::print("{} scenes: {}\n", scenes.size(), failed == 0 ? "every promise was kept" : "see above");
    return failed == 0 ? 0 : 1;
}

} // namespace
} // namespace orbis::faults

int main(int count, char** arguments) {
    if (count < 2) return 2;
    return orbis::faults::run_all(std::filesystem::absolute(arguments[1]),
                                  std::vector<std::string>(arguments + 2, arguments + count));
}
