import { InvalidArgumentError } from "commander";
import type { Size } from "../core/view.ts";

/** Parsers of option values. Each throws an error that commander reports as "option … argument … is invalid. <why>". */

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Parses numbers with commas between them, as many as `count` allows; `shape` says what they are. */
export function numbers(text: string, count: number | readonly number[], shape: string): number[] {
  const parts = text.split(",").map((part) => part.trim());
  if (![count].flat().includes(parts.length) || !parts.every((part) => NUMBER.test(part))) {
    throw new InvalidArgumentError(`It must be ${shape}.`);
  }
  return parts.map(Number);
}

/** Parses a whole number of at least `least`. */
export const wholeFrom = (least: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  }
  return value;
};

/** Parses a number above 0. */
export function positive(text: string): number {
  const value = NUMBER.test(text) ? Number(text) : 0;
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

/** Parses a length: "5mm", "1cm", or metres. */
export function metres(text: string): number {
  const [, value = "", unit = "m"] = text.trim().match(/^([\d.]+) ?(mm|cm|m)?$/) ?? [];
  return positive(value) * { mm: 0.001, cm: 0.01, m: 1 }[unit as "mm" | "cm" | "m"];
}

/** Parses "1280x720". */
const sizeUpTo =
  (most: number) =>
  (text: string): Size => {
    const [, width, height] = text.trim().match(/^(\d{1,5})x(\d{1,5})$/) ?? [];
    const found = { width: Number(width), height: Number(height) };
    const fits = (n: number) => n >= 1 && n <= most;
    if (fits(found.width) && fits(found.height)) return found;
    throw new InvalidArgumentError(`It must be WIDTHxHEIGHT in pixels, each from 1 to ${most}, such as 1280x720.`);
  };

/** Parses several sizes, such as "640x480,3840x2160". */
export const sizesUpTo = (most: number) => (text: string) => text.split(",").map(sizeUpTo(most));

export const size = sizeUpTo(4096);

/** Parses "30,-15,2.5": yaw and pitch in degrees, distance in metres. */
export function orbit(text: string) {
  const [yawDeg = 0, pitchDeg = 0, distanceM = 0] = numbers(text, 3, "yaw,pitch,distance, such as 30,-15,2.5");
  if (distanceM <= 0 || distanceM > 1000) {
    throw new InvalidArgumentError("The distance must be above 0 m, and no more than 1000.");
  }
  if (Math.abs(yawDeg) > 360) throw new InvalidArgumentError("The yaw must be from -360 to 360 degrees.");
  if (Math.abs(pitchDeg) > 90) throw new InvalidArgumentError("The pitch must be from -90 to 90 degrees.");
  return { yawDeg, pitchDeg, distanceM };
}

/** Parses metres per unit of depth: "0.001" or "1/5000". */
export function depthScale(text: string): number {
  const [top = "", bottom = "1", ...rest] = text.split("/");
  const value = NUMBER.test(top) && NUMBER.test(bottom) ? Number(top) / Number(bottom) : Number.NaN;
  if (rest.length > 0 || !(value > 0 && value < 1)) {
    throw new InvalidArgumentError("It must be the metres per unit of depth: 0.001 for millimetres, 1/5000 for TUM.");
  }
  return value;
}

/** Parses "65535,2047": whole numbers with commas between them, `count` of them if that is given; `shape` says what they are. */
export function wholes(
  text: string,
  count?: number,
  shape = "whole numbers with commas between them, such as 65535,2047",
): number[] {
  const found = text.split(",").map(Number);
  if (!/^\d{1,9}(,\d{1,9})*$/.test(text) || (count !== undefined && found.length !== count))
    throw new InvalidArgumentError(`It must be ${shape}.`);
  return found;
}

/** Parses "laser=150", a camera's control, and adds it to those given before. */
export function control(text: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, name, value] = text.match(/^([\w-]+)=(.+)$/) ?? [];
  if (name === undefined || value === undefined || !NUMBER.test(value)) {
    throw new InvalidArgumentError("It must be a control's name and a number, such as laser=150.");
  }
  return { ...before, [name]: Number(value) };
}

/** Parses "517.3,516.5,318.6,255.3": fx, fy, cx, cy in pixels of the depth image, and then the lens's coefficients, if any. */
export function intrinsics(text: string) {
  const shape =
    "fx,fy,cx,cy in pixels, such as 525,525,319.5,239.5, and if the lens bends OpenCV's 4, 5, 8, 12 or 14 coefficients k1,k2,p1,p2,…";
  const [fx = 0, fy = 0, cx = 0, cy = 0, ...distortion] = numbers(text, [4, 8, 9, 12, 16, 18], shape);
  if (fx <= 0 || fy <= 0) throw new InvalidArgumentError("fx and fy must be above 0.");
  return { fx, fy, cx, cy, ...(distortion.length > 0 && { distortion }) };
}

/** Parses the token that clients of `serve` must give. Its characters can stand in an address without being escaped. */
export function token(text: string): string {
  if (/^[\w.~-]{8,200}$/.test(text)) return text;
  throw new InvalidArgumentError("It must have 8 to 200 characters, of letters, digits, and - . _ ~");
}

/** Collects the values of an option that may be repeated. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** The help text of `--use`. */
export const USE =
  "take the stages, formats and cameras of an installed package, or of one by its path (./mine), too; may be repeated";
