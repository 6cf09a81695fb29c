import { factsOf, type HistoryEvent, textOf } from './event.ts';
import { failureText } from './in-words.ts';
import { add, type Telling } from './telling.ts';
import type { Said } from './words.ts';

/** The start of a run. The end of the previous run, if known, already tells that this one continues it. */
export function beginRun(telling: Telling, event: HistoryEvent): void {
  const { input, memo, continuedExecutionRunId } = event.attributes;
  telling.about = factsOf(input);
  const detail = telling.words.about(telling.about);
  if (textOf(continuedExecutionRunId) === '') {
    add(telling, event, 'started', { title: startedBy(factsOf(memo).author), detail });
  } else if (telling.run === 1) {
    add(telling, event, 'continued', { title: 'Continued from a run whose history is no longer kept', detail });
  }
}

export function endRun(telling: Telling, event: HistoryEvent): void {
  const { type, attributes } = event;
  switch (type) {
    case 'WorkflowExecutionContinuedAsNew': {
      const title = 'Continued in a new run: the history of this one had grown long';
      add(telling, event, 'continued', { title });
      return;
    }
    case 'WorkflowExecutionCompleted':
      add(telling, event, 'ended', telling.words.ended(attributes.result, telling.about)).state = textOf(
        attributes.result,
      );
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
  WorkflowExecutionFailed: { title: 'Ended: failed', outcome: 'failed' },
  WorkflowExecutionTimedOut: { title: 'Ended: timed out', outcome: 'timed-out' },
  WorkflowExecutionCanceled: { title: 'Ended: cancelled', outcome: 'cancelled' },
  WorkflowExecutionTerminated: { title: 'Ended: terminated by an operator', outcome: 'failed' },
};

function startedBy(author: unknown): string {
  const { kind, id, name } = factsOf(author);
  const named = textOf(name);
  if (kind === 'user' && named !== '') return `Started by ${named}`;
  if (kind === 'token' && named !== '') return `Started with the API token “${named}”`;
  if (kind === 'machine' && id === 'reconciler') return 'Restarted by the control plane after its run was lost';
  if (kind === 'machine' || kind === 'actor') return 'Started by the control plane';
  return 'Started';
}
