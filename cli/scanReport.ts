import { counted } from "../core/check.ts";
import { describe } from "../run/report/failure.ts";
import type { Scan } from "../scan/keep.ts";
import { shiftM } from "../scan/place/way.ts";
import type { Turned } from "../scan/turntable/turntable.ts";
import type { Views } from "../scan/views.ts";

/** The camera stood all the time if there are at least this many frames and none is farther than this from the first one's place, m. */
const STOOD_FRAMES = 10;
const STOOD_M = 0.002;

/** How many views a folder has, and how many frames from other places it had no room for. */
type ViewCounts = Pick<Views, "count" | "left" | "colourless">;

/** Whether a scan has only one view, although a thing may have turned before the camera. */
const isOneView = ({ poses, way }: Pick<Scan, "poses" | "way">): boolean =>
  way !== undefined &&
  poses.length >= STOOD_FRAMES &&
  poses.every(({ toWorld }) => shiftM(toWorld, poses[0].toWorld) < STOOD_M);

const mm = (metres: number, digits = 1) => `${(1000 * metres).toFixed(digits)} mm`;

/** The lines that a scan prints at its end: what is amiss, what was written to `out`, and how well the scene showed the camera's way. */
export function linesOf(scan: Scan, out: string, views: ViewCounts | undefined): string[] {
  const { mesh, poses, unplaced, loops, movedM, way, turned, changedFrames, astrayM, isFull, offM, error } = scan;
  const simpler = offM > 0 ? `, simplified by ${mm(offM)} at most` : "";
  const without =
    unplaced > 0 ? `; left out ${counted(unplaced, "frame")}, because the camera's place was not known` : "";
  const closed = loops > 0 ? `; matches with ${loops} earlier views moved the camera by up to ${mm(movedM)}` : "";
  const shown = views === undefined ? "" : `; ${counted(views.count, "view")}`;
  const triangles = mesh.indices.length / 3;
  return [
    ...(isFull
      ? [
          "warning: the model is full, and parts are missing: larger voxels, --crop of the recording's frames, or more --max-megabytes",
        ]
      : []),
    ...(changedFrames > 0
      ? [
          `warning: the camera stood while a third of the picture changed, in ${counted(changedFrames, "frame")}: if a thing turned before it, add --turntable`,
        ]
      : []),
    ...(astrayM > 0
      ? [
          `warning: the given poses and depth differ in how the camera moved from one frame to the next, by up to ${mm(astrayM, 0)}: are they camera to world, in metres, of the frames' clock, and without jumps?`,
        ]
      : []),
    ...(isOneView(scan) && changedFrames === 0
      ? [
          `warning: the camera stood in all ${poses.length} frames, so this is one view: if a thing turned before it, add --turntable`,
        ]
      : []),
    ...(views && views.left > 0
      ? [
          `warning: ${counted(views.left, "frame")} from other places became no views: a folder holds ${views.count} of one lens`,
        ]
      : []),
    ...(views && views.colourless > 0
      ? [`warning: ${counted(views.colourless, "frame")} without colour became no views`]
      : []),
    `${out}: ${triangles} triangles of ${counted(poses.length, "frame")}${simpler}${shown}${closed}${without}`,
    ...(way ? [qualityOf(scan, way)] : []),
    ...(turned ? [turningOf(scan, turned)] : []),
    ...(error === undefined ? [] : [`depthloom: ${describe(error)}`]),
  ];
}

function qualityOf({ poses, unplaced, heldFrames }: Scan, { unshown, loops, seamM }: NonNullable<Scan["way"]>): string {
  const placed = `the camera's place is known in ${poses.length} of ${counted(poses.length + unplaced, "frame")}`;
  const hidden = `${(100 * unshown).toFixed(0)} % of its way was shown by neither depth nor brightness`;
  const seam = seamM === null ? "" : `, drift at the seam ${mm(seamM, 0)}`;
  const held = heldFrames > 0 ? `; depth hid a direction in ${counted(heldFrames, "frame")}` : "";
  return `quality: ${placed}; ${hidden}${held}; loops closed ${loops}${seam}`;
}

function turningOf(
  { poses, unplaced, seenShare = 0 }: Scan,
  { axis, degrees, loops, unsureDegrees, hasTable }: Turned,
): string {
  const placed = `the thing's angle is known in ${poses.length} of ${counted(poses.length + unplaced, "frame")}`;
  const round = loops > 0 ? `, closed by ${counted(loops, "pair")} of views a round apart` : ", not all the way round";
  const at = axis.point.map((x) => x.toFixed(3)).join(", ");
  const along = axis.along.map((x) => x.toFixed(3)).join(", ");
  const open = `; ${(100 * seenShare).toFixed(0)} % of the surface was seen, at most`;
  const cut = hasTable ? "; the table was cut away" : "";
  return `quality: ${placed}; it turned by ${degrees.toFixed(1)}°${round}, about (${along}) through (${at}) m; one other view shows an angle to ${unsureDegrees.toFixed(1)}°${open}${cut}`;
}

/** The report as numbers, for a document of JSON; lengths in metres. */
export function numbersOf(scan: Scan, views: ViewCounts | undefined): object {
  const { mesh, poses, unplaced, loops, movedM, way, turned, heldFrames, changedFrames, astrayM, isFull, offM, error } =
    scan;
  return {
    triangles: mesh.indices.length / 3,
    simplifiedByM: offM,
    frames: poses.length,
    unplaced,
    unshown: way?.unshown ?? null,
    loops,
    seamM: way?.seamM ?? null,
    movedM,
    heldFrames,
    changedFrames,
    astrayM,
    isOneView: isOneView(scan),
    turned: turned ?? null,
    seenShare: scan.seenShare ?? null,
    isFull,
    views: views?.count ?? null,
    error: error === undefined ? null : describe(error),
  };
}
