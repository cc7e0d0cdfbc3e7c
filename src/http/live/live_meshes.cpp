#include "http/live/live_meshes.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/tile_pos.hpp"

#include <set>
#include <utility>

namespace orbis::http {

namespace {

Response mesh_response(std::shared_ptr<const Buffer> mesh) {
    Response response;
    response.type = "application/octet-stream";
    response.keep = Keep::revalidate;
    response.etag = hash_text(content_hash(*mesh));
    response.bytes = *mesh;
    response.owner = std::move(mesh);
    return response;
}

Response no_mesh() {
    auto response = Response::nothing();
    response.keep = Keep::revalidate;
    return response;
}

/// A chunk that cannot be read is an answer: the page shows where it is, and why.
Response unreadable(Error problem) {
    JsonWriter json;
    json.object()
        .key("unreadable")
        .raw(to_json(
            std::move(problem).advise("run orbis verify for details; restore the chunk from a backup")));
    return Response::json(json.end().take());
}

} // namespace

LiveMeshes::Mesh LiveMeshes::find(const MeshKey& key) {
    const std::lock_guard lock(mutex_);
    const auto* found = meshes_.find(key);
    return found != nullptr ? *found : nullptr;
}

void LiveMeshes::answer(const MeshKey& key, Responder responder) {
    if (!is_drawable(key.pos)) return responder.answer(no_mesh());
    if (auto mesh = find(key)) return responder.answer(mesh_response(std::move(mesh)));
    workers_.add_urgent(
        [this, key, owner = owner_.lock(), answer = std::move(responder)](TileWorker& worker) mutable {
            if (!answer.is_abandoned()) work(key, worker, answer); // else the page looks elsewhere now
        });
}

void LiveMeshes::work(const MeshKey& key, TileWorker& worker, Responder& responder) {
    if (auto mesh = find(key)) return responder.answer(mesh_response(std::move(mesh)));
    std::uint64_t change = 0;
    {
        const std::lock_guard lock(mutex_);
        change = changes_;
    }
    if (!worker.meshes) worker.meshes = std::make_unique<MeshWorker>(assets_);
    auto made = worker.meshes->make(watch_.store(), change, key);
    if (!made)
        return responder.answer(made.error().code == Errc::busy ? Response::problem(made.error())
                                                                : unreadable(std::move(made).error()));
    if (!*made) return responder.answer(no_mesh());
    const auto mesh = std::make_shared<const Buffer>(**std::move(made));
    {
        const std::lock_guard lock(mutex_);
        // What changed meanwhile may be in it or not.
        if (change == changes_) meshes_.put(key, mesh, mesh->size() + sizeof(MeshKey));
    }
    responder.answer(mesh_response(mesh));
}

void LiveMeshes::change(std::span<const ChunkPos> chunks) {
    const std::set<ChunkPos> changed(chunks.begin(), chunks.end());
    const auto is_changed = [&](const MeshKey& key, const Mesh&) {
        const auto pos = key.pos; // one that can be drawn, so there is something beside it on all sides
        for (int dz = -1; dz <= 1; ++dz)
            for (int dx = -1; dx <= 1; ++dx)
                if (changed.contains({pos.x + dx, pos.z + dz})) return true;
        return false;
    };
    const std::lock_guard lock(mutex_);
    ++changes_;
    meshes_.erase_if(is_changed);
}

std::size_t LiveMeshes::kept() const {
    const std::lock_guard lock(mutex_);
    return meshes_.size();
}

} // namespace orbis::http
