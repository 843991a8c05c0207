/** The end of a topic that names an episode: "episode 7", or its number alone. */
export const EPISODE = /(?:^| )(?:episode )?(\d{1,6})$/;

export function episodeIn(topic: string | undefined): number | undefined {
  const found = topic === undefined ? undefined : EPISODE.exec(topic)?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * The topic that names the same feature as `topic`, and the episode that `episode` names; if `episode` names no episode, it is a topic
 * itself.
 */
export const topicOfEpisode = (topic: string | undefined, episode: string): string =>
  episodeIn(episode) === undefined ? episode : `${(topic ?? "").replace(EPISODE, "")} ${episode}`.trim();
