/**
 * The headers that isolate a page from pages of other origins. Only so may its workers share memory, and the stages have threads as in
 * Node. Files of the page that lack them do not load.
 */
export const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
} as const;
