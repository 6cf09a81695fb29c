import { readFileSync, statSync } from 'node:fs';
import { readSome } from '../../domain/settings/settings.ts';
import { errorCode, Refusal } from '../../runtime/supervisor/refusal.ts';

/** Proof of who calls: an API token, or for what belongs to a person, the session of a browser that is signed in. */
export type Credential = { token: string } | { session: string; organizationId?: string } | { anonymous: true };

export function headersOf(credential: Credential): Record<string, string> {
  if ('anonymous' in credential) return {};
  if ('token' in credential) return { authorization: `Bearer ${credential.token}` };
  const { session, organizationId } = credential;
  return {
    cookie: `svc_session=${session}`,
    'x-svc-csrf': '1',
    ...(organizationId === undefined ? {} : { 'x-svc-organization': organizationId }),
  };
}

/**
 * The variables of the environment that lead a command to a control plane. No other setting is read: a CI job has variables of its
 * own, and faults in them are none of ours.
 */
export function ofTheEnvironment(): { token: string | undefined; sessionFile: string | undefined } {
  const { BALLAST_TOKEN: token, BALLAST_SESSION_FILE: sessionFile } = readSome(process.env, [
    'BALLAST_TOKEN',
    'BALLAST_SESSION_FILE',
  ]);
  return { token, sessionFile };
}

/** The address of the control plane where none is named; without BALLAST_URL the one of this machine. */
export function urlOfTheEnvironment(): string {
  const { env } = process;
  return readSome(env, ['BALLAST_URL']).BALLAST_URL ?? readSome(env, ['PORT', 'LISTEN', 'PUBLIC_URL']).PUBLIC_URL;
}

/** The token in this file, or that of the environment. */
export function tokenOf(file: string | undefined, ambient: string | undefined): Credential {
  const token = file === undefined ? (ambient ?? '') : contents(file, 'token');
  if (token !== '') return { token };
  throw new Refusal(
    file === undefined
      ? 'There is no API token: set BALLAST_TOKEN or give --token-file; `./ballast token create --name cli --role admin` creates one.'
      : `The token file ${file} is empty; \`./ballast token create … > ${file}\` puts a token there.`,
  );
}

const cookie = /^(?:svc_session=)?([A-Za-z0-9_-]{43})$/;

/** The session in this file. It may do all that its person may, so nobody else may read it. */
export function sessionOf(file: string): Credential {
  const text = contents(file, 'session');
  const found = statSync(file, { throwIfNoEntry: false });
  // A pipe of a shell (`<(…)`) is nobody else's.
  if (found?.isFile() && (found.mode & 0o077) !== 0) {
    throw new Refusal(
      `Other users of this machine can read the session file ${file}: \`chmod 600 ${file}\`, and end that session in the console if somebody may have.`,
    );
  }
  const session = cookie.exec(text)?.[1];
  if (session !== undefined) return { session };
  throw new Refusal(
    `The session file ${file} holds no session; put the value of the cookie svc_session there, from a browser that is signed in.`,
  );
}

function contents(file: string, what: 'token' | 'session'): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const setting = what === 'token' ? 'BALLAST_TOKEN' : 'BALLAST_SESSION_FILE';
    throw new Refusal(
      `The ${what} file ${file} cannot be read (${errorCode(error)}); give --${what}-file another one, or set ${setting}.`,
    );
  }
}
