import { expect, test } from 'vitest';
import { timesIn } from '../../components/times/times.ts';
import type { AuditRecord } from './audit-words.ts';
import { allRecords, exportText, mostExported } from './export-log.ts';
import { queryOf } from './filter.ts';

const utc = timesIn('UTC');

test('days of the address are whole days of the reader, and what is no day is not asked for', () => {
  expect(queryOf({ from: '2026-03-28', to: '2026-03-28' }, timesIn('Asia/Tokyo'))).toEqual({
    from: '2026-03-27T15:00:00.000Z',
    until: '2026-03-28T15:00:00.000Z',
  });
  expect(queryOf({ from: 'yesterday', to: '0000-00-00', subject: '' }, utc)).toEqual({});
});

test('a subject is a kind, or one of it', () => {
  expect(queryOf({ subject: 'team' }, utc)).toEqual({ subjectKind: 'team' });
  expect(queryOf({ subject: 'workload/1 a/b', action: 'x' }, utc)).toEqual({
    action: 'x',
    subjectKind: 'workload',
    subjectId: '1 a/b',
  });
});

const record: AuditRecord = {
  id: '1',
  at: '2026-11-21T08:00:00.000Z',
  action: 'team.created',
  actor: { kind: 'user', id: '2', name: '=cmd|"/c calc"' },
  subject: { kind: 'team', id: '3', name: 'a,b\nc' },
};

test('no name becomes a formula or another line of a table', () => {
  const [, ...lines] = exportText([record], 'csv').split('\r\n');
  expect(lines.join('')).toContain(`"'=cmd|""/c calc"""`);
  expect(lines).toHaveLength(2);
  expect(JSON.parse(exportText([record], 'ndjson'))).toEqual(record);
});

test('all pages are exported, up to a limit', async () => {
  const pages = (count: number) => async (cursor: string | undefined) => {
    const page = Number(cursor ?? 0);
    return {
      items: Array.from({ length: 200 }, () => record),
      ...(page + 1 < count ? { nextCursor: `${page + 1}` } : {}),
    };
  };
  const ignore = () => undefined;
  expect((await allRecords(pages(3), ignore)).records).toHaveLength(600);
  const { records, complete } = await allRecords(pages(1_000), ignore);
  expect([records.length, complete]).toEqual([mostExported, false]);
});
