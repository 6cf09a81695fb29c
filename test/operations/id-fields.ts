import { z } from 'zod';
import type { AnyOperation } from '../../api/engine/operation.ts';

/** An id in a request, and the request with another one in its place. */
export interface NamedId {
  /** As problems name it: `body.items[2].serviceId`. */
  location: string;
  /** The same in the schema: `body.items[](variable.set).serviceId`. */
  field: string;
  id: string;
  /** The last name on the way to it: `serviceId`. */
  name: string;
  with(id: string): Sent;
}

export interface Sent {
  query: unknown;
  body: unknown;
}

type JsonSchema = {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  format?: string;
  const?: unknown;
};

/** The fields of query and body in which the operation's own schemas take an id; `was` and `seen` are compared and lead nowhere. */
export function idFields({ query, body }: AnyOperation): string[] {
  const fields = Object.entries({ query, body }).flatMap(([part, schema]) =>
    fieldsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, part),
  );
  return [...new Set(fields)].filter((field) => !/^body\.was\.|\.seen\./.test(field));
}

function fieldsOf({ properties = {}, items, anyOf = [], oneOf = [], format }: JsonSchema, at: string): string[] {
  const kind = properties.kind?.const;
  const here = kind === undefined ? at : `${at}(${kind})`;
  return [
    ...(format === 'uuid' ? [at] : []),
    ...[...anyOf, ...oneOf].flatMap((one) => fieldsOf(one, at)),
    ...Object.entries(properties).flatMap(([name, one]) => fieldsOf(one, `${here}.${name}`)),
    ...(items === undefined ? [] : fieldsOf(items, `${at}[]`)),
  ];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ids that a request names, those in values without a schema included. */
export function idsIn(sent: Sent): NamedId[] {
  return [...leaves(sent.query, ['query'], 'query'), ...leaves(sent.body, ['body'], 'body')].map(
    ({ steps, field, id }) => ({
      ...{ field, id, location: locationOf(steps) },
      name: String(steps.findLast((step) => typeof step === 'string')),
      with(other) {
        const changed = structuredClone(sent) as unknown as Record<string, unknown>;
        let inner = changed;
        for (const step of steps.slice(0, -1)) inner = inner[step] as Record<string, unknown>;
        inner[steps.at(-1) ?? ''] = other;
        return changed as unknown as Sent;
      },
    }),
  );
}

interface Leaf {
  steps: (string | number)[];
  field: string;
  id: string;
}

function leaves(value: unknown, steps: Leaf['steps'], field: string): Leaf[] {
  if (typeof value === 'string') return uuid.test(value) ? [{ steps, field, id: value }] : [];
  if (Array.isArray(value)) return value.flatMap((one, at) => leaves(one, [...steps, at], `${field}[]`));
  if (typeof value !== 'object' || value === null) return [];
  const { kind } = value as { kind?: unknown };
  const here = typeof kind === 'string' && kind.includes('.') ? `${field}(${kind})` : field;
  return Object.entries(value).flatMap(([name, one]) => leaves(one, [...steps, name], `${here}.${name}`));
}

function locationOf([part, ...steps]: Leaf['steps']): string {
  return `${part}${steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`;
}
