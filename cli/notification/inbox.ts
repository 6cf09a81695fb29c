import type { z } from 'zod';
import type { notificationSchema } from '../../api/notifications/notification.ts';
import type { membershipSchema } from '../../api/organizations/list-organizations.ts';
import type { NotificationLink } from '../../domain/notifications/notifications.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { type Option, UsageError } from '../engine/command.ts';
import { sessionOf } from '../engine/credential.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type Notification = Omit<z.output<typeof notificationSchema>, 'link'> & { link: NotificationLink };
type Membership = z.output<typeof membershipSchema>;

/** A page of it, newest first. */
export interface InboxPage {
  items: Notification[];
  nextCursor?: string;
  unreadCount: number;
}

export const inboxOptions = {
  organization: { type: 'string', value: 'SLUG', what: 'The organization, where you are a member of several.' },
  'session-file': {
    type: 'string',
    value: 'FILE',
    what: 'File with the session of a signed-in browser, instead of BALLAST_SESSION_FILE.',
  },
  url: restOptions.url,
  json: restOptions.json,
} as const satisfies Record<string, Option>;

export const inboxDetails = `An inbox belongs to a person, and an API token has none. So these commands take a session instead of a token: the value of
the cookie svc_session of a browser that is signed in, in a file that only you can read. It may do all that you may; end it on
the page of your account when it is not needed any more.`;

interface Given {
  organization?: string | undefined;
  'session-file'?: string | undefined;
  url?: string | undefined;
}

export interface Inbox {
  /** The API as the person of the session, in this organization. */
  rest: Rest;
  slug: string;
}

export async function openInbox({ organization: wanted, 'session-file': given, url }: Given): Promise<Inbox> {
  const file = given ?? readSettings(process.env).BALLAST_SESSION_FILE;
  if (file === undefined) {
    throw new Refusal(
      'An API token has no inbox: read it in the console, or give your session by --session-file or BALLAST_SESSION_FILE; see --help.',
    );
  }
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
