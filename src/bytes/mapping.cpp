#include "bytes/mapping.hpp"

#include "bytes/file.hpp"

#include <algorithm>
#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

namespace orbis {

namespace {

const std::size_t k_page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

} // namespace

/// The process has one handler for SIGBUS; this is the list of mappings that it may replace.
class FaultTrap {
public:
    static void add(Mapping* mapping) {
        const std::lock_guard lock(mutex_);
        if (!installed_) install();
        for (auto& place : places_) {
            if (place.mapping.load() != nullptr) continue;
            place.begin.store(reinterpret_cast<std::uintptr_t>(mapping->data_));
            place.end.store(reinterpret_cast<std::uintptr_t>(mapping->data_) + mapping->size_);
            place.mapping.store(mapping);
            return;
        }
        // With every place taken the mapping works all the same, it only is not protected.
    }

    static void remove(Mapping* mapping) {
        const std::lock_guard lock(mutex_);
        for (auto& place : places_)
            if (place.mapping.load() == mapping) {
                place.end.store(0);
                place.mapping.store(nullptr);
            }
    }

private:
    /// Only the mapping whose range holds the address is looked into: its reader keeps it alive,
    /// while the others may go away at any moment.
    struct Guarded {
        std::atomic<std::uintptr_t> begin{0};
        std::atomic<std::uintptr_t> end{0};
        std::atomic<Mapping*> mapping{nullptr};
    };

    static void install() {
        struct sigaction action{};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        sigaction(SIGBUS, &action, &previous_);
        installed_ = true;
    }

    static void handle(int signal, siginfo_t* info, void* context) {
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        for (auto& place : places_) {
            if (address < place.begin.load() || address >= place.end.load()) continue;
            Mapping* mapping = place.mapping.load();
            if (mapping == nullptr) continue;
            const auto page = address & ~(static_cast<std::uintptr_t>(k_page) - 1);
            // The read that faulted is repeated when this handler returns, and then finds zeros.
            void* replaced =
                mmap(reinterpret_cast<void*>(page), k_page, PROT_READ, // NOLINT(performance-no-int-to-ptr)
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
            if (replaced == MAP_FAILED) break;
            mapping->note_lost(page);
            return;
        }
        // Not ours: the handler from before decides, and the fault comes again.
        sigaction(SIGBUS, &previous_, nullptr);
        if ((previous_.sa_flags & SA_SIGINFO) != 0 && previous_.sa_sigaction != nullptr)
            previous_.sa_sigaction(signal, info, context);
    }

    static inline std::mutex mutex_;
    static inline bool installed_ = false;
    static inline struct sigaction previous_{};
    static std::array<Guarded, 1024> places_;
};

std::array<FaultTrap::Guarded, 1024> FaultTrap::places_{};

Mapping::Mapping(std::uint8_t* data, std::size_t size)
    : data_(data), size_(size), touched_((size / k_block + 64) / 64) {}

std::shared_ptr<Mapping> Mapping::map(int descriptor, std::size_t size) {
    void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) return nullptr;
    std::shared_ptr<Mapping> mapping(new Mapping(static_cast<std::uint8_t*>(data), size));
    FaultTrap::add(mapping.get());
    return mapping;
}

Mapping::~Mapping() {
    FaultTrap::remove(this);
    munmap(data_, size_);
}

void Mapping::note_lost(std::uintptr_t page) {
    const auto index = lost_count_.fetch_add(1);
    if (index < lost_.size()) lost_[index].store(page);
}

bool Mapping::is_lost(const std::uint8_t* begin, std::size_t length) const {
    const auto count = lost_count_.load();
    if (count == 0 || length == 0) return false;
    if (count > lost_.size()) return true; // more than we can tell apart: believe nothing
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    return std::any_of(lost_.begin(), lost_.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](const auto& place) {
                           const auto page = place.load();
                           return page + k_page > first && page < first + length;
                       });
}

std::size_t Mapping::touch(std::size_t offset, std::size_t length) {
    std::size_t fresh = 0;
    const auto last = (offset + std::max<std::size_t>(length, 1) - 1) / k_block;
    for (auto block = offset / k_block; block <= last; ++block) {
        auto& word = touched_[block / 64];
        const auto bit = std::uint64_t{1} << (block % 64);
        if ((word.load(std::memory_order_relaxed) & bit) != 0) continue;
        if ((word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0) ++fresh;
    }
    return fresh;
}

void Mapping::drop_pages() {
    for (auto& word : touched_) word.store(0, std::memory_order_relaxed);
    madvise(data_, size_, MADV_DONTNEED);
}

std::shared_ptr<MappingBudget> make_mapping_budget(std::size_t bytes) {
    return std::make_shared<MappingBudget>(bytes);
}

void MappingBudget::add(const std::shared_ptr<Mapping>& mapping) {
    const std::lock_guard lock(mutex_);
    std::erase_if(mappings_, [](const auto& weak) { return weak.expired(); });
    mappings_.push_back(mapping);
}

void MappingBudget::touch(Mapping& mapping, std::size_t offset, std::size_t length) {
    const auto fresh = mapping.touch(offset, length);
    if (fresh > 0 && touched_.fetch_add(fresh, std::memory_order_relaxed) + fresh > blocks_) drop_all();
}

void MappingBudget::drop_all() {
    const std::lock_guard lock(mutex_);
    if (touched_.load(std::memory_order_relaxed) <= blocks_) return; // another thread was faster
    touched_.store(0, std::memory_order_relaxed);
    for (const auto& weak : mappings_)
        if (const auto mapping = weak.lock()) mapping->drop_pages();
}

} // namespace orbis
