import { DepthloomView } from "./depthloomView.ts";

export { DepthloomView, type DepthloomViewEvents } from "./depthloomView.ts";
export type { Shown } from "./openSource.ts";

declare global {
  interface HTMLElementTagNameMap {
    "depthloom-view": DepthloomView;
  }
}

if (globalThis.customElements && !customElements.get("depthloom-view")) {
  customElements.define("depthloom-view", DepthloomView);
}
