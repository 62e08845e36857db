#!/usr/bin/env bash
# Installs what the build or the tests need and this machine lacks; quick and silent when nothing is missing.
#
#   scripts/setup.sh build    a C compiler, which Rust links with, and the HDF5 library
#   scripts/setup.sh test     these, a software Vulkan driver, .venv with Python's readers of HDF5 and matplotlib, and Chromium
#   scripts/setup.sh browser  installs nothing: prints the browser that the tests use, if there is one
#
# Installs with apt-get as root or through sudo. Elsewhere it says what to install by hand, and fails.
# Never asks a question where nobody can answer. The Rust toolchain is the user's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

READERS=(h5py h5netcdf xarray numpy scipy matplotlib)

say() { printf 'setup: %s\n' "$*" >&2; }

has() { command -v "$1" >/dev/null 2>&1; }

# --- What is there: one function for each need ---

have_compiler() { has cc; }

# The places where the build script of hdf5-metno-sys looks, and no others: a library that it cannot find is no help.
have_hdf5() {
    if [ -n "${HDF5_DIR:-}" ]; then
        hdf5_headers_in "$HDF5_DIR/include"
    elif [ "$(uname -s)" = Darwin ]; then
        has brew && hdf5_headers_in "$(brew --prefix hdf5 2>/dev/null)/include"
    else
        pkg-config --exists hdf5 2>/dev/null ||
            { [ "$(uname -m)" = x86_64 ] && hdf5_headers_in /usr/include/hdf5/serial; } ||
            hdf5_headers_in /usr/include
    fi
}

hdf5_headers_in() { [ -f "$1/H5pubconf.h" ] || [ -f "$1/H5pubconf-64.h" ]; }

# A loader and the description of Mesa's lavapipe. On macOS the tests use Metal.
have_vulkan() {
    [ "$(uname -s)" = Darwin ] && return
    PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -F libvulkan.so.1 >/dev/null || return
    local folder
    for folder in /usr/share /usr/local/share /etc; do
        compgen -G "$folder/vulkan/icd.d/lvp_icd*.json" >/dev/null && return
    done
    return 1
}

# Either the readers are there, or a Python that can make the environment for them.
have_python() { have_readers || python_with_venv >/dev/null; }

have_readers() {
    local list
    list=$(IFS=,; echo "${READERS[*]}")
    .venv/bin/python -c "import $list" >/dev/null 2>&1
}

# Debian's python3 has the module `venv` but lacks `ensurepip` until python3-venv is there.
python_with_venv() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 && echo "$python" && return
    done
    return 1
}

# The browser of the environment, or the first that is there. Debian has the package; Ubuntu has it as a snap only.
find_browser() {
    local name
    for name in "${QUEUEFARM_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        [ -n "$name" ] && command -v "$name" 2>/dev/null && return
    done
    return 1
}

# --- What to call it, for people and for package managers ---

describe() {
    case $1 in
        compiler) echo "a C compiler (Rust links with it)" ;;
        hdf5) echo "the HDF5 library and its headers" ;;
        vulkan) echo "the Vulkan loader and Mesa's software driver lavapipe" ;;
        python) echo "Python 3 with venv" ;;
    esac
}

# Names of packages for a need ($2) in a package manager ($1).
packages() {
    case $1:$2 in
        apt-get:compiler) echo gcc libc6-dev ;;
        apt-get:hdf5) echo libhdf5-dev pkg-config ;;
        apt-get:vulkan) echo mesa-vulkan-drivers libvulkan1 ;;
        apt-get:python) echo python3 python3-venv ;;
        dnf:compiler) echo gcc ;;
        dnf:hdf5) echo hdf5-devel pkgconf-pkg-config ;;
        dnf:vulkan) echo mesa-vulkan-drivers vulkan-loader ;;
        dnf:python) echo python3 ;;
        pacman:compiler) echo gcc ;;
        pacman:hdf5) echo hdf5 pkgconf ;;
        pacman:vulkan) echo vulkan-swrast vulkan-icd-loader ;;
        pacman:python) echo python ;;
        brew:hdf5) echo hdf5 ;;
        brew:python) echo python ;;
    esac
}

package_manager() {
    local manager
    for manager in apt-get dnf pacman brew; do
        has "$manager" && echo "$manager" && return
    done
    echo none
}

# --- Installing ---

# Ends with what to type. $1 says why it was not done here, the rest are packages.
by_hand() {
    local reason=$1 manager
    shift
    manager=$(package_manager)
    say "$reason Install by hand, then run this again:"
    case $manager in
        apt-get) say "    sudo apt-get update && sudo apt-get install --no-install-recommends $*" ;;
        dnf) say "    sudo dnf install $*" ;;
        pacman) say "    sudo pacman -S --needed $*" ;;
        brew) say "    brew install $*" ;;
        none)
            say "    what is named above. Its packages are called:"
            for manager in dnf pacman brew; do
                say "    with $manager: $(names "$manager")"
            done
            ;;
    esac
    if ! have_hdf5; then
        say "An HDF5 in a place of its own is found through HDF5_DIR=/absolute/prefix."
    fi
    if [ "$level" = test ] && have_compiler && have_hdf5; then
        say "Without these, 'cargo test' still runs: it skips, and says so, what needs them."
    fi
    exit 1
}

# The packages of all that is missing, in a package manager.
names() {
    local need all
    for need in $missing; do
        read -ra all <<<"${all[*]-} $(packages "$1" "$need")"
    done
    echo "${all[*]-}"
}

# Prints the words that make a command run as root, or fails where that would need an answer from nobody.
root_prefix() {
    if [ "$(id -u)" = 0 ]; then
        echo env
    elif has sudo && sudo -n true >/dev/null 2>&1; then
        echo sudo -n env
    elif has sudo && [ -t 0 ] && [ -t 2 ] && [ -z "${CI:-}" ]; then
        echo sudo env
    else
        return 1
    fi
}

install_packages() {
    local list prefix output
    read -ra list <<<"$(names "$(package_manager)")"
    if [ "$(package_manager)" != apt-get ]; then
        by_hand "This script installs with apt-get only." "${list[@]-}"
    fi
    read -ra prefix <<<"$(root_prefix)" || true
    if [ ${#prefix[@]} = 0 ]; then
        by_hand "Installing needs root, and sudo is not there or would ask for a password." "${list[@]}"
    fi
    say "installing with apt-get: ${list[*]}"
    prefix+=(DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    "${prefix[@]}" update || say "apt-get update failed: trying with the package lists at hand"
    if ! output=$("${prefix[@]}" install -y --no-install-recommends "${list[@]}" 2>&1); then
        printf '%s\n' "$output" >&2
        by_hand "apt-get could not install them (see above)." "${list[@]}"
    fi
}

install_readers() {
    say "installing in .venv with pip: ${READERS[*]}"
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
        "$(python_with_venv)" -m venv --clear .venv
    fi
    if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check "${READERS[@]}"; then
        say "pip could not install them (see above). Without them, 'cargo test' still runs, and skips what needs them."
        exit 1
    fi
}

# The browser is no need: without one the tests skip, and say so, what a browser shows.
install_browser() {
    local prefix
    read -ra prefix <<<"$(root_prefix)" || true
    if [ "$(package_manager)" != apt-get ] || [ ${#prefix[@]} = 0 ]; then
        say "no Chromium or Chrome: what needs a browser is skipped. Install one to test it."
        return
    fi
    say "installing with apt-get: chromium"
    prefix+=(DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    "${prefix[@]}" update || say "apt-get update failed: trying with the package lists at hand"
    "${prefix[@]}" install -y --no-install-recommends chromium >/dev/null 2>&1 ||
        say "apt-get could not install chromium: what needs a browser is skipped."
}

# The needs, of those named, that are not met.
unmet() {
    local need list=()
    for need in "$@"; do
        "have_$need" || list+=("$need")
    done
    echo "${list[*]-}"
}

level=${1:-}
case $level in
    build) needs=(compiler hdf5) ;;
    test) needs=(compiler hdf5 vulkan python) ;;
    browser) find_browser || true && exit 0 ;;
    *) say "usage: scripts/setup.sh build|test|browser" && exit 2 ;;
esac

if ! has cargo; then
    say "no cargo on the PATH. Install Rust $(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) or later (https://rustup.rs);"
    say "where that is done, load it into this shell: . \"\$HOME/.cargo/env\""
    exit 1
fi

if [ -n "${HDF5_DIR:-}" ] && ! have_hdf5; then
    say "HDF5_DIR is $HDF5_DIR, but $HDF5_DIR/include has no H5pubconf.h: correct HDF5_DIR or unset it."
    exit 1
fi

missing=$(unmet "${needs[@]}")
if [ -n "$missing" ]; then
    for need in $missing; do
        say "missing: $(describe "$need")"
    done
    install_packages
    missing=$(unmet "${needs[@]}")
    if [ -n "$missing" ]; then
        by_hand "Installed, but not found: $missing." "$(names "$(package_manager)")"
    fi
fi

if [ "$level" = test ] && ! have_readers; then
    install_readers
fi

if [ "$level" = test ] && ! find_browser >/dev/null; then
    install_browser
fi
