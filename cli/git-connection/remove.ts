import { confirmLoss, yesOption } from '../deleted/confirm-loss.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { connections, namedConnection } from './connection.ts';

export const gitConnectionRemove = command({
  summary: 'Deletes a Git connection',
  usage: 'CONNECTION [--yes] [--json]',
  details: `CONNECTION is its label or its id. Refused while a service is built from a repository of it. Its token is erased here; revoke it at the
host, too.`,
  words: { least: 1, most: 1 },
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [name = '']) => {
    const rest = new Rest(given);
    const { id, label, host } = await namedConnection(rest, name);
    const called = `${printable(label)} (${printable(host)})`;
    if (yes !== true && !(await confirmLoss({ noun: 'Git connection', called, name: label }, []))) return;
    await rest.call('DELETE', `${connections}/${id}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, label } })}\n`);
    else process.stdout.write(`The Git connection ${printable(label)} is deleted.\n`);
  },
});
