#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# JVMs of other users, in other namespaces and other roots. Needs root; makes a user and removes it.
# shellcheck source=attach_lib.sh
source "$(dirname "$0")/attach_lib.sh"
[ "$(id -u)" = 0 ] || { skip "other users, namespaces and roots" "needs root"; done_testing; exit; }
compile
user=wicktest$$
useradd --system --no-create-home --shell /bin/sh "$user" || { echo "Bail out! useradd failed"; exit 1; }
after_test()
{
    wait
    userdel --force "$user" 2>/dev/null
}

user_exec=(setpriv --reuid "$user" --regid "$user" --clear-groups)
as_user() { "${user_exec[@]}" "$@"; }
recorded() { grep -q "^event=cpu .*variant=a" "$1" && grep -q '^end$' "$1"; }
tools=$work/tools; mkdir "$tools"; cp "$WICK" "$tools/"; cp "$AGENT_A" "$AGENT_B" "$tools/"; chmod -R a+rX "$tools"
cp "$AGENT_A" "$work/private.so"; chmod 600 "$work/private.so"
out_dir=$work/out; mkdir "$out_dir"; chown "$user" "$out_dir"

# The java process among the descendants of $1: sets pid
find_jvm()
{
    local p=$1 c
    while :; do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" = java ] && { pid=$p; return 0; }
        c=$(pgrep -P "$p" | head -n 1)
        [ -n "$c" ] || return 1
        p=$c
    done
}
# start_foreign COMMAND... : runs it in the background until its JVM is up; sets pid and log
start_foreign()
{
    log=$work/log.$RANDOM
    "$@" >"$log" 2>&1 &
    local top=$!
    has_started "$top"
    wait_for grep -q up "$log" || { not_ok "$v: the JVM starts" "$(cat "$log")"; return 1; }
    find_jvm "$top" || { not_ok "$v: its JVM is found" "$(cat "$log")"; return 1; }
    has_started "$pid"
    # what a killed JVM of the same number left behind; this one does not listen yet
    rm -f "/tmp/.java_pid$pid" "/tmp/.attach_pid$pid"
}

for v in $VERSIONS; do
    has_jdk "$v" || { skip "JDK $v" "not in $(home_of "$v")"; continue; }
    # These JDKs know their own absolute place (interpreter path), so it must be reachable for everybody.
    java=$(readlink -f "$(home_of "$v")")/bin/java
    # All of the JDK's folder: with a C library of its own beside it, where it has one. Empty: part of the system.
    jdk=$(home_of "$v")
    case $jdk in */home) jdk=$(dirname "$jdk") ;; *) jdk= ;; esac
    if ! as_user test -x "$java"; then
        # opened for the test by a mount namespace of its own: the private directory is replaced by a readable one
        opener=(unshare --mount sh -c 'd=$1; shift; top=/$(echo "$d" | cut -d/ -f2); mkdir -p "$0/over";
            mount -t tmpfs tmpfs "$0/over"; mkdir -p "$0/over/$(dirname "${d#"$top"}")" "$0/over/${d#"$top"}";
            chmod -R 755 "$0/over"; mount --rbind "$d" "$0/over/${d#"$top"}"; mount --move "$0/over" "$top"; exec "$@"'
            "$work" "$jdk")
    else
        opener=()
    fi

    # --- another user's, same namespaces but for the mount one where the JDK is private ---
    if start_foreign "${opener[@]}" "${user_exec[@]}" "$java" -cp "$classes" Waits; then
        run "$WICK" record --lib "$tools/libwickdouble_a.so" -d 300ms -f "$work/u.jfr" "$pid"
        expect "$v: root records another user's JVM" 0 recording
        check "$v: other user: written" recorded "$work/u.jfr"
        check "$v: other user: the file is root's" test "$(stat -c %U "$work/u.jfr")" = root
        run as_user "$tools/wick" record --lib "$tools/libwickdouble_a.so" -d 200ms -f "$out_dir/own.jfr" "$pid"
        expect "$v: also the user himself" 0 recording
        check "$v: the file is the user's" test "$(stat -c %U "$out_dir/own.jfr")" = "$user"
        run "$WICK" record --lib "$work/private.so" -d 200ms -f "$work/p.jfr" "$pid"
        expect "$v: an agent that the user may not read is copied" 0 recording
        check "$v: the copy is gone" no_leftovers "/proc/$pid/root/tmp"
        run "$WICK" ps
        expect "$v: ps names the user" 0 "$pid +$user"
        check "$v: other user: no thread dump" no_thread_dump "$log"
        kill -KILL "$pid"
    fi
    # A fresh one of the other user with a foreign trigger file planted as a link.
    if start_foreign "${opener[@]}" "${user_exec[@]}" "$java" -cp "$classes" Waits; then
        echo precious >"$work/precious"; chown "$user" "$work/precious"
        as_user ln -s "$work/precious" "/tmp/.attach_pid$pid"
        run "$WICK" record --lib "$tools/libwickdouble_a.so" -d 200ms -f "$work/x.jfr" "$pid"
        expect "$v: a planted trigger link is refused" 7 'foreign .attach_pid'
        check "$v: and what it points to is untouched" grep -q precious "$work/precious"
        rm -f "/tmp/.attach_pid$pid"
        rm -f "/tmp/.java_pid$pid" # of a dead process with this pid
        as_user ln -s /etc/passwd "/tmp/.java_pid$pid"
        run "$WICK" record --lib "$tools/libwickdouble_a.so" -d 200ms -f "$work/x.jfr" "$pid"
        expect "$v: a planted socket link is refused" 7 "is not the JVM's"
        rm -f "/tmp/.java_pid$pid"
        "${user_exec[@]}" /usr/bin/python3 -c "
import socket, time
s = socket.socket(socket.AF_UNIX); s.bind('/tmp/.java_pid$pid'); s.listen(); print('up', flush=True); time.sleep(600)" \
            >"$work/fake" & fake=$!; has_started "$fake"
        wait_for grep -q up "$work/fake"
        run "$WICK" record --lib "$tools/libwickdouble_a.so" -d 200ms -f "$work/x.jfr" "$pid"
        expect "$v: a socket of another process is refused" 5 'belongs to another process'
        kill -KILL "$fake"; wait "$fake" 2>/dev/null
        run "$WICK" record --lib "$tools/libwickdouble_a.so" -d 200ms -f "$work/x.jfr" "$pid"
        expect "$v: a stale socket file is replaced" 0 recording
        kill -KILL "$pid"
    fi

    # --- root's JVM seen by another user ---
    start_java "$v"
    run as_user "$tools/wick" record --lib "$tools/libwickdouble_a.so" -d 200ms -f "$out_dir/x.jfr" "$pid"
    expect "$v: somebody else's JVM is refused with advice" 5 'belongs to user root.*run wick as'
    run "$WICK" start --lib "$tools/libwickdouble_a.so" -f "$work/s.jfr" "$pid"
    run as_user "$tools/wick" stop "$pid"
    expect "$v: and its recording cannot be stopped by others" 5 'belongs to user root'
    # ... nor by talking to the socket directly
    name=$(awk -v p="@wick/$pid/" 'index($8, p) == 1 { print substr($8, 2); exit }' /proc/net/unix)
    out=$(as_user /usr/bin/python3 -c "
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect('\0$name')
try: s.send(b'wick1 - -\nstop'); print(s.recv(100))
except OSError as e: print('refused', e)" 2>&1)
    status=0
    expect "$v: a stranger on the control socket is hung up on" 0 "refused|b''"
    run "$WICK" status "$pid"
    expect "$v: the recording runs on" 0 'running=1'
    run "$WICK" stop "$pid"
    expect "$v: until root stops it" 0 s.jfr
    stop_java

    # --- own pid, mount, net namespaces with a /tmp of its own ---
    # The class must be inside the new /tmp: passed through a descriptor opened before.
    exec 9<"$classes/Waits.class"
    box=(unshare --pid --fork --mount --net --mount-proc sh -c
        'mount -t tmpfs tmpfs /tmp && mkdir -p "$0" && cat <&9 >"$0/Waits.class" && exec 9<&- && exec "$@"' "$classes")
    if start_foreign "${box[@]}" "$java" -cp "$classes" Waits; then
        check "$v: container: it is pid 1 there" grep -q $'^NSpid:.*\t1$' "/proc/$pid/status"
        run "$WICK" record --lib "$AGENT_A" -d 300ms -f "$work/c.jfr" "$pid"
        expect "$v: container: record" 0 recording
        check "$v: container: written to our file system" recorded "$work/c.jfr"
        check "$v: container: by pid 1" grep -q 'pid=1 ' "$work/c.jfr"
        check "$v: container: nothing left in its /tmp" no_leftovers "/proc/$pid/root/tmp"
        run "$WICK" record --lib "$AGENT_A" -e broker -d 300ms -f "$work/cb.jfr" "$pid"
        expect "$v: container: perf broker" 0 recording
        check "$v: container: the broker translated the thread id" grep -q 'broker=opened' "$work/cb.jfr"
        run "$WICK" ps
        expect "$v: container: ps shows the namespace" 0 "$pid .*pid:\[[0-9]+\].* Waits"
        run "$WICK" doctor --lib "$AGENT_A" "$pid"
        expect "$v: container: doctor sees it" 0 'own namespaces: mnt, pid, net'
        check "$v: container: no thread dump" no_thread_dump "$log"
        kill -KILL "$pid"
    fi

    # --- the same, as an unprivileged user, /tmp noexec: the copy goes elsewhere ---
    box=(unshare --pid --fork --mount --net --mount-proc sh -c
        'mount -t tmpfs -o noexec tmpfs /tmp && mkdir -p "$0" && cat <&9 >"$0/Waits.class" && exec 9<&- &&
         mount -t tmpfs -o mode=1777 tmpfs /dev/shm && chmod 755 "$(dirname "$0")" && exec "$@"' "$classes")
    exec 9<"$classes/Waits.class"
    if start_foreign "${opener[@]}" "${box[@]}" "${user_exec[@]}" "$java" -cp "$classes" Waits; then
        run "$WICK" record --lib "$AGENT_A" -e broker -d 300ms -f "$work/n.jfr" "$pid"
        expect "$v: unprivileged container with a noexec /tmp: record" 0 recording
        check "$v: the copy went to /dev/shm" grep -q '/dev/shm/.wick-' "/proc/$pid/maps"
        check "$v: and is gone" no_leftovers "/proc/$pid/root/dev/shm"
        check "$v: what the JVM may not open itself, the broker opens" grep -Eq 'own=Permission denied broker=opened' "$work/n.jfr"
        check "$v: but not everything" grep -q 'raw=permission denied' "$work/n.jfr"
        if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ]; then
            check "$v: and no kernel addresses" grep -q 'chain=permission denied ip=permission denied' "$work/n.jfr"
        else
            skip "$v: and no kernel addresses" "everybody may see them here"
        fi
        kill -KILL "$pid"
    fi
    exec 9<&-

    # --- user namespace of its own: our root has no number there ---
    if unshare --user --map-root-user true 2>/dev/null; then
        if start_foreign "${opener[@]}" "${user_exec[@]}" unshare --user --map-root-user --net \
            "$java" -cp "$classes" Waits; then
            run "$WICK" record --lib "$AGENT_A" -d 300ms -f "$work/un.jfr" "$pid"
            expect "$v: rootless container (user and net namespace): record" 0 recording
            check "$v: rootless: written" recorded "$work/un.jfr"
            kill -KILL "$pid"
        fi
    else
        skip "$v: rootless container" "this kernel forbids user namespaces"
    fi

    # --- chroot ---
    jail=$work/jail; mkdir -p "$jail"
    for d in usr lib lib64 etc proc dev; do
        [ -e "/$d" ] || continue
        mkdir -p "$jail/$d"; mount --rbind --make-rslave "/$d" "$jail/$d" 2>/dev/null || mount --rbind "/$d" "$jail/$d"
        mount --make-rslave "$jail/$d"
    done
    mkdir -p "$jail/tmp" "$jail$jdk" "$jail/app"; chmod 1777 "$jail/tmp"
    [ -z "$jdk" ] || mount --bind "$jdk" "$jail$jdk"
    cp "$classes/Waits.class" "$jail/app"
    if start_foreign chroot "$jail" "$java" -cp /app Waits; then
        run "$WICK" record --lib "$AGENT_A" -d 300ms -f "$work/j.jfr" "$pid"
        expect "$v: chroot: record" 0 recording
        check "$v: chroot: written" recorded "$work/j.jfr"
        check "$v: chroot: nothing left there" no_leftovers "$jail/tmp"
        check "$v: chroot: no thread dump" no_thread_dump "$log"
        kill -KILL "$pid"; wait 2>/dev/null
    fi
    remove_tree "$jail"
done
done_testing
