import { isId } from '../../../../domain/ids.ts';
import type { Times } from '../../../components/times/times.ts';
import { isKind, type Kind } from '../actor-words.ts';

/** The choice of workflows, as the address has it: untrusted input. */
export interface WorkflowFilter {
  q?: string;
  lives?: 'for-ever';
  view?: 'running' | 'failed-today' | 'stuck';
  kind?: string;
  /** The id of a cluster or organization. */
  about?: string;
  /** The id of a person or token. */
  by?: string;
  /** Days, as a date field has them. */
  from?: string;
  until?: string;
}

export const views = [
  { view: undefined, label: 'All' },
  { view: 'running', label: 'Running' },
  { view: 'failed-today', label: 'Failed today' },
  { view: 'stuck', label: 'Stuck' },
] as const;

interface WorkflowQuery {
  q?: string;
  lives: 'once' | 'for-ever';
  kind?: Kind;
  state?: 'open';
  stuck?: true;
  outcome?: 'failed';
  subjectId?: string;
  requestedBy?: string;
  from?: string;
  until?: string;
}

/** "Failed today" ends the day in the reader's zone. */
export function queryOf({ q, lives, view, kind, about, by, from, until }: WorkflowFilter, times: Times): WorkflowQuery {
  const today = view === 'failed-today' ? times.day(Date.now()) : undefined;
  const begin = times.dayBegin(today ?? from ?? '');
  const end = until === undefined ? undefined : times.dayBegin(until, 1);
  return {
    lives: lives ?? 'once',
    ...(q === undefined ? {} : { q }),
    ...(isKind(kind) ? { kind } : {}),
    ...(view === 'running' ? { state: 'open' as const } : {}),
    ...(view === 'stuck' ? { stuck: true as const } : {}),
    ...(view === 'failed-today' ? { outcome: 'failed' as const } : {}),
    ...(about !== undefined && isId(about) ? { subjectId: about } : {}),
    ...(by === undefined ? {} : { requestedBy: by }),
    ...(begin === undefined ? {} : { from: begin.toISOString() }),
    ...(end === undefined ? {} : { until: end.toISOString() }),
  };
}
