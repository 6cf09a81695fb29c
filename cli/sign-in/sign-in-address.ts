import { livingProcesses } from '../../db/engine/processes/processes.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Settings } from '../../domain/settings/settings.ts';

/** A link as people open it. What is behind # is sent to no server, so it stands in no log. */
export function signInAddress(publicUrl: string, secret: string): string {
  return `${publicUrl}/sign-in-link#${secret}`;
}

/**
 * The address under which people reach the installation. A shell need not have the settings that it was started with, so
 * an API that runs is believed more than a default.
 */
export async function publicUrlOf(database: Database, settings: Settings): Promise<string> {
  if (process.env.PUBLIC_URL) return settings.PUBLIC_URL;
  const running = (await livingProcesses(database.kysely)).find(({ kind }) => kind === 'api')?.state.publicUrl;
  return typeof running === 'string' ? running : settings.PUBLIC_URL;
}
