#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libxkbcommon.so.0")

LIBRARY_FUNCTION(struct xkb_context *, xkb_context_new, (enum xkb_context_flags flags), (flags))
LIBRARY_FUNCTION(void, xkb_context_set_log_level, (struct xkb_context *context, enum xkb_log_level level), (context, level))
LIBRARY_FUNCTION(void, xkb_context_unref, (struct xkb_context *context), (context))
LIBRARY_FUNCTION(struct xkb_keymap *, xkb_keymap_new_from_names, (struct xkb_context *context, const struct xkb_rule_names *names, enum xkb_keymap_compile_flags flags), (context, names, flags))
LIBRARY_FUNCTION(void, xkb_keymap_unref, (struct xkb_keymap *keymap), (keymap))
LIBRARY_FUNCTION(int, xkb_state_key_get_utf8, (struct xkb_state *state, xkb_keycode_t key, char *buffer, size_t size), (state, key, buffer, size))
LIBRARY_FUNCTION(struct xkb_state *, xkb_state_new, (struct xkb_keymap *keymap), (keymap))
LIBRARY_FUNCTION(void, xkb_state_unref, (struct xkb_state *state), (state))
LIBRARY_FUNCTION(enum xkb_state_component, xkb_state_update_key, (struct xkb_state *state, xkb_keycode_t key, enum xkb_key_direction direction), (state, key, direction))

const char *xkbcommon_load(void) { return library_load(&LIBRARY); }
