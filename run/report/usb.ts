import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DriverReport } from "../../sources/camera/list.ts";

/** Depth cameras by their USB ids, and the driver that reads them. */
const KNOWN: readonly { readonly ids: RegExp; readonly name: string; readonly driver: DriverReport["driver"] }[] = [
  { ids: /^8086:0(ad[1-6]|af[6e]|b07|b3a|b5[bc]|b48|b64|b6b)$/, name: "a RealSense camera", driver: "realsense" },
  { ids: /^045e:02(ae|bf)$/, name: "a Kinect v1", driver: "freenect" },
  { ids: /^1d27:06(00|01|09)$/, name: "an Xtion or another camera by PrimeSense", driver: "openni" },
  { ids: /^2bc5:04\d\d$/, name: "an Orbbec Astra", driver: "openni" },
];

/** A connection slower than this, in Mbit/s, is not USB 3. */
const USB3 = 5000;
const DEVICES = "/sys/bus/usb/devices";

/** Reads a file of the kernel's; "" where there is none. */
function told(folder: string, device: string, name: string): string {
  try {
    return readFileSync(join(folder, device, name), "utf8").trim();
  } catch {
    return "";
  }
}

/**
 * For each camera that is plugged into this computer (by its USB id) and that its driver does not list, a line that says what is missing.
 * Only Linux lists USB devices; other systems get no lines.
 */
export function usbHints(reports: readonly DriverReport[], folder = DEVICES): string[] {
  let devices: string[] = [];
  try {
    devices = readdirSync(folder);
  } catch {}
  return devices.flatMap((device) => {
    const id = `${told(folder, device, "idVendor")}:${told(folder, device, "idProduct")}`;
    const known = KNOWN.find(({ ids }) => ids.test(id));
    if (!known) return [];
    const { name, driver } = known;
    const report = reports.find((one) => one.driver === driver);
    const slow = driver === "realsense" && Number(told(folder, device, "speed")) < USB3;
    return [
      ...(report?.missing
        ? [`${name} is plugged in (USB ${id}), and ${driver} cannot be used: ${report.missing}`]
        : []),
      ...(report?.library && report.cameras.length === 0
        ? [
            `${name} is plugged in (USB ${id}), and its driver does not see it: its udev rule is missing, or another program has it (docs/cameras.md)`,
          ]
        : []),
      ...(slow ? [`${name} is plugged in by USB 2 (USB ${id}): large images and high rates need USB 3`] : []),
    ];
  });
}
