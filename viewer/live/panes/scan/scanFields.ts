import { amount, type Fields, onOff } from "../../state/field.ts";

export const scanFields = {
  scanVoxelMm: amount(
    "Voxel",
    10,
    { min: 2, max: 50 },
    "How fine the model is: the edge of a voxel, mm. Half of it takes four times the memory and work; takes effect with the next scan",
  ),
  scanTint: onOff("Mark what was seen badly", true, "Orange: show it from nearer, from the front, or for longer"),
} satisfies Fields;
