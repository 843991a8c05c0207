import type { Intrinsics } from "../../core/frame.ts";
import { ALL_NOISE } from "../../sources/synthetic/kinect.ts";
import { Field } from "../../sources/synthetic/sensors/field.ts";
import { FLIGHT_GRAIN, makeSensor, type SensorName } from "../../sources/synthetic/sensors/index.ts";
import { type Chain, presetChains } from "./chains.ts";

/** A wall with waves on it, and a camera in front of it. */
interface Wall {
  readonly name: string;
  readonly sensor?: SensorName;
  readonly awayM: number;
  /** The noise in mm in which wave heights are expressed. */
  readonly sigmaMm: number;
  /** Frame `t` of a wall, in mm. */
  look(metres: Float32Array, t: number): Uint16Array;
}

const WALL: Intrinsics = { fx: 525, fy: 525, cx: 63.5, cy: 47.5, width: 128, height: 96 };
export const SHAPE = { intrinsics: WALL, metresPerUnit: 0.001 } as const;
const PIXELS = WALL.width * WALL.height;
const NO_IDS = new Uint8Array(PIXELS);

/** A Kinect v1's noise and steps only: waves have nothing to do with its outlines. */
const SMOOTH = { ...ALL_NOISE, lateral: false, speckle: false, shadow: false, flying: false, grazing: false };

/** Independent noise per pixel, and two cameras with correlated noise, one of them with steps of 18 mm. */
export function walls(): Wall[] {
  const white = new Field(WALL.width, WALL.height, { near: 0.5, decay: 0.5 });
  const flight = new Field(WALL.width, WALL.height, FLIGHT_GRAIN);
  const kinect = makeSensor("kinect-v1", WALL, SHAPE.metresPerUnit, 5, SMOOTH);
  const noisy = (awayM: number, sigmaMm: number, name: string, draw: (t: number) => Float32Array): Wall => ({
    name: `${name} at ${awayM} m, σ ${sigmaMm} mm`,
    awayM,
    sigmaMm,
    look(metres, t) {
      const noise = draw(t);
      return Uint16Array.from(metres, (z, i) => Math.round(1000 * z + sigmaMm * noise[i]));
    },
  });
  return [
    noisy(1, 3, "white noise", (t) => white.draw(t).white),
    {
      name: "kinect-v1 at 2.5 m, σ 7 mm",
      sensor: "kinect-v1",
      awayM: 2.5,
      sigmaMm: 7,
      look: (metres, t) => kinect.measure(metres, NO_IDS, [1], t),
    },
    { ...noisy(3.5, 3.4, "kinect-v2", (t) => flight.draw(t).values), sensor: "kinect-v2" },
  ];
}

export const LENGTHS_PX = [6, 8, 12, 16, 24, 32, 48, 64] as const;
const HEIGHTS_SIGMA = [2, 5, 10] as const;
const FRAMES = 8;
/** Only the last frames are measured: by then a temporal filter has settled. */
const LOOKED_AT = 2;

/** The share of waves that a filter keeps; 1 is all. */
export interface ReliefRow {
  readonly wall: string;
  readonly chain: string;
  readonly kind: Chain["kind"];
  readonly heightSigma: number;
  /** One share for each of `LENGTHS_PX`. */
  readonly kept: readonly number[];
}

/** A slightly turned wall with waves that run diagonally over it, at most `height` mm high to each side. */
export function wavy(awayM: number, heightMm: number, lengthPx: number) {
  const flat = new Float32Array(PIXELS);
  const wave = new Float32Array(PIXELS);
  const metres = new Float32Array(PIXELS);
  for (let i = 0; i < PIXELS; i++) {
    const [x, y] = [i % WALL.width, Math.floor(i / WALL.width)];
    flat[i] = awayM / (1 + 0.0004 * (x - WALL.cx) + 0.0003 * (y - WALL.cy));
    wave[i] = Math.sin((2 * Math.PI * (x + 0.4 * y)) / Math.hypot(1, 0.4) / lengthPx);
    metres[i] = flat[i] + (heightMm / 1000) * wave[i];
  }
  return { flat, wave, metres };
}

/** The share of a wave that is left: the output less the wall, projected on the wave. */
export function keptOf(chain: Chain, wall: Wall, heightSigma: number, lengthPx: number): number {
  const height = heightSigma * wall.sigmaMm;
  const { flat, wave, metres } = wavy(wall.awayM, height, lengthPx);
  const raw = Array.from({ length: FRAMES }, (_, t) => wall.look(metres, t));
  const filter = chain.start(SHAPE, raw);
  let [left, all] = [0, 0];
  for (let t = chain.remembers ? 0 : FRAMES - LOOKED_AT; t < FRAMES; t++) {
    const out = filter(raw[t], { index: t, timestamp: t * 33, fresh: true, follows: t > 0 });
    if (t < FRAMES - LOOKED_AT) continue;
    out.mm.forEach((z, i) => {
      if (z === 0) return;
      left += (z - 1000 * flat[i]) * wave[i];
      all += height * wave[i] * wave[i];
    });
  }
  return left / all;
}

export function measureRelief(chains: readonly Chain[], lengths: readonly number[] = LENGTHS_PX): ReliefRow[] {
  return walls().flatMap((wall) =>
    [...chains, ...presetChains(wall.sensor)].flatMap((chain) =>
      HEIGHTS_SIGMA.map((heightSigma) => ({
        wall: wall.name,
        chain: chain.name,
        kind: chain.kind,
        heightSigma,
        kept: lengths.map((length) => keptOf(chain, wall, heightSigma, length)),
      })),
    ),
  );
}
