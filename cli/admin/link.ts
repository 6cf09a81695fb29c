import { effect } from '../../db/engine/effect.ts';
import { createSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { withDatabase } from '../database/with-database.ts';
import { command } from '../engine/command.ts';
import { machine } from '../engine/machine.ts';
import { printLink } from '../sign-in/print-link.ts';
import { checkedWhom, findUser, whom } from '../user/find-user.ts';

export const adminLink = command({
  summary: 'Prints a link that binds an account to a new identity, as after a change of the provider',
  usage: '(--email E-MAIL | --id ID) [--json]',
  details: `The person who opens the link and signs in takes over the account, with all organizations and roles; the identities that the
account had before open it no more.`,
  options: { ...whom, json: { type: 'boolean', what: 'Print JSON.' } },
  run: async ({ email, id, json }) => {
    const who = checkedWhom({ email, id });
    await withDatabase('admin link', async (database, settings) => {
      const user = await findUser(database.kysely, who);
      if (user.disabledAt !== null) {
        throw new Refusal(`${user.email} is disabled; run \`./ballast user enable --id ${user.id}\` first.`);
      }
      const link = await effect(database, machine(), (change) =>
        createSignInLink(change, { kind: 'move', userId: user.id }),
      );
      await printLink(database, settings, {
        link,
        said: `Give it to ${user.email} and nobody else: who signs in by it has that account.`,
        json,
      });
    });
  },
});
