import { z } from 'zod';
import {
  findTrustedIssuer,
  type TrustedIssuerRule,
  type TrustedIssuerView,
} from '../../db/trusted-issuers/trusted-issuers.ts';
import type { FieldError } from '../../domain/problems.ts';
import { tokenRoles } from '../../domain/roles.ts';
import { unpinned } from '../../domain/trusted-issuers/pinned-claims.ts';
import { OutboundRefused } from '../../outbound/failures.ts';
import type { AddressRules } from '../../outbound/rules.ts';
import { checkTarget } from '../../outbound/target.ts';
import { invalidFields } from '../engine/input/input.ts';
import { line, nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';
import { chosenProjects } from '../projects/chosen-projects.ts';

export const theTrustedIssuer = resource('trusted issuer', findTrustedIssuer);

const lifetime = z.int().min(60).max(3600).describe('How long the tokens last that jobs get.');

export const trustedIssuerSchema = z
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

export const ruleFields = {
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

export const trustedIssuerPath = z.strictObject({ id: z.guid() });
export const sessionOnly =
  'An API token cannot change trusted issuers, since they create tokens and a token cannot create tokens; sign in and do it in the console.';

export function trustedIssuerAnswer(rule: TrustedIssuerView): z.output<typeof trustedIssuerSchema> {
  const { projectIds, createdAt, lastUsedAt, authorIds: _, ...rest } = rule;
  return {
    ...rest,
    ...(projectIds === null ? {} : { projectIds }),
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt === null ? {} : { lastUsedAt: lastUsedAt.toISOString() }),
  };
}

/** Rules beyond the schema: the issuer's address must be one that we may call, and the claims must name somebody. */
export function checkRule(rule: TrustedIssuerRule, rules: AddressRules): void {
  const errors: FieldError[] = [];
  const issuer = issuerFault(rule.issuer, rules);
  if (issuer !== undefined) errors.push({ location: 'body.issuer', message: issuer, value: rule.issuer });
  else {
    const claims = unpinned(rule.issuer, rule.claims);
    if (claims !== undefined) errors.push({ location: 'body.claims', message: claims });
  }
  if (errors.length > 0) throw invalidFields(errors);
}

function issuerFault(issuer: string, rules: AddressRules): string | undefined {
  try {
    const url = checkTarget(issuer, rules);
    if (issuer.includes('?') || issuer.includes('#')) return 'must have no query and no fragment';
    return url.href === issuer || url.href === `${issuer}/`
      ? undefined
      : `must be written as the issuer itself writes it, in the usual form: ${url.href.replace(/\/$/, '')}`;
  } catch (error) {
    if (error instanceof OutboundRefused) return `cannot be reached: ${error.message}`;
    throw error;
  }
}
