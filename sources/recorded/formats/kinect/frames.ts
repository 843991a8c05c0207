import { type Extrinsics, type Registration, registration } from "../../../calibration/register.ts";
import { nearest } from "../../../core/associate.ts";
import type { Intrinsics } from "../../../core/frame.ts";
import { SourceError } from "../../../core/source.ts";
import { readNetpbm } from "../../../decode/netpbm.ts";
import { rawToRgba } from "../../../decode/rawColor.ts";
import { type Colors, fileFrames } from "../../fileFrames.ts";
import type { Files } from "../../files/files.ts";
import type { Frames, OpenOptions } from "../../format.ts";
import { meaningOf } from "../../meaning.ts";
import { rateOf } from "../../rate.ts";

/** Formulas from 11-bit disparity to metres, as libfreenect's documentation and NYU's toolbox publish them for their Kinects. */
const FORMULAS = {
  libfreenect: (disparity: number) => 1 / (3.3309495161 - 0.0030711016 * disparity),
  NYU: (disparity: number) => 351.3 / (1092.5 - disparity),
};
/** The value that the sensor gives where it measures nothing. */
const NOTHING = 2047;
/** Beyond this distance one step of disparity is a third of a metre; NYU's toolbox has the same limit. */
const FARTHEST_M = 10;

/** The intrinsics of NYU v2's Kinect from its toolbox (camera_params.m); depth and colour camera each have their own distortion. */
const DEPTH_LENS: Intrinsics = {
  ...{ fx: 582.62448167737955, fy: 582.69103270988637, cx: 313.04475870804731, cy: 238.44389626620386 },
  ...{ width: 640, height: 480 },
  distortion: [
    -0.099897236553084481, 0.39065324602765344, 0.0019290592870229277, -0.0019422022475975055, -0.51031725053400578,
  ],
};
const COLOR_LENS: Intrinsics = {
  ...{ fx: 518.85790117450188, fy: 519.46961112127485, cx: 325.58244941119034, cy: 253.73616633400465 },
  ...{ width: 640, height: 480 },
  distortion: [
    0.20796615318809061, -0.58613825163911781, 0.00072231363135888329, 0.0010479627195765181, 0.49856986684705107,
  ],
};
/**
 * From depth to colour. The toolbox has all signs reversed, which leaves a projection the same; here z is positive in front of the cameras.
 */
const BETWEEN: Extrinsics = {
  rotation: [
    ...[0.99997798940829263, -0.0050359919480810989, -0.0043196624923060242],
    ...[0.0050518419386157446, 0.99998051861143999, 0.0036662365748484798],
    ...[0.0043011152014118693, -0.0036879781309514218, 0.99998394948385538],
  ],
  translation: [-0.025031875059141302, 0.00029342312935846411, -0.00066238747008330102],
};

interface Image {
  readonly name: string;
  /** In seconds. */
  readonly time: number;
}

/** Opens a dump of a Kinect v1: see `fakenect` and `nyu`. */
export async function openKinect(
  files: Files,
  names: readonly string[],
  options: OpenOptions,
  by: keyof typeof FORMULAS,
): Promise<Frames> {
  const warnings: string[] = [];
  const depths = byTime(names);
  const first = await readPgm(files, depths[0].name);
  const { width, height } = first;
  const disparity = first.data.every((value) => value <= NOTHING);
  const times = depths.map(({ time }) => time * 1000);
  const rate = rateOf(times);
  const from = `${by} default` as const;
  const whose = "the intrinsics of NYU v2's Kinect are used, as its toolbox gives them";
  const meaning = meaningOf(
    options,
    undefined,
    {
      metresPerUnit: { value: 0.001, from },
      invalid: { value: [], from },
      ...(rate && { fps: { value: rate, from: "files" } }),
      intrinsics: {
        value: DEPTH_LENS,
        from: "NYU default",
        ...(by !== "NYU" && { warning: `no intrinsics are given: ${whose}` }),
      },
    },
    warnings,
  );
  if (disparity && by !== "NYU")
    warnings.push(
      `${files.name}: libfreenect's formula for any Kinect converts disparity to metres (--format nyu takes NYU v2's own)`,
    );
  const table = new Uint16Array(NOTHING + 1).map((_, value) => {
    const metres = FORMULAS[by](value);
    return value < NOTHING && metres > 0 && metres <= FARTHEST_M ? Math.round(metres * 1000) : 0;
  });
  const colors = byTime((await files.list()).filter((name) => /^r-\d+\.\d+-\d+\.ppm$/.test(name)));
  return fileFrames({
    width,
    height,
    meaning,
    warnings,
    times,
    async depth(index) {
      const { name } = depths[index];
      const image = await readPgm(files, name);
      if (image.width !== width || image.height !== height)
        throw new SourceError(
          `${files.name}/${name}: it is ${image.width}×${image.height}, the first is ${width}×${height}; remove it`,
        );
      return disparity ? image.data.map((value) => table[Math.min(value, NOTHING)]) : image.data;
    },
    color: options.color === false || width !== 640 ? undefined : colorsOf(files, depths, colors),
    colorRefused: options.color === false,
  });
}

/** The images in the order of the times in their names. */
const byTime = (names: readonly string[]): Image[] =>
  names
    .map((name) => ({ name, time: Number.parseFloat(name.slice(name.indexOf("-") + 1)) }))
    .sort((a, b) => a.time - b.time);

/** Reads a PGM with the low byte first, against the PGM standard: so libfreenect writes it. */
async function readPgm(files: Files, name: string) {
  const bytes = await files.read(name);
  const where = `${files.name}/${name}`;
  const { kind, width, height, start } = readNetpbm(bytes, where);
  if (kind !== "P5") throw new SourceError(`${where}: this is colour where depth should be; copy or record it again`);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  const data = new Uint16Array(width * height);
  for (let i = 0; i < data.length; i++) data[i] = view.getUint16(2 * i, true);
  return { width, height, data };
}

function colorsOf(files: Files, depths: readonly Image[], colors: readonly Image[]): Colors {
  const times = colors.map(({ time }) => time);
  const partners = depths.map(({ time }) => colors[nearest(times, time, 0.1)]);
  let tables: Registration | undefined;
  return {
    count: partners.filter((partner) => partner !== undefined).length,
    kind: "PPM, registered by NYU's lenses",
    async read(index, depth) {
      const partner = partners[index];
      if (!partner) return undefined;
      const where = `${files.name}/${partner.name}`;
      const bytes = await files.read(partner.name);
      const { kind, width, height, start } = readNetpbm(bytes, where);
      if (kind !== "P6" || width !== COLOR_LENS.width || height !== COLOR_LENS.height)
        return `${where} is not a colour image of 640×480`;
      tables ??= registration(DEPTH_LENS, COLOR_LENS, BETWEEN);
      return tables.register(depth, 0.001, rawToRgba("rgb", bytes.subarray(start), width, height).data);
    },
  };
}
