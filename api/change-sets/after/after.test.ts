import { describe, expect, test } from 'vitest';
import { ok } from '../../../test/api/client.ts';
import {
  act,
  addOther,
  at,
  deploymentOf,
  endedChangeSets,
  other,
  settled,
} from '../../../test/api/ended-change-sets.ts';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import type { Applied } from '../../../test/seeds/apply-ground.ts';

const { apply, call, create, draft, finish, goLive, stage, variable, variablesOf } = at;

const ofOther = (key: string, value: string) => ({ ...variable(key, value), serviceId: other.serviceId });

/** Two services in staging, of which one is live and the other failed. */
const half = async () => {
  await stage(at.staging, create(), addOther());
  const set = await apply(at.staging, { message: 'Both' });
  await goLive(deploymentOf(set, at.service.serviceId));
  await finish(deploymentOf(set, other.serviceId), 'failed');
  expect(await settled(set)).toBe('failed');
  return set;
};

endedChangeSets();

describe('retry', () => {
  test('deploys what did not go live as a change set of its own, and leaves alone what is staged', async () => {
    const set = await half();
    await stage(at.staging, ofOther('STAGED', '1'));
    const retried = ok<Applied>(await act(set.changeSet.id, 'retry'));
    expect(retried).toMatchObject({ changeSet: { state: 'applying', message: 'Retry: Both' } });
    expect(retried.changeSet.id).not.toBe(set.changeSet.id);
    expect(retried.deployments.map(({ serviceId }) => serviceId)).toEqual([other.serviceId]);
    expect((await draft(at.staging)).items).toMatchObject([{ key: 'STAGED' }]);
    expectProblem(await act(set.changeSet.id, 'retry'), 409, 'left to retry');
    await goLive(deploymentOf(retried, other.serviceId));
    expect(await settled(retried)).toBe('applied');
    expect((await act(retried.changeSet.id, 'retry')).status).toBe(409);
  });

  test('one that is not over, or that changed nothing, is not retried', async () => {
    const { changeSet } = await stage(at.staging, create());
    expect((await act(changeSet.id, 'retry')).body.detail).toContain('apply them instead');
    await apply(at.staging);
    expect((await act(changeSet.id, 'retry')).body.detail).toContain('has not ended');
    await stage(at.production, create());
    const held = await apply(at.production);
    ok(await act(held.changeSet.id, 'cancel'));
    expect((await act(held.changeSet.id, 'retry')).body.detail).toContain('staged again');
  });
});

describe('cancel', () => {
  test('held, the changes return to the draft', async () => {
    await stage(at.production, create(), variable('A', '1'));
    const held = await apply(at.production);
    expect(ok(await act(held.changeSet.id, 'cancel'))).toMatchObject({ state: 'cancelled' });
    expect((await draft(at.production)).items).toHaveLength(2);
    const { body } = await call('GET', `/approvals/${held.approval?.id}`);
    expect(body).toMatchObject({ decision: 'cancelled' });
    expect((await act(held.changeSet.id, 'cancel')).status).toBe(409);
  });

  test('applying, it ends by what went live, and is asked as often as one likes', async () => {
    await stage(at.staging, create(), addOther());
    const set = await apply(at.staging);
    await goLive(deploymentOf(set, at.service.serviceId));
    ok(await act(set.changeSet.id, 'cancel'));
    expect(await settled(set)).toBe('failed');
    expect((await act(set.changeSet.id, 'cancel')).status).toBe(409);
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

  test('stages what was before, secrets too, and deploys nothing', async () => {
    await live(create(), variable('A', '1'), variable('S', 'old secret', { secret: true }), variable('GONE', 'x'));
    const set = await live(
      variable('A', '2'),
      variable('NEW', 'n'),
      variable('S', 'new secret', { secret: true }),
      { kind: 'variable.unset', serviceId: at.service.serviceId, key: 'GONE' },
      at.replicas(3),
    );
    const answered = await act(set.changeSet.id, 'revert');
    expect(answered.text).not.toContain('secret"}');
    const { draft: staged, skipped } = answered.body as unknown as Awaited<ReturnType<typeof reverted>>;
    expect(skipped).toEqual([]);
    expect(staged.items.map(({ kind, key, to }) => `${kind} ${key} ${to}`).toSorted()).toEqual([
      'process.set replicas 1',
      'variable.set A "1"',
      'variable.set GONE "x"',
      'variable.set S ',
      'variable.unset NEW ',
    ]);
    expect(await deploymentsOpen()).toBe(0);
    expectProblem(await act(set.changeSet.id, 'revert'), 409, 'another change of it is staged');
    const again = await apply(at.staging);
    expect(await at.secretsOf(again.deployments[0]?.releaseId ?? '')).toEqual({ S: 'old secret' });
    expect(await variablesOf(at.staging)).toMatchObject([{ key: 'A', value: '1' }, { key: 'GONE' }, { key: 'S' }]);
  });

  test('only what is still as it set it; the rest is named', async () => {
    await live(create(), variable('A', '1'), variable('B', '1'), variable('C', '1'));
    const set = await live(variable('A', '2'), variable('B', '2'), variable('C', '2'));
    await live(variable('A', '3'));
    await stage(at.staging, variable('B', 'mine'));
    const { draft: staged, skipped } = await reverted(set);
    expect(staged.items).toMatchObject([
      { key: 'B', to: '"mine"' },
      { key: 'C', to: '"1"' },
    ]);
    expect(skipped.map(({ reason }) => reason).toSorted()).toEqual([
      'another change of it is staged',
      'it was changed since',
    ]);
  });

  test('a service that it added is removed, with all that was set of it', async () => {
    const set = await live(create(), variable('A', '1'));
    const { draft: staged } = await reverted(set);
    expect(staged.items).toMatchObject([{ kind: 'service.remove' }]);
  });

  test('a service that it removed comes back as it was, with its variables and files; what leads nowhere by now is named', async () => {
    const { serviceId } = at.service;
    const shared = (key: string, value: string) => ({ kind: 'variable.set', key, value });
    const secret = variable('SECRET', 'hush hush', { secret: true });
    await live(
      ...[create(), addOther(), ofOther('X', 'x'), shared('R', 'eu'), shared('GONE', 'g'), at.replicas(2)],
      ...[variable('PLAIN', '1'), secret, variable('REGION', '${{shared.R}}'), variable('LOST', '${{shared.GONE}}')],
      variable('LOST_TOO', '${{LOST}}!'),
    );
    const before = (await at.settingsOf(at.staging)).settings;
    // No agent of here mounts files.
    const file = (path: string, key: string) => ({ path, variable: key });
    const files = [file('a.txt', 'PLAIN'), file('b.txt', 'LOST')];
    await at.api.rows.set('environment_service', { service_id: serviceId }, { settings: { ...before, files } });
    const removal = { kind: 'service.remove', serviceId };
    const set = await live(removal, { kind: 'variable.unset', key: 'R' });
    await live({ kind: 'variable.unset', key: 'GONE' });
    expect(await variablesOf(at.staging)).toHaveLength(1);

    const answered = await act(set.changeSet.id, 'revert');
    expect(answered.text).not.toContain('hush');
    const { draft: staged, skipped } = answered.body as unknown as Awaited<ReturnType<typeof reverted>>;
    expect(skipped.map(({ label, reason }) => `${label}: ${reason}`)).toEqual([
      expect.stringMatching(/^Variable LOST: .*LOST refers to shared.GONE: /),
      expect.stringMatching(/^Variable LOST_TOO: .*LOST_TOO refers to LOST: /),
      'File b.txt: its variable LOST is not restored',
    ]);
    expect(
      staged.items.map(({ kind, key, to }) => `${kind} ${key} ${kind === 'service.create' ? '' : to}`).toSorted(),
    ).toEqual([
      ...['service.create  ', 'variable.set PLAIN "1"', 'variable.set R "eu"', 'variable.set REGION "${{shared.R}}"'],
      'variable.set SECRET ',
    ]);
    const created = staged.items.find(({ kind }) => kind === 'service.create');
    expect(JSON.parse(created?.to ?? '')).toEqual({ ...before, files: files.slice(0, 1) });
    await stage(at.staging, { kind: 'file.unset', serviceId, key: 'a.txt' });
    const again = await apply(at.staging);
    expect((await at.settingsOf(at.staging)).settings).toEqual(before);
    expect(await at.secretsOf(again.deployments[0]?.releaseId ?? '')).toEqual({ SECRET: 'hush hush' });
    expectProblem(await act(set.changeSet.id, 'revert'), 409, 'the service is in the environment again');
  });

  test('one that is staged, under way or returned has nothing to revert', async () => {
    const { changeSet } = await stage(at.staging, create());
    expect((await act(changeSet.id, 'revert')).body.detail).toContain('discard them instead');
    await apply(at.staging);
    expect((await act(changeSet.id, 'revert')).body.detail).toContain('has not ended');
  });

  const deploymentsOpen = async () =>
    ((await call('GET', `/environments/${at.staging}/deployments?open=true`)).body.items as object[]).length;
});
