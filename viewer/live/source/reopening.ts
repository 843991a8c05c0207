import { isAddress } from "../../../sources/index.ts";
import type { Messages } from "../messages.ts";
import { handleOf, mayRead } from "./handles.ts";
import type { Opener } from "./opening.ts";

const TOPIC = "again";

/**
 * Opens the recording again that was open before the page was loaded, or that a link is about: at once where the browser lets
 * it, with one click where it wants to be asked, else it says what to drop. A stream is never connected to without a click.
 */
export async function reopen(
  name: string,
  topic: string | undefined,
  opener: Opener,
  messages: Messages,
): Promise<void> {
  const offer = (text: string, label: string, run: () => void) =>
    messages.show("notice", TOPIC, text, undefined, { label, run });
  if (isAddress(name)) return offer(`This view is of the live stream ${name}.`, "Connect", () => opener.live(name));
  const handle = await handleOf(name);
  if (!handle) return messages.show("notice", TOPIC, `This view is of ${name}: open or drop it to go on.`);
  if (await mayRead(handle, false)) return opener.recording(handle, topic);
  offer(`This view is of ${name}.`, `Open ${name} again`, async () => {
    if (await mayRead(handle, true)) return opener.recording(handle, topic);
    messages.show("notice", TOPIC, `The browser may not read ${name}: open or drop it to go on.`);
  });
}

/** A recording is open. */
export const reopened = (messages: Messages): void => messages.clear(TOPIC);
