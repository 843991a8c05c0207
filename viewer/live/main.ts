import "./style/page.css";
import "./style/over.css";
import "./style/small.css";
import "./style/controls.css";
import "./style/range.css";
import "./style/panel.css";
import "./style/stages.css";
import "./style/out.css";
import "./style/moving.css";
import "./style/look.css";
import "./style/panes.css";
import "./style/plots.css";
import "./style/probe.css";
import "./style/touch.css";
import { startApp } from "./app.ts";
import { optionsOf } from "./state/options.ts";

await startApp(optionsOf(location.search));

// What is built can be kept; while developing, old files would be in the way.
if (import.meta.env.MODE === "production") void navigator.serviceWorker?.register("./offline.js").catch(() => {});
