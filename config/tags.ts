import type { Plugin } from "vite";

/** Names the exports of js-aruco2, whose files put them into `this`, so that bundlers see that the files are CommonJS. */
export const tags = (): Plugin => ({
  name: "depthloom-tags",
  transform: {
    filter: { id: /\/js-aruco2\/src\/.*\.js/ },
    handler: (code) => ({ code: code.replace(/\bthis\.(AR|CV)\b/g, "exports.$1"), map: null }),
  },
});
