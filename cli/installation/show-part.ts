import type { PartEvent } from '../../runtime/supervisor/kept-part.ts';
import type { Progress } from '../engine/progress.ts';

/** Turns what the supervisor reports into lines for people. */
export function showPart(progress: Progress): (event: PartEvent) => void {
  return (event) => {
    const { title } = event.part;
    switch (event.kind) {
      case 'starting':
        return progress.running(title, `${title} is starting`);
      case 'ready':
        return progress.done(title, `${title} ready`);
      case 'died':
        return progress.line(`! ${title}: ${event.reason}; it is started again`);
      case 'failing':
        return progress.line(`! ${event.sentence}`);
    }
  };
}
