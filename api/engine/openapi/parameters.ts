import type { JsonSchema } from '../input/json-schema.ts';
import type { AnyOperation } from '../operation.ts';
import type { Components } from './components.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

/** Path, query and headers of an operation. */
export function parametersOf(operation: AnyOperation, path: string, components: Components): Parameter[] {
  const own = namesIn(operation.url);
  const documented = namesIn(path);
  return [
    ...fields('path', components.of(operation.path, 'input')).map((field) => {
      return { ...field, name: documented[own.indexOf(field.name)] ?? field.name };
    }),
    ...fields('query', components.of(operation.query, 'input')),
    ...headers(operation),
  ];
}

function namesIn(url: string): string[] {
  return [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

function fields(place: 'path' | 'query', schema: JsonSchema): Parameter[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (typeof field !== 'object') return [];
    const { description, ...rest } = field;
    const required = place === 'path' || (schema.required ?? []).includes(name);
    return [{ name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest }];
  });
}

function headers(operation: AnyOperation): Parameter[] {
  const { access } = operation;
  if (access.scope === 'public') return [];
  const list: Parameter[] = [
    {
      name: 'X-Svc-Organization',
      in: 'header',
      required: false,
      description:
        access.scope === 'organization'
          ? 'The organization that the request is about. Required with a session; a token names its own, and another one is refused.'
          : 'Not needed here. One that is sent must be an organization of the caller.',
      schema: { type: 'string', format: 'uuid' },
    },
  ];
  if (operation.method === 'GET') return list;
  return [
    ...list,
    {
      name: 'X-Svc-CSRF',
      in: 'header',
      required: false,
      description: 'Required with a session: `1`.',
      // No `const`: generators of clients make nothing of one in a header.
      schema: { type: 'string', pattern: '^1$' },
    },
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Up to 255 visible characters of ASCII, new for each change. A repeated request with the same key gets the first answer again and changes nothing.',
      schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    },
  ];
}
