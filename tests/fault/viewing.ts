import { EMPTY } from "rxjs";
import { PerspectiveCamera } from "three/webgpu";
import type { Pipeline } from "../../pipeline/index.ts";
import { Presenter } from "../../viewer/live/show/presenter.ts";
import { Recovering } from "../../viewer/live/show/recovering.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { Events } from "../../viewer/live/state/events.ts";
import { createStore } from "../../viewer/live/state/settings.ts";
import { flatFrame } from "../pipeline/fakes.ts";

/** A viewer without a page: the player, the presenter, and the recovery from errors of the pipeline. */
export function viewing(pipeline: Pipeline, resize: (detail: number) => void = () => {}) {
  const player = new Player();
  const settings = createStore("hardware").part("detail");
  const said: string[] = [];
  const shown: number[] = [];
  const events = new Events();
  events.stages$.subscribe(() => presenter.invalidate());
  settings.changes$.subscribe(() => {
    resize(settings.now.detail);
    presenter.invalidate();
  });
  const messages = { show: (kind: string, _: string, text: string) => said.push(`${kind}: ${text}`), clear() {} };
  const recovering = new Recovering(messages, settings, events);
  const presenter: Presenter = new Presenter({
    pipeline,
    surface: { show: ({ index }) => shown.push(index), draw() {} },
    player,
    rig: { camera: new PerspectiveCamera(), update: () => false, resting: true },
    focus: { update: () => false, resting: true },
    aim() {},
    look: () => ({ view: "picture", pointSize: 1, guides: [], veil: { distanceM: 1, strength: 0 }, blur: undefined }),
    onFrame() {},

    shown: { settings: () => 0, show: () => undefined },
    quality: { isLowered: false, rests: false },
    onShown() {},
    onRefused: (error, waits) => recovering.refused(error, waits),
    onBusy() {},
  });
  recovering.watch(pipeline.gpu);
  presenter.start();
  return { player, presenter, recovering, said, shown, settings };
}

/** A recording of flat frames. */
export const recordingOf = (count: number) => ({
  name: "flat",
  format: "flat",
  fps: 100,
  length: count,
  warnings: [],
  frames$: EMPTY,
  read: async (index: number) => flatFrame(index),
  close: async () => {},
});
