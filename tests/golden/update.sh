#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# update.sh WICK - writes the expected outputs (*.collapsed, *.views) of the golden recordings anew.
#
# The recordings are JDK 8's, 17's and 25's of a small program, with only the sampling events on, and one that an earlier wick
# made (check_wick.py). Look at the difference before committing it, and compare it with the JDK's own reading:
# tests/jfr/check_reader.sh.
set -eu
[ $# = 1 ] || { echo "usage: update.sh WICK" >&2; exit 2; }
wick=$(realpath "$1")
cd "$(dirname "$0")/jfr"
for recording in jdk*.jfr.gz; do
    gzip -dc "$recording" | "$wick" convert -t -e ExecutionSample --lines --signatures --annotate -o "${recording%.jfr.gz}.collapsed" -
done
../check_wick.py "$wick" --write
