/* SPDX-License-Identifier: GPL-2.0-only */
/* What was taken for an FPDU because a TCP segment starts there, and is neither proven nor disproven yet
 * (mpa_deframer_receive_segment()). */
#ifndef MPA_MPA_GUESSES_H
#define MPA_MPA_GUESSES_H

#include <stddef.h>
#include <stdint.h>

typedef struct mpa_guesses mpa_guesses;

/* An empty list; free with mpa_guesses_free(). */
mpa_guesses *mpa_guesses_new(void);
void mpa_guesses_free(mpa_guesses *guesses);

/* A list of its own that is as `guesses` is; free it likewise. */
mpa_guesses *mpa_guesses_copy(const mpa_guesses *guesses);

/* [start, end) was guessed; a start that is in the list already is passed over. */
void mpa_guesses_add(mpa_guesses *guesses, uint64_t start, uint64_t end);

/* An FPDU at [start, end) is proven: the guess that starts with it was right, all others with an octet in it were wrong.
 * Forgets them and returns how many were wrong. */
uint32_t mpa_guesses_prove(mpa_guesses *guesses, uint64_t start, uint64_t end);

/* All below `edge` is proven: forgets what starts there. */
void mpa_guesses_forget_below(mpa_guesses *guesses, uint64_t edge);

#endif
