import { short } from "../../../core/check.ts";
import type { Size } from "../../../core/view.ts";
import type { FormatDefaults, FormatLens } from "../../format/depthFormat.ts";
import type { WithOrigin } from "../../format/format.ts";
import { type FoundLens, lensesIn, scaleIn } from "./lens.ts";
import type { Notes } from "./notes.ts";

/** The depth camera's lens and unit, and the colour camera's lens, as texts beside depth give them. */
export interface Cameras {
  readonly defaults: Pick<FormatDefaults, "lens" | "intrinsics" | "metresPerUnit">;
  readonly color?: FormatLens;
  /** The names of the texts that say something of cameras. */
  readonly used: readonly string[];
}

const OF_COLOR = /colou?r|rgb/i;
const OF_OTHERS = /colou?r|rgb|infra|(^|[^a-z])ir([^a-z]|$)|left|right|fisheye|wide/i;
const OF_DEPTH = /depth|aligned/i;
/** Names of files that have to have a lens. */
const PROMISING = /(^|[/_-])(camera[_-])?intrinsics?([_-]depth)?\.\w+$|camera_info|camera_primesense|cam_?K\./i;

/**
 * Finds lens and unit in the texts and in the first text of a series. Texts named after depth come first, texts named after colour last;
 * for depth that is aligned to colour it is the other way round, since such depth has colour's lens. Asks for the size of depth only where
 * a lens is found.
 */
export async function camerasBeside(
  notes: Notes,
  size: () => Promise<Size>,
  where: string,
  warnings: string[],
  isAligned = false,
  photo: () => Promise<Size | undefined> = async () => undefined,
): Promise<Cameras> {
  const all: (FoundLens & { readonly note: string })[] = [];
  const firsts = await notes.firsts();
  for (const { name, said } of [...notes.singles, ...firsts]) {
    const found = lensesIn(said, name);
    const own = found.filter(({ path }) => !notes.isOthers(path));
    all.push(...own.map((one) => ({ ...one, note: name })));
    if (found.length === 0 && PROMISING.test(name))
      warnings.push(
        `${where}/${name}: it has no intrinsics (3×3 or 4×4 numbers in rows, or fx, fy, cx, cy in JSON or YAML) and is not used`,
      );
  }
  const rank = ({ path }: FoundLens) =>
    isAligned && (/align/i.test(path) || OF_COLOR.test(path))
      ? 0
      : OF_DEPTH.test(path) !== isAligned
        ? 1
        : OF_OTHERS.test(path)
          ? 3
          : 2;
  const [best] = all.toSorted((a, b) => rank(a) - rank(b));
  const isOther = (one: FoundLens) => rank(one) === rank(best) && !isAlike(one.lens, best.lens);
  if (best && rank(best) > 1 && all.some(isOther))
    warnings.push(
      `${where}/${best.note}: depth's lens is taken from ${short(best.path, 60)}, the first of several cameras, none of which is called depth's; name the lens in recording.json to be sure`,
    );
  if (best?.unknown !== undefined)
    warnings.push(
      `${where}/${best.note}: its model of distortion, ${short(best.unknown, 40)}, is not known: its distortion is not used; rectify depth, or calibrate it as plumb_bob, rational or fisheye`,
    );
  const color = all.find((one) => one !== best && OF_COLOR.test(one.path) && !OF_DEPTH.test(one.path))?.lens;
  const unit = [...notes.singles, ...firsts].flatMap(({ name, said }): WithOrigin<number>[] => {
    const value = scaleIn(said, name);
    return value === undefined ? [] : [{ value, from: `file ${name}` }];
  });
  const other = unit.find(({ value }) => Math.abs(value / unit[0].value - 1) > 1e-6);
  if (other)
    warnings.push(
      `${where}: two files beside depth name two units, ${unit[0].value} m in ${nameOf(unit[0])} and ${other.value} m in ${nameOf(other)}; the first is taken`,
    );
  return {
    used: [...all.map(({ note }) => note), ...unit.map(nameOf)],
    defaults: {
      ...(best && lensHabit(best, best.note, await size(), where, await photo())),
      ...(unit.length > 0 && { metresPerUnit: unit[0] }),
    },
    ...((color ?? best) && { color: color ?? best?.lens }),
  };
}

const nameOf = ({ from }: WithOrigin<number>) => from.slice("file ".length);

/** Whether two texts give the lens of one camera. */
const isAlike = (a: FormatLens, b: FormatLens) =>
  Math.abs(a.fx - b.fx) + Math.abs(a.fy - b.fy) + Math.abs(a.cx - b.cx) + Math.abs(a.cy - b.cy) < 0.01;

/** The lens for depth of `size`: as it is, or scaled where the text says another size or its centre lies outside of the image. */
function lensHabit(
  { lens }: FoundLens,
  note: string,
  size: Size,
  where: string,
  photo: Size | undefined,
): Cameras["defaults"] {
  const from = `file ${note}` as const;
  const { width, height, ...pinhole } = lens;
  const isOutside = lens.cx > 1.2 * size.width || lens.cy > 1.2 * size.height;
  if (width === size.width && height === size.height) return { lens: { value: pinhole, from } };
  if (width !== undefined && height !== undefined) {
    const isAlike = Math.abs((width * size.height) / (height * size.width) - 1) < 0.02;
    const warning = `${where}/${note}: its intrinsics are of ${width}×${height}, other proportions than depth's ${size.width}×${size.height}, which are taken for images cut or extended above and below`;
    return { intrinsics: { value: lens, from, ...(!isAlike && { warning }) } };
  }
  // The photographs beside depth have the lens' size, where its centre lies near their middle and not near depth's.
  const isMiddleOf = (of: Size) =>
    Math.abs(2 * lens.cx - of.width) < 0.15 * of.width && Math.abs(2 * lens.cy - of.height) < 0.15 * of.height;
  if (photo && isMiddleOf(photo) && !isMiddleOf(size))
    return { intrinsics: { value: { ...lens, width: photo.width, height: photo.height }, from } };
  if (!isOutside) return { lens: { value: pinhole, from } };
  const guess = { width: Math.round(2 * lens.cx + 1), height: Math.round(2 * lens.cy + 1) };
  const warning = `${where}/${note}: its intrinsics belong to larger images than depth's ${size.width}×${size.height}; they are scaled from ${guess.width}×${guess.height}, twice their principal point`;
  return { intrinsics: { value: { ...lens, ...guess }, from, warning } };
}
