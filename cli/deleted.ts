import type { z } from 'zod';
import type { deletedItemSchema } from '../api/deletions/operations.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { asPerson, sessionOptions } from './engine/as-person.ts';
import { command, type Option, UsageError } from './engine/command.ts';
import { ofTheEnvironment, urlOfTheEnvironment } from './engine/credential.ts';
import { listed, type Outcome } from './engine/outcome.ts';
import { canAsk, typedAgain } from './engine/question.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { said } from './engine/table.ts';

/** The thing that is lost: people type its name, and read what it is called besides. */
interface Lost {
  noun: string;
  /** How sentences call it: its slug, where it has one. */
  called: string;
  name: string;
  verb?: 'delete' | 'purge';
}

/** The option of every command that destroys something. */
export function yesOption(verb = 'Delete') {
  return { yes: { type: 'boolean', short: 'y', what: `${verb} it without a question.` } } as const satisfies Record<
    string,
    Option
  >;
}

/** Of things that are kept for the retention, with what runs of them. */
export const restorableOptions = {
  wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
  ...yesOption(),
} as const satisfies Record<string, Option>;

/** Those of these lines whose count is not 0 are told. */
export type Losses = readonly (readonly [count: number, line: string])[];

/** Tells what ends with a thing, and asks for its name: the one way of all commands that destroy something. False: nothing happens. */
async function confirmLoss({ noun, called, name, verb = 'delete' }: Lost, lost: Losses): Promise<boolean> {
  const told = lost.flatMap(([count, line]) => (count > 0 ? [said`\n  ${line}`] : [])).join('');
  const thing = said`the ${noun} ${called}`;
  if (!canAsk()) throw new UsageError(`This ${verb}s ${thing}; give --yes to do that.${told}`);
  if (told !== '') process.stderr.write(`With ${thing}:${told}\n`);
  if (await typedAgain(said`Type its name, ${name}, to ${verb} it:`, name)) return true;
  process.stderr.write(`Nothing was ${verb}d.\n`);
  process.exitCode = 4;
  return false;
}

interface Deletion extends Lost {
  path: string;
  yes: boolean | undefined;
  /** Asked for if there is a question. */
  lost?: () => Losses | Promise<Losses>;
  /** The thing as programs are told of it. */
  deleted: { id: string } & Record<string, string>;
  text?: string;
}

/** Deletes a thing once somebody has agreed to its loss. */
export async function deletion(
  rest: Rest,
  { path, yes, lost, deleted, text, ...thing }: Deletion,
): Promise<Outcome | undefined> {
  if (yes !== true && !(await confirmLoss(thing, (await lost?.()) ?? []))) return undefined;
  await rest.call('DELETE', path);
  return { jsonLine: { deleted }, text: text ?? said`The ${thing.noun} ${thing.name} is deleted.` };
}

/** The same of a thing that can be restored; its name is a part of its path. */
export async function restorableDeletion<Impact>(
  rest: Rest,
  noun: 'project' | 'environment' | 'service',
  { id, slug, name }: { id: string; slug: string; name: string },
  { wait, yes }: { wait: boolean | undefined; yes: boolean | undefined },
  lostWith: (impact: Impact) => Losses,
): Promise<Outcome | undefined> {
  const path = `/${noun}s/${id}`;
  return await deletion(rest, {
    ...{ noun, called: slug, name, yes },
    path: `${path}${wait === true ? '?wait=true' : ''}`,
    lost: async () => lostWith(await rest.call<Impact>('GET', `${path}/deletion-impact`)),
    deleted: { id, slug },
    text: `The ${noun} ${slug} is deleted; \`./ballast deleted list\` says until when it can be restored.`,
  });
}

type DeletedItem = z.output<typeof deletedItemSchema>;

/** The one that is meant: by its id, else by slug or name, if those are of one thing alone. */
async function deletedItem(rest: Rest, word: string, kind: string | undefined): Promise<DeletedItem> {
  const all = await rest.all<DeletedItem>('/deleted');
  const found = all.filter(
    (item) => (kind === undefined || item.kind === kind) && [item.id, item.slug, item.name].includes(word),
  );
  const [one] = found;
  if (one === undefined) {
    throw new UsageError(said`Nothing deleted is called "${word}"; see \`./ballast deleted list\`.`);
  }
  if (found.length === 1) return one;
  const ways = found.map(({ kind: of, id, context }) => said`\n  ${of} ${id} ${context}`).join('');
  throw new UsageError(`${said`Several deleted things are called "${word}"; give the id of one:`}${ways}`);
}

export const deletedList = command({
  summary: 'Lists deleted services, volumes, environments and projects',
  usage: '[--json]',
  details: 'Each can be restored until the time that is shown; then it is purged, with its data.',
  options: restOptions,
  run: async (given) => {
    const deleted = await new Rest(given).all<DeletedItem>('/deleted');
    return listed({ deleted }, 'Nothing deleted can be restored.', {
      kind: 'kind',
      name: calledOf,
      of: 'context',
      deleted: 'deletedAt',
      by: ({ deletedBy }) => deletedBy.name,
      'restorable until': ({ restorable, restoreUntil, state }) =>
        restorable ? restoreUntil : state === 'retained' ? 'no' : state,
      '': 'detail',
    });
  },
});

/** Volumes have no slug. */
function calledOf({ slug, name }: { slug: string; name: string }): string {
  return slug === '' ? name : slug;
}

export const deletedPurge = command({
  summary: 'Purges a deleted service, volume, environment or project before its time',
  usage: 'NAME [--kind KIND] [--yes] [--organization SLUG] [--session-file FILE] [--json]',
  details: `NAME is its slug, name or id. Its settings, releases and data are deleted for good, on clusters, too. Tells what is lost, and
asks for its name; elsewhere than at a terminal \`--yes\` is the answer. A person purges, not a token: it takes the session of an admin,
the value of the cookie svc_session of a browser that is signed in, in a file that only you can read. The page Deleted of the
console does the same. The purge goes on by itself, and waits for agents that are away; \`./ballast deleted list\` shows it until it is done.`,
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
    const { id, name, context, detail } = item;
    const called = calledOf(item);
    const thing = { noun: item.kind, called, name, verb: 'purge' } as const;
    const lost: Losses = [
      [context.length, `of ${context}`],
      [detail.length, detail],
    ];
    if (yes !== true && !(await confirmLoss(thing, lost))) return undefined;
    await rest.call('POST', `/deleted/${item.kind}/${id}/purge`, { confirm: name });
    return {
      jsonLine: { purging: { kind: item.kind, id, name } },
      text: said`The ${item.kind} ${called} is being purged.`,
    };
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

interface Restored {
  kind: string;
  name: string;
  slug: string;
  stopped: boolean;
}

export const deletedRestore = command({
  summary: 'Restores a deleted service, volume, environment or project',
  usage: 'NAME [--kind KIND] [--slug SLUG] [--json]',
  details: `NAME is its slug, name or id. It comes back with its settings, variables, releases and volumes, and with all that was deleted along
with it; the project or service that it was in is restored first. Services that ran are suspended. It takes an admin's token.
\`./ballast deleted purge\` does not wait until its time has passed.`,
  options: {
    kind: { type: 'string', value: 'KIND', what: 'service, database, volume, environment or project.' },
    slug: { type: 'string', value: 'SLUG', what: 'Instead of the one that it had, where that is taken by now.' },
    ...restOptions,
  },
  run: async ({ kind, slug, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const item = await deletedItem(rest, word, kind);
    const body = slug === undefined ? {} : { slug };
    const restored = await rest.call<Restored>('POST', `/deleted/${item.kind}/${item.id}/restore`, body);
    const still = restored.stopped ? stillOf(restored.kind) : '';
    return { json: restored, text: said`The ${restored.kind} ${calledOf(restored)} is restored.${still}` };
  },
});

function stillOf(kind: string): string {
  return kind === 'service'
    ? ' It is suspended where it ran; `./ballast service resume` starts it again.'
    : ' Services of it that ran are suspended; `./ballast service resume` starts each again.';
}
