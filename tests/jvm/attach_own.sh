#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
# Attaching to JVMs of every version: the same user's, and every way it can go wrong.
# shellcheck source=attach_lib.sh
source "$(dirname "$0")/attach_lib.sh"
compile

one_listens() { [ "$(grep -c "@wick/$pid/" /proc/net/unix)" = 1 ]; } # connections that end are there for a moment
is_stopped() { ! grep -L '^State:.*T' "/proc/$pid"/task/*/status | grep -q .; } # each thread stops when it next has a processor
recorded() { grep -q "^event=cpu .*variant=a" "$1" && grep -q '^end$' "$1"; }

for v in $VERSIONS; do
    has_jdk "$v" || { skip "JDK $v" "not in $(home_of "$v")"; continue; }

    start_java "$v"
    run "$WICK" record --lib "$AGENT_A" -d 300ms -f "$work/r.jfr" "$pid"
    expect "$v: record attaches and writes" 0 'recording: .*/r.jfr'
    check "$v: the agent got its options and wrote to our descriptor" recorded "$work/r.jfr"
    run "$WICK" record --lib "$AGENT_A" -d 300ms -f "$work/r2.jfr" "$pid"
    expect "$v: a second recording needs no second load" 0 recording
    check "$v: the library is mapped once" test "$(awk '/wickdouble/ && /r-xp/' "/proc/$pid/maps" | wc -l)" = 1
    run "$WICK" start --lib "$AGENT_A" -f "$work/s.jfr" "$pid"
    expect "$v: start" 0 "recording process $pid"
    run "$WICK" record --lib "$AGENT_A" -d 1 -f "$work/x.jfr" "$pid"
    expect "$v: record while recording is refused" 7 'recorded already'
    run "$WICK" start --lib "$AGENT_B" -f "$work/x.jfr" "$pid"
    expect "$v: another build is refused while one records" 7 'another build'
    run "$WICK" status "$pid"
    expect "$v: status" 0 'running=1'
    run "$WICK" status --json "$pid"
    expect "$v: status --json" 0 '"running": true'
    run "$WICK" dump -f "$work/d.jfr" "$pid"
    expect "$v: dump" 0 recording
    check "$v: dump wrote what the session gave" grep -q '^dump event=cpu' "$work/d.jfr"
    run "$WICK" stop "$pid"
    expect "$v: stop" 0 's.jfr'
    run "$WICK" stop "$pid"
    expect "$v: stop without a recording" 7 'no recording'
    run "$WICK" record --lib "$AGENT_B" -d 200ms -f "$work/b.jfr" "$pid"
    expect "$v: a newer build takes over" 0 recording
    check "$v: it is the newer one that wrote" grep -q 'variant=b' "$work/b.jfr"
    run "$WICK" record --lib "$AGENT_A" -d 200ms -f "$work/a.jfr" "$pid"
    expect "$v: and back" 0 recording
    check "$v: the older one wrote" grep -q 'variant=a' "$work/a.jfr"
    check "$v: one agent listens" wait_for one_listens
    run "$WICK" record --lib "$AGENT_A" -e broker -d 200ms -f "$work/br.jfr" "$pid"
    expect "$v: the perf broker" 0 recording
    check "$v: opens an event for the target's thread" grep -Eq 'broker=opened count=[0-9]' "$work/br.jfr"
    check "$v: but no raw samples and no other process's thread" grep -q 'raw=permission denied foreign=no such' "$work/br.jfr"
    run "$WICK" record --lib "$AGENT_A" -e fail -d 200ms -f "$work/f.jfr" "$pid"
    expect "$v: the session's refusal arrives as its sentence" 6 "always fails"
    check "$v: and leaves no empty file" test ! -e "$work/f.jfr"
    run "$WICK" record --lib "$AGENT_A" -e enospc -d 60 -f "$work/e.jfr" "$pid"
    expect "$v: a full disk in the target is reported" 10 'broke off: no space'
    run "$WICK" record --lib /etc/passwd -d 1 "$pid"
    expect "$v: a file that is no agent" 3 'not an agent library'
    check "$v: the JVM lives and printed no thread dump" no_thread_dump "$log"
    check "$v: nothing is left in /tmp" no_leftovers /tmp
    stop_java

    start_java "$v" -XX:+DisableAttachMechanism
    run "$WICK" record --lib "$AGENT_A" -d 1 -f "$work/x.jfr" "$pid"
    expect "$v: attach disabled is explained" 11 'DisableAttachMechanism'
    check "$v: and no thread dump was provoked" no_thread_dump "$log"
    check "$v: it lives" alive "$pid"
    stop_java

    JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism start_java "$v"
    run "$WICK" record --lib "$AGENT_A" -d 1 -f "$work/x.jfr" "$pid"
    expect "$v: attach disabled by the environment is also seen" 11 'DisableAttachMechanism'
    stop_java

    # With -Xrs the JVM listens from its start, because it leaves SIGQUIT alone: sent all the same it would be fatal.
    start_java "$v" -Xrs
    run "$WICK" record --lib "$AGENT_A" -d 200ms -f "$work/x.jfr" "$pid"
    expect "$v: -Xrs works through the socket that is there" 0 recording
    stop_java
    start_java "$v" -Xrs
    rm "/tmp/.java_pid$pid"
    run "$WICK" record --lib "$AGENT_A" -d 1 -f "$work/x.jfr" "$pid"
    expect "$v: -Xrs without the socket is explained" 11 'SIGQUIT.*-Xrs'
    check "$v: and SIGQUIT did not kill it" alive "$pid"
    stop_java

    start_java "$v"
    kill -STOP "$pid"
    wait_for is_stopped
    run "$WICK" record --lib "$AGENT_A" -d 1 -f "$work/x.jfr" "$pid"
    expect "$v: a stopped JVM is reported" 7 'stopped .*kill -CONT'
    run "$WICK" status "$pid"
    expect "$v: status of a stopped JVM does not say that it is not recorded" 9 'does not answer because it is stopped'
    run "$WICK" stop "$pid"
    expect "$v: nor does stop" 9 'does not answer because it is stopped.*kill -CONT'
    kill -CONT "$pid"
    run "$WICK" record --lib "$AGENT_A" -d 200ms -f "$work/x.jfr" "$pid"
    expect "$v: once continued it can be recorded" 0 recording
    stop_java

    start_java "$v"
    "$WICK" record --lib "$AGENT_A" -d 60 -f "$work/g.jfr" "$pid" >"$work/g.log" 2>&1 & cli=$!
    wait_for grep -q '^event=cpu' "$work/g.jfr"
    kill -KILL "$pid"; wait "$cli"; status=$?; out=$(cat "$work/g.log")
    expect "$v: a JVM killed during the recording" 8 'ended during the recording'
    check "$v: what was recorded is kept" grep -q '^event=cpu' "$work/g.jfr"
    rm -f "/tmp/.java_pid$pid" # the JVM was collected, and its number may be another's

    start_java "$v"
    run "$WICK" record --lib "$AGENT_A" -d 200ms -i 0 -f "$work/x.jfr" "$pid"
    expect "$v: wrong options are refused before anything is touched" 2 'too small'
    check "$v: untouched" test "$(grep -c wickdouble "/proc/$pid/maps")" = 0
    stop_java
done

# --- processes that are no JVMs ---
sleep 1000 & pid=$!; has_started "$pid"
run "$WICK" record --lib "$AGENT_A" -d 1 -f "$work/x.jfr" "$pid"
expect "no JVM: refused" 4 'not a HotSpot JVM'
check "no JVM: and alive" alive "$pid"
kill -KILL "$pid"; wait "$pid" 2>/dev/null
run "$WICK" record --lib "$AGENT_A" -d 1 -f "$work/x.jfr" "$pid"
expect "vanished: reported" 4 'no process'
run "$WICK" record --lib "$AGENT_A" -d 1 nosuchclassanywhere
expect "no JVM of that name" 4 'no JVM has'
run "$WICK" record -d 1
expect "no operand" 2 'which JVM'
run "$WICK" record --duratoin 1 5
expect "a misspelt option gets a suggestion" 2 "did you mean '--duration'"
run "$WICK" nosuch
expect "unknown command" 2 'no command'

# --- Ctrl-C, death of the CLI, names ---
for v in $VERSIONS; do has_jdk "$v" && break; done
start_java "$v"
"$WICK" record --lib "$AGENT_A" -d 60 -f "$work/i.jfr" "$pid" >"$work/i.log" 2>&1 & cli=$!
wait_for grep -q event "$work/i.jfr"
kill -INT "$cli"; wait "$cli"; status=$?; out=$(cat "$work/i.log")
# A background job of a script ignores SIGINT unless it asks for it: signalfd does.
expect "Ctrl-C ends the recording properly" 0 'recording: .*i.jfr'
check "Ctrl-C: the file is whole" recorded "$work/i.jfr"

"$WICK" record --lib "$AGENT_A" -d 60 -f "$work/k.jfr" "$pid" >/dev/null 2>&1 & cli=$!
wait_for grep -q event "$work/k.jfr"
kill -KILL "$cli"; wait "$cli" 2>/dev/null
check "the recording ends when its CLI is killed" wait_for grep -q '^end$' "$work/k.jfr"
"$WICK" record --keep-running --lib "$AGENT_A" -d 60 -f "$work/k2.jfr" "$pid" >/dev/null 2>&1 & cli=$!
wait_for grep -q event "$work/k2.jfr"
kill -KILL "$cli"; wait "$cli" 2>/dev/null; sleep 0.5
run "$WICK" status "$pid"
expect "--keep-running: it goes on" 0 'running=1'
run "$WICK" stop "$pid"
expect "--keep-running: and can be stopped" 0 k2.jfr

"$(java_of "$v")" -cp "$classes" Waits >"$work/second" 2>&1 & second=$!; has_started "$second"
wait_for grep -q up "$work/second"
run "$WICK" status Waits
expect "an ambiguous name lists the candidates" 2 "($pid.*"$'\n'".*$second|$second.*"$'\n'".*$pid)"
kill -KILL "$second"; wait "$second" 2>/dev/null
run "$WICK" ps --json
expect "ps --json shows it" 0 "\"pid\": $pid,.*\"main\": \"Waits\""
run "$WICK" ps
expect "ps shows the version" 0 "$pid +[^ ]+ +($v\.|${v}u).* Waits"
run "$WICK" doctor --lib "$AGENT_A" "$pid"
expect "doctor examines it" 0 'attach +the agent .* is loaded'
run "$WICK" doctor --json --lib "$AGENT_A" "$pid"
check "doctor --json is JSON" /usr/bin/python3 -c 'import json,sys; json.loads(sys.argv[1])' "$out"
run env -C / "$WICK" record --lib "$AGENT_A" -d 200ms -f "/proc/nowhere/x.jfr" "$pid"
expect "an output directory that is not there" 4 'cannot create /proc/nowhere/x.jfr'
truncate -s 0 "$work/empty"
run "$WICK" record --lib "$AGENT_A" -d 200ms -f /dev/null -o jfr "$pid"
expect "an output that is no plain file" 1 'not a plain file'
ln -s "$work/empty" "$work/link.jfr"
run "$WICK" record --lib "$AGENT_A" -d 200ms -f "$work/link.jfr" "$pid"
expect "an output that is a link" 5 'cannot create'
mkdir "$work/seq"
run "$WICK" start --lib "$AGENT_A" -f "$work/seq/%n.jfr" "$pid"
expect "a sequence of files" 0 recording
run "$WICK" stop "$pid"
check "is written by the agent, by its path" recorded "$work/seq/%n.jfr"
stop_java

# --- -agentpath ---
agent_java()
{
    "$(java_of "$v")" "-agentpath:$AGENT_A=$1" -cp "$classes" Waits "${2:-200}" 2>&1
}
run agent_java "start,event=cpu,interval=1ms,file=$work/%p.path.jfr"
expect "$v: -agentpath starts" 0 up
check "$v: -agentpath: the file's pattern is expanded and it is whole at exit" grep -q '^end$' "$work"/*.path.jfr
run agent_java "start,event=cpu,intervall=1ms,file=$work/%p.unknown.jfr"
expect "$v: -agentpath: an option that is not known is named, and ignored" 0 "wick: unknown option 'intervall'"
run agent_java "start,event=cpu,interval=never,file=$work/x"
expect "$v: -agentpath with a wrong value stops the JVM with one line" 1 "wick: .*never"
run agent_java "start,event=fail,file=$work/x"
expect "$v: -agentpath with a failing start too" 1 'wick: .*always fails'

done_testing
