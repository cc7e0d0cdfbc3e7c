#include "app/completion.hpp"

namespace orbis::app {

namespace {

// The scripts only ask `orbis __complete` and hand on what it says. None of them evaluates a text: names come
// out of worlds of strangers. They ask the orbis of the PATH and not what the line begins with, which may be
// any program.

constexpr std::string_view k_bash_script =
    R"script(# Completion of orbis for bash, printed by `orbis completion bash`.
_orbis() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() lines=() word blanks typed before value i
    # `:`, `=` and `@` end a word for bash, but not for orbis: what has no blank between it is one word.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blanks=${rest%%[![:space:]]*}
        rest=${rest#"$blanks"}
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=$rest
        if ((i == 0)) || [[ -n $blanks ]]; then words+=("$word"); else words[-1]+=$word; fi
        rest=${rest#"$word"}
    done
    COMPREPLY=()
    mapfile -t lines < <(command orbis __complete bash "${words[@]:1}" 2>/dev/null)
    typed=${words[-1]}
    [[ $typed == --*=* ]] && typed=${typed#*=}
    case ${lines[0]-} in
        files) compopt -o default; return ;;
        folders) compopt -o dirnames; return ;;
        beginnings) compopt -o nospace ;;
    esac
    # bash replaces only what it takes for the word, so what stands before that is cut off.
    case $typed in
        [\'\"]*) before=${typed:1} ;;
        *) before=$typed ;;
    esac
    before=${before%"$2"}
    for value in "${lines[@]:1}"; do
        value=${value%%$'\t'*}
        [[ $typed == [\'\"]* ]] || printf -v value %q "$value"
        [[ $value == "$before"* ]] && COMPREPLY+=("${value#"$before"}")
    done
}
complete -F _orbis orbis
)script";

constexpr std::string_view k_zsh_script = R"script(#compdef orbis
# Completion of orbis for zsh, printed by `orbis completion zsh`.
_orbis() {
    local -a lines shown last
    local line value
    lines=("${(@f)$(command orbis __complete zsh "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
    [[ $PREFIX == --*=* ]] && compset -P '*='
    case $lines[1] in
        files) _files; return ;;
        folders) _files -/; return ;;
        beginnings) last=(-S '') ;;
    esac
    for line in "${(@)lines[2,-1]}"; do
        value=${line%%$'\t'*}
        value=${value//\\/\\\\}
        shown+=("${value//:/\\:}:${line#*$'\t'}")
    done
    _describe -t values value shown "${(@)last}"
}
if [[ $funcstack[1] == _orbis ]]; then _orbis "$@"; else compdef _orbis orbis; fi
)script";

constexpr std::string_view k_fish_script =
    R"script(# Completion of orbis for fish, printed by `orbis completion fish`.
function __orbis_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc)
    set -e words[1]
    set -l lines (command orbis __complete fish $words "$typed" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' "$typed")
    set -l part (string replace -- "$before" '' "$typed")
    switch "$lines[1]"
        case files
            printf '%s\n' "$before"(__fish_complete_path "$part")
        case folders
            printf '%s\n' "$before"(__fish_complete_directories "$part" '')
        case '*'
            set -e lines[1]
            test (count $lines) -gt 0; and printf '%s\n' "$before"$lines
    end
end
complete -c orbis -f -a '(__orbis_complete)'
)script";

} // namespace

std::string_view completion_script(std::string_view shell) {
    return shell == "bash" ? k_bash_script : shell == "zsh" ? k_zsh_script : k_fish_script;
}

} // namespace orbis::app
