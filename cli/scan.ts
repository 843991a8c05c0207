import { type Command, InvalidArgumentError } from "commander";
import { counted } from "../core/check.ts";
import { describe, statusOf, UsageError } from "../run/report/failure.ts";
import { listenerOf, notes, onInterrupt, Progress } from "../run/report/terminal.ts";
import type { MeshFormat } from "../scan/mesh/files.ts";
import type { Box } from "../scan/mesh/tidy.ts";
import { LIBRARY } from "../write/recorder.ts";
import { metres, numbers, wholeFrom } from "./arguments.ts";
import { addChoice, type ChoiceFlags, namesOf } from "./choice.ts";
import { addOpening, type OpenFlags, openingOf, openUntil } from "./opening.ts";

interface Flags extends ChoiceFlags, OpenFlags {
  readonly out: string;
  readonly voxel: number;
  readonly far?: number;
  readonly poses?: string;
  readonly posesOut?: string;
  readonly crop?: Box;
  readonly largest?: true;
  readonly triangles?: number;
  readonly start: number;
  readonly frames?: number;
  readonly force?: true;
  readonly verbose?: true;
}

const NOTES = `
The camera moved around a thing or through a room, and what it saw becomes one mesh: the filters clean each frame, track finds where the camera
was (or takes the recording's poses), and all frames are added up in a grid of voxels. Where the camera comes back to what it saw before,
the poses of track are corrected, and the frames are read once more. Frames for which nobody can tell the camera's place are left out, and
counted. A pixel wider than 1.5 voxels is too far away to be used, unless --far says otherwise.
By its name the file is a GLB (y up, with colour), a PLY (in the axes of the first camera: x right, y down, z forward), an STL (z up, no
colour) or an OBJ (y up). All are in metres. --crop is in the axes of the first camera, too.
The model grows where the filters run: on the GPU, if there is one, and if a model of --max-megabytes has room there.
The same scan with the same options is the same file, byte for byte, on one device. --max-megabytes bounds the model, and reading.
Ctrl-C makes the mesh of the frames until then.
Exit status: 0 done, 1 it failed while running (the mesh of the frames until then is written), 2 wrong usage.`;

export function addScan(program: Command): void {
  const command = program
    .command("scan <recording>")
    .description("make one mesh of what a moving camera saw")
    .requiredOption("--out <file>", "the mesh: a name that ends with .glb, .ply, .stl or .obj")
    .option("--voxel <length>", "how fine the model is: 5mm, 1cm, 0.01 (metres)", voxel, 0.005)
    .option("--far <length>", "leave out depth beyond this distance", metres)
    .option("--poses <file>", "take the camera's poses from this file, of TUM's lines, not from the recording or track")
    .option("--poses-out <file>", "write the poses with which frames were added, as such lines")
    .option("--crop <x0,y0,z0,x1,y1,z1>", "keep what lies in this box, from its least to its greatest corner, m", box)
    .option("--largest", "keep the largest piece alone")
    .option("--triangles <n>", "simplify the mesh to at most so many triangles", wholeFrom(1))
    .option("--start <n>", "the first frame, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "how many frames at most", wholeFrom(1))
    .option("--force", "replace the files that an earlier run wrote");
  addOpening(addChoice(command, "auto")).addHelpText("after", notes(NOTES)).action(runScan);
}

function voxel(text: string): number {
  const edge = metres(text);
  if (edge >= 0.001 && edge <= 0.5) return edge;
  throw new InvalidArgumentError("It must be from 1mm to 50cm.");
}

function box(text: string): Box {
  const [x0 = 0, y0 = 0, z0 = 0, x1 = 0, y1 = 0, z1 = 0] = numbers(text, 6, "six numbers, such as -1,-1,0,1,1,2");
  if (x0 < x1 && y0 < y1 && z0 < z1) return [x0, y0, z0, x1, y1, z1];
  throw new InvalidArgumentError("The first three numbers must be less than the last three.");
}

/** Pieces of fewer triangles are flecks. */
const LEAST_PIECE = 300;

async function runScan(input: string, flags: Flags): Promise<void> {
  const { checkOwnFiles } = await import("../run/report/ownFile.ts");
  const { MESH_FORMATS, meshFile } = await import("../scan/mesh/files.ts");
  const { writeWhole } = await import("../run/report/files.ts");
  const { scanSource } = await import("../scan/scan.ts");
  const { posesText, withPosesOf } = await import("../scan/poses.ts");
  const { filtersOf } = await import("../run/filter/filter.ts");
  const { chooseStages } = await import("../run/replay/settings.ts");
  const { out, posesOut, force = false, backend, adapter, noise, start, frames } = flags;
  const format = MESH_FORMATS.find((name) => out.toLowerCase().endsWith(`.${name}`)) as MeshFormat | undefined;
  if (!format) throw new UsageError(`--out ${out}: it must end with .glb, .ply, .stl or .obj`);
  const inputs = [input, flags.poses].filter((path) => path !== undefined);
  await checkOwnFiles([out, posesOut], { inputs, force, mark: LIBRARY });
  const chosen = filtersOf(chooseStages(namesOf(flags), flags.settings, flags.set, flags.preset));
  if (!chosen.stages.some(({ kind }) => kind === "track"))
    throw new UsageError("a scan needs the camera's poses, which the stage track finds: add it to --stages");
  const progress = new Progress();
  const interrupt = onInterrupt();
  const recording = await openUntil(interrupt, input, openingOf(flags));
  try {
    const source = flags.poses === undefined ? recording : await withPosesOf(recording, flags.poses);
    const request = {
      ...{ recording: input, chosen, backend, adapter, noise, start, frames },
      ...{ voxelM: flags.voxel, farM: flags.far, mostMegabytes: flags.maxMegabytes ?? 1024, crop: flags.crop },
      ...{ leastPiece: flags.largest ? Infinity : LEAST_PIECE, triangles: flags.triangles },
    };
    const scan = await scanSource(source, request, listenerOf(progress, interrupt));
    progress.clear();
    const { mesh, poses, unplaced, loops, movedM, isFull, offM, error } = scan;
    await writeWhole(out, meshFile(mesh, format));
    if (posesOut !== undefined) await writeWhole(posesOut, posesText(poses));
    if (isFull)
      progress.log(
        "warning: the model is full, and parts are missing: larger voxels, --crop of the recording's frames, or more --max-megabytes",
      );
    const simpler = offM > 0 ? `, simplified by ${(1000 * offM).toFixed(1)} mm at most` : "";
    const without =
      unplaced > 0 ? `; left out ${counted(unplaced, "frame")}, because the camera's place was not known` : "";
    const closed =
      loops > 0
        ? `; matches with ${loops} earlier views moved the camera by up to ${(1000 * movedM).toFixed(1)} mm`
        : "";
    progress.log(
      `${out}: ${mesh.indices.length / 3} triangles of ${counted(poses.length, "frame")}${simpler}${closed}${without}`,
    );
    if (error !== undefined) progress.log(`depthloom: ${describe(error)}`);
    process.exitCode = error === undefined ? 0 : statusOf(error);
  } finally {
    progress.clear();
    await recording.close();
    await interrupt.release();
  }
}
