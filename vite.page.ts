import { createHash } from "node:crypto";
import type { Plugin } from "vite";
import { STYLE } from "./viewer/report/tuneReport.ts";

/** The one style that is not a file: that of the heat map, which is a page of its own in a frame. */
const heatMap = createHash("sha256").update(STYLE).digest("base64");

/** No script but the app's own files and their WebAssembly, nothing sent anywhere; live streams come from where the user says. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  `style-src 'self' 'sha256-${heatMap}'`,
  "img-src 'self' data: blob:",
  "media-src blob:",
  "connect-src 'self' ws: wss:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** What the built page is more than the one in development: a content security policy, and a worker that keeps it for offline. */
export function page(): Plugin {
  return {
    name: "depthloom-page",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "chunk", id: "offline/worker.ts", fileName: "offline.js" });
    },
    transformIndexHtml: () => [
      { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: POLICY }, injectTo: "head-prepend" },
    ],
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const files = Object.keys(bundle).filter((name) => name !== "offline.js" && name !== "index.html");
        const hash = createHash("sha256");
        for (const made of Object.values(bundle)) hash.update(made.type === "chunk" ? made.code : made.source);
        const worker = bundle["offline.js"];
        if (worker?.type !== "chunk")
          this.error("the worker that keeps the app for offline is not among what was built");
        const name = `depthloom ${hash.digest("hex").slice(0, 12)}`;
        worker.code = `const FILES=${JSON.stringify(files)},NAME=${JSON.stringify(name)};${worker.code}`;
      },
    },
  };
}
