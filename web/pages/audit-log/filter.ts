/** Filters of the log as the address holds them. */
export interface LogFilter {
  /** As in `team.renamed`. */
  action?: string;
  /** The id of a person, a token or a machine. */
  actor?: string;
  /** A kind of thing, or one of them: `team`, `team/<id>`. */
  subject?: string;
  /** Days of the reader's calendar, both included: `2026-11-21`. */
  from?: string;
  to?: string;
}

interface LogQuery {
  action?: string;
  actor?: string;
  subjectKind?: string;
  subjectId?: string;
  from?: string;
  until?: string;
}

/** The filters as query parameters. Invalid days are dropped: the address is untrusted input. */
export function queryOf({ action, actor, subject, from, to }: LogFilter): LogQuery {
  const [kind, ...rest] = subject?.split('/') ?? [];
  const id = rest.join('/');
  const begin = dayBegin(from, 0);
  const end = dayBegin(to, 1);
  return {
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : { actor }),
    ...(kind === undefined || kind === '' ? {} : { subjectKind: kind }),
    ...(id === '' ? {} : { subjectId: id }),
    ...(begin === undefined ? {} : { from: begin }),
    ...(end === undefined ? {} : { until: end }),
  };
}

function dayBegin(day: string | undefined, later: number): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '');
  if (parts === null) return undefined;
  const [, year, month, date] = parts.map(Number);
  if (year === undefined || month === undefined || date === undefined || year < 1970) return undefined;
  return new Date(year, month - 1, date + later).toISOString();
}
