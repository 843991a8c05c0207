import { filter, switchMap, take, takeUntil } from "rxjs";
import { byId } from "../../dom/controls.ts";
import { CorrectionsForm } from "../source/correctionsForm.ts";
import { dropzone } from "../source/dropzone.ts";
import { SourceOpener } from "../source/sourceOpener.ts";
import type { Core } from "./core.ts";
import { Masthead } from "./masthead.ts";

/** Sets up the ways to open a source: the masthead's menu, files that are dropped, and the form that corrects a recording's facts. */
export function offerWaysToOpen(
  { engine, events, messages, player, settling }: Core,
  isFromTable = false,
): SourceOpener {
  const opener = new SourceOpener(player, messages, settling, (source, input) =>
    events.opened$.next({ source, input }),
  );
  const masthead = new Masthead(byId("masthead"), opener, isFromTable);
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
  events.scene$.subscribe(({ frame, source }) => {
    const { width, height } = frame.intrinsics;
    const { corrections } = opener;
    byId("empty").hidden = true;
    // Until the stages have processed this frame, the earlier source's picture is on the screen.
    const drawn$ = events.shown$.pipe(
      filter(({ origin }) => origin?.source === source),
      take(1),
      // The presenter has subscribed to the ticks before, so it draws the picture first.
      switchMap(() => events.tick$),
      take(1),
      takeUntil(events.opened$),
    );
    drawn$.subscribe(() => {
      say = () => masthead.show(source, width, height, engine.pipeline);
      say();
      assumed.show(source, frame, corrections);
    });
  });
  return opener;
}
