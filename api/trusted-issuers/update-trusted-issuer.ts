import { z } from 'zod';
import { lockTrustedIssuer, updateTrustedIssuer as update } from '../../db/trusted-issuers/trusted-issuers.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { refuseOtherProjects } from '../projects/chosen-projects.ts';
import {
  checkRule,
  ruleFields,
  sessionOnly,
  theTrustedIssuer,
  trustedIssuerAnswer,
  trustedIssuerPath,
  trustedIssuerSchema,
} from './trusted-issuer.ts';

export const updateTrustedIssuer = operation({
  method: 'PATCH',
  url: '/api/v1/trusted-issuers/{id}',
  summary: 'Update a trusted issuer',
  description:
    'A change of issuer, audience, claims, role or projects revokes the tokens that jobs have got by the rule.',
  scope: 'organization',
  role: 'admin',
  credentials: 'session',
  why: sessionOnly,
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'changed-meanwhile'],
  path: trustedIssuerPath,
  body: withWas(z.strictObject(ruleFields).partial()),
  result: trustedIssuerSchema,
  async handle({ caller, path, body, effect, server }) {
    const { id } = await caller.see(theTrustedIssuer, path.id, effect.kysely);
    const before = await lockTrustedIssuer(effect, caller.organization.id, id);
    if (before === undefined) return trustedIssuerAnswer(await caller.see(theTrustedIssuer, id, effect.kysely));
    const { was, ...wanted } = body;
    const subject = { organizationId: caller.organization.id, kind: 'trusted_issuer', id };
    await refuseChangedMeanwhile(effect.kysely, subject, { is: before, was, wanted });
    const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const after = { ...before, ...given };
    checkRule(after, server.outbound);
    await refuseOtherProjects(effect, caller.organization.id, wanted.projectIds);
    return trustedIssuerAnswer(await update(effect, caller.organization.id, before, after));
  },
});
