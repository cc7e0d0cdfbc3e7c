#include "support/power_cut.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

namespace orbis::test {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t k_sector = 512;

std::string content_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A write into a file, or a new size of it.
struct FileStep {
    std::uint64_t offset = 0;
    std::string bytes;
    std::optional<std::uint64_t> size;

    void apply(std::string& content) const {
        if (size) {
            content.resize(*size);
            return;
        }
        if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
        content.replace(offset, bytes.size(), bytes);
    }
};

struct Node;
using NodePointer = std::shared_ptr<Node>;

/// What happens to names of one folder at once; nothing for a name that goes.
using FolderStep = std::vector<std::pair<std::string, NodePointer>>;

struct Node {
    bool is_folder = false;
    std::string durable;
    std::vector<FileStep> file_steps;
    std::map<std::string, NodePointer> names; ///< as programs see them
    std::map<std::string, NodePointer> durable_names;
    std::vector<FolderStep> folder_steps;

    [[nodiscard]] bool has_steps() const { return !file_steps.empty() || !folder_steps.empty(); }

    void sync() {
        for (const auto& step : file_steps) step.apply(durable);
        file_steps.clear();
        folder_steps.clear();
        durable_names = names;
    }
    void change_names(FolderStep step) {
        for (const auto& [name, node] : step)
            if (node)
                names[name] = node;
            else
                names.erase(name);
        folder_steps.push_back(std::move(step));
    }
};

/// How much of the steps of one file or folder reaches the disk.
enum class Fate : std::uint8_t { kept, lost, torn, zeros, only_last, only_first };

std::string survivor(const Node& file, Fate fate) {
    auto content = file.durable;
    const auto& steps = file.file_steps;
    if (fate == Fate::lost) return content;
    if (fate == Fate::zeros) {
        auto whole = content;
        for (const auto& step : steps) step.apply(whole);
        content.resize(whole.size());
        return content;
    }
    if (fate == Fate::only_last) { // its sectors, with what was written to them before
        auto whole = content;
        for (const auto& step : steps) step.apply(whole);
        const auto& last = steps.back();
        content.resize(whole.size());
        if (last.size || last.bytes.empty()) return content;
        const auto begin = last.offset / k_sector * k_sector;
        const auto end = std::min<std::uint64_t>(
            whole.size(), (last.offset + last.bytes.size() + k_sector - 1) / k_sector * k_sector);
        content.replace(begin, end - begin, whole, begin, end - begin);
        return content;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (fate == Fate::only_first && i > 0) break;
        auto step = steps[i];
        if (fate == Fate::torn && i + 1 == steps.size() && !step.size) {
            const auto middle = (step.offset + step.bytes.size() / 2) / k_sector * k_sector;
            step.bytes.resize(middle > step.offset ? middle - step.offset : 0);
            if (step.bytes.empty()) break;
        }
        step.apply(content);
    }
    return content;
}

std::map<std::string, NodePointer> surviving_names(const Node& folder, Fate fate) {
    if (fate == Fate::kept) return folder.names;
    auto names = folder.durable_names;
    if (fate == Fate::lost) return names;
    const auto count = fate == Fate::only_first ? 1 : folder.folder_steps.size() - 1;
    for (std::size_t i = 0; i < count; ++i)
        for (const auto& [name, node] : folder.folder_steps[i])
            if (node)
                names[name] = node;
            else
                names.erase(name);
    return names;
}

/// The disk under a folder while a job runs.
class Model {
public:
    explicit Model(const FolderContent& content) : root_(std::make_shared<Node>()) {
        root_->is_folder = true;
        for (const auto& [path, bytes] : content) {
            auto node = std::make_shared<Node>();
            node->is_folder = path.ends_with('/');
            node->durable = bytes;
            const auto plain = node->is_folder ? path.substr(0, path.size() - 1) : path;
            folder_of(plain).names[fs::path(plain).filename()] = node;
            folder_of(plain).durable_names[fs::path(plain).filename()] = node;
        }
    }

    void apply(const TracedCall& call);

    /// Files and folders of which something may be lost, with their paths.
    [[nodiscard]] std::vector<std::pair<std::string, const Node*>> unsynced() const {
        std::vector<std::pair<std::string, const Node*>> found;
        std::set<const Node*> seen;
        collect(*root_, "", found, seen);
        return found;
    }

    /// What is left. A rename from one folder to another is one step, so that the file is never in neither of
    /// them, nor in both; but who is done has to sync both folders.
    template <typename FateOf>
    [[nodiscard]] FolderContent state(const FateOf& fate_of, bool finished) const {
        FolderContent out;
        std::map<const Node*, int> shown;
        put(*root_, "", fate_of, out, shown);
        for (const auto& [node, old_path] : moved_) {
            const auto above = fs::path(old_path).parent_path().string();
            if (node->is_folder || (!above.empty() && !out.contains(above + "/"))) continue;
            if (!shown.contains(node.get())) out.try_emplace(old_path, survivor(*node, fate_of(*node)));
            if (shown[node.get()] > 1 && !finished) out.erase(old_path);
        }
        return out;
    }

private:
    [[nodiscard]] NodePointer find(const fs::path& path) const {
        auto node = root_;
        for (const auto& part : path) {
            if (part.empty()) continue;
            const auto found = node->names.find(part);
            if (found == node->names.end()) return nullptr;
            node = found->second;
        }
        return node;
    }
    [[nodiscard]] Node& folder_of(const fs::path& path) const {
        const auto folder = find(path.parent_path());
        if (!folder) throw std::runtime_error("a file in a folder that nobody made: " + path.string());
        return *folder;
    }
    static void collect(const Node& node, const std::string& path,
                        std::vector<std::pair<std::string, const Node*>>& found,
                        std::set<const Node*>& seen) {
        if (node.has_steps() && seen.insert(&node).second) found.emplace_back(path, &node);
        for (const auto* names : {&node.names, &node.durable_names})
            for (const auto& [name, child] : *names)
                if (!seen.contains(child.get()))
                    collect(*child, path.empty() ? name : path + "/" + name, found, seen);
    }
    template <typename FateOf>
    static void put(const Node& node, const std::string& path, const FateOf& fate_of, FolderContent& out,
                    std::map<const Node*, int>& shown) {
        for (const auto& [name, child] : surviving_names(node, fate_of(node))) {
            const auto below = path + name;
            ++shown[child.get()];
            if (child->is_folder) {
                out[below + "/"] = "";
                put(*child, below + "/", fate_of, out, shown);
            } else {
                out[below] = survivor(*child, fate_of(*child));
            }
        }
    }

    NodePointer root_;
    std::vector<std::pair<NodePointer, std::string>>
        moved_; ///< from one folder to another, with the old path
};

void Model::apply(const TracedCall& call) {
    using Kind = TracedCall::Kind;
    const fs::path path = call.path;
    const fs::path to = call.to;
    const auto name = path.filename().string();
    switch (call.kind) {
    case Kind::create:
    case Kind::folder: {
        auto node = std::make_shared<Node>();
        node->is_folder = call.kind == Kind::folder;
        folder_of(path).change_names({{name, std::move(node)}});
        break;
    }
    case Kind::write:
        if (const auto node = find(path)) node->file_steps.push_back({call.offset, call.bytes, std::nullopt});
        break;
    case Kind::resize:
        if (const auto node = find(path)) node->file_steps.push_back({0, {}, call.size});
        break;
    case Kind::rename: {
        const auto node = find(path);
        if (call.path.empty() || call.to.empty() || !node)
            throw std::runtime_error("a file that comes from elsewhere: " + call.path + call.to);
        auto& from_folder = folder_of(path);
        auto& to_folder = folder_of(to);
        if (&from_folder == &to_folder) {
            from_folder.change_names({{name, nullptr}, {to.filename(), node}});
        } else {
            to_folder.change_names({{to.filename(), node}});
            from_folder.change_names({{name, nullptr}});
            moved_.emplace_back(node, call.path);
        }
        break;
    }
    case Kind::remove:
        std::erase_if(moved_, [gone = find(path)](const auto& moved) { return moved.first == gone; });
        folder_of(path).change_names({{name, nullptr}});
        break;
    case Kind::link: {
        auto node = find(path);
        if (!call.bytes.empty() || !node) throw std::runtime_error("links are not imagined: " + call.to);
        folder_of(to).change_names({{to.filename(), std::move(node)}});
        break;
    }
    case Kind::sync:
        if (const auto node = find(path)) node->sync();
        break;
    case Kind::other: break;
    }
}

/// Hands every state that is possible now to `show`, with words about it.
template <typename Show>
void show_states(const Model& model, bool finished, const Show& show) {
    const auto kept = [](const Node&) { return Fate::kept; };
    const auto lost = [](const Node&) { return Fate::lost; };
    const auto unsynced = model.unsynced();
    if (!finished) show("nothing", model.state(kept, finished));
    show("everything unsynced", model.state(lost, finished));
    for (const auto& [path, node] : unsynced) {
        const auto* one = node;
        const auto words = path.empty() ? std::string("the folder itself") : path;
        const auto others = [&](Fate own, Fate rest) {
            return model.state([&, own, rest](const Node& each) { return &each == one ? own : rest; },
                               finished);
        };
        show(words, others(Fate::lost, Fate::kept));
        show("everything unsynced but " + words, others(Fate::kept, Fate::lost));
        if (!node->file_steps.empty()) {
            show("half of the last write to " + words, others(Fate::torn, Fate::kept));
            show("what was written to " + words + ", which is zeros", others(Fate::zeros, Fate::kept));
            if (node->file_steps.size() > 1) {
                show("all but the last write to " + words, others(Fate::only_last, Fate::kept));
                show("all but the first write to " + words, others(Fate::only_first, Fate::kept));
            }
        } else if (node->folder_steps.size() > 1) {
            show("all but the first name in " + words, others(Fate::only_first, Fate::kept));
            show("the last name in " + words, others(Fate::torn, Fate::kept));
        }
    }
}

} // namespace

FolderContent read_folder(const fs::path& folder) {
    FolderContent out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto path = entry.path().lexically_relative(folder).string();
        if (entry.is_directory())
            out[path + "/"] = "";
        else
            out[path] = content_of(entry.path());
    }
    return out;
}

void write_folder(const fs::path& folder, const FolderContent& content) {
    const auto now = fs::exists(folder) ? read_folder(folder) : FolderContent();
    for (const auto& [path, bytes] : now)
        if (!content.contains(path)) fs::remove_all(folder / path);
    fs::create_directories(folder);
    for (const auto& [path, bytes] : content) {
        if (path.ends_with('/')) {
            fs::create_directories(folder / path);
            continue;
        }
        if (const auto found = now.find(path); found != now.end() && found->second == bytes) continue;
        std::ofstream out(folder / path, std::ios::binary | std::ios::trunc);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
}

TracedRun after_power_cuts(const fs::path& folder, const std::function<int()>& job,
                           const std::function<void(const PowerCut& cut)>& look) {
    Model model(read_folder(folder));
    auto run = trace_run(folder, job);
    const auto end = read_folder(folder);
    std::set<std::pair<bool, std::size_t>> seen;
    for (std::size_t made = 0; made <= run.calls.size(); ++made) {
        const bool finished = made == run.calls.size();
        show_states(model, finished, [&](const std::string& lost, const FolderContent& state) {
            std::string key;
            for (const auto& [path, bytes] : state)
                key += path + '\0' + std::to_string(std::hash<std::string>()(bytes)) + '\0';
            if (!seen.emplace(finished, std::hash<std::string>()(key)).second) return;
            write_folder(folder, state);
            look({made, finished, lost});
        });
        if (!finished) model.apply(run.calls[made]);
    }
    write_folder(folder, end);
    return run;
}

} // namespace orbis::test
