import { effect } from '../../db/engine/effect.ts';
import { enableUser } from '../../db/users/users.ts';
import { withDatabase } from '../database/with-database.ts';
import { command } from '../engine/command.ts';
import { machine } from '../engine/machine.ts';
import { checkedWhom, findUser, whom } from './find-user.ts';

export const userEnable = command({
  summary: 'Enables a disabled person again',
  usage: '(--email E-MAIL | --id ID) [--json]',
  options: { ...whom, json: { type: 'boolean', what: 'Print JSON.' } },
  run: async ({ email, id, json }) => {
    const who = checkedWhom({ email, id });
    await withDatabase('user enable', async (database) => {
      const user = await findUser(database.kysely, who);
      const changed = await effect(database, machine(), (change) => enableUser(change, user));
      const said = changed ? `${user.email} can sign in again.` : `${user.email} was not disabled.`;
      process.stdout.write(`${json ? JSON.stringify({ id: user.id, disabled: false, changed }) : said}\n`);
    });
  },
});
