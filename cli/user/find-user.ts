import type { Kysely } from 'kysely';
import type { Tables } from '../../db/postgres/tables.ts';
import { listUsers, type UserView } from '../../db/users/users.ts';
import { isId } from '../../domain/ids.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { UsageError } from '../engine/command.ts';

/** How commands say whom they mean. */
export const whom = {
  email: { type: 'string', value: 'E-MAIL', what: 'The person with this e-mail address.' },
  id: { type: 'string', value: 'ID', what: 'The person with this id; `./ballast user list` shows them.' },
} as const;

export type Whom = { email: string; id?: undefined } | { id: string; email?: undefined };

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
