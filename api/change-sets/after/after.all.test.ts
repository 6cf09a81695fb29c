import { describe, expect, test } from 'vitest';
import { ok } from '../../../test/api/client.ts';
import { act, addOther, at, deploymentOf, endedChangeSets, settled } from '../../../test/api/ended-change-sets.ts';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import type { Applied } from '../../../test/seeds/apply-ground.ts';

const { apply, call, create, finish, stage, variable } = at;

endedChangeSets();

describe('retry', () => {
  test('in production it waits for an approval of its own', async () => {
    await stage(at.production, create());
    const held = await apply(at.production);
    ok(await at.decide(held.approval?.id));
    await finish(deploymentOf(held, at.service.serviceId), 'failed');
    await settled(held);
    const retried = ok<Applied>(await act(held.changeSet.id, 'retry', { reason: 'again' }));
    expect(retried).toMatchObject({ changeSet: { state: 'held' }, approval: { id: expect.any(String) } });
  });
});

describe('cancel', () => {
  test('one that rolls is asked to end, and asked again without harm', async () => {
    await stage(at.staging, create());
    const set = await apply(at.staging);
    const id = deploymentOf(set, at.service.serviceId);
    await at.claim(id);
    for (const _ of [1, 2]) ok(await act(set.changeSet.id, 'cancel'));
    expect((await call('GET', `/deployments/${id}`)).body).toMatchObject({ state: 'preparing', cancelRequested: true });
    await finish(id, 'cancelled');
    expect(await settled(set)).toBe('cancelled');
  });

  test('nothing of it live, it is cancelled as a whole; a draft is discarded instead', async () => {
    const { changeSet } = await stage(at.staging, create(), addOther());
    expect((await act(changeSet.id, 'cancel')).body).toMatchObject({ status: 409 });
    const set = await apply(at.staging);
    ok(await act(set.changeSet.id, 'cancel'));
    expect(await settled(set)).toBe('cancelled');
    ok(await act(set.changeSet.id, 'retry'));
  });
});

describe('revert', () => {
  const live = async (...items: object[]) => {
    const set = await at.live(at.staging, ...items);
    await settled(set);
    return set;
  };
  const reverted = async (set: Applied) =>
    ok<{
      draft: { items: { kind: string; key: string; to: string; secret: boolean }[] };
      skipped: { label: string; reason: string }[];
    }>(await act(set.changeSet.id, 'revert'));

  test('shared variables, too: a new one is unset, a secret one has the value of before', async () => {
    const shared = (key: string, value: string, more = {}) => ({ kind: 'variable.set', key, value, ...more });
    const hidden = { secret: true };
    const all = variable('ALL', '${{shared.P}} ${{shared.S}} ${{shared.T}}');
    await live(
      create(),
      all,
      shared('P', 'p1'),
      shared('S', 's1', hidden),
      shared('T', 't1', hidden),
      shared('G', 'g1', hidden),
    );
    const gone = { kind: 'variable.unset', key: 'G' };
    const set = await live(
      ...[shared('NEW', 'n'), shared('HID', 'h', hidden), shared('P', 'p2'), shared('S', 's2')],
      ...[shared('T', 'plain', { secret: false }), gone],
    );
    const answered = await act(set.changeSet.id, 'revert');
    expect(answered.text).not.toMatch(/s1|t1|g1/);
    const { draft: staged, skipped } = answered.body as unknown as Awaited<ReturnType<typeof reverted>>;
    expect(skipped).toEqual([]);
    expect(staged.items.map(({ kind, key, to, secret }) => `${kind} ${key} ${to} ${secret}`).toSorted()).toEqual([
      ...['variable.set G  true', 'variable.set P "p1" false', 'variable.set S  true', 'variable.set T  true'],
      ...['variable.unset HID  true', 'variable.unset NEW  false'],
    ]);
    await stage(at.staging, variable('G', '${{shared.G}}'));
    const again = await live();
    expect(await at.secretsOf(again.deployments[0]?.releaseId ?? '')).toMatchObject({ ALL: 'p1 s1 t1', G: 'g1' });
  });

  test('a secret whose earlier release is retired is named, and nothing of it is guessed', async () => {
    const first = await live(create(), variable('S', 'old', { secret: true }));
    const set = await live(variable('S', 'new', { secret: true }));
    await at.api.rows.set('release', { id: first.deployments[0]?.releaseId ?? '' }, { retired_at: new Date() });
    expectProblem(await act(set.changeSet.id, 'revert'), 409, 'Variable S: its earlier value is not known any more');
  });

  test('an image goes back to its digest, not to what the tag means by now', async () => {
    await live(create());
    const [first = '', second = ''] = [at.tagged, `sha256:${'2'.repeat(64)}`];
    const source = { kind: 'service.set', serviceId: at.service.serviceId, key: 'source' };
    const { settings } = await at.settingsOf(at.staging);
    const set = await live({ ...source, value: { ...settings.source, imageRepository: `${at.host}/app:2` } });
    at.tagged = second;
    const { draft: staged } = await reverted(set);
    expect(staged.items[0]?.to).toContain(`/app:1@${first}`);
  });
});
