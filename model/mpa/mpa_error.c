/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_error.h"

const char *mpa_error_text(mpa_error error)
{
  switch (error) {
  case MPA_ERROR_CLOSED:
    return "MPA error 1: the TCP connection is closed, terminated or lost";
  case MPA_ERROR_CRC:
    return "MPA error 2: the CRC of an FPDU does not match, or its length cannot be";
  case MPA_ERROR_MARKER:
    return "MPA error 3: a marker and ULPDU_Length disagree about where an FPDU starts";
  case MPA_ERROR_STARTUP:
    return "MPA error 4: an invalid MPA Request or Reply Frame";
  case MPA_ERROR_NONE:
    break;
  }
  return "no MPA error";
}
