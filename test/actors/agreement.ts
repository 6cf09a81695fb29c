import { actorId } from '../../domain/actors/actors.ts';
import { runningActors } from '../../worker/duties/running-actors.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import type { Applications } from '../applications/applications.ts';
import type { Installation } from '../installation/installation.ts';

/** Rows of a kind of actor that have not ended. */
export async function openIn(installation: Installation, kind: (typeof actorKinds)[number]) {
  const { kysely } = await installation.database();
  const table = descriptors[kind].table as 'deletion';
  const rows = kysely.selectFrom(table).select(['id', 'organization_id', 'blocker', 'state']);
  return await rows.where('finished_at', 'is', null).execute();
}

/** Rows of every kind of actor that have ended. */
export async function endedRows(installation: Installation) {
  const { kysely } = await installation.database();
  const tables = actorKinds.map(async (kind) => {
    const rows = kysely
      .selectFrom(descriptors[kind].table as 'deletion')
      .select(['id', 'state', 'revision', 'message', 'finished_at'])
      .where('finished_at', 'is not', null)
      .orderBy('id');
    return (await rows.execute()).map((row) => ({ ...row, kind }));
  });
  return (await Promise.all(tables)).flat();
}

/** Resolves when exactly the open rows have a workflow that runs, and nobody has anything left to be told. */
export async function agreement(
  installation: Installation,
  applications: Applications,
  seconds: number,
): Promise<void> {
  const { temporal, database } = await installation.inside();
  let seen: object = {};
  const agree = async () => {
    const open = (
      await Promise.all(
        actorKinds.map(async (kind) => (await openIn(installation, kind)).map(({ id }) => actorId(kind, id))),
      )
    ).flat();
    const described = await Promise.all(
      open.map(async (actor) => {
        const { status } = await temporal.client.workflow.getHandle(actor).describe();
        return `${actor} ${status.name}`;
      }),
    );
    const running = [...(await runningActors(temporal)).keys()];
    const waiting = (await database.kysely.selectFrom('outbox').select('actor_id').execute()).map(
      (one) => one.actor_id,
    );
    const notRunning = described.filter((one) => !one.endsWith('RUNNING'));
    const strays = running.filter((actor) => !(open as string[]).includes(actor));
    const unlisted = open.filter((actor) => !running.includes(actor));
    const status = (await applications.cluster())?.status;
    seen = { notRunning, strays, unlisted, waiting, status };
    return [notRunning, strays, unlisted, waiting].every((list) => list.length === 0) && status === 'ready';
  };
  try {
    await installation.until('everything agrees', () => agree().catch(() => false), seconds);
  } catch (error) {
    throw new Error(`It never agreed; at last: ${JSON.stringify(seen)}`, { cause: error });
  }
}
