import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The provider's behaviour at the next sign-in. */
export interface ProviderOrders {
  account: { sub: string; claims: Record<string, unknown>; amr?: string[] };
  /** How far its clock is ahead; behind, if negative. */
  clockOffSeconds?: number;
  /** Refuses the sign-in. */
  deny?: boolean;
  /** Claims that replace the true ones in id tokens; the signature is the provider's own nevertheless. */
  tamper?: Record<string, unknown>;
  breakSignature?: boolean;
  /** Resets every connection instead of answering. */
  away?: boolean;
}

/** An OpenID provider that runs as a process of its own, on a free port of this machine. */
export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The settings that make an API use it. */
  env: Record<string, string>;
  tell(orders: ProviderOrders): Promise<void>;
  /** Goes through the provider's pages as a browser does, from where the API led it. Answers where it is led back to. */
  signIn(authorizationUrl: string): Promise<string>;
  /** A token that is signed with the provider's key; issuer, `iat` and `exp` are filled in unless given. */
  issueToken(claims: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const main = fileURLToPath(new URL('provider-main.ts', import.meta.url));
const clientId = 'ballast-test';
const clientSecret = 'a secret that only this test knows';

/** `publicUrl`: that of the API whose people sign in here; of no matter where only tokens are wanted. */
export async function testProvider(publicUrl = 'http://127.0.0.1:1'): Promise<TestProvider> {
  const child = spawn(process.execPath, [main, `${publicUrl}/api/v1/auth/callback`, `${publicUrl}/signed-out`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error('The test provider ended at once.');
    }),
  ]);
  const issuer = `http://127.0.0.1:${String(port).trim()}`;
  const post = (path: string, body: unknown) =>
    fetch(`${issuer}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return {
    issuer,
    clientId,
    clientSecret,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
    tell: async (orders) => void (await post('/orders', orders)),
    signIn: (authorizationUrl) => throughPages(issuer, authorizationUrl),
    issueToken: async (claims) => await (await post('/tokens', claims)).text(),
    close: async () => {
      if (child.exitCode !== null) return;
      const over = once(child, 'exit');
      child.kill('SIGKILL');
      await over;
    },
  };
}

async function throughPages(issuer: string, from: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = new URL(from);
  for (let steps = 0; at.origin === issuer && steps < 10; steps += 1) {
    const answer = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const one of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (one.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`The provider shows ${answer.status} at ${at.pathname}: ${await answer.text()}`);
    at = new URL(next, at);
  }
  return at.href;
}
