#include "app/chunks_option.hpp"

namespace orbis::app {

void ChunksOption::declare(Options& options, const char* help, const char* name) {
    options.texts(name, texts_, help);
}

Result<care::Selection> ChunksOption::selection() const {
    return texts_.empty() ? care::Selection() : care::Selection::parse(texts_);
}

} // namespace orbis::app
