import { effect } from '../db/engine/effect.ts';
import { livingProcesses } from '../db/engine/processes/processes.ts';
import { type Database, openDatabase } from '../db/postgres/database.ts';
import { createSignInLink, ownerExists } from '../db/sign-in/sign-in-links.ts';
import { ownerEmails } from '../db/users/users.ts';
import { required, type Settings } from '../domain/settings/settings.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { machine } from './database/machine.ts';
import { withDatabase } from './database/with-database.ts';
import { command, jsonOption } from './engine/command.ts';
import type { Outcome } from './engine/outcome.ts';

/** A link as people open it. What is behind # is sent to no server, so it stands in no log. */
function signInAddress(publicUrl: string, secret: string): string {
  return `${publicUrl}/sign-in-link#${secret}`;
}

/**
 * The address under which people reach the installation. A shell need not have the settings that it was started with, so
 * an API that runs is believed more than a default.
 */
async function publicUrlOf(database: Database, settings: Settings): Promise<string> {
  if (process.env.PUBLIC_URL) return settings.PUBLIC_URL;
  const running = (await livingProcesses(database.kysely)).find(({ kind }) => kind === 'api')?.state.publicUrl;
  return typeof running === 'string' ? running : settings.PUBLIC_URL;
}

/** The link that creates the first account; undefined when there is an owner already. */
export async function firstOwnerLink(settings: Settings): Promise<string | undefined> {
  const database = await openDatabase({
    url: required(settings, 'DATABASE_URL'),
    applicationName: 'ballast up',
    poolMax: 1,
  });
  try {
    if (await ownerExists(database.kysely)) return undefined;
    const { secret } = await effect(database, machine(), (change) => createSignInLink(change, { kind: 'first-owner' }));
    return signInAddress(settings.PUBLIC_URL, secret);
  } finally {
    await database.close();
  }
}

/** The link alone on standard output, so that it can be passed on; what it is for, which is `said` to people, beside it. */
export async function toldLink(
  database: Database,
  settings: Settings,
  said: string,
  { secret, expiresAt }: { secret: string; expiresAt: Date },
): Promise<Outcome> {
  const url = signInAddress(await publicUrlOf(database, settings), secret);
  return {
    jsonLine: { url, expiresAt: expiresAt.toISOString() },
    text: url,
    below: `${said} It works once, within 15 minutes.`,
  };
}

export const signInLink = command({
  summary: 'Prints a link with which the first owner creates an account',
  usage: '[--json]',
  details: `For the machine that holds the home, as long as no organization has an owner. Each link works once, within 15 minutes;
\`./ballast up\` prints one, too. Who cannot sign in any more is helped by \`./ballast user reset\`.`,
  options: jsonOption,
  run: () =>
    withDatabase('sign-in-link', async (database, settings) => {
      const owners = await ownerEmails(database.kysely);
      if (owners.length > 0) {
        throw new Refusal(
          `There is an owner already (${owners.join(', ')}), who can invite others; \`./ballast user reset --email ${owners[0]}\` helps an owner who cannot sign in.`,
        );
      }
      const link = await effect(database, machine(), (change) => createSignInLink(change, { kind: 'first-owner' }));
      return await toldLink(database, settings, 'Open it to create the first account.', link);
    }),
});
