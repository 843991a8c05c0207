/** How a film codes depth in LeRobot: from `near` to `far` in metres, linear in z or in log(z + shift), in codes of so many bits. */
interface Quantization {
  readonly near: number;
  readonly far: number;
  readonly shift: number;
  readonly isLog: boolean;
  readonly bits: number;
}

/** LeRobot's own values (configs/video.py). */
export const USUAL: Quantization = { near: 0.01, far: 10, shift: 3.5, isLog: true, bits: 12 };

/**
 * LeRobot's quantization of depth (depth_utils.py, `quantize_depth` and `dequantize_depth`), and back. Code 0 means no measurement; LeRobot
 * gives it to everything nearer than the nearest depth.
 */
export function quantizer({ near, far, shift, isLog, bits }: Quantization) {
  const most = 2 ** bits - 1;
  const [first, last] = isLog ? [Math.log(near + shift), Math.log(far + shift)] : [near, far];
  return {
    metres(code: number): number {
      const at = first + (code * (last - first)) / most;
      return code === 0 ? 0 : isLog ? Math.exp(at) - shift : at;
    },
    /** The code of a depth; what was measured never has code 0. */
    code(metres: number): number {
      const at = ((isLog ? Math.log(metres + shift) : metres) - first) / (last - first);
      return metres > 0 ? Math.min(most, Math.max(1, Math.round(most * at))) : 0;
    },
  };
}
