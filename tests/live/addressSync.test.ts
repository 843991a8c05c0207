import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import type { Recording } from "../../sources/index.ts";
import { defaultStages } from "../../stages/index.ts";
import { StageController } from "../../viewer/live/show/stageController.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { AddressSync } from "../../viewer/live/state/addressSync.ts";
import { createStore } from "../../viewer/live/state/settings.ts";
import { Focus } from "../../viewer/live/view/camera/focus.ts";
import { Rig } from "../../viewer/live/view/camera/rig.ts";
import { recordingOf } from "./recording.ts";

// What a link does in a page that is open already.

afterEach(() => vi.unstubAllGlobals());

const TOPICS = ["/one", "/two"].map((name) => ({ name }));

/** A page in which the first topic of "a.mcap" plays, and what follows a link in it. */
async function open() {
  const location = { hash: "", pathname: "/", search: "", href: "" };
  let changed = () => {};
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", { state: null, replaceState: (_: unknown, __: string, at: string) => write(at) });
  const write = (at: string) => {
    location.hash = at.includes("#") ? at.slice(at.indexOf("#")) : "";
  };
  vi.stubGlobal("addEventListener", (kind: string, heard: () => void) => {
    if (kind === "hashchange") changed = heard;
  });
  const pipeline = await createPipeline({ stages: defaultStages(), backend: "cpu" });
  const settings = createStore("cpu");
  const rig = new Rig(() => true);
  const focus = new Focus(rig, () => true);
  const controller = new StageController({ pipeline } as never, settings, rig, focus);
  const player = new Player(settings.part("rate", "loop", "inPoint", "outPoint"));
  onTestFinished(async () => {
    player.pause();
    await pipeline.destroy();
  });
  const play = (name: string, topic = "/one") => {
    const source = { ...recordingOf(30).recording, name, topics: TOPICS, topic };
    player.open(source as Recording, sync.names(source));
  };
  const told: string[] = [];
  const sync: AddressSync = new AddressSync({
    ...{ pipeline, settings, rig, focus, player },
    messages: { clear() {}, show: (_: string, __: string, text: string) => told.push(text) } as never,
    comparing: () => controller.comparing,
    compare: (on) => controller.compare(on),
    onChange() {},
    isAsked: () => false,
    reopen: play,
    topic: (topic) => play(player.source?.name ?? "", topic),
  });
  play("a.mcap");
  sync.onFirstFrame();
  const follow = (link: string) => {
    location.hash = link;
    changed();
  };
  const filters = () =>
    pipeline.stages.filter(({ role, name }) => role === "filter" && pipeline.isEnabled(name)).map(({ name }) => name);
  return { sync, player, settings, rig, focus, controller, pipeline, location, follow, filters, told };
}

test("a link to another recording brings its In and Out, one to the present recording too, and a drop none", async () => {
  const { player, follow, sync, settings } = await open();
  follow("#recording=b.mcap&inPoint=10&outPoint=20");
  expect([player.source?.name, player.part, player.isMeant]).toEqual(["b.mcap", [10, 20], true]);
  sync.onFirstFrame();
  follow("#recording=b.mcap&inPoint=11");
  expect([player.part, player.isMeant]).toEqual([[11, 29], true]);
  const dropped = recordingOf(30).recording;
  player.open(dropped, sync.names(dropped));
  expect([player.part, player.isMeant, settings.now.inPoint]).toEqual([[0, 29], false, 0]);
});

test("a link to another depth topic of the present recording plays that topic, and one without a topic the first", async () => {
  const { player, follow, sync, location } = await open();
  const topic = () => (player.source as unknown as { topic: string }).topic;
  follow("#recording=a.mcap&topic=/two&inPoint=3");
  expect([topic(), player.part]).toEqual(["/two", [3, 29]]);
  sync.onFirstFrame();
  await Promise.resolve();
  sync.write();
  expect(location.hash).toBe("#recording=a.mcap&topic=/two&inPoint=3");
  follow("#recording=a.mcap&topic=/none");
  expect(topic()).toBe("/two");
  follow("#recording=a.mcap");
  expect(topic()).toBe("/one");
});

test("a link without a place and a focus goes back to where the scene began", async () => {
  const { rig, focus, follow } = await open();
  const [began, place] = [focus.distanceM, rig.place];
  follow("#recording=a.mcap&camera=1,0,0,0.5,0,2&focusM=3");
  expect(rig.place.position.x).toBe(1);
  expect(focus.distanceM).toBeCloseTo(3);
  follow("#recording=a.mcap");
  expect(rig.place).toEqual(place);
  expect(focus.distanceM).toBeCloseTo(began);
});

test("while raw depth is shown alone, a link, a settings file and a saved one are of the filters", async () => {
  const { sync, controller, filters, follow } = await open();
  const usual = filters();
  const compare = () => {
    controller.compare(true);
    expect(filters()).toEqual([]);
  };
  compare();
  expect(sync.settingsFile().stages.map(({ name }) => name)).toEqual(expect.arrayContaining(usual));
  compare();
  follow("#recording=a.mcap&off=median");
  controller.compare(false);
  expect(filters()).toEqual(usual.filter((name) => name !== "median"));
  compare();
  sync.import("settings.json", JSON.stringify({ stages: [{ name: "median", parameters: {} }] }));
  controller.compare(false);
  expect(filters()).toEqual(["median"]);
  compare();
  sync.resetFilters();
  controller.compare(false);
  expect(filters()).toEqual(usual);
});
