import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { machine } from '../../test/seeds/seed.ts';
import { seedService } from '../../test/seeds/seed-service.ts';
import { decideApproval } from '../approvals/decide.ts';
import { type Effect, effect } from '../engine/effect.ts';
import { appliedVariables } from './applied.ts';
import { applyDraft } from './apply/apply-draft.ts';
import { discardDraft, unstage } from './draft/unstage.ts';
import { draftItems, itemValue } from './items.ts';
import { stage } from './stage.ts';
import { changeSetView } from './view.ts';

let api: RunningApi;
let ours: Seeded;
beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

/** Numbers that are the same in each run of a seed. */
function numbers(seedOf: number) {
  let state = seedOf;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

type Values = Map<string, string | undefined>;

test.each([1, 2, 3])('staged and applied are what was wanted, and nothing is lost: walk %i', async (walk) => {
  const next = numbers(walk);
  const body = { name: `Walk ${crypto.randomUUID()}` };
  const made = await api.call('POST', '/api/v1/projects', { as: ours.sessions.admin, body });
  const { project, environments } = made.body as { project: { id: string }; environments: { id: string }[] };
  const { organizationId } = ours;
  const place = { organizationId, environmentId: environments[0]?.id ?? '', projectId: project.id, production: true };
  const { serviceId } = await seedService(api.database, place);
  const run = <T>(work: (one: Effect) => Promise<T>) => effect(api.database, machine, work);
  const people = [
    { id: 'ada', name: 'Ada' },
    { id: 'bob', name: 'Bob' },
  ] as const;
  const request = { title: '', reason: '', source: 'api', downtimeAccepted: false, answerableId: undefined } as const;
  const draft = async () => {
    const view = await changeSetView(api.database.kysely, place);
    if (view === undefined) throw new Error('There is no draft.');
    return view;
  };
  const apply = async (production = true) => {
    const { changeSet } = await draft();
    const asked = { ...request, changeSetId: changeSet.id };
    return await run((one) => applyDraft(one, api.keyring, { ...place, production }, new Map(), asked));
  };
  await run((one) => stage(one, api.keyring, place, [{ kind: 'service.create', serviceId, key: '' }], people[0]));
  await apply(false);

  const applied: Map<string, string> = new Map();
  let staged: Values = new Map();
  let held: { id: string; items: Values; basis: string }[] = [];
  const snapshot = () => JSON.stringify([...applied].toSorted());

  for (let step = 0; step < 60; step += 1) {
    const key = `K${next(4)}`;
    const by = people[next(2) as 0 | 1];
    const what = next(10);
    if (what < 5) {
      const to = next(5) === 0 ? undefined : `${next(3)}`;
      const item = to === undefined ? { kind: 'variable.unset' as const } : { kind: 'variable.set' as const, to };
      await run((one) => stage(one, api.keyring, place, [{ ...item, serviceId, key }], by));
      if (applied.get(key) === to) staged.delete(key);
      else staged.set(key, to);
    } else if (what === 5) {
      const item = (await draft()).items.find((one) => one.key === key);
      if (item !== undefined) await run((one) => unstage(one, place, item.id));
      staged.delete(key);
    } else if (what === 6 && next(3) === 0) {
      const { changeSet } = await draft();
      await run((one) => discardDraft(one, place, changeSet.id));
      staged = new Map();
    } else if (what === 7) {
      if (staged.size === 0) await expect(apply()).rejects.toThrow('Nothing is staged');
      else {
        held.push({ id: (await apply()).approvalId ?? '', items: staged, basis: snapshot() });
        staged = new Map();
      }
    } else if (held.length > 0) {
      const chosen = held[next(held.length)];
      if (chosen === undefined) continue;
      const decision = next(2) === 0 ? 'approved' : 'rejected';
      const ref = { id: chosen.id, organizationId, projectId: project.id };
      const deciding = run((one) => decideApproval(one, api.keyring, ref, { decision }));
      if (decision === 'approved' && chosen.basis !== snapshot()) {
        await expect(deciding).rejects.toMatchObject({ code: 'approval-stale' });
        continue;
      }
      await deciding;
      held = held.filter((one) => one !== chosen);
      for (const [name, to] of chosen.items) {
        if (decision === 'rejected') staged.set(name, staged.has(name) ? staged.get(name) : to);
        else if (to === undefined) applied.delete(name);
        else applied.set(name, to);
      }
      await expect(run((one) => decideApproval(one, api.keyring, ref, { decision }))).rejects.toMatchObject({
        code: 'already-decided',
      });
    }
    const items = await draftItems(api.database.kysely, place, (await draft()).changeSet.id);
    expect(new Map(items.map((item) => [item.key, itemValue(item)]))).toEqual(staged);
    expect(items).toHaveLength(staged.size);
    const values = await appliedVariables(api.database.kysely, api.keyring, place, [serviceId]);
    expect(new Map([...(values.get(serviceId) ?? [])].map(([name, { value }]) => [name, value]))).toEqual(applied);
  }
});
