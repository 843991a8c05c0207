import type { Stage } from "../../stages/core/stage.ts";

/**
 * The title of the stage `name` for people: the stage's own title, with the name behind it where a pipeline's name for the stage differs
 * from its kind; the bare name where there is no such stage.
 */
export function titleOf(stages: readonly Pick<Stage, "name" | "kind" | "title">[], name: string): string {
  const stage = stages.find((candidate) => candidate.name === name);
  if (!stage) return name;
  return stage.kind === name ? stage.title : `${stage.title} (${name})`;
}
