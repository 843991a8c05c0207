import { expect, test } from "vitest";
import { dropzone } from "../../viewer/live/source/dropzone.ts";

test("the mark of a drop goes when the files leave the page, also where the element below them has gone meanwhile", () => {
  const page = new EventTarget();
  const said: boolean[] = [];
  const nothing = () => {};
  dropzone(page as HTMLElement, (is) => said.push(is), nothing, nothing);
  const drag = (type: string, relatedTarget: object | null) =>
    page.dispatchEvent(Object.assign(new Event(type), { dataTransfer: { types: ["Files"] }, relatedTarget }));
  drag("dragenter", null);
  // Of the element that was taken out of the page no dragleave comes.
  drag("dragenter", {});
  drag("dragover", null);
  expect(said.at(-1)).toBe(true);
  drag("dragenter", {});
  drag("dragleave", {});
  expect(said.at(-1)).toBe(true);
  drag("dragleave", null);
  expect(said.at(-1)).toBe(false);
});
