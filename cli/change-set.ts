import type { z } from 'zod';
import type { changeSetItemSchema, changeSetViewSchema } from '../api/change-sets/change-set.ts';
import type { ItemBody } from '../api/change-sets/item-bodies.ts';
import { type BuildTime, seenChange } from '../domain/variables/build-time.ts';
import { command, UsageError } from './engine/command.ts';
import { agreed, canAsk } from './engine/question.ts';
import { faultsText, printableLines, type Rest, RestRefusal, restOptions } from './engine/rest.ts';
import { asTable, said } from './engine/table.ts';
import { type Environment, environmentHere, type InEnvironment } from './place/chosen.ts';
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
  options: restOptions,
  run: async (given, [id = '']) => {
    const { rest } = await here(given);
    const cancelled = await rest.call<Cancelled>('POST', `/change-sets/${encodeURIComponent(id)}/cancel`);
    const text =
      cancelled.state === 'cancelled'
        ? `The change set ${cancelled.id} is cancelled: its changes are staged again.`
        : `The deployments of the change set ${cancelled.id} are asked to end.`;
    return { json: cancelled, text };
  },
});

export type ChangeSetView = z.output<typeof changeSetViewSchema>;
type Item = z.output<typeof changeSetItemSchema>;

/** Stages all of these in the environment's draft, or none. */
export async function stageChanges(
  rest: Rest,
  environment: Environment,
  items: readonly ItemBody[],
  more: { dryRun?: true; serviceIds?: string[] } = {},
): Promise<ChangeSetView> {
  const path = `/environments/${environment.id}/change-set/items:batch`;
  return await rest.call<ChangeSetView>('PUT', path, { items, ...more }).catch((error: unknown) => {
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
  const of = serviceId === undefined ? {} : { serviceIds: [serviceId] };
  return await stageChanges(rest, environment, items, { dryRun: true, ...of });
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
export function staged(view: ChangeSetView, environment: Environment) {
  const text = asTable(view.items, `That is so already: nothing is staged in ${environment.slug}.`, columns);
  return { json: view, text, below: view.items.length === 0 ? '' : takesEffect(environment) };
}

export function takesEffect({ slug, production }: Environment): string {
  return `\`./ballast deploy --staged${production ? ` --environment ${slug}` : ''}\` applies them in ${slug}.`;
}

const columns = {
  service: 'serviceSlug',
  staged: 'label',
  from: ({ from }: Item) => shown(from),
  to: ({ secret, to, kind, ...item }: Item) => {
    const seen = seenChange(item);
    // All of its settings would be said.
    const after = secret ? 'secret' : kind === 'service.create' ? 'added' : shown(to);
    return `${after}${seen === undefined ? '' : ` (${seen})`}`;
  },
  by: ({ stagedBy }: Item) => stagedBy.name,
} as const;

const longest = 40;

export function shown(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** `KEY=VALUE` as a variable that is set. */
export function variableOf(
  word: string,
  serviceId: string | undefined,
  { secret = false, buildTime }: { secret?: boolean; buildTime?: BuildTime | undefined } = {},
): ItemBody & { kind: 'variable.set' } {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(said`"${word}" is not of the form KEY=VALUE.`);
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
      said`  ${label}${serviceSlug === '' ? '' : ` (${serviceSlug})`}, staged by ${stagedBy.name}\n`,
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
    const place = await environmentHere(given, { change: true });
    const { rest, environment } = place;
    const view = await draftOf(rest, environment);
    const others = othersItems(view, place);
    if (!all && others.length > 0 && others.length === view.items.length) {
      throw new UsageError(
        `All changes that are staged in ${environment.slug} are of others; give --all to discard them.`,
      );
    }
    const leaving = all ? view.items : view.items.filter((item) => !others.includes(item));
    if (leaving.length > 0 && !yes && canAsk()) {
      process.stderr.write(asTable(leaving, '', columns));
      if (!(await agreed(`Discard ${leaving.length === 1 ? 'it' : `these ${leaving.length}`}?`))) {
        process.stderr.write('Nothing was discarded.\n');
        process.exitCode = 4;
        return undefined;
      }
    }
    if (all || others.length === 0) await rest.call('DELETE', `/change-sets/${view.changeSet.id}`);
    else await own(place);
    const left = await draftOf(rest, environment);
    const count = view.items.length - left.items.length;
    return {
      json: left,
      text: `${count} staged ${count === 1 ? 'change is' : 'changes are'} discarded in ${environment.slug}; ${left.items.length} left.`,
    };
  },
});

/**
 * One after the other: with a service that would have been added goes all that was staged of it. Looked at each time, since others may
 * stage something meanwhile.
 */
async function own(place: InEnvironment): Promise<void> {
  for (;;) {
    const view = await draftOf(place.rest, place.environment);
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
  options: restOptions,
  run: async (given, [id = '']) => {
    const { rest } = await here(given);
    const reverted = await rest.call<Reverted>('POST', `/change-sets/${encodeURIComponent(id)}/revert`);
    // Where it is, people alone are told.
    if (given.json) return { json: reverted, text: '' };
    const { environment } = await placeOfEnvironment(rest, reverted.draft.environmentId);
    const above = reverted.skipped.map(({ label, reason }) => said`Not reverted: ${label}, ${reason}.`);
    return { ...staged(reverted.draft, environment), above };
  },
});
