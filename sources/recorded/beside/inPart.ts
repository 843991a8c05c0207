import type { Notes } from "./notes.ts";
import { entriesOf, fieldsIn, numbersOf } from "./parse.ts";

/** For each kind of fact, the names of the fields that tell it. */
const KINDS = {
  lens: /^(camera_?)?(intrinsics?(_?matrix)?|k|f[xy]|fl_[xy]|c[xy]|pp[xy]|focal_?length|(camera_?)?aperture|camera_?matrix|cam_?k|d?[wh]|(image_?)?(width|height)|resolution)$/i,
  distortion: /^(dist(ortion)?(_?coeff\w*)?|coeffs|k[1-6]|p[12])$/i,
  unit: /^(factor_?)?depth_?(scale|units?|factor)$|^(depth)?units?(_?per_?met(er|re))?$/i,
  poses:
    /^([xyz]|roll|pitch|yaw)$|pose|trajector|transform|^frames$|^positions$|^t_\d\d$|^(position|orientation)$|c2w|w2c/i,
  times: /^(fps|frame_?rate|(frame_?)?time(_?stamp)?s?)$/i,
  place: /extrin|depth_?to_?colou?r|colou?r_?to_?depth|^T_BS$|baseline/i,
} as const;

/** The names of the texts, or of the folders of texts, from which each kind was taken; `true` where it came from elsewhere. */
export type Taken = Readonly<Partial<Record<keyof typeof KINDS, string | true | undefined>>>;

const IDENTITY = new Set(["1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1", "1,0,0,0,1,0,0,0,1", "0,0,0"]);
const isNothing = (value: unknown) => {
  const numbers = numbersOf(value) ?? [typeof value === "number" ? value : Number.NaN];
  return IDENTITY.has(String(numbers)) || numbers.every((one) => one === 0);
};

/**
 * A line for each text that was read in part: the fields that were used, and the unused fields whose facts the recording has from nowhere
 * else. What else a text has (a device's name, a version) is of no use.
 */
export async function readInPart(where: string, { singles, firsts }: Notes, taken: Taken): Promise<string[]> {
  return [...singles, ...(await firsts())].flatMap(({ name, said }) => {
    // Of a table of frames the names of the columns count.
    const { camera, rows } = fieldsIn(said.value);
    const columns = entriesOf(Array.isArray(rows) ? rows[0] : undefined, 64).map(([key]) => [key, 1] as const);
    const fields = [...entriesOf(said.value, 256), ...entriesOf(camera, 64), ...columns].filter(([key]) =>
      /^[\w .-]{1,40}$/.test(key),
    );
    const of = (wanted: (from: string | true | undefined) => boolean) =>
      fields.filter(([key, value]) =>
        Object.entries(KINDS).some(
          ([kind, names]) => names.test(key) && wanted(taken[kind as keyof typeof KINDS]) && !isNothing(value),
        ),
      );
    const used = of((from) => from === name).map(([key]) => key);
    const unused = of((from) => from === undefined).flatMap(([key]) => (used.includes(key) ? [] : [key]));
    // A table of which nothing is used is named with all that lies beside depth.
    if (unused.length === 0 || (columns.length > 0 && used.length === 0)) return [];
    const [some, others] = [used, unused].map((all) => all.slice(0, 8).join(", "));
    return [`${where}/${name}: it is read in part: ${some ? `${some} used, ` : ""}not used: ${others}`];
  });
}
