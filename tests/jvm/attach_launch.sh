#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wick record -- command: the first JVM of a command is recorded, and nothing else changes for the command.
# shellcheck source=attach_lib.sh
source "$(dirname "$0")/attach_lib.sh"
compile

for v in $VERSIONS; do
    has_jdk "$v" || { skip "JDK $v" "not in $(home_of "$v")"; continue; }
    java=$(java_of "$v")

    run "$WICK" record --lib "$AGENT_A" -f "$work/l.jfr" -- "$java" -cp "$classes" Waits 300
    expect "$v: java as the command" 0 'up'
    check "$v: recorded to the end" grep -q '^end$' "$work/l.jfr"
    [[ $out == *"Picked up"* ]] && not_ok "$v: no JAVA_TOOL_OPTIONS noise" "$out" || ok "$v: no JAVA_TOOL_OPTIONS noise"

    run "$WICK" record --lib "$AGENT_A" -f "$work/m.jfr" -- sh -c "exit 3"
    expect "$v: the command's status is kept" 3 'without starting a HotSpot JVM'
    check "$v: no empty recording is left" test ! -e "$work/m.jfr"
    run "$WICK" record --lib "$AGENT_A" -f "$work/m.jfr" -- true
    expect "$v: a command without a JVM" 4 'without starting a HotSpot JVM'
    run "$WICK" record --lib "$AGENT_A" -f "$work/m.jfr" -- /nonexistent/java
    expect "$v: a command that is not there" 127 'cannot run'
    run "$WICK" record --lib "$AGENT_A" -f "$work/m.jfr" -- "$java" -XX:+NoSuchFlagAtAll -version
    expect "$v: a JVM that does not start" 1 'NoSuchFlagAtAll'

    run "$WICK" record --lib "$AGENT_A" -f "$work/w.jfr" -- sh -c "'$java' -cp '$classes' Waits 300; exit 9"
    expect "$v: a wrapper script" 9 'Picked up'
    check "$v: its JVM is recorded" grep -q '^end$' "$work/w.jfr"

    run "$WICK" record --lib "$AGENT_A" -f "$work/p.jfr" -- sh -c "exec '$java' -cp '$classes' Spawns '$java' '$classes'"
    expect "$v: a JVM that starts a JVM ends as it would" 5 up
    check "$v: only the first is recorded" test "$(grep -c '^event=' "$work/p.jfr")" = 1
    check "$v: and it is whole" grep -q '^end$' "$work/p.jfr"

    run "$WICK" record --lib "$AGENT_A" -d 200ms -f "$work/d.jfr" -- "$java" -cp "$classes" Waits 1500
    expect "$v: -d ends the recording, not the command" 0 'd.jfr'
    check "$v: -d: whole" grep -q '^end$' "$work/d.jfr"

    rm -f "$work/t.log" # of the version before
    "$WICK" record --lib "$AGENT_A" -f "$work/t.jfr" -- "$java" -cp "$classes" Waits 60000 >"$work/t.log" 2>&1 & cli=$!
    wait_for grep -q up "$work/t.log"
    kill -TERM "$cli"; wait "$cli"; status=$?; out=$(cat "$work/t.log")
    expect "$v: SIGTERM is passed on and its status reported" 143 't.jfr'
    check "$v: SIGTERM: the recording is whole" grep -q '^end$' "$work/t.jfr"
done
done_testing
