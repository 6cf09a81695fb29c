import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The parts of commit 65c7073 that are used here, as far as they are. */
interface Inside {
  database: {
    kysely: {
      selectFrom(table: 'cluster'): {
        select(column: 'organization_id'): {
          where(column: 'id', is: '=', id: string): { executeTakeFirstOrThrow(): Promise<{ organization_id: string }> };
        };
      };
      insertInto(table: 'outbox'): { values(row: object): { execute(): Promise<unknown> } };
      selectFrom(table: 'organization'): {
        select(column: 'slug'): {
          where(column: 'id', is: '=', id: string): { executeTakeFirstOrThrow(): Promise<{ slug: string }> };
        };
      };
    };
  };
  temporal: {
    client: {
      workflow: { getHandle(actor: string): { signal(name: string): Promise<void>; result(): Promise<unknown> } };
    };
  };
  close(): Promise<void>;
}
type Database = Inside['database'];
type Modules = {
  'test/inside.ts': { openInside(settings: object): Promise<Inside> };
  'test/seed.ts': {
    machine: object;
    seedOrganization(database: Database): Promise<string>;
    seedMember(database: Database, organizationId: string): Promise<string>;
  };
  'db/effect.ts': { effect<T>(database: Database, author: object, work: (effect: object) => Promise<T>): Promise<T> };
  'db/sessions.ts': {
    createSession(
      effect: object,
      session: { userId: string; lifetimeSeconds: number },
    ): Promise<{ id: string; secret: string }>;
  };
  'domain/settings.ts': { readSettings(env: NodeJS.ProcessEnv): object };
  'runtime/embedded-settings.ts': { embeddedSettings(home: object, settings: object): Record<string, string> };
  'runtime/home.ts': { readHome(path: string): object };
};

/**
 * Run by the earlier version, on an installation of its own; its modules are found beneath the directory that is given.
 * `organization`: creates one with an owner, as its tests did, and prints both. `fail <actor>`: ends it as failed.
 * `poison <actor>`: lets a message wait for it that is larger than Temporal takes.
 */
async function main([checkout = '', what = '', actor = '']: string[]): Promise<void> {
  const load = async <Name extends keyof Modules>(name: Name): Promise<Modules[Name]> =>
    await import(pathToFileURL(join(checkout, name)).href);
  const { readSettings } = await load('domain/settings.ts');
  const { readHome } = await load('runtime/home.ts');
  const { embeddedSettings } = await load('runtime/embedded-settings.ts');
  const { openInside } = await load('test/inside.ts');
  const embedded = embeddedSettings(readHome(process.env.BALLAST_HOME ?? ''), readSettings(process.env));
  const inside = await openInside(readSettings({ ...process.env, ...embedded }));
  if (what === 'fail') {
    const workflow = inside.temporal.client.workflow.getHandle(actor);
    // No argument: its code reads the body of what it was told, and finds nothing there.
    await workflow.signal('trouble');
    await workflow.result().catch(() => undefined);
  } else if (what === 'poison') {
    await poison(inside.database, actor);
  } else {
    process.stdout.write(`${JSON.stringify(await organization(load, inside.database))}\n`);
  }
  await inside.close();
}

/** Tried nine times in vain: the next failure makes it a poisoned one. */
async function poison({ kysely }: Database, actor: string): Promise<void> {
  const row = kysely.selectFrom('cluster').select('organization_id').where('id', '=', actor.slice('cluster/'.length));
  await kysely
    .insertInto('outbox')
    .values({
      actor_id: actor,
      organization_id: (await row.executeTakeFirstOrThrow()).organization_id,
      kind: 'message',
      message: 'trouble',
      body: { text: 'x'.repeat(6_000_000) },
      author: { kind: 'machine', id: 'test', name: 'test' },
      attempts: 9,
    })
    .execute();
}

async function organization(
  load: <Name extends keyof Modules>(name: Name) => Promise<Modules[Name]>,
  database: Database,
): Promise<object> {
  const { machine, seedMember, seedOrganization } = await load('test/seed.ts');
  const { effect } = await load('db/effect.ts');
  const { createSession } = await load('db/sessions.ts');
  const organizationId = await seedOrganization(database);
  const userId = await seedMember(database, organizationId);
  const made = await effect(database, machine, (running) => createSession(running, { userId, lifetimeSeconds: 3600 }));
  const row = database.kysely.selectFrom('organization').select('slug').where('id', '=', organizationId);
  const { slug } = await row.executeTakeFirstOrThrow();
  return { id: organizationId, slug, owner: { session: made.secret, id: made.id, userId, organizationId } };
}

await main(process.argv.slice(2));
