import { expect } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { appliedVariables } from '../../db/change-sets/applied.ts';
import { applyDraft } from '../../db/change-sets/apply/apply-draft.ts';
import { discardDraft, unstage } from '../../db/change-sets/draft/unstage.ts';
import { draftItems, itemValue } from '../../db/change-sets/items.ts';
import { stage } from '../../db/change-sets/stage.ts';
import { changeSetView } from '../../db/change-sets/view.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { machine } from '../seeds/seed.ts';
import { seedService } from '../seeds/seed-service.ts';
import { numbersOf } from './numbers.ts';
import type { WalkGround } from './walk-ground.ts';

type Values = Map<string, string | undefined>;

/** Two people stage, discard, apply and decide on the variables of a service at random; two maps say what is to be there. */
export async function walkChangeSets(ground: WalkGround, seed: number, steps: number): Promise<void> {
  const { database, keyring, organizationId } = ground;
  const next = numbersOf(seed);
  const { project, environments } = await ground.project();
  const place = { organizationId, environmentId: environments[0]?.id ?? '', projectId: project.id, production: true };
  const { serviceId } = await seedService(database, place);
  const run = <T>(work: (one: Effect) => Promise<T>) => effect(database, machine, work);
  const people = [
    { id: 'ada', name: 'Ada' },
    { id: 'bob', name: 'Bob' },
  ] as const;
  const request = { title: '', reason: '', source: 'api', downtimeAccepted: false, answerableId: undefined } as const;
  const draft = async () => {
    const view = await changeSetView(database.kysely, place);
    if (view === undefined) throw new Error('There is no draft.');
    return view;
  };
  const apply = async (production = true) => {
    const { changeSet } = await draft();
    const asked = { ...request, changeSetId: changeSet.id };
    return await run((one) => applyDraft(one, keyring, { ...place, production }, new Map(), asked));
  };
  await run((one) => stage(one, keyring, place, [{ kind: 'service.create', serviceId, key: '' }], people[0]));
  await apply(false);

  const applied: Map<string, string> = new Map();
  let staged: Values = new Map();
  let held: { id: string; items: Values; basis: string }[] = [];
  const snapshot = () => JSON.stringify([...applied].toSorted());

  for (let step = 0; step < steps; step += 1) {
    const key = `K${next(4)}`;
    const by = people[next(2) as 0 | 1];
    const what = next(10);
    if (what < 5) {
      const to = next(5) === 0 ? undefined : `${next(3)}`;
      const item = to === undefined ? { kind: 'variable.unset' as const } : { kind: 'variable.set' as const, to };
      await run((one) => stage(one, keyring, place, [{ ...item, serviceId, key }], by));
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
      const deciding = run((one) => decideApproval(one, keyring, ref, { decision }));
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
      await expect(run((one) => decideApproval(one, keyring, ref, { decision }))).rejects.toMatchObject({
        code: 'already-decided',
      });
    }
    const items = await draftItems(database.kysely, place, (await draft()).changeSet.id);
    expect(new Map(items.map((item) => [item.key, itemValue(item)]))).toEqual(staged);
    expect(items).toHaveLength(staged.size);
    const values = await appliedVariables(database.kysely, keyring, place, [serviceId]);
    expect(new Map([...(values.get(serviceId) ?? [])].map(([name, { value }]) => [name, value]))).toEqual(applied);
  }
}
