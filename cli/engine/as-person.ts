import { UsageError } from './command.ts';
import { sessionOf } from './credential.ts';
import { Rest } from './rest.ts';
import { printable } from './table.ts';

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
  throw new UsageError(`You are no member of an organization "${printable(wanted)}"; there is: ${slugs}.`);
}
