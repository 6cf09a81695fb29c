import { html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/page.ts';
import { keepPending, readPending } from '../../accounts/pending.ts';
import type { Refusal } from '../../accounts/refusal.ts';
import { newTotpSecret, totpAddress } from '../../accounts/second-factors/totp.ts';
import { alert, field } from '../fields.ts';
import { accountPath, type Owner } from '../owner.ts';
import { qrCode, spaced } from './setup-parts.ts';

/** Sets up an authenticator app; one that was there before is replaced. */
export async function accountAppPage(owner: Owner, refusal?: Refusal): Promise<Page> {
  const { parts, account } = owner;
  const secret = await pendingSecret(owner);
  const { host } = new URL(parts.settings.PUBLIC_URL);
  return {
    title: 'Add an authenticator app',
    body: html`<h1>Add an authenticator app</h1>
<p>Scan this with an app such as Aegis, 1Password or Google Authenticator, then enter the code that it shows.${account.hasAuthenticatorApp ? ' The app that you use now stops working here.' : ''}</p>
${alert(refusal)}
${qrCode(totpAddress(secret, { email: account.email, host }))}
<p class="secret">Or type it: <code>${spaced(secret)}</code></p>
<form method="post" action="${accountPath('/add-app')}">
${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', most: 10, focus: refusal === undefined, refusal })}
${field({ name: 'password', label: 'Your password', type: 'password', autocomplete: 'current-password', most: 1000, refusal })}
<button type="submit">Add app</button></form>
<p class="aside"><a href="${accountPath()}">Back to your account</a></p>`,
  };
}

export function secretId({ session }: Owner): string {
  return `${session.uid}:totp`;
}

async function pendingSecret(owner: Owner): Promise<string> {
  const { kysely } = owner.parts.database;
  const key = owner.parts.keyring.identityKey();
  const kept = await readPending(kysely, key, secretId(owner));
  if (typeof kept?.secret === 'string') return kept.secret;
  const secret = newTotpSecret();
  await keepPending(kysely, key, { id: secretId(owner), accountId: owner.account.id, value: { secret }, seconds: 900 });
  return secret;
}
