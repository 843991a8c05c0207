import { between, flag, or, type Rule } from "../../core/check.ts";
import { optionRules } from "../format/description.ts";
import type { LiveOptions } from "./protocol.ts";

const { topic, metresPerUnit, intrinsics, fps, assume, color, signal } = optionRules;

/** The rules for the options of `openLive`. */
export const liveRules = {
  topic,
  metresPerUnit,
  intrinsics,
  fps,
  assume,
  color,
  signal,
  infrared: flag,
  pair: flag,
  waitMs: or(between(0, Number.MAX_SAFE_INTEGER), Number.POSITIVE_INFINITY),
} satisfies Record<keyof LiveOptions, Rule>;
