import type { z } from 'zod';
import type { notificationSchema } from '../../api/notifications/operations.ts';
import type { NotificationLink } from '../../domain/notifications/notifications.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { type AsPerson, asPerson } from '../engine/as-person.ts';
import { ofTheEnvironment } from '../engine/credential.ts';

export type Notification = Omit<z.output<typeof notificationSchema>, 'link'> & { link: NotificationLink };

/** A page of it, newest first. */
export interface InboxPage {
  items: Notification[];
  nextCursor?: string;
  unreadCount: number;
}

export const inboxDetails = `An inbox belongs to a person, and an API token has none. So these commands take a session instead of a token: the value of
the cookie svc_session of a browser that is signed in, in a file that only you can read. It may do all that you may; end it on
the page of your account when it is not needed any more.`;

interface Given {
  organization?: string | undefined;
  'session-file'?: string | undefined;
  url?: string | undefined;
}

export async function openInbox({ organization, 'session-file': given, url }: Given): Promise<AsPerson> {
  const file = given ?? ofTheEnvironment().sessionFile;
  if (file === undefined) {
    throw new Refusal(
      'An API token has no inbox: read it in the console, or give your session by --session-file or BALLAST_SESSION_FILE; see --help.',
    );
  }
  return await asPerson(file, { organization, url });
}
