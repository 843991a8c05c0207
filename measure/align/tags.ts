import library from "js-aruco2";
import shapes from "js-aruco2/src/cv.js";
import "js-aruco2/src/dictionaries/apriltag_36h11.js";
import { inverse, leastSquares, product } from "../../core/matrix.ts";

// AprilTags of the family tag36h11 (Olson 2011, "AprilTag: a robust and flexible visual fiducial system") in a picture. A library finds
// them; its corners are whole pixels, so the whole tag is fitted to the picture as a blurred image of a square of known cells.

/** A tag that is seen once in a picture. */
export interface SeenTag {
  readonly id: number;
  /** x and y of the black square's corners, px, clockwise from the upper left one of an upright tag. */
  readonly corners: readonly number[];
  /** Their covariance, px², 8 × 8. */
  readonly covariance: readonly number[];
}

/** This many of the 36 cells may be read wrongly: any two tags differ in at least 11 cells. */
const WRONG_CELLS = 1;
/** Smaller pictures are doubled for the library, which asks for corners that are ten pixels apart. */
const LARGE = 1000;
/** A pixel is dark if it is `DARKER` levels below the mean around it (`KERNEL` px); an outline bends less than `BENDS` of its length. */
const KERNEL = 8;
const DARKER = 3;
const BENDS = 0.05;
const LEAST_PX = 10;
/** The black square's side in cells, and the pattern's with one white cell around. */
const SIDE = 8;
const WIDE = 10;
/** How far samples reach beyond the black square, in cells, and about how many samples there are. */
const BEYOND = 0.6;
const SAMPLES = 1200;
/** The first fit takes the whole tag to be black, and uses the samples up to EDGE cells inside its edge. */
const EDGE = 0.8;
const BLACK = cellsOf("0".repeat(36));
/**
 * The number of unknowns of the fit: BENT for the shape (eight of the corners, one of the blur), and ALL with black, contrast and the
 * contrast's two slopes.
 */
const BENT = 9;
const ALL = 13;
/** The fit has converged when no corner moves by CLOSE px any more; a tag that takes more than ROUNDS rounds is given up. */
const ROUNDS = 15;
const CLOSE = 0.003;
/** The change of an unknown by which the picture's slopes are found. */
const BY = 0.002;
/**
 * The largest difference (root mean square) of the picture from a tag, as a share of the contrast: of the whole tag, of its black edge, and
 * in any round; and the least contrast.
 */
const MOST_OFF = 0.13;
const MOST_OFF_EDGE = 0.25;
const MOST_OFF_AT_FIRST = 0.8;
const LEAST_CONTRAST = 0.02;
/** The part of a corner's error that no residual shows, px: of the lens's calibration, and of how the pixels' grid lies. */
const FLOOR_PX = 0.02;

const { CV } = shapes;
const { Detector } = library.AR;
let detector: InstanceType<typeof Detector> | undefined;

/** Finds the tags in a grey picture (0 to 255 as a screen shows them). `twice`: ids that are seen in several places, which are left out. */
export function tagsIn(grey: ArrayLike<number>, width: number, height: number) {
  detector ??= new Detector({ dictionaryName: "APRILTAG_36h11", maxHammingDistance: WRONG_CELLS + 1 });
  const times = width < LARGE ? 2 : 1;
  const linear = Float32Array.from({ length: width * height }, (_, i) => (grey[i] / 255) ** 2.2);
  const picture = { linear, width, height };
  const tags = new Map<number, SeenTag>();
  const twice = new Set<number>();
  for (const quad of squaresIn(detector, enlarged(grey, width, height, times), times * width, times * height)) {
    const rough = quad.flatMap(({ x, y }) => [(x + 0.5) / times - 0.5, (y + 0.5) / times - 0.5]);
    const tag = tagAt(detector, picture, rough);
    if (!tag) continue;
    const other = tags.get(tag.id);
    if (other && Math.hypot(other.corners[0] - tag.corners[0], other.corners[1] - tag.corners[1]) > 2)
      twice.add(tag.id);
    tags.set(tag.id, tag);
  }
  for (const id of twice) tags.delete(id);
  return { tags: [...tags.values()], twice: [...twice] };
}

/** The quadrangles whose outlines are dark, clockwise. */
function squaresIn(by: InstanceType<typeof Detector>, data: Uint8Array, width: number, height: number) {
  const [grey, dark] = [new CV.Image(), new CV.Image()];
  CV.adaptiveThreshold(CV.grayscale({ data, width, height }, grey), dark, KERNEL, DARKER);
  return by.clockwiseCorners(by.findCandidates(CV.findContours(dark, []), 4 * LEAST_PX, BENDS, LEAST_PX));
}

/** The RGBA bytes of the picture, enlarged `times` times by interpolation. */
function enlarged(grey: ArrayLike<number>, width: number, height: number, times: number): Uint8Array {
  const rgba = new Uint8Array(4 * times * times * width * height);
  for (let y = 0, at = 0; y < times * height; y++) {
    const v = Math.min(height - 1, Math.max(0, (y + 0.5) / times - 0.5));
    const [top, down] = [Math.floor(v) * width, v % 1];
    const below = down > 0 ? top + width : top;
    for (let x = 0; x < times * width; x++, at += 4) {
      const u = Math.min(width - 1, Math.max(0, (x + 0.5) / times - 0.5));
      const [left, right, share] = [Math.floor(u), Math.ceil(u), u % 1];
      const upper = grey[top + left] * (1 - share) + grey[top + right] * share;
      const lower = grey[below + left] * (1 - share) + grey[below + right] * share;
      rgba.fill(upper * (1 - down) + lower * down, at, at + 3);
    }
  }
  return rgba;
}

/** The map from the unit square to four corners: 3 × 3 (Heckbert 1989, "Fundamentals of texture mapping and image warping"). */
function squareTo([x0, y0, x1, y1, x2, y2, x3, y3]: ArrayLike<number> & Iterable<number>): number[] {
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const area = dx1 * dy2 - dx2 * dy1;
  const [g, h] = [(sx * dy2 - dx2 * sy) / area, (dx1 * sy - sx * dy1) / area];
  return [x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, 1];
}

/** The cells' brightness, 0 or 1, with the white ones around. */
function cellsOf(code: string): Uint8Array {
  return Uint8Array.from({ length: WIDE * WIDE }, (_, i) => {
    const [u, v] = [(i % WIDE) - 2, Math.floor(i / WIDE) - 2];
    if (u < -1 || v < -1 || u > 6 || v > 6) return 1;
    return u >= 0 && v >= 0 && u < 6 && v < 6 && code[6 * v + u] === "1" ? 1 : 0;
  });
}

/** A step from 0 to 1 that is blurred by a Gaussian, nearly. */
const step = (x: number) => (x > 5 ? 1 : x < -5 ? 0 : 1 / (1 + Math.exp(-1.702 * x)));

/** How much of each column (or row) of cells a blurred sample at `u` sees; the outer ones go on beyond the pattern. */
function seen(u: number, blur: number, out: Float64Array) {
  let before = 0;
  for (let i = 0; i < WIDE; i++) {
    const after = i === WIDE - 1 ? 1 : 1 - step((u - i - 1) / blur);
    out[i] = after - before;
    before = after;
  }
}

/** The picture of a tag at pixels, as black 0 and white 1, and where in the pattern they lie, in cells. */
function pictureOf(cells: Uint8Array, p: ArrayLike<number>, pixels: readonly Place[]) {
  const m = inverse(squareTo(Array.from(p).slice(0, 8)), 3);
  if (!m) return undefined;
  const blur = Math.exp(p[8]);
  const [across, down] = [new Float64Array(WIDE), new Float64Array(WIDE)];
  const [bright, us, vs] = [0, 1, 2].map(() => new Float64Array(pixels.length));
  for (const [k, [x, y]] of pixels.entries()) {
    const w = 1 / (m[6] * x + m[7] * y + m[8]);
    const [u, v] = [(m[0] * x + m[1] * y + m[2]) * w, (m[3] * x + m[4] * y + m[5]) * w];
    us[k] = u * SIDE + 1;
    vs[k] = v * SIDE + 1;
    const along = (r: number, at: number) => SIDE * w * Math.hypot(m[r] - at * m[6], m[r + 1] - at * m[7]);
    seen(us[k], blur * along(0, u), across);
    seen(vs[k], blur * along(3, v), down);
    for (let j = 0; j < WIDE; j++) {
      if (Math.abs(down[j]) < 1e-9) continue;
      let line = 0;
      for (let i = 0; i < WIDE; i++) line += across[i] * cells[WIDE * j + i];
      bright[k] += down[j] * line;
    }
  }
  return { bright, us, vs };
}

type Place = readonly [x: number, y: number];

interface Picture {
  readonly linear: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Reads the tag whose black square has about these corners. */
function tagAt(by: InstanceType<typeof Detector>, picture: Picture, rough: readonly number[]): SeenTag | undefined {
  const edge = fittedTo(BLACK, picture, rough, pixelsOf(picture, rough, EDGE));
  if (!edge || edge.rms > MOST_OFF_EDGE * edge.contrast) return undefined;
  for (let turn = 0; turn < 8; turn += 2) {
    const turned = [...edge.corners.slice(turn), ...edge.corners.slice(0, turn)];
    const read = by.dictionary.find([bitsOf(picture, turned, edge.light[0] + edge.light[1] / 2)]);
    if (!read) continue;
    const cells = cellsOf(by.dictionary.codeList[read.id]);
    const fit = fittedTo(cells, picture, turned, pixelsOf(picture, turned, SIDE));
    if (fit && fit.rms < MOST_OFF * fit.contrast)
      return { id: read.id, corners: fit.corners, covariance: fit.covariance };
  }
  return undefined;
}

/** The inner cells of a tag, line by line. */
function bitsOf({ linear, width, height }: Picture, corners: readonly number[], middle: number): string {
  const m = squareTo(corners);
  return Array.from({ length: 36 }, (_, i) => {
    const [u, v] = [((i % 6) + 1.5) / SIDE, (Math.floor(i / 6) + 1.5) / SIDE];
    const w = m[6] * u + m[7] * v + m[8];
    const [x, y] = [(m[0] * u + m[1] * v + m[2]) / w, (m[3] * u + m[4] * v + m[5]) / w];
    const [left, top] = [Math.floor(x), Math.floor(y)];
    if (!(left >= 0 && top >= 0 && left + 1 < width && top + 1 < height)) return "0";
    const line = (at: number) => linear[at] + (x - left) * (linear[at + 1] - linear[at]);
    const [upper, lower] = [line(top * width + left), line((top + 1) * width + left)];
    return upper + (y - top) * (lower - upper) > middle ? "1" : "0";
  }).join("");
}

/** Fits a square of cells to the picture. */
function fittedTo(cells: Uint8Array, { linear, width }: Picture, rough: readonly number[], pixels: readonly Place[]) {
  const p = Float64Array.from([...rough, Math.log(0.7)]);
  const levels = pixels.map(([x, y]) => linear[y * width + x]);
  for (let round = 0; ; round++) {
    const rows = rowsOf(cells, p, pixels, levels);
    const solved = rows && inverse(rows.matrix, ALL);
    if (!rows || !solved) return undefined;
    const change = product(solved, rows.right, ALL).subarray(0, BENT);
    const most = Math.max(...change.subarray(0, 8).map(Math.abs));
    if (round === ROUNDS || most < CLOSE) {
      const { light, rms } = rows;
      if (!(most < CLOSE)) return undefined;
      const whole = product(product(solved, rows.meat, ALL), solved, ALL);
      const covariance = Array.from({ length: 64 }, (_, i) => {
        const [r, c] = [Math.floor(i / 8), i % 8];
        return whole[ALL * r + c] + (r === c ? FLOOR_PX ** 2 : 0);
      });
      return { corners: Array.from(p.subarray(0, 8)), covariance, light, rms, contrast: light[1] };
    }
    const by = Math.min(1, 1 / most);
    for (let k = 0; k < BENT; k++) p[k] += by * change[k];
    p[8] = Math.min(1, Math.max(-1.2, p[8]));
  }
}

/** The pixels in a band along a tag's outline, which reaches `inside` cells into the tag. */
function pixelsOf({ width, height }: Picture, corners: readonly number[], inside: number): Place[] {
  const m = inverse(squareTo(corners), 3);
  if (!m) return [];
  const found: Place[] = [];
  const [xs, ys] = [0, 1].map((axis) => corners.filter((_, k) => k % 2 === axis));
  const [wide, tall] = [Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)];
  const far = BEYOND / SIDE;
  for (let y = Math.ceil(Math.min(...ys) - tall / SIDE); y <= Math.max(...ys) + tall / SIDE; y++) {
    for (let x = Math.ceil(Math.min(...xs) - wide / SIDE); x <= Math.max(...xs) + wide / SIDE; x++) {
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const w = m[6] * x + m[7] * y + m[8];
      const [u, v] = [(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w];
      const within = Math.min(u, v, 1 - u, 1 - v);
      if (within > -far && within < inside / SIDE) found.push([x, y]);
    }
  }
  const every = Math.max(1, Math.round(found.length / SAMPLES));
  return found.filter((_, k) => k % every === 0);
}

/**
 * The normal equations of a tag's fit; `meat` has the squares of the right side's sums over cells, since neighbouring pixels err alike.
 * `undefined` where the tag has too few pixels.
 */
function rowsOf(cells: Uint8Array, p: Float64Array, pixels: readonly Place[], levels: readonly number[]) {
  const at = pictureOf(cells, p, pixels);
  if (!at || pixels.length < 4 * ALL) return undefined;
  const ofLight = pixels.map((_, k) => [
    1,
    at.bright[k],
    at.bright[k] * (at.us[k] / WIDE - 0.5),
    at.bright[k] * (at.vs[k] / WIDE - 0.5),
  ]);
  const light = leastSquares(ofLight, levels);
  if (!light || light[1] < LEAST_CONTRAST) return undefined;
  const offs = levels.map((level, k) => level - ofLight[k].reduce((sum, value, i) => sum + light[i] * value, 0));
  const rms = Math.sqrt(offs.reduce((sum, off) => sum + off * off, 0) / offs.length);
  if (rms > MOST_OFF_AT_FIRST * light[1]) return undefined;
  const slopes = Array.from({ length: BENT }, (_, k) => {
    const more = pictureOf(
      cells,
      p.map((value, i) => value + (i === k ? BY : 0)),
      pixels,
    );
    return more ? more.bright.map((value, i) => (value - at.bright[i]) / BY) : at.bright;
  });
  const [matrix, right] = [new Float64Array(ALL * ALL), new Float64Array(ALL)];
  const areas = new Map<number, Float64Array>();
  for (let k = 0; k < levels.length; k++) {
    const gain = light[1] + light[2] * (at.us[k] / WIDE - 0.5) + light[3] * (at.vs[k] / WIDE - 0.5);
    const row = [...slopes.map((slope) => gain * slope[k]), ...ofLight[k]];
    const off = offs[k];
    const key = Math.floor(at.vs[k]) * 64 + Math.floor(at.us[k]);
    const sum = areas.get(key) ?? new Float64Array(ALL);
    areas.set(key, sum);
    for (let i = 0; i < ALL; i++) {
      right[i] += row[i] * off;
      sum[i] += row[i] * off;
      for (let j = 0; j < ALL; j++) matrix[ALL * i + j] += row[i] * row[j];
    }
  }
  const meat = new Float64Array(ALL * ALL);
  const factor = (areas.size / Math.max(1, areas.size - ALL)) ** 2;
  for (const sum of areas.values())
    for (let i = 0; i < ALL * ALL; i++) meat[i] += factor * sum[Math.floor(i / ALL)] * sum[i % ALL];
  return { matrix, right, meat, rms, light };
}
