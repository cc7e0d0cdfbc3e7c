#include "net/identity.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr sys_seconds k_issued = sys_days(2026y / 2 / 17) + 12h;

void write_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string file_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Identity, EveryKindOfKeyMakesACertificateLikeTheGames) {
    struct Case {
        KeyKind kind;
        std::string_view key;
        unsigned bits;
    };
    for (const auto& [kind, key, bits] :
         {Case{KeyKind::rsa2048, "RSA", 2048}, Case{KeyKind::ecdsa_p256, "ECDSA secp256r1", 256},
          Case{KeyKind::ed25519, "Ed25519", 256}}) {
        const auto made = make_self_signed(kind, k_issued);
        ASSERT_TRUE(made) << made.error().text();
        const auto facts = read_certificate(made->certificate);
        ASSERT_TRUE(facts) << facts.error().text();
        EXPECT_EQ(facts->subject, "CN=localhost");
        EXPECT_EQ(facts->issuer, "CN=localhost");
        EXPECT_EQ(facts->key, key);
        EXPECT_EQ(facts->key_bits, bits);
        EXPECT_EQ(facts->serial.size(), 32U);
        EXPECT_TRUE(facts->self_signed);
        EXPECT_EQ(facts->valid_from, sys_days(2025y / 2 / 17) + 12h);
        EXPECT_EQ(facts->valid_until, sys_days(9999y / 12 / 31) + 23h + 59min + 59s);
        EXPECT_EQ(facts->fingerprint, made->fingerprint());
        EXPECT_EQ(facts->fingerprint.text().size(), 43U);
        EXPECT_EQ(certificate_from_pem(made->certificate_pem), made->certificate);
        EXPECT_EQ(key_matches(made->certificate, made->key_pem), true);
    }
}

TEST(Identity, NoTwoAreTheSame) {
    const auto first = make_self_signed(KeyKind::ed25519, k_issued).value();
    const auto second = make_self_signed(KeyKind::ed25519, k_issued).value();
    EXPECT_NE(first.fingerprint(), second.fingerprint());
    EXPECT_NE(read_certificate(first.certificate)->serial, read_certificate(second.certificate)->serial);
    EXPECT_EQ(key_matches(first.certificate, second.key_pem), false);
    const auto mixed = make_identity(first.certificate_pem, second.key_pem);
    ASSERT_FALSE(mixed);
    EXPECT_EQ(mixed.error().code, Errc::mismatch);
}

TEST(Identity, TheCommonNameIsTextOfAtMost64Bytes) {
    const auto named = make_self_signed(KeyKind::ed25519, k_issued, "caf\xc3\xa9 2, Paris");
    ASSERT_TRUE(named) << named.error().text();
    EXPECT_EQ(read_certificate(named->certificate)->subject, "CN=caf\xc3\xa9 2\\, Paris");
    EXPECT_TRUE(make_self_signed(KeyKind::ed25519, k_issued, std::string(64, 'a')));
    for (const auto& name : {std::string(), std::string(65, 'a'), std::string("a\nb"), std::string("\xff"),
                             std::string("a\0b", 3)}) {
        const auto refused = make_self_signed(KeyKind::ed25519, k_issued, name);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::usage);
    }
}

TEST(Identity, IsTheSameAfterSavingAndLoading) {
    const orbis::test::TemporaryFolder folder;
    const auto made = make_self_signed(KeyKind::ecdsa_p256, k_issued).value();
    ASSERT_TRUE(save_identity(made, folder / "a.crt.pem", folder / "a.key.pem"));
    struct stat key{};
    ASSERT_EQ(stat((folder / "a.key.pem").c_str(), &key), 0);
    EXPECT_EQ(key.st_mode & 07777, 0600U);
    const auto loaded = load_identity(folder / "a.crt.pem", folder / "a.key.pem");
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(loaded->certificate, made.certificate);
    EXPECT_EQ(loaded->key_pem, made.key_pem);
    EXPECT_EQ(loaded->fingerprint(), made.fingerprint());
}

TEST(Identity, ACertificateIsReadFromEitherForm) {
    const orbis::test::TemporaryFolder folder;
    const auto made = make_self_signed(KeyKind::ed25519, k_issued).value();
    write_file(folder / "text", "a remark\n" + made.certificate_pem);
    write_file(folder / "binary", as_text(made.certificate));
    EXPECT_EQ(load_certificate(folder / "text"), made.certificate);
    EXPECT_EQ(load_certificate(folder / "binary"), made.certificate);
    write_file(folder / "binary", as_text(Bytes(made.certificate).first(100)));
    const auto cut = load_certificate(folder / "binary");
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().file, (folder / "binary").string());
    write_file(folder / "empty", "");
    EXPECT_FALSE(load_certificate(folder / "empty"));
}

TEST(Identity, SavingNeverReplacesAFile) {
    const auto made = make_self_signed(KeyKind::ed25519, k_issued).value();
    for (const auto* there : {"a.crt.pem", "a.key.pem"}) {
        const orbis::test::TemporaryFolder folder;
        write_file(folder / there, "precious");
        const auto saved = save_identity(made, folder / "a.crt.pem", folder / "a.key.pem");
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error().code, Errc::exists);
        EXPECT_EQ(file_text(folder / there), "precious");
        // Nothing else was left behind.
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    }
}

TEST(Identity, AKeyWithoutItsCertificateIsNotLeftBehind) {
    const auto made = make_self_signed(KeyKind::ed25519, k_issued).value();
    const orbis::test::TemporaryFolder folder;
    const auto saved = save_identity(made, folder / "missing/a.crt.pem", folder / "a.key.pem");
    ASSERT_FALSE(saved);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.key.pem"));
    EXPECT_TRUE(save_identity(made, folder / "a.crt.pem", folder / "a.key.pem")) << "nothing is in its way";
    struct stat certificate{};
    ASSERT_EQ(stat((folder / "a.crt.pem").c_str(), &certificate), 0);
    EXPECT_EQ(certificate.st_mode & 0777 & ~0644U, 0U);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(Identity, LoadingNamesTheFileThatIsWrong) {
    const orbis::test::TemporaryFolder folder;
    const auto made = make_self_signed(KeyKind::ed25519, k_issued).value();
    const auto other = make_self_signed(KeyKind::ed25519, k_issued).value();
    const auto certificate = folder / "c";
    const auto key = folder / "k";
    const auto expect = [&](Errc code, const std::filesystem::path& file) {
        const auto loaded = load_identity(certificate, key);
        ASSERT_FALSE(loaded);
        EXPECT_EQ(loaded.error().code, code) << loaded.error().text();
        EXPECT_EQ(loaded.error().file, file.string()) << loaded.error().text();
    };
    expect(Errc::not_found, certificate);
    write_file(certificate, made.certificate_pem);
    expect(Errc::not_found, key);
    write_file(key, other.key_pem);
    expect(Errc::mismatch, key);
    write_file(key, made.certificate_pem);
    expect(Errc::bad_text, key);
    write_file(certificate, made.key_pem);
    expect(Errc::bad_text, certificate);
    write_file(certificate, std::string(1 << 20, 'x'));
    expect(Errc::too_large, certificate);
}

TEST(Certificate, EveryTruncationAndEveryChangedByteIsReadOrRefused) {
    const auto made = make_self_signed(KeyKind::ed25519, k_issued).value();
    for (std::size_t size = 0; size < made.certificate.size(); ++size) {
        const Buffer cut(made.certificate.begin(),
                         made.certificate.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(read_certificate(cut)) << size;
    }
    for (std::size_t at = 0; at < made.certificate.size(); ++at) {
        auto changed = made.certificate;
        changed[at] ^= 0x41;
        const auto facts = read_certificate(changed);
        EXPECT_TRUE(!facts || facts->fingerprint != made.fingerprint()) << at;
    }
    EXPECT_FALSE(read_certificate(Buffer(k_largest_certificate + 1)));
    EXPECT_FALSE(certificate_from_pem(""));
}

TEST(Certificate, AForgedSignatureIsNotSelfSigned) {
    auto forged = make_self_signed(KeyKind::ed25519, k_issued).value().certificate;
    forged.back() ^= 1;
    const auto facts = read_certificate(forged);
    ASSERT_TRUE(facts);
    EXPECT_FALSE(facts->self_signed);
}

TEST(Fingerprint, IsTheHashOfTheBytesAsText) {
    EXPECT_EQ(fingerprint(as_bytes("abc")).text(), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
}

TEST(Certificate, ACutOneIsToldFromNone) {
    const auto identity = make_self_signed(KeyKind::ed25519, std::chrono::sys_seconds()).value();
    const std::string_view whole = identity.certificate_pem;
    EXPECT_TRUE(certificate_from_pem(whole));
    for (const auto size : {std::size_t{0}, whole.size() / 2}) {
        const auto cut = certificate_from_pem(whole.substr(0, size));
        ASSERT_FALSE(cut);
        EXPECT_EQ(cut.error().code, Errc::truncated);
    }
    EXPECT_EQ(certificate_from_pem("noise").error().code, Errc::bad_text);
}

} // namespace
} // namespace orbis::net
