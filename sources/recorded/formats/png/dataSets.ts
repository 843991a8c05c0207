import type { Files } from "../../../files/files.ts";
import type { FormatDefaults, FormatLens } from "../../../format/depthFormat.ts";
import type { Notes } from "../../beside/notes.ts";
import { entriesOf } from "../../beside/parse.ts";

/** A data set whose depth images mean the same wherever its layout is found. */
interface DataSet {
  readonly name: string;
  /** In metres. */
  readonly unit: number;
  /** Names of files that it has, with the folder that was opened. */
  readonly signs: readonly RegExp[];
  /** Names of the depth images that are meant, where the data set has others. */
  readonly own?: RegExp;
  /** Whether depth is the length of rays. */
  readonly areRays?: true;
  readonly invalid?: readonly number[];
  readonly fps?: number;
  readonly lens?: FormatLens;
}

const LAYOUTS: readonly DataSet[] = [
  {
    name: "SceneNet RGB-D",
    unit: 0.001,
    signs: [/(^|\/)photo\/\d+\.jpg$/, /(^|\/)instance\/\d+\.png$/],
    areRays: true,
  },
  { name: "InteriorNet", unit: 0.001, signs: [/(^|\/)depth0\/data\/\d+\.png$/, /(^|\/)cam0\.render$/], areRays: true },
  { name: "Aria Synthetic Environments", unit: 0.001, signs: [/(^|\/)vignette\d+\.jpg$/], areRays: true },
  { name: "Kubric", unit: 0.001, signs: [/(^|\/)rgba_\d{5}\.png$/, /(^|\/)depth_\d{5}\.tiff$/], areRays: true },
  { name: "Stanford's 2D-3D-S", unit: 1 / 512, signs: [/_domain_depth(_zbuffer|_euclidean)?\.png$/], invalid: [65535] },
  { name: "Falling Things", unit: 1e-4, signs: [/(^|\/)_camera_settings\.json$/, /\.(left|right)\.depth\.png$/] },
  {
    name: "Virtual KITTI",
    unit: 0.01,
    signs: [/(^|\/)frames\/depth\/Camera_\d\/depth_\d{5}\.png$|vkitti_1\.3\.1_depthgt\//],
  },
  { name: "DrivingStereo", unit: 1 / 256, signs: [/(^|\/)depth-map-(full|half)-size\//] },
  { name: "iBims-1", unit: 50 / 65535, signs: [/ibims1_core_\w+\//] },
  // The second camera is an L515.
  { name: "TransCG", unit: 1 / 4000, signs: [/(^|\/)\d+\/depth2-gt\.png$/], own: /(^|\/)depth2(-gt)?\.png$/ },
  { name: "TransCG", unit: 0.001, signs: [/(^|\/)\d+\/depth1-gt\.png$/], own: /(^|\/)depth1(-gt)?\.png$/ },
  { name: "C3VD", unit: 0.1 / 65535, signs: [/(^|\/)\d{4}_depth\.tiff$/, /(^|\/)\d{4}_occlusion\.png$/] },
  { name: "VOID", unit: 1 / 256, signs: [/ground_truth\//, /validity_map\//] },
  { name: "OpenLORIS", unit: 0.001, signs: [/(^|\/)sensors\.yaml$/, /(^|\/)trans_matrix\.yaml$/] },
  { name: "ScanNet", unit: 0.001, signs: [/(^|\/)intrinsic_depth\.txt$/, /(^|\/)pose\/\d+\.txt$/] },
  { name: "ARKitScenes", unit: 0.001, signs: [/(^|\/)(lowres_|highres_)?depth\//, /\.pincam$/] },
  { name: "RTAB-Map", unit: 0.001, signs: [/(^|[/_])depth\/[\d.]+\.png$/, /(^|[/_])calib\/[\d.]+\.yaml$/] },
  { name: "HoloLens", unit: 0.001, signs: [/_rig2world\.txt$/, /_lut\.bin$/] },
  { name: "Matterport3D", unit: 1 / 4000, signs: [/(^|\/)[0-9a-f]{32}_d\d_\d+\.png$/] },
  { name: "Polycam", unit: 0.001, signs: [/(^|\/)depth\/\d+\.png$/, /(^|\/)(corrected_)?cameras\/\d+\.json$/] },
  {
    name: "KITTI",
    unit: 1 / 256,
    signs: [/(^|[/\\])(proj_depth|val_selection_cropped|test_depth_completion_anonymous)([/\\]|$)|_drive_\d{4}_sync/],
    invalid: [],
    fps: 10,
    lens: { fx: 721.5377, fy: 721.5377, cx: 609.5593, cy: 172.854, width: 1242, height: 375 },
  },
];

/** The data set whose layout the files have. */
export function dataSetOf(files: Files, names: readonly string[], first: string): DataSet | undefined {
  const paths = names.map((name) => `${files.name}/${name}`);
  return LAYOUTS.find(
    ({ signs, own }) => (own?.test(first) ?? true) && signs.every((sign) => paths.some((path) => sign.test(path))),
  );
}

/** What a data set's layout says of depth; nerfstudio's unit if its `transforms.json` names depth images. */
export function defaultsOf(known: DataSet | undefined, { singles }: Notes, where: string): FormatDefaults {
  if (known) {
    const from = `${known.name} default` as const;
    const { unit, invalid, fps, lens } = known;
    const warning = `${where}: the intrinsics of KITTI's recordings of 26 September 2011 are assumed; those of other days differ`;
    return {
      metresPerUnit: { value: unit, from },
      ...(invalid && { invalid: { value: invalid, from } }),
      ...(fps !== undefined && { fps: { value: fps, from } }),
      ...(lens && { intrinsics: { value: lens, from, warning } }),
    };
  }
  const isNerf = singles.some(({ said: { value } }) => {
    const frames = entriesOf(value, 64).find(([key]) => key === "frames")?.[1];
    return Array.isArray(frames) && entriesOf(frames[0], 64).some(([key]) => key === "depth_file_path");
  });
  return isNerf ? { metresPerUnit: { value: 0.001, from: "nerfstudio default" } } : {};
}
