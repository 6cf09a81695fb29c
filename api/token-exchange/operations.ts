import { z } from 'zod';
import { createToken } from '../../db/api-tokens/api-tokens.ts';
import { type Author, effect } from '../../db/engine/effect.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import {
  noteRuleUsed,
  type RuleOfOrganization,
  rulesAbout,
  useJobToken,
} from '../../db/trusted-issuers/token-exchanges.ts';
import { lockTrustedIssuer } from '../../db/trusted-issuers/trusted-issuers.ts';
import { Problem } from '../../domain/problems.ts';
import { firstMismatch, textsOf } from '../../domain/trusted-issuers/pinned-claims.ts';
import { apiTokenSchema, refuseTooManyTokens } from '../api-tokens/operations.ts';
import { nameText } from '../engine/input/line.ts';
import { printable } from '../engine/input/text.ts';
import { operation } from '../engine/operation.ts';
import { before } from '../engine/pipeline/deadline.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { claimedIssuer, type JobToken, untrusted, verifiedJobToken } from './job-token.ts';

const mostNamed = 5;

/** The first rule that the job satisfies. Otherwise says of each rule what it is that does not match. */
function matchingRule(rules: readonly RuleOfOrganization[], token: JobToken): RuleOfOrganization {
  const faults: string[] = [];
  for (const rule of rules) {
    const fault = faultOf(rule, token);
    if (fault === undefined) return rule;
    faults.push(`the rule "${rule.name}" wants ${fault}`);
  }
  const more = faults.length > mostNamed ? `, and ${faults.length - mostNamed} more rules do not match either` : '';
  throw new Problem(
    'token-not-trusted',
    `The token is genuine, but no rule trusts this job: ${faults.slice(0, mostNamed).join('; ')}${more}.`,
  );
}

/** The mismatch, by the token's own values. The rule's expectations stay with its owner. */
function faultOf(rule: RuleOfOrganization, { payload }: JobToken): string | undefined {
  if (!textsOf(payload.aud).includes(rule.audience)) return `another audience than ${shown(payload.aud)}`;
  const claim = firstMismatch(rule.claims, payload);
  if (claim === undefined) return undefined;
  return `another "${claim}" than ${shown(Object.hasOwn(payload, claim) ? payload[claim] : undefined)}`;
}

function shown(value: unknown): string {
  const texts = textsOf(value).map((text) => `"${printable(text)}"`);
  return texts.length === 0 ? 'none' : texts.slice(0, 3).join(', ');
}

const exchangeToken = operation({
  method: 'POST',
  url: '/api/v1/token-exchange',
  summary: 'Exchange the OIDC token of a CI job for an API token',
  description:
    'For jobs of trusted issuers (see /api/v1/trusted-issuers). Each token of a job can be exchanged once, for a short-lived API token.',
  scope: 'public',
  rate: 'credentials',
  problems: ['token-not-trusted', 'quota-reached'],
  ownEffect: true,
  body: z.strictObject({
    organization: z.string().min(1).max(100).describe('Its slug or its id.'),
    token: z
      .string()
      .max(16_384)
      .regex(/^[\w-]+\.[\w-]+\.[\w-]*$/, 'is no signed JWT; send the ID token that the CI gives to the job')
      .meta({ writeOnly: true })
      .describe('The OIDC token that the CI issued to the job.'),
    name: nameText().optional().describe('Name of the API token; by default rule and job.'),
  }),
  status: 201,
  result: z
    .object({
      token: apiTokenSchema,
      secret: z.string().describe('What to send as `Authorization: Bearer …`.'),
      shownOnce: z.boolean(),
      expiresAt: z.iso.datetime(),
    })
    .meta({ id: 'TokenExchanged' }),
  secretAnswer: ({ token }) => token.id,
  async handle({ body, client, database, server, signal }) {
    const issuer = claimedIssuer(body.token);
    const rules = await rulesAbout(database.kysely, body.organization, issuer);
    // Nobody is asked for keys before: strangers do not choose where we knock.
    if (rules.length === 0) throw untrusted();
    const keys: IssuerKeys = server.issuerKeys;
    const job = await before(signal, verifiedJobToken(body.token, issuer, keys.of(issuer)));
    const rule = matchingRule(rules, job);
    const { address: ip, requestId } = client;
    const author: Author = { kind: 'machine', id: rule.id, name: `ci: ${rule.name}`, ip, requestId };
    return await effect(database, author, async (running) => {
      const { organizationId, id } = rule;
      // The rule may have been changed or deleted while the issuer was asked.
      const current = await lockTrustedIssuer(running, organizationId, id);
      if (current === undefined) throw untrusted();
      const trusted: RuleOfOrganization = { ...current, organizationId };
      if (trusted.issuer !== issuer) throw untrusted();
      matchingRule([trusted], job);
      if (!(await useJobToken(running, job))) throw usedBefore();
      await refuseTooManyTokens(running, server.settings, organizationId);
      const expiresAt = new Date(Date.now() + trusted.tokenLifetimeSeconds * 1000);
      const { row, secret } = await createToken(running, {
        organizationId,
        name: body.name ?? nameOf(trusted, job),
        role: trusted.role,
        projectIds: trusted.projectIds ?? undefined,
        expiresAt,
        exchanged: { trustedIssuerId: id, authorIds: trusted.authorIds, details: detailsOf(trusted, job) },
      });
      await noteRuleUsed(running, trusted);
      // Too late: what the client is told did not happen must not happen.
      signal.throwIfAborted();
      return { token: row, secret, shownOnce: true, expiresAt };
    });
  },
});

function usedBefore(): Problem {
  return new Problem(
    'token-not-trusted',
    'The token was exchanged before, and each can be exchanged once; let the job request another one.',
  );
}

function nameOf(rule: RuleOfOrganization, { payload }: JobToken): string {
  const subject = typeof payload.sub === 'string' ? `: ${printable(payload.sub)}` : '';
  return `${rule.name}${subject}`.slice(0, 100).toWellFormed();
}

/** The claims by which people recognize a job. */
const telling = [
  'sub',
  ...['repository', 'ref', 'sha', 'workflow', 'job_workflow_ref', 'event_name', 'run_id', 'run_attempt', 'actor'],
  ...['project_path', 'pipeline_id', 'pipeline_source', 'job_id', 'user_login', 'environment'],
];

function detailsOf(rule: RuleOfOrganization, { issuer, payload }: JobToken): JsonObject {
  const claims: JsonObject = {};
  for (const claim of new Set([...telling, ...Object.keys(rule.claims)])) {
    const texts = Object.hasOwn(payload, claim) ? textsOf(payload[claim]).slice(0, 20).map(printable) : [];
    const [only] = texts;
    if (only !== undefined) claims[claim] = texts.length === 1 ? only : texts;
  }
  return { rule: rule.name, issuer, claims };
}

export const tokenExchange = { exchange: exchangeToken };
