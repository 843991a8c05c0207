import { type Command, Option } from "commander";
import { shownAddress } from "../core/address.ts";
import { plain } from "../core/check.ts";
import type { Start } from "../measure/align/pose.ts";
import { RequestError } from "../run/report/failure.ts";
import { isLivePlace } from "../run/report/place.ts";
import { notes, Progress, print, say, table } from "../run/report/terminal.ts";
import { numbers, positive, wholeFrom } from "./arguments.ts";
import { everyFrame } from "./everyFrame.ts";
import { addLive, addOpening, type LiveFlags, type OpenFlags } from "./opening.ts";

interface AlignFlags extends OpenFlags, LiveFlags {
  readonly startAt?: readonly Start[];
  readonly tagSize?: number;
  readonly tf?: string;
  readonly out?: string;
  readonly color: "camera" | "own";
  readonly picture?: string;
  readonly force?: true;
  readonly start: number;
  readonly frames: number;
  readonly json?: true;
}

const NOTES = `
The cameras must stand, and two of them must see a floor or another large plane in common, and things on it or walls around it, or
printed AprilTags (tag36h11), which are found by themselves in colour that is registered to depth. Places are in
the axes of the first camera, x right, y down, z forward; roll, pitch and yaw are turns about its fixed axes x, y and z, in this order. The
clock is what has to be added to a camera's times to get those of the first one, from what both see move. Each number has its ± (95 %).
--tf writes the places as a message of /tf_static to an .mcap, else commands that publish them so in ROS 2. Exit status: 0 all cameras have a place, 1 it cannot be
told of one, or it failed, 2 wrong usage.
Example: depthloom align left.mcap right.mcap --tf places.sh --out room.ply`;

/** How many frames are looked at if nobody says: ten seconds. */
const FRAMES = 300;
/** The most cameras: each is compared with each. */
const MOST_CAMERAS = 16;
/** How many recordings are read at a time, each by a thread of its own. */
const RECORDINGS_AT_ONCE = 4;

function start(text: string, before: readonly Start[] = []): readonly Start[] {
  const found = numbers(text, 6, "x,y,z,roll,pitch,yaw in metres and degrees, such as 1.2,0,0.5,0,-60,0");
  return [...before, found as unknown as Start];
}

export function addAlign(program: Command): void {
  const command = program
    .command("align <recordings...>")
    .description(
      "tell where cameras stand from the first one, by the depth that they see in common, and how their clocks differ",
    )
    .option(
      "--start-at <x,y,z,roll,pitch,yaw>",
      "about where the second camera stands, m and °; again for the third",
      start,
    )
    .option("--tag-size <mm>", "the side of the black squares of printed AprilTags", positive)
    .option(
      "--tf <file>",
      "write the places as /tf_static in ROS 2: an .mcap with the message, else commands that publish it",
    )
    .option("--out <file>", "write one cloud of what all cameras see, as a .ply")
    .addOption(
      new Option("--color <whose>", "the cloud's colour: one for each camera, or the cameras' own pictures")
        .choices(["camera", "own"])
        .default("camera"),
    )
    .option("--picture <file>", "write a .png of how far the cameras disagree")
    .option("--start <n>", "the first frame, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "how many frames of each at most", wholeFrom(1), FRAMES)
    .option("--force", "replace files that are there already")
    .option("--json", "print one JSON document");
  addLive(addOpening(command)).addHelpText("after", notes(NOTES)).action(runAlign);
}

async function runAlign(recordings: readonly string[], flags: AlignFlags): Promise<void> {
  if (recordings.length < 2 || recordings.length > MOST_CAMERAS)
    throw new RequestError(`align takes 2 to ${MOST_CAMERAS} recordings or cameras, not ${recordings.length}`);
  const { startAt: starts, tagSize: tagSizeMm, tf, out, picture, force = false } = flags;
  if (starts && starts.length >= recordings.length)
    throw new RequestError(`--start-at is given ${starts.length} times: once for each camera but the first`);
  const endings = [
    [out, ".ply"],
    [picture, ".png"],
    [tf, ""],
  ] as const;
  for (const [path, ending] of endings) {
    if (path !== undefined && !path.toLowerCase().endsWith(ending))
      throw new RequestError(`${path}: it must end with ${ending}`);
  }
  const { checkOwnFiles } = await import("../run/report/ownFile.ts");
  await checkOwnFiles([tf, out, picture], { inputs: recordings, force, mark: "" });
  const { align, RigCamera } = await import("../measure/index.ts");
  const { alignmentDocument, alignmentRows, tfCommands, transformsOf } = await import("../measure/align/report.ts");
  const cameras = recordings.map(() => new RigCamera());
  const shown = new Progress();
  const counts = recordings.map(() => ({ done: 0, of: 0 }));
  const sum = (what: "done" | "of") => counts.reduce((all, count) => all + count[what], 0);
  const look = async (k: number) => {
    const show = (done: number, of: number) => {
      counts[k] = { done, of };
      shown.show(sum("done"), sum("of"));
    };
    const seen = () => (cameras[k].frames > 0 ? Promise.resolve() : undefined);
    await everyFrame(recordings[k], flags, (frame) => cameras[k].add(frame), seen, [], { show, clear() {} });
  };
  // Cameras that are live have to see the same motion, so all of these are looked at at once; recordings take turns.
  const all = recordings.map((_, k) => k);
  const inTurn = all.filter((k) => !isLivePlace(recordings[k])).values();
  const turns = Array.from({ length: RECORDINGS_AT_ONCE }, async () => {
    for (const k of inTurn) await look(k);
  });
  await Promise.all([...turns, ...all.filter((k) => isLivePlace(recordings[k])).map(look)]);
  const found = await align(cameras, { starts, tagSizeMm, onProgress: (done, of) => shown.show(done, of) });
  shown.clear();
  for (const line of found.warnings) say(`warning: ${plain(line)}`);
  const names = recordings.map(shownAddress);
  process.exitCode = found.cameras.every(({ toFirst }) => toFirst) ? 0 : 1;
  const { writeWhole } = await import("../run/report/files.ts");
  if (tf?.toLowerCase().endsWith(".mcap")) {
    const { staticTransformsMcap } = await import("../write/staticTransforms.ts");
    await writeWhole(tf, await staticTransformsMcap(transformsOf(found)));
  } else if (tf !== undefined) await writeWhole(tf, tfCommands(names, found));
  if (out !== undefined || picture !== undefined) {
    const { cloudOf, disagreementPicture } = await import("../measure/align/views.ts");
    const { pointsPly } = await import("../write/ply.ts");
    const { colorPng } = await import("../write/png.ts");
    const scenes = cameras.map((camera) => camera.build());
    const pictures = cameras.map(({ color }) => (flags.color === "own" ? color : undefined));
    if (out !== undefined) await writeWhole(out, pointsPly(cloudOf(found.cameras, scenes, pictures)));
    const drawn = picture === undefined ? undefined : disagreementPicture(found.cameras, scenes);
    if (picture !== undefined && drawn) await writeWhole(picture, await colorPng(drawn));
    else if (picture !== undefined) say(`warning: ${picture} was not written: no two cameras have places`);
  }
  const document = () => `${JSON.stringify(alignmentDocument(names, found), null, 2)}\n`;
  await print([flags.json ? document() : table(alignmentRows(names, found))]);
}
