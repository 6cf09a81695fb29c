import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { asPerson, sessionOptions } from '../engine/as-person.ts';
import { command } from '../engine/command.ts';
import { ofTheEnvironment, urlOfTheEnvironment } from '../engine/credential.ts';
import { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { confirmLoss, yesOption } from './confirm-loss.ts';
import { deletedItem } from './deleted-item.ts';

export const deletedPurge = command({
  summary: 'Purges a deleted service, volume, environment or project before its time',
  usage: 'NAME [--kind KIND] [--yes] [--organization SLUG] [--session-file FILE] [--json]',
  details: `NAME is its slug, name or id. Its settings, releases and data are deleted for good, on clusters, too. Tells what is lost, and
asks for its name; elsewhere than at a terminal \`--yes\` is the answer. A person purges, not a token: it takes the session of an admin,
the value of the cookie svc_session of a browser that is signed in, in a file that only you can read. The page Deleted of the
console does the same. The purge goes on by itself, and waits for agents that are away; \`./ballast deleted list\` shows it until it is done.`,
  words: { least: 1, most: 1 },
  options: {
    kind: { type: 'string', value: 'KIND', what: 'service, database, volume, environment or project.' },
    ...yesOption('Purge'),
    ...sessionOptions,
  },
  run: async ({ kind, yes, 'session-file': given, ...where }, [word = '']) => {
    const file = given ?? ofTheEnvironment().sessionFile;
    if (file === undefined) throw await byPersonsOnly(where);
    const { rest } = await asPerson(file, where);
    const item = await deletedItem(rest, word, kind);
    const called = item.slug === '' ? printable(item.name) : item.slug;
    if (yes !== true) {
      const thing = { noun: item.kind, called, name: item.name, verb: 'purge' } as const;
      const lost: [number, string][] = [
        [item.context.length, `of ${printable(item.context)}`],
        [item.detail.length, printable(item.detail)],
      ];
      if (!(await confirmLoss(thing, lost))) return;
    }
    await rest.call('POST', `/deleted/${item.kind}/${item.id}/purge`, { confirm: item.name });
    const { id, name } = item;
    if (where.json) process.stdout.write(`${JSON.stringify({ purging: { kind: item.kind, id, name } })}\n`);
    else process.stdout.write(`The ${item.kind} ${called} is being purged.\n`);
  },
});

/** Where a person does it, for somebody who has only a token. */
async function byPersonsOnly({ url }: { url?: string | undefined }): Promise<Refusal> {
  const said = 'A purge takes a person, not a token';
  const ways = 'or give your session by --session-file or BALLAST_SESSION_FILE; see --help.';
  if (ofTheEnvironment().token === undefined) {
    return new Refusal(`${said}: purge it on the page Deleted of ${url ?? urlOfTheEnvironment()}, ${ways}`);
  }
  const rest = new Rest({ url });
  const [organization] = await rest.all<{ slug: string }>('/organizations', 1);
  return new Refusal(`${said}: purge it at ${new URL(`/${organization?.slug ?? ''}/deleted`, rest.url)}, ${ways}`);
}
