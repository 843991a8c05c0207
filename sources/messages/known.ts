/**
 * Definitions of the ROS 2 messages that this reader needs, from ROS' public interfaces. A ROS 2 database (.db3) contains no definitions,
 * and some files write them in a language (OMG IDL) that is not parsed here.
 */
const TIME = "builtin_interfaces/Time";
const HEADER = `std_msgs/Header header`;
const MSGS: Readonly<Record<string, string>> = {
  "std_msgs/Header": `${TIME} stamp\nstring frame_id`,
  "std_msgs/Float32": "float32 data",
  "std_msgs/String": "string data",
  "sensor_msgs/Image": `${HEADER}\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data`,
  "sensor_msgs/CompressedImage": `${HEADER}\nstring format\nuint8[] data`,
  "sensor_msgs/RegionOfInterest": "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify",
  "sensor_msgs/CameraInfo": `${HEADER}\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\nfloat64[9] k\nfloat64[9] r\nfloat64[12] p\nuint32 binning_x\nuint32 binning_y\nsensor_msgs/RegionOfInterest roi`,
  "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z",
  "geometry_msgs/Quaternion": "float64 x\nfloat64 y\nfloat64 z\nfloat64 w",
  "geometry_msgs/Transform": "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation",
  "geometry_msgs/TransformStamped": `${HEADER}\nstring child_frame_id\ngeometry_msgs/Transform transform`,
  "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
  "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z",
  "geometry_msgs/Pose": "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation",
  "geometry_msgs/PoseWithCovariance": "geometry_msgs/Pose pose\nfloat64[36] covariance",
  "geometry_msgs/PoseStamped": `${HEADER}\ngeometry_msgs/Pose pose`,
  "geometry_msgs/PoseWithCovarianceStamped": `${HEADER}\ngeometry_msgs/PoseWithCovariance pose`,
  "nav_msgs/Odometry": `${HEADER}\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose`,
  "foxglove/RawImage": `${TIME} timestamp\nstring frame_id\nuint32 width\nuint32 height\nstring encoding\nuint32 step\nuint8[] data`,
  "foxglove/CompressedImage": `${TIME} timestamp\nstring frame_id\nuint8[] data\nstring format`,
  "foxglove/CameraCalibration": `${TIME} timestamp\nstring frame_id\nuint32 width\nuint32 height\nstring distortion_model\nfloat64[] d\nfloat64[9] k\nfloat64[9] r\nfloat64[12] p`,
};

/** The definition of a type with those of all types in it, in the form that `rosReader` takes; `undefined` for an unknown type. */
export function knownDefinition(type: string): string | undefined {
  const parts = new Set<string>();
  const collect = (name: string): void => {
    if (!Object.hasOwn(MSGS, name) || parts.has(name)) return;
    parts.add(name);
    for (const [, used = ""] of MSGS[name].matchAll(/^(\w+\/\w+)/gm)) collect(used);
  };
  collect(type);
  const [root, ...rest] = parts;
  if (root === undefined) return undefined;
  return [MSGS[root], ...rest.map((name) => `MSG: ${name}\n${MSGS[name]}`)].join(`\n${"=".repeat(80)}\n`);
}
