import { createSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { type Shown, SignInBrowser } from '../browsers/sign-in-browser.ts';
import { freePort } from '../ground/free-port.ts';
import { type RunningApi, runningApi } from '../installation/running-api.ts';
import { type ProviderOrders, type TestProvider, testProvider } from './provider.ts';

/** An API whose people sign in with a provider that runs beside it. */
export interface SigningIn {
  api: RunningApi;
  provider: TestProvider;
  browser(): SignInBrowser;
  /** Begins at the API and goes through the provider. Answers the callback's address, not visited yet. */
  toCallback(browser: SignInBrowser, orders: ProviderOrders, start?: string): Promise<string>;
  signIn(browser: SignInBrowser, orders: ProviderOrders, start?: string): Promise<Shown>;
  close(): Promise<void>;
}

export async function signingIn(env: Record<string, string> = {}): Promise<SigningIn> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const provider = await testProvider(publicUrl);
  const api = await runningApi({
    env: { PORT: String(port), PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.1', ...provider.env, ...env },
  });
  const toCallback: SigningIn['toCallback'] = async (browser, orders, start = '/api/v1/auth/start') => {
    await provider.tell(orders);
    const begun = await browser.get(start);
    if (begun.location === undefined) throw new Error(`The API answers ${begun.status}: ${begun.text}`);
    return await provider.signIn(begun.location);
  };
  return {
    api,
    provider,
    browser: () => new SignInBrowser(publicUrl),
    toCallback,
    signIn: async (browser, orders, start) => await browser.get(await toCallback(browser, orders, start)),
    close: async () => {
      await api.close();
      await provider.close();
    },
  };
}

/** An account as the provider describes it. */
export function account(sub: string, claims: Record<string, unknown> = {}, amr?: string[]): ProviderOrders {
  const described = { name: `Name of ${sub}`, email: `${sub}@example.com`, email_verified: true, ...claims };
  return { account: { sub, claims: described, ...(amr === undefined ? {} : { amr }) } };
}

/** The code of a link for the first owner, as the command line prints it. */
export async function firstOwnerCode(api: RunningApi): Promise<string> {
  const { secret } = await api.effect((running) => createSignInLink(running, { kind: 'first-owner' }));
  return secret;
}
