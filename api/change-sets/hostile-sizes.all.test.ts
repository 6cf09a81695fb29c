import { beforeEach, expect, test } from 'vitest';
import { mostVariableBytes } from '../../domain/change-sets/rules.ts';
import { ok } from '../../test/api/client.ts';
import type { Answered } from '../../test/installation/running-api.ts';
import { wholeRows } from '../../test/rows/whole-rows.ts';
import { applyGround } from '../../test/seeds/apply-ground.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const ground = applyGround();
const letters = ['a', 'b', 'c', 'd', 'e'] as const;
/** The ids of five services that are in staging. */
const ids: Record<string, string> = {};
beforeEach(async () => {
  const place = { organizationId: ground.ours.organizationId, projectId: ground.projectId };
  for (const slug of letters) {
    const { serviceId } = await seedService(ground.api.database, place, { slug, image: `${ground.host}/app:1` });
    ids[slug] = serviceId;
  }
  await ground.stage(ground.staging, ...letters.map((slug) => ({ kind: 'service.create', serviceId: ids[slug] })));
});

const set = (slug: string, value: string, key = 'K') => ({ kind: 'variable.set', serviceId: ids[slug], key, value });
const next = (slug: string): string => letters[(letters.indexOf(slug as 'a') + 1) % letters.length] ?? '';
const link = (slug: string) => set(slug, `\${{${next(slug)}.K}}`);
const put = (path: string, body: object) =>
  ground.call('PUT', `/environments/${ground.staging}/change-set/${path}`, body);
const imported = (serviceId: string | undefined, text: string) =>
  ground.call('POST', `/environments/${ground.staging}/variables/import`, { serviceId, text });

/** Refused with all of these words, and nothing is written. */
async function refused(status: number, ask: () => Promise<Answered>, ...words: string[]): Promise<void> {
  const before = await wholeRows(ground.api.database);
  const answered = await ask();
  expect(answered.status, answered.text).toBe(status);
  for (const word of words) expect(answered.text).toContain(word);
  expect(await wholeRows(ground.api.database)).toEqual(before);
}

/** The way around, from any of the five. */
const around = /in a circle: (?:[a-e]\.K → ){5}[a-e]\.K\./;
async function refusedCircle(ask: () => Promise<Answered>): Promise<void> {
  let detail = '';
  await refused(409, async () => {
    const answered = await ask();
    detail = String(answered.body.detail);
    return answered;
  });
  expect(detail).toMatch(around);
  const way = detail.match(/[a-e](?=\.K)/g) ?? [];
  for (const [at, slug] of way.slice(0, -1).entries()) expect(way[at + 1]).toBe(next(slug));
}

test('a circle over five services is refused with the whole way, however it is staged', async () => {
  await refusedCircle(() => put('items:batch', { items: letters.map(link) }));
  // Backwards, so that each leads somewhere when it is staged.
  await ground.stage(ground.staging, set('e', 'end'), link('d'), link('c'), link('b'), link('a'));
  await refusedCircle(() => put('items', link('e')));
  await refusedCircle(() => imported(ids.e, 'OTHER=1\nK=${{a.K}}\n'));
  await ground.apply(ground.staging);
  await refusedCircle(() => put('items', link('e')));
  // With the first opened, the last may be closed; and then the first cannot be discarded.
  await ground.stage(ground.staging, set('a', 'open'), link('e'));
  const { items } = await ground.draft(ground.staging);
  const open = (items as { key: string; to: string; id?: string }[]).find(({ to }) => to === '"open"');
  await refusedCircle(() => ground.call('DELETE', `/change-set-items/${open?.id}`));
  await ground.apply(ground.staging);
  await refusedCircle(() => put('items', link('a')));
});

test('a circle that a rollback closes is refused by the next apply and by a clone, until somebody opens it', async () => {
  await ground.stage(ground.staging, set('e', 'end'), link('d'), link('c'), link('b'), link('a'));
  const first = await ground.apply(ground.staging);
  for (const { id } of first.deployments) await ground.goLive(id);
  await ground.stage(ground.staging, set('a', 'open'), link('e'));
  const second = await ground.apply(ground.staging);
  for (const { id } of second.deployments) await ground.goLive(id);
  const before = first.deployments.find(({ serviceId }) => serviceId === ids.a);
  ok(await ground.call('POST', `/releases/${before?.releaseId}/rollback`, {}), 201);
  await ground.stage(ground.staging, set('b', 'x', 'OTHER'));
  await refusedCircle(() => ground.applyOf(ground.staging));
  const cloned = { name: 'Copy' };
  await refusedCircle(() =>
    ground.call('POST', `/environments/${ground.staging}/clone`, cloned, ground.ours.sessions.admin),
  );
  await ground.stage(ground.staging, set('c', 'open'));
  expect((await ground.apply(ground.staging)).deployments.length).toBeGreaterThan(0);
});

const large = 'x'.repeat(1_000_000);
const values: [string, string, string, () => Promise<Answered>][] = [
  ['alone', 'body.value', '', () => put('items', set('a', large, 'BIG'))],
  [
    'in a batch',
    'body.items[1].value',
    '',
    () => put('items:batch', { items: [set('a', 'x'), set('b', large, 'BIG')] }),
  ],
  ['shared', 'body.value', '', () => put('items', { kind: 'variable.set', key: 'BIG', value: large })],
  ['imported', 'body.text', 'line 2: BIG', () => imported(ids.a, `SMALL=1\nBIG=${large}`)],
  [
    'of letters of several bytes',
    'body.value',
    '',
    () => put('items', set('a', '😀'.repeat(mostVariableBytes / 4 + 1), 'BIG')),
  ],
];

test.each(values)('a value of 1 MB, %s, is refused at its place', async (_, location, words, ask) => {
  await refused(422, ask, location, words);
});

test('a body of more than a megabyte is refused, and a value of the most that is allowed is kept to the letter', async () => {
  await refused(413, () => put('items', set('a', 'x'.repeat(1_048_576), 'BIG')), 'larger than the server accepts');
  const most = `${'é'.repeat(mostVariableBytes / 2 - 1)}\r\n`;
  ok(await put('items', set('a', most, 'BIG')));
  const { deployments } = await ground.apply(ground.staging);
  expect(deployments).toHaveLength(5);
  const [one] = (await ground.variablesOf(ground.staging)).filter(({ key }) => key === 'BIG');
  expect(one?.value).toBe(most);
});

test('references that add up to more than the most are refused by the apply, with service and key', async () => {
  const half = 'x'.repeat(mostVariableBytes / 2);
  await ground.stage(ground.staging, set('a', half), set('b', '${{a.K}}${{a.K}}!', 'TWICE'), set('c', 'x'));
  await refused(409, () => ground.applyOf(ground.staging), 'b.TWICE has more than 128 kB');
});

test('10,000 variables are staged, applied, read and cloned', async () => {
  const each = 2_000;
  const times: string[] = [];
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    times.push(`${what} ${Math.round(performance.now() - from)} ms`);
    return result;
  };
  await timed('staged', async () => {
    for (const slug of letters) {
      for (let from = 0; from < each; from += 500) {
        const items = Array.from({ length: 500 }, (_, at) =>
          set(slug, `value of ${slug} ${from + at}`, `K_${from + at}`),
        );
        ok(await put('items:batch', { items }));
      }
    }
  });
  const applied = await timed('applied', () => ground.apply(ground.staging));
  expect(applied.deployments).toHaveLength(5);
  const items = await timed('read', async () => {
    const found: unknown[] = [];
    for (let after = ''; ; ) {
      const path = `/environments/${ground.staging}/variables?limit=100${after === '' ? '' : `&cursor=${after}`}`;
      const page = ok<{ items: unknown[]; nextCursor?: string }>(await ground.call('GET', path));
      found.push(...page.items);
      if (page.nextCursor === undefined || page.nextCursor === '') return found;
      after = encodeURIComponent(page.nextCursor);
    }
  });
  expect(items).toHaveLength(5 * each);
  const copy = await timed('cloned', () =>
    ground.call('POST', `/environments/${ground.staging}/clone`, { name: 'Copy' }, ground.ours.sessions.admin),
  );
  expect(copy.status, copy.text).toBe(201);
  expect((await ground.apply(String(copy.body.id))).deployments).toHaveLength(5);
  process.stdout.write(`10,000 variables: ${times.join(', ')}\n`);
});
