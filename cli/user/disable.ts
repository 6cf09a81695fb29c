import { effect } from '../../db/engine/effect.ts';
import { endAccountRecords } from '../../db/identity-provider/provider-accounts.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { subjectsOf } from '../../db/sign-in/identities.ts';
import { disableUser, ownedAlone } from '../../db/users/users.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { withDatabase } from '../database/with-database.ts';
import { command } from '../engine/command.ts';
import { machine } from '../engine/machine.ts';
import { checkedWhom, findUser, whom } from './find-user.ts';

export const userDisable = command({
  summary: 'Disables a person: ends all sessions and refuses new ones',
  usage: '(--email E-MAIL | --id ID) [--force] [--json]',
  details: `The person's resources stay, API tokens included: an administrator can revoke those. \`./ballast user enable\` undoes it.`,
  options: {
    ...whom,
    force: { type: 'boolean', what: 'Also if an organization is left without an owner who can sign in.' },
    json: { type: 'boolean', what: 'Print JSON.' },
  },
  run: async ({ email, id, force, json }) => {
    const who = checkedWhom({ email, id });
    await withDatabase('user disable', async (database) => {
      const user = await findUser(database.kysely, who);
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
      const said = changed
        ? `${user.email} is disabled and signed out everywhere.`
        : `${user.email} was disabled already.`;
      process.stdout.write(`${json ? JSON.stringify({ id: user.id, disabled: true, changed }) : said}\n`);
    });
  },
});
