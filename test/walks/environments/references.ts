import { isVariable, keyOf, type Scope, type Service, type Slot, scopeOf, type Values } from './vocabulary.ts';

/** References as they are read naively: by the text of values alone. */
const written = /\$\{\{([a-zA-Z.]+)\}\}/g;
const parts = ['HOST', 'PORT', 'URL'];

type Leads = { slot: Slot } | { address: string; service: Service };

/** The places to which the value of a place refers, whether they are there or not. */
function leadsOf(slot: Slot, value: string): (Leads & { text: string })[] {
  if (!isVariable(slot)) return [];
  return [...value.matchAll(written)].map(([text, reference = '']) => {
    const [first = '', second] = reference.split('.');
    if (second === undefined) return { text, slot: `${scopeOf(slot)} ${first}` };
    if (parts.includes(second)) return { text, address: `<${reference}>`, service: first as Service };
    return { text, slot: `${first} ${second}` };
  });
}

/** An environment: its values, and the services that are in it and not deleted. */
export interface Here {
  values: Values;
  there: ReadonlySet<Scope>;
}

const isThere = ({ values, there }: Here, lead: Leads): boolean =>
  'address' in lead ? there.has(lead.service) : there.has(scopeOf(lead.slot)) && values.has(lead.slot);

/** The references that lead nowhere. */
export function dangling(here: Here): Set<string> {
  const found = new Set<string>();
  for (const [slot, value] of here.values) {
    if (!here.there.has(scopeOf(slot))) continue;
    for (const lead of leadsOf(slot, value)) if (!isThere(here, lead)) found.add(`${slot} ${lead.text}`);
  }
  return found;
}

/** The value of a variable with all that it refers to put in. */
export function resolved(here: Here, slot: Slot): string {
  let value = here.values.get(slot) ?? '?';
  for (const lead of leadsOf(slot, value)) {
    const put = 'address' in lead ? lead.address : resolved(here, lead.slot);
    value = value.replace(lead.text, () => put);
  }
  return value;
}

/** The variables of a service as its instances have them. */
export function resolvedOf(here: Here, service: Service): Record<string, string> {
  return Object.fromEntries(
    [...here.values.keys()]
      .filter((slot) => scopeOf(slot) === service && isVariable(slot))
      .map((slot) => [keyOf(slot), resolved(here, slot)])
      .toSorted(),
  );
}

/** The places that a variable is made of, itself included. */
function madeOf(here: Here, slot: Slot, found = new Set<Slot>()): Set<Slot> {
  if (found.has(slot)) return found;
  found.add(slot);
  for (const lead of leadsOf(slot, here.values.get(slot) ?? '')) {
    if ('slot' in lead && isThere(here, lead)) madeOf(here, lead.slot, found);
    else if ('slot' in lead) found.add(lead.slot);
  }
  return found;
}

/** The services with a variable that is made of one of these places, before or after. */
export function following(before: Here, after: Here, changed: readonly Slot[]): Set<Service> {
  const found = new Set<Service>();
  for (const here of [before, after]) {
    for (const slot of here.values.keys()) {
      const scope = scopeOf(slot);
      if (scope === 'shared' || !here.there.has(scope) || !isVariable(slot)) continue;
      const made = madeOf(here, slot);
      if (changed.some((one) => made.has(one))) found.add(scope);
    }
  }
  return found;
}

/** Whether a value of another service, or a shared one, refers to this one by itself. */
export function isReferred(here: Here, service: Service): boolean {
  return [...here.values].some(([slot, value]) => {
    const scope = scopeOf(slot);
    if (scope === service || !here.there.has(scope)) return false;
    return leadsOf(slot, value).some(
      (lead) => isThere(here, lead) && ('address' in lead ? lead.service : scopeOf(lead.slot)) === service,
    );
  });
}
