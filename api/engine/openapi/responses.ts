import type { z } from 'zod';
import { type ProblemCode, problems } from '../../../domain/problems.ts';
import type { JsonSchema } from '../input/json-schema.ts';
import type { AnyOperation } from '../operation.ts';
import { answerName } from '../schema-uri.ts';
import type { Components } from './components.ts';
import { possibleProblems } from './possible-problems.ts';

interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: JsonSchema }>;
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const everywhere = {
  'X-Request-Id': header('RequestId'),
  'RateLimit-Policy': header('RateLimitPolicy'),
  RateLimit: header('RateLimit'),
};

/** The responses of an operation by status: its result, and the problems that it can end in. */
export function responsesOf(name: string, operation: AnyOperation, components: Components): Record<string, Response> {
  const responses: Record<string, Response> = { [operation.status]: success(name, operation, components) };
  for (const [status, codes] of byStatus(possibleProblems(operation))) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      headers:
        status === '429' || status === '503' ? { ...everywhere, 'Retry-After': header('RetryAfter') } : everywhere,
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
  return responses;
}

function success(name: string, operation: AnyOperation, components: Components): Response {
  if (operation.stream !== undefined) {
    return {
      description:
        'A stream of events. A refused one says why in a comment that begins with `refused:` and ends; its status is 200.',
      headers: everywhere,
      content: { 'text/event-stream': { schema: { oneOf: events(operation.stream.events, components) } } },
    };
  }
  if (operation.redirects) {
    return {
      description: 'The browser is redirected to `Location`. A client that accepts HTML gets failures as a page.',
      headers: everywhere,
    };
  }
  if (operation.result === undefined) return { description: 'Done; the answer is empty.', headers: everywhere };
  const result = components.of(operation.result, 'output');
  const body = operation.paged === undefined ? result : pageOf(result, operation.paged.beside, components);
  const schema = operation.document ? body : withSchemaField(body, answerName(name, operation));
  return {
    description: operation.status === 201 ? 'Created.' : 'Done.',
    headers: everywhere,
    content: { 'application/json': { schema } },
  };
}

function events(declared: NonNullable<AnyOperation['stream']>['events'], components: Components): JsonSchema[] {
  return Object.entries(declared).map(([event, data]) => ({
    type: 'object',
    properties: {
      event: { const: event },
      data: components.of(data, 'output'),
      id: { type: 'string' },
      retry: { type: 'integer', minimum: 0 },
    },
    required: ['event', 'data'],
  }));
}

function pageOf(item: JsonSchema, beside: z.ZodType | undefined, components: Components): JsonSchema {
  const page: JsonSchema = {
    type: 'object',
    properties: {
      items: { type: 'array', items: item },
      nextCursor: { type: 'string', description: 'For the next page; absent on the last one.' },
    },
    required: ['items'],
  };
  return beside === undefined ? page : { type: 'object', allOf: [page, components.of(beside, 'output')] };
}

/** Objects carry `$schema`; arrays and texts cannot. */
function withSchemaField(schema: JsonSchema, component: string): JsonSchema {
  if (schema.$ref === undefined && schema.type !== 'object') return schema;
  const field: JsonSchema = {
    type: 'object',
    properties: { $schema: { type: 'string', description: `Names the schema: \`urn:ballast:schema:${component}\`.` } },
    required: ['$schema'],
  };
  return { allOf: [schema, field] };
}

function byStatus(codes: readonly ProblemCode[]): [string, ProblemCode[]][] {
  const grouped = Map.groupBy(codes, (code) => String(problems[code].status));
  return [...grouped].toSorted(([a], [b]) => a.localeCompare(b));
}
