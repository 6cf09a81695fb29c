import { factsOf, type HistoryEvent, textOf } from './event.ts';
import { failureText } from './in-words.ts';
import { add, type Telling } from './telling.ts';
import type { Said } from './words.ts';

/** The beginning of a run. That it goes on from the one before is told at the end of that one, if that one is known. */
export function beginRun(telling: Telling, event: HistoryEvent): void {
  const { input, memo, continuedExecutionRunId } = event.attributes;
  telling.about = factsOf(input);
  const detail = telling.words.about(telling.about);
  if (textOf(continuedExecutionRunId) === '') {
    add(telling, event, 'started', { title: startedBy(factsOf(memo).author), detail });
  } else if (telling.run === 1) {
    add(telling, event, 'continued', { title: 'Went on from a run whose history is not kept any more', detail });
  }
}

export function endRun(telling: Telling, event: HistoryEvent): void {
  const { type, attributes } = event;
  switch (type) {
    case 'WorkflowExecutionContinuedAsNew': {
      const title = 'Went on in a new run: the history of this one had grown long';
      add(telling, event, 'continued', { title });
      return;
    }
    case 'WorkflowExecutionCompleted':
      add(telling, event, 'ended', telling.words.ended(attributes.result, telling.about));
      return;
    default:
      add(
        telling,
        event,
        'ended',
        { ...(badEnds[type] ?? { title: 'Ended' }), detail: textOf(attributes.reason) },
        failureText(attributes.failure),
      );
  }
}

const badEnds: Readonly<Record<string, Said>> = {
  WorkflowExecutionFailed: { title: 'Ended: it failed', outcome: 'failed' },
  WorkflowExecutionTimedOut: { title: 'Ended: its time was over', outcome: 'timed-out' },
  WorkflowExecutionCanceled: { title: 'Ended: it was cancelled', outcome: 'cancelled' },
  WorkflowExecutionTerminated: { title: 'Ended: an operator terminated it', outcome: 'failed' },
};

function startedBy(author: unknown): string {
  const { kind, id, name } = factsOf(author);
  const named = textOf(name);
  if (kind === 'user' && named !== '') return `Started by ${named}`;
  if (kind === 'token' && named !== '') return `Started with the API token “${named}”`;
  if (kind === 'machine' && id === 'reconciler') return 'Started again by the control plane: it had been lost';
  if (kind === 'machine' || kind === 'actor') return 'Started by the control plane itself';
  return 'Started';
}
