import { type Option, UsageError } from './command.ts';
import { sessionOf } from './credential.ts';
import { Rest, restOptions } from './rest.ts';
import { said } from './table.ts';

/** Options of commands that a person gives, and no token. */
export const sessionOptions = {
  organization: { type: 'string', value: 'SLUG', what: 'The organization, where you are a member of several.' },
  'session-file': {
    type: 'string',
    value: 'FILE',
    what: 'File with the session of a signed-in browser, instead of BALLAST_SESSION_FILE.',
  },
  url: restOptions.url,
  json: restOptions.json,
} as const satisfies Record<string, Option>;

interface Membership {
  organizationId: string;
  slug: string;
}

/** The API as the person of a session, in this organization. */
export interface AsPerson {
  rest: Rest;
  slug: string;
}

export async function asPerson(
  file: string,
  { organization: wanted, url }: { organization?: string | undefined; url?: string | undefined },
): Promise<AsPerson> {
  const session = sessionOf(file);
  const rest = new Rest({ url }, undefined, session);
  const organizations = await rest.all<Membership>('/organizations');
  const { organizationId, slug } = chosen(organizations, wanted);
  return { rest: new Rest(rest, undefined, { ...session, organizationId }), slug };
}

function chosen(organizations: readonly Membership[], wanted: string | undefined): Membership {
  const slugs = organizations.map(({ slug }) => slug).join(', ') || 'none';
  const [only] = organizations;
  if (wanted === undefined) {
    if (only !== undefined && organizations.length === 1) return only;
    if (only === undefined) throw new UsageError('You are a member of no organization: let somebody invite you.');
    throw new UsageError(`You are a member of several organizations; say which one by --organization: ${slugs}.`);
  }
  const found = organizations.find(({ slug, organizationId }) => [slug, organizationId].includes(wanted.toLowerCase()));
  if (found !== undefined) return found;
  throw new UsageError(said`You are no member of an organization "${wanted}"; there is: ${slugs}.`);
}
