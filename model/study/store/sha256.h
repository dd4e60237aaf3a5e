/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 (FIPS 180-4 section 6.2). A sweep hashes some ten thousand octets for each run, with GLib's checksum as long as all else it does for
 * one; with the processor's own instructions, where it has them, it is no matter. */
#ifndef STUDY_SHA256_H
#define STUDY_SHA256_H

#include <glib.h>

/* `blocks` of 64 octets go into `state`. */
typedef void (*sha256_compress)(guint32 state[8], const guint8 *octets, gsize blocks);

typedef struct sha256 {
  guint32 state[8];
  sha256_compress compress;
  guint64 octets;   /* that were added */
  guint8 block[64]; /* the last of them, until they fill it */
} sha256;

void sha256_start(sha256 *hash);
void sha256_add(sha256 *hash, const void *octets, gsize count);

/* The hash of all that was added, as 64 hexadecimal digits; it is over. Free with g_free(). */
char *sha256_end(sha256 *hash);

/* The hash of one text. Free with g_free(). */
char *sha256_of_text(const char *text);

/* The two ways to compress, for tests. */
void sha256_compress_portable(guint32 state[8], const guint8 *octets, gsize blocks);

/* NULL: this processor has no instructions for it. */
sha256_compress sha256_compress_of_processor(void);

#endif
