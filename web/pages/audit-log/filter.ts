import type { Times } from '../../components/times/times.ts';

/** Filters of the log as the address holds them. */
export interface LogFilter {
  /** As in `team.renamed`. */
  action?: string;
  /** The id of a person, a token or a machine. */
  actor?: string;
  /** A kind of thing, or one of them: `team`, `team/<id>`. */
  subject?: string;
  /** Days in the reader's zone, both included: `2026-11-21`. */
  from?: string;
  to?: string;
}

/** The filters as query parameters. Invalid days are dropped: the address is untrusted input. */
export function queryOf({ action, actor, subject, from, to }: LogFilter, { dayBegin }: Times) {
  const [kind, ...rest] = subject?.split('/') ?? [];
  const id = rest.join('/');
  const begin = dayBegin(from ?? '');
  const end = dayBegin(to ?? '', 1);
  return {
    action,
    actor,
    subjectKind: kind || undefined,
    subjectId: id || undefined,
    from: begin?.toISOString(),
    until: end?.toISOString(),
  };
}
