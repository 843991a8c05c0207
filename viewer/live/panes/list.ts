// Every pane of the page has one line here; pane.ts says what an entry is.
export { framePane } from "./extras/framePane.ts";
export { infraredPane } from "./extras/infraredPane.ts";
export { colorPane } from "./image/colorPane.ts";
export { depthPane } from "./image/depthPane.ts";
export { boxPane } from "./measure/boxPane.ts";
export { checkPane } from "./measure/checkPane.ts";
export { regionPane } from "./measure/regionPane.ts";
export { numbersPane } from "./plot/numbersPane.ts";
export { scanPane } from "./scan/scanPane.ts";
