import { counted } from "../core/check.ts";
import type { BoxReading } from "./boxReading.ts";
import type { Measurements } from "./measure.ts";
import type { PlaneReading } from "./planeReading.ts";
import { type Reading, spellReading } from "./reading.ts";
import type { Pixel, Region } from "./scene.ts";
import { weightOf } from "./weight.ts";
import { bare } from "./words.ts";

const rounded = (value: number | null, digits = 3): number | null =>
  value === null ? null : Number(value.toFixed(digits));
const whyOf = (...readings: readonly Reading[]) => {
  const whys = [...new Set(readings.flatMap(({ why }) => (why === undefined ? [] : [why])))];
  return whys.length > 0 ? { why: whys.join("; ") } : {};
};

/** The measurements as `depthloom measure --json` prints them: numbers with their units in their names; `null` is what cannot be told. */
export function documentOf(
  recording: string,
  { boxes, found, volumes, changes, planes, angles, between, regions, floor, ...rest }: Measurements,
  divisor?: number,
) {
  return {
    recording,
    ...{
      frames: rest.frames,
      validShare: rounded(rest.validShare, 4),
      noise: rest.noise,
      scale: rounded(rest.scale, 5),
    },
    floor: floor && planeDocument(floor),
    boxes: boxes.map((box) => boxDocument(box, divisor)),
    things: found.things.map(({ id, ...thing }) => ({ id, ...boxDocument(thing, divisor) })),
    volumes: volumes.map(({ x, y, volume }) => ({ at: [x, y], ...volumeDocument(volume) })),
    changes: changes.map(({ volume, ...place }) => ({ ...placeDocument(place), ...volumeDocument(volume) })),
    planes: planes.map(
      (plane, k) =>
        plane && {
          ...planeDocument(plane),
          angleToFloor: angleDocument(angles[k]),
          ...(k > 0 && { angleToPlaneBefore: angleDocument(between[k - 1]) }),
        },
    ),
    regions: regions.map(({ valid, distance, area, plane, why, ...place }) => ({
      ...placeDocument(place),
      ...{
        areaM2: rounded(area.value, 6),
        plusMinusM2: rounded(area.plusMinus, 6),
        validShare: rounded(valid.value, 4),
        distanceMm: rounded(distance.value),
      },
      plusMinusMm: rounded(distance.plusMinus),
      ...whyOf(distance),
      plane: plane && planeDocument(plane),
      ...(why !== undefined && { noPlane: why }),
      ...(plane && area.value === null && { noArea: area.why }),
    })),
    warnings: rest.warnings,
  };
}

const volumeDocument = (volume: Reading) => ({
  litres: rounded(volume.value),
  plusMinusLitres: rounded(volume.plusMinus),
  ...whyOf(volume),
});

const placeDocument = ({ x, y, width, height, outline }: Region) => ({
  x,
  y,
  width,
  height,
  ...(outline && { outline: outline.map((corner) => [corner.x, corner.y]) }),
});

const angleDocument = (angle: Reading | undefined) =>
  angle ? { deg: rounded(angle.value), plusMinusDeg: rounded(angle.plusMinus), ...whyOf(angle) } : null;

function planeDocument({ distance, tilt, tiltX, tiltY, rmsMm, share, normal }: PlaneReading) {
  return {
    tiltDeg: rounded(tilt.value),
    tiltXDeg: rounded(tiltX.value),
    tiltYDeg: rounded(tiltY.value),
    plusMinusDeg: [tilt, tiltX, tiltY].map(({ plusMinus }) => rounded(plusMinus)),
    distanceMm: rounded(distance.value),
    plusMinusMm: rounded(distance.plusMinus),
    rmsMm: rounded(rmsMm),
    share: rounded(share),
    ...whyOf(distance),
    normal: normal.map((value) => rounded(value, 5)),
  };
}

function boxDocument(box: BoxReading, divisor: number | undefined) {
  const { at, length, width, height, corners, isCuboid = false } = box;
  const sides = [length, width, height];
  const weight = divisor === undefined ? undefined : weightOf(box, divisor);
  return {
    at: [at.x, at.y],
    lengthMm: rounded(length.value, 2),
    widthMm: rounded(width.value, 2),
    heightMm: rounded(height.value, 2),
    plusMinusMm: sides.map(({ plusMinus }) => rounded(plusMinus, 2)),
    isCuboid,
    ...(weight && { dimensionalKg: rounded(weight.value), plusMinusKg: rounded(weight.plusMinus) }),
    ...whyOf(...sides),
    topCornersM: corners.map((corner) => corner.map((value) => rounded(value, 4))),
  };
}

/** The measurements for people, as rows of a name and a value. */
export function rowsOf(
  { frames, noise, scale, floor, boxes, found, volumes, changes, planes, angles, between, regions }: Measurements,
  divisor?: number,
): [string, string][] {
  const at = ({ x, y }: Pixel) => `${x},${y}`;
  const named = (place: Region) =>
    (place.outline?.flatMap(({ x, y }) => [x, y]) ?? [place.x, place.y, place.width, place.height]).join();
  const boxRows = (name: string, box: BoxReading): [string, string][] => [
    [name, `length ${spellReading(box.length)}`],
    ["", `width  ${spellReading(box.width)}`],
    ["", `height ${spellReading(box.height)}`],
    ...(divisor === undefined ? [] : [["", `weight ${spellReading(weightOf(box, divisor))}`] as [string, string]]),
  ];
  const planeRow = ({ distance, tilt, tiltX, tiltY, rmsMm }: PlaneReading) =>
    `tilt ${bare(tilt)} (${bare(tiltX)} across, ${bare(tiltY)} down), ` +
    `${bare(distance)} from the camera, rms ${rmsMm.toFixed(2)} mm${distance.why ? `, ${distance.why}` : ""}`;
  return [
    ["mean of", `${counted(frames, "frame")}; ${noise ?? "the noise could not be measured"}`],
    ...(scale === 1 ? [] : [["scale", `${scale.toFixed(4)}, from the floor's distance by a tape`] as [string, string]]),
    ...(floor ? [["floor", planeRow(floor)] as [string, string]] : []),
    ...boxes.flatMap((box) => boxRows(`box ${at(box.at)}`, box)),
    ...found.things.flatMap((thing) => boxRows(`thing ${thing.id} at ${at(thing.at)}`, thing)),
    ...volumes.map(({ volume, ...place }): [string, string] => [`volume ${at(place)}`, spellReading(volume)]),
    ...changes.map(({ volume, ...place }): [string, string] => [`change ${named(place)}`, spellReading(volume)]),
    ...planes.map((plane, k): [string, string] => {
      const angle = angles[k] ? `, ${spellReading(angles[k])} to the floor` : "";
      const before = between[k - 1] ? `, ${spellReading(between[k - 1])} to plane ${k}` : "";
      return [
        `plane ${k + 1}`,
        plane ? `${planeRow(plane)}${angle}${before}` : "cannot tell: no plane was found there",
      ];
    }),
    ...regions.flatMap(({ valid, distance, area, plane, why, ...place }): [string, string][] => [
      [`region ${named(place)}`, `${spellReading(valid)} valid, ${spellReading(distance)}`],
      ["", plane ? `${planeRow(plane)}, area ${spellReading(area)}` : `no plane: ${why}`],
    ]),
  ];
}
