import { byId } from "../../dom/element.ts";
import { AssumedForm } from "../source/assumedForm.ts";
import { dropzone } from "../source/dropzone.ts";
import { Opener } from "../source/opening.ts";
import type { Core } from "./core.ts";
import { Masthead } from "./masthead.ts";

/** Puts together the ways in: the masthead's menu, a drop, and what is put right of a recording that does not say all. */
export function openSources({ engine, events, messages, player }: Core): Opener {
  const opener = new Opener(player, messages, (source, input) => events.opened$.next({ source, input }));
  const masthead = new Masthead(byId("masthead"), opener);
  const assumed = new AssumedForm((right) => opener.correct(right));
  masthead.title.append(assumed.element);
  dropzone(
    document.body,
    (over) => {
      byId("drop").hidden = !over;
    },
    (input) => opener.recording(input),
    (file) => events.settingsFile$.next(file),
  );
  let say = () => {};
  // It may be that the CPU has taken a GPU's place.
  events.refit$.subscribe(() => say());
  events.scene$.subscribe(({ frame, source, first }) => {
    if (!first) return;
    const { width, height } = frame.intrinsics;
    byId("empty").hidden = true;
    say = () => masthead.show(source, width, height, engine.pipeline);
    say();
    assumed.show(source, frame, opener.corrections);
  });
  return opener;
}
