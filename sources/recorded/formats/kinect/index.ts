import { nearest } from "../../../../core/associate.ts";
import {
  BETWEEN,
  COLOR_LENS,
  DEPTH_LENS,
  disparityTable,
  type KinectFormula,
  NOTHING,
} from "../../../../core/calibration/kinect.ts";
import { type Registration, registration } from "../../../../core/calibration/register.ts";
import { SourceError } from "../../../../core/source.ts";
import { readNetpbm } from "../../../decode/netpbm.ts";
import { packedColor } from "../../../decode/pixels.ts";
import { type Files, folderOf, markedFolder } from "../../../files/files.ts";
import { depthFormatOf, rateOf } from "../../../format/depthFormat.ts";
import type { Format, Frames, OpenOptions } from "../../../format/format.ts";
import { type Colors, fileFrames } from "../../fileFrames.ts";

/** Names of depth images from libfreenect's recorder: the time in seconds, then the device's own counter. */
const DEPTH = /(^|\/)d-\d+\.\d+-\d+\.pgm$/;
/** Names of NYU v2's scenes, each followed by a number. */
const SCENE =
  /(^|\/)(basement|bathroom|bedroom|bookstore|cafe|classroom|computer_lab|conference_room|dentist_office|dinette|dining_room|excercise_room|foyer|furniture_store|home_office|home_storage|indoor_balcony|kitchen|laundry_room|library|living_room|nyu_office|office|office_kitchen|patio|playroom|printer_room|reception_room|student_lounge|studio|study|study_room)s?_\d{1,4}[a-z]?(\/|\.|$)/;

/**
 * A raw scene of NYU Depth v2 (Silberman et al., ECCV 2012): a dump of libfreenect, read with the data set's own formula and intrinsics.
 */
export const nyu: Format = {
  name: "nyu",
  sign: "d-….pgm in a folder named as a scene of NYU v2",
  mark: DEPTH,
  async open(input, options) {
    const files = await markedFolder(input, DEPTH);
    if (!files || !(options.format === "nyu" || SCENE.test(files.name))) return undefined;
    return openKinect(files, await depthNames(files), options, "NYU");
  },
};

/** A dump of libfreenect's `fakenect`: Kinect v1 as PGM and PPM, depth as the sensor's 11-bit disparity or in millimetres. */
export const fakenect: Format = {
  name: "fakenect",
  sign: "d-….pgm",
  mark: DEPTH,
  async open(input, options) {
    const files = await markedFolder(input, DEPTH);
    return files && openKinect(files, await depthNames(files), options, "libfreenect");
  },
};

const depthNames = async (files: Files) =>
  (await files.list()).filter((name) => DEPTH.test(name) && folderOf(name) === "");

interface Image {
  readonly name: string;
  /** In seconds. */
  readonly time: number;
}

async function openKinect(
  files: Files,
  names: readonly string[],
  options: OpenOptions,
  by: KinectFormula,
): Promise<Frames> {
  const warnings: string[] = [];
  const depths = byTime(names);
  const first = await readPgm(files, depths[0].name);
  const { width, height } = first;
  // Where nothing is measured, disparity is 2047 and millimetres are 0, also in an image of nothing but near things.
  const among = (one: number) => first.data.reduce((count, value) => count + (value === one ? 1 : 0), 0);
  const isSmall = first.data.every((value) => value <= NOTHING);
  const disparity = isSmall && (by === "NYU" || among(NOTHING) > among(0));
  const times = depths.map(({ time }) => time * 1000);
  const rate = rateOf(times);
  const from = `${by} default` as const;
  const whose = "the intrinsics of NYU v2's Kinect are used, as its toolbox gives them";
  const meaning = depthFormatOf(
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
      `${files.name}: libfreenect's formula for any Kinect converts disparity to metres; the format nyu takes NYU v2's own`,
    );
  const table = disparityTable(by);
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
    color: options.color !== false && (width === 640 ? colorsOf(files, depths, colors) : undefined),
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
      return tables.register(depth, 0.001, packedColor("rgb8", bytes.subarray(start), width, height, where));
    },
  };
}
