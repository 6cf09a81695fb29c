import { z } from 'zod';
import { createOrganization as newOrganization } from '../../db/organizations/organizations.ts';
import { slugPattern } from '../../domain/slug.ts';
import { operation } from '../engine/operation.ts';
import { organizationAnswer, organizationName, organizationSchema } from './organization.ts';

export const createOrganization = operation({
  method: 'POST',
  url: '/api/v1/organizations',
  summary: 'Make an organization',
  description: 'Whoever makes it is its owner. The slug stands in addresses and stays.',
  scope: 'user',
  credentials: 'session',
  why: 'An API token belongs to one organization and cannot make another; sign in and do it in the console.',
  problems: ['slug-taken'],
  body: z.strictObject({
    name: organizationName,
    slug: z.string().regex(slugPattern).describe('Unique in the installation.'),
  }),
  status: 201,
  result: organizationSchema,
  async handle({ caller, body, effect }) {
    return organizationAnswer(await newOrganization(effect, { ...body, ownerId: caller.id }));
  },
});
