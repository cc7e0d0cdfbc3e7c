#include "query/save_answer.hpp"

#include "bytes/atomic_file.hpp"

#include <fmt/format.h>

#include <memory>
#include <sqlite3.h>

namespace orbis::query {
namespace {

/// A SQLite file that is written from the beginning. It is removed again unless it gets its name.
class AnswerFile {
public:
    explicit AnswerFile(const std::filesystem::path& file)
        : file_(file), unfinished_(file.string() + std::string(k_temporary_suffix)) {}
    AnswerFile(const AnswerFile&) = delete;
    AnswerFile& operator=(const AnswerFile&) = delete;
    ~AnswerFile() {
        insert_.reset();
        database_.reset();
        std::error_code none;
        if (is_ours_) std::filesystem::remove(unfinished_, none);
    }

    Result<void> begin(const std::vector<std::string>& columns) {
        std::error_code none;
        if (std::filesystem::symlink_status(file_, none).type() != std::filesystem::file_type::not_found)
            return fail(error(Errc::exists, "the file is there already")
                            .in_file(file_.string())
                            .advise("choose another name, or remove it first"));
        is_ours_ = true;
        std::filesystem::remove(unfinished_, none); // of a run that was killed
        sqlite3* opened = nullptr;
        const auto code = sqlite3_open_v2(unfinished_.c_str(), &opened,
                                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
        database_.reset(opened);
        if (code == SQLITE_CANTOPEN)
            return fail(error(Errc::io, "the file cannot be created")
                            .in_file(file_.string())
                            .advise("check that its folder is there and can be written"));
        if (code != SQLITE_OK) return failed();
        std::string names;
        std::string marks;
        for (const auto& column : columns) {
            const std::unique_ptr<char, decltype(&sqlite3_free)> quoted(
                sqlite3_mprintf("\"%w\"", column.c_str()), sqlite3_free);
            if (!quoted) return failed();
            names += fmt::format("{}{}", names.empty() ? "" : ", ", quoted.get());
            marks += marks.empty() ? "?" : ", ?";
        }
        // Nothing must be undone in a file that is thrown away where it does not become complete.
        TRY_DO(run("PRAGMA journal_mode = OFF"));
        TRY_DO(run("BEGIN"));
        TRY_DO(run(fmt::format("CREATE TABLE answer ({})", names)));
        sqlite3_stmt* made = nullptr;
        const auto insert = fmt::format("INSERT INTO answer VALUES ({})", marks);
        if (sqlite3_prepare_v2(opened, insert.c_str(), -1, &made, nullptr) != SQLITE_OK) return failed();
        insert_.reset(made);
        return {};
    }

    Result<void> add(const Statement& statement) {
        auto* insert = insert_.get();
        sqlite3_reset(insert);
        for (std::size_t i = 0; i < statement.columns().size(); ++i) {
            const auto at = static_cast<int>(i) + 1;
            const auto field = statement.field(i);
            int code = SQLITE_OK;
            if (const auto* integer = std::get_if<std::int64_t>(&field))
                code = sqlite3_bind_int64(insert, at, *integer);
            else if (const auto* real = std::get_if<double>(&field))
                code = sqlite3_bind_double(insert, at, *real);
            else if (const auto* text = std::get_if<std::string_view>(&field))
                code =
                    sqlite3_bind_text64(insert, at, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
            else if (const auto* binary = std::get_if<Binary>(&field)) // without a pointer it would be NULL
                code = sqlite3_bind_blob64(insert, at, binary->bytes.empty() ? "" : binary->bytes.data(),
                                           binary->bytes.size(), SQLITE_STATIC);
            else
                code = sqlite3_bind_null(insert, at);
            if (code != SQLITE_OK) return failed();
        }
        if (sqlite3_step(insert) != SQLITE_DONE) return failed();
        return {};
    }

    Result<void> finish() {
        TRY_DO(run("COMMIT"));
        insert_.reset();
        if (sqlite3_close(database_.release()) != SQLITE_OK)
            return fail(error(Errc::io, "the file cannot be completed").in_file(file_.string()));
        TRY_DO(place_file(unfinished_, file_));
        is_ours_ = false;
        return {};
    }

private:
    Result<void> run(const std::string& sql) {
        if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
            return failed();
        return {};
    }
    [[nodiscard]] std::unexpected<Error> failed() {
        const auto is_full = sqlite3_errcode(database_.get()) == SQLITE_FULL;
        return fail(error(is_full ? Errc::no_space : Errc::io, "the answer cannot be written: {}",
                          sqlite3_errmsg(database_.get()))
                        .in_file(file_.string()));
    }

    std::filesystem::path file_;
    std::filesystem::path unfinished_;
    bool is_ours_ = false;
    std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_{nullptr, sqlite3_close};
    std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> insert_{nullptr, sqlite3_finalize};
};

} // namespace

Result<std::uint64_t> save_answer(Statement& statement, const std::filesystem::path& file) {
    AnswerFile out(file);
    TRY_DO(out.begin(statement.columns()));
    std::uint64_t rows = 0;
    while (true) {
        TRY(const bool is_there, statement.next());
        if (!is_there) break;
        TRY_DO(out.add(statement));
        ++rows;
    }
    TRY_DO(out.finish());
    return rows;
}

} // namespace orbis::query
