import "./style/page.css";
import "./style/messages.css";
import "./style/over.css";
import "./style/small.css";
import "./style/controls.css";
import "./style/menus.css";
import "./style/range.css";
import "./style/panel.css";
import "./style/stages.css";
import "./style/out.css";
import "./style/moving.css";
import "./style/look.css";
import "./style/paneBox.css";
import "./style/panes.css";
import "./style/images.css";
import "./style/plots.css";
import "./style/probe.css";
import "./style/touch.css";
import { startApp } from "./app.ts";
import { optionsOf } from "./state/options.ts";

await startApp(optionsOf(location.search));

// The service worker is for the built app; during development it would serve old files.
if (import.meta.env.MODE === "production") void navigator.serviceWorker?.register("./offline.js").catch(() => {});
