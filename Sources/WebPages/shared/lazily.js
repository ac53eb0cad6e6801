/**
 * Returns a function that loads a part of the page once, when it is first needed: `load` returns a promise of the part. The
 * function returns a promise of the part, or of null if it cannot be loaded now; the next call then tries again.
 */
export function lazily(load) {
    let part = null;
    return () => (part ??= load().catch(() => (part = null)));
}
