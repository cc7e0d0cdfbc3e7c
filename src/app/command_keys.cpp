#include "app/command.hpp"
#include "app/key_files.hpp"
#include "app/table.hpp"
#include "bytes/atomic_file.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/utc_text.hpp"
#include "bytes/utf8.hpp"
#include "net/identity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

namespace {

namespace fs = std::filesystem;

/// Text of a certificate that anybody may have made.
std::string plain(const std::string& text) {
    const bool is_plain =
        is_utf8(text) && std::ranges::none_of(text, [](unsigned char c) { return c < 32 || c == 127; });
    return is_plain ? text : json_quoted(text);
}

bool others_can_read(const fs::path& file) {
    std::error_code code;
    const auto allowed = fs::status(file, code).permissions();
    return !code && (allowed & (fs::perms::group_read | fs::perms::others_read)) != fs::perms::none;
}

class CommandKeys final : public Command {
    void declare(Options& options) override {
        options.choice("ACTION", action_, {"make", "show"}, "What to do")
            .paths("PATH", paths_,
                   "make: name of the new files, or a folder for them. show: certificates, by file or name")
            .choice("--kind", kind_, {"rsa", "ecdsa", "ed25519"},
                    "make: kind of key (default: rsa with 2048 bits, as in the game)")
            .text("--name NAME", name_, "make: common name of the certificate (default: localhost)")
            .file("--key", key_, "show: private key to compare with, if it is not beside the certificate")
            .footer(
                "make NAME writes NAME.crt.pem, which is public, and NAME.key.pem, which only its owner can "
                "read; in a folder they are called orbis. Existing files are never replaced.\n"
                "A certificate is identified by its fingerprint: SHA-256, 43 characters of base64url. show "
                "exits with 1 if the private key does not belong to the certificate.");
    }

    Result<Outcome> run(Console& console) override {
        return action_ == "make" ? make(console) : show(console);
    }

    /// An option of the other action would do nothing.
    static Result<void> refuse(bool given, std::string_view option, std::string_view action) {
        if (!given) return {};
        return fail(error(Errc::usage, "{} can only be used with `orbis keys {}`", option, action)
                        .advise("orbis keys --help"));
    }

    Result<Outcome> make(Console& console) const {
        TRY_DO(refuse(!key_.empty(), "--key", "show"));
        if (paths_.size() != 1)
            return fail(error(Errc::usage, "give one name for the new files, not {}", paths_.size())
                            .advise("run the command once for each"));
        const auto kind = kind_ == "ed25519" ? net::KeyKind::ed25519
                          : kind_ == "ecdsa" ? net::KeyKind::ecdsa_p256
                                             : net::KeyKind::rsa2048;
        const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        TRY(const auto identity, net::make_self_signed(kind, now, name_.value_or("localhost")));
        const auto pair = KeyFiles::of(paths_.front());
        TRY_DO(create_folders(pair.certificate.parent_path()));
        TRY_DO(net::save_identity(identity, pair.certificate, pair.key));
        return print(console, pair);
    }

    Result<Outcome> show(Console& console) const {
        TRY_DO(refuse(!kind_.empty(), "--kind", "make"));
        TRY_DO(refuse(name_.has_value(), "--name", "make"));
        if (!key_.empty() && paths_.size() != 1)
            return fail(
                error(Errc::usage, "--key needs one certificate to compare with, not {}", paths_.size())
                    .advise("run the command once for each"));
        auto outcome = Outcome::fine;
        for (const auto& path : paths_) {
            auto pair = KeyFiles::named(path);
            if (!key_.empty()) pair.key = key_;
            auto printed = print(console, pair);
            if (!printed && paths_.size() == 1) return printed;
            if (!printed) console.problem(printed.error());
            if (!printed || *printed == Outcome::damage) outcome = Outcome::damage;
        }
        return outcome;
    }

    /// The key is looked at if there is one; the certificate of another server has none here.
    Result<Outcome> print(Console& console, const KeyFiles& pair) const {
        TRY(const auto der, net::load_certificate(pair.certificate));
        TRY(const auto facts, net::read_certificate(der));
        std::error_code code;
        const bool has_key = !pair.key.empty() && (!key_.empty() || fs::exists(pair.key, code));
        bool matches = false;
        if (has_key) {
            TRY(const auto key, net::load_key(pair.key));
            auto compared = net::key_matches(der, key);
            if (!compared) return fail(std::move(compared.error()).in_file(pair.key.string()));
            matches = *compared;
        }
        if (console.json())
            print_json(console, pair, facts, has_key, matches);
        else
            print_text(console, pair, facts, has_key, matches);
        if (has_key && others_can_read(pair.key))
            console.note(fmt::format("orbis: {}: other users can read this private key (chmod 600 {})",
                                     pair.key.string(), shell_quoted(pair.key.string())));
        if (!has_key || matches) return Outcome::fine;
        console.problem(error(Errc::mismatch, "this private key does not belong to the certificate {}",
                              pair.certificate.string())
                            .in_file(pair.key.string())
                            .advise("find the key that was made with the certificate, or make a new pair"));
        return Outcome::damage;
    }

    static void print_text(Console& console, const KeyFiles& pair, const net::CertificateFacts& facts,
                           bool has_key, bool matches) {
        console.line({{pair.certificate.string(), Tone::heading}});
        print_fact(console, fmt::format("  fingerprint  {}", facts.fingerprint.text()));
        print_fact(console, fmt::format("  subject      {}", plain(facts.subject)));
        print_fact(console,
                   fmt::format("  issuer       {}", facts.self_signed ? "itself" : plain(facts.issuer)));
        print_fact(console, fmt::format("  serial       {}", facts.serial));
        print_fact(console,
                   fmt::format("  valid        {} to {} UTC", utc_text(facts.valid_from, UtcForm::date_time),
                               utc_text(facts.valid_until, UtcForm::date_time)));
        print_fact(console, fmt::format("  key          {}, {} bits", facts.key, facts.key_bits));
        print_fact(console,
                   fmt::format("  private key  {}", !has_key  ? "not found"
                                                    : matches ? pair.key.string()
                                                              : pair.key.string() + " does not match"));
    }

    static void print_json(Console& console, const KeyFiles& pair, const net::CertificateFacts& facts,
                           bool has_key, bool matches) {
        JsonWriter json;
        json.object()
            .member("certificate", pair.certificate.string())
            .member("fingerprint", facts.fingerprint.text())
            .member("subject", facts.subject)
            .member("issuer", facts.issuer)
            .member("self_signed", facts.self_signed)
            .member("serial", facts.serial)
            .member("valid_from", utc_text(facts.valid_from, UtcForm::iso))
            .member("valid_until", utc_text(facts.valid_until, UtcForm::iso))
            .member("key", facts.key)
            .member("key_bits", facts.key_bits);
        if (has_key)
            json.member("key_file", pair.key.string()).member("key_matches", matches);
        else
            json.key("key_file").null().key("key_matches").null();
        json.end();
        console.line(json.text());
    }

    std::string action_;
    std::vector<fs::path> paths_;
    std::string kind_; ///< empty for the game's
    std::optional<std::string> name_;
    fs::path key_;
};

} // namespace

std::unique_ptr<Command> make_command_keys() { return std::make_unique<CommandKeys>(); }

} // namespace orbis::app
