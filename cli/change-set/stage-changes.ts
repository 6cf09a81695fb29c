import type { z } from 'zod';
import type { changeSetItemSchema, changeSetViewSchema } from '../../api/change-sets/change-set.ts';
import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import { type BuildTime, seenChange } from '../../domain/variables/build-time.ts';
import { UsageError } from '../engine/command.ts';
import { faultsText, printableLines, type Rest, RestRefusal } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import type { Environment } from '../place/chosen.ts';

export type ChangeSetView = z.output<typeof changeSetViewSchema>;
export type Item = z.output<typeof changeSetItemSchema>;

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

export function rowOf({ serviceSlug, label, secret, from, to, stagedBy, ...item }: Item): string[] {
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
