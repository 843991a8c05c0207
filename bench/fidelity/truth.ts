import { Hist } from "./hist.ts";
import { type Depth, ratio, steps, within3 } from "./image.ts";

interface ErrorFigures {
  readonly n: number;
  /** The share of the pixels valid in raw that the output lacks. */
  readonly lost: number;
  readonly rmse: number | null;
  readonly rmseRaw: number | null;
  readonly rmseRatio: number | null;
  readonly bias: number | null;
}

/** Errors against the truth, in mm, px and shares. */
export interface TruthFigures {
  readonly all: ErrorFigures;
  readonly flat: ErrorFigures;
  /** For pixels within 3 px of a step of the truth of more than 4 %. */
  readonly edge: ErrorFigures;
  /** The share of the pixels at edges that are farther than 3 σ and 2 % from every true depth in the 5 × 5 around them. */
  readonly flying: number | null;
  readonly flyingRaw: number | null;
}

const PARTS = ["all", "flat", "edge"] as const;
type Part = (typeof PARTS)[number];
const BAND_MM = 500;

/** Raw's noise in bands of half a metre: 1.4826 times the median error on flat surfaces. */
export function noiseByBand(pairs: readonly { readonly raw: Depth; readonly truth: Depth }[]): Float64Array {
  const bands = new Map<number, Hist>();
  for (const { raw, truth } of pairs) {
    const edge = edgesOf(truth);
    raw.mm.forEach((z, i) => {
      const g = truth.mm[i];
      if (!(z > 0 && g > 0) || edge[i]) return;
      const band = Math.trunc(g / BAND_MM);
      const hist = bands.get(band) ?? new Hist();
      bands.set(band, hist);
      hist.add(Math.abs(z - g));
    });
  }
  const known = [...bands]
    .filter(([, hist]) => hist.n > 500)
    .map(([k, h]) => [k, 1.4826 * (h.quantile(0.5) ?? 0)] as const);
  known.sort(([a], [b]) => a - b);
  return Float64Array.from({ length: 400 }, (_, band) => {
    const nearest = known.toSorted(([a], [b]) => Math.abs(a - band) - Math.abs(b - band))[0];
    return nearest?.[1] ?? 0;
  });
}

export const edgesOf = (truth: Depth): Uint8Array => within3(steps(truth, 0.04), truth.width);

/** Accumulates the errors of a filter's output, frame by frame. */
export class TruthScore {
  readonly #errors = Object.fromEntries(
    PARTS.map((part) => [part, { raw: new Hist(), out: new Hist(), full: new Hist() }]),
  ) as Record<Part, { raw: Hist; out: Hist; full: Hist }>;
  readonly #flying = { out: [0, 0], raw: [0, 0] };

  constructor(readonly sigma: Float64Array) {}

  add(raw: Depth, out: Depth, truth: Depth, edge: Uint8Array): void {
    for (let i = 0; i < raw.mm.length; i++) {
      const [r, o, g] = [raw.mm[i], out.mm[i], truth.mm[i]];
      if (edge[i]) this.#edgePixel(truth, i, r, o);
      if (!(g > 0 && r > 0)) continue;
      for (const part of ["all", edge[i] ? "edge" : "flat"] as const) {
        this.#errors[part].full.add(r - g);
        if (!(o > 0)) continue;
        this.#errors[part].raw.add(r - g);
        this.#errors[part].out.add(o - g);
      }
    }
  }

  #edgePixel(truth: Depth, i: number, r: number, o: number): void {
    const { out, raw } = this.#flying;
    const count = (into: number[], z: number) => {
      const flies = z > 0 ? this.#flies(truth, i, z) : undefined;
      if (flies === undefined) return;
      into[1]++;
      if (flies) into[0]++;
    };
    count(raw, r);
    count(out, o);
  }

  /** Undefined where no true depth lies around the pixel. */
  #flies({ width, height, mm }: Depth, i: number, z: number): boolean | undefined {
    const [x, y] = [i % width, Math.floor(i / width)];
    let nearest = Infinity;
    for (let dy = -2; dy <= 2; dy++) {
      const row = Math.max(0, Math.min(height - 1, y + dy)) * width;
      for (let dx = -2; dx <= 2; dx++) {
        const g = mm[row + Math.max(0, Math.min(width - 1, x + dx))];
        if (g > 0) nearest = Math.min(nearest, Math.abs(z - g));
      }
    }
    if (nearest === Infinity) return undefined;
    return nearest > Math.max(3 * this.sigma[Math.min(Math.trunc(z / BAND_MM), 399)], 0.02 * z);
  }

  figures(): TruthFigures {
    const part = (name: Part): ErrorFigures => {
      const { raw, out, full } = this.#errors[name];
      return {
        n: out.n,
        lost: 1 - out.n / (full.n || 1),
        rmse: out.rms(),
        rmseRaw: raw.rms(),
        rmseRatio: ratio(out.rms(), raw.rms()),
        bias: out.mean(),
      };
    };
    const share = ([some, all]: readonly number[]) => ratio(some, all);
    return {
      all: part("all"),
      flat: part("flat"),
      edge: part("edge"),
      flying: share(this.#flying.out),
      flyingRaw: share(this.#flying.raw),
    };
  }
}
