# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# private-apt.sh - Debian's packages from another suite without installing them; sourced by get-jdk, get-root and get-kernel
#
# shellcheck disable=SC2153 # SUITE is the caller's
#
# The caller has say, die, and before download: APT_DIR (the private apt's folder), SUITE, APT_CONFIG exported.
#
# Environment: WICK_MIRROR  base URL of a Debian mirror (the folder that holds debian/ and debian-security/), instead of
#                           the one in the system's apt configuration

# mirror SUITE-SUFFIX: the URL of the system's own archive for this release ("" or "-security").
mirror() {
    local codename
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    # shellcheck disable=SC2016 # the dollar signs are apt's
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        awk -v want="$codename$1" '$1 == want { print $2; exit }'
}

# write_private_apt DIR SUITE: an apt configuration that shares nothing with the system's but mirror and keyring. A mirror
# that stands still is good enough here, so lists may be past their valid-until date; signatures are checked.
write_private_apt() {
    local dir=$1 suite=$2 main security
    if [ -n "${WICK_MIRROR:-}" ]; then
        main=$WICK_MIRROR/debian security=$WICK_MIRROR/debian-security
    else
        main=$(mirror "") security=$(mirror -security)
    fi
    [ -n "$main" ] || die "the system's apt names no Debian mirror for its own release; set WICK_MIRROR"
    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/preferences.d"
    : >"$dir/status"
    local signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
    {
        echo "deb $signed $main $suite main"
        if [ "$suite" != sid ] && [ -n "$security" ]; then
            echo "deb $signed $security $suite-security main"
        fi
    } >"$dir/sources.list"
    cat >"$dir/apt.conf" <<END
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "$dir/preferences";
Dir::Etc::preferencesparts "$dir/preferences.d";
Dir::State "$dir";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
Acquire::Retries "3";
END
}

# download DIR PACKAGE...: fetches and verifies the packages into DIR. The package lists are refreshed once a day, and
# once more when they name a version that has since left the pool.
download() {
    local dir=$1
    shift
    if [ -z "$(find "$APT_DIR/updated" -mmin -1440 2>/dev/null)" ]; then
        apt-get -qq update >&2 && touch "$APT_DIR/updated"
    fi
    mkdir -p "$dir"
    (cd "$dir" && apt-get -qq download "$@" >&2 2>/dev/null) && return
    apt-get -qq update >&2 && touch "$APT_DIR/updated"
    (cd "$dir" && apt-get -qq download "$@" >&2) || die "apt cannot download $* from $SUITE (its reason is above); WICK_SUITE names another suite"
}
