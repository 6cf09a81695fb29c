import { setImmediate as nextTurn } from 'node:timers/promises';
import { createOrganization } from '../../db/organizations/organizations.ts';
import type { Database } from '../../db/postgres/database.ts';
import { createSession } from '../../db/sign-in/sessions.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { connectTemporal, type Temporal } from '../../temporal/connection/connect.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { median } from '../engine/measure.ts';
import { openGround } from '../ground/ground.ts';
import { asBench, seedMembers } from '../ground/seed.ts';
import { type Server, startApi, startReference } from '../ground/servers.ts';

const row = 'request to actor started';
const warmUp = 4;
const counted = 20;

export const actorStart: Benchmark = {
  name: 'actor-start',
  what: 'from the request that deletes an organization until its actor exists in Temporal, against a bare start',
  rows: [{ name: row, unit: 'ms', better: 'less' }],
  open,
};

interface Doomed {
  id: string;
  slug: string;
}

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { database } = ground;
  const temporal = connectTemporal({ ...ground.temporal, keys: payloadKeys(ground.keyring) });
  opening.defer(() => temporal.close());
  await prepareNamespace(temporal);
  const owner = await asBench(database, async (running) => {
    const { id } = await createOrganization(running, { name: 'Home', slug: 'home' });
    const [userId = ''] = await seedMembers(running, id, 1);
    const { secret } = await createSession(running, { userId, lifetimeSeconds: 3600 });
    return { userId, organizationId: id, cookie: `svc_session=${secret}` };
  });
  const headers = { cookie: owner.cookie, 'x-svc-organization': owner.organizationId, 'x-svc-csrf': '1' };
  const target = { path: `/api/v1/organizations/${owner.organizationId}`, headers };
  const reference = opening.use(await startReference(ground, 'starts', { ...target, path: '/' }));
  // Deletions are limited by the address of the client: each round is a client of its own.
  const subject = opening.use(await startApi(ground, target, { TRUSTED_PROXIES: '127.0.0.1' }));
  const opened = opening.move();

  async function once(server: Server, doomed: Doomed, address: string): Promise<number> {
    const began = performance.now();
    const answer = await fetch(`${server.url}/api/v1/organizations/${doomed.id}`, {
      method: 'DELETE',
      headers: {
        ...headers,
        'x-svc-organization': doomed.id,
        'x-forwarded-for': address,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ confirmSlug: doomed.slug }),
    });
    if (answer.status !== 204) throw new Error(`${server.url} answered ${answer.status}: ${await answer.text()}`);
    await exists(temporal, await deletionOf(database, doomed.id));
    return performance.now() - began;
  }

  async function starts(server: Server, address: string): Promise<Figures> {
    const milliseconds: number[] = [];
    for (const doomed of await seedDoomed(database, owner.userId, warmUp + counted)) {
      milliseconds.push(await once(server, doomed, address));
    }
    return { [row]: median(milliseconds.slice(warmUp)) };
  }
  return {
    reference: (round) => starts(reference, `192.0.2.${round}`),
    subject: (round) => starts(subject, `192.0.2.${round}`),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function seedDoomed(database: Database, ownerId: string, count: number): Promise<Doomed[]> {
  return asBench(database, async (running) => {
    const made: Doomed[] = [];
    for (let number = 0; number < count; number += 1) {
      const slug = `o-${crypto.randomUUID()}`;
      made.push(await createOrganization(running, { name: 'Doomed', slug, ownerId }));
    }
    return made;
  });
}

async function deletionOf(database: Database, organizationId: string): Promise<string> {
  const { id } = await database.kysely
    .selectFrom('deletion')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return id;
}

/** Asks Temporal until it knows the actor. */
async function exists({ connection, namespace }: Temporal, deletionId: string): Promise<void> {
  const execution = { workflowId: actorId('deletion', deletionId) };
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      await connection.workflowService.describeWorkflowExecution({ namespace, execution });
      return;
    } catch (error) {
      if (!hasStatus(error, 'notFound') || Date.now() > deadline) throw error;
      await nextTurn();
    }
  }
}
