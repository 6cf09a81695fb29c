import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { readSettings } from '../../domain/settings/settings.ts';
import { type Ground as RunningGround, startGround } from '../../runtime/ground.ts';
import { databasesOf, keepInMemory } from '../run/home/databases-in-memory.ts';
import { runDirectory } from '../run/run-directory.ts';
import { removeHome } from './remove-home.ts';

/** The real parts that tests of every room stand on, started once a run. */
export interface Ground {
  /** As its superuser: tests make databases of their own. */
  postgres: string;
  temporal: RunningGround['temporal'];
}

declare module 'vitest' {
  interface ProvidedContext {
    ground: Ground;
  }
}

/** PostgreSQL and Temporal in a home of their own, as `./ballast up` starts them. */
export default async function ground(project: TestProject): Promise<() => Promise<void>> {
  // Homes in the directory of the run are found and ended when it was killed.
  const directory = mkdtempSync(join(runDirectory(), 'ballast-tests-'));
  const home = join(directory, 'home');
  const lines: string[] = [];
  const { postgres, temporal, stop } = await startGround({
    home,
    temporalServer: readSettings(process.env).TEMPORAL_SERVER,
    log: (line) => void lines.push(line),
  }).catch((error: unknown) => {
    throw new Error(`The parts that the tests stand on did not start:\n${lines.join('\n')}`, { cause: error });
  });
  await forTests(postgres.adminUrl);
  project.provide('ground', { postgres: postgres.adminUrl, temporal });
  return async () => {
    await stop();
    removeHome(home);
    rmSync(directory, { recursive: true });
    rmSync(databasesOf(runDirectory()), { recursive: true, force: true });
  };
}

async function forTests(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await keepInMemory(admin, runDirectory());
    // A flush protects against the machine's own failure, which no test stands for, and costs most of a fresh database.
    await admin.query('alter system set fsync = off');
    await admin.query('select pg_reload_conf()');
  } finally {
    await admin.end();
  }
}
