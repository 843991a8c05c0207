import { startApp } from "./app.ts";
import { optionsOf } from "./state/options.ts";

await startApp(optionsOf(location.search));

// The service worker is for the built app; during development it would serve old files.
if (import.meta.env.MODE === "production") void navigator.serviceWorker?.register("./offline.js").catch(() => {});
