import { quaternionOf } from "../../write/quaternion.ts";
import type { Transform } from "../../write/ros2.ts";
import { type Reading, spellReading } from "../reading.ts";
import type { AlignedCamera, Alignment } from "./align.ts";

const rounded = (value: number | null, digits = 3) => (value === null ? null : Number(value.toFixed(digits)));
const valuesOf = (readings: readonly Reading[]) => readings.map(({ value }) => rounded(value));
const spreadsOf = (readings: readonly Reading[]) => readings.map(({ plusMinus }) => rounded(plusMinus));

/** The alignment as `depthloom align --json` prints it. */
export const alignmentDocument = (names: readonly string[], { cameras, warnings }: Alignment) => ({
  cameras: cameras.map(({ toFirst, why, partner, tags, place, turn, overlap, medianMm, rmsMm, clock }, k) => ({
    recording: names[k],
    toFirst,
    quaternion: toFirst && quaternionOf(toFirst),
    partner,
    ...(why && { why }),
    tags,
    placeMm: valuesOf(place),
    plusMinusMm: spreadsOf(place),
    rollPitchYawDeg: valuesOf(turn),
    plusMinusDeg: spreadsOf(turn),
    overlap: rounded(overlap.value),
    medianMm: rounded(medianMm),
    rmsMm: rounded(rmsMm),
    clock: { ms: rounded(clock.value), plusMinusMs: rounded(clock.plusMinus), ...(clock.why && { why: clock.why }) },
  })),
  warnings,
});

/** The alignment for people, as rows of a name and a value. */
export const alignmentRows = (names: readonly string[], { cameras }: Alignment): [string, string][] =>
  cameras.flatMap((camera, k): [string, string][] => [
    [`camera ${k + 1}`, names[k]],
    ...(k === 0
      ? [["", "the first: all places are in its axes, x right, y down, z forward"] as [string, string]]
      : rowsOf(camera)),
  ]);

function rowsOf({
  toFirst,
  why,
  partner,
  tags,
  place,
  turn,
  overlap,
  medianMm,
  rmsMm,
  clock,
}: AlignedCamera): [string, string][] {
  const named = (name: string, reading: Reading) => `${name} ${spellReading(reading)}`;
  const where: [string, string][] = toFirst
    ? [
        ["  place", ["x", "y", "z"].map((name, k) => named(name, place[k])).join(", ")],
        ["  turn", ["roll", "pitch", "yaw"].map((name, k) => named(name, turn[k])).join(", ")],
        ...(tags.length > 0 ? [["  tags", tags.join(", ")] as [string, string]] : []),
        [
          "  in common",
          `${spellReading(overlap)} with camera ${(partner ?? 0) + 1}; the surfaces are ${medianMm?.toFixed(1)} mm apart (median; rms ${rmsMm?.toFixed(1)} mm)`,
        ],
      ]
    : [["  place", `cannot tell: ${why}`]];
  return [
    ...where,
    ["  clock", clock.value === null ? spellReading(clock) : `${spellReading(clock)}, to be added to its times`],
  ];
}

/** The frame of a camera of the rig. */
const frameOf = (k: number) => `camera_${k + 1}`;

/** The places of the cameras that have one, in the first one's frame. */
export const transformsOf = ({ cameras }: Alignment): Transform[] =>
  cameras.flatMap(({ toFirst: pose }, k) => (pose && k > 0 ? [{ parent: frameOf(0), child: frameOf(k), pose }] : []));

/** Commands of a shell that publish the places of the cameras as static transforms (`/tf_static`) in ROS 2. */
export function tfCommands(names: readonly string[], { cameras }: Alignment): string {
  const lines = cameras.flatMap(({ toFirst: m, why }, k) => {
    const name = names[k].replaceAll(/[^\x20-\x7e]/g, "?");
    if (k === 0) return [`# ${frameOf(0)}: ${name}`];
    if (!m) return [`# ${frameOf(k)}: ${name}: cannot tell: ${why}`];
    const at = ["x", "y", "z"].map((axis, i) => `--${axis} ${m[4 * i + 3].toFixed(6)}`);
    const q = quaternionOf(m).map((value, i) => `--q${"xyzw"[i]} ${value.toFixed(8)}`);
    const frames = `--frame-id ${frameOf(0)} --child-frame-id ${frameOf(k)}`;
    return [
      `# ${frameOf(k)}: ${name}`,
      `ros2 run tf2_ros static_transform_publisher ${[...at, ...q].join(" ")} ${frames} &`,
    ];
  });
  return `#!/bin/sh\n# Frames are optical ones: x right, y down, z forward.\n${lines.join("\n")}\nwait\n`;
}
