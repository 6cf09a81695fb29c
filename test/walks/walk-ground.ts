import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effect } from '../../db/engine/effect.ts';
import { createEnvironment, type EnvironmentView } from '../../db/environments/environments.ts';
import { createKeysFile, type Keyring, openKeyring } from '../../db/keys/keys.ts';
import { createProject, type ProjectView } from '../../db/projects/projects.ts';
import { firstEnvironments } from '../../domain/environments/environments.ts';
import { freshDatabase } from '../ground/fresh-database.ts';
import type { WholeDatabase } from '../ground/whole-database.ts';
import { machine, seedOrganization } from '../seeds/seed.ts';

/** All that a walk through the rows of an organization needs: no API and no Temporal. */
export interface WalkGround {
  database: WholeDatabase;
  keyring: Keyring;
  organizationId: string;
  /** A new project, with the environments that it begins with. */
  project(): Promise<{ project: ProjectView; environments: EnvironmentView[] }>;
  close(): Promise<void>;
}

export async function walkGround(): Promise<WalkGround> {
  const fresh = await freshDatabase();
  const { database } = fresh;
  const directory = await mkdtemp(join(tmpdir(), 'ballast-walks-'));
  const keysFile = join(directory, 'keys.json');
  await createKeysFile(keysFile);
  const keyring = await openKeyring(database, keysFile);
  const organizationId = await seedOrganization(database);
  return {
    database,
    keyring,
    organizationId,
    project: () =>
      effect(database, machine, async (making) => {
        const asked = { organizationId, name: `Walk ${crypto.randomUUID()}`, description: '', owner: {} };
        const project = await createProject(making, asked);
        const environments: EnvironmentView[] = [];
        for (const first of firstEnvironments) environments.push(await createEnvironment(making, project, first));
        return { project, environments };
      }),
    close: async () => {
      await fresh.drop();
      await rm(directory, { recursive: true });
    },
  };
}
