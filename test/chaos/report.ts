import { table } from '../deployments/matrix.ts';
import type { Facts, RequestFact } from './facts.ts';
import { type FaultClass, type Finding, faultClasses } from './verdict.ts';

export interface Report {
  seed: number;
  minutes: number;
  requests: { kind: string; accepted: number; refused: number; unanswered: number; attempts: number }[];
  faults: Facts['faults'];
  kills: Record<string, number>;
  pauses: Record<string, number>;
  deployments: Record<string, number>;
  checks: number;
  counts: Record<FaultClass, number>;
  findings: Finding[];
}

export function reportOf(
  facts: Facts,
  findings: Finding[],
  { seed, minutes }: { seed: number; minutes: number },
): Report {
  const kinds = [...new Set(facts.requests.map(({ kind }) => kind))].sort();
  const counted = (what: 'kill' | 'pause') =>
    countsOf(facts.faults.filter((one) => one.what === what && one.pids.length > 0).flatMap(({ parts }) => parts));
  const ends = facts.rows.filter(({ kind }) => kind === 'deployment').map(({ state }) => state);
  return {
    ...{ seed, minutes },
    requests: kinds.map((kind) => ({ kind, ...sumOf(facts.requests.filter((one) => one.kind === kind)) })),
    ...{ faults: facts.faults, kills: counted('kill'), pauses: counted('pause') },
    ...{ deployments: countsOf(ends), checks: facts.checks.length },
    counts: Object.fromEntries(
      faultClasses.map((one) => [one, findings.filter(({ is }) => is === one).length]),
    ) as Report['counts'],
    findings,
  };
}

function sumOf(requests: readonly RequestFact[]) {
  const count = (is: (status: number | undefined) => boolean) => requests.filter(({ status }) => is(status)).length;
  return {
    accepted: count((status) => status !== undefined && status < 300),
    refused: count((status) => status !== undefined && status >= 300),
    unanswered: count((status) => status === undefined),
    attempts: requests.reduce((sum, { attempts }) => sum + attempts, 0),
  };
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The report for people: requests by kind, each fault with its time, and what was found. */
export function textOf(report: Report): string {
  const { seed, minutes, requests, faults, kills, pauses, counts, findings, deployments, checks } = report;
  const list = (of: Record<string, number>) =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  const total = (of: 'accepted' | 'refused' | 'unanswered' | 'attempts') =>
    requests.reduce((sum, one) => sum + one[of], 0);
  const columns = ['accepted', 'refused', 'unanswered', 'attempts'] as const;
  const faultRows = faults.map(({ at, until, what, parts, pids, note }) => [
    ...[at.slice(11, 23), until.slice(11, 23), what === 'kill' ? 'kill -9' : 'pause'],
    ...[parts.join(' + '), String(pids.length), pids.slice(0, 4).join(' '), note],
  ]);
  return [
    `Seed ${seed}, ${minutes} minutes`,
    table(
      ['requests', ...columns],
      [
        ...requests.map((one) => [one.kind, ...columns.map((column) => String(one[column]))]),
        ['all', ...columns.map((column) => String(total(column)))],
      ],
    ),
    table(['from', 'until', 'fault', 'parts', 'processes', 'ids', ''], faultRows),
    `kill -9: ${list(kills)}\npauses: ${list(pauses)}\ndeployments: ${list(deployments)}\naddresses of live and failed ones that were asked: ${checks}`,
    table(
      ['class', 'count'],
      faultClasses.map((one) => [one, String(counts[one])]),
    ),
    ...(findings.length === 0 ? [] : [findings.map(({ is, what }) => `${is}: ${what}`).join('\n')]),
  ].join('\n\n');
}
