/* SPDX-License-Identifier: GPL-2.0-only */
/* The errors of MPA, with the codes they are reported by (mpa-01 §7, MPA-276 … MPA-279). */
#ifndef MPA_MPA_ERROR_H
#define MPA_MPA_ERROR_H

typedef enum mpa_error {
  MPA_ERROR_NONE = 0,
  MPA_ERROR_CLOSED = 1,  /* TCP connection closed, terminated or lost */
  MPA_ERROR_CRC = 2,     /* received CRC does not match, or an impossible length */
  MPA_ERROR_MARKER = 3,  /* marker and ULPDU_Length disagree about an FPDU start */
  MPA_ERROR_STARTUP = 4, /* invalid startup frame */
} mpa_error;

/* "MPA error 2: the CRC of an FPDU does not match, or its length cannot be" and the like, for people.
 * Static. */
const char *mpa_error_text(mpa_error error);

#endif
