/** Light and colours, as runs.ts has them: by tables, which stand one behind the other. */
import { BYTES_AT, ENDS_AT, LIGHT_AT, TABLE_STEPS } from "../layout.ts";

/** A colour's light: red, green, blue, and the last lane of `last`. */
export function linear(tables: usize, colour: u32, last: v128): v128 {
  const red = v128.load_lane<f32>(tables + ((colour << 2) & 1020), last, 0, LIGHT_AT);
  const green = v128.load_lane<f32>(tables + ((colour >> 6) & 1020), red, 1, LIGHT_AT);
  return v128.load_lane<f32>(tables + ((colour >> 14) & 1020), green, 2, LIGHT_AT);
}

/** The sRGB byte of linear light, exactly but without a power: the table's is not too large, and mostly right. */
export function encoded(tables: usize, light: f32): i32 {
  let byte: i32 = load<u8>(tables + <u32>(light * <f32>TABLE_STEPS), BYTES_AT);
  while (!(light < load<f32>(tables + (byte << 2), ENDS_AT))) byte++;
  return byte;
}
