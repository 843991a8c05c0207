import type { Gpu } from "../../pipeline/index.ts";
import { isAddress, isBlank, type Source } from "../../sources/index.ts";
import { byId } from "../dom/element.ts";
import { LatencyOverlay } from "../overlay/overlay.ts";
import { Director } from "./director.ts";
import { openEngine } from "./engine.ts";
import { listenToKeys } from "./keys.ts";
import { Masthead } from "./masthead.ts";
import { Messages } from "./messages.ts";
import type { AppOptions } from "./options.ts";
import { SaveMenu } from "./out/saveMenu.ts";
import { Saver } from "./out/saver.ts";
import { ViewPanel } from "./panel/viewPanel.ts";
import { Presenter } from "./presenter.ts";
import { initialSettings } from "./settings.ts";
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
  const engine = await openEngine(canvas, options, (notice) => {
    messages.show("notice", "gpu", `${notice[0]?.toUpperCase()}${notice.slice(1)}.`, 8000);
    reportDevice(pipeline.gpu, messages, lost);
  });
  const { pipeline, surface } = engine;
  if (engine.notice) messages.show("notice", "engine", engine.notice);
  // Paused or hidden, nobody else would ask for a picture: the next one is made on another device.
  const lost = () => presenter.invalidate();
  reportDevice(pipeline.gpu, messages, lost);

  const settings = initialSettings(engine.kind);
  const player = new Player();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const still = () => calm.matches;
  const rig = new Rig(canvas, still);
  const focus = new Focus(rig, still);
  const director = new Director(engine, settings, rig, focus);
  const overlay = new LatencyOverlay(pipeline, { open: innerWidth >= 820, key: "L" });
  byId("latency").append(overlay.element);

  const opener = new Opener(player, messages, (source, input) => {
    director.newScene();
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
      const seen = director.observe(frame);
      if (seen === "alike" || !player.source) return;
      cards.refresh();
      if (seen === "recoloured") return;
      byId("empty").hidden = true;
      const { width, height } = frame.intrinsics;
      masthead.show(player.source, width, height, pipeline);
      showHint(canvas);
      presenter.invalidate();
      if (!isBlank(frame.depth)) keeping.arrived();
    },
    onProcessed(frame) {
      saver.processed(frame);
      overlay.frame(performance.now());
    },
    onTaken: () => messages.clear("pipeline"),
    onRefused(error, waits) {
      const then = waits ? " Playing goes on when this is put right." : "";
      messages.show("error", "pipeline", `${textOf(error).replace(/\.?$/, ".")}${then}`);
    },
  });

  /** Stages changed: their cards show it, and the last frame goes again through what has. */
  const stagesChanged = () => {
    cards.refresh();
    presenter.invalidate();
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
  const fit = fitTo(byId("view"), (width, height) => {
    rig.resize(width, height);
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
      onFocus: (distanceM, typed) => (typed ? focus.pullToDistance(distanceM) : focus.set(distanceM)),
      onReset: reset,
      onCompare: compare,
    });
  let panel = viewPanel();
  const keeping = keepSettings({
    ...{ pipeline, settings, initial: initialSettings(engine.kind), rig, focus, player, messages, opener },
    comparing: () => !byId("compare").hidden,
    onSet(anew) {
      if (anew) {
        const next = viewPanel();
        panel.element.replaceWith(next.element);
        panel = next;
      }
      director.apply();
      fit.again();
    },
    onChange: stagesChanged,
  });
  const { cards } = keeping;
  byId("panel").append(cards.element, panel.element);
  if (engine.gpu) byId("panel").append(tuneHere(pipeline, player, messages, options.tuneMs));
  const saver = new Saver({
    ...{ pipeline, player, messages, canvas },
    draw: () => surface.draw(presenter.camera, director.look()),
    invalidate: () => presenter.invalidate(),
    settingsFile: () => keeping.keeper.settingsFile(),
    link: () => keeping.keeper.link,
  });
  const saveMenu = new SaveMenu(saver);
  byId("masthead").append(saveMenu.element, saveMenu.chips);
  new Transport(byId("transport"), player);
  byId("settings").addEventListener("click", () => document.body.classList.toggle("settings-open"));

  const liveNotice = new LiveNotice(messages);
  const scale = new Scale(byId("scale"));
  const reticle = new Reticle(byId("reticle"));
  listenToClicks(canvas, async (x, y) => {
    reticle.show(x, y);
    const distanceM = await surface.pick(x, y, presenter.camera, director.look());
    if (distanceM > 0) focus.pullTo(rig.pointAt(x, y, distanceM));
    else reticle.miss();
  });
  dropzone(
    document.body,
    (over) => {
      byId("drop").hidden = !over;
    },
    (input) => opener.recording(input),
  );
  listenToKeys(window, {
    press: {
      " ": () => (player.playing ? player.pause() : player.play()),
      arrowleft: () => player.seek(player.index - 1),
      arrowright: () => player.seek(player.index + 1),
      r: reset,
      l: () => overlay.toggle(),
    },
    hold: { b: compare },
  });

  presenter.start();
  const tick = (nowMs: number) => {
    presenter.tick(nowMs);
    panel.lens.show(focus.distanceM, director.sharp, director.own);
    director.showScale(scale);
    overlay.update(nowMs);
    liveNotice.update(player.source, player.playing, nowMs);
    keeping.update(nowMs);
    saveMenu.update();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  if (!keeping.restore()) await openFirst(options.source, opener);
  return { open: (source) => opener.source(source) };
}

/** What the address asks for. */
async function openFirst(source: string, opener: Opener): Promise<void> {
  if (source === "none") return;
  byId("empty").hidden = true;
  if (source === "synthetic") await opener.synthetic();
  else await (isAddress(source) ? opener.live(source) : opener.fetched(source));
}

/** Once, until it has been tried. */
function showHint(canvas: HTMLElement): void {
  const hint = byId("hint");
  if (hint.classList.contains("gone")) return;
  hint.hidden = false;
  canvas.addEventListener("pointerdown", () => hint.classList.add("gone"), { once: true });
}

/** What the device complains of and nobody caught; without it a black picture would be all there is to see. */
function reportDevice(gpu: Gpu | null, messages: Messages, onLost: () => void): void {
  gpu?.device.addEventListener("uncapturederror", (event) => messages.show("error", "gpu", event.error.message));
  void gpu?.device.lost.then(onLost);
}
