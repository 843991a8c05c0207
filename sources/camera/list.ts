import { type CameraInfo, DRIVERS, type DriverName } from "../live/driver.ts";
import { answerOf, NONSENSE } from "./process/answers.ts";
import { startReading } from "./process/child.ts";

/** A driver's library and the cameras that it finds on this computer. */
export interface DriverReport {
  readonly driver: DriverName;
  /** The vendor's library, with its version and its file; absent if it cannot be used. */
  readonly library?: string;
  readonly cameras: readonly CameraInfo[];
  /** Why the driver cannot be used, and what to install. */
  readonly missing?: string;
}

/** The longest time in ms that a driver may take to list its cameras. */
const LISTING_MS = 10_000;

/**
 * Lists the cameras that are plugged into this computer, driver by driver, in Node. Each driver is asked in a process of its own, so that a
 * library that crashes or hangs is reported and harms no other.
 */
export const listCameras = (): Promise<readonly DriverReport[]> => Promise.all(DRIVERS.map((driver) => ask(driver)));

/** Asks one driver, in a process that `start` starts. */
export async function ask(driver: DriverName, start = startReading): Promise<DriverReport> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settle = (_report: DriverReport) => {};
  const report = new Promise<DriverReport>((resolve) => {
    settle = resolve;
  });
  const without = (missing: string) => settle({ driver, cameras: [], missing });
  const process = start({
    answered(message) {
      const answer = answerOf(message);
      if (!answer) without(NONSENSE);
      else if (answer.kind === "listed") settle({ driver, library: answer.library, cameras: answer.cameras });
      else if (answer.kind === "failed") without(answer.why.replace(/^camera:\w+: /, ""));
    },
    piece() {},
    died: without,
  });
  timer = setTimeout(() => without(`it does not answer within ${LISTING_MS / 1000} s`), LISTING_MS);
  process.send({ kind: "list", driver });
  try {
    return await report;
  } finally {
    clearTimeout(timer);
    await process.end();
  }
}
