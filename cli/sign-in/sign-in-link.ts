import { effect } from '../../db/engine/effect.ts';
import { createSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { ownerEmails } from '../../db/users/users.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { withDatabase } from '../database/with-database.ts';
import { command } from '../engine/command.ts';
import { machine } from '../engine/machine.ts';
import { printLink } from './print-link.ts';

export const signInLink = command({
  summary: 'Prints a link with which the first owner creates an account',
  usage: '[--json]',
  details: `For the machine that holds the home, as long as no organization has an owner. Each link works once, within 15 minutes;
\`./ballast up\` prints one, too. Who cannot sign in any more is helped by \`./ballast user reset\`.`,
  options: { json: { type: 'boolean', what: 'Print JSON.' } },
  run: ({ json }) =>
    withDatabase('sign-in-link', async (database, settings) => {
      const owners = await ownerEmails(database.kysely);
      if (owners.length > 0) {
        throw new Refusal(
          `There is an owner already (${owners.join(', ')}), who can invite others; \`./ballast user reset --email ${owners[0]}\` helps an owner who cannot sign in.`,
        );
      }
      const link = await effect(database, machine(), (change) => createSignInLink(change, { kind: 'first-owner' }));
      await printLink(database, settings, { link, said: 'Open it to create the first account.', json });
    }),
});
