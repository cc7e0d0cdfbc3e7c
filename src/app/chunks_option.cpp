#include "app/chunks_option.hpp"

namespace orbis::app {

void ChunksOption::declare(Options& options, const char* help, const char* name) {
    options.texts((std::string(name) + " SELECTION").c_str(), texts_, help);
}

Result<jobs::Selection> ChunksOption::selection() const {
    return texts_.empty() ? jobs::Selection() : jobs::Selection::parse(texts_);
}

} // namespace orbis::app
