import type { TestProject } from 'vitest/node';
import { currentRelease } from '../../../db/agent-updates/agent-releases.ts';
import { openInside } from '../../installation/inside.ts';
import { Installation } from '../../installation/installation.ts';
import { runDirectory } from '../run-directory.ts';
import { forgetStart, neverFlush } from './prepared-home.ts';

declare module 'vitest' {
  interface ProvidedContext {
    preparedHome: string;
  }
}

/** Starts an installation for the first time, once a run: every test but that of the first start copies its home. */
export default async function prepareHome(project: TestProject): Promise<() => Promise<void>> {
  const installation = await Installation.start('prepared-home', {}, runDirectory());
  const { database, close } = await openInside(installation.settings);
  await installation.until('the agent is offered', () => currentRelease(database.kysely));
  await close();
  await installation.stop();
  forgetStart(installation.home);
  neverFlush(installation.home);
  project.provide('preparedHome', installation.home);
  return () => installation.remove();
}
