import "./style/page.css";
import "./style/over.css";
import "./style/small.css";
import "./style/controls.css";
import "./style/range.css";
import "./style/panel.css";
import "./style/stages.css";
import "./style/out.css";
import { startApp } from "./app.ts";
import { optionsOf } from "./options.ts";

await startApp(optionsOf(location.search));
