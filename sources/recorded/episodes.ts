import { episodesIn } from "./formats/lerobot/frames.ts";
import { openGiven } from "./given.ts";
import { MEGABYTES } from "./remote/index.ts";
import { Link } from "./remote/link.ts";
import { NoThread } from "./remote/thread.ts";

/** An episode of a data set: what `topic` names it by, and its frames. */
export interface EpisodeFacts {
  readonly topic: string;
  readonly frames: number;
}

/** The episodes in a folder at a path, on the calling thread; none where it is no data set or has only one. Throws a `SourceError`. */
export async function episodesHere(path: string): Promise<readonly EpisodeFacts[]> {
  const files = await openGiven({ kind: "path", path });
  try {
    return "list" in files ? await episodesIn(files) : [];
  } finally {
    await files.close();
  }
}

/** Does the same in a thread of Node, under the limits of time and memory of opening a recording. */
export async function episodesAt(path: string): Promise<readonly EpisodeFacts[]> {
  const { canStart, nodeThread } = await import("./remote/threadNode.ts");
  if (!canStart) return episodesHere(path);
  let link: Link | undefined;
  try {
    link = new Link(nodeThread(MEGABYTES), path, new Map(), { seconds: undefined, megabytes: MEGABYTES });
    return (await link.ask("listing its episodes", { kind: "episodes", path })).episodes ?? [];
  } catch (error) {
    if (error instanceof NoThread) return episodesHere(path);
    throw error;
  } finally {
    await link?.close();
  }
}
