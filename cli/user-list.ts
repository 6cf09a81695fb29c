import { listUsers, type UserView } from '../db/users.ts';
import { command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const userList = command({
  summary: 'Lists everybody who has signed in',
  usage: '[--json]',
  options: { json: { type: 'boolean', what: 'Answer in JSON.' } },
  run: ({ json }) =>
    withDatabase('user list', async (database) => {
      const users = await listUsers(database.kysely);
      if (json) process.stdout.write(`${JSON.stringify({ users }, undefined, 2)}\n`);
      else if (users.length === 0) process.stdout.write('Nobody has signed in yet; see `./ballast sign-in-link`.\n');
      else process.stdout.write(asTable(users));
    }),
});

function asTable(users: UserView[]): string {
  const rows = users.map(({ id, name, email, lastSignInAt, disabledAt, organizations }) => [
    id,
    printable(email),
    printable(name),
    disabledAt === null ? (lastSignInAt?.toISOString().slice(0, 10) ?? 'never') : 'disabled',
    organizations.map(({ slug, role }) => `${slug} (${role})`).join(', '),
  ]);
  const all = [['id', 'e-mail', 'name', 'signed in', 'organizations'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

/** Names are what people say that they are: none may steer the terminal. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
