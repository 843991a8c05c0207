import type { PerspectiveCamera } from "three/webgpu";
import { isLive } from "../../../sources/index.ts";
import { byId } from "../../dom/controls.ts";
import { LatencyOverlay } from "../../overlay/overlay.ts";
import { SplitView } from "../compare/splitView.ts";
import { Panes } from "../panes/panes.ts";
import { Numbers } from "../panes/plot/numbers.ts";
import type { Core } from "../shell/core.ts";
import { ColourScale } from "../view/colourScale.ts";
import { fitTo } from "../view/surface/fitToElement.ts";
import { easedLine } from "./easedLine.ts";
import { PoseWatch } from "./poseWatch.ts";
import { Presenter } from "./presenter.ts";

/** Shows the user the frames that play. */
export interface Showing {
  readonly panes: Panes;
  readonly overlay: LatencyOverlay;
  /** The camera that the picture on the screen is seen with. */
  readonly camera: () => PerspectiveCamera;
  /** Whether the camera or the focus moves. */
  readonly moves: () => boolean;
  /** The distance of the surface at a place of the window; 0 where there is no surface. */
  readonly pick: (x: number, y: number) => Promise<number>;
  /** Draws the present picture again. */
  readonly draw: () => void;
  /** Switches the filters off while the user compares with raw depth. */
  readonly compare: (on: boolean) => void;
  readonly start: () => void;
}

/** Makes the presenter, whose frames and refusals become the page's events. */
function presenterOf(core: Core): Presenter {
  const { engine, events, recovering, player, rig, focus, stageController, shown, quality, settling } = core;
  const { pipeline, surface } = engine;
  return new Presenter({
    ...{ pipeline, surface, player, rig, focus, shown, quality },
    aim: () => stageController.aim(),
    look: () => stageController.look(),
    onFrame(frame) {
      const { source } = player;
      if (!source || player.sourceOf(frame) !== source) return;
      events.frame$.next({ frame, source, seen: stageController.observe(frame) });
    },
    onShown: (shown) => events.shown$.next(shown),
    onRefused(error, waits) {
      events.refused$.next();
      recovering.refused(error, waits);
    },
    onBusy: (busy) => settling.presents(busy),
  });
}

/**
 * Sets up the picture, the divider between raw and filtered depth, the panes with `choices` at the end of their menu, and the table of
 * latencies.
 */
export function showFrames(core: Core, choices: readonly Node[]): Showing {
  const { canvas, engine, events, settings, player, rig, stageController, shown } = core;
  const { pipeline, surface } = engine;
  const changed = () => events.stages$.next();
  const presenter = presenterOf(core);
  const camera = () => presenter.camera;
  const pick = (x: number, y: number) => surface.pick(x, y, presenter.camera, stageController.look());
  const overlay = new LatencyOverlay(pipeline, { open: false, key: "L" });
  overlay.live = () => (player.source && isLive(player.source) ? player.source.report : undefined);
  player.read$.subscribe(({ readMs, decodeMs }) => overlay.read(readMs, decodeMs));
  events.opened$.subscribe(() => overlay.restart());
  byId("latency").append(overlay.element);
  const numbers = new Numbers();
  const splitView = new SplitView(stageController, shown, numbers, changed);
  const scale = new ColourScale(byId("scale"));
  const eased = easedLine(byId("eased"), pipeline);
  const { foundFloor } = stageController;
  foundFloor.onChange = () => presenter.touch();
  const panes = new Panes({
    places: {
      scene: byId("scene"),
      panes: byId("panes"),
      canvas,
      below: byId("view"),
      masthead: byId("masthead"),
    },
    ...{ settings, pipeline, shown, numbers, foundFloor, choices },
    noise: () => events.noise$.value ?? undefined,
    player,
    sight: { camera, pick, pointAt: (...place) => rig.pointAt(...place) },
    redraw: () => presenter.invalidate(),
    // The latency table would cover most of the picture, which is smaller beside panes.
    onSeveral: (several) => several && overlay.open(false),
  });
  const detail = settings.part("detail");
  const fit = fitTo(byId("scene"), (width, height) => {
    rig.resize(width, height);
    splitView.resize(width, height);
    const density = surface.resize(width, height) * detail.now.detail;
    const size = (length: number) => Math.max(16, Math.round(length * density));
    stageController.setOnStages({ width: size(width), height: size(height) });
    changed();
  });

  events.scene$.subscribe(() => presenter.invalidate());
  const poses = new PoseWatch(pipeline, (pose, frame) => {
    overlay.pose(pose);
    if (pose) stageController.path.take(pose, frame.shape.intrinsics);
    else stageController.path.clear();
    if (stageController.showsPath) presenter.touch();
  });
  events.shown$.subscribe(({ frame, origin, isNew }) => {
    if (!origin) return;
    splitView.take(frame, origin);
    panes.frame(frame, origin);
    if (!isNew) return;
    overlay.frame(performance.now());
    poses.take(frame);
    void stageController.sawMatch(frame).then((saw) => saw && presenter.invalidate());
  });
  events.stages$.subscribe(() => presenter.invalidate());
  events.noise$.subscribe(() => panes.noiseChanged());
  detail.changes$.subscribe(() => fit.again());
  events.refit$.subscribe(() => fit.again());
  events.tick$.subscribe((nowMs) => {
    presenter.tick(nowMs);
    stageController.showScale(scale);
    splitView.update(presenter.camera);
    overlay.update(nowMs);
    eased(nowMs);
    panes.tick(nowMs);
  });
  return {
    panes,
    overlay,
    camera,
    pick,
    moves: () => presenter.moves,
    draw: () => surface.draw(presenter.camera, stageController.look()),
    compare(on) {
      stageController.compare(on);
      byId("compare").hidden = !on;
      changed();
    },
    start: () => presenter.start(),
  };
}
