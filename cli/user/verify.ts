import { effect } from '../../db/engine/effect.ts';
import { verifyEmail } from '../../db/users/users.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { withDatabase } from '../database/with-database.ts';
import { command } from '../engine/command.ts';
import { machine } from '../engine/machine.ts';
import { checkedWhom, findUser, whom } from './find-user.ts';

export const userVerify = command({
  summary: "Marks a person's e-mail address as verified, so that it opens invitations",
  usage: '(--email E-MAIL | --id ID) [--json]',
  options: { ...whom, json: { type: 'boolean', what: 'Print JSON.' } },
  run: async ({ email, id, json }) => {
    const who = checkedWhom({ email, id });
    await withDatabase('user verify', async (database) => {
      const user = await findUser(database.kysely, who);
      const changed = await effect(database, machine(), (change) => verifyEmail(change, user));
      if (changed === undefined) {
        throw new Refusal(
          `${user.email} signs in with another identity provider, which has to verify the address itself.`,
        );
      }
      const said = changed ? `${user.email} is verified.` : `${user.email} was verified before.`;
      process.stdout.write(`${json ? JSON.stringify({ id: user.id, emailVerified: true, changed }) : said}\n`);
    });
  },
});
