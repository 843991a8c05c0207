interface Corner {
  readonly x: number;
  readonly y: number;
}

declare module "js-aruco2" {
  /** Finds tags of a dictionary in pictures. */
  class Detector {
    constructor(config: { readonly dictionaryName: string; readonly maxHammingDistance: number });
    /** The contours that are convex quadrangles of at least `minSize` points; `epsilon` says how far their sides may bend. */
    findCandidates(contours: unknown, minSize: number, epsilon: number, minLength: number): (readonly Corner[])[];
    clockwiseCorners(quads: (readonly Corner[])[]): (readonly Corner[])[];
    readonly dictionary: {
      /** Each tag's cells, by the tag's id: line by line, "1" for a white cell. */
      readonly codeList: readonly string[];
      find(bits: readonly string[]): { readonly id: number } | undefined;
    };
  }
  const library: { readonly AR: { readonly Detector: typeof Detector } };
  export default library;
}
declare module "js-aruco2/src/cv.js" {
  interface Grey {
    readonly width: number;
    readonly height: number;
    readonly data: ArrayLike<number>;
  }
  const library: {
    readonly CV: {
      readonly Image: new () => Grey;
      /** Makes RGBA bytes grey. */
      grayscale(rgba: Grey, out: Grey): Grey;
      adaptiveThreshold(grey: Grey, out: Grey, kernel: number, below: number): Grey;
      findContours(binary: Grey, work: number[]): unknown;
    };
  };
  export default library;
}
declare module "js-aruco2/src/dictionaries/apriltag_36h11.js";
