import type { Settings } from '../../../domain/settings/settings.ts';
import { rateClasses } from '../limits/rate-classes.ts';
import { problemSchema } from '../problems/problem-answer.ts';
import type { NamedOperation } from '../registry.ts';
import { Components } from './components.ts';
import { parametersOf } from './parameters.ts';
import { responsesOf } from './responses.ts';

export type OpenapiDocument = Record<string, unknown> & {
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  paths: Record<string, Record<string, OpenapiOperation>>;
  components: Record<string, unknown> & { schemas: Record<string, unknown> };
};
export type OpenapiOperation = ReturnType<typeof describe>;

/** The OpenAPI 3.1 document of these operations. Nothing in it is written by hand but what concerns all of them. */
export function openapiDocument(
  operations: readonly NamedOperation[],
  version: string,
  settings: Settings,
): OpenapiDocument {
  const components = new Components();
  components.of(problemSchema, 'output');
  const paths: OpenapiDocument['paths'] = {};
  const placed = documentedPaths(operations);
  for (const named of operations) {
    const { url, method } = named.operation;
    const path = placed.get(url) ?? url;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(named, path, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ballast',
      version,
      description: introduction,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: settings.PUBLIC_URL }],
    tags: [...new Set(operations.map(({ subject }) => subject))].map((name) => ({ name })),
    paths,
    components: { schemas: components.schemas, headers, securitySchemes },
    'x-limits': limitsOf(settings),
  };
}

/**
 * Where each URL stands in the document. Two that differ only in what they call their parameters are one path there
 * (`/invitations/{id}` and `/invitations/{token}`), by the names of the first.
 */
export function documentedPaths(operations: readonly NamedOperation[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const placed = new Map<string, string>();
  for (const { url } of operations.map(({ operation }) => operation)) {
    const shape = url.replace(/\{\w+\}/g, '{}');
    first.set(shape, first.get(shape) ?? url);
    placed.set(url, first.get(shape) ?? url);
  }
  return placed;
}

function describe({ name, subject, operation }: NamedOperation, path: string, components: Components) {
  const { access } = operation;
  const role = access.scope === 'organization' ? access.role : undefined;
  const description = [operation.description, accessInWords(operation.access), rateInWords(operation.rate)]
    .filter((sentence) => sentence !== undefined)
    .join('\n\n');
  return {
    operationId: name,
    tags: [subject],
    summary: operation.summary,
    description,
    parameters: parametersOf(operation, path, components),
    ...(operation.takesBody
      ? {
          requestBody: {
            required: !operation.body.safeParse(undefined).success,
            content: { 'application/json': { schema: components.of(operation.body, 'input') } },
          },
        }
      : {}),
    responses: responsesOf(name, operation, components),
    security: securityOf(access),
    'x-scope': access.scope,
    ...(role === undefined ? {} : { 'x-role': role }),
  };
}

function securityOf(access: NamedOperation['operation']['access']): Record<string, string[]>[] {
  if (access.scope === 'public') return [];
  const session = { session: [] };
  const token = { token: [] };
  if (access.credentials === 'session') return [session];
  return access.credentials === 'token' ? [token] : [token, session];
}

function accessInWords(access: NamedOperation['operation']['access']): string {
  if (access.scope === 'public') return 'Needs no credential.';
  const only =
    access.credentials === undefined
      ? ''
      : ` Only with ${access.credentials === 'session' ? 'a session' : 'an API token'}.`;
  if (access.scope === 'user') return `Needs a credential, whatever the organization.${only}`;
  const projects = access.projectTokens === 'refused' ? ' Refused to tokens that are limited to chosen projects.' : '';
  return `Needs the role \`${access.role}\` or a higher one in the organization.${only}${projects}`;
}

function rateInWords(rate: NamedOperation['operation']['rate']): string | undefined {
  if (rate === undefined) return undefined;
  return `At most ${rateClasses[rate]} requests a minute with one credential; without any, from one client address.`;
}

function limitsOf(settings: Settings): Record<string, number> {
  return {
    bodyBytes: settings.MAX_BODY_BYTES,
    requestMilliseconds: settings.REQUEST_TIMEOUT,
    requestsPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    requestsPerMinuteWithoutCredential: settings.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    ...Object.fromEntries(Object.entries(rateClasses).map(([name, limit]) => [`requestsPerMinuteOf.${name}`, limit])),
    organizationStreamsPerCredential: settings.ORGANIZATION_STREAMS_PER_CREDENTIAL,
    otherStreamsPerCredential: settings.STREAMS_PER_CREDENTIAL,
    idempotencyHours: settings.IDEMPOTENCY_HOURS,
    pageItems: 200,
  };
}

const introduction = `The API of the control plane. Requests and answers are JSON; ids are UUIDs; times are RFC 3339.

**Who calls.** An API token (\`Authorization: Bearer svc_…\`) or the session cookie of the console. With both, the token
counts. A session names its organization in \`X-Svc-Organization\` and sends \`X-Svc-CSRF: 1\` with whatever changes
something. Without a valid credential the answer is 403; there is no 401.

**Pages.** Lists answer \`items\` and, if there are more, \`nextCursor\`: send it as \`cursor\` with the same filters.

**Failures** are \`application/problem+json\`: match on \`status\`, show \`detail\`; \`errors\` name the fields at fault.

**Repeating.** A change sent with an \`Idempotency-Key\` can be repeated without being made twice.

The limits that hold are in \`x-limits\` of openapi.json; those of requests are answered as \`RateLimit\` headers.`;

const headers = {
  RequestId: { description: 'The id of this request; quote it when you ask for help.', schema: { type: 'string' } },
  RateLimitPolicy: { description: 'The limits that count for this request.', schema: { type: 'string' } },
  RateLimit: { description: 'What is left of them, and for how many seconds.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
};

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'An API token: `svc_`, an identifier, `_`, a secret.' },
  session: { type: 'apiKey', in: 'cookie', name: 'svc_session', description: 'The session that a sign-in created.' },
};
