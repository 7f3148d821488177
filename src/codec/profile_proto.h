/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_proto.h - field numbers of profile.proto, pprof's format, for its writer and its reader
 */
#ifndef WICK_CODEC_PROFILE_PROTO_H
#define WICK_CODEC_PROFILE_PROTO_H

enum { P_SAMPLE_TYPE = 1, P_SAMPLE, P_MAPPING, P_LOCATION, P_FUNCTION, P_STRING };
enum { P_TIME = 9, P_DURATION, P_PERIOD_TYPE, P_COMMENT = 13, P_DEFAULT_TYPE };
enum { VT_TYPE = 1, VT_UNIT };
enum { S_LOCATION = 1, S_VALUE, S_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM };
enum { M_ID = 1, M_FILENAME = 5, M_HAS_FUNCTIONS = 7, M_HAS_FILENAMES, M_HAS_LINES };
enum { L_ID = 1, L_MAPPING, L_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { F_ID = 1, F_NAME, F_SYSTEM_NAME };

#endif
