import { stat } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { shownAddress } from "../core/address.ts";
import { counted } from "../core/check.ts";
import { RequestError, statusOf } from "../run/report/failure.ts";
import { onInterrupt } from "../run/report/interrupt.ts";
import { listenerOf, notes, Progress, print } from "../run/report/terminal.ts";
import type { MeshFormat } from "../scan/mesh/files.ts";
import type { Box } from "../scan/mesh/tidy.ts";
import { LIBRARY } from "../write/recorder.ts";
import type { ViewFormat } from "../write/views.ts";
import { metres, numbers, wholeFrom } from "./arguments.ts";
import { addChoice, type ChoiceFlags, namesOf } from "./choice.ts";
import { addOpening, type OpenFlags, openingOf, openUntil } from "./opening.ts";
import type { Kept } from "./scanKept.ts";
import { linesOf, numbersOf } from "./scanReport.ts";

interface ScanFlags extends ChoiceFlags, OpenFlags {
  readonly out?: string;
  readonly to?: readonly string[];
  readonly json?: true;
  readonly voxel: number;
  readonly far?: number;
  readonly turntable?: true;
  readonly poses?: string;
  readonly posesOut?: string;
  readonly crop?: Box;
  readonly largest?: true;
  readonly triangles: number;
  readonly start: number;
  readonly frames?: number;
  readonly force?: true;
  readonly verbose?: true;
}

const NOTES = `
The camera moved around a thing or through a room, and what it saw becomes one mesh: the filters clean each frame, track finds where the camera
was (or takes the recording's poses), and all frames are added up in a grid of voxels. Where the camera comes back to what it saw before,
the poses of track are corrected, and the frames are read once more. With --turntable the camera stands and a thing turns about one axis, evenly or not,
all the way round or not: what stands, and the table, is cut away, and --crop and the poses are those of a camera around the thing. Frames for which nobody can tell the camera's place are left out, and
counted. A pixel wider than 1.5 voxels is too far away to be used, unless --far says otherwise. The last line, and --json, tell how well the
scene showed the camera's way. A recording stands before --to, as in: depthloom scan chair.mcap --to nerfstudio chair.nerf
By its name the file is a GLB (y up, with colour), a PLY (in the axes of the first camera: x right, y down, z forward), an STL (z up, no
colour) or an OBJ (y up). All are in metres. --crop is in the axes of the first camera, too.
The model grows where the filters run: on the GPU, if there is one, and if a model of --max-megabytes has room there.
The same scan with the same options is the same file, byte for byte, on one device, unless it was stopped and went on. --max-megabytes bounds the model, and reading.
A recording's scan that is stopped, by Ctrl-C or by force, goes on with the same command: room.partial.scan has what it knew at the Ctrl-C, or
some seconds before it was killed, and room.partial.txt the poses so far, of TUM's lines. Ctrl-C makes the mesh of a stream's frames until then, as room.partial.glb.
Exit status: 0 done, 1 it failed while running (the mesh of the frames until then is written, as room.partial.glb), 2 wrong usage, 130 interrupted.`;

export function addScan(program: Command): void {
  const command = program
    .command("scan <recording>")
    .description("make one mesh of what a moving camera saw")
    .option("--out <file>", "the mesh: a name that ends with .glb, .ply, .stl or .obj")
    .option("--to <format folder...>", "write images, lens, poses and seed points there: colmap DIR, or nerfstudio DIR")
    .option("--voxel <length>", "how fine the model is: 5mm, 1cm, 0.01 (metres)", voxel, 0.005)
    .option("--far <length>", "leave out depth beyond this distance, for track as well", metres)
    .option("--turntable", "a thing turned on a turntable, and the camera stood: keep what turns alone")
    .option("--poses <file>", "take the camera's poses from this file, of TUM's lines, not from the recording or track")
    .option("--poses-out <file>", "write the poses with which frames were added, as such lines")
    .option("--crop <x0,y0,z0,x1,y1,z1>", "keep what lies in this box, from its least to its greatest corner, m", box)
    .option("--largest", "keep the largest piece alone")
    .option("--triangles <n>", "simplify the mesh to at most so many triangles, or keep all", triangles, 500_000)
    .option("--start <n>", "the first frame, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "how many frames at most", wholeFrom(1))
    .option("--json", "print one JSON document: how good the scan is")
    .option("--force", "replace the files that an earlier run wrote");
  addOpening(addChoice(command, "auto")).addHelpText("after", notes(NOTES)).action(runScan);
}

function voxel(text: string): number {
  const edge = metres(text);
  if (edge >= 0.001 && edge <= 0.5) return edge;
  throw new InvalidArgumentError("It must be from 1mm to 50cm.");
}

const triangles = (text: string): number => (text === "all" ? Infinity : wholeFrom(1)(text));

function box(text: string): Box {
  const [x0 = 0, y0 = 0, z0 = 0, x1 = 0, y1 = 0, z1 = 0] = numbers(text, 6, "six numbers, such as -1,-1,0,1,1,2");
  if (x0 < x1 && y0 < y1 && z0 < z1) return [x0, y0, z0, x1, y1, z1];
  throw new InvalidArgumentError("The first three numbers must be less than the last three.");
}

/** Pieces of fewer triangles are flecks. */
const LEAST_PIECE = 300;

/** The longest time in ms that an interrupted scan takes for its mesh. */
const MESH_MS = 60_000;

/** The name of the mesh that a scan leaves when it was cut short: "room.partial.glb", whose ending programs still know. */
const partName = (path: string) => path.replace(/(\.\w+)?$/, ".partial$1");

/** The name of the file with all places of the frames, which a scan that was stopped leaves. */
const fileBeside = (path: string) => path.replace(/(\.\w+)?$/, ".partial.scan");

async function runScan(input: string, flags: ScanFlags): Promise<void> {
  const { checkOwnFiles } = await import("../run/report/ownFile.ts");
  const { meshFile } = await import("../scan/mesh/files.ts");
  const { writeWhole } = await import("../run/report/files.ts");
  const { scanSource, upTo } = await import("../scan/scan.ts");
  const { Views } = await import("../scan/views.ts");
  const { posesText, withPosesOf } = await import("../scan/poses.ts");
  const { beginKept } = await import("./scanKept.ts");
  const { recordingIdentity } = await import("../run/report/unfinished.ts");
  const { filtersOf } = await import("../run/filter/filter.ts");
  const { chooseStages } = await import("../run/replay/settings.ts");
  const { out, to, posesOut, force = false, backend, adapter, noise, start, frames } = flags;
  const format = await formatOf(out);
  const [kind, folder] = await viewsOf(to);
  if (out === undefined && folder === undefined)
    throw new RequestError("a scan needs a place for its mesh, --out model.glb, or for its views, --to colmap DIR");
  const inputs = [input, flags.poses].filter((path) => path !== undefined);
  const results = [out, posesOut].filter((path) => path !== undefined);
  await checkOwnFiles(results, { inputs, force, mark: LIBRARY });
  const posesSoFar = partName(posesOut ?? (out ?? "").replace(/\.\w+$/, ".txt"));
  // What a stopped scan left gives way to the next scan.
  if (out !== undefined) await checkOwnFiles([partName(out), posesSoFar], { inputs, force: true, mark: LIBRARY });
  const chosen = upTo(flags.far, filtersOf(chooseStages(namesOf(flags), flags.settings, flags.set, flags.preset)));
  if (!chosen.stages.some(({ gives }) => gives === "pose"))
    throw new RequestError("a scan needs the camera's poses, which the stage track finds: add it to --stages");
  if (flags.turntable && flags.poses !== undefined)
    throw new RequestError("--turntable finds the poses by itself: leave --poses out");
  const progress = new Progress();
  // Making a mesh of hours of work takes a while, so the first Ctrl-C does not give it up; a second one does.
  const interrupt = onInterrupt({ graceMs: MESH_MS });
  let kept: Kept | undefined;
  const recording = await openUntil(interrupt, input, openingOf(flags));
  try {
    const source = flags.poses === undefined ? recording : await withPosesOf(recording, flags.poses);
    const views = kind && folder !== undefined ? await Views.create(folder, kind) : undefined;
    const same = {
      ...(await recordingIdentity(input, recording, openingOf(flags))),
      poses: flags.poses && [flags.poses, (await stat(flags.poses)).mtimeMs],
      stages: chosen.stages.map(({ name, parameters }) => [name, parameters]),
      backend,
      adapter,
      noise,
      start,
      frames,
      voxel: flags.voxel,
      far: flags.far,
      turntable: flags.turntable,
      memory: flags.maxMegabytes,
    };
    if (out !== undefined && !views)
      kept = await beginKept({ path: fileBeside(out), poses: posesSoFar, mesh: partName(out) }, { same, force });
    const { before } = kept ?? {};
    if (before)
      progress.log(
        before.midway.found
          ? "the places of all frames are known from a scan that was stopped"
          : `going on after the ${counted(before.midway.placed.length, "frame")} of a scan that was stopped`,
      );
    const request = {
      keep: kept,
      before,
      chosen,
      backend,
      adapter,
      noise,
      start,
      frames,
      views,
      voxelM: flags.voxel,
      farM: flags.far,
      turntable: flags.turntable,
      isPosed: flags.poses !== undefined,
      mostMegabytes: flags.maxMegabytes ?? 1024,
      crop: flags.crop,
      leastPiece: flags.largest ? Infinity : LEAST_PIECE,
      triangles: flags.triangles,
    };
    const scan = await scanSource(source, request, listenerOf(progress, interrupt));
    progress.clear();
    const isPart = scan.error !== undefined || interrupt.signal.aborted;
    const nameOf = (path: string) => (isPart ? partName(path) : path);
    if (out !== undefined && format) await writeWhole(nameOf(out), meshFile(scan.mesh, format));
    if (posesOut !== undefined) await writeWhole(nameOf(posesOut), posesText(scan.poses));
    if (!isPart) await kept?.end(true);
    if (!isPart) kept = undefined;
    if (isPart && out !== undefined) interrupt.leaves(`${nameOf(out)} has the mesh of them`);
    for (const line of linesOf(scan, out === undefined ? (folder ?? "") : nameOf(out), views)) progress.log(line);
    if (flags.json)
      await print([`${JSON.stringify({ recording: shownAddress(input), ...numbersOf(scan, views) }, null, 2)}\n`]);
    process.exitCode = statusOf(scan.error);
  } finally {
    progress.clear();
    if (await kept?.end(false)) interrupt.leaves("the same command goes on from there");
    await recording.close();
    await interrupt.release();
  }
}

async function formatOf(out: string | undefined): Promise<MeshFormat | undefined> {
  const { MESH_FORMATS } = await import("../scan/mesh/files.ts");
  const format = MESH_FORMATS.find((name) => out?.toLowerCase().endsWith(`.${name}`));
  if (out !== undefined && !format) throw new RequestError(`--out ${out}: it must end with .glb, .ply, .stl or .obj`);
  return format;
}

async function viewsOf(to: readonly string[] | undefined): Promise<readonly [ViewFormat?, string?]> {
  const { VIEW_FORMATS } = await import("../write/views.ts");
  if (to === undefined) return [];
  const kind = VIEW_FORMATS.find((name) => name === to[0]);
  if (kind && to.length === 2) return [kind, to[1]];
  throw new RequestError(
    `--to ${to.join(" ")}: it takes a format, ${VIEW_FORMATS.join(" or ")}, and a folder; name the recording before it`,
  );
}
