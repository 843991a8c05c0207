export { median } from "./median/index.ts";
