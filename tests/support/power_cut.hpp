#pragma once

#include "support/traced_run.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace orbis::test {

/// Everything below a folder: the content of files by path, and folders with a slash at their end.
using FolderContent = std::map<std::string, std::string>;

FolderContent read_folder(const std::filesystem::path& folder);

/// Makes a folder hold exactly this. Files that are as they shall be are not touched.
void write_folder(const std::filesystem::path& folder, const FolderContent& content);

/// A state that a power cut can leave.
struct PowerCut {
    std::size_t calls = 0; ///< how many had been made
    bool finished = false; ///< the job had come to its end
    std::string lost;      ///< what of it was lost, for people
};

/// Runs `job` once in a process of its own, then lets `folder` be everything that a power cut (or a kill) can
/// have left of it, and calls `look` for each. Nothing lasts that was not synced: what was written into a
/// file since its last sync may be there, lost, torn between sectors of 512 bytes, or zeros where the file
/// grew; what was done to the names of a folder (new, renamed and removed files) may be lost from any of
/// these on until the folder itself is synced. Of several files and folders, each alone may have been lost
/// or have survived. States that are equal are shown once.
/// At the end the folder is as the job left it. Returns how the job ended.
TracedRun after_power_cuts(const std::filesystem::path& folder, const std::function<int()>& job,
                           const std::function<void(const PowerCut& cut)>& look);

} // namespace orbis::test
