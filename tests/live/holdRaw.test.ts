import { expect, onTestFinished, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { defaultStages } from "../../stages/index.ts";
import { StageController } from "../../viewer/live/show/stageController.ts";
import { createStore } from "../../viewer/live/state/settings.ts";
import { Focus } from "../../viewer/live/view/camera/focus.ts";
import { Rig } from "../../viewer/live/view/camera/rig.ts";

test("raw depth held from two sides at once, by key and by button, gives the filters back", async () => {
  const pipeline = await createPipeline({ stages: defaultStages(), backend: "cpu" });
  onTestFinished(() => pipeline.destroy());
  const rig = new Rig();
  const controller = new StageController({ pipeline } as never, createStore("cpu"), rig, new Focus(rig));
  const running = () =>
    pipeline.stages.filter(({ name, role }) => role === "filter" && pipeline.isEnabled(name)).map(({ name }) => name);
  const before = running();
  expect(before).not.toEqual([]);
  for (const on of [true, true]) controller.compare(on);
  expect(running()).toEqual([]);
  for (const on of [false, false]) controller.compare(on);
  expect(running()).toEqual(before);
});
