import { listUsers, type UserView } from '../../db/users/users.ts';
import { withDatabase } from '../database/with-database.ts';
import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';

export const userList = command({
  summary: 'Lists everybody who has signed in',
  usage: '[--json]',
  options: { json: { type: 'boolean', what: 'Print JSON.' } },
  run: ({ json }) =>
    withDatabase('user list', async (database) => {
      const users = await listUsers(database.kysely);
      if (json) process.stdout.write(`${JSON.stringify({ users }, undefined, 2)}\n`);
      else if (users.length === 0) process.stdout.write('Nobody has signed in yet; see `./ballast sign-in-link`.\n');
      else process.stdout.write(usersAsTable(users));
    }),
});

function usersAsTable(users: UserView[]): string {
  const rows = users.map(({ id, name, email, lastSignInAt, disabledAt, organizations }) => [
    id,
    printable(email),
    printable(name),
    disabledAt === null ? (lastSignInAt?.toISOString().slice(0, 10) ?? 'never') : 'disabled',
    organizations.map(({ slug, role }) => `${slug} (${role})`).join(', '),
  ]);
  return asTable(['id', 'e-mail', 'name', 'signed in', 'organizations'], rows);
}
