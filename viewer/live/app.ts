import { isBlank, type Source } from "../../sources/index.ts";
import { byId } from "../dom/element.ts";
import { LatencyOverlay } from "../overlay/overlay.ts";
import { closeUppermost } from "./closing.ts";
import { SplitView } from "./compare/splitView.ts";
import { Director } from "./director.ts";
import { openEngine } from "./engine.ts";
import { showHelp } from "./help.ts";
import { Keys } from "./keys.ts";
import { Masthead } from "./masthead.ts";
import { Messages } from "./messages.ts";
import { Moving } from "./moving.ts";
import type { AppOptions } from "./options.ts";
import { ViewPanel } from "./panel/viewPanel.ts";
import { Panes } from "./panes/panes.ts";
import { Presenter } from "./presenter.ts";
import { Recovering } from "./recovering.ts";
import { initialSettings } from "./settings.ts";
import { AssumedForm } from "./source/assumedForm.ts";
import { ColourNotice } from "./source/colourNotice.ts";
import { dropzone } from "./source/dropzone.ts";
import { LiveNotice } from "./source/liveNotice.ts";
import { Opener, textOf } from "./source/opening.ts";
import { Player } from "./source/player.ts";
import { keepSettings } from "./state/keeping.ts";
import { Transport } from "./transport.ts";
import { tuneHere } from "./tuneHere.ts";
import { listenToClicks } from "./view/clicks.ts";
import { fitTo } from "./view/fit.ts";
import { Focus } from "./view/focus.ts";
import { Reticle } from "./view/reticle.ts";
import { Rig } from "./view/rig.ts";
import { Scale } from "./view/scale.ts";

/** The running viewer, for a page that has a source of its own to show. */
export interface Viewer {
  /** Plays it in place of what played before. */
  open(source: Source): Promise<void>;
}

/** Puts the page's parts together and lets them run. */
export async function startApp(options: AppOptions): Promise<Viewer> {
  const messages = new Messages(byId("messages"));
  const canvas = byId("canvas") as HTMLCanvasElement;
  const engine = await openEngine(canvas, options, (notice) => recovering.lost(notice, pipeline.gpu));
  const { pipeline, surface } = engine;
  if (engine.notice) messages.show("notice", "engine", engine.notice);

  const settings = initialSettings(engine.kind);
  const recovering = new Recovering({
    messages,
    settings,
    redraw: () => presenter.invalidate(),
    resize() {
      fit.again();
      settingsChanged();
    },
  });
  recovering.watch(pipeline.gpu);
  const player = new Player(settings);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const still = () => calm.matches;
  const rig = new Rig(still);
  const focus = new Focus(rig, still);
  const director = new Director(engine, settings, rig, focus);
  const overlay = new LatencyOverlay(pipeline, { open: innerWidth >= 820, key: "L" });
  byId("latency").append(overlay.element);

  const opener = new Opener(player, messages, (source, input) => {
    director.newScene();
    splitView.newScene();
    colourNotice.begin();
    pipeline.statistics.reset();
    keeping.opened(source, input);
  });
  const masthead = new Masthead(
    byId("masthead"),
    () => opener.synthetic(),
    (input) => opener.recording(input),
    (address) => opener.live(address),
    (topic) => opener.topic(topic),
  );
  const assumed = new AssumedForm((right) => opener.correct(right));
  masthead.root.append(assumed.element);
  player.failed$.subscribe((error) => messages.show("error", "source", textOf(error)));
  player.unreadable$.subscribe(({ index, fault }) =>
    messages.show("notice", "unreadable", `Frame ${index + 1} was left out: ${textOf(fault)}`, 8000),
  );

  const presenter = new Presenter({
    pipeline,
    surface,
    player,
    rig,
    focus,
    aim: () => director.aim(),
    look: () => director.look(),
    onFrame(frame) {
      if (!isBlank(frame.depth)) messages.clear("blank");
      else messages.show("notice", "blank", `Frame ${frame.index + 1} has no measurement in it.`);
      colourNotice.see(frame);
      const seen = director.observe(frame);
      if (seen === "alike" || !player.source) return;
      cards.refresh();
      if (seen === "recoloured") return;
      byId("empty").hidden = true;
      const { width, height } = frame.intrinsics;
      masthead.show(player.source, width, height, pipeline);
      assumed.show(player.source, frame, opener.putRight);
      showHint(canvas);
      presenter.invalidate();
      if (!isBlank(frame.depth)) keeping.arrived();
    },
    onProcessed(frame) {
      keeping.processed(frame);
      transport.took(frame);
      overlay.frame(performance.now());
    },
    onTaken(frame) {
      messages.clear("pipeline");
      splitView.take(frame);
      panes.frame(frame);
    },
    onRefused: (error, waits) => recovering.refused(error, waits),
  });

  const panes = new Panes({
    places: {
      scene: byId("scene"),
      panes: byId("panes"),
      canvas,
      below: byId("view"),
      masthead: byId("masthead"),
    },
    settings,
    pipeline,
    source: () => player.source,
    sight: {
      camera: () => presenter.camera,
      pick: (x, y) => surface.pick(x, y, presenter.camera, director.look()),
      pointAt: (x, y, distanceM) => rig.pointAt(x, y, distanceM),
      moved: () => rig.moved,
    },
    redraw: () => presenter.invalidate(),
    // Its table would lie over what was made smaller.
    onSeveral: (several) => overlay.open(!several && innerWidth >= 820),
  });

  /** Stages changed: their cards show it, and the last frame goes again through what has. */
  const stagesChanged = () => {
    cards.refresh();
    presenter.invalidate();
  };
  const colourNotice = new ColourNotice(messages);
  const splitView = new SplitView(director, player, stagesChanged);
  /** Somebody uses the lens, or switches something from outside the panel. */
  const settingsChanged = () => {
    panel.refresh();
    director.apply();
    stagesChanged();
  };
  const splitToggled = () => {
    settings.split = !settings.split;
    settingsChanged();
  };
  const compare = (on: boolean) => {
    director.compare(on);
    byId("compare").hidden = !on;
    stagesChanged();
  };
  const reset = () => {
    rig.reset();
    presenter.invalidate();
  };
  const fit = fitTo(byId("scene"), (width, height) => {
    rig.resize(width, height);
    splitView.resize(width, height);
    const density = surface.resize(width, height) * settings.detail;
    const size = (length: number) => Math.max(16, Math.round(length * density));
    director.tell({ width: size(width), height: size(height) });
    stagesChanged();
  });

  const viewPanel = () =>
    new ViewPanel({
      settings,
      onChange(changed) {
        if (changed === "detail") return fit.again();
        director.apply();
        stagesChanged();
      },
      onFocus(distanceM, typed) {
        if (director.takeLens()) settingsChanged();
        if (typed) focus.pullToDistance(distanceM);
        else focus.set(distanceM);
      },
      onReset: reset,
      onCompare: compare,
    });
  let panel = viewPanel();
  const keeping = keepSettings({
    ...{ pipeline, settings, initial: initialSettings(engine.kind), rig, focus, player, messages, opener },
    canvas: () => surface.canvas,
    comparing: () => director.comparing,
    draw: () => surface.draw(presenter.camera, director.look()),
    onSet(anew) {
      if (anew) {
        const next = viewPanel();
        panel.element.replaceWith(next.element);
        panel = next;
        panes.refresh();
        fit.again();
      }
      settingsChanged();
    },
    onChange: stagesChanged,
  });
  const { cards } = keeping;
  byId("panel").append(cards.element, panel.element);
  byId("masthead").append(...keeping.saveMenu);
  if (engine.gpu) byId("panel").append(tuneHere(pipeline, player, messages, options.tuneMs));
  const keys = new Keys();
  const help = () => showHelp(keys);
  const transport = new Transport(byId("transport"), player, pipeline.statistics.budgetMs, help);
  byId("settings").addEventListener("click", () => document.body.classList.toggle("settings-open"));

  const liveNotice = new LiveNotice(messages);
  const scale = new Scale(byId("scale"));
  const reticle = new Reticle(byId("reticle"));
  const moving = new Moving({
    canvas,
    rig,
    focus,
    camera: () => presenter.camera,
    pick: (x, y) => surface.pick(x, y, presenter.camera, director.look()),
    frame: () => player.frame,
  });
  byId("views").append(moving.menu());
  const focusOn = async (x: number, y: number) => {
    if (panes.click(x, y)) return;
    reticle.show(x, y);
    const point = await moving.at(x, y);
    if (!point) return reticle.miss();
    if (director.takeLens()) settingsChanged();
    focus.pullTo(point);
  };
  listenToClicks(canvas, focusOn, (x, y) => moving.center(x, y));
  dropzone(
    document.body,
    (over) => {
      byId("drop").hidden = !over;
    },
    (input) => opener.recording(input),
  );
  keys.add("Playing", transport.keys);
  keys.add("Looking", [
    { key: "b", says: "Unfiltered, while held", holds: compare },
    { key: "v", says: "Raw beside filtered, or filtered alone", does: splitToggled },
    { key: "enter", says: "Focus on what is in the middle", does: () => focusOn(0.5, 0.5) },
    { key: "r", says: "Back to the sensor’s place", does: reset },
    { key: "l", says: "Latency", does: () => overlay.toggle() },
    { key: "?", says: "All keys", does: help },
    { key: "escape", says: "Close what is open", does: closeUppermost },
  ]);
  keys.add("Moving about", moving.keys);
  keys.add("Panes", panes.keys);
  keys.listen(window);

  presenter.start();
  const tick = (nowMs: number) => {
    presenter.tick(nowMs);
    moving.update(nowMs);
    transport.update(nowMs);
    panel.lens.show(focus.distanceM, director.sharp, director.own);
    director.showScale(scale);
    splitView.update(presenter.camera);
    overlay.update(nowMs);
    panes.tick(nowMs);
    liveNotice.update(player.source, player.playing, nowMs);
    keeping.update(nowMs);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  if (!keeping.restore()) await opener.first(options.source);
  return { open: (source) => opener.source(source) };
}

/** Once, until it has been tried. */
function showHint(canvas: HTMLElement): void {
  const hint = byId("hint");
  if (hint.classList.contains("gone")) return;
  hint.hidden = false;
  canvas.addEventListener("pointerdown", () => hint.classList.add("gone"), { once: true });
}
