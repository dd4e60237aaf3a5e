/* SPDX-License-Identifier: GPL-2.0-only */
/* Products of two 64-bit numbers, whole. Not in C11, but gcc and clang have it on every 64-bit machine. */
#ifndef BASE_UINT128_H
#define BASE_UINT128_H

__extension__ typedef unsigned __int128 uint128;

#endif
