import type { Answered, Credential } from '../installation/running-api.ts';
import type { Console } from './console.ts';
import type { Visitor } from './visitor.ts';

/** A request of the API, with what it answered; anything but success fails the test. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answered['body']>;
export type Session = Extract<Credential, { session: string }>;

/** The API as somebody may ask it who is signed in with a browser. */
export async function askedBy(opened: Console, visitor: Visitor): Promise<Ask & { as: Session }> {
  const as = await credentialOf(opened, visitor);
  return Object.assign(askingAs(opened, as), { as });
}

export function askingAs(opened: Console, as: Credential): Ask {
  return (method, path, body) => answered(opened, as, method, `/api/v1${path}`, body);
}

export async function answered(opened: Console, as: Credential, method: string, path: string, body?: unknown) {
  const nowhere = 'session' in as && as.organizationId === '' ? { organization: '' } : {};
  const sent = body === undefined ? {} : { body };
  const answer = await opened.installation.call(method, path, { as, ...nowhere, ...sent });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function credentialOf(opened: Console, { context }: Visitor): Promise<Session> {
  const session = (await context.cookies()).find(({ name }) => name === 'svc_session')?.value ?? '';
  opened.installation.secrets.add(session);
  const as = { session, id: '', userId: '', organizationId: '' };
  const { user, organizations } = (await answered(opened, as, 'GET', '/api/v1/auth/session')) as {
    user: { id: string };
    organizations: { id: string }[];
  };
  return { ...as, userId: user.id, organizationId: organizations[0]?.id ?? '' };
}
