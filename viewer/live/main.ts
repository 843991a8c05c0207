import { startApp } from "./app.ts";
import { showPair } from "./pair/pairPage.ts";
import { optionsOf } from "./state/options.ts";

const options = optionsOf(location.search);
if (options.pair) showPair();
else if (options.rig) await (await import("./rig/rigPage.ts")).showRig();
else await startApp(options);

// The service worker is for the built app; during development it would serve old files.
if (import.meta.env.MODE === "production") void navigator.serviceWorker?.register("./offline.js").catch(() => {});
