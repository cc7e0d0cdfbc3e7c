#pragma once

#include "jobs/snapshot/take_chunks.hpp"

namespace orbis::jobs::snapshot {

/// Puts the files beside the chunks into the snapshot. `is_chunks` says which paths (those of folders end in
/// `/`) hold chunks that are taken otherwise; `extra` names files that are taken all the same.
Result<std::vector<FileRecord>> take_files(const storage::Folder& root,
                                           const std::function<bool(const std::string& path)>& is_chunks,
                                           const std::vector<std::string>& extra,
                                           const std::function<FileStamp(const std::string& path)>& stamp,
                                           const TakeWork& work);

} // namespace orbis::jobs::snapshot
