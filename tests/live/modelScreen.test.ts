import { expect, test, vi } from "vitest";
import type { Rigid } from "../../core/pose.ts";
import { ModelScreen } from "../../viewer/live/panes/scan/modelScreen.ts";
import { fakeDocument } from "./fakeDocument.ts";
import { INTRINSICS } from "./snapshots.ts";

const followed: Rigid[] = [];
vi.mock("../../viewer/live/panes/scan/modelView.ts", () => ({
  ModelView: { open: async () => ({ sensor() {}, lend() {}, put() {}, draw() {}, clear() {} }) },
}));
vi.mock("../../viewer/live/panes/scan/lookAround.ts", () => ({
  LookAround: class {
    isFollowing = true;
    follow(toWorld: Rigid) {
      if (this.isFollowing) followed.push(toWorld);
    }
  },
}));

test("the key 0 goes back behind the sensor when the scan has ended and no frame comes, and to none of an earlier scan", async () => {
  fakeDocument();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
    },
  );
  vi.stubGlobal("requestAnimationFrame", () => {});
  const screen = new ModelScreen(() => null);
  await screen.open(false);
  const last: Rigid = [1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7] as unknown as Rigid;
  screen.took([], last, false, INTRINSICS);
  const press = () => screen.canvas.dispatchEvent(Object.assign(new Event("keydown"), { key: "0" }));
  press();
  expect(followed).toEqual([last, last]);
  screen.clear();
  press();
  expect(followed).toHaveLength(2);
});
