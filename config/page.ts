import { createHash, randomBytes } from "node:crypto";
import type { Plugin } from "vite";

/**
 * The page's content security policy. Scripts: only the app's own files and their WebAssembly. Connections: any https:, ws: and wss:
 * server, and http: on this computer, since the user names the servers of recordings and live streams; the page asks before it connects to
 * a server that a link names.
 */
const policy = (...styles: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self' blob:",
    `style-src 'self' ${styles.join(" ")}`.trim(),
    "img-src 'self' data: blob:",
    "media-src blob:",
    "connect-src 'self' https: ws: wss: http://localhost:* http://127.0.0.1:*",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

const policyTag = (content: string) => [
  { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content }, injectTo: "head-prepend" as const },
];

/**
 * Serves the page of `npm run dev` under the built page's policy, with one addition: Vite's client inserts stylesheets that a script
 * imports as style elements. They carry a nonce, new with each start, which the policy allows. Vite opens files of the disk in the user's
 * editor on any request, so only the page itself may ask.
 */
export function servedPage(): Plugin {
  const nonce = randomBytes(16).toString("base64url");
  return {
    name: "depthloom-served-page",
    apply: "serve",
    config: () => ({ html: { cspNonce: nonce } }),
    transformIndexHtml: () => policyTag(policy(`'nonce-${nonce}'`)),
    configureServer({ middlewares }) {
      middlewares.use("/__open-in-editor", (request, response, next) => {
        if (request.headers["sec-fetch-site"] === "same-origin") return next();
        response.writeHead(403).end("only the page itself may open files in the editor\n");
      });
    },
  };
}

/** Adds to the built page its content security policy, and a service worker that keeps the page usable offline. */
export function page(): Plugin {
  return {
    name: "depthloom-page",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "chunk", id: "offline/worker.ts", fileName: "offline.js" });
    },
    transformIndexHtml: () => policyTag(policy()),
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
