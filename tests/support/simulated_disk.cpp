#include "support/simulated_disk.hpp"

#include "support/memory_file.hpp"

#include <algorithm>

namespace orbis::test {

namespace {

constexpr std::size_t k_sector = 512;
enum Fate : int { absent, whole, torn };

} // namespace

class SimulatedFile final : public File {
public:
    explicit SimulatedFile(SimulatedDisk& disk) : disk_(disk) {}
    const std::string& name() const override { return name_; }
    Result<std::uint64_t> size() const override { return disk_.cached_->size(); }
    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        const auto& content = disk_.cached_;
        if (offset > content->size() || length > content->size() - offset)
            return fail(error(Errc::truncated, "expected {} bytes, found the end", length).at(offset));
        return FileView(
            Bytes(*content).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)),
            content);
    }
    Result<void> check(const FileView&) const override { return {}; }
    Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) override {
        return disk_.write(offset, joined(parts));
    }
    Result<void> sync() override { return disk_.sync(); }

private:
    SimulatedDisk& disk_;
    std::string name_ = "simulated";
};

SimulatedDisk::SimulatedDisk(Buffer content, std::uint64_t seed)
    : cached_(std::make_shared<Buffer>(content)), durable_(std::move(content)), random_(seed) {}

std::unique_ptr<File> SimulatedDisk::open() { return std::make_unique<SimulatedFile>(*this); }

void SimulatedDisk::fail_at(std::size_t call, Fault fault) { fault_ = {call, fault}; }

void SimulatedDisk::start_again() {
    stopped_ = false;
    fault_.reset();
}

std::optional<SimulatedDisk::Fault> SimulatedDisk::next_call() {
    const auto number = calls_++;
    if (!fault_ || fault_->first != number) return std::nullopt;
    failed_ = true;
    stopped_ = fault_->second == Fault::stop || fault_->second == Fault::tear;
    return fault_->second;
}

/// Old views keep the old buffer when the file grows, as they keep an old mapping.
void SimulatedDisk::put(std::uint64_t offset, Bytes bytes) {
    if (bytes.empty()) return;
    if (offset + bytes.size() > cached_->size()) cached_ = std::make_shared<Buffer>(*cached_);
    write_into(*cached_, offset, bytes);
    unsynced_.push_back({offset, Buffer(bytes.begin(), bytes.end())});
}

Result<void> SimulatedDisk::write(std::uint64_t offset, Buffer bytes) {
    if (stopped_) return fail(Errc::io, "the process is gone");
    const auto fault = next_call();
    if (!fault) {
        put(offset, bytes);
        return {};
    }
    // Four bytes that are aligned are in one page and written at once.
    if ((*fault == Fault::tear || *fault == Fault::no_space) && bytes.size() > 4)
        put(offset, Bytes(bytes).first(random_() % bytes.size()));
    if (*fault == Fault::no_space) return fail(Errc::no_space, "the disk is full");
    return fail(Errc::io, "the write failed");
}

Result<void> SimulatedDisk::sync() {
    if (stopped_) return fail(Errc::io, "the process is gone");
    const auto fault = next_call();
    if (fault == Fault::stop || fault == Fault::tear) return fail(Errc::io, "the process is gone");
    if (fault) { // the system drops what it could not write, and says so only once
        failed_sync_ = true;
        std::move(unsynced_.begin(), unsynced_.end(), std::back_inserter(doubtful_));
        unsynced_.clear();
        return fail(*fault == Fault::no_space ? Errc::no_space : Errc::io, "the sync failed");
    }
    for (const auto& [at, bytes] : unsynced_) write_into(durable_, at, bytes);
    unsynced_.clear();
    return {};
}

/// The file as it is when each write that was not synced has its own fate.
Buffer SimulatedDisk::durable_with(const std::function<int(std::size_t)>& fate) {
    auto content = durable_;
    std::size_t number = 0;
    for (const auto* writes : {&doubtful_, &unsynced_})
        for (const auto& [offset, bytes] : *writes) {
            const auto chosen = fate(number++);
            // The new length of a file can be on the disk before its bytes are.
            if (chosen != absent || random_() % 4 == 0)
                content.resize(
                    std::max<std::size_t>(content.size(), static_cast<std::size_t>(offset) + bytes.size()));
            if (chosen == whole) write_into(content, offset, bytes);
            if (chosen != torn) continue;
            for (std::size_t at = 0; at < bytes.size();) {
                const auto length = std::min(bytes.size() - at,
                                             k_sector - (static_cast<std::size_t>(offset) + at) % k_sector);
                if (random_() % 2 == 0) write_into(content, offset + at, Bytes(bytes).subspan(at, length));
                at += length;
            }
        }
    return content;
}

void SimulatedDisk::after_power_cut(int count, const std::function<void(const Buffer& content)>& look) {
    const auto last = doubtful_.size() + unsynced_.size() - 1;
    look(durable_with([](std::size_t) { return absent; }));
    if (last + 1 == 0) return;
    look(durable_with([](std::size_t) { return whole; }));
    look(durable_with([&](std::size_t i) { return i == last ? whole : absent; }));
    look(durable_with([&](std::size_t i) { return i == last ? absent : whole; }));
    look(durable_with([&](std::size_t i) { return i == last ? torn : whole; }));
    for (int i = 0; i < count; ++i)
        look(durable_with([&](std::size_t) { return static_cast<int>(random_() % 3); }));
}

} // namespace orbis::test
