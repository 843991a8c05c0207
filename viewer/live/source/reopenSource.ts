import { isAddress } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";
import { loadHandle, mayRead } from "./fileHandles.ts";
import { sceneNamed } from "./scenes.ts";
import { ask, CAMERA, named, QUESTION, streamOf } from "./sourceLink.ts";
import type { SourceOpener } from "./sourceOpener.ts";

/**
 * Opens the recording again that was open before the page was loaded, or that a link is about: at once where the browser lets
 * it, with one click where it wants to be asked, else it says what to drop. A stream is never connected to without a click.
 */
export async function reopen(
  name: string,
  topic: string | undefined,
  opener: SourceOpener,
  messages: Messages,
): Promise<void> {
  if (isAddress(name)) {
    const address = streamOf(name);
    const text = `This view is of the live stream ${named(name)}`;
    if (address !== undefined) return ask(messages, `${text}.`, "Connect", () => void opener.live(address));
    return messages.show("notice", QUESTION, `${text}: give its address with the token, under Open.`);
  }
  if (name.startsWith(CAMERA)) {
    const camera = name.slice(CAMERA.length);
    const text = `This view is of the camera ${named(camera)} on this computer.`;
    return ask(messages, text, "Open the camera", () => void opener.camera(camera));
  }
  const scene = sceneNamed(name);
  if (scene) return opener.synthetic(scene);
  const handle = await loadHandle(name);
  if (!handle) return messages.show("notice", QUESTION, `This view is of ${name}: open or drop it to go on.`);
  if (await mayRead(handle, false)) return opener.recording(handle, topic);
  ask(messages, `This view is of ${name}.`, `Open ${name} again`, async () => {
    if (await mayRead(handle, true)) return opener.recording(handle, topic);
    messages.show("notice", QUESTION, `The browser may not read ${name}: open or drop it to go on.`);
  });
}

/** A recording is open. */
export const clearQuestion = (messages: Messages): void => messages.clear(QUESTION);
