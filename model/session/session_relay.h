/* SPDX-License-Identifier: GPL-2.0-only */
/* The proxy of `middlebox.mode`: one box for both directions of a path (path_proxy.h). */
#ifndef SESSION_SESSION_RELAY_H
#define SESSION_SESSION_RELAY_H

#include "network/path_proxy.h"
#include "scenario/configuration.h"

typedef struct session_relay session_relay;

/* The proxy of path `index` in `s`; NULL when there is none. Free with session_relay_free(), after the paths. */
session_relay *session_relay_new(const configuration *c, uint32_t index);
void session_relay_free(session_relay *relay);

/* Its end in `direction`; the relay's. */
path_element *session_relay_element(const session_relay *relay, enum side direction);

#endif
