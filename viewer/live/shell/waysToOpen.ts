import { byId } from "../../dom/element.ts";
import { CorrectionsForm } from "../source/correctionsForm.ts";
import { dropzone } from "../source/dropzone.ts";
import { SourceOpener } from "../source/sourceOpener.ts";
import type { Core } from "./core.ts";
import { Masthead } from "./masthead.ts";

/** Sets up the ways to open a source: the masthead's menu, files that are dropped, and the form that corrects a recording's facts. */
export function offerWaysToOpen({ engine, events, messages, player }: Core): SourceOpener {
  const opener = new SourceOpener(player, messages, (source, input) => events.opened$.next({ source, input }));
  const masthead = new Masthead(byId("masthead"), opener);
  const assumed = new CorrectionsForm((corrections) => opener.correct(corrections));
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
  // The CPU may have taken the place of a GPU.
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
