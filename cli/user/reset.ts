import { effect } from '../../db/engine/effect.ts';
import { endAccountRecords, voidSignInMeans } from '../../db/identity-provider/provider-accounts.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { subjectsOf } from '../../db/sign-in/identities.ts';
import { endSessionsOf } from '../../db/sign-in/sessions.ts';
import { createSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { withDatabase } from '../database/with-database.ts';
import { command } from '../engine/command.ts';
import { machine } from '../engine/machine.ts';
import { printLink } from '../sign-in/print-link.ts';
import { checkedWhom, findUser, whom } from './find-user.ts';

export const userReset = command({
  summary: 'Resets password and second factors of a person, and prints a link to set a new password',
  usage: '(--email E-MAIL | --id ID) [--json]',
  details: `For accounts of the built-in provider. The password and all second factors stop working at once; the link sets a new
password, and the person can set up new second factors.`,
  options: { ...whom, json: { type: 'boolean', what: 'Print JSON.' } },
  run: async ({ email, id, json }) => {
    const who = checkedWhom({ email, id });
    await withDatabase('user reset', async (database, settings) => {
      if (settings.OIDC_ISSUER !== undefined) {
        throw new Refusal(`People sign in with ${settings.OIDC_ISSUER}, which keeps their passwords; reset it there.`);
      }
      const user = await findUser(database.kysely, who);
      if (user.disabledAt !== null) {
        throw new Refusal(`${user.email} is disabled; run \`./ballast user enable --id ${user.id}\` first.`);
      }
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
      await printLink(database, settings, { link, said: `Give it to ${user.email}: it sets a new password.`, json });
    });
  },
});
