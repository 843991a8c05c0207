/** Words that tell the cameras of a rig apart: their sides, and words for cameras with a number. */
const SIDE = /(?<![a-z])([lr]cam|left|right|front|back|rear)(?![a-z])/gi;
const NUMBERED = /(?<![a-z])(cam(era)?|kinect|sensor|dev(ice)?|realsense|orbbec|k4a)[-_ ]?\d{1,2}(?!\d)/gi;
/** A serial number, where all images have it. */
const SERIAL = /(?<!\d)\d{9,16}(?!\d)/g;

/**
 * Tells, for the images `depth`, which names are those of another camera's texts and images: where words of one kind
 * stand in both names ("depth_right/0.png", "pose_left.txt"; "cam1/depth/0.png", "cam0/K.txt"), and depth's are not among the other's.
 */
export function othersThan(depth: readonly string[]): (name: string) => boolean {
  const [first, last] = [depth[0], depth[depth.length - 1]];
  const wordsOf = (name: string) => [SIDE, NUMBERED, SERIAL].map((kind) => name.toLowerCase().match(kind) ?? []);
  const own = wordsOf(first).map((words) =>
    words.filter((word) => depth.length > 1 && last.toLowerCase().includes(word)),
  );
  return (name) =>
    wordsOf(name).some((words, kind) => {
      const alike = kind === 2 ? words.filter(({ length }) => length === own[kind][0]?.length) : words;
      return alike.length > 0 && own[kind].some((word) => !alike.includes(word));
    });
}

/** Names in the order in which they are asked: those named after depth first, those named after colour last. */
export const depthFirst = (name: string): number =>
  /depth|aligned/i.test(name) ? 0 : /colou?r|rgb/i.test(name) ? 2 : 1;
