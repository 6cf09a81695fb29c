import { isId } from '../../../../domain/ids.ts';
import type { Times } from '../../../components/times/times.ts';
import { isKind } from '../actor-words.ts';

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

/** "Failed today" ends the day in the reader's zone. */
export function queryOf({ q, lives, view, kind, about, by, from, until }: WorkflowFilter, times: Times) {
  const today = view === 'failed-today' ? times.day(Date.now()) : undefined;
  const begin = times.dayBegin(today ?? from ?? '');
  const end = until === undefined ? undefined : times.dayBegin(until, 1);
  return {
    lives: lives ?? ('once' as const),
    q,
    kind: isKind(kind) ? kind : undefined,
    state: view === 'running' ? ('open' as const) : undefined,
    stuck: view === 'stuck' ? (true as const) : undefined,
    outcome: view === 'failed-today' ? ('failed' as const) : undefined,
    subjectId: about !== undefined && isId(about) ? about : undefined,
    requestedBy: by,
    from: begin?.toISOString(),
    until: end?.toISOString(),
  };
}
