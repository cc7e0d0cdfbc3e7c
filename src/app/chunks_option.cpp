#include "app/chunks_option.hpp"

#include "query/select_chunks.hpp"

#include <map>
#include <memory>
#include <utility>

namespace orbis::app {

void ChunksOption::declare(Options& options, const char* help, const char* name) {
    options.texts((std::string(name) + " SELECTION").c_str(), texts_, help);
}

Result<jobs::Selection> ChunksOption::selection() const {
    if (texts_.empty()) return jobs::Selection();
    TRY(auto selection, jobs::Selection::parse(texts_));
    selection.answer_by(query::select_chunks);
    return selection;
}

Result<std::function<bool(const world::World& world, ChunkPos pos)>>
ChunksOption::only(const world::Location& location, std::size_t threads, Progress& progress,
                   const std::function<void(const Error&)>& on_problem) const {
    if (!is_given()) return std::function<bool(const world::World&, ChunkPos)>();
    TRY(const auto chosen, selection());
    const auto selectors = std::make_shared<std::map<std::string, jobs::Selector, std::less<>>>();
    for (const auto& world : location.worlds) {
        const auto store = world.open({});
        if (!store) continue; // whoever reads it says so
        TRY(auto selector, jobs::make_selector(chosen, world, **store, threads, progress));
        for (const auto& problem : selector.problems()) on_problem(problem);
        selectors->emplace(world.name, std::move(selector));
    }
    return [selectors](const world::World& world, ChunkPos pos) {
        const auto found = selectors->find(world.name);
        return found != selectors->end() && found->second.contains(pos);
    };
}

} // namespace orbis::app
