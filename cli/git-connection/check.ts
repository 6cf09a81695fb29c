import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { type Connection, connections, namedConnection, troubleOf } from './connection.ts';

export const gitConnectionCheck = command({
  summary: 'Asks the host of a Git connection whether it accepts the token, and what that lacks',
  usage: 'CONNECTION [--json]',
  details: 'CONNECTION is its label or its id. The exit code is 1 when the host refuses the token or does not answer.',
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const connection = await rest.call<Connection>('POST', `${connections}/${id}/check`);
    const { label, lastError, accountLogin } = connection;
    if (given.json) process.stdout.write(`${JSON.stringify({ connection }, undefined, 2)}\n`);
    if (lastError !== '') throw new Refusal(`The Git connection ${printable(label)} fails: ${printable(lastError)}`);
    if (given.json) return;
    const whose = accountLogin === '' ? '' : ` for ${printable(accountLogin)}`;
    process.stdout.write(`The Git connection ${printable(label)} works${whose}. ${troubleOf(connection)}`.trimEnd());
    process.stdout.write('\n');
  },
});
