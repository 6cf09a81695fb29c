import type { Kysely } from 'kysely';
import { effect } from '../db/engine/effect.ts';
import { endAccountRecords, voidSignInMeans } from '../db/identity-provider/provider-accounts.ts';
import { builtInProviderId } from '../db/keys/identity-secrets.ts';
import type { Database } from '../db/postgres/database.ts';
import type { Tables } from '../db/postgres/tables.ts';
import { subjectsOf } from '../db/sign-in/identities.ts';
import { endSessionsOf } from '../db/sign-in/sessions.ts';
import { createSignInLink } from '../db/sign-in/sign-in-links.ts';
import { disableUser, enableUser, listUsers, ownedAlone, type UserView, verifyEmail } from '../db/users/users.ts';
import { isId } from '../domain/ids.ts';
import type { Settings } from '../domain/settings/settings.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { machine } from './database/machine.ts';
import { withDatabase } from './database/with-database.ts';
import { command, jsonOption, UsageError } from './engine/command.ts';
import { listed, type Outcome } from './engine/outcome.ts';
import { toldLink } from './sign-in.ts';

/** How commands say whom they mean. */
export const whom = {
  email: { type: 'string', value: 'E-MAIL', what: 'The person with this e-mail address.' },
  id: { type: 'string', value: 'ID', what: 'The person with this id; `./ballast user list` shows them.' },
} as const;

type Whom = { email: string; id?: undefined } | { id: string; email?: undefined };

/** Checked before anything is asked of the database. */
export function checkedWhom({ email, id }: { email?: string | undefined; id?: string | undefined }): Whom {
  if (id !== undefined && !isId(id)) {
    throw new UsageError('--id needs the id of a person as `./ballast user list` shows it.');
  }
  if (email !== undefined && id === undefined) return { email };
  if (id !== undefined && email === undefined) return { id };
  throw new UsageError('Say who it is by --email or by --id, such as --email ada@example.com.');
}

export async function findUser(kysely: Kysely<Tables>, whom: Whom): Promise<UserView> {
  const [user, another] = await listUsers(kysely, whom);
  if (user === undefined) {
    const called = whom.email ?? `the id ${whom.id}`;
    throw new Refusal(`There is nobody with ${called}; \`./ballast user list\` shows everybody.`);
  }
  if (another !== undefined) {
    throw new Refusal(
      `Several people have the address ${whom.email}: give --id instead; \`./ballast user list\` shows their ids.`,
    );
  }
  return user;
}

/** Does something with the person who is named. */
export async function withUser(
  command: string,
  given: { email?: string; id?: string },
  work: (database: Database, user: UserView, settings: Settings) => Promise<Outcome>,
): Promise<Outcome> {
  const who = checkedWhom(given);
  return await withDatabase(command, async (database, settings) =>
    work(database, await findUser(database.kysely, who), settings),
  );
}

export function refuseDisabled({ id, email, disabledAt }: UserView): void {
  if (disabledAt === null) return;
  throw new Refusal(`${email} is disabled; run \`./ballast user enable --id ${id}\` first.`);
}

export const userDisable = command({
  summary: 'Disables a person: ends all sessions and refuses new ones',
  usage: '(--email E-MAIL | --id ID) [--force] [--json]',
  details: `The person's resources stay, API tokens included: an administrator can revoke those. \`./ballast user enable\` undoes it.`,
  options: {
    ...whom,
    force: { type: 'boolean', what: 'Also if an organization is left without an owner who can sign in.' },
    ...jsonOption,
  },
  run: ({ force, ...given }) =>
    withUser('user disable', given, async (database, user) => {
      const changed = await effect(database, machine(), async (change) => {
        const alone = await ownedAlone(change, user.id);
        if (alone.length > 0 && !force) {
          throw new Refusal(
            `${user.email} is the only owner who can sign in of ${alone.join(', ')}; make somebody else an owner there first, or add --force.`,
          );
        }
        for (const account of await subjectsOf(change.kysely, user.id, builtInProviderId)) {
          await endAccountRecords(change.kysely, account);
        }
        return await disableUser(change, user);
      });
      const text = changed
        ? `${user.email} is disabled and signed out everywhere.`
        : `${user.email} was disabled already.`;
      return { jsonLine: { id: user.id, disabled: true, changed }, text };
    }),
});

export const userEnable = command({
  summary: 'Enables a disabled person again',
  usage: '(--email E-MAIL | --id ID) [--json]',
  options: { ...whom, ...jsonOption },
  run: (given) =>
    withUser('user enable', given, async (database, user) => {
      const changed = await effect(database, machine(), (change) => enableUser(change, user));
      const text = changed ? `${user.email} can sign in again.` : `${user.email} was not disabled.`;
      return { jsonLine: { id: user.id, disabled: false, changed }, text };
    }),
});

export const userList = command({
  summary: 'Lists everybody who has signed in',
  usage: '[--json]',
  options: jsonOption,
  run: () =>
    withDatabase('user list', async (database) => {
      const users = await listUsers(database.kysely);
      return listed({ users }, 'Nobody has signed in yet; see `./ballast sign-in-link`.', {
        id: 'id',
        'e-mail': 'email',
        name: 'name',
        'signed in': ({ disabledAt, lastSignInAt }) =>
          disabledAt === null ? (lastSignInAt?.toISOString().slice(0, 10) ?? 'never') : 'disabled',
        organizations: ({ organizations }) => organizations.map(({ slug, role }) => `${slug} (${role})`).join(', '),
      });
    }),
});

export const userReset = command({
  summary: 'Resets password and second factors of a person, and prints a link to set a new password',
  usage: '(--email E-MAIL | --id ID) [--json]',
  details: `For accounts of the built-in provider. The password and all second factors stop working at once; the link sets a new
password, and the person can set up new second factors.`,
  options: { ...whom, ...jsonOption },
  run: async (given) => {
    const who = checkedWhom(given);
    return await withDatabase('user reset', async (database, settings) => {
      if (settings.OIDC_ISSUER !== undefined) {
        throw new Refusal(`People sign in with ${settings.OIDC_ISSUER}, which keeps their passwords; reset it there.`);
      }
      const user = await findUser(database.kysely, who);
      refuseDisabled(user);
      const link = await effect(database, machine(), async (change) => {
        const accounts = await subjectsOf(change.kysely, user.id, builtInProviderId);
        if (accounts.length === 0) {
          throw new Refusal(
            `${user.email} has no account with the built-in provider; \`./ballast admin link --id ${user.id}\` gives it one.`,
          );
        }
        await endSessionsOf(change, user.id);
        for (const account of accounts) {
          await voidSignInMeans(change, account);
          await endAccountRecords(change.kysely, account);
        }
        return await createSignInLink(change, { kind: 'reset', userId: user.id });
      });
      return await toldLink(database, settings, `Give it to ${user.email}: it sets a new password.`, link);
    });
  },
});

export const userVerify = command({
  summary: "Marks a person's e-mail address as verified, so that it opens invitations",
  usage: '(--email E-MAIL | --id ID) [--json]',
  options: { ...whom, ...jsonOption },
  run: (given) =>
    withUser('user verify', given, async (database, user) => {
      const changed = await effect(database, machine(), (change) => verifyEmail(change, user));
      if (changed === undefined) {
        throw new Refusal(
          `${user.email} signs in with another identity provider, which has to verify the address itself.`,
        );
      }
      const text = changed ? `${user.email} is verified.` : `${user.email} was verified before.`;
      return { jsonLine: { id: user.id, emailVerified: true, changed }, text };
    }),
});
