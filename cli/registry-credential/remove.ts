import { confirmLoss, yesOption } from '../deleted/confirm-loss.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { credentials, namedCredential } from './credential.ts';

export const registryCredentialRemove = command({
  summary: 'Deletes a credential of an outside registry',
  usage: 'CREDENTIAL [--yes] [--json]',
  details: `CREDENTIAL is its name or its id. Sources that name it no longer resolve, and machines that lack an image of them cannot fetch it. Its
password is erased here; revoke it at the registry, too.`,
  words: { least: 1, most: 1 },
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const { id, name, host } = await namedCredential(rest, word);
    const called = `${printable(name)} (${printable(host)})`;
    if (yes !== true && !(await confirmLoss({ noun: 'registry credential', called, name }, []))) return;
    await rest.call('DELETE', `${credentials}/${id}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, name } })}\n`);
    else process.stdout.write(`The registry credential ${printable(name)} is deleted.\n`);
  },
});
