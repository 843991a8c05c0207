import { caught } from "../../../core/caught.ts";
import { short } from "../../../core/check.ts";
import { type DepthTopic, SeveralTopicsError } from "../../../core/severalTopics.ts";
import { SourceError } from "../../../core/source.ts";
import { namesMeant } from "../../../core/starred.ts";
import type { Decoder } from "../../decode/index.ts";
import { baseOf, type Files, folderOf } from "../../files/files.ts";
import { DESCRIPTION } from "../../format/description.ts";
import { named, recordingExtensions } from "../../format/extensions.ts";
import { DEPTH_ROLES } from "../../format/roles.ts";
import { naturally } from "../color.ts";
import { type DepthFile, readDepthFile } from "../depthFile.ts";
import { grouped, type Series, seriesOf } from "./group.ts";
import { type Bits, bitsOf, Heads } from "./heads.ts";

/** The series that is opened, and all of its rank that could be opened instead. */
export interface Chosen extends Series {
  readonly topics: readonly DepthTopic[];
  /** The images of all of them. */
  readonly images: readonly string[];
  /** Whether the user has chosen the series by its name. */
  readonly asked: boolean;
}

/** Kinds of files: if the same images exist in several kinds, the first of this order is taken. */
const ENDINGS = [/\.png$/i, /\.tiff?$/i, /\.exr$/i, /\.p[gf]m$/i, /\.npy$/i];
const IMAGE = /\.(png|jpe?g)$/i;
const COLOR_FOLDER = /^(rgb|colou?r|images?)$/i;
/** The most series that an error names. */
const MOST_NAMED = 64;

/** Series of equal rank, and whether their first bytes show that they are depth. */
export interface Found {
  readonly series: readonly Series[];
  readonly isDepth: boolean;
}

/**
 * The depth series of a folder that are of one rank: those whose names say depth most surely, of the outermost recording. Looks at the
 * first bytes of each. Where no series has depth's bits, it returns the likeliest ones; reading them says what they are.
 */
export async function depthSeriesIn(files: Files): Promise<Found> {
  const names = await files.list();
  const all = seriesOf(names).filter(({ role }) => DEPTH_ROLES.includes(role));
  const heads = new Heads(files);
  const [depth, others]: [Series[], Series[]] = [[], []];
  for (const [, same] of grouped(all, ({ name }) => name.replace(/\.\w+$/, ""))) {
    const sorted = same.toSorted((a, b) => kindOf(a) - kindOf(b));
    const bits: Bits[] = [];
    for (const one of sorted) bits.push(await bitsOf(heads, one.names, one.role !== "unnamed"));
    const best = sorted[bits.indexOf("depth")];
    if (best) depth.push(best);
    else if (kindOf(sorted[0]) === 0) others.push(sorted[0]);
  }
  // PNGs of 8 bits may be depth in the bytes of colours only if their names say depth.
  const [best, said] = [ranked(depth), ranked(others)];
  const isDepth = best.length > 0 && !(best[0].role === "unnamed" && said.length > 0 && said[0].role !== "unnamed");
  const isLast = said[0]?.role !== "unnamed" || !names.some((name) => /\.npy$/i.test(name));
  return { series: outermost(rooted(isDepth ? best : isLast ? said : [], names)), isDepth };
}

const kindOf = ({ name }: Series) => ENDINGS.findIndex((ending) => ending.test(name));

function ranked(all: readonly Series[]): readonly Series[] {
  const role = DEPTH_ROLES.find((one) => all.some((series) => series.role === one));
  const best = all.filter((series) => series.role === role);
  // In a folder with images of several kinds, arrays and floats are what was made of the PNGs.
  return [...grouped(best, ({ names }) => folderOf(names[0])).values()].flatMap((beside) => {
    const kind = Math.min(...beside.map(kindOf));
    return beside.filter((series) => kindOf(series) === kind);
  });
}

/**
 * Images whose folder has a folder of colour beside it belong to the recording around both. So do those that have a folder of as many other
 * images beside them, if that holds for each series, of which no two share the folder around: if one moved up alone, the others were lost.
 */
function rooted(all: readonly Series[], names: readonly string[]): readonly Series[] {
  const beside = (root: string) =>
    names.filter((name) => folderOf(name) !== root && folderOf(folderOf(name)) === folderOf(root));
  const isInner = ({ root, role }: Series) => role === "unnamed" && root !== "" && !COLOR_FOLDER.test(baseOf(root));
  const hasTwin = ({ root, names: own }: Series) => {
    const images = beside(root).filter((name) => IMAGE.test(name));
    return [...grouped(images, folderOf).values()].some(({ length }) => length > 1 && length === own.length);
  };
  const isApart = new Set(all.map(({ root }) => folderOf(root))).size === all.length;
  const haveTwins = isApart && all.every((series) => isInner(series) && hasTwin(series));
  const hasColor = ({ root }: Series) => beside(root).some((name) => COLOR_FOLDER.test(baseOf(folderOf(name))));
  return all.map((series) =>
    isInner(series) && (haveTwins || hasColor(series)) ? { ...series, root: folderOf(series.root) } : series,
  );
}

const levels = (folder: string) => (folder === "" ? 0 : folder.split("/").length);

function outermost(all: readonly Series[]): readonly Series[] {
  const least = Math.min(...all.map(({ root }) => levels(root)));
  return all.filter(({ root }) => levels(root) === least);
}

/**
 * The depth series to open: the only one, or the one that `topic` names, also by a pattern with stars; `undefined` where there is none.
 * Throws `SeveralTopicsError` where the user has to choose, and a `SourceError` where names say that the images are something else.
 */
export async function chooseSeries(
  files: Files,
  topic: string | undefined,
  decoder: Decoder,
): Promise<Chosen | undefined> {
  const { series: found } = await depthSeriesIn(files);
  const all = topic === undefined ? [] : await withOthers(files, found);
  const names = namesMeant(
    topic ?? "",
    all.map(({ name }) => name),
  );
  const asked = all.filter(({ name }) => names.includes(name));
  // Where a pattern fits depth and something else, depth is meant.
  const isDepth = asked.some((one) => found.includes(one));
  const meant = asked.filter((one) => found.includes(one) || !isDepth);
  const left = meant.length > 0 ? meant : found;
  if (topic !== undefined && meant.length === 0 && found.length > 1)
    throw new SourceError(
      `${files.name}: it has no depth topic ${short(topic, 100)}; there are ${found
        .map(({ name }) => name)
        .slice(0, 8)
        .join(", ")}`,
    );
  const [first] = left;
  if (!first) {
    const there = await files.list();
    // Beside a recording in one file an image is a picture of something.
    const isBeside = there.some((name) => named(recordingExtensions, { packed: true }).test(name));
    const others = seriesOf(there).filter(({ role }) => !DEPTH_ROLES.includes(role) && role !== "color");
    return refuseOthers(files, isBeside ? [] : others);
  }
  const list = left.length > 1 ? left : found.includes(first) ? found : [first];
  const parts = await divided(files, first, decoder);
  if (parts.length > 1 && left.length === 1) {
    const halves = namesMeant(
      topic ?? "",
      parts.map(({ name }) => name),
    );
    const half = parts.find(({ name }) => halves.length === 1 && name === halves[0]);
    if (!half) throw new SeveralTopicsError(files.name, topicsOf(parts));
    return { ...half, topics: topicsOf(parts), images: first.names, asked: true };
  }
  if (left.length > 1) throw new SeveralTopicsError(files.name, topicsOf(left).slice(0, MOST_NAMED));
  const images = list.flatMap((one) => one.names);
  return { ...first, names: naturally(first.names), topics: topicsOf(list), images, asked: meant.length > 0 };
}

/**
 * Adds series that a user may ask for by name although the name says that they are no depth, and both halves of a series in which two kinds
 * of images take turns.
 */
async function withOthers(files: Files, found: readonly Series[]): Promise<readonly Series[]> {
  const known = new Set(found.map(({ name }) => name));
  return [...found, ...seriesOf(await files.list()).filter(({ name }) => !known.has(name))];
}

/** The series itself, or the two that take turns in it. */
async function divided(files: Files, series: Series, decoder: Decoder): Promise<readonly Series[]> {
  const names = naturally(series.names);
  if (!(await takesTurns(files, names, decoder))) return [series];
  return [0, 1].map((odd) => ({
    ...series,
    name: `${series.name} (every second from ${baseOf(names[odd])})`,
    names: names.filter((_, i) => i % 2 === odd),
  }));
}

function refuseOthers(files: Files, others: readonly Series[]): undefined {
  const [first] = others;
  if (!first || /\.npz$/i.test(files.name)) return undefined;
  const some = others.slice(0, 4).map(({ name, role }) => `${name} (${role})`);
  throw new SourceError(
    `${files.name}: its images are not depth, as their names say: ${some.join(", ")}${others.length > 4 ? " …" : ""}; if some are depth after all, name them by --topic, or in ${DESCRIPTION} ("depth": "…/*.png")`,
  );
}

const topicsOf = (all: readonly Series[]): DepthTopic[] =>
  all.map(({ name, names, role }) => ({
    name,
    kind: `${endingOf(name)}${role === "ray" ? ", lengths of rays" : ""}`,
    frames: names.length,
    metresPerUnit: 0.001,
  }));

const endingOf = (name: string) => (/\.(\w+)(?: \(|$)/.exec(name)?.[1] ?? "").toUpperCase();

/** Two values differ where they are farther apart than this share of the larger one. */
const FAR = 0.1;
/** The largest share of pixels that differ between images of one kind, and the smallest between images of two kinds. */
const ALIKE = 0.3;
const UNLIKE = 0.7;
/** The fewest pixels, and the smallest share of them, that both images need for a comparison. */
const FEWEST = 64;
const LEAST = 0.02;

/**
 * Whether two kinds of images take turns in a series, which their names do not tell apart: each image differs from the one before, and
 * resembles the one before that. Looks at the first four; what cannot be read or compared tells nothing.
 */
async function takesTurns(files: Files, names: readonly string[], decoder: Decoder): Promise<boolean> {
  if (names.length < 4) return false;
  const images: DepthFile[] = [];
  for (const name of names.slice(0, 4)) {
    const image = await readDepthFile(files, name, decoder).catch(caught(SourceError, () => undefined));
    if (!image) return false;
    images.push(image);
  }
  const apart = (i: number, k: number) => differing(images[i], images[k]);
  const far = [apart(0, 1), apart(1, 2), apart(2, 3)];
  return [apart(0, 2), apart(1, 3)].every((share) => share < ALIKE) && far.every((share) => share > UNLIKE);
}

/** The share of the pixels with values in both images whose values differ; 1 for images of two sizes, NaN where too few have values. */
function differing(a: DepthFile, b: DepthFile): number {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let [both, far] = [0, 0];
  for (let i = 0; i < a.data.length; i++) {
    const [x, y] = [a.data[i], b.data[i]];
    if (!(x > 0 && y > 0)) continue;
    both++;
    if (Math.abs(x - y) > FAR * Math.max(x, y)) far++;
  }
  return both >= Math.max(FEWEST, LEAST * a.data.length) ? far / both : Number.NaN;
}
