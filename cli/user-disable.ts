import { effect } from '../db/effect.ts';
import { subjectsOf } from '../db/identities.ts';
import { builtInProviderId } from '../db/identity-secrets.ts';
import { endAccountRecords } from '../db/provider-records.ts';
import { disableUser, ownedAlone } from '../db/users.ts';
import { Refusal } from '../runtime/refusal.ts';
import { command } from './command.ts';
import { checkedWhom, findUser, whom } from './find-user.ts';
import { machine } from './machine.ts';
import { withDatabase } from './with-database.ts';

export const userDisable = command({
  summary: 'Signs a person out everywhere and lets it sign in no more',
  usage: '(--email E-MAIL | --id ID) [--force] [--json]',
  details: `What the person has made stays, API tokens included: an administrator revokes those. \`./ballast user enable\` undoes it.`,
  options: {
    ...whom,
    force: { type: 'boolean', what: 'Also if an organization is left without an owner who can sign in.' },
    json: { type: 'boolean', what: 'Answer in JSON.' },
  },
  run: async ({ email, id, force, json }) => {
    const who = checkedWhom({ email, id });
    await withDatabase('user disable', async (database) => {
      const user = await findUser(database.kysely, who);
      const changed = await effect(database, machine(), async (change) => {
        const alone = await ownedAlone(change, user.id);
        if (alone.length > 0 && !force) {
          throw new Refusal(
            `${user.email} is the only owner who can sign in of ${alone.join(', ')}; make somebody else owner there first, or add --force.`,
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
