export { median } from "./median/index.ts";
export { paint } from "./paint/index.ts";
