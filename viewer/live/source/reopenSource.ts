import { isAddress } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";
import { loadHandle, mayRead } from "./fileHandles.ts";
import { sceneNamed } from "./scenes.ts";
import { ask, CAMERA, named, QUESTION, streamOf } from "./sourceLink.ts";
import type { SourceOpener } from "./sourceOpener.ts";

/**
 * Opens a source again that was open before a reload, or that a link names: at once if the browser allows it; after one click if the
 * browser wants to ask the user; else a message says what to drop. The viewer never connects to a stream without a click.
 */
export async function reopen(
  name: string,
  topic: string | undefined,
  opener: SourceOpener,
  messages: Messages,
): Promise<void> {
  if (isAddress(name)) {
    const address = streamOf(name);
    const text = `This view shows the live stream ${named(name)}`;
    if (address !== undefined) return ask(messages, `${text}.`, "Connect", () => void opener.live(address, topic));
    return messages.show("notice", QUESTION, `${text}: give its address with the token, under Open.`);
  }
  if (name.startsWith(CAMERA)) {
    const camera = name.slice(CAMERA.length);
    const text = `This view shows the camera ${named(camera)} of this computer.`;
    return ask(messages, text, "Open the camera", () => void opener.camera(camera));
  }
  const scene = sceneNamed(name);
  if (scene) return opener.synthetic(scene);
  const handed = await opener.handed(name, topic);
  if (handed) return opener.recording(handed, topic);
  const handle = await loadHandle(name);
  if (!handle) return messages.show("notice", QUESTION, `This view shows ${name}: open or drop it to go on.`);
  if (await mayRead(handle, false)) return opener.recording(handle, topic);
  ask(messages, `This view shows ${name}.`, `Open ${name} again`, async () => {
    if (await mayRead(handle, true)) return opener.recording(handle, topic);
    messages.show("notice", QUESTION, `The browser may not read ${name}: open or drop it to go on.`);
  });
}

/** Removes the question what to open. */
export const clearQuestion = (messages: Messages): void => messages.clear(QUESTION);
