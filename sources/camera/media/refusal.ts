import { SourceError } from "../../../core/source.ts";

/** A browser did not start a camera. `forbidden`: the user or a setting refused, so that trying again does not help. */
export class CameraRefusal extends SourceError {
  constructor(
    message: string,
    readonly forbidden: boolean,
  ) {
    super(message);
  }
}

/** What `getUserMedia` rejects with, by the names of Media Capture and Streams (W3C), in words that say what to do. */
export function refusalOf(error: unknown, camera: string): CameraRefusal {
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  const forbidden = name === "NotAllowedError" || name === "SecurityError";
  return new CameraRefusal(`${camera}: ${wordsOf(name, message)}`, forbidden);
}

function wordsOf(name: string, message: string): string {
  if (name === "NotAllowedError") {
    if (/system/i.test(message))
      return "the operating system does not let this browser use a camera: allow it in the system's privacy settings";
    if (/dismissed/i.test(message)) return "the browser's question was closed: open the camera again, and allow it";
    return "the browser does not let this page use a camera: allow it beside the page's address, then open it again";
  }
  if (name === "SecurityError") return "the browser's settings keep cameras from every page";
  if (name === "NotSupportedError") return "this browser gives no page a camera";
  if (name === "NotFoundError") return "no camera is plugged in";
  if (name === "NotReadableError" || name === "AbortError")
    return "the camera does not start: another program or page uses it, or it needs a USB 3 port; close that one, then open it again";
  if (name === "OverconstrainedError") return "the camera is not there any more: plug it in again";
  return message;
}
