/* SPDX-License-Identifier: GPL-2.0-only */
/* The look of an HTML page: one style sheet for screens, phones and paper, light and dark. */
#ifndef STUDY_HTML_STYLE_H
#define STUDY_HTML_STYLE_H

/* What stands between <style> and </style>; static. */
const char *html_style(void);

/* The page's Content-Security-Policy: nothing is fetched, no script runs, and html_style() alone is a style (named by its hash). Free
 * with g_free(). */
char *html_style_policy(void);

#endif
