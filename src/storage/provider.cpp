#include "storage/provider.hpp"

#include "storage/layered_store.hpp"
#include "storage/rocksdb_store.hpp"

#include <array>
#include <map>

namespace orbis::storage {

namespace {

using Type = Provider::Type;

constexpr std::array<std::pair<Type, std::string_view>, 5> k_names{{
    {Type::hytale, "Hytale"},
    {Type::indexed_storage, "IndexedStorage"},
    {Type::rocks_db, "RocksDb"},
    {Type::migration, "Migration"},
    {Type::empty, "Empty"},
}};

/// The server's own choice is region files in every build that is known.
Type resolved(Type type) { return type == Type::hytale ? Type::indexed_storage : type; }

/// Opens each kind of storage once: in a migration the saver usually is one of the loaders, and both must see
/// the same chunks.
class Opener {
public:
    Opener(const Folder& world, const StoreOptions& options) : world_(world), options_(options) {}

    Result<std::shared_ptr<Store>> open(const Provider& provider, int depth = 0) {
        const auto type = resolved(provider.type);
        if (type == Type::migration) return open_migration(provider, depth);
        const auto known = opened_.find(type);
        if (known != opened_.end()) return known->second;
        TRY(auto store, open_plain(type));
        return opened_[type] = std::shared_ptr<Store>(std::move(store));
    }

private:
    Result<std::unique_ptr<Store>> open_plain(Type type) {
        if (type == Type::empty) return make_empty_store(world_.shown());
        if (type == Type::rocks_db) {
            TRY_DO(world_.check_folder("db"));
            if (!world_.has_folder("db") && !options_.write) return make_empty_store(world_.shown("db"));
            const auto path = world_.on_disk("db");
            if (!path)
                return fail(error(Errc::unsupported, "a RocksDB world inside a zip cannot be read there")
                                .in_file(world_.shown("db"))
                                .advise("unpack the zip first"));
            return open_rocksdb_store(*path, options_);
        }
        TRY_DO(world_.check_folder("chunks"));
        // A world without chunks yet can be read; to write there, the caller must have said to create the
        // folder.
        if (!world_.has_folder("chunks") && !options_.write) return make_empty_store(world_.shown("chunks"));
        TRY(auto store, open_region_store(world_.sub("chunks"), options_));
        return store;
    }

    Result<std::shared_ptr<Store>> open_migration(const Provider& provider, int depth) {
        if (depth > 8)
            return fail(error(Errc::too_deep, "the storage migrations are nested more than 8 deep")
                            .in_file(world_.shown("config.json")));
        if (provider.saver.size() != 1 || provider.loaders.empty())
            return fail(
                error(
                    Errc::bad_value,
                    "a storage migration needs loaders and one saver; this one has {} loaders and {} savers",
                    provider.loaders.size(), provider.saver.size())
                    .in_file(world_.shown("config.json")));
        std::vector<std::shared_ptr<Store>> loaders;
        for (const auto& loader : provider.loaders) {
            TRY(auto store, open(loader, depth + 1));
            loaders.push_back(std::move(store));
        }
        TRY(auto saver, open(provider.saver.front(), depth + 1));
        return std::shared_ptr<Store>(
            make_migration_store(std::move(loaders), std::move(saver), world_.shown()));
    }

    const Folder& world_;
    const StoreOptions& options_;
    std::map<Type, std::shared_ptr<Store>> opened_;
};

} // namespace

std::string_view name(Type type) {
    for (const auto& [known, text] : k_names)
        if (known == type) return text;
    return "unknown";
}

std::optional<Type> parse_provider_type(std::string_view text) {
    for (const auto& [type, known] : k_names)
        if (known == text) return type;
    return std::nullopt;
}

Result<std::shared_ptr<Store>> open_store(const Folder& world, const Provider& provider,
                                          const StoreOptions& options) {
    TRY_DO(world.check_folder());
    return Opener(world, options).open(provider);
}

} // namespace orbis::storage
