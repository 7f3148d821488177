#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the command says and how it ends when it is called by hand: help, versions, mistakes. No JVM is needed.
# shellcheck source=../jvm/lib.sh
source "$(dirname "$0")/../jvm/lib.sh"

said=$WORK/said

# run EXPECTED-STATUS COMMAND...: what it says goes to $said.
run() {
    local expected=$1 status=0
    shift
    "$@" >"$said" 2>&1 </dev/null || status=$?
    [ "$status" = "$expected" ] || { echo "status $status, not $expected: $(cat "$said")"; return 1; }
}

says() {
    grep -qE -- "$1" "$said" || { echo "said: $(cat "$said")"; return 1; }
}

for spelling in --version -V version; do
    check "wick $spelling succeeds" run 0 "$WICK" "$spelling"
    check "wick $spelling says the version" says '^wick [0-9]+\.[0-9]+\.[0-9]+'
done
for spelling in --help -h help; do
    check "wick $spelling succeeds" run 0 "$WICK" "$spelling"
    check "wick $spelling lists the commands" says '^  record +PID'
done
check "a command that does not exist is wrong usage" run 2 "$WICK" recrod
check "one that is meant is suggested" says "no command 'recrod' \(did you mean .wick record.\?\)"
check "a command unlike any is wrong usage" run 2 "$WICK" xyzzy
check "none is suggested for it" test "$(grep -c 'did you mean' "$said")" = 0
check "no command is wrong usage" run 2 "$WICK"

every_help() {
    local command
    for command in $("$WICK" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        run 0 "$WICK" "$command" --help && says "^Usage: wick $command" || return 1
        cp "$said" "$WORK/by-option"
        run 0 "$WICK" help "$command" && cmp "$said" "$WORK/by-option" || return 1
    done
}
check "every command has the same help by --help and by help COMMAND" every_help

run 0 "$WICK" record --help
check "the longest help text of an option is printed whole" says 'cpu\)$'

# Long options that the help of a command lists, and that the completion offers.
offers_every_option() {
    local command listed offered
    # shellcheck disable=SC1091
    source "$BUILD/completion/wick"
    for command in $("$WICK" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        listed=$("$WICK" help "$command" | sed -n 's/^ \{2,6\}\(-.*\)/\1/p' | sed 's/  .*//' | grep -oE -- '--[a-z-]+' | sort -u)
        COMP_WORDS=(wick "$command" --) COMP_CWORD=2
        _wick
        offered=$(printf '%s\n' "${COMPREPLY[@]}" | grep -- '^--' | sort -u)
        [ -z "$(comm -23 <(echo "$listed") <(echo "$offered"))" ] || {
            echo "wick $command: not offered: $(comm -23 <(echo "$listed") <(echo "$offered"))"
            return 1
        }
    done
}
check "bash completes every option of every command" offers_every_option

# The same of zsh, by its file alone: a command's case, and the arrays that it names.
zsh_offers_every_option() {
    local command listed offered branch array
    for command in $("$WICK" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        listed=$("$WICK" help "$command" | sed -n 's/^ \{2,6\}\(-.*\)/\1/p' | sed 's/  .*//' | grep -oE -- '--[a-z-]+' | sort -u)
        branch=$(sed -n "/^        $command) /,/;;/p" "$BUILD/completion/_wick")
        for array in $(grep -oE '\$\{?[a-z]+' <<<"$branch" | tr -d '${' | sort -u); do
            branch+=$(sed -n "/^    $array=(/,/)\$/p" "$BUILD/completion/_wick")
        done
        offered=$(grep -oE -- '--[a-z-]+' <<<"$branch" | sort -u)
        [ -z "$(comm -23 <(echo "$listed") <(echo "$offered"))" ] || {
            echo "wick $command: not offered: $(comm -23 <(echo "$listed") <(echo "$offered"))"
            return 1
        }
    done
}
check "zsh completes every option of every command" zsh_offers_every_option

check "a folder is no input of a cut" run 1 "$WICK" convert --to jfr "$WORK"
check "the message is about the input only" says '^wick: cannot read '

jdk=$WORK/jdk.jfr.gz
cp "$ROOT/tests/golden/jfr/jdk17.jfr.gz" "$jdk"
check "an event that was not recorded is not found" run 4 "$WICK" top -e nosuch "$jdk"
check "the events that were are named" says 'no samples of event "nosuch"; there are: .*\(cpu\)'
check "an event whose samples an option removed is not found" run 4 "$WICK" top -e native --include Work.deep "$jdk"
check "that it was the option is said" says 'none of the samples of event "native" fits the conditions, only of: .*\(cpu\)'
gunzip "$jdk"
jdk=${jdk%.gz}
# width COLUMNS [VARIABLE=VALUE]: the longest line of a table on a terminal of that width.
width() {
    local columns=$1
    shift
    script -qc "stty cols $columns; env $* '$WICK' top -n 20 '$jdk'" /dev/null </dev/null | tr -d '\r' | sed '/^ *SELF/,$!d' |
        awk '{ if (length($0) > n) n = length($0) } END { print n }'
}
# A name never gets less than 24 columns, behind the 51 of the figures.
check "on a terminal names are cut to its width" test "$(width 90 COLUMNS=)" = 90
check "but not to nothing" test "$(width 20 COLUMNS=)" = 75
check "COLUMNS says how wide a terminal is" test "$(width 90 COLUMNS=80)" = 80
check "in a file they are whole" test "$(COLUMNS=80 "$WICK" top -n 20 "$jdk" | awk '{ if (length($0) > n) n = length($0) } END { print n }')" -gt 90
# escapes OUTPUT: how many lines have escape sequences.
escapes() {
    grep -c "$(printf '\033')" "$1"
}
# What a terminal gets of a mistake, whose "wick:" is red, and of `wick doctor`, whose levels are coloured.
coloured() { # VARIABLE=VALUE...
    script -qec "env -u NO_COLOR TERM=xterm $* '$WICK' recrod; env -u NO_COLOR TERM=xterm $* '$WICK' doctor" /dev/null </dev/null >"$WORK/colours"
    escapes "$WORK/colours"
}
check "a terminal gets colours" test "$(coloured)" -gt 2
check "each of them is ended on its line" test "$(grep -o "$(printf '\033')\[[^m]*m" "$WORK/colours" | awk 'NR % 2 { a = $0 != "\033[0m"; next } { b = $0 == "\033[0m"; n += a && b } END { print n * 2 == NR }')" = 1
check "with NO_COLOR it gets none" test "$(coloured NO_COLOR=1)" = 0
check "an empty NO_COLOR is none (no-color.org)" test "$(coloured NO_COLOR=)" -gt 2
check "a terminal that is dumb gets none" test "$(coloured TERM=dumb)" = 0
check "so does a pipe" test "$({ "$WICK" recrod; "$WICK" doctor; "$WICK" ps; } 2>&1 | grep -c "$(printf '\033')")" = 0
check "a recording without waits for locks is no mistake" run 0 "$WICK" locks "$jdk"
check "how to record them is said" says 'recorded with -e lock or --lock'
check "a recording without readings of memory is said to be one" run 4 "$WICK" memory "$jdk"
check "which have them is said" says 'no readings of memory'
check "slow safepoints that were not recorded are not none" run 4 "$WICK" ttsp "$jdk"
check "how to look for them is said" says 'with -e ttsp or --ttsp'

touch "$WORK/out.html"
check "a picture named as an input is refused" run 2 "$WICK" flame "$jdk" "$WORK/out.html"
check "how an output is named is said" says 'named with -o .*out\.html'
check "an option that does not exist is refused" run 2 "$WICK" record --intervall 1ms 1
check "it is named as it was written, as is what was meant" says "unknown option '--intervall': did you mean '--interval'"
check "a letter that does not exist is refused" run 2 "$WICK" record -Q 1
check "it is named with its dash" says "unknown option '-Q'"
check "a value that is none is refused" run 2 "$WICK" record --interval soon 1
check "its option is named with dashes" says "option --interval: 'soon' is not a time"
check "two kinds of rows in a table are refused" run 2 "$WICK" top --by thread --by method "$jdk"
check "and which is one is said" says "rows of one kind, so one --by"

# One rule for every command that writes files: what wick writes is replaced, anything else needs --force.
keeps_foreign_files() { # COMMAND... -o FILE
    local out=${*: -1} again=$WORK/again
    printf 'a page or a note of mine\n' >"$out"
    run 2 "$@" && says 'not a file that wick wrote.*--force' && grep -q 'of mine' "$out" || return 1
    run 0 "$@" --force && ! grep -q 'of mine' "$out" || { echo "--force: $(cat "$said")"; return 1; }
    run 0 "$@" || { echo "its own file: $(head -c 200 "$out")"; return 1; }
    : >"$out"
    run 0 "$@" && cp "$out" "$again"
}
for suffix in html svg collapsed; do
    check "flame keeps a foreign .$suffix" keeps_foreign_files "$WICK" flame "$jdk" -o "$WORK/f.$suffix"
done
for suffix in html svg heatmap.html collapsed pb.gz speedscope.json firefox.json trace.json otlp csv json jfr; do
    check "convert keeps a foreign .$suffix" keeps_foreign_files "$WICK" convert "$jdk" -o "$WORK/c.$suffix"
done
for suffix in html json txt; do
    check "diff keeps a foreign .$suffix" keeps_foreign_files "$WICK" diff "$jdk" "$jdk" -o "$WORK/d.$suffix"
done
check "heatmap keeps a foreign page" keeps_foreign_files "$WICK" heatmap "$jdk" -o "$WORK/h.html"
printf '<!DOCTYPE html>\n<html><head><meta name="generator" content="other"></head></html>\n' >"$WORK/other.html"
check "a page of another program is not replaced" run 2 "$WICK" flame "$jdk" -o "$WORK/other.html"
check "a file that cannot be written is no question of whose it is" run 4 "$WICK" flame "$jdk" -o "$WORK/nowhere/x.html"

more_rows_than_a_number_says() {
    "$WICK" top -n 4294967297 "$jdk" | cmp - <("$WICK" top -n 0 "$jdk")
}
check "more rows than a number can say are all" more_rows_than_a_number_says
check "a limit that nothing reaches is no percentage" run 2 "$WICK" diff --fail-above 1e400 "$jdk" "$jdk"

done_testing
