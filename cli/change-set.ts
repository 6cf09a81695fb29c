import type { z } from 'zod';
import type { changeSetItemSchema, changeSetViewSchema } from '../api/change-sets/change-set.ts';
import type { ItemBody } from '../api/change-sets/item-bodies.ts';
import { type BuildTime, seenChange } from '../domain/variables/build-time.ts';
import { command, UsageError } from './engine/command.ts';
import { agreed, canAsk } from './engine/question.ts';
import { faultsText, printableLines, type Rest, RestRefusal, restOptions } from './engine/rest.ts';
import { asTable, printable } from './engine/table.ts';
import { chosenEnvironment, chosenProject, type Environment } from './place/chosen.ts';
import { environmentOptions, type Here, here } from './place/here.ts';
import { placeOfEnvironment } from './place/place-of-environment.ts';

interface Cancelled {
  id: string;
  state: string;
}

export const changeSetCancel = command({
  summary: 'Cancels a change set that waits or is applied',
  usage: 'CHANGE-SET [--json]',
  details: `Of one that is held, the changes are staged again. Of one that is applied, deployments that wait end at once, and those that
roll return to the live release; what went live stays. Exit code 1: nothing of it can be cancelled any more.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const { rest } = await here(given);
    const cancelled = await rest.call<Cancelled>('POST', `/change-sets/${encodeURIComponent(id)}/cancel`);
    if (given.json) return void process.stdout.write(`${JSON.stringify(cancelled, undefined, 2)}\n`);
    const ended = cancelled.state === 'cancelled';
    process.stdout.write(
      ended
        ? `The change set ${cancelled.id} is cancelled: its changes are staged again.\n`
        : `The deployments of the change set ${cancelled.id} are asked to end.\n`,
    );
  },
});

export type ChangeSetView = z.output<typeof changeSetViewSchema>;
type Item = z.output<typeof changeSetItemSchema>;

/** Stages all of these in the environment's draft, or none. */
export async function stageChanges(
  rest: Rest,
  environment: Environment,
  items: readonly ItemBody[],
): Promise<ChangeSetView> {
  const path = `/environments/${environment.id}/change-set/items:batch`;
  return await rest.call<ChangeSetView>('PUT', path, { items }).catch((error: unknown) => {
    throw error instanceof RestRefusal ? inWords(error, items) : error;
  });
}

export async function draftOf(rest: Rest, environment: Environment): Promise<ChangeSetView> {
  return await rest.call<ChangeSetView>('GET', `/environments/${environment.id}/change-set`);
}

/** The draft as it would be with these, or what of it would be applied with a service; nothing is staged. Its revision is the one that it has. */
export async function previewChanges(
  rest: Rest,
  environment: Environment,
  items: readonly ItemBody[],
  serviceId: string | undefined,
): Promise<ChangeSetView> {
  if (items.length === 0) return await draftOf(rest, environment);
  const path = `/environments/${environment.id}/change-set/items:batch`;
  const of = serviceId === undefined ? {} : { serviceIds: [serviceId] };
  return await rest.call<ChangeSetView>('PUT', path, { items, dryRun: true, ...of }).catch((error: unknown) => {
    throw error instanceof RestRefusal ? inWords(error, items) : error;
  });
}

/** A fault of `items[3].value` is one of the setting or variable that was typed. */
function inWords(refusal: RestRefusal, items: readonly ItemBody[]): RestRefusal {
  if (refusal.errors.length === 0) return refusal;
  const errors = refusal.errors.map(({ location, message }) => {
    const item = items[Number(/items\[(\d+)\]/.exec(location)?.[1] ?? -1)];
    return { location: typedPlace(item, location), message };
  });
  return new RestRefusal(printableLines(faultsText(errors)), refusal.status, errors);
}

/** Of a process that is created its settings were typed. */
function typedPlace(item: ItemBody | undefined, location: string): string {
  if (item?.kind === 'process.create') return location.split('.').at(-1) ?? location;
  return item !== undefined && 'key' in item ? item.key : location;
}

/** The draft after a command has staged something, and how it takes effect. */
export function tellStaged(view: ChangeSetView, environment: Environment, json = false): void {
  if (json) return void process.stdout.write(`${JSON.stringify(view, undefined, 2)}\n`);
  if (view.items.length === 0) {
    return void process.stdout.write(`That is so already: nothing is staged in ${environment.slug}.\n`);
  }
  process.stdout.write(asTable(['service', 'staged', 'from', 'to', 'by'], view.items.map(rowOf)));
  const named = environment.production ? ` --environment ${environment.slug}` : '';
  process.stderr.write(`\`./ballast deploy --staged${named}\` applies them in ${environment.slug}.\n`);
}

function rowOf({ serviceSlug, label, secret, from, to, stagedBy, ...item }: Item): string[] {
  const seen = seenChange(item);
  // All of its settings would be said.
  const after = `${secret ? 'secret' : item.kind === 'service.create' ? 'added' : shown(to)}${seen === undefined ? '' : ` (${seen})`}`;
  return [serviceSlug, printable(label), shown(from), after, printable(stagedBy.name)];
}

const longest = 40;

function shown(json: string): string {
  const text = printable(json);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** `KEY=VALUE` as a variable that is set. */
export function variableOf(
  word: string,
  serviceId: string | undefined,
  { secret = false, buildTime }: { secret?: boolean; buildTime?: BuildTime | undefined } = {},
): ItemBody & { kind: 'variable.set' } {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(`"${printable(word)}" is not of the form KEY=VALUE.`);
  const [key, value] = [word.slice(0, at), word.slice(at + 1)];
  return {
    kind: 'variable.set',
    ...(serviceId === undefined ? {} : { serviceId }),
    key,
    value,
    ...(secret ? { secret } : {}),
    ...(buildTime === undefined ? {} : { buildTime }),
  };
}

/** Changes in the draft that somebody else has staged: they would go along. */
export function othersItems({ items }: ChangeSetView, { organization }: Here): Item[] {
  return items.filter(({ stagedBy }) => stagedBy.id !== organization.callerId);
}

/**
 * Nobody else's change goes along unseen: they are listed, and somebody at a terminal is asked. `all`: they were asked for.
 * Answers whether to go on.
 */
export async function withOthers(others: readonly Item[], all: boolean, verb: string): Promise<boolean> {
  if (others.length === 0 || all) return true;
  const listed = others.map(
    ({ serviceSlug, label, stagedBy }) =>
      `  ${printable(label)}${serviceSlug === '' ? '' : ` (${serviceSlug})`}, staged by ${printable(stagedBy.name)}\n`,
  );
  process.stderr.write(`Others have staged changes there, which would go along:\n${listed.join('')}`);
  if (canAsk()) return await agreed(`${verb} these too?`);
  throw new UsageError(
    `${others.length === 1 ? 'A change of somebody else is' : `${others.length} changes of others are`} staged there: give --all to ${verb.toLowerCase()} all, or ask them. What is staged stays as it was.`,
  );
}

export const discard = command({
  summary: 'Discards your staged changes in an environment',
  usage: '[--all] [--yes] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `At a terminal they are listed, and discarded after one question. A service that was staged to be added, and that no environment ever had, is deleted.`,
  options: {
    all: { type: 'boolean', what: 'Discard those of others, too.' },
    yes: { type: 'boolean', short: 'y', what: 'Ask nothing at a terminal; elsewhere nothing is asked.' },
    ...environmentOptions,
  },
  run: async ({ all = false, yes = false, ...given }) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const path = `/environments/${environment.id}/change-set`;
    const view = await place.rest.call<ChangeSetView>('GET', path);
    const others = othersItems(view, place);
    if (!all && others.length > 0 && others.length === view.items.length) {
      throw new UsageError(
        `All changes that are staged in ${environment.slug} are of others; give --all to discard them.`,
      );
    }
    const leaving = all ? view.items : view.items.filter((item) => !others.includes(item));
    if (leaving.length > 0 && !yes && canAsk()) {
      process.stderr.write(asTable(['service', 'staged', 'from', 'to', 'by'], leaving.map(rowOf)));
      if (!(await agreed(`Discard ${leaving.length === 1 ? 'it' : `these ${leaving.length}`}?`))) {
        process.stderr.write('Nothing was discarded.\n');
        process.exitCode = 4;
        return;
      }
    }
    if (all || others.length === 0) await place.rest.call('DELETE', `/change-sets/${view.changeSet.id}`);
    else await own(place, path);
    const left = await place.rest.call<ChangeSetView>('GET', path);
    if (given.json) return void process.stdout.write(`${JSON.stringify(left, undefined, 2)}\n`);
    const count = view.items.length - left.items.length;
    process.stdout.write(
      `${count} staged ${count === 1 ? 'change is' : 'changes are'} discarded in ${environment.slug}; ${left.items.length} left.\n`,
    );
  },
});

/**
 * One after the other: with a service that would have been added goes all that was staged of it. Looked at each time, since others may
 * stage something meanwhile.
 */
async function own(place: Here, path: string): Promise<void> {
  for (;;) {
    const view = await place.rest.call<ChangeSetView>('GET', path);
    const others = othersItems(view, place);
    const next = view.items.find((item) => !others.includes(item));
    if (next === undefined) return;
    await place.rest.call('DELETE', `/change-set-items/${next.id}`);
  }
}

interface Reverted {
  draft: ChangeSetView;
  skipped: { label: string; reason: string }[];
}

export const changeSetRevert = command({
  summary: 'Stages the inverse of a change set, and deploys nothing',
  usage: 'CHANGE-SET [--json]',
  details: `What is still as the change set made it is staged to be as it was before, with secrets and images of the release of before. The
rest is named with its reason. \`./ballast deploy --staged\` applies it.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const { rest } = await here(given);
    const reverted = await rest.call<Reverted>('POST', `/change-sets/${encodeURIComponent(id)}/revert`);
    if (given.json) return void process.stdout.write(`${JSON.stringify(reverted, undefined, 2)}\n`);
    const { environment } = await placeOfEnvironment({ rest }, reverted.draft.environmentId);
    for (const { label, reason } of reverted.skipped) {
      process.stderr.write(`Not reverted: ${printable(label)}, ${printable(reason)}.\n`);
    }
    tellStaged(reverted.draft, environment);
  },
});
