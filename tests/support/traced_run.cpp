#include "support/traced_run.hpp"

#include <climits>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "traced_run knows how calls of the system look on x86-64 only"
#endif

namespace orbis::test {

namespace fs = std::filesystem;

namespace {

using Kind = TracedCall::Kind;

constexpr std::array k_followed{
    SYS_open,     SYS_openat,    SYS_creat,     SYS_write,           SYS_pwrite64,  SYS_writev,
    SYS_pwritev,  SYS_pwritev2,  SYS_ftruncate, SYS_truncate,        SYS_fallocate, SYS_rename,
    SYS_renameat, SYS_renameat2, SYS_unlink,    SYS_unlinkat,        SYS_rmdir,     SYS_mkdir,
    SYS_mkdirat,  SYS_fsync,     SYS_fdatasync, SYS_syncfs,          SYS_link,      SYS_linkat,
    SYS_symlink,  SYS_symlinkat, SYS_sendfile,  SYS_copy_file_range, SYS_chmod,     SYS_fchmod,
    SYS_fchmodat, SYS_chown,     SYS_fchown,    SYS_fchownat};

/// Lets the kernel stop the process at these calls and at no other.
void follow_calls() {
    std::vector<sock_filter> filter;
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    for (const auto number : k_followed) {
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
        filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(126);
}

std::string text_in(pid_t process, std::uint64_t address) {
    std::string out;
    std::array<char, 256> piece{};
    while (out.size() < PATH_MAX) {
        const auto length = 256 - (address + out.size()) % 256; // never over the end of a page
        iovec here{piece.data(), length};
        iovec there{reinterpret_cast<void*>(address + out.size()), length};
        const auto got = process_vm_readv(process, &here, 1, &there, 1, 0);
        if (got <= 0) break;
        const auto end = std::find(piece.begin(), piece.begin() + got, '\0');
        out.append(piece.begin(), end);
        if (end != piece.begin() + got) break;
    }
    return out;
}

fs::path link_target(const fs::path& link) {
    std::error_code code;
    return fs::read_symlink(link, code);
}

fs::path descriptor_link(pid_t process, std::uint64_t descriptor) {
    return fs::path("/proc") / std::to_string(process) / "fd" / std::to_string(static_cast<int>(descriptor));
}

std::uint64_t file_position(pid_t process, std::uint64_t descriptor) {
    std::ifstream in("/proc/" + std::to_string(process) + "/fdinfo/"
                     + std::to_string(static_cast<int>(descriptor)));
    std::string word;
    std::uint64_t position = 0;
    unsigned flags = 0;
    in >> word >> position >> word >> std::oct >> flags;
    if ((flags & O_APPEND) == 0) return position;
    std::error_code code;
    return fs::file_size(descriptor_link(process, descriptor), code);
}

/// What a call is about to do.
struct Begun {
    TracedCall call;
    bool is_inside = false;
    bool is_new = false;          ///< an `open` that will make the file
    std::uint64_t descriptor = 0; ///< of writes: the data is read from the file afterwards
};

class Tracer {
public:
    Tracer(const fs::path& folder, TracedFault fault) : root_(fs::canonical(folder)), fault_(fault) {}

    TracedRun follow(pid_t child);

private:
    using Registers = user_regs_struct;

    [[nodiscard]] std::optional<std::string> inside(const fs::path& path) const {
        const auto whole = fs::weakly_canonical(path.parent_path()) / path.filename();
        if (whole == root_) return std::string();
        const auto below = whole.lexically_relative(root_).string();
        if (below.empty() || below.starts_with("..")) return std::nullopt;
        return below;
    }
    [[nodiscard]] static fs::path path_at(pid_t process, std::uint64_t folder, std::uint64_t text) {
        const fs::path name = text_in(process, text);
        if (name.is_absolute()) return name;
        if (static_cast<int>(folder) == AT_FDCWD)
            return link_target("/proc/" + std::to_string(process) + "/cwd") / name;
        return link_target(descriptor_link(process, folder)) / name;
    }

    void name(Begun& begun, const fs::path& path) const {
        if (auto found = inside(path)) {
            begun.call.path = *std::move(found);
            begun.is_inside = true;
        }
    }
    void name_both(Begun& begun, const fs::path& from, const fs::path& to) const {
        name(begun, from);
        if (auto found = inside(to)) {
            begun.call.to = *std::move(found);
            begun.is_inside = true;
        }
    }
    [[nodiscard]] Begun understand(pid_t thread, const Registers& registers) const;
    [[nodiscard]] bool needs_room(const Begun& begun) const {
        return begun.call.kind == Kind::write || begun.call.kind == Kind::create
               || begun.call.kind == Kind::folder || begun.call.kind == Kind::resize
               || begun.call.kind == Kind::link;
    }
    /// Whether the call goes on and its end is to be seen.
    bool begin(pid_t thread);
    void end(pid_t thread);
    static void refuse(pid_t thread, Registers registers, int error) {
        registers.orig_rax = ~0ULL;
        registers.rax = static_cast<unsigned long long>(-error);
        ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    }

    fs::path root_;
    TracedFault fault_;
    TracedRun run_;
    pid_t child_ = 0;
    std::map<pid_t, Begun> begun_;
    bool kill_at_end_ = false;
    bool full_ = false;
};

Begun Tracer::understand(pid_t thread, const Registers& r) const {
    Begun out;
    auto& call = out.call;
    const auto at = [&](std::uint64_t folder, std::uint64_t text) { return path_at(thread, folder, text); };
    const auto here = static_cast<std::uint64_t>(AT_FDCWD);
    const auto of_descriptor = [&](std::uint64_t descriptor) {
        const auto path = link_target(descriptor_link(thread, descriptor));
        if (path.is_absolute() && !path.string().ends_with(" (deleted)")) name(out, path);
        out.descriptor = descriptor;
    };
    const auto opens = [&](const fs::path& path, std::uint64_t flags) {
        std::error_code code;
        const bool is_there = fs::exists(path, code);
        out.is_new = (flags & O_CREAT) != 0 && !is_there;
        call.kind = out.is_new ? Kind::create : Kind::resize;
        if (out.is_new || ((flags & O_TRUNC) != 0 && is_there)) name(out, path);
    };
    switch (static_cast<long>(r.orig_rax)) {
    case SYS_open: opens(at(here, r.rdi), r.rsi); break;
    case SYS_creat: opens(at(here, r.rdi), O_CREAT | O_TRUNC); break;
    case SYS_openat: opens(at(r.rdi, r.rsi), r.rdx); break;
    case SYS_write:
    case SYS_writev:
        call.kind = Kind::write;
        of_descriptor(r.rdi);
        if (out.is_inside) call.offset = file_position(thread, r.rdi);
        break;
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
        call.kind = Kind::write;
        of_descriptor(r.rdi);
        call.offset = r.r10;
        break;
    case SYS_sendfile:
        call.kind = Kind::write;
        of_descriptor(r.rdi);
        if (out.is_inside) call.offset = file_position(thread, r.rdi);
        break;
    case SYS_copy_file_range:
        call.kind = Kind::write;
        of_descriptor(r.rdx);
        if (out.is_inside) call.offset = file_position(thread, r.rdx);
        break;
    case SYS_ftruncate:
        call.kind = Kind::resize;
        of_descriptor(r.rdi);
        call.size = r.rsi;
        break;
    case SYS_truncate:
        call.kind = Kind::resize;
        name(out, at(here, r.rdi));
        call.size = r.rsi;
        break;
    case SYS_fallocate:
        of_descriptor(r.rdi);
        if (r.rsi == 0) {
            call.kind = Kind::resize;
            std::error_code code;
            const auto now = fs::file_size(descriptor_link(thread, r.rdi), code);
            call.size = std::max<std::uint64_t>(now, r.rdx + r.r10);
        }
        break;
    case SYS_rename:
        call.kind = Kind::rename;
        name_both(out, at(here, r.rdi), at(here, r.rsi));
        break;
    case SYS_renameat:
    case SYS_renameat2:
        call.kind = Kind::rename;
        name_both(out, at(r.rdi, r.rsi), at(r.rdx, r.r10));
        break;
    case SYS_unlink:
    case SYS_rmdir:
        call.kind = Kind::remove;
        name(out, at(here, r.rdi));
        break;
    case SYS_unlinkat:
        call.kind = Kind::remove;
        name(out, at(r.rdi, r.rsi));
        break;
    case SYS_mkdir:
        call.kind = Kind::folder;
        name(out, at(here, r.rdi));
        break;
    case SYS_mkdirat:
        call.kind = Kind::folder;
        name(out, at(r.rdi, r.rsi));
        break;
    case SYS_link:
        call.kind = Kind::link;
        name_both(out, at(here, r.rdi), at(here, r.rsi));
        break;
    case SYS_linkat:
        call.kind = Kind::link;
        name_both(out, at(r.rdi, r.rsi), at(r.rdx, r.r10));
        break;
    case SYS_symlink:
    case SYS_symlinkat:
        call.kind = Kind::link;
        call.bytes = text_in(thread, r.rdi);
        if (auto to =
                inside(static_cast<long>(r.orig_rax) == SYS_symlink ? at(here, r.rsi) : at(r.rsi, r.rdx))) {
            call.to = *std::move(to);
            out.is_inside = true;
        }
        break;
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_syncfs:
        call.kind = Kind::sync;
        of_descriptor(r.rdi);
        break;
    case SYS_chmod:
    case SYS_chown: name(out, at(here, r.rdi)); break;
    case SYS_fchmodat:
    case SYS_fchownat: name(out, at(r.rdi, r.rsi)); break;
    case SYS_fchmod:
    case SYS_fchown: of_descriptor(r.rdi); break;
    default: break;
    }
    return out;
}

bool Tracer::begin(pid_t thread) {
    Registers registers{};
    ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
    auto begun = understand(thread, registers);
    if (!begun.is_inside) return false;
    const auto number = run_.count++;
    if (full_ && needs_room(begun)) {
        refuse(thread, registers, ENOSPC);
        return false;
    }
    if (fault_.kind != TracedFault::Kind::none && number == fault_.at) {
        run_.faulted = true;
        using Fault = TracedFault::Kind;
        const bool halves = static_cast<long>(registers.orig_rax) == SYS_write
                            || static_cast<long>(registers.orig_rax) == SYS_pwrite64;
        if (fault_.kind == Fault::fail) {
            refuse(thread, registers, fault_.error);
            return false;
        }
        full_ = fault_.kind == Fault::full;
        if (fault_.kind == Fault::kill || (fault_.kind == Fault::tear && !halves)) {
            kill(child_, SIGKILL);
            return false;
        }
        if (full_ && (!halves || registers.rdx < 2)) {
            if (!needs_room(begun)) {
                begun_[thread] = std::move(begun);
                return true;
            }
            refuse(thread, registers, ENOSPC);
            return false;
        }
        kill_at_end_ = fault_.kind == Fault::tear;
        if (halves && registers.rdx > 1) {
            registers.rdx /= 2;
            ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
        }
    }
    begun_[thread] = std::move(begun);
    return true;
}

void Tracer::end(pid_t thread) {
    const auto found = begun_.find(thread);
    if (found == begun_.end()) return;
    auto begun = std::move(found->second);
    begun_.erase(found);
    Registers registers{};
    ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
    const auto result = static_cast<std::int64_t>(registers.rax);
    if (result >= 0) {
        if (begun.call.kind == Kind::write) {
            begun.call.bytes.resize(static_cast<std::size_t>(result));
            std::ifstream in(descriptor_link(thread, begun.descriptor), std::ios::binary);
            in.seekg(static_cast<std::streamoff>(begun.call.offset));
            in.read(begun.call.bytes.data(), result);
        }
        run_.calls.push_back(std::move(begun.call));
    }
    if (kill_at_end_) kill(child_, SIGKILL);
}

TracedRun Tracer::follow(pid_t child) {
    child_ = child;
    int status = 0;
    waitpid(child, &status, 0);
    constexpr long k_options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK
                               | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD
                               | PTRACE_O_EXITKILL;
    if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, child, nullptr, k_options) != 0)
        throw std::runtime_error("this system does not let a process be followed");
    ptrace(PTRACE_CONT, child, nullptr, 0);
    std::set<pid_t> known{child};
    while (true) {
        const auto thread = waitpid(-1, &status, __WALL);
        if (thread < 0) throw std::runtime_error("the followed process was lost");
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread != child) continue;
            run_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            return std::move(run_);
        }
        std::intptr_t signal = 0;
        bool wants_end = false;
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
            wants_end = begin(thread);
        else if (WSTOPSIG(status) == (SIGTRAP | 0x80))
            end(thread);
        else if (status >> 16 == 0) { // a signal; that of a new thread is for us
            if (!known.insert(thread).second || WSTOPSIG(status) != SIGSTOP) signal = WSTOPSIG(status);
        }
        ptrace(wants_end ? PTRACE_SYSCALL : PTRACE_CONT, thread, nullptr, signal);
    }
}

} // namespace

TracedRun trace_run(const fs::path& folder, const std::function<int()>& job, TracedFault fault) {
    Tracer tracer(folder, fault);
    const auto child = fork();
    if (child < 0) throw std::runtime_error("no process can be made");
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(125);
        (void)raise(SIGSTOP);
        follow_calls();
        _exit(job());
    }
    return tracer.follow(child);
}

} // namespace orbis::test
