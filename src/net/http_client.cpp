#include "net/http_client.hpp"

#include "bytes/json_writer.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <curl/curl.h>
#include <new>

namespace orbis::net {
namespace {

struct FreeUrl {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Headers = std::unique_ptr<curl_slist, FreeList>;

/// A part of an address, empty if it has none.
std::string part(CURLU* url, CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(url, which, &text, 0) != CURLUE_OK) return {};
    std::string copy(text);
    curl_free(text);
    return copy;
}

/// `localhost` always is: the library does not ask anybody for its address.
bool is_this_machine(std::string host) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    in_addr v4{};
    in6_addr v6{};
    if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
    if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6) != 0;
    return host == "localhost";
}

void add(Headers& headers, const std::string& line) {
    auto* const shorter = headers.release();
    auto* const longer = curl_slist_append(shorter, line.c_str());
    headers.reset(longer != nullptr ? longer : shorter);
    if (longer == nullptr) throw std::bad_alloc();
}

/// A header must stay one line: a token with a line break would add others.
Result<Headers> headers_of(const HttpRequest& request) {
    Headers headers;
    add(headers, "Accept: application/json");
    if (request.json) add(headers, "Content-Type: application/json");
    if (!request.bearer.empty()) {
        if (!std::ranges::all_of(request.bearer, [](unsigned char c) { return c > 32 && c < 127; }))
            return fail(Errc::bad_text, "the session token must have plain characters only");
        add(headers, "Authorization: Bearer " + request.bearer);
    }
    return headers;
}

struct Body {
    std::string text;
    std::size_t limit = 0;
    bool too_large = false;
};

std::size_t take_body(const char* data, std::size_t, std::size_t size, void* user) {
    auto& body = *static_cast<Body*>(user);
    if (size > body.limit - body.text.size()) {
        body.too_large = true;
        return 0; // anything but `size` ends the transfer
    }
    body.text.append(data, size);
    return size;
}

int ask_to_go_on(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<const std::stop_token*>(user)->stop_requested() ? 1 : 0;
}

} // namespace

Result<std::string> service_base(std::string_view url) {
    const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
    if (!parsed) throw std::bad_alloc();
    const auto refuse = [&](std::string_view expected) {
        return fail(error(Errc::usage, "{1} is not {0}", expected, json_quoted(url.substr(0, 200)))
                        .about("address of the session service")
                        .advise("write https://HOST or http://127.0.0.1:PORT"));
    };
    if (url.find('\0') != url.npos
        || curl_url_set(parsed.get(), CURLUPART_URL, std::string(url).c_str(), 0) != CURLUE_OK)
        return refuse("the address of a web service");
    const auto scheme = part(parsed.get(), CURLUPART_SCHEME);
    const auto host = part(parsed.get(), CURLUPART_HOST);
    if (scheme != "https" && !(scheme == "http" && is_this_machine(host)))
        return refuse("an https address, or http on this machine");
    for (const auto unwanted : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
        if (!part(parsed.get(), unwanted).empty())
            return refuse("an address without user name, query or fragment");
    auto base = part(parsed.get(), CURLUPART_URL);
    while (base.ends_with('/')) base.pop_back();
    return base;
}

class HttpClient::Handle {
public:
    explicit Handle(HttpOptions options) : options_(std::move(options)) {
        // Once in a process, and before any thread makes a handle.
        static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
        if (ready) curl_.reset(curl_easy_init());
        if (!curl_) throw std::bad_alloc();
    }

    Result<HttpAnswer> send(const HttpRequest& request, std::stop_token stop) {
        TRY(const auto base, service_base(request.url));
        TRY(const auto headers, headers_of(request));
        auto* const curl = curl_.get();
        curl_easy_reset(curl); // keeps the connections
        Body body{{}, options_.largest_answer, false};
        std::array<char, CURL_ERROR_SIZE> reason{};
        curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, base.starts_with("https") ? "https" : "http");
        curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_USERAGENT, "orbis");
        curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect.count()));
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(options_.total.count()));
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason.data());
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
        curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, ask_to_go_on);
        curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &stop);
        if (is_this_machine(host_of(base))) curl_easy_setopt(curl, CURLOPT_PROXY, "");
        if (!options_.authorities.empty()) {
            curl_easy_setopt(curl, CURLOPT_CAINFO, options_.authorities.c_str());
            curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
        }
        if (request.json) {
            curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.json->size()));
            curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.json->c_str());
        }
        const auto code = curl_easy_perform(curl);
        if (body.too_large)
            return fail(error(Errc::too_large, "the answer is longer than {} bytes", options_.largest_answer)
                            .in_file(request.url));
        if (code != CURLE_OK)
            return fail(error(Errc::io, "cannot reach the session service: {}",
                              reason[0] != 0 ? reason.data() : curl_easy_strerror(code))
                            .in_file(request.url));
        HttpAnswer answer{0, std::move(body.text)};
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
        return answer;
    }

private:
    static std::string host_of(const std::string& url) {
        const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
        if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
        return part(parsed.get(), CURLUPART_HOST);
    }

    struct FreeCurl {
        void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    };
    std::unique_ptr<CURL, FreeCurl> curl_;
    HttpOptions options_;
};

HttpClient::HttpClient(HttpOptions options) : handle_(std::make_unique<Handle>(std::move(options))) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<HttpAnswer> HttpClient::send(const HttpRequest& request, const std::stop_token& stop) {
    return handle_->send(request, stop);
}

} // namespace orbis::net
