#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a stranger meets first - make, tools/setup, tools/get-jdk, tools/demo - when all is well and when it is not.
# Programs that would change the system are replaced by fakes that write down how they were called.
# shellcheck source=../jvm/lib.sh
source "$(dirname "$0")/../jvm/lib.sh"

mkdir "$WORK/fake" "$WORK/jdks" "$WORK/build"
calls=$WORK/calls
said=$WORK/said

# fake NAME BODY: a program of that name, ahead of the real one in PATH of `run`.
fake() {
    printf '#!/bin/sh\necho "%s $*" >>"%s"\n%s\n' "$1" "$calls" "$2" >"$WORK/fake/$1"
    chmod +x "$WORK/fake/$1"
}

# run EXPECTED-STATUS COMMAND...: what it says goes to $said, how the fakes were called to $calls.
run() {
    local expected=$1 status=0
    shift
    : >"$calls"
    PATH="$WORK/fake:$PATH" "$@" >"$said" 2>&1 || status=$?
    [ "$status" = "$expected" ] || { echo "status $status, not $expected: $(cat "$said")"; return 1; }
}

says() {
    grep -qE -- "$1" "$said" || { echo "said: $(cat "$said")"; return 1; }
}

says_not() {
    ! grep -E -m 5 -- "$1" "$said"
}

says_no_other() {
    ! grep -vE -m 5 -- "$1" "$said"
}

is_silent() {
    if [ -s "$said" ] || [ -s "$calls" ]; then
        cat "$said" "$calls"
        return 1
    fi
}

called_not() {
    ! called "$1"
}

called() {
    grep -qE -- "$1" "$calls" || { echo "calls: $(cat "$calls")"; return 1; }
}

setup=$ROOT/tools/setup

fake apt-get 'exit 100'
check "setup is content when nothing is missing" run 0 "$setup" demo
check "setup says and does nothing then" is_silent
check "setup refuses a group that does not exist" run 1 "$setup" everything
check "setup names the groups that exist" says "build demo check test jdks bench or all"

fake dpkg-query 'exit 0'
fake id 'echo 1000'
check "setup does nothing for an ordinary user" run 1 "$setup" build
check "setup shows an ordinary user the command to run" says "sudo apt-get install --no-install-recommends .*libcmocka-dev"
fake id 'echo 0'
check "setup fails when apt fails" run 1 "$setup" build
check "setup says when apt fails" says "apt could not install: .*libcmocka-dev"
check "setup refreshes the lists when an installation has failed" called "^apt-get .*update"
check "setup upgrades nothing" called "install .*--no-upgrade"
fake apt-get 'case "$*" in *update*) exit 1;; esac'
check "setup fails when apt has not done what it said" run 1 "$setup" build
check "setup notices that a package is still missing" says "still missing after the installation"
check "setup does not refresh the lists without need" called_not " update"
rm "$WORK"/fake/*

get_jdk=(env WICK_JDKS="$WORK/jdks" "$ROOT/tools/get-jdk")
check "get-jdk refuses a version that it does not know" run 1 "${get_jdk[@]}" 9
check "get-jdk needs a version" run 1 "${get_jdk[@]}"
mkdir -p "$WORK/jdks/21/home/bin"
check "get-jdk leaves alone what it has not made" run 1 "${get_jdk[@]}" 21
check "get-jdk says what to do about it" says "move it away or set WICK_JDKS"
mkdir -p "$WORK/jdks/17"
ln -s "$(jdk_home 17)" "$WORK/jdks/17/home"
fake apt-get 'exit 100'
check "get-jdk accepts a JDK that is there and works" run 0 "${get_jdk[@]}" 17
check "get-jdk prints its home" says "^$WORK/jdks/17/home\$"

get_kernel=(env WICK_KERNELS="$WORK/kernels" WICK_MIRROR=http://127.0.0.1:9 "$ROOT/tools/get-kernel")
check "get-kernel refuses a version that it does not know" run 1 "${get_kernel[@]}" 4.4
fake apt-cache 'echo "linux-image-6.1.0-1-cloud-amd64 - Linux 6.1"'
fake apt-get 'case "$*" in *update*) echo "E: Failed to fetch http://127.0.0.1:9/  Could not connect"; exit 100;; esac'
check "get-kernel has a status of its own for a mirror that cannot be reached" run 3 "${get_kernel[@]}" 6.1
fake apt-get 'case "$*" in *download*) echo "E: Failed to fetch http://127.0.0.1:9/  404 Not Found"; exit 100;; esac'
check "get-kernel has it for a package that the mirror has lost as well" run 3 "${get_kernel[@]}" 6.1
check "get-kernel says why" says "404 Not Found"
fake apt-get 'echo "E: Malformed entry 1 in list file"; exit 100'
check "get-kernel has another status when apt fails in another way" run 1 "${get_kernel[@]}" 6.1
fake apt-cache ''
fake apt-get ''
check "get-kernel has it as well when no package has the name" run 1 "${get_kernel[@]}" 6.1
fake apt-get 'echo "W: Failed to fetch http://127.0.0.1:9/  Could not connect"'
check "get-kernel knows that lists are missing which apt only warns of" run 3 "${get_kernel[@]}" 6.1
mkdir -p "$WORK/kernels/6.1"
touch "$WORK/kernels/6.1/vmlinuz-6.1.0-1"
check "get-kernel asks nobody for a kernel that is there" run 0 "${get_kernel[@]}" 6.1
check "get-kernel prints its file" says "^$WORK/kernels/6.1/vmlinuz-6.1.0-1\$"
rm "$WORK"/fake/*

# What make sees when a user calls it, and not the make that runs the tests.
make=(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -C "$ROOT")
if [ "$BUILD" -ef "$ROOT/build" ]; then
    check "make builds" run 0 "${make[@]}"
    check "make again succeeds" run 0 "${make[@]}"
    check "make again says at most that there is nothing to do" says_no_other '^ninja: no work to do\.$'
    check "make again would do nothing" run 0 ninja -C "$BUILD" -n product
    check "ninja agrees" says "no work to do"
fi
check "the inputs of what a user builds can be listed" run 0 ninja -C "$BUILD" -t inputs product
check "the command is one of them" says "^wick$"
check "no test is" says_not "(^|/)tests/"
check "what make would do can be listed" run 0 make -C "$ROOT" -n build
check "it builds without a line for each file" says "ninja .*--quiet"

are_gone() {
    is_gone "$1" && is_gone "$2"
}

demo=(env WICK_BUILD="$WORK/build" DEMO_JVM="-Xmx512m" "$ROOT/tools/demo" 1)
check "the demo fails when wick is not built" run 1 "${demo[@]}"
mkdir "$WORK/build/java"
cp "$DEMO_JAR" "$WORK/build/java/"
cp "$LIBWICK" "$WORK/build/"
# Its browser application is the real one; its recordings fail, or are empty.
cat >"$WORK/build/wick" <<END
#!/bin/sh
case \$1 in
ui)
    echo \$\$ >"$WORK/ui"
    exec "$WICK" "\$@"
    ;;
record)
    echo "\$*" | sed 's/.* //' >"$WORK/target"
    [ ! -e "$WORK/broken" ] || exit 7
    : >"$WORK/build/demo.jfr"
    ;;
*)
    for last; do :; done
    echo "\$1" >"\$last"
    ;;
esac
END
chmod +x "$WORK/build/wick"
touch "$WORK/broken"
check "the demo ends with wick's status when recording fails" run 7 "${demo[@]}"
check "the demo says what to do then" says "doctor"
check "the demo gives wick the service's pid" grep -qE '^[0-9]+$' "$WORK/target"
check "the demo leaves no service behind" is_gone "$(cat "$WORK/target")"
check "the demo leaves no wick ui behind" is_gone "$(cat "$WORK/ui")"
rm "$WORK/broken"
check "the demo succeeds without a terminal" run 0 "${demo[@]}"
check "the demo prints the address of the browser application" says '^demo: in a browser, .*http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$'
check "the demo leaves neither it nor a service behind" are_gone "$(cat "$WORK/ui")" "$(cat "$WORK/target")"

# address_works: the address that the demo printed lets in.
address_works() {
    local address
    address=$(sed -n 's/^demo: in a browser, .*\(http:.*\)$/\1/p' "$said")
    [ "$(curl -s -o "$WORK/page" -w '%{http_code}' -L -c "$WORK/cookies" "$address")" = 200 ] && grep -q '<title>wick</title>' "$WORK/page"
}

stays_open() {
    local status=0
    "${demo[@]:0:4}" --ui 1 >"$said" 2>&1 </dev/null &
    local pid=$!
    wait_for 600 says '^demo: wick ui stays open' || { kill "$pid"; says 'stays open'; return 1; }
    address_works || return 1
    kill "$pid"
    wait "$pid" || status=$?
    [ "$status" = 0 ] || { echo "status $status: $(cat "$said")"; return 1; }
}
check "the demo leaves it running if that is asked for, until it is ended" stays_open
check "nothing is left behind then" are_gone "$(cat "$WORK/ui")" "$(cat "$WORK/target")"
done_testing
