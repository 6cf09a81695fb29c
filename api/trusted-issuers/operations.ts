import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import {
  createTrustedIssuer as create,
  findTrustedIssuer,
  listTrustedIssuers as issuersOf,
  lockTrustedIssuer,
  deleteTrustedIssuer as remove,
  type TrustedIssuerRule,
  updateTrustedIssuer as update,
} from '../../db/trusted-issuers/trusted-issuers.ts';
import { defined } from '../../domain/defined.ts';
import { tokenRoles } from '../../domain/roles.ts';
import { unpinned } from '../../domain/trusted-issuers/pinned-claims.ts';
import { outboundFault } from '../../outbound/failures.ts';
import type { AddressRules } from '../../outbound/rules.ts';
import { checkTarget } from '../../outbound/target.ts';
import { invalidField } from '../engine/input/input.ts';
import { line, nameText, soughtText } from '../engine/input/line.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';
import { chosenProjects, refuseOtherProjects } from '../projects/project.ts';

const theTrustedIssuer = resource('trusted issuer', findTrustedIssuer);

const lifetime = z.int().min(60).max(3600).describe('How long the tokens last that jobs get.');

const trustedIssuerSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    issuer: z.string(),
    audience: z.string(),
    claims: z.record(z.string(), z.array(z.string())),
    role: z.enum(tokenRoles),
    projectIds: z.array(z.guid()).optional().describe('Absent: the tokens are not limited to projects.'),
    tokenLifetimeSeconds: lifetime,
    createdBy: z.string().describe('The id of the person who created the rule.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'TrustedIssuer' });

const ruleFields = {
  name: nameText().describe('Unique in the organization, whatever the case.'),
  issuer: line(500).describe('What the tokens of the jobs say in `iss`, to the letter: an https address.'),
  audience: line(500).describe('What they must say in `aud`; choose one of your own, such as the address of Ballast.'),
  claims: z
    .record(line(100), z.array(line(500)).min(1).max(20))
    .refine((claims) => Object.keys(claims).length >= 1 && Object.keys(claims).length <= 20, {
      error: 'must have 1 to 20 claims',
    })
    .meta({ minProperties: 1, maxProperties: 20 })
    .describe('Claims a token must have, each with the patterns of which one must match; `*` is any characters.'),
  role: z.enum(tokenRoles),
  projectIds: chosenProjects.nullable().describe('The projects the tokens are limited to; null: they are not limited.'),
  tokenLifetimeSeconds: lifetime,
};

const sessionOnly =
  'An API token cannot change trusted issuers, since they create tokens and a token cannot create tokens; sign in and do it in the console.';

/** Rules beyond the schema: the issuer's address must be one that we may call, and the claims must name somebody. */
function checkRule(rule: TrustedIssuerRule, rules: AddressRules): void {
  const issuer = issuerFault(rule.issuer, rules);
  if (issuer !== undefined) throw invalidField('body.issuer', issuer, rule.issuer);
  const claims = unpinned(rule.issuer, rule.claims);
  if (claims !== undefined) throw invalidField('body.claims', claims);
}

function issuerFault(issuer: string, rules: AddressRules): string | undefined {
  try {
    const url = checkTarget(issuer, rules);
    if (issuer.includes('?') || issuer.includes('#')) return 'must have no query and no fragment';
    return url.href === issuer || url.href === `${issuer}/`
      ? undefined
      : `must be written as the issuer itself writes it, in the usual form: ${url.href.replace(/\/$/, '')}`;
  } catch (error) {
    return `cannot be reached: ${outboundFault(error)}`;
  }
}

const createTrustedIssuer = operation({
  method: 'POST',
  url: '/api/v1/trusted-issuers',
  summary: 'Create a trusted issuer',
  description:
    'Jobs whose OIDC token is from this issuer, for this audience and with these claims may exchange it for a short-lived API token (POST /api/v1/token-exchange).',
  role: 'admin',
  credentials: 'session',
  why: sessionOnly,
  projectTokens: 'refused',
  problems: ['conflict'],
  body: z.strictObject({
    ...ruleFields,
    projectIds: ruleFields.projectIds.default(null),
    tokenLifetimeSeconds: ruleFields.tokenLifetimeSeconds.default(900),
  }),
  status: 201,
  result: trustedIssuerSchema,
  async handle({ caller, body, effect, server }) {
    checkRule(body, server.outbound);
    const owner = caller.organization.id;
    await refuseOtherProjects(effect, owner, body.projectIds);
    await refuseBeyond(effect, {
      setting: 'TRUSTED_ISSUERS_PER_ORGANIZATION',
      most: server.settings.TRUSTED_ISSUERS_PER_ORGANIZATION,
      owner,
      things: 'trusted issuers in this organization',
      rows: sql`trusted_issuer where organization_id = ${owner}`,
    });
    return await create(effect, caller.organization.id, body);
  },
});

const deleteTrustedIssuer = operation({
  method: 'DELETE',
  url: '/api/v1/trusted-issuers/{id}',
  summary: 'Delete a trusted issuer',
  description: 'Tokens that jobs have got by it are revoked, and their open streams close.',
  role: 'admin',
  credentials: 'session',
  why: sessionOnly,
  projectTokens: 'refused',
  of: theTrustedIssuer,
  async handle({ found: { id }, caller, effect }) {
    await remove(effect, caller.organization.id, id);
  },
});

const getTrustedIssuer = operation({
  method: 'GET',
  url: '/api/v1/trusted-issuers/{id}',
  summary: 'Get a trusted issuer',
  role: 'admin',
  projectTokens: 'refused',
  of: theTrustedIssuer,
  result: trustedIssuerSchema,
  handle: async ({ found }) => found,
});

export const listTrustedIssuers = operation({
  method: 'GET',
  url: '/api/v1/trusted-issuers',
  summary: 'List trusted issuers, oldest first: the order in which they are tried',
  role: 'admin',
  projectTokens: 'refused',
  query: z.strictObject({ q: soughtText('its name or issuer') }),
  paged: { after: createdPosition },
  result: trustedIssuerSchema,
  async handle({ caller, database, query, page }) {
    const rules = await issuersOf(database.kysely, caller.organization.id, { ...oneMore(page), q: query.q });
    return pageOf(rules, page);
  },
});

const updateTrustedIssuer = operation({
  method: 'PATCH',
  url: '/api/v1/trusted-issuers/{id}',
  summary: 'Update a trusted issuer',
  description:
    'A change of issuer, audience, claims, role or projects revokes the tokens that jobs have got by the rule.',
  role: 'admin',
  credentials: 'session',
  why: sessionOnly,
  projectTokens: 'refused',
  problems: ['conflict', 'changed-meanwhile'],
  of: theTrustedIssuer,
  body: withWas(z.strictObject(ruleFields).partial()),
  result: trustedIssuerSchema,
  async handle({ found: { id }, caller, body, effect, server }) {
    const before = await lockTrustedIssuer(effect, caller.organization.id, id);
    if (before === undefined) return await caller.see(theTrustedIssuer, id, effect.kysely);
    const { was, ...wanted } = body;
    const subject = { organizationId: caller.organization.id, kind: 'trusted_issuer', id };
    await refuseChangedMeanwhile(effect.kysely, subject, { is: before, was, wanted });
    const given = defined(wanted);
    const after = { ...before, ...given };
    checkRule(after, server.outbound);
    await refuseOtherProjects(effect, caller.organization.id, wanted.projectIds);
    return await update(effect, caller.organization.id, before, after);
  },
});

export const trustedIssuers = {
  list: listTrustedIssuers,
  get: getTrustedIssuer,
  create: createTrustedIssuer,
  update: updateTrustedIssuer,
  delete: deleteTrustedIssuer,
};
