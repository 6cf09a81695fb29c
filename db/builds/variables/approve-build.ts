import { isBuildFinal } from '../../../domain/builds/states.ts';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { callNext, lockBuild, lockTurns } from '../claim.ts';
import { isAwaiting, seenBy } from './awaiting-approval.ts';

/** Somebody who may decide has looked at the source: it sees the build variables of the environment, once for all. */
export async function approveBuild(
  effect: Effect,
  id: string,
  { name, by }: { name: string; by: { id: string; name: string } },
): Promise<void> {
  await lockTurns(effect, id);
  const build = await lockBuild(effect, id);
  if (build === undefined) throw new Problem('not-found', 'There is no such build.');
  const { organizationId, projectId, number, state } = build;
  if (isBuildFinal(state)) throw new Problem('already-decided', `Build #${number} of "${name}" is over: build again.`);
  if (!(await isAwaiting(effect, build)))
    throw new Problem('already-decided', `Build #${number} of "${name}" waits for nobody's approval.`);
  await effect.kysely
    .updateTable('build')
    .set({ approved_by_id: by.id, approved_by_name: by.name })
    .where('id', '=', id)
    .execute();
  await callNext(effect, build.clusterId);
  effect.change({ organizationId, projectId, kind: 'build', id });
  effect.audit(
    'build.approved',
    { organizationId, id, name: `${name} #${number}` },
    { variables: await seenBy(effect, build) },
  );
}
