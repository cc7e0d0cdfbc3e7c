#include "chunk/chunk.hpp"

#include <algorithm>
#include <array>

namespace orbis::chunk {

namespace {

constexpr int k_block_chunk_version = 3;
/// Up to this version the sections are inside `BlockChunk.Data`.
constexpr int k_last_with_sections = 2;

/// `Fluid` and `BlockPhysics` of a section that has neither fluids nor supports, as most are: a document with
/// a binary `Data` of zeros.
constexpr std::array<std::uint8_t, 18> k_no_fluid{18, 0, 0, 0, 5, 'D', 'a', 't', 'a', 0, 2};
constexpr std::array<std::uint8_t, 17> k_no_physics{17, 0, 0, 0, 5, 'D', 'a', 't', 'a', 0, 1};

/// A component with a version and one blob: `{Version?: int32, Data: binary}`.
struct Blob {
    Bytes data;
    std::size_t offset = 0; ///< of the data in the document
    int version = 0;
};

/// The last small section that was read without a problem. Most sections of most chunks are of air, and byte
/// for byte the same: what such a document has in it is known without going through it again.
class KnownSection {
public:
    /// One for each thread.
    static KnownSection& here() {
        thread_local KnownSection known;
        return known;
    }

    [[nodiscard]] bool is(const bson::Element& element, Parts parts) const {
        return element.value().size() == size_ && element.type() == bson::Type::document && parts == parts_
               && as_text(element.value()) == as_text(bytes_).substr(0, size_);
    }
    void remember(const bson::Element& element, Parts parts, const Section& section) {
        const auto bytes = element.value();
        if (bytes.size() > bytes_.size() || !is_of_air(section)) return;
        std::ranges::copy(bytes, bytes_.begin());
        size_ = bytes.size();
        parts_ = parts;
        version_ = section.version;
        fluid_state_ = section.fluid_state;
        physics_state_ = section.physics_state;
        has_marker_ = section.has_marker;
        place_ = moved(section.place, std::size_t{0} - element.value_offset());
    }
    /// Reads a section that `is` the known one.
    void read(const bson::Element& element, Section& section) const {
        section.has_holder = true;
        section.has_marker = has_marker_;
        section.fluid_state = fluid_state_;
        section.physics_state = physics_state_;
        section.place = moved(place_, element.value_offset());
        Error problem; // never, as those bytes had none
        const auto data = element.value().subspan(place_.data, place_.size).subspan(bson::k_binary_head);
        section.block_state =
            section.read_block(data, version_, parts_, problem) ? PartState::decoded : PartState::broken;
    }

private:
    static bool is_of_air(const Section& section) {
        return section.block_state == PartState::decoded && section.blocks.kind() == PaletteKind::empty
               && section.fluid_state != PartState::broken && section.physics_state != PartState::broken
               && section.fluids.kind() == PaletteKind::empty && !section.levels.present()
               && !section.supports.present();
    }
    static BlockPlace moved(BlockPlace place, std::size_t by) {
        for (auto* offset : {&place.holder, &place.components, &place.block, &place.data}) *offset += by;
        return place;
    }

    std::array<std::uint8_t, 256> bytes_{};
    std::size_t size_ = 0;
    Parts parts_;
    int version_ = 0;
    PartState fluid_state_ = PartState::absent;
    PartState physics_state_ = PartState::absent;
    bool has_marker_ = false;
    BlockPlace place_; ///< counted from the start of the section
};

} // namespace

/// Reads a document into a chunk that was just reset.
class Decoder {
public:
    Decoder(Chunk& chunk, Parts parts, std::uint32_t sections = Chunk::k_all_sections,
            const Chunk* checked = nullptr)
        : chunk_(chunk), parts_(parts), sections_(sections), checked_(checked) {}

    Result<void> run() {
        TRY(chunk_.root_, bson::Document::open(chunk_.document_));
        bson::Cursor at(chunk_.root_);
        bool found = false;
        while (!found && at.next()) {
            if (at->key() != "Components") continue;
            const auto components = at->document();
            if (!components)
                return fail(
                    error(Errc::bad_value, "Components is a {}, expected a document", bson::name(at->type()))
                        .at(at->offset()));
            chunk_.components_ = *components;
            found = true;
        }
        if (!at.ok()) return fail(at.error());
        if (!found) return fail(Errc::not_found, "not a chunk: the document has no Components");
        read_components();
        return {};
    }

    void run_environments() {
        for (bson::Cursor at(chunk_.components_); at.next();)
            if (at->key() == "EnvironmentChunk") return read_environments(at.element());
    }

private:
    void note(std::string_view component, int section, Error&& error) {
        chunk_.problems_.push_back({std::string(component), section, std::move(error)});
    }
    /// The same for a problem inside a blob, whose offset counts from the start of the blob.
    void note(std::string_view component, int section, const Blob& blob, Error&& error) {
        error.offset = blob.offset + error.offset.value_or(0);
        note(component, section, std::move(error));
    }

    std::optional<Blob> blob(const bson::Element& element, std::string_view component, int section,
                             int newest) {
        const auto document = element.document();
        if (!document) {
            note(component, section,
                 error(Errc::bad_value, "the component is a {}, expected a document",
                       bson::name(element.type()))
                     .at(element.offset()));
            return std::nullopt;
        }
        Blob out;
        bool has_data = false;
        bson::Cursor at(*document);
        while (at.next()) {
            if (at->key() == "Data") {
                if (const auto binary = at->binary()) {
                    out.data = binary->data;
                    out.offset = at->value_offset() + bson::k_binary_head;
                    has_data = true;
                }
            } else if (at->key() == "Version") {
                const auto version = at->integer();
                if (!version || *version < 0 || *version > newest) {
                    note(component, section,
                         error(Errc::unsupported, "version {} of {}, expected 0 to {}", version.value_or(-1),
                               component, newest)
                             .at(at->offset()));
                    return std::nullopt;
                }
                out.version = static_cast<int>(*version);
            }
        }
        if (at.ok() && has_data) return out;
        note(component, section,
             at.ok() ? error(Errc::not_found, "the component has no binary Data").at(document->offset())
                     : at.error());
        return std::nullopt;
    }

    void read_components() {
        bson::Cursor at(chunk_.components_);
        std::optional<bson::Element> block_chunk;
        while (at.next()) {
            const auto key = at->key();
            if (key == "ChunkColumn" && !twice(chunk_.has_column_, at.element()))
                read_column(at.element());
            else if (key == "BlockChunk" && !twice(block_chunk.has_value(), at.element()))
                block_chunk = at.element();
            else if (key == "EnvironmentChunk" && !twice(chunk_.environments_state_, at.element()))
                read_environments(at.element());
            else if (key == "BlockHealthChunk" && !twice(chunk_.health_state_, at.element()))
                read_health(at.element());
            else if (key == "BlockComponentChunk" && !twice(chunk_.block_components_state_, at.element()))
                read_block_components(at.element());
            else if (key == "EntityChunk" && !twice(chunk_.entities_state_, at.element()))
                read_entities(at.element());
        }
        if (!at.ok()) note("Components", -1, at.error());
        if (block_chunk)
            read_block_chunk(*block_chunk); // last, as it may hold sections that a column replaces
    }

    /// The first of two components with one name counts; the other is kept.
    bool twice(bool seen, const bson::Element& element, int section = -1) {
        if (seen)
            note(element.key(), section,
                 error(Errc::overlap, "the component is stored twice").at(element.offset()));
        return seen;
    }
    bool twice(PartState state, const bson::Element& element, int section = -1) {
        return twice(state != PartState::absent, element, section);
    }

    void read_column(const bson::Element& element) {
        chunk_.has_column_ = true;
        const auto column = element.document();
        const auto sections = column ? column->find("Sections") : std::nullopt;
        const auto array = sections ? sections->array() : std::nullopt;
        if (!array) {
            chunk_.column_broken_ = true;
            note("ChunkColumn", -1,
                 error(Errc::bad_value, "ChunkColumn has no array Sections").at(element.offset()));
            return;
        }
        chunk_.column_offset_ = column->offset();
        chunk_.sections_offset_ = array->offset();
        bson::Cursor at(*array);
        int y = 0;
        for (; at.next(); ++y) {
            if (y >= k_sections) {
                note("ChunkColumn", y,
                     error(Errc::out_of_range, "more than {} sections", k_sections).at(at->offset()));
                break;
            }
            if (at->key().size() != 1 || at->key().front() != '0' + y) {
                note("ChunkColumn", y,
                     error(Errc::bad_value, "section {} has the key '{}'", y, at->key()).at(at->offset()));
                chunk_.column_broken_ = true;
                break;
            }
            read_section(at.element(), y);
        }
        chunk_.stored_sections_ = y;
        if (at.ok()) return;
        chunk_.column_broken_ = true;
        note("ChunkColumn", -1, at.error());
    }

    void read_section(const bson::Element& element, int y) {
        auto& section = (*chunk_.sections_)[static_cast<std::size_t>(y)];
        if (element.is_null() || (sections_ >> y & 1) == 0) return;
        auto& known = KnownSection::here();
        if (known.is(element, parts_)) return known.read(element, section);
        const auto problems = chunk_.problems_.size();
        const auto holder = element.document();
        const auto components = holder ? holder->document("Components") : std::nullopt;
        if (!components) {
            section.block_state = section.fluid_state = section.physics_state = PartState::broken;
            note("ChunkColumn", y,
                 error(Errc::bad_value, "the section has no components").at(element.offset()));
            return;
        }
        section.has_holder = true;
        section.place.holder = holder->offset();
        section.place.components = components->offset();
        bson::Cursor at(*components);
        while (at.next()) {
            const auto key = at->key();
            if (key == "Block" && !twice(section.block_state, at.element(), y))
                section.block_state = read_part(at.element(), k_blocks | k_shapes | k_light, "Block", y);
            else if (key == "Fluid" && !twice(section.fluid_state, at.element(), y))
                section.fluid_state = read_part(at.element(), k_fluids, "Fluid", y);
            else if (key == "BlockPhysics" && !twice(section.physics_state, at.element(), y))
                section.physics_state = read_part(at.element(), k_physics, "BlockPhysics", y);
            else if (key == "ChunkSection")
                section.has_marker = true;
        }
        if (at.ok() && chunk_.problems_.size() == problems) known.remember(element, parts_, section);
        if (at.ok()) return;
        section.block_state = section.fluid_state = section.physics_state = PartState::broken;
        note("ChunkColumn", y, at.error());
    }

    PartState read_part(const bson::Element& element, Parts wanted, std::string_view name, int y) {
        if (!parts_.any(wanted)) return PartState::skipped;
        const bool is_block = name == "Block";
        if (!is_block && has_nothing(element))
            return PartState::decoded; // parts are empty before they are read
        const auto data = blob(element, name, y, is_block ? Section::k_version : 0);
        if (!data) return PartState::broken;
        auto& section = (*chunk_.sections_)[static_cast<std::size_t>(y)];
        if (is_block) {
            section.place.block = element.value_offset();
            section.place.data = data->offset - bson::k_binary_head;
            section.place.size = data->data.size() + bson::k_binary_head;
        }
        Error problem;
        const auto* checked = checked_ == nullptr ? nullptr : &checked_->section(y);
        const bool ok = is_block ? section.read_block(data->data, data->version, parts_, problem, checked)
                        : name == "Fluid" ? section.read_fluid(data->data, problem)
                                          : section.read_physics(data->data, problem);
        if (ok) return PartState::decoded;
        note(name, y, *data, std::move(problem));
        return PartState::broken;
    }

    static bool has_nothing(const bson::Element& element) {
        const auto stored = as_text(element.value());
        return element.type() == bson::Type::document
               && stored == as_text(element.key() == "Fluid" ? Bytes(k_no_fluid) : Bytes(k_no_physics));
    }

    void read_block_chunk(const bson::Element& element) {
        const auto data = blob(element, "BlockChunk", -1, k_block_chunk_version);
        if (!data) {
            chunk_.columns_state_ = PartState::broken;
            return;
        }
        chunk_.block_chunk_version_ = data->version;
        const bool has_sections = data->version <= k_last_with_sections;
        if (!parts_.has(k_column_maps) && !has_sections) {
            chunk_.columns_state_ = PartState::skipped;
            return;
        }
        Error problem;
        Reader in(data->data);
        const auto needs_physics = in.u8();
        chunk_.columns_state_ = PartState::decoded;
        if (!chunk_.heights_.read(in, problem) || !chunk_.tints_.read(in, problem)) {
            chunk_.columns_state_ = PartState::broken;
            return note("BlockChunk", -1, *data, std::move(problem));
        }
        chunk_.needs_physics_ = needs_physics != 0;
        if (has_sections && column_has_blocks()) {
            // Heights and tints are readable, but to write them would drop what has no known column.
            chunk_.columns_state_ = PartState::broken;
            return note(
                "BlockChunk", -1, *data,
                error(Errc::overlap, "both BlockChunk and ChunkColumn have sections").at(in.position()));
        }
        if (has_sections) return read_inner_sections(in, *data);
        if (in.remaining() == 0) return;
        chunk_.columns_state_ = PartState::broken;
        note("BlockChunk", -1, *data,
             error(Errc::bad_value, "{} bytes follow the tints", in.remaining()).at(in.position()));
    }

    /// Chunks of version 2 have a column too, with the fluids and without the blocks.
    [[nodiscard]] bool column_has_blocks() const {
        return chunk_.column_broken_ || std::ranges::any_of(*chunk_.sections_, [](const Section& section) {
                   return section.block_state != PartState::absent;
               });
    }

    /// A section does not say where it ends, so one that is damaged hides those above it.
    void read_inner_sections(Reader& in, const Blob& data) {
        chunk_.sections_inside_ = true;
        const auto at = in.position();
        const auto count = in.be<std::int32_t>();
        const bool fits = in.ok() && count >= 0 && count <= k_sections;
        if (!fits) {
            chunk_.columns_state_ = PartState::broken;
            note("BlockChunk", -1, data,
                 error(Errc::out_of_range, "{} sections, expected 0 to {}", count, k_sections).at(at));
        }
        for (int y = 0; y < k_sections; ++y) {
            auto& section = (*chunk_.sections_)[static_cast<std::size_t>(y)];
            Error problem;
            if (chunk_.columns_state_ == PartState::broken) {
                section.block_state = PartState::broken;
            } else if (y < count) {
                section.block_state = PartState::decoded;
                chunk_.stored_sections_ = std::max(chunk_.stored_sections_, y + 1);
                // All of it must be read to find the next one.
                if (section.read_block(in, data.version, k_everything, problem)) continue;
                section.block_state = PartState::broken;
                chunk_.columns_state_ = PartState::broken;
                note("BlockChunk", y, data, std::move(problem));
            }
        }
        if (chunk_.columns_state_ == PartState::broken || in.remaining() == 0) return;
        chunk_.columns_state_ = PartState::broken;
        note("BlockChunk", -1, data,
             error(Errc::bad_value, "{} bytes follow the sections", in.remaining()).at(in.position()));
    }

    void read_environments(const bson::Element& element) {
        chunk_.environments_state_ = PartState::skipped;
        if (!parts_.has(k_environments)) return;
        chunk_.environments_state_ = PartState::broken;
        const auto data = blob(element, "EnvironmentChunk", -1, 0);
        if (!data) return;
        Error problem;
        Reader in(data->data);
        bool ok = chunk_.environments_.read(in, problem);
        if (ok && in.remaining() > 0) {
            ok = false;
            problem = error(Errc::bad_value, "{} bytes follow the columns", in.remaining()).at(in.position());
        }
        if (!ok) return note("EnvironmentChunk", -1, *data, std::move(problem));
        chunk_.environments_state_ = PartState::decoded;
    }

    void read_health(const bson::Element& element) {
        chunk_.health_state_ = PartState::skipped;
        if (!parts_.has(k_health)) return;
        chunk_.health_state_ = PartState::broken;
        const auto data = blob(element, "BlockHealthChunk", -1, 0);
        if (!data) return;
        Error problem;
        Reader in(data->data);
        bool ok = chunk_.health_.read(in, problem);
        if (ok && in.remaining() > 0) {
            ok = false;
            chunk_.health_.reset();
            problem =
                error(Errc::bad_value, "{} bytes follow the block health", in.remaining()).at(in.position());
        }
        if (!ok) return note("BlockHealthChunk", -1, *data, std::move(problem));
        chunk_.health_state_ = PartState::decoded;
    }

    void read_block_components(const bson::Element& element) {
        chunk_.block_components_state_ = PartState::skipped;
        if (!parts_.has(k_block_components)) return;
        const auto outer = element.document();
        const auto inner = outer ? outer->find("BlockComponents") : std::nullopt;
        const auto components = inner ? inner->document() : std::nullopt;
        Error problem = error(Errc::bad_value, "there is no document BlockComponents").at(element.offset());
        const bool ok = components && chunk_.block_components_.read(*components, problem);
        chunk_.block_components_state_ = ok ? PartState::decoded : PartState::broken;
        if (!ok) note("BlockComponentChunk", -1, std::move(problem));
    }

    void read_entities(const bson::Element& element) {
        chunk_.entities_state_ = PartState::skipped;
        if (!parts_.has(k_entities)) return;
        const auto outer = element.document();
        const auto inner = outer ? outer->find("Entities") : std::nullopt;
        const auto array = inner ? inner->array() : std::nullopt;
        Error problem = error(Errc::bad_value, "there is no array Entities").at(element.offset());
        const bool ok = array && chunk_.entities_.read(*array, problem);
        chunk_.entities_state_ = ok ? PartState::decoded : PartState::broken;
        if (!ok) note("EntityChunk", -1, std::move(problem));
    }

    Chunk& chunk_;
    Parts parts_;
    std::uint32_t sections_; ///< a bit for each that is wanted
    const Chunk* checked_;   ///< that was read before; null if there is none
};

void Chunk::read_environments() {
    if (environments_state_ == PartState::skipped) Decoder(*this, k_environments).run_environments();
}

Result<void> Chunk::read(Bytes document, Parts parts) {
    return read(document, parts, k_all_sections, nullptr);
}

Result<void> Chunk::read(Bytes document, Parts parts, SectionBits sections, const Chunk* checked) {
    document_ = document;
    components_ = bson::Document();
    for (auto& section : *sections_) section.reset();
    heights_.reset();
    tints_.reset();
    environments_.reset();
    health_.reset();
    block_components_.reset();
    entities_.reset();
    problems_.clear();
    other_components_.clear();
    touched_.reset();
    columns_state_ = environments_state_ = health_state_ = PartState::absent;
    block_components_state_ = entities_state_ = PartState::absent;
    block_chunk_version_ = k_block_chunk_version;
    stored_sections_ = 0;
    needs_physics_ = has_column_ = column_broken_ = sections_inside_ = moves_sections_ = false;
    return Decoder(*this, parts, sections, checked).run();
}

} // namespace orbis::chunk
