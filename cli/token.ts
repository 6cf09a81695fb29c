import type { Kysely } from 'kysely';
import { apiTokenSchema } from '../api/api-tokens/operations.ts';
import { encoderOf } from '../api/engine/answers.ts';
import { schemaUri } from '../api/engine/schema-uri.ts';
import { createToken } from '../db/api-tokens/api-tokens.ts';
import { effect } from '../db/engine/effect.ts';
import { findOrganizationBySlug } from '../db/organizations/organizations.ts';
import type { Tables } from '../db/postgres/tables.ts';
import { tenant } from '../db/postgres/tenant.ts';
import { type TokenRole, tokenRoles } from '../domain/roles.ts';
import { duration } from '../domain/settings/setting.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { machine } from './database/machine.ts';
import { withDatabase } from './database/with-database.ts';
import { command, UsageError } from './engine/command.ts';

const lifetime = duration(60_000, 3_650 * 86_400_000);

export const tokenCreate = command({
  summary: 'Creates an API token and prints its secret, once',
  usage: '--name NAME --role viewer|deployer|admin [--organization SLUG] [--project SLUG]… [--expires 30d] [--json]',
  details: `For the machine that holds the home, before anyone has signed in. The audit log names the user and this machine. The
secret is not stored: if it is lost, create another token.`,
  options: {
    name: { type: 'string', value: 'NAME', what: 'What the token is for, up to 100 characters.' },
    role: { type: 'string', value: 'ROLE', what: 'viewer, deployer or admin.' },
    organization: { type: 'string', value: 'SLUG', what: 'The organization; "default" by default.' },
    project: { type: 'string', multiple: true, value: 'SLUG', what: 'Limit it to this project; may be repeated.' },
    expires: { type: 'string', value: '30d', what: 'Lifetime; no expiry by default.' },
    json: { type: 'boolean', what: 'Print what POST /api/v1/api-tokens answers.' },
  },
  run: async ({ name, role, organization: slug = 'default', project: projects = [], expires }) => {
    const wanted = { name: checkedName(name), role: checkedRole(role), expiresAt: expiryOf(expires) };
    return await withDatabase('token create', async (database) => {
      const { row, secret } = await effect(database, machine(), async (change) => {
        const organization = await findOrganizationBySlug(change.kysely, slug);
        if (organization === undefined) {
          throw new Refusal(`There is no organization "${slug}"; --organization needs the slug of an existing one.`);
        }
        const projectIds = await projectsOf(change.kysely, organization, projects);
        return await createToken(change, { organizationId: organization.id, ...wanted, projectIds });
      });
      return {
        jsonLine: {
          $schema: schemaUri('ApiTokenCreated'),
          token: encoderOf(apiTokenSchema)(row),
          secret,
          shownOnce: true,
        },
        text: secret,
        below: `Token "${row.name}" (${row.role}) of ${slug}. The secret is shown only now.`,
      };
    });
  },
});

/** The ids of the projects with these slugs; undefined: the token is limited to none. */
async function projectsOf(
  kysely: Kysely<Tables>,
  { id, slug }: { id: string; slug: string },
  slugs: readonly string[],
): Promise<string[] | undefined> {
  if (slugs.length === 0) return undefined;
  const known = await tenant(kysely, id)
    .selectFrom('project')
    .select(['id', 'slug'])
    .where('deletion_id', 'is', null)
    .execute();
  return [...new Set(slugs)].map((wanted) => {
    const found = known.find((one) => one.slug === wanted);
    if (found !== undefined) return found.id;
    const there = known.map((one) => one.slug).join(', ') || 'none';
    throw new Refusal(`There is no project "${wanted}" in the organization "${slug}"; there is: ${there}.`);
  });
}

function checkedName(name: string | undefined): string {
  const trimmed = name?.trim() ?? '';
  if (trimmed !== '' && trimmed.length <= 100 && ![...trimmed].some((letter) => letter < ' ')) return trimmed;
  throw new UsageError('--name needs a name of 1 to 100 characters, such as --name "build server".');
}

function checkedRole(role: string | undefined): TokenRole {
  const found = tokenRoles.find((known) => known === role);
  if (found) return found;
  throw new UsageError(`--role must be one of ${tokenRoles.join(', ')}.`);
}

function expiryOf(expires: string | undefined): Date | undefined {
  if (expires === undefined) return undefined;
  const milliseconds = lifetime.parse(expires);
  if (milliseconds !== undefined) return new Date(Date.now() + milliseconds);
  throw new UsageError(`--expires wants ${lifetime.form}.`);
}
