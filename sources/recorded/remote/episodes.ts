import { isBuilt, NoThread } from "../../../core/thread.ts";
import { type EpisodeFacts, episodesHere } from "../episodes.ts";
import { MEGABYTES } from "./index.ts";
import { Link } from "./link.ts";
import { readerThread } from "./thread.ts";

/** Does as `episodesHere`, in a thread of Node, under the limits of time and memory of opening a recording. */
export async function episodesAt(path: string): Promise<readonly EpisodeFacts[]> {
  if (!isBuilt) return episodesHere(path);
  let link: Link | undefined;
  try {
    link = new Link(readerThread(MEGABYTES), path, new Map(), { seconds: undefined, megabytes: MEGABYTES });
    return (await link.ask("listing its episodes", { kind: "episodes", path })).episodes ?? [];
  } catch (error) {
    if (error instanceof NoThread) return episodesHere(path);
    throw error;
  } finally {
    await link?.close();
  }
}
