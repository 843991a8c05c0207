import { type Command, Option } from "commander";
import type { Size } from "../core/view.ts";
import { RequestError } from "../run/report/failure.ts";
import { onInterrupt } from "../run/report/interrupt.ts";
import { notes, Progress } from "../run/report/terminal.ts";
import type { CameraMotion, SceneName, SensorName, ViewName } from "../sources/synthetic/index.ts";
import { positive, size, wholeFrom } from "./arguments.ts";

interface SynthFlags {
  readonly format: "tum" | "png";
  readonly frames?: number;
  readonly size: Size;
  readonly fps: number;
  readonly seed: number;
  readonly motion: CameraMotion;
  readonly sensor: SensorName;
  readonly scene: SceneName;
  readonly view?: ViewName;
  readonly noise: boolean;
  readonly color: boolean;
  readonly truth: boolean;
  readonly force?: true;
}

/** The names that each layout has at the top of the folder. */
const NAMES = {
  tum: ["recording.json", "depth.txt", "rgb.txt", "groundtruth.txt", "depth", "rgb", "truth"],
  png: ["recording.json", "times.csv", "depth", "color", "truth"],
};

const NOTES = `
The room has curved, flat, thin and moving things, and so has the desk, at arm's length. Its sensor is a simulated Kinect v1 that is quick to draw and whose noise mostly stays
where it is; of the others noise, grain, outlines and what is lost are as they were measured (sources/synthetic/sensors). The same options give the same bytes.
A camera on a stand or swaying repeats after ten seconds. The others scan, and close their loop after twenty: orbit goes around the scene's
middle, walk looks ahead on the same way, handheld moves to both sides of the view in a hand that shakes.
truth/ in the folder is the same recording without noise: the exact depth of every pixel. The folder must be new or empty;
--force clears what an earlier run wrote there (a list of it is in the folder, .depthloom) and nothing else. It is written as
OUT.partial, and gets its name when it is whole. Ctrl-C stops after the frame in work, and leaves OUT.partial.`;

export function addSynth(program: Command): void {
  program
    .command("synth <out>")
    .description("write a recording of a synthetic scene, with its ground truth, into a new folder")
    .addOption(new Option("--format <which>", "layout of the folder").choices(["tum", "png"]).default("tum"))
    .option("--frames <n>", "number of frames (default: until all motion repeats)", wholeFrom(1))
    .addOption(
      new Option("--size <WxH>", "size in pixels").argParser(size).default({ width: 640, height: 480 }, "640x480"),
    )
    .option("--fps <n>", "frames per second", positive, 30)
    .option("--seed <n>", "seed of the noise", wholeFrom(0), 1)
    .addOption(
      new Option("--motion <which>", "motion of the camera")
        .choices(["fixed", "sway", "orbit", "walk", "handheld"])
        .default("fixed"),
    )
    .addOption(
      new Option("--sensor <name>", "the camera")
        .choices(["kinect", "kinect-v1", "kinect-v2", "azure-kinect", "small-tof", "realsense", "phone"])
        .default("kinect"),
    )
    .addOption(new Option("--scene <name>", "what the camera sees").choices(["room", "desk", "parcel"]).default("room"))
    .addOption(
      new Option(
        "--view <name>",
        "the view: of the room room (default), desk, close, wall, overhead; of the desk seat (default), above; of the parcel over",
      ).choices(["room", "desk", "close", "wall", "overhead", "seat", "above", "over"]),
    )
    .option("--no-noise", "a perfect sensor")
    .option("--no-color", "depth alone")
    .option("--no-truth", "leave out the ground truth")
    .option("--force", "clear what an earlier run wrote there, and nothing else")
    .addHelpText("after", notes(NOTES))
    .action(runSynth);
}

async function runSynth(out: string, flags: SynthFlags): Promise<void> {
  const { syntheticRoom } = await import("../sources/synthetic/index.ts");
  const { writePngFolder, writeTum } = await import("../write/index.ts");
  const { partialOf } = await import("../run/report/files.ts");
  const { OwnFolder } = await import("../run/report/ownFolder.ts");
  const { goesOn, settled } = await import("../run/report/unfinished.ts");
  const { fps, seed, noise, color, frames, motion, truth, sensor, scene, view } = flags;
  const given = { ...(frames !== undefined && { frames }), ...(view && { view }) };
  const recording = asUsage(() =>
    syntheticRoom({ ...flags.size, fps, seed, noise, color, cameraMotion: motion, sensor, scene, ...given }),
  );
  const claim = { path: out, names: NAMES[flags.format], inputs: [], force: flags.force ?? false };
  const isFree = () => OwnFolder.check(claim);
  const place = await isFree();
  // What an earlier run left unfinished is begun anew.
  const path = partialOf(out.replace(/[\\/]+$/, ""));
  const folder = await OwnFolder.check({ ...claim, path, force: true });
  await goesOn(path, { same: undefined, force: claim.force, givesWay: true, isFree, clear: async () => {} });
  await folder.begin();
  const progress = new Progress();
  const interrupt = onInterrupt();
  try {
    const write = flags.format === "tum" ? writeTum : writePngFolder;
    const onFrame = (done: number, of: number) => {
      interrupt.leaves(`${folder.path} keeps them`);
      progress.show(done, of);
    };
    const done = await write(recording, folder, { truth, signal: interrupt.signal, onFrame });
    await place.settle(folder.path);
    progress.log(`${out}: ${done} of ${recording.length} frames written (${flags.format})`);
  } finally {
    progress.clear();
    await settled(folder.path);
    await interrupt.release();
  }
}

/** Impossible options are wrong usage (status 2), not a failure (status 1). */
function asUsage<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof Error && error.name === "OptionError" ? new RequestError(error.message) : error;
  }
}
