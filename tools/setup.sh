# Sourced by ./orbis, ./test, ./bench and fuzz/run: installs missing packages, configures and builds.
# Everything it says goes to stderr, so that stdout stays for data.

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
mkdir -p "$root/build"

# locked COMMAND…: two calls at once set up and build one after the other
locked() {
    local lock
    exec {lock}>"$root/build/.lock"
    flock "$lock"
    "$@" {lock}>&-
    exec {lock}>&-
}

# watched LABEL LOG COMMAND…: what the command says goes into the log; a line tells how far it is, unless `quietly` is set
watched() {
    local label=$1 log=$2 code=0
    shift 2
    : >"$log"
    if [[ ${quietly:-} ]]; then
        "$@" >"$log" 2>&1
        return
    fi
    tell_progress "$label" "$log" &
    local teller=$!
    "$@" >"$log" 2>&1 || code=$?
    kill "$teller" 2>/dev/null || true
    wait "$teller" 2>/dev/null || true
    [[ -t 2 ]] && printf '\r\033[K' >&2
    return "$code"
}

# tell_progress LABEL LOG: a line with the time that has passed and the count of ninja's last line in the log
# (`[12/140] …`): on a terminal every second, elsewhere every half minute. Ends with the script.
tell_progress() {
    local label=$1 log=$2 begin=$SECONDS step=30 passed count line never
    [[ -t 2 ]] && step=1
    exec {never}<> <(:) # to wait without a process that would outlive this one
    while ! read -rt "$step" -u "$never" && kill -0 $$ 2>/dev/null; do
        passed=$((SECONDS - begin))
        count=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1 | tr -d '[]') || count=
        printf -v line 'orbis: %s%s, %d:%02d' "$label" "${count:+: ${count/\// of }}" $((passed / 60)) $((passed % 60))
        if ((step == 1)); then printf '\r\033[K%s' "$line" >&2; else echo "$line" >&2; fi
    done
}

# packages_of SECTION…: the names in these sections of packages.txt
packages_of() {
    local wanted=" $* " line section=
    while IFS= read -r line; do
        case $line in
            '['*) section=${line//[\[\]]/} ;;
            '' | '#'*) ;;
            *) [[ $wanted == *" $section "* ]] && printf '%s\n' "$line" ;;
        esac
    done <"$root/packages.txt"
}

# install_missing: installs the packages in `missing`, by `sudo` where that is not empty (both of install_packages)
install_missing() {
    "${sudo[@]}" apt-get update -qq &&
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# install_packages SECTION…: installs what is missing. A stamp makes the second call free.
install_packages() {
    local stamp="$root/build/.packages-$(IFS=-; echo "$*")"
    [[ $stamp -nt $root/packages.txt ]] && return 0
    local missing=() name
    for name in $(packages_of "$@"); do
        # Node from elsewhere brings its own npm, and Debian's package does not install beside it.
        [[ $name == npm ]] && command -v npm >/dev/null && continue
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
    done
    if ((${#missing[@]})); then
        local sudo=()
        if ((EUID != 0)); then
            command -v sudo >/dev/null || {
                echo "orbis: these packages are missing: ${missing[*]}" >&2
                echo "orbis: install them as root (apt-get install ${missing[*]}) and run this again" >&2
                exit 1
            }
            sudo=(sudo)
            sudo -v || exit 1 # asks for the password, if any, while nothing else is on the terminal
        fi
        local log="$root/build/packages-$(IFS=-; echo "$*").log"
        watched "installing ${#missing[@]} packages" "$log" install_missing || {
            tail -n 20 "$log" >&2
            echo "orbis: the packages could not be installed; is the package source reachable?" >&2
            exit 1
        }
    fi
    mkdir -p "$root/build"
    touch "$stamp"
}

# with_node COMMAND…: with a Node that Vite and its parts accept first in the PATH. Debian's is too old: npm then
# leaves out what is built for newer ones. It is new enough to fetch the one that web/package.json names.
with_node() {
    local accepted='const [a, b] = process.versions.node.split(".").map(Number);
        process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'
    if ! node -e "$accepted"; then
        local version folder="$root/build/node"
        version=$(sed -n 's/^ *"node": "\([0-9.]*\)".*/\1/p' "$root/web/package.json")
        if [[ ! -x $folder/$version/node_modules/.bin/node ]]; then
            rm -rf "$folder" && mkdir -p "$folder/$version" &&
                npm install --prefix "$folder/$version" --no-audit --no-fund --no-package-lock "node@$version" || return 1
        fi
        local -x PATH="$folder/$version/node_modules/.bin:$PATH"
    fi
    "$@"
}

# npm_ci: what package-lock.json names; npm itself runs with the Node in the PATH, whatever its first line says.
npm_ci() { node "$(readlink -f "$(command -v npm)")" ci --no-audit --no-fund; }

# build_page: web/ into build/web, once for all presets; again when a file of web/ changes. npm takes a minute
# the first time, later a second.
build_page() {
    local stamp="$root/build/.page" log="$root/build/page.log" wanted
    wanted=$(cd "$root/web" && find . -name node_modules -prune -o -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
    [[ -f $stamp && $(<"$stamp") == "$wanted" && -f $root/build/web/index.html ]] && return 0
    make_page >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        return 1
    }
    printf '%s' "$wanted" >"$stamp"
}

make_page() (
    cd "$root/web" || exit 1
    lock=$(sha256sum <package-lock.json)
    if [[ ! -f node_modules/.installed || $(<node_modules/.installed) != "$lock" ]]; then
        with_node npm_ci && printf '%s' "$lock" >node_modules/.installed || exit 1
    fi
    rm -rf "$root/build/web.new" && ORBIS_PAGE_OUT="$root/build/web.new" npm run build &&
        rm -rf "$root/build/web" && mv "$root/build/web.new" "$root/build/web"
)

# install_peers: the QUIC library of tests/interop that Debian does not have. Any Node will do.
install_peers() {
    local folder="$root/tests/interop/quiche" log="$root/build/peers.log" lock
    lock=$(sha256sum <"$folder/package-lock.json")
    [[ -f $folder/node_modules/.installed && $(<"$folder/node_modules/.installed") == "$lock" ]] && return 0
    (cd "$folder" && npm_ci) >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        return 1
    }
    printf '%s' "$lock" >"$folder/node_modules/.installed"
}

# configure PRESET [-DOPTION…]: once, and again when the options change. ORBIS_LARGE_UNITS in the environment is for who
# builds everything and changes nothing (docs/design/building.md).
configure() {
    local preset=$1 folder="$root/build/$1"
    shift
    set -- "$@" -DORBIS_LARGE_UNITS="${ORBIS_LARGE_UNITS:-OFF}"
    local wanted="$*"
    [[ -f $folder/build.ninja && -f $folder/.options && $(<"$folder/.options") == "$wanted" ]] && return 0
    (cd "$root" && cmake --preset "$preset" "$@") >"$root/build/$preset.log" 2>&1 || {
        cat "$root/build/$preset.log" >&2
        echo "orbis: the build could not be configured; the messages above say why" >&2
        exit 1
    }
    printf '%s' "$wanted" >"$folder/.options"
}

# build PRESET TARGET…: says how far it is, and nothing when there is nothing to do
build() {
    local preset=$1 log="$root/build/$1-build.log"
    shift
    watched "building $preset" "$log" ninja -C "$root/build/$preset" "$@" || {
        grep -v '^\[[0-9]*/[0-9]*\] ' "$log" >&2
        echo "orbis: the build failed; the messages above say where" >&2
        exit 1
    }
}
